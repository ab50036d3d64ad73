//! A unit of work on its way: what goes to be decided, and what comes back to be written. Must not know who does either.

use super::customers::Customers;
use super::spool::Content;
use super::state::Position;
use super::tally::Tally;

/// Some statements, decided together and written together.
pub(super) struct Unit {
    pub(super) index: u64,
    pub(super) work: Work,
    /// Where the run goes on once this is written.
    pub(super) then: Position,
    /// Bytes that it takes up, about.
    pub(super) cost: u64,
    /// Bytes of the sources that are done with it.
    pub(super) source_bytes: u64,
}

/// What is to be done.
pub(super) enum Work {
    /// Sources that are one statement each, yet to be read.
    Documents(Vec<usize>),
    /// Such out of an archive, which have been read.
    Loaded(Vec<(usize, Result<Content, String>)>),
    /// What is told of the tables as such.
    Tables,
    /// Customers of the tables.
    Customers(Customers),
}

/// What came of a unit.
pub(super) struct Decided {
    pub(super) index: u64,
    pub(super) then: Position,
    pub(super) cost: u64,
    pub(super) source_bytes: u64,
    /// One an output, in their order.
    pub(super) pages: Vec<Page>,
    pub(super) tally: Tally,
}

/// Rows to be added to an output.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub(super) bytes: Vec<u8>,
    pub(super) rows: u64,
}
