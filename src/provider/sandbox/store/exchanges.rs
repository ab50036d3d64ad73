//! The last few hundred exchanges as they happened, already redacted. Knows nothing of what an exchange means.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use serde::Serialize;

/// How many are kept.
const KEPT: usize = 500;

#[derive(Default)]
pub(super) struct Exchanges {
    pub(super) last: VecDeque<Exchange>,
    count: u64,
}

/// A request and its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Exchange {
    /// Counts from 1.
    pub number: u64,
    /// When it began.
    pub at: DateTime<Utc>,
    /// Its content, redacted.
    #[serde(flatten)]
    pub seen: Seen,
}

/// What is shown of an exchange.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// The endpoint's name; empty if no endpoint matched.
    pub endpoint: String,
    /// Whether the sandbox was the caller.
    pub outgoing: bool,
    /// The HTTP method.
    pub method: String,
    /// Path and query, redacted.
    pub path: String,
    /// The request's body, redacted.
    pub request: String,
    /// The HTTP status; `None` if no answer was sent.
    pub status: Option<u16>,
    /// The beginning of the answer's body, redacted.
    pub response: String,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// The fault that was applied.
    pub fault: String,
}

impl Exchanges {
    /// Adds an exchange; drops the oldest if there are too many.
    pub(super) fn add(&mut self, at: DateTime<Utc>, seen: Seen) {
        self.count += 1;
        if self.last.len() >= KEPT {
            self.last.pop_front();
        }
        self.last.push_back(Exchange { number: self.count, at, seen });
    }
}
