//! The threads that decide units as they arrive.
//!
//! A thread decides its units alone, in a pool of its own: there are always more units, and threads that share one
//! statement wait for each other. All threads share a unit with a large statement, so that the last one does not delay
//! the end of the run.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::unit::Unit;
use crate::run::batch::error::Error;
use crate::run::batch::gate::Gate;
use crate::run::batch::output::decided::Decided;

/// Units of this many bytes are decided by all threads. Without a large statement, a unit has about half as many.
const SHARED_BYTES: u64 = 8 << 20;

/// What the threads that decide have in common.
pub(crate) struct Threads<'a> {
    pub(crate) units: &'a Mutex<Receiver<Unit>>,
    pub(crate) gate: &'a Gate,
    /// All threads together.
    pub(crate) pool: &'a ThreadPool,
}

/// A pool of threads that work together.
pub(crate) fn build_thread_pool(threads: usize) -> Result<ThreadPool, Error> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|wrong: ThreadPoolBuildError| Error::Threads(wrong.to_string()))
}

impl Threads<'_> {
    /// Decides all units that arrive. After a panic, or after the receiver was dropped, it closes the gate; the
    /// remaining units are received and dropped, because the cutter may be waiting for room.
    pub(crate) fn decide(
        &self,
        alone: &ThreadPool,
        send: &Sender<Result<Decided, Error>>,
        mut decided: impl FnMut(Unit) -> Result<Decided, Error> + Send,
    ) {
        let mut panic = None;
        while let Some(unit) = self.next() {
            if self.gate.is_closed() {
                continue;
            }
            let pool = if unit.cost >= SHARED_BYTES { self.pool } else { alone };
            let went = catch_unwind(AssertUnwindSafe(|| pool.install(|| decided(unit))));
            let went = went.map(|decided| send.send(decided).is_ok());
            if !matches!(went, Ok(true)) {
                self.gate.close();
            }
            panic = went.err().or(panic);
        }
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    fn next(&self) -> Option<Unit> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }
}
