//! Decisions for an async service, on threads of their own, so that its runtime is never blocked. The queue is
//! bounded. Must not know HTTP, or what becomes of a decision.

mod decider;
mod queue;

pub use decider::Decider;

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::engine::decision::ApplicationError;
use queue::{Queue, Work};

/// Why work has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was done: the queue is full.
    #[error("busy: {waiting} calls are already waiting; answer that the service is busy, and try again later")]
    Busy {
        /// The length of the queue.
        waiting: usize,
    },
    /// Nothing was done: the workers are closed.
    #[error("the workers are closed and accept no more work")]
    Closed,
    /// The work ended in a panic. Other work is not affected.
    #[error("the work ended in a panic, which is a bug in the program; please report it")]
    Panicked,
    /// The threads could not be started.
    #[error("the threads of the workers cannot be started: {0}")]
    Threads(String),
    /// The application could not be decided.
    #[error(transparent)]
    Application(#[from] ApplicationError),
}

impl Error {
    /// Whether the same work may succeed a moment later.
    pub fn is_busy(&self) -> bool {
        matches!(self, Error::Busy { .. })
    }

    /// Whether the application is invalid.
    pub fn is_application(&self) -> bool {
        matches!(self, Error::Application(_))
    }
}

/// Limits of the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The number of threads. `None` is one per core.
    pub threads: Option<NonZeroUsize>,
    /// The length of the queue, without the work that is running. Each piece of work in it keeps its statement in
    /// memory, and the last one waits for all before it.
    pub waiting_max: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { threads: None, waiting_max: 256 }
    }
}

/// How many threads there are by this setting: one per core without it.
pub(crate) fn count_threads(given: Option<NonZeroUsize>) -> NonZeroUsize {
    given.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// How much work there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Pieces of work that are running.
    pub running: usize,
    /// Pieces of work that wait for a thread.
    pub waiting: usize,
}

/// Threads that work for an async service. Clones share them. The threads end with the last clone.
#[derive(Clone, Debug)]
pub struct Workers {
    queue: Arc<Queue>,
}

impl Workers {
    /// Starts the threads.
    ///
    /// # Errors
    /// [`Error::Threads`] if the threads cannot be started.
    pub fn new(bounds: Bounds) -> Result<Workers, Error> {
        Ok(Workers { queue: Arc::new(Queue::new(bounds)?) })
    }

    /// Runs `work` on one of the threads and returns its result.
    ///
    /// Functions of this crate may use idle threads too, so that several decide a large statement. A thread that waits
    /// for them may begin other work meanwhile. So hold no lock across such a call, and do not wait for other work of
    /// the same workers.
    ///
    /// If this future is dropped before the work begins, the work is skipped. Once begun, it runs to its end.
    ///
    /// # Errors
    /// [`Error::Busy`] at once if the queue is full, [`Error::Closed`], [`Error::Panicked`].
    pub async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        self.queue.push(Box::new(Job { work, sender }))?;
        receiver.await.unwrap_or(Err(Error::Closed))
    }

    /// How much work there is at the moment.
    pub fn load(&self) -> Load {
        self.queue.load()
    }

    /// Accepts no more work, and returns when all accepted work is done.
    pub async fn close(&self) {
        self.queue.close().await;
    }
}

/// Work, and where its result goes.
struct Job<F, T> {
    work: F,
    sender: oneshot::Sender<Result<T, Error>>,
}

impl<F, T> Work for Job<F, T>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    fn is_wanted(&self) -> bool {
        !self.sender.is_closed()
    }

    fn run(self: Box<Self>) {
        let Job { work, sender } = *self;
        let result = catch_unwind(AssertUnwindSafe(work)).map_err(|_| Error::Panicked);
        // Fails only if nobody waits for the result any more.
        let _ = sender.send(result);
    }
}
