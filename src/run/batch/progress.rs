//! The progress of a run, for the caller.

/// The progress of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advance {
    /// Rows of the tables that the first pass has read.
    pub surveyed: u64,
    /// Bytes of the tables that the first pass has read. It reads all tables before anything is decided on them.
    pub surveyed_bytes: u64,
    /// Bytes of all tables; 0 before the first pass, and if an earlier run made it.
    pub surveyed_bytes_all: u64,
    /// Bytes of the finished sources, including those of earlier runs.
    pub bytes: u64,
    /// Bytes of all sources.
    pub bytes_all: u64,
    /// Statements decided, including those of earlier runs.
    pub statements: u64,
    /// Their records.
    pub records: u64,
    /// Records decided by this run.
    pub records_now: u64,
    /// Statements and sources that failed.
    pub failures: u64,
}

/// Receives the progress of a run.
pub trait Progress {
    /// Called several times per second, whether anything has changed or not.
    fn advance(&mut self, advance: &Advance);

    /// Whether the run is to stop after writing what is already decided.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Ignores progress.
impl Progress for () {
    fn advance(&mut self, _: &Advance) {}
}
