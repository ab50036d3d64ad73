//! Account numbers of which a document shows only the last digits. Two of them that look the same may be of two banks.

use std::collections::HashSet;

use crate::base::text::escape_terminal;

/// The masked numbers of the accounts in a document.
pub(crate) struct Accounts {
    /// The column of the account.
    column: Option<usize>,
    masked: HashSet<String>,
}

impl Accounts {
    pub(crate) fn new(column: Option<usize>) -> Accounts {
        Accounts { column, masked: HashSet::new() }
    }

    pub(crate) fn column(&self) -> Option<usize> {
        self.column
    }

    /// Forgets the accounts: another document may be another page of the same.
    pub(crate) fn clear(&mut self) {
        self.masked.clear();
    }

    /// Takes the account of the rows that follow. The error says that there is another one of its masked number.
    pub(crate) fn take(&mut self, account: &str) -> Result<(), String> {
        if !is_masked(account) || self.masked.insert(account.to_owned()) {
            return Ok(());
        }
        Err(format!(
            "two accounts have the masked number `{}`, and may be of two banks: in [columns], name as `account` a \
             value that tells them apart, such as the bank's reference of the account",
            escape_terminal(account)
        ))
    }
}

/// Whether digits are hidden: three or more marks in a row.
fn is_masked(account: &str) -> bool {
    let is_mark = |letter: char| matches!(letter, 'X' | 'x' | '*' | '#' | '\u{2022}' | '\u{b7}');
    let mut marks = 0;
    account.chars().any(|letter| {
        marks = if is_mark(letter) { marks + 1 } else { 0 };
        marks >= 3
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_masked_numbers_may_be_of_two_accounts() {
        for (account, masked) in [
            ("XXXX1234", true),
            ("*****77", true),
            ("••••9", true),
            ("0012345678", false),
            ("XX-1", false),
            ("", false),
        ] {
            assert_eq!(is_masked(account), masked, "{account}");
        }
        let mut accounts = Accounts::new(Some(0));
        assert_eq!((accounts.take("XXXX1"), accounts.take("XXXX2"), accounts.take("77")), (Ok(()), Ok(()), Ok(())));
        assert!(accounts.take("77").is_ok() && accounts.take("XXXX1").is_err());
        accounts.clear();
        assert!(accounts.take("XXXX1").is_ok());
    }
}
