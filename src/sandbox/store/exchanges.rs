//! Every exchange as it happened, the last few hundred. Knows nothing of what an exchange means; what comes here is masked.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Newest, State};

/// So many are kept.
const KEPT: usize = 500;

#[derive(Default)]
pub(super) struct Exchanges {
    last: VecDeque<Exchange>,
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
    /// What it says, masked.
    #[serde(flatten)]
    pub seen: Seen,
}

/// What is shown of an exchange.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// The endpoint's name, or none where there was no such endpoint.
    pub endpoint: String,
    /// Whether the sandbox called, and was not called.
    pub outgoing: bool,
    /// The HTTP method.
    pub method: String,
    /// Path and query, masked.
    pub path: String,
    /// The request's body, masked.
    pub request: String,
    /// The HTTP status; nothing where there was none.
    pub status: Option<u16>,
    /// The beginning of the answer's body, masked.
    pub response: String,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// What was done wrong on request.
    pub fault: String,
}

impl State {
    /// The last exchanges, the newest first.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.newest_exchanges(usize::MAX).rows
    }

    /// The newest first.
    pub(crate) fn newest_exchanges(&self, most: usize) -> Newest<Exchange> {
        let mut newest = Newest::of(self.store().exchanges.last.iter(), most);
        newest.rows.reverse();
        newest
    }

    pub(crate) fn note_exchange(&self, seen: Seen) {
        let at = self.now();
        let mut store = self.store_to_change();
        store.exchanges.count += 1;
        let number = store.exchanges.count;
        if store.exchanges.last.len() >= KEPT {
            store.exchanges.last.pop_front();
        }
        store.exchanges.last.push_back(Exchange { number, at, seen });
    }
}
