//! A loan book that can be worked on: with the keys it was written with, and the file that knows how far it has come.
//! Knows nothing of which database it is in.

use std::path::PathBuf;

use crate::lender::config::StoreSettings;
use crate::lender::loan_book::LoanBook;
use crate::lender::runner::{Vault, open_sealed_value};
use crate::lender::store::error::StoreError;
use crate::lender::store::seen_file::SeenFile;

/// The place of the value by which wrong keys show.
const CHECK_CONTEXT: &str = "house.keys_check/1";
/// What the digest in it is for.
const CHECK_PURPOSE: &str = "house.keys_check";
/// What the digests of order ids are for. Never change it: ids that were sent depend on it.
const ORDER_KEY_PURPOSE: &str = "orders.transaction_id";

/// Prepares a book for work: checks its keys, and gives it the key for ids and the file of what was seen.
///
/// # Errors
/// [`StoreError::WrongKeys`].
pub(crate) fn prepare_book(
    book: LoanBook,
    vault: &dyn Vault,
    settings: &StoreSettings,
) -> Result<LoanBook, StoreError> {
    check_keys(&book, vault)?;
    let book = book.with_order_key(vault.digest(ORDER_KEY_PURPOSE, b""))?;
    Ok(book.with_seen_file(find_seen_file(settings).map(SeenFile::new)))
}

/// By default next to a SQLite database, under the name that it has without links.
fn find_seen_file(settings: &StoreSettings) -> Option<PathBuf> {
    let next_to = |path: &PathBuf| {
        let mut name = path.canonicalize().unwrap_or_else(|_| path.clone()).into_os_string();
        name.push(".seen");
        PathBuf::from(name)
    };
    settings.seen_file.clone().or_else(|| settings.path.as_ref().map(next_to))
}

/// Whether the keys are those of the book. A book from before there was a check gets one, if its keys open what is
/// sealed in it.
fn check_keys(book: &LoanBook, vault: &dyn Vault) -> Result<(), StoreError> {
    let sealed = book.load_keys_check()?;
    match &sealed {
        Some(sealed) => {
            let found = vault.open(CHECK_CONTEXT, sealed).map_err(StoreError::WrongKeys)?;
            if found != vault.keys_check(CHECK_PURPOSE) {
                return Err(StoreError::WrongKeys("the line `lookup` is another one".to_owned()));
            }
            if !vault.is_outdated(sealed) {
                return Ok(());
            }
        }
        None => {
            if let Some(value) = book.find_sealed_value()? {
                open_sealed_value(vault, value.decision.is_some(), &value.reference, &value.sealed)
                    .map_err(StoreError::WrongKeys)?;
            }
        }
    }
    let again = vault.seal(CHECK_CONTEXT, &vault.keys_check(CHECK_PURPOSE)).map_err(StoreError::Unavailable)?;
    book.store_keys_check(sealed.as_deref(), &again)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::prepare_book;
    use crate::base::time::Timestamp;
    use crate::lender::config::StoreSettings;
    use crate::lender::loan_book::{LoanBook, MIGRATIONS, NewRequest, RecordedRequest};
    use crate::lender::process::vault::BookVault;
    use crate::lender::runner::Vault;
    use crate::lender::store::database::{Database, InstanceId, write_transaction};
    use crate::lender::store::error::StoreError;
    use crate::lender::store::seal::keys;
    use crate::lender::store::sqlite;

    fn now() -> Timestamp {
        Timestamp::from_milliseconds(1_767_225_600_000).unwrap()
    }

    /// Keys with these numbers, and a line `lookup`, each by a letter.
    fn vault(numbers: &[(u32, char)], lookup: char) -> BookVault {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let repeated = |letter: char| letter.to_string().repeat(64);
        let mut text: String =
            numbers.iter().map(|(number, letter)| format!("{number}:{}\n", repeated(*letter))).collect();
        text.push_str(&format!("lookup:{}\n", repeated(lookup)));
        std::fs::write(&path, text).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        BookVault::Keys(Box::new(keys::from_file(&path).unwrap()))
    }

    fn database() -> Arc<dyn Database> {
        Arc::new(sqlite::open_memory_database(MIGRATIONS, 0).unwrap())
    }

    fn open(database: &Arc<dyn Database>, vault: &BookVault) -> Result<LoanBook, StoreError> {
        let book = LoanBook::open(Arc::clone(database), "chance", now()).unwrap();
        prepare_book(book, vault, &StoreSettings::default())
    }

    fn is_refused(database: &Arc<dyn Database>, vault: &BookVault) -> bool {
        matches!(open(database, vault), Err(StoreError::WrongKeys(_)))
    }

    #[test]
    fn wrong_keys_are_refused_at_the_start_and_a_key_is_replaced_by_the_next() {
        let database = database();
        open(&database, &vault(&[(1, 'a')], 'b')).unwrap();
        open(&database, &vault(&[(1, 'a')], 'b')).unwrap();
        assert!(is_refused(&database, &vault(&[(1, 'c')], 'b')), "another key");
        assert!(is_refused(&database, &vault(&[(2, 'a')], 'b')), "another number");
        assert!(is_refused(&database, &vault(&[(1, 'a')], 'c')), "another line `lookup`");
        assert!(is_refused(&database, &BookVault::Readable), "none");
        // A new key comes, and the old one goes.
        open(&database, &vault(&[(1, 'a'), (2, 'c')], 'b')).unwrap();
        open(&database, &vault(&[(2, 'c')], 'b')).unwrap();
        assert!(is_refused(&database, &vault(&[(1, 'a')], 'b')));
    }

    #[test]
    fn a_book_from_before_the_check_gets_it_if_its_keys_open_what_it_has() {
        let database = database();
        let (right, wrong) = (vault(&[(1, 'a')], 'b'), vault(&[(1, 'c')], 'b'));
        let book = open(&database, &right).unwrap();
        let new = NewRequest {
            reference: "OR-1".to_owned(),
            customer_id: "C-1".to_owned(),
            request: serde_json::json!({}),
            fingerprint: "f".to_owned(),
        };
        assert!(matches!(book.record_request(&new, InstanceId(1), now()).unwrap(), RecordedRequest::New(_)));
        let sealed = right.seal("loans.private/LR-1", b"{}").unwrap();
        write_transaction(&*database, |tx| {
            tx.execute("UPDATE house SET keys_check = NULL, keyed_after = NULL", &[])?;
            let values = [sealed.clone().into()];
            tx.execute("UPDATE loans SET private = $1, loan_reference_id = 'LR-1'", &values)
        })
        .unwrap();
        assert!(is_refused(&database, &wrong) && is_refused(&database, &BookVault::Readable));
        open(&database, &right).unwrap();
        assert!(is_refused(&database, &wrong));
    }

    #[test]
    fn a_book_that_was_stored_readable_stays_so() {
        let database = database();
        open(&database, &BookVault::Readable).unwrap();
        open(&database, &BookVault::Readable).unwrap();
        assert!(is_refused(&database, &vault(&[(1, 'a')], 'b')));
    }
}
