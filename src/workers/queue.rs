//! Work in the order in which it came, on the threads of a pool. Must not know what is worked on.
//!
//! No more is handed to the pool than it has threads: a thread that waits for the parts of a large statement takes up whatever the pool holds, and a
//! pool that held the whole queue would pile one piece of work on another on its stack, and keep the large statement from its end.

use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::Notify;

use super::{Bounds, Error, Load};

/// A piece of work that somebody waits for.
pub(super) trait Work: Send {
    /// Whether somebody still does.
    fn is_wanted(&self) -> bool;

    /// Does it.
    fn work(self: Box<Self>);
}

pub(super) struct Queue {
    pool: ThreadPool,
    waiting_max: usize,
    state: Mutex<State>,
    /// Told whenever nothing is left to do.
    idle: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Box<dyn Work>>,
    /// Handed to the pool and not done yet; never more than it has threads.
    running: usize,
    is_closed: bool,
}

impl Queue {
    pub(super) fn new(bounds: Bounds) -> Result<Queue, Error> {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let pool = ThreadPoolBuilder::new()
            .num_threads(bounds.threads.unwrap_or(cores).get())
            .thread_name(|number| format!("lendwright-{number}"))
            .build()
            .map_err(|wrong| Error::Threads(wrong.to_string()))?;
        Ok(Queue { pool, waiting_max: bounds.waiting_max, state: Mutex::default(), idle: Notify::new() })
    }

    /// Begins the work or has it wait.
    pub(super) fn take(self: &Arc<Self>, work: Box<dyn Work>) -> Result<(), Error> {
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
            // Those whose askers have gone away take nobody's place.
            let (wanted, gone) = std::mem::take(&mut state.waiting).into_iter().partition(|work| work.is_wanted());
            (state.waiting, unwanted) = (wanted, gone);
        }
        let waiting = state.waiting.len();
        let is_busy = waiting >= self.waiting_max;
        if !is_busy {
            state.waiting.push_back(work);
        }
        // What is dropped is the asker's; it is dropped where nobody waits for it.
        drop(state);
        drop(unwanted);
        if is_busy { Err(Error::Busy { waiting }) } else { Ok(()) }
    }

    fn start(self: &Arc<Self>, work: Box<dyn Work>) {
        let queue = Arc::clone(self);
        self.pool.spawn(move || {
            // A panic that reached the pool would end the process.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                if work.is_wanted() {
                    work.work();
                }
            }));
            queue.next();
        });
    }

    /// After one piece of work, the next.
    fn next(self: &Arc<Self>) {
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
            // Asked for before it is looked at, it misses nothing.
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

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is left half done while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Queue").field("load", &self.load()).field("waiting_max", &self.waiting_max).finish()
    }
}
