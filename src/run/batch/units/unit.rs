//! A unit of work: what is to be decided.

use crate::run::batch::inputs::spool::Content;
use crate::run::batch::output::checkpoint::Position;
use crate::run::batch::tables::customers::Customers;

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
