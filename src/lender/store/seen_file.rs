//! A file that knows how far a database has come, by which an older copy of the database is recognised. It is written
//! after the commit, so it may be behind and is never ahead: a crash cannot make a good database look old. It is
//! replaced as a whole, so a crash leaves the file before or the file after. Knows nothing of what is counted.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use crate::run::whole_file::{Access, WholeFile};

/// A place in a chain of entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeenMark {
    /// The number of the entry.
    pub(crate) sequence: i64,
    /// Over the entry and all before it.
    pub(crate) hash: String,
}

/// The file.
pub(crate) struct SeenFile {
    path: PathBuf,
    /// The last mark that this process wrote.
    written: Mutex<Option<SeenMark>>,
}

impl SeenFile {
    pub(crate) fn new(path: PathBuf) -> SeenFile {
        SeenFile { path, written: Mutex::default() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The mark in the file; `None` without a file.
    pub(crate) fn read(&self) -> Result<Option<SeenMark>, StoreError> {
        let bytes = match fs::read(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(StoreError::file(&self.path))?,
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|_| {
            StoreError::Unsuitable(format!(
                "`{}` is not what the service wrote: make sure that the database is the newest, then remove the file",
                self.path.display()
            ))
        })
    }

    /// Writes a mark that was committed, unless this process has written a later one.
    pub(crate) fn note(&self, mark: &SeenMark) -> Result<(), StoreError> {
        // Held while the file is written: those who wait find that it has been done for them.
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.as_ref().is_some_and(|written| written.sequence >= mark.sequence) {
            return Ok(());
        }
        self.replace(mark)?;
        *written = Some(mark.clone());
        Ok(())
    }

    /// Writes a mark, whatever was written before.
    pub(crate) fn reset(&self, mark: &SeenMark) -> Result<(), StoreError> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        self.replace(mark)?;
        *written = Some(mark.clone());
        Ok(())
    }

    /// If the power fails, the file of before may be back; it is behind then.
    fn replace(&self, mark: &SeenMark) -> Result<(), StoreError> {
        let mut text = serde_json::to_vec(mark).map_err(|error| StoreError::Programming(error.to_string()))?;
        text.push(b'\n');
        let written = WholeFile::begin(&self.path, Access::Private).and_then(|mut file| {
            file.write_all(&text)?;
            file.finish_unsynced()
        });
        written.map_err(StoreError::file(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::{SeenFile, SeenMark};

    fn mark(sequence: i64) -> SeenMark {
        SeenMark { sequence, hash: format!("hash {sequence}") }
    }

    #[test]
    fn the_file_goes_forward_and_only_a_reset_leads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.seen");
        let file = SeenFile::new(path.clone());
        assert_eq!(file.read().unwrap(), None);
        file.note(&mark(7)).unwrap();
        file.note(&mark(5)).unwrap();
        assert_eq!(file.read().unwrap(), Some(mark(7)));
        file.reset(&mark(3)).unwrap();
        assert_eq!(SeenFile::new(path.clone()).read().unwrap(), Some(mark(3)));
        file.note(&mark(4)).unwrap();
        assert_eq!(file.read().unwrap(), Some(mark(4)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        std::fs::write(&path, "{}").unwrap();
        let problem = file.read().unwrap_err().to_string();
        assert!(problem.contains("is not what the service wrote"), "{problem}");
    }
}
