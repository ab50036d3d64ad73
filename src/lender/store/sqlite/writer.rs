//! The connection that writes. Writers that wait for each other share a commit, because a commit waits for the disk:
//! each has a savepoint of its own, the last of them commits, and none returns before that.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::error::{during_commit, translate_error};
use super::statement::{Access, SqliteTransaction};
use crate::lender::store::database::Work;
use crate::lender::store::error::StoreError;

/// How many share a commit at most, so that the first does not wait for ever.
const GROUP_MAX: u32 = 64;

pub(super) struct Writer {
    state: Mutex<WriterState>,
    /// A group has ended.
    ended: Condvar,
    /// How many are about to take the lock. Each of them commits what it finds, or leaves it to the next.
    coming: AtomicU32,
    group_max: u32,
}

struct WriterState {
    connection: Connection,
    /// After a commit that the disk did not confirm, it is unknown what a later one would keep.
    is_broken: bool,
    /// The number of the group that is open or comes next.
    group: u64,
    /// How many have written in the open transaction; 0 if none is open.
    size: u32,
    /// How many of the open group wait for its end.
    waiting: u32,
    /// Groups that have ended and are still being waited for.
    results: Vec<Ended>,
}

/// A group that has ended.
struct Ended {
    group: u64,
    waiting: u32,
    end: GroupEnd,
}

/// How a group ended, for those who did not commit it themselves.
#[derive(Clone)]
enum GroupEnd {
    Committed,
    /// Nothing happened.
    RolledBack(String),
    DiskFull,
    Unknown(String),
}

impl GroupEnd {
    fn new(result: &Result<(), StoreError>) -> GroupEnd {
        match result {
            Ok(()) => GroupEnd::Committed,
            Err(StoreError::DiskFull) => GroupEnd::DiskFull,
            Err(StoreError::OutcomeUnknown(message)) => GroupEnd::Unknown(message.clone()),
            Err(error) => GroupEnd::RolledBack(error.to_string()),
        }
    }

    fn into_result(self) -> Result<(), StoreError> {
        match self {
            GroupEnd::Committed => Ok(()),
            GroupEnd::DiskFull => Err(StoreError::DiskFull),
            GroupEnd::Unknown(message) => Err(StoreError::OutcomeUnknown(message)),
            GroupEnd::RolledBack(message) => Err(StoreError::Busy(format!("a commit with others failed: {message}"))),
        }
    }
}

impl Writer {
    pub(super) fn new(connection: Connection) -> Writer {
        let state = WriterState { connection, is_broken: false, group: 0, size: 0, waiting: 0, results: Vec::new() };
        Writer { state: Mutex::new(state), ended: Condvar::new(), coming: AtomicU32::new(0), group_max: GROUP_MAX }
    }

    /// Every writer commits for itself: for a database with readers on the same connection.
    pub(super) fn alone(connection: Connection) -> Writer {
        Writer { group_max: 1, ..Writer::new(connection) }
    }

    /// Runs `work` and returns once it is committed or rolled back.
    pub(super) fn write(&self, work: Work<'_>) -> Result<(), StoreError> {
        let mut state = self.enter();
        if state.is_broken {
            return Err(StoreError::Unavailable("the disk failed during a commit; start the program again".into()));
        }
        if state.size == 0 {
            // The lock at once: two that read first and write later would end each other.
            state.connection.execute_batch("BEGIN IMMEDIATE").map_err(translate_error)?;
        }
        state.size += 1;
        let (written, is_over) = in_savepoint(&state.connection, work);
        let result = if is_over {
            self.end(&mut state, &Err(why_it_is_over(&written)));
            Ok(())
        } else if state.size >= self.group_max || self.coming.load(Ordering::SeqCst) == 0 {
            self.commit(&mut state)
        } else if matches!(written, Ok(Ok(()))) {
            self.wait(state)
        } else {
            // The next writer commits what others have written.
            Ok(())
        };
        match written {
            Ok(Ok(())) if is_over => {
                Err(StoreError::Programming("a transaction was ended by its own statements".to_owned()))
            }
            Ok(Ok(())) => result,
            Ok(Err(error)) => Err(error),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Runs `work` on the connection outside of any transaction.
    pub(super) fn alone_with<T>(&self, work: impl FnOnce(&Connection) -> T) -> Result<T, StoreError> {
        let mut state = self.enter();
        if state.size > 0 {
            self.commit(&mut state)?;
        }
        Ok(work(&state.connection))
    }

    fn enter(&self) -> MutexGuard<'_, WriterState> {
        self.coming.fetch_add(1, Ordering::SeqCst);
        // Panics of a transaction's work are caught under the lock.
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.coming.fetch_sub(1, Ordering::SeqCst);
        state
    }

    /// Commits the open group.
    fn commit(&self, state: &mut WriterState) -> Result<(), StoreError> {
        let committed = state.connection.execute_batch("COMMIT").map_err(during_commit);
        if committed.is_err() && !state.connection.is_autocommit() {
            // If it fails, the next `BEGIN` does, too, and says why.
            let _ = state.connection.execute_batch("ROLLBACK");
        }
        state.is_broken = committed.as_ref().is_err_and(StoreError::is_outcome_unknown);
        self.end(state, &committed);
        committed
    }

    fn end(&self, state: &mut WriterState, result: &Result<(), StoreError>) {
        if state.waiting > 0 {
            let ended = Ended { group: state.group, waiting: state.waiting, end: GroupEnd::new(result) };
            state.results.push(ended);
            self.ended.notify_all();
        }
        (state.group, state.size, state.waiting) = (state.group + 1, 0, 0);
    }

    /// Waits for the end of the open group.
    fn wait(&self, mut state: MutexGuard<'_, WriterState>) -> Result<(), StoreError> {
        let group = state.group;
        state.waiting += 1;
        loop {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            let Some(at) = state.results.iter().position(|ended| ended.group == group) else { continue };
            let ended = &mut state.results[at];
            ended.waiting -= 1;
            let end = ended.end.clone();
            if ended.waiting == 0 {
                state.results.swap_remove(at);
            }
            return end.into_result();
        }
    }
}

/// The result of a transaction's work, or its panic.
type WriteResult = Result<Result<(), StoreError>, Box<dyn Any + Send>>;

/// Runs `work` as a transaction within the open one. What fails or panics is rolled back alone. Returns whether the
/// open transaction is over after it.
fn in_savepoint(connection: &Connection, work: Work<'_>) -> (WriteResult, bool) {
    // A panic must not keep those before from being committed.
    let written = catch_unwind(AssertUnwindSafe(|| {
        run_cached_statement(connection, "SAVEPOINT one")?;
        let mut transaction = SqliteTransaction::new(connection, Access::Write);
        work(&mut transaction)?;
        transaction.check()
    }));
    if connection.is_autocommit() {
        return (written, true);
    }
    let settled = match &written {
        Ok(Ok(())) => run_cached_statement(connection, "RELEASE one"),
        _ => run_cached_statement(connection, "ROLLBACK TO one")
            .and_then(|()| run_cached_statement(connection, "RELEASE one")),
    };
    match settled {
        Ok(()) => (written, false),
        Err(error) => {
            // Then nothing of the group may be committed. If this fails, the next `BEGIN` does, too, and says why.
            let _ = connection.execute_batch("ROLLBACK");
            (written.map(|_| Err(error)), true)
        }
    }
}

/// What the others in the group learn if the open transaction ended without our commit.
fn why_it_is_over(written: &WriteResult) -> StoreError {
    match written {
        // SQLite rolls back on a full disk, for example.
        Ok(Err(error)) => StoreError::Busy(error.to_string()),
        // The work itself ended it, in an unknown way.
        Ok(Ok(())) | Err(_) => StoreError::OutcomeUnknown("another transaction ended this one".to_owned()),
    }
}

fn run_cached_statement(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    connection.prepare_cached(sql).and_then(|mut statement| statement.raw_execute()).map(drop).map_err(translate_error)
}

#[cfg(test)]
mod tests;
