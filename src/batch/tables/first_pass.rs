//! How far the first pass over the tables is, for whoever shows it, and whether it is to go on. Must not know what a table holds.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::batch::units::gate::Gate;
use crate::statement::Next;

/// The pass that sees through all tables before anything is decided on them.
pub(crate) struct Pass<'g> {
    gate: &'g Gate,
    rows: AtomicU64,
    bytes: AtomicU64,
    bytes_all: AtomicU64,
}

impl Pass<'_> {
    pub(crate) fn new(gate: &Gate) -> Pass<'_> {
        Pass { gate, rows: AtomicU64::new(0), bytes: AtomicU64::new(0), bytes_all: AtomicU64::new(0) }
    }

    /// Begins, or begins anew, with nothing seen of so many bytes.
    pub(crate) fn begin(&self, bytes_all: u64) {
        self.rows.store(0, Relaxed);
        self.bytes.store(0, Relaxed);
        self.bytes_all.store(bytes_all, Relaxed);
    }

    /// Counts rows, and says whether to go on.
    pub(crate) fn saw_rows(&self, rows: u64) -> Next {
        self.rows.fetch_add(rows, Relaxed);
        if self.gate.is_closed() { Next::Stop } else { Next::Row }
    }

    pub(crate) fn saw_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// All up to this byte was seen, whatever was counted on the way.
    pub(crate) fn reach(&self, bytes: u64) {
        self.bytes.store(bytes, Relaxed);
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows.load(Relaxed)
    }

    /// Bytes that were seen, and all of them: none where an earlier run has seen them.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        (self.bytes.load(Relaxed), self.bytes_all.load(Relaxed))
    }
}
