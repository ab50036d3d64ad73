//! Copies a database to a new file while others use it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::error::translate_error;
use crate::lender::store::error::StoreError;

/// Writes a copy next to `target` and gives it that name once it is on the disk.
pub(super) fn write_copy(connection: &Connection, target: &Path) -> Result<(), StoreError> {
    refuse_existing(target)?;
    let partial = Partial::new(target)?;
    let name = partial.0.to_str().ok_or_else(|| {
        StoreError::Unsuitable(format!("SQLite cannot write `{}`: its name is not text", partial.0.display()))
    })?;
    connection.execute("VACUUM INTO ?1", [name]).map_err(translate_error)?;
    File::open(&partial.0).and_then(|file| file.sync_all()).map_err(StoreError::file(&partial.0))?;
    // A link, unlike a rename, never replaces a file that has come in between.
    match fs::hard_link(&partial.0, target) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return refuse_existing(target),
        Err(_) => {
            // Some file systems have no links.
            refuse_existing(target)?;
            fs::rename(&partial.0, target).map_err(StoreError::file(target))?;
        }
    }
    drop(partial);
    sync_folder(target)
}

fn refuse_existing(target: &Path) -> Result<(), StoreError> {
    match target.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(StoreError::File { path: target.to_owned(), source }),
        Ok(_) => Err(StoreError::Unsuitable(format!("`{}` exists: name a new file for a backup", target.display()))),
    }
}

/// The file being written. It is removed in any case; a finished copy has its own name then.
struct Partial(PathBuf);

impl Partial {
    /// Makes an empty file that only its owner can read; SQLite writes into it.
    fn new(target: &Path) -> Result<Partial, StoreError> {
        let mut name: OsString = target.as_os_str().to_owned();
        name.push(format!(".partial-{}", std::process::id()));
        let path = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path).map_err(StoreError::file(&path))?;
        Ok(Partial(path))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // It may have been renamed.
        let _ = fs::remove_file(&self.0);
    }
}

/// Makes the name durable, too.
#[cfg(unix)]
fn sync_folder(target: &Path) -> Result<(), StoreError> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::file(folder))
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<(), StoreError> {
    Ok(())
}
