//! The interface that both databases have, and what they share: transactions never nest, and a failed statement ends
//! its transaction.
//!
//! Everything is synchronous. From async code call it on a blocking thread (`tokio::task::spawn_blocking`): SQLite
//! waits for disks, and the PostgreSQL client runs a runtime of its own, which panics inside another.

use std::cell::Cell;
use std::fmt;
use std::path::Path;

use super::error::StoreError;
use super::value::{QueryRow, SqlValue};

/// Which SQL a database speaks, for the few statements that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// A transaction in progress. Parameters are `$1` to `$n`, in any order and as often as needed; each must be used.
/// Where no column gives a parameter or a result its type, say it: `CAST($1 AS BIGINT)`, `CAST(SUM(amount) AS BIGINT)`.
///
/// After an error the transaction is over: every further statement is refused, and it is rolled back even if `work`
/// returns `Ok`. Where a duplicate is expected, say `ON CONFLICT DO NOTHING` and look at the count.
pub(crate) trait Transaction {
    /// Runs a statement that returns no rows. Returns how many rows it changed.
    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError>;
    /// Runs a statement that returns rows: a query, or a change with `RETURNING`.
    fn query(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<QueryRow>, StoreError>;
    /// Runs statements without parameters, separated by `;`.
    fn script(&mut self, sql: &str) -> Result<(), StoreError>;
    fn dialect(&self) -> Dialect;
}

/// What runs inside a transaction.
pub(crate) type Work<'a> = &'a mut dyn FnMut(&mut dyn Transaction) -> Result<(), StoreError>;

/// A process that serves from a database: a number that is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InstanceId(pub(crate) i64);

impl fmt::Display for InstanceId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

/// A database. [`write_transaction`] and [`read_transaction`] return values.
pub(crate) trait Database: Send + Sync {
    /// One write transaction. It commits if `work` returns `Ok`; an error or a panic rolls it back.
    ///
    /// `work` may run more than once: PostgreSQL ends a transaction that cannot be ordered among others (a
    /// serialization failure or a deadlock), and then `work` runs again from the start, a few times at most. So it must
    /// do nothing but statements on its transaction, and set what it returns anew each time.
    ///
    /// [`StoreError::OutcomeUnknown`] means that the commit may have happened. After any other error it has not.
    fn write(&self, work: Work<'_>) -> Result<(), StoreError>;

    /// A read-only transaction. All its queries see one state of the database.
    fn read(&self, work: Work<'_>) -> Result<(), StoreError>;

    /// Copies the database to a new file while others use it. Nothing is at `target` before the copy is complete and on
    /// the disk; an existing file is left alone and is an error.
    fn backup(&self, target: &Path) -> Result<(), StoreError>;

    /// Overwrites what erased values left behind in the database's own files, as far as that is possible while others
    /// use it. Returns whether nothing is left there.
    fn scrub(&self) -> Result<bool, StoreError> {
        Ok(true)
    }

    /// Registers this process as one that serves, for as long as it lives or until [`Database::withdraw`]. SQLite
    /// allows one at a time. `at_ms` is the time of registration, in milliseconds since 1970.
    fn enlist(&self, at_ms: i64) -> Result<InstanceId, StoreError>;

    /// Ends the registration. Does nothing if there is none.
    fn withdraw(&self) -> Result<(), StoreError>;

    /// Fails with [`StoreError::LeaseLost`] if others may take this process for dead. A lost lease never comes back:
    /// the process withdraws and enlists as a new instance, after it has stopped all work of the old one. Call it
    /// before money moves. `Busy` and `Unavailable` leave open whether it is lost.
    fn check_lease(&self) -> Result<(), StoreError>;

    /// Which of these instances have ended. Not for use inside a transaction.
    fn dead_among(&self, instances: &[InstanceId]) -> Result<Vec<InstanceId>, StoreError>;

    #[cfg(test)]
    fn is_alive(&self, instance: InstanceId) -> Result<bool, StoreError> {
        Ok(self.dead_among(&[instance])?.is_empty())
    }
}

/// [`Database::write`], with a result.
pub(crate) fn write_transaction<T>(
    database: &dyn Database,
    work: impl FnMut(&mut dyn Transaction) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    return_from_work(work, |work| database.write(work))
}

/// [`Database::read`], with a result.
pub(crate) fn read_transaction<T>(
    database: &dyn Database,
    work: impl FnMut(&mut dyn Transaction) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    return_from_work(work, |work| database.read(work))
}

fn return_from_work<T>(
    mut work: impl FnMut(&mut dyn Transaction) -> Result<T, StoreError>,
    run: impl FnOnce(Work<'_>) -> Result<(), StoreError>,
) -> Result<T, StoreError> {
    let mut result = None;
    run(&mut |transaction| {
        result = Some(work(transaction)?);
        Ok(())
    })?;
    // A database returns `Ok` only after `work` did.
    Ok(result.expect("INVARIANT: a transaction succeeds only if its work did"))
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Marks a thread that is inside a transaction. A second one would wait for the first for ever.
pub(crate) struct Inside(());

impl Inside {
    pub(crate) fn enter() -> Result<Inside, StoreError> {
        match INSIDE.replace(true) {
            false => Ok(Inside(())),
            true => Err(StoreError::Programming("a transaction was started inside another".to_string())),
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// Whether a transaction can still be used: a failed statement ends it on both databases alike.
#[derive(Default)]
pub(crate) struct Health {
    has_failed: bool,
}

impl Health {
    /// Runs a statement, unless one has failed before.
    pub(crate) fn run<T>(&mut self, statement: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.check()?;
        let result = statement();
        self.has_failed = result.is_err();
        result
    }

    /// Before the commit: `work` must not have swallowed an error.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match self.has_failed {
            false => Ok(()),
            true => Err(StoreError::Programming("a transaction went on after a failed statement".to_string())),
        }
    }
}

/// Refuses statements that begin or end a transaction.
pub(crate) fn check_statement(sql: &str) -> Result<(), StoreError> {
    const OURS: &[&str] = &["begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare"];
    let first: String = sql.trim_start().chars().take_while(|letter| letter.is_ascii_alphabetic()).collect();
    match OURS.iter().any(|word| first.eq_ignore_ascii_case(word)) {
        false => Ok(()),
        true => Err(StoreError::Programming("a transaction was ended by its own statements".to_string())),
    }
}

pub(crate) fn writes_in_a_read() -> StoreError {
    StoreError::Programming("a statement writes in a transaction that only reads".to_string())
}

/// Checks that `$1` to `$n` are all used and none beyond them, and that both databases can keep the values.
pub(crate) fn check_values(used: impl Iterator<Item = usize>, values: &[SqlValue]) -> Result<(), StoreError> {
    let mut missing: Vec<bool> = vec![true; values.len()];
    for number in used {
        match number.checked_sub(1).and_then(|at| missing.get_mut(at)) {
            Some(missing) => *missing = false,
            None => {
                let message = format!("`${number}` has no value: there are {}", values.len());
                return Err(StoreError::Programming(message));
            }
        }
    }
    if values.iter().any(|value| matches!(value, SqlValue::Text(text) if text.contains('\0'))) {
        return Err(StoreError::Programming("a text has a zero byte, which PostgreSQL cannot keep".to_string()));
    }
    match missing.iter().position(|missing| *missing) {
        Some(at) => Err(StoreError::Programming(format!("`${}` is not in the statement", at + 1))),
        None => Ok(()),
    }
}
