//! A unit of work: what is to be decided, and the result that is to be written. Must not know who does either.

use crate::run::batch::inputs::spool::Content;
use crate::run::batch::output::checkpoint::Position;
use crate::run::batch::tables::customers::Customers;
use crate::run::batch::tally::Tally;

/// Statements that are decided together and written together.
pub(crate) struct Unit {
    pub(crate) index: u64,
    pub(crate) work: Work,
    /// Where the run resumes once this unit is written.
    pub(crate) resume_at: Position,
    /// About how many bytes it takes up.
    pub(crate) cost: u64,
    /// Bytes of the sources that this unit completes.
    pub(crate) source_bytes: u64,
}

/// The work of a unit.
pub(crate) enum Work {
    /// Sources that are one statement each, not read yet.
    Documents(Vec<usize>),
    /// Statements from an archive, already read.
    Loaded(Vec<(usize, Result<Content, String>)>),
    /// The tables themselves: the list of inputs, and the tables that cannot be read.
    Tables,
    /// Customers of the tables.
    Customers(Customers),
}

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
