//! What can go wrong with a database. No message has a value: values are private.

use std::io;
use std::path::PathBuf;

/// Why the database did not do what was requested.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// A row with the same key exists. Callers branch on it with [`StoreError::is_duplicate_of`].
    #[error("a row with the same `{columns}` is already in `{table}`")]
    Duplicate {
        table: String,
        /// The columns of the key, joined by `, `; an index over expressions has its name here.
        columns: String,
    },
    /// A check, a foreign key or a column that must not be null refused the row.
    #[error("INVARIANT: the database refused a row: {0}")]
    Constraint(String),
    /// A trigger refused to change or delete what may only be added to.
    #[error("INVARIANT: the database refused a change: {0}")]
    AppendOnly(String),
    /// Nothing happened; the same call may succeed later.
    #[error("the database is busy: {0}")]
    Busy(String),
    /// Nothing happened, and the database cannot be used now.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The connection broke during the commit: the transaction happened as a whole, or not at all.
    #[error("OUTCOME UNKNOWN: the commit was sent and not confirmed, so look before doing it again: {0}")]
    OutcomeUnknown(String),
    /// Nothing happened: there is no room on the disk.
    #[error("the disk of the database is full: nothing was written; make room and try again")]
    DiskFull,
    /// The database was written by a newer program.
    #[error(
        "the database is at migration {database} and this program knows migrations up to {program}: use a newer \
         program"
    )]
    NewerSchema { database: i64, program: i64 },
    /// An applied migration has another text in this program.
    #[error(
        "migration {number} (`{name}`) was applied with another text than this program has: the database belongs to \
         another program"
    )]
    ChangedMigration { number: i64, name: String },
    /// The database's pages or rows are not what was written.
    #[error("the database is damaged: {0}; restore a backup")]
    Damaged(String),
    /// A second process wants to serve from the same SQLite file.
    #[error("another process already serves from `{0}`: stop it first, or use PostgreSQL for several instances")]
    AlreadyServed(PathBuf),
    /// This process no longer counts as alive: another may have taken over its work.
    #[error("LEASE LOST: {0}; this instance must stop and start again")]
    LeaseLost(String),
    /// The database is missing, or empty. Only a person makes one, on purpose.
    #[error(
        "{0}: if it should be there, mount or restore it; `lendwright serve --init` makes a new one, without any loan"
    )]
    Missing(String),
    /// The file under the database's name is not the one that is open.
    #[error(
        "DATABASE GONE: `{0}` was removed or replaced while it was open, so nothing more is written or sent; put it \
         back or restore a backup, then start again"
    )]
    Replaced(PathBuf),
    /// The keys do not open what was sealed.
    #[error(
        "the keys are not those of this loan book: {0}; give the keys with which it was written, because others can \
         neither read nor pay its loans"
    )]
    WrongKeys(String),
    /// The database, its settings or its place do not fit.
    #[error("the database cannot be used: {0}")]
    Unsuitable(String),
    /// A sealed value does not open.
    #[error("a sealed value cannot be read: {0}")]
    Sealed(String),
    /// A file cannot be read, written or made.
    #[error("`{path}`: {source}")]
    File { path: PathBuf, source: io::Error },
    /// The program uses the database wrongly.
    #[error("INVARIANT: {0}")]
    Programming(String),
}

impl StoreError {
    /// Whether a row with the same `columns` (`a, b`) is already in `table`.
    pub(crate) fn is_duplicate_of(&self, in_table: &str, of_columns: &str) -> bool {
        matches!(self, StoreError::Duplicate { table, columns } if table == in_table && columns == of_columns)
    }

    /// Whether the transaction may have happened.
    pub(crate) fn is_outcome_unknown(&self) -> bool {
        matches!(self, StoreError::OutcomeUnknown(_))
    }

    pub(super) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.into();
        |source| StoreError::File { path, source }
    }
}
