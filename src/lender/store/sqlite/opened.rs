//! The file that is open as a database, and whether its name still leads to it. A file that was removed or replaced
//! takes along what is written to it, and the next start does not find that.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::lender::store::error::StoreError;
use crate::lender::store::require_private;

pub(super) struct OpenedFile {
    /// As it was named: a link may be changed, too.
    named: PathBuf,
    /// Without links, so that every name leads to the same lock and the same log.
    real: PathBuf,
    identity: Identity,
}

#[cfg(unix)]
type Identity = (u64, u64);

/// Other systems do not remove a file that is open.
#[cfg(not(unix))]
type Identity = ();

impl OpenedFile {
    /// Finds the file before it is opened.
    ///
    /// # Errors
    /// If there is none, if others can use it, and if it has a second name.
    pub(super) fn find(named: &Path) -> Result<OpenedFile, StoreError> {
        // It is looked at and not opened: closing it would free the locks that SQLite has on it in this process.
        let metadata = std::fs::metadata(named).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                StoreError::Missing(format!("the database `{}` is missing", named.display()))
            }
            _ => StoreError::File { path: named.to_owned(), source: error },
        })?;
        require_private(&metadata, named)?;
        require_one_name(&metadata, named)?;
        let real = named.canonicalize().map_err(StoreError::file(named))?;
        Ok(OpenedFile { named: named.to_owned(), real, identity: identity_of_file(&metadata) })
    }

    /// Without links.
    pub(super) fn real(&self) -> &Path {
        &self.real
    }

    /// Whether its name still leads to it.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match std::fs::metadata(&self.named) {
            Ok(found) if identity_of_file(&found) == self.identity => Ok(()),
            _ => Err(StoreError::Replaced(self.named.clone())),
        }
    }
}

#[cfg(unix)]
pub(super) fn identity_of_file(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
pub(super) fn identity_of_file(_: &Metadata) -> Identity {}

/// SQLite names the log after the file, so under two names there would be two logs, and two processes that serve.
#[cfg(unix)]
fn require_one_name(metadata: &Metadata, path: &Path) -> Result<(), StoreError> {
    match std::os::unix::fs::MetadataExt::nlink(metadata) {
        0 | 1 => Ok(()),
        names => Err(StoreError::Unsuitable(format!(
            "`{}` has {names} names (hard links), and another process may use another of them: remove the others, and \
             copy a database with `lendwright service backup`",
            path.display()
        ))),
    }
}

#[cfg(not(unix))]
fn require_one_name(_: &Metadata, _: &Path) -> Result<(), StoreError> {
    Ok(())
}
