//! Copies a database to a new file while others use it.

use std::io;
use std::path::Path;

use rusqlite::Connection;

use super::error::translate_error;
use crate::lender::store::error::StoreError;
use crate::run::whole_file::{Access, WholeFile};

/// Writes a copy next to `target` and gives it that name once it is on the disk.
pub(super) fn write_copy(connection: &Connection, target: &Path) -> Result<(), StoreError> {
    refuse_existing(target)?;
    let copy = WholeFile::begin(target, Access::Private).map_err(StoreError::file(target))?;
    let draft = copy.draft().to_str().ok_or_else(|| {
        StoreError::Unsuitable(format!("SQLite cannot write `{}`: its name is not text", copy.draft().display()))
    })?;
    connection.execute("VACUUM INTO ?1", [draft]).map_err(translate_error)?;
    match copy.finish_new() {
        // One has come in between.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => refuse_existing(target),
        finished => finished.map_err(StoreError::file(target)),
    }
}

fn refuse_existing(target: &Path) -> Result<(), StoreError> {
    match target.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(StoreError::File { path: target.to_owned(), source }),
        Ok(_) => Err(StoreError::Unsuitable(format!("`{}` exists: name a new file for a backup", target.display()))),
    }
}
