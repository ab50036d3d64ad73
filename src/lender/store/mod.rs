//! Where the service keeps its state: one low-level interface of transactions, SQL and values, with SQLite here and
//! PostgreSQL in `postgres`. The domain's SQL is written once and runs on both. Must not know what an event
//! means.

pub(crate) mod database;
pub(crate) mod error;
pub(crate) mod migrate;
pub(crate) mod pool;
pub(crate) mod seal;
pub(crate) mod sqlite;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod value;

use std::fs::File;
use std::path::Path;

use self::error::StoreError;

/// Refuses a file that others than its owner can read or change.
#[cfg(unix)]
fn require_private(file: &File, path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().map_err(StoreError::file(path))?.permissions().mode() & 0o777;
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(StoreError::Unsuitable(format!(
            "others than its owner may use `{}` (mode {mode:o}): run `chmod 600` on it",
            path.display()
        ))),
    }
}

#[cfg(not(unix))]
fn require_private(_: &File, _: &Path) -> Result<(), StoreError> {
    Ok(())
}
