//! The result of a unit: its rows in each output, and where the run resumes after it.

use super::checkpoint::Position;
use crate::run::batch::tally::Tally;

/// The result of a unit.
pub(crate) struct Decided {
    pub(crate) index: u64,
    pub(crate) resume_at: Position,
    pub(crate) cost: u64,
    pub(crate) source_bytes: u64,
    /// One page per output, in the order of the outputs.
    pub(crate) pages: Vec<Page>,
    pub(crate) tally: Tally,
}

/// Rows to append to an output.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: u64,
}
