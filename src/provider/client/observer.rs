//! Who is told of every attempt at a call and of every call's end, for counts, times and alarms. An observer learns the
//! call's name, the host, the outcome and the time, and nothing of what was sent or answered.

use std::sync::Arc;
use std::time::Duration;

use super::{Class, Error};

/// An attempt at a call that has ended.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct FinishedAttempt<'a> {
    /// The call's name, such as `fund loan (E6)`.
    pub call: &'static str,
    /// The host that was called.
    pub host: &'a str,
    /// Counted from 1 for each call.
    pub attempt: u32,
    /// The HTTP status, if an answer came.
    pub status: Option<u16>,
    /// The kind of failure, if it failed.
    pub failure: Option<Class>,
    /// From its begin to its end.
    pub took: Duration,
}

impl FinishedAttempt<'_> {
    /// The outcome as one word: `answered`, or the class of the failure.
    pub fn outcome(&self) -> &'static str {
        self.failure.map_or("answered", Class::as_str)
    }
}

/// Is told of the calls of a client, while they run: what it does must be short.
pub trait CallObserver: Send + Sync {
    /// An attempt has ended. There may be further ones of the same call.
    fn attempt_ended(&self, attempt: &FinishedAttempt<'_>);

    /// A call has ended, with this failure if it failed. The error's text may hold what the provider wrote.
    fn call_ended(&self, _call: &'static str, _failure: Option<&Error>) {}
}

/// The observer that a client may have.
#[derive(Clone, Default)]
pub(crate) struct Observer(pub(crate) Option<Arc<dyn CallObserver>>);

impl Observer {
    /// Logs an attempt that has ended, and tells the observer.
    pub(crate) fn attempt_ended(&self, attempt: &FinishedAttempt<'_>) {
        let took_us = u64::try_from(attempt.took.as_micros()).unwrap_or(u64::MAX);
        tracing::debug!(
            call = attempt.call,
            host = attempt.host,
            attempt = attempt.attempt,
            status = attempt.status,
            outcome = attempt.outcome(),
            took_us,
            "called the provider"
        );
        if let Some(observer) = &self.0 {
            observer.attempt_ended(attempt);
        }
    }

    /// Tells the observer that a call has ended.
    pub(crate) fn call_ended(&self, call: &'static str, failure: Option<&Error>) {
        if let Some(observer) = &self.0 {
            observer.call_ended(call, failure);
        }
    }
}
