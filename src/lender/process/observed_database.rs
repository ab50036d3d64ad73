//! Counts the failed writes of a database: from one that failed until one that succeeded, the service is not ready. It
//! is between the database and everything that uses it, so no writer has to report. Knows nothing of what is written.

use std::path::Path;
use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;

use crate::lender::hosted::{Condition, Conditions, Registry};
use crate::lender::store::database::{Database, Dialect, InstanceId, Transaction, Work};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::{QueryRow, SqlValue};

/// A database, and what is noted about its writes.
pub(super) struct ObservedDatabase {
    inner: Arc<dyn Database>,
    conditions: Conditions,
    failed: Counter,
}

impl ObservedDatabase {
    /// Observes a database, and adds the count of its failed writes to a registry.
    pub(super) fn register(inner: Arc<dyn Database>, conditions: Conditions, registry: &mut Registry) -> Self {
        let failed = Counter::default();
        registry.register("lendwright_writes_failed", "Writes of the loan book that failed", failed.clone());
        ObservedDatabase { inner, conditions, failed }
    }

    fn note_write(&self, written: &Result<(), StoreError>, has_changed: bool) {
        match written {
            Ok(()) if has_changed => self.conditions.clear(Condition::WritesFail),
            // It needed no room on the disk, so it proves nothing. A duplicate is an answer.
            Ok(()) | Err(StoreError::Duplicate { .. }) => {}
            Err(error) => {
                self.failed.inc();
                if self.conditions.raise(Condition::WritesFail) {
                    tracing::error!(%error, "a write of the loan book failed");
                }
            }
        }
    }
}

impl Database for ObservedDatabase {
    fn write(&self, work: Work<'_>) -> Result<(), StoreError> {
        let mut has_changed = false;
        let written = self.inner.write(&mut |transaction| {
            has_changed = false;
            work(&mut ObservedTransaction { inner: transaction, has_changed: &mut has_changed })
        });
        self.note_write(&written, has_changed);
        written
    }

    fn read(&self, work: Work<'_>) -> Result<(), StoreError> {
        self.inner.read(work)
    }

    fn backup(&self, target: &Path) -> Result<(), StoreError> {
        self.inner.backup(target)
    }

    fn scrub(&self) -> Result<bool, StoreError> {
        self.inner.scrub()
    }

    fn enlist(&self, at_ms: i64) -> Result<InstanceId, StoreError> {
        self.inner.enlist(at_ms)
    }

    fn withdraw(&self) -> Result<(), StoreError> {
        self.inner.withdraw()
    }

    fn check_lease(&self) -> Result<(), StoreError> {
        self.inner.check_lease()
    }

    fn dead_among(&self, instances: &[InstanceId]) -> Result<Vec<InstanceId>, StoreError> {
        self.inner.dead_among(instances)
    }
}

/// A transaction that notes whether it changed a row.
struct ObservedTransaction<'t> {
    inner: &'t mut dyn Transaction,
    has_changed: &'t mut bool,
}

impl Transaction for ObservedTransaction<'_> {
    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError> {
        let count = self.inner.execute(sql, values)?;
        *self.has_changed |= count > 0;
        Ok(count)
    }

    fn query(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<QueryRow>, StoreError> {
        let rows = self.inner.query(sql, values)?;
        // Only changes with `RETURNING` have rows and change them.
        *self.has_changed |= !rows.is_empty() && sql.contains("RETURNING");
        Ok(rows)
    }

    fn script(&mut self, sql: &str) -> Result<(), StoreError> {
        self.inner.script(sql)?;
        *self.has_changed = true;
        Ok(())
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::ObservedDatabase;
    use crate::lender::hosted::{Condition, Conditions, Registry};
    use crate::lender::store::database::{Database, write_transaction};
    use crate::lender::store::error::StoreError;
    use crate::lender::store::sqlite::make_sqlite_file;

    const SCHEMA: &str = "CREATE TABLE letters (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)";

    /// A write that changes nothing needs no room, so it must not pass for one that succeeds.
    #[test]
    fn a_full_disk_counts_until_something_was_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let inner: Arc<dyn Database> = Arc::new(make_sqlite_file(&folder.path().join("book.sqlite"), &[], 0).unwrap());
        let conditions = Conditions::default();
        let observed = ObservedDatabase::register(inner, conditions.clone(), &mut Registry::default());
        write_transaction(&observed, |tx| tx.script(SCHEMA)).unwrap();
        let insert = |text: &str| {
            let value = text.into();
            write_transaction(&observed, |tx| {
                tx.execute("INSERT INTO letters (text) VALUES ($1)", std::slice::from_ref(&value)).map(drop)
            })
        };
        insert("one").unwrap();
        let pages = |count: u32| {
            write_transaction(&observed, |tx| tx.query(&format!("PRAGMA max_page_count = {count}"), &[])).unwrap();
        };
        pages(20);
        assert!(matches!(insert(&"x".repeat(200_000)), Err(StoreError::DiskFull)));
        assert!(conditions.is_raised(Condition::WritesFail) && !conditions.is_ready());
        assert_eq!(observed.failed.get(), 1);
        // The look for loans that are due: it finds none.
        let idle = "UPDATE letters SET text = text WHERE id = 77";
        write_transaction(&observed, |tx| tx.execute(idle, &[])).unwrap();
        write_transaction(&observed, |tx| tx.query(&format!("{idle} RETURNING id"), &[])).unwrap();
        write_transaction(&observed, |tx| tx.query("SELECT id FROM letters", &[])).unwrap();
        assert!(conditions.is_raised(Condition::WritesFail));
        pages(4_000);
        insert(&"x".repeat(200_000)).unwrap();
        assert!(!conditions.is_raised(Condition::WritesFail));
        // A duplicate is an answer, not a failure.
        assert!(matches!(insert("one"), Err(StoreError::Duplicate { .. })));
        assert!(conditions.is_ready() && observed.failed.get() == 1);
        assert!(write_transaction(&observed, |tx| tx.script("INSERT INTO nothing VALUES (1)")).is_err());
        assert!(!conditions.is_ready());
        write_transaction(&observed, |tx| tx.query("UPDATE letters SET id = 9 WHERE id = 1 RETURNING id", &[]))
            .unwrap();
        assert!(conditions.is_ready());
    }
}
