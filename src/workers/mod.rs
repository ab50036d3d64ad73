//! Floor 4: decisions for an async service, on threads of their own, so that its runtime is never blocked; as many may wait as it says, and no more.
//! Must not know HTTP, nor what becomes of a decision.

mod decider;
mod queue;

pub use decider::Decider;

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::decision::ApplicationError;
use queue::{Queue, Work};

/// Why work has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was done: as many as may wait do.
    #[error("busy: {waiting} are waiting already; answer that the service is busy, and try again later")]
    Busy {
        /// How many.
        waiting: usize,
    },
    /// Nothing was done: the workers were closed.
    #[error("the workers are closed; they take nothing more")]
    Closed,
    /// The work ended in a panic; other work is not touched by it.
    #[error("the work ended in a panic, which is a mistake in the program; please report it")]
    Panicked,
    /// The threads could not be started.
    #[error("the threads of the workers cannot be started: {0}")]
    Threads(String),
    /// There is no decision on the application.
    #[error(transparent)]
    Application(#[from] ApplicationError),
}

impl Error {
    /// Whether the same may well succeed in a moment.
    pub fn is_busy(&self) -> bool {
        matches!(self, Error::Busy { .. })
    }

    /// Whether it is the application that is at fault.
    pub fn is_application(&self) -> bool {
        matches!(self, Error::Application(_))
    }
}

/// How much is done at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Threads; nothing for one a core.
    pub threads: Option<NonZeroUsize>,
    /// How many may wait beside those that are being worked on. Each holds its statement in memory, and the last of them waits for all before it.
    pub waiting_max: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { threads: None, waiting_max: 256 }
    }
}

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Being worked on.
    pub running: usize,
    /// Waiting for a thread.
    pub waiting: usize,
}

/// Threads that work for an async service. Clones share them; the threads end with the last.
#[derive(Clone, Debug)]
pub struct Workers {
    queue: Arc<Queue>,
}

impl Workers {
    /// Starts the threads.
    ///
    /// # Errors
    /// [`Error::Threads`] where the system has none to give.
    pub fn new(bounds: Bounds) -> Result<Workers, Error> {
        Ok(Workers { queue: Arc::new(Queue::new(bounds)?) })
    }

    /// Does the work on one of the threads and gives what comes of it. What it calls of this crate may use the threads that have nothing to do, so that a large
    /// statement is decided by several; a thread that waits for them may begin other work meanwhile, so hold no lock across such a call, and wait for no other work
    /// of the same workers. If this future is dropped before the work began, it is not done at all; once begun it is done to its end.
    ///
    /// # Errors
    /// [`Error::Busy`] at once where too many wait, [`Error::Closed`], [`Error::Panicked`].
    pub async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        self.queue.take(Box::new(Asked { work, answer }))?;
        answered.await.unwrap_or(Err(Error::Closed))
    }

    /// What is going on at the moment.
    pub fn load(&self) -> Load {
        self.queue.load()
    }

    /// Takes no more work, and ends when all that was taken is done.
    pub async fn close(&self) {
        self.queue.close().await;
    }
}

/// Work, and who waits for it.
struct Asked<F, T> {
    work: F,
    answer: oneshot::Sender<Result<T, Error>>,
}

impl<F, T> Work for Asked<F, T>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    fn is_wanted(&self) -> bool {
        !self.answer.is_closed()
    }

    fn work(self: Box<Self>) {
        let Asked { work, answer } = *self;
        let done = catch_unwind(AssertUnwindSafe(work)).map_err(|_| Error::Panicked);
        // Who has gone away meanwhile needs no answer.
        let _ = answer.send(done);
    }
}
