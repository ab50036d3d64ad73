//! Ids of requests, by which a line of the log is found again. Knows nothing of requests.

use std::sync::atomic::{AtomicU64, Ordering};

/// The header of a response that holds its request's id.
pub const REQUEST_ID_HEADER: &str = "x-request-id";

/// Makes ids: a random part of this process, and a number.
#[derive(Debug)]
pub(crate) struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        // Without random numbers, ids of two processes may be equal; nothing depends on that.
        RequestIds { process: getrandom::u64().unwrap_or_default(), next: AtomicU64::new(1) }
    }

    pub(crate) fn next_id(&self) -> String {
        format!("{:016x}-{}", self.process, self.next.fetch_add(1, Ordering::Relaxed))
    }
}
