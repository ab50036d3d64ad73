//! How far a run has come, for whoever wants to see it. Must not know how it is shown.

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advance {
    /// Rows of the tables that were seen before anything was decided on them.
    pub surveyed: u64,
    /// Bytes of the tables that the first pass over them has seen. It sees through all of them before anything is decided on them.
    pub surveyed_bytes: u64,
    /// Bytes of all tables; none before that pass, and where an earlier run has done it.
    pub surveyed_bytes_all: u64,
    /// Bytes of the sources that are done, those that an earlier run did among them.
    pub bytes: u64,
    /// Bytes of all sources.
    pub bytes_all: u64,
    /// Statements decided, those of an earlier run among them.
    pub statements: u64,
    /// Their records.
    pub records: u64,
    /// Records decided by this run.
    pub records_now: u64,
    /// Statements and sources that failed.
    pub failures: u64,
}

/// Is told how a run goes on.
pub trait Progress {
    /// Told several times a second, whatever has changed.
    fn advance(&mut self, advance: &Advance);

    /// Whether the run is to stop, once what is in hand has been written.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Nobody looks.
impl Progress for () {
    fn advance(&mut self, _: &Advance) {}
}
