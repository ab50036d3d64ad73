//! Runs work on the threads of a pool, first in, first out.
//!
//! The pool never holds more work than it has threads. A thread that waits for parts of a large statement runs whatever
//! else the pool holds. With the whole queue in the pool, such a thread would pile work up on its stack and delay the
//! large statement.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::Notify;

use super::{Bounds, Error, Load, count_threads};

/// A piece of work with a caller that waits for its result.
pub(super) trait Work: Send {
    /// Whether the caller still waits.
    fn is_wanted(&self) -> bool;

    /// Runs it.
    fn run(self: Box<Self>);
}

pub(super) struct Queue {
    pool: ThreadPool,
    waiting_max: usize,
    state: Mutex<QueueState>,
    /// Notified when no work is left.
    idle: Notify,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<Box<dyn Work>>,
    /// Passed to the pool and not done yet. Never more than it has threads.
    running: usize,
    is_closed: bool,
}

impl Queue {
    pub(super) fn new(bounds: Bounds) -> Result<Queue, Error> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(count_threads(bounds.threads).get())
            .thread_name(|number| format!("lendwright-{number}"))
            .build()
            .map_err(|wrong| Error::Threads(wrong.to_string()))?;
        Ok(Queue { pool, waiting_max: bounds.waiting_max, state: Mutex::default(), idle: Notify::new() })
    }

    /// Starts the work, or queues it if all threads are busy.
    pub(super) fn push(self: &Arc<Self>, work: Box<dyn Work>) -> Result<(), Error> {
        let mut unwanted = VecDeque::new();
        let mut state = self.state();
        if state.is_closed {
            return Err(Error::Closed);
        }
        if state.running < self.pool.current_num_threads() {
            state.running += 1;
            drop(state);
            self.start(work);
            return Ok(());
        }
        if state.waiting.len() >= self.waiting_max {
            // Work that nobody waits for any more makes room.
            let (wanted, gone) = std::mem::take(&mut state.waiting).into_iter().partition(|work| work.is_wanted());
            (state.waiting, unwanted) = (wanted, gone);
        }
        let waiting = state.waiting.len();
        let is_busy = waiting >= self.waiting_max;
        if !is_busy {
            state.waiting.push_back(work);
        }
        // Dropping work runs the caller's code, so that happens without the lock.
        drop(state);
        drop(unwanted);
        if is_busy { Err(Error::Busy { waiting }) } else { Ok(()) }
    }

    fn start(self: &Arc<Self>, work: Box<dyn Work>) {
        let queue = Arc::clone(self);
        self.pool.spawn(move || {
            // A panic that reaches the pool would abort the process.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                if work.is_wanted() {
                    work.run();
                }
            }));
            queue.start_next();
        });
    }

    /// Starts the next piece of work after one is done.
    fn start_next(self: &Arc<Self>) {
        let mut state = self.state();
        let next = state.waiting.pop_front();
        if next.is_none() {
            state.running -= 1;
        }
        let is_idle = state.running == 0;
        drop(state);
        match next {
            Some(work) => self.start(work),
            None if is_idle => self.idle.notify_waiters(),
            None => {}
        }
    }

    pub(super) fn load(&self) -> Load {
        let state = self.state();
        Load { running: state.running, waiting: state.waiting.len() }
    }

    pub(super) async fn close(&self) {
        loop {
            // Registered before the state is checked, so that no notification is missed.
            let idle = self.idle.notified();
            {
                let mut state = self.state();
                state.is_closed = true;
                if state.running == 0 {
                    return;
                }
            }
            idle.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        // A poisoned lock is usable: the state is consistent whenever the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Queue").field("load", &self.load()).field("waiting_max", &self.waiting_max).finish()
    }
}
