//! The folder in which events are stored as they came, before anything is made of them. Knows nothing of what they say.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::words::digest::Digest;

/// An event that waits to be looked at.
const WAITING: &str = "event";
/// One that has been.
const DONE: &str = "done";

/// A folder with a file an event, named by the digest of its bytes: the same event again is the same file.
#[derive(Debug)]
pub struct Inbox {
    folder: PathBuf,
    bytes_max: u64,
    /// How many bytes the folder holds.
    bytes: Mutex<u64>,
}

/// Why an event is not stored.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// The folder holds as much as it may.
    #[error("the inbox is full; look through `{0}` and remove what is done")]
    Full(PathBuf),
    /// The disk.
    #[error("cannot write to the inbox `{folder}`: {error}")]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// The system's word.
        error: io::Error,
    },
}

impl Inbox {
    /// The inbox in `folder`, which is made where there is none. It takes no more than `bytes_max` bytes in all: anybody can
    /// send events.
    ///
    /// # Errors
    /// A folder that cannot be made or read.
    pub fn open(folder: &Path, bytes_max: u64) -> Result<Self, InboxError> {
        let disk = |error| InboxError::Disk { folder: folder.to_owned(), error };
        fs::create_dir_all(folder).map_err(disk)?;
        let mut bytes = 0;
        for entry in fs::read_dir(folder).map_err(disk)? {
            bytes += entry.and_then(|entry| entry.metadata()).map_err(disk)?.len();
        }
        Ok(Inbox { folder: folder.to_owned(), bytes_max, bytes: Mutex::new(bytes) })
    }

    /// Stores an event so that it outlives this process, and gives it its name.
    ///
    /// # Errors
    /// A full inbox or disk: the event is not stored, and its sender must be told so.
    pub fn store(&self, event: &[u8]) -> Result<String, InboxError> {
        let name = Digest::of(event).to_string();
        // One at a time: two that are the same must not write one file together.
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if self.path(&name, DONE).exists() || self.path(&name, WAITING).exists() {
            return Ok(name);
        }
        let after = bytes.saturating_add(event.len() as u64);
        if after > self.bytes_max {
            return Err(InboxError::Full(self.folder.clone()));
        }
        self.write(&name, event).map_err(|error| self.disk(error))?;
        *bytes = after;
        Ok(name)
    }

    /// The names and bytes of the events that wait, such as those that a process left that was killed.
    ///
    /// # Errors
    /// A folder or file that cannot be read.
    pub fn waiting(&self) -> Result<Vec<(String, Vec<u8>)>, InboxError> {
        let mut events = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(|error| self.disk(error))? {
            let path = entry.map_err(|error| self.disk(error))?.path();
            let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
            if let (Some(name), Some(WAITING)) = (name, path.extension().and_then(|ending| ending.to_str())) {
                events.push((name, fs::read(&path).map_err(|error| self.disk(error))?));
            }
        }
        events.sort();
        Ok(events)
    }

    /// Notes that an event has been looked at. Done twice it is done.
    ///
    /// # Errors
    /// The disk.
    pub fn done(&self, name: &str) -> Result<(), InboxError> {
        match fs::rename(self.path(name, WAITING), self.path(name, DONE)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.disk(error)),
            _ => Ok(()),
        }
    }

    fn write(&self, name: &str, event: &[u8]) -> io::Result<()> {
        // Whole or not at all: a part of an event would be another one.
        let part = self.path(name, "part");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&part)?;
        file.write_all(event)?;
        file.sync_all()?;
        fs::rename(&part, self.path(name, WAITING))?;
        File::open(&self.folder)?.sync_all()
    }

    fn path(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ending}"))
    }

    fn disk(&self, error: io::Error) -> InboxError {
        InboxError::Disk { folder: self.folder.clone(), error }
    }
}
