//! The folder that stores events as received, before they are processed. Knows nothing of their content.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::digest::Digest;
use crate::run::whole_file::{Access, is_draft, sync_folder, write_whole};

/// The state of an event. It is the extension of the event's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It waits to be checked, or to be checked again.
    Waiting,
    /// It was checked, and names no known bill.
    Unknown,
    /// It was checked, and another event of the same bill waits in its place. It is checked again if it is received
    /// again.
    Aside,
    /// It was checked, and the result is final.
    Done,
}

impl Standing {
    const ALL: [Standing; 4] = [Standing::Waiting, Standing::Unknown, Standing::Aside, Standing::Done];

    fn extension(self) -> &'static str {
        match self {
            Standing::Waiting => "event",
            Standing::Unknown => "unknown",
            Standing::Aside => "aside",
            Standing::Done => "done",
        }
    }
}

/// A folder with one file per event, named by the digest of its bytes. The same event again is the same file. When room
/// is needed, checked events are removed, oldest first; waiting events are kept.
#[derive(Debug)]
pub struct Inbox {
    folder: PathBuf,
    bytes_max: u64,
    /// The size of the folder in bytes.
    bytes: Mutex<u64>,
    /// The lock while an event changes its state.
    renaming: Mutex<()>,
}

/// The least that a file takes on a disk, in bytes.
const BLOCK: u64 = 4_000;

fn size_on_disk(length: u64) -> u64 {
    length.max(BLOCK)
}

/// `None` for a file that is gone: another check may have renamed it.
fn if_exists<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Why an event is not stored.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// Waiting events take all the room.
    #[error("the inbox `{0}` is full of events that wait to be checked")]
    Full(PathBuf),
    /// The limit leaves no room for a single event.
    #[error("the inbox `{folder}` may take {bytes_max} bytes; it needs at least {BLOCK} for a single event")]
    TooSmall {
        /// The folder.
        folder: PathBuf,
        /// The limit.
        bytes_max: u64,
    },
    /// The disk failed.
    #[error("cannot use the inbox `{folder}`: {error}")]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

impl Inbox {
    /// Opens the inbox in `folder`, and creates the folder if necessary. The inbox takes at most `bytes_max` bytes.
    /// Events smaller than 4,000 bytes count as 4,000: anybody can send events, and many small files fill a disk too.
    ///
    /// # Errors
    /// If the folder cannot be created or read, or if `bytes_max` leaves no room for an event.
    pub fn open(folder: &Path, bytes_max: u64) -> Result<Self, InboxError> {
        if bytes_max < BLOCK {
            return Err(InboxError::TooSmall { folder: folder.to_owned(), bytes_max });
        }
        let inbox = Inbox { folder: folder.to_owned(), bytes_max, bytes: Mutex::new(0), renaming: Mutex::default() };
        let bytes = fs::create_dir_all(folder).and_then(|()| inbox.remove_parts()).and_then(|()| inbox.count_bytes());
        *inbox.bytes() = bytes.map_err(|error| inbox.disk(error))?;
        Ok(inbox)
    }

    /// Stores an event so that it outlives this process. Returns its name and its state so far. An event that was
    /// received before is not stored again; if it is unknown or aside, it waits again from now on.
    ///
    /// # Errors
    /// If there is no room, or the disk fails. The event is then not stored, and its sender must learn that.
    pub fn store(&self, event: &[u8]) -> Result<(String, Standing), InboxError> {
        let name = Digest::compute(event).to_string();
        // Under the lock: two equal events must not write the same file at the same time.
        let mut bytes = self.bytes();
        if let Some(standing) = Standing::ALL.into_iter().find(|standing| self.path(&name, *standing).exists()) {
            if matches!(standing, Standing::Unknown | Standing::Aside) {
                self.note(&name, Standing::Waiting)?;
                sync_folder(&self.folder).map_err(|error| self.disk(error))?;
            }
            return Ok((name, standing));
        }
        let length = size_on_disk(event.len() as u64);
        if bytes.saturating_add(length) > self.bytes_max {
            *bytes = self.make_room(length).map_err(|error| self.disk(error))?;
        }
        if bytes.saturating_add(length) > self.bytes_max {
            return Err(InboxError::Full(self.folder.clone()));
        }
        self.write(&name, event).map_err(|error| self.disk(error))?;
        *bytes += length;
        Ok((name, Standing::Waiting))
    }

    /// The names and bytes of the waiting events. After a crash these include the events that were not checked.
    ///
    /// # Errors
    /// If the folder or a file cannot be read.
    pub fn waiting(&self) -> Result<Vec<(String, Vec<u8>)>, InboxError> {
        let read = || -> io::Result<Vec<(String, Vec<u8>)>> {
            let mut events = Vec::new();
            for entry in fs::read_dir(&self.folder)? {
                let path = entry?.path();
                let waiting = Standing::Waiting.extension();
                let is_waiting = path.extension().is_some_and(|extension| extension == waiting);
                if let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| is_waiting) {
                    events.extend(if_exists(fs::read(&path))?.map(|event| (name.to_owned(), event)));
                }
            }
            events.sort();
            Ok(events)
        };
        read().map_err(|error| self.disk(error))
    }

    /// Records the state of an event.
    ///
    /// # Errors
    /// If the disk fails, or the event no longer exists.
    pub fn note(&self, name: &str, standing: Standing) -> Result<(), InboxError> {
        let to = self.path(name, standing);
        let _renaming = self.renaming.lock().unwrap_or_else(PoisonError::into_inner);
        let mut exists = false;
        for from in Standing::ALL.map(|standing| self.path(name, standing)) {
            match fs::rename(&from, &to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.disk(error)),
                renamed => exists |= renamed.is_ok(),
            }
        }
        match exists {
            true => Ok(()),
            false => {
                Err(self.disk(io::Error::new(io::ErrorKind::NotFound, "an event was removed while it was checked")))
            }
        }
    }

    /// Removes checked events, oldest first, until there is room. Returns the size of the rest.
    fn make_room(&self, length: u64) -> io::Result<u64> {
        let mut old = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let checked = [Standing::Unknown, Standing::Aside, Standing::Done].map(Standing::extension);
            if path.extension().is_some_and(|extension| checked.iter().any(|checked| extension == *checked))
                && let Some(metadata) = if_exists(fs::metadata(&path))?
            {
                old.push((metadata.modified()?, path));
            }
        }
        old.sort();
        let mut bytes = self.count_bytes()?;
        for (_, path) in old {
            if bytes.saturating_add(length) <= self.bytes_max {
                break;
            }
            if let Some(metadata) = if_exists(fs::metadata(&path))? {
                if_exists(fs::remove_file(&path))?;
                bytes = bytes.saturating_sub(size_on_disk(metadata.len()));
            }
        }
        Ok(bytes)
    }

    /// Removes what a killed process did not finish storing. The senders got no confirmation.
    fn remove_parts(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if is_draft(&entry.file_name().to_string_lossy()) {
                if_exists(fs::remove_file(entry.path()))?;
            }
        }
        Ok(())
    }

    fn count_bytes(&self) -> io::Result<u64> {
        fs::read_dir(&self.folder)?.try_fold(0, |bytes, entry| {
            Ok(bytes + if_exists(entry?.metadata())?.map_or(0, |metadata| size_on_disk(metadata.len())))
        })
    }

    /// Whole or not at all: a truncated event would be another event.
    fn write(&self, name: &str, event: &[u8]) -> io::Result<()> {
        write_whole(&self.path(name, Standing::Waiting), Access::Private, event)
    }

    fn path(&self, name: &str, standing: Standing) -> PathBuf {
        self.folder.join(format!("{name}.{}", standing.extension()))
    }

    fn bytes(&self) -> MutexGuard<'_, u64> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn disk(&self, error: io::Error) -> InboxError {
        InboxError::Disk { folder: self.folder.clone(), error }
    }
}
