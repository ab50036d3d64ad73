//! The folder in which the command line keeps the transactions of money that it ordered: one file each, written before
//! anything is sent. Knows nothing of how they are sent.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::output;
use crate::wire::lending::{PersistedTransactionId, TransactionId};

/// A folder of ordered transactions.
pub(crate) struct Ledger {
    folder: PathBuf,
}

impl Ledger {
    pub(crate) fn new(folder: &Path) -> Self {
        Ledger { folder: folder.to_owned() }
    }

    /// Writes down what is about to be ordered, so that it is on disk before it is sent. What was ordered before cannot be
    /// ordered again.
    pub(crate) fn order(
        &self,
        id: TransactionId,
        call: &str,
        loan_id: &str,
        amount: i64,
    ) -> Result<PersistedTransactionId, String> {
        let path = self.path(id.as_str())?;
        let text = id.to_string();
        let order = json!({ "transactionId": text, "call": call, "loanId": loan_id, "amountMinor": amount });
        id.persist(|_| self.create(&path, &order)).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => format!(
                "`{}` is there: transaction `{text}` was ordered before. Ask what became of it: \
                 lendwright requery {text} --loan {loan_id}",
                path.display()
            ),
            ErrorKind::NotADirectory => format!(
                "`{}` is no folder, so that nothing can be written down in it; nothing has been sent. Give `--ledger` a folder",
                self.folder.display()
            ),
            _ => format!("cannot write `{}`: {error}; nothing has been sent", path.display()),
        })
    }

    /// Adds what became of a transaction.
    pub(crate) fn settle(&self, id: &str, outcome: &Json) -> Result<(), String> {
        let path = self.path(id)?;
        let written = OpenOptions::new().append(true).open(&path).and_then(|file| add(file, outcome));
        written.map_err(|error| format!("`{}` lacks the outcome, which is {outcome}: {error}", path.display()))
    }

    /// Takes back an order that surely was not carried out.
    pub(crate) fn withdraw(&self, id: &str) -> Result<(), String> {
        let path = self.path(id)?;
        fs::remove_file(&path).map_err(|error| format!("cannot take back `{}`: {error}", path.display()))
    }

    fn create(&self, path: &Path, order: &Json) -> io::Result<()> {
        // The system says of a file in the folder's place that it is there already, as of an order.
        fs::create_dir_all(&self.folder).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => io::Error::from(ErrorKind::NotADirectory),
            _ => error,
        })?;
        let file = output::new_file(path)?;
        let written = add(file, order).and_then(|()| self.sync());
        if written.is_err() {
            // What is not wholly on disk was not ordered.
            let _ = fs::remove_file(path);
        }
        written
    }

    /// The file's name lasts once its folder is on disk, and a new folder's once the one above is.
    fn sync(&self) -> io::Result<()> {
        let folder = fs::canonicalize(&self.folder)?;
        folder.ancestors().take(2).try_for_each(|folder| File::open(folder)?.sync_all())
    }

    fn path(&self, id: &str) -> Result<PathBuf, String> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        match id.starts_with('.') || !id.chars().all(plain) {
            true => {
                Err("the transaction id does not make a file name; take letters, digits, `-`, `_` and `.`".to_owned())
            }
            false => Ok(self.folder.join(format!("{id}.ndjson"))),
        }
    }
}

fn add(mut file: File, line: &Json) -> io::Result<()> {
    file.write_all(format!("{line}\n").as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_ordered_is_not_ordered_again_unless_it_is_taken_back() -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let ledger = Ledger::new(&folder.path().join("ledger"));
        let id = || TransactionId::new("T-1").map_err(|error| error.to_string());
        assert_eq!(ledger.order(id()?, "fund", "L-1", 5)?.id().as_str(), "T-1");
        assert!(ledger.order(id()?, "debit", "L-1", 5).is_err_and(|problem| problem.contains("was ordered before")));
        ledger.settle("T-1", &json!({ "outcome": "done" }))?;
        let text = fs::read_to_string(folder.path().join("ledger/T-1.ndjson")).map_err(|error| error.to_string())?;
        assert_eq!(
            text,
            "{\"amountMinor\":5,\"call\":\"fund\",\"loanId\":\"L-1\",\"transactionId\":\"T-1\"}\n{\"outcome\":\"done\"}\n"
        );
        ledger.withdraw("T-1")?;
        ledger.order(id()?, "fund", "L-1", 5)?;
        for name in ["a/b", ".hidden", "a\\b", "a:b"] {
            let id = TransactionId::new(name).map_err(|error| error.to_string())?;
            assert!(ledger.order(id, "fund", "L-1", 5).is_err(), "{name}");
        }
        Ok(())
    }

    #[test]
    fn a_ledger_that_is_no_folder_is_no_order_from_before() -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = folder.path().join("file");
        fs::write(&file, "").map_err(|error| error.to_string())?;
        for place in [file.clone(), file.join("below")] {
            let id = TransactionId::new("T-1").map_err(|error| error.to_string())?;
            let problem = Ledger::new(&place).order(id, "fund", "L-1", 5).err().unwrap_or_default();
            let expected = format!("`{}` is no folder", place.display());
            assert!(problem.starts_with(&expected) && problem.contains("nothing has been sent"), "{problem}");
        }
        Ok(())
    }
}
