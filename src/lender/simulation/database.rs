//! A database in memory that fails on demand: just before a commit, or just after it. Knows nothing of loans.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use crate::lender::loan_book::MIGRATIONS;
use crate::lender::store::database::{Database, InstanceId, Work};
use crate::lender::store::error::StoreError;
use crate::lender::store::sqlite::{Sqlite, open_memory_database};

/// When the process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Death {
    /// Before the commit: nothing happened.
    Before,
    /// After the commit: everything happened, and the process never learned it.
    After,
}

pub(super) struct FailingDatabase {
    inner: Sqlite,
    /// How many transactions are left until the process dies, doubled, and one more if it dies after the commit.
    fuse: AtomicU64,
    writes: AtomicU64,
    is_dead: AtomicBool,
    /// Whether the next failure is one that the process outlives.
    is_hiccup: AtomicBool,
    /// Whether there was such a failure.
    has_hiccuped: AtomicBool,
    /// The process that lives.
    instance: AtomicI64,
}

const NEVER: u64 = u64::MAX;

impl FailingDatabase {
    pub(super) fn new() -> Result<FailingDatabase, StoreError> {
        Ok(FailingDatabase {
            inner: open_memory_database(MIGRATIONS, 0)?,
            fuse: AtomicU64::new(NEVER),
            writes: AtomicU64::new(0),
            is_dead: AtomicBool::new(false),
            is_hiccup: AtomicBool::new(false),
            has_hiccuped: AtomicBool::new(false),
            instance: AtomicI64::new(0),
        })
    }

    /// Lets the process die in the `n`th transaction from now, counted from 0.
    pub(super) fn die_in(&self, transactions: u64, death: Death) {
        let doubled = transactions.saturating_mul(2) + u64::from(death == Death::After);
        self.fuse.store(doubled, Ordering::Relaxed);
    }

    /// Lets the `n`th transaction from now fail, before or after its commit, without a death.
    pub(super) fn hiccup_in(&self, transactions: u64, death: Death) {
        self.die_in(transactions, death);
        self.is_hiccup.store(true, Ordering::Relaxed);
    }

    /// Whether a transaction failed that the process outlived, since the last call of this.
    pub(super) fn has_hiccuped(&self) -> bool {
        self.has_hiccuped.swap(false, Ordering::Relaxed)
    }

    /// How many transactions there were.
    pub(super) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    pub(super) fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::Relaxed)
    }

    /// Starts another process.
    pub(super) fn revive(&self) -> InstanceId {
        self.is_dead.store(false, Ordering::Relaxed);
        self.is_hiccup.store(false, Ordering::Relaxed);
        self.fuse.store(NEVER, Ordering::Relaxed);
        InstanceId(self.instance.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn burn(&self) -> Option<Death> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        let fuse = self.fuse.load(Ordering::Relaxed);
        match fuse {
            NEVER => None,
            0 => Some(Death::Before),
            1 => Some(Death::After),
            _ => {
                self.fuse.store(fuse - 2, Ordering::Relaxed);
                None
            }
        }
    }

    fn died(&self) -> StoreError {
        if self.is_hiccup.swap(false, Ordering::Relaxed) {
            self.fuse.store(NEVER, Ordering::Relaxed);
            self.has_hiccuped.store(true, Ordering::Relaxed);
            return StoreError::OutcomeUnknown("the connection broke".to_owned());
        }
        self.is_dead.store(true, Ordering::Relaxed);
        StoreError::Unavailable("the process has died".to_owned())
    }
}

impl Database for FailingDatabase {
    fn write(&self, work: Work<'_>) -> Result<(), StoreError> {
        if self.is_dead() {
            return Err(self.died());
        }
        match self.burn() {
            None => self.inner.write(work),
            Some(Death::Before) => {
                let done = self.inner.write(&mut |tx| {
                    work(tx)?;
                    Err(StoreError::Unavailable("rolled back".to_owned()))
                });
                done.and(Ok(())).or(Err(self.died()))
            }
            Some(Death::After) => self.inner.write(work).and(Err(self.died())),
        }
    }

    fn read(&self, work: Work<'_>) -> Result<(), StoreError> {
        match self.is_dead() {
            true => Err(self.died()),
            false => self.inner.read(work),
        }
    }

    fn backup(&self, target: &Path) -> Result<(), StoreError> {
        self.inner.backup(target)
    }

    fn enlist(&self, _: i64) -> Result<InstanceId, StoreError> {
        Ok(self.revive())
    }

    fn withdraw(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn check_lease(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn dead_among(&self, instances: &[InstanceId]) -> Result<Vec<InstanceId>, StoreError> {
        let alive = InstanceId(self.instance.load(Ordering::Relaxed));
        Ok(instances.iter().copied().filter(|instance| *instance != alive).collect())
    }
}
