//! Recognises a book that is older than it was, or another one, by a file that keeps how far its audit had come. What
//! was sent since is not in an older book, and would be sent again.

use std::sync::Arc;

use super::LoanBook;
use crate::lender::store::database::{Transaction, read_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::seen_file::SeenFile;

impl LoanBook {
    /// The book, with the file that knows how far it has come, if there is one.
    pub(crate) fn with_seen_file(mut self, file: Option<SeenFile>) -> LoanBook {
        self.seen_file = file.map(Arc::new);
        self
    }

    /// Writes how far the book has come. Call it before money leaves: a copy from before that is then recognised.
    pub(crate) fn note_seen(&self) -> Result<(), StoreError> {
        self.seen_file.as_ref().map_or(Ok(()), |file| file.note(&self.find_audit_end()?))
    }

    /// Accepts the book as it is, because a person says that it was restored.
    pub(super) fn reset_seen(&self) -> Result<(), StoreError> {
        self.seen_file.as_ref().map_or(Ok(()), |file| file.reset(&self.find_audit_end()?))
    }

    /// Whether this is the book that the file knows, and no older.
    ///
    /// # Errors
    /// What it is instead, and what to do.
    pub(crate) fn check_seen(&self) -> Result<(), StoreError> {
        let Some(file) = &self.seen_file else { return Ok(()) };
        let Some(seen) = file.read()? else { return Ok(()) };
        let end = self.find_audit_end()?;
        let found = if end.sequence < seen.sequence {
            format!("ends at entry {} of its audit, and it had come to entry {}", end.sequence, seen.sequence)
        } else if self.find_audit_hash(seen.sequence)?.as_deref() != Some(&seen.hash) {
            format!("has another entry {} in its audit than the book that was here", seen.sequence)
        } else {
            return Ok(());
        };
        Err(StoreError::Unsuitable(format!(
            "the loan book {found} (`{}`): what was sent since may not be in it, and would be sent again; put the \
             newest database back, or, if a backup was restored, run `lendwright service loans restored` first",
            file.path().display()
        )))
    }

    /// The hash of an entry; that before the first one is empty.
    fn find_audit_hash(&self, sequence: i64) -> Result<Option<String>, StoreError> {
        if sequence == 0 {
            return Ok(Some(String::new()));
        }
        let find = |tx: &mut dyn Transaction| {
            let rows = tx.query("SELECT hash FROM audit WHERE seq = $1", &[sequence.into()])?;
            rows.first().map(|row| row.text("hash").map(str::to_owned)).transpose()
        };
        read_transaction(&*self.database, find)
    }
}
