//! Personal data at its end: erased loan by loan or by age, and encrypted again with the current key. Knows nothing of
//! keys themselves.

use super::act::ActError;
use crate::base::time::Timestamp;
use crate::lender::loan_book::{BookError, LoanBook, LoanRow, Person};
use crate::lender::runner::{Vault, reseal_value};
use crate::lender::store::error::StoreError;

/// A loan that was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ErasedLoan {
    /// The loan's number in the book.
    pub(crate) loan: i64,
    /// Whether there was personal data.
    pub(crate) had_any: bool,
}

/// How many loans are looked at in one transaction.
const PAGE: i64 = 50;

/// Erases the personal data of a loan at an end.
pub(crate) fn erase_loan(
    book: &LoanBook,
    vault: &dyn Vault,
    row: &LoanRow,
    person: &Person,
    now: Timestamp,
) -> Result<ErasedLoan, ActError> {
    let pseudonym = pseudonym_of_customer(vault, &row.customer_id)?;
    let had_any = book.erase_loan(row.id, &pseudonym, &person.to_actor(), now)?;
    Ok(ErasedLoan { loan: row.id, had_any })
}

/// Loans at an end since before a moment: erases their personal data, or only finds them. Those with unfinished
/// messages or payments are left for later.
pub(crate) fn erase_old_loans(
    book: &LoanBook,
    vault: &dyn Vault,
    before: Timestamp,
    person: Option<&Person>,
    now: Timestamp,
) -> Result<Vec<i64>, ActError> {
    let (mut after, mut erased) = (0, Vec::new());
    loop {
        let found = book.list_erasable(before, after, PAGE).map_err(BookError::from)?;
        let Some(last) = found.last() else { return Ok(erased) };
        after = *last;
        for loan in found {
            let Some(person) = person else {
                erased.push(loan);
                continue;
            };
            let Some(row) = book.load_loan(loan).map_err(BookError::from)? else { continue };
            match erase_loan(book, vault, &row, person, now) {
                Ok(_) => erased.push(loan),
                Err(ActError::Book(BookError::Conflict(_))) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What replaces a customer's id: the same for all loans of a customer, and not to be traced back to them without the
/// keys. Without keys it is random.
fn pseudonym_of_customer(vault: &dyn Vault, customer_id: &str) -> Result<String, ActError> {
    let bytes = match vault.digest("loans.customer_id", customer_id.as_bytes()) {
        Some(digest) => digest,
        None => {
            let mut bytes = [0; 32];
            let failed = |_| StoreError::Unavailable("the system has no random numbers".to_owned());
            getrandom::fill(&mut bytes).map_err(failed).map_err(BookError::from)?;
            bytes
        }
    };
    let digits: String = bytes.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("erased-{digits}"))
}

/// What encrypting again came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Resealed {
    /// Values that were encrypted again.
    pub(crate) done: u64,
    /// Values that had the current key already.
    pub(crate) current: u64,
}

/// Encrypts all personal data with the current key, some loans at a time. If it is interrupted, another run goes on
/// where it stopped: what is done has the current key.
pub(crate) fn reseal_book(book: &LoanBook, vault: &dyn Vault) -> Result<Resealed, BookError> {
    let (mut after, mut sum) = (0, Resealed::default());
    loop {
        let (values, last) = book.list_sealed_values(after, PAGE)?;
        let Some(last) = last else { return Ok(sum) };
        let mut again = Vec::new();
        for value in values {
            match reseal_value(vault, value.decision.is_some(), &value.reference, &value.sealed) {
                Ok(Some(sealed)) => again.push((value, sealed)),
                Ok(None) => sum.current += 1,
                Err(problem) => return Err(StoreError::Sealed(problem).into()),
            }
        }
        sum.done += book.replace_sealed(&again)?;
        after = last;
    }
}
