//! A unit of work on its way: what goes to be decided, and what comes back to be written. Must not know who does either.

use crate::batch::inputs::spool::Content;
use crate::batch::output::checkpoint::Position;
use crate::batch::tables::customers::Customers;
use crate::batch::tally::Tally;

/// Some statements, decided together and written together.
pub(crate) struct Unit {
    pub(crate) index: u64,
    pub(crate) work: Work,
    /// Where the run goes on once this is written.
    pub(crate) then: Position,
    /// Bytes that it takes up, about.
    pub(crate) cost: u64,
    /// Bytes of the sources that are done with it.
    pub(crate) source_bytes: u64,
}

/// What is to be done.
pub(crate) enum Work {
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
pub(crate) struct Decided {
    pub(crate) index: u64,
    pub(crate) then: Position,
    pub(crate) cost: u64,
    pub(crate) source_bytes: u64,
    /// One an output, in their order.
    pub(crate) pages: Vec<Page>,
    pub(crate) tally: Tally,
}

/// Rows to be added to an output.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: u64,
}
