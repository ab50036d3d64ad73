//! The progress of the first pass over the tables, and whether it is to continue.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::run::batch::gate::Gate;
use crate::statement::Next;

/// The pass that reads all tables before anything is decided on them.
pub(crate) struct FirstPass<'g> {
    gate: &'g Gate,
    rows: AtomicU64,
    bytes: AtomicU64,
    bytes_all: AtomicU64,
}

impl FirstPass<'_> {
    pub(crate) fn new(gate: &Gate) -> FirstPass<'_> {
        FirstPass { gate, rows: AtomicU64::new(0), bytes: AtomicU64::new(0), bytes_all: AtomicU64::new(0) }
    }

    /// Starts, or starts over, with none of `bytes_all` bytes read.
    pub(crate) fn begin(&self, bytes_all: u64) {
        self.rows.store(0, Relaxed);
        self.bytes.store(0, Relaxed);
        self.bytes_all.store(bytes_all, Relaxed);
    }

    /// Counts rows, and returns whether to continue.
    pub(crate) fn count_rows(&self, rows: u64) -> Next {
        self.rows.fetch_add(rows, Relaxed);
        if self.gate.is_closed() { Next::Stop } else { Next::Row }
    }

    pub(crate) fn count_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Sets the number of bytes read, whatever was counted so far.
    pub(crate) fn set_bytes(&self, bytes: u64) {
        self.bytes.store(bytes, Relaxed);
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows.load(Relaxed)
    }

    /// Bytes read, and bytes in total; both 0 where an earlier run made this pass.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        (self.bytes.load(Relaxed), self.bytes_all.load(Relaxed))
    }
}
