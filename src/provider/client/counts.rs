//! Counts of a client's calls. Knows nothing of a call but its name.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::Class;

/// The numbers of one kind of call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CallCounts {
    /// Finished calls.
    pub calls: u64,
    /// Attempts, including retries.
    pub attempts: u64,
    /// Failed calls, by the kind of failure.
    pub failures: BTreeMap<&'static str, u64>,
    /// The total time of all attempts, in microseconds.
    pub attempts_us: u64,
}

#[derive(Default)]
pub(crate) struct Counts(Mutex<BTreeMap<&'static str, CallCounts>>);

impl Counts {
    fn change(&self, call: &'static str, change: impl FnOnce(&mut CallCounts)) {
        // The counts are consistent whenever the lock is free.
        change(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(call).or_default());
    }

    pub(crate) fn attempted(&self, call: &'static str, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.change(call, |counts| {
            counts.attempts += 1;
            counts.attempts_us = counts.attempts_us.saturating_add(took);
        });
    }

    pub(crate) fn called(&self, call: &'static str, failure: Option<Class>) {
        self.change(call, |counts| {
            counts.calls += 1;
            if let Some(class) = failure {
                *counts.failures.entry(class.as_str()).or_default() += 1;
            }
        });
    }

    pub(crate) fn snapshot(&self) -> BTreeMap<&'static str, CallCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
