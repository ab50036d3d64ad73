//! The folder in which events are stored as they came, before anything is made of them. Knows nothing of what they say.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::words::digest::Digest;

/// How an event stands; the ending of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It waits to be looked at, or to be looked at again.
    Waiting,
    /// It was looked at, and names nothing that is known.
    Unknown,
    /// It was looked at, and another event of the same bill waits in its place. When it comes again, it is looked at again.
    Aside,
    /// It was looked at, and that was the last word.
    Done,
}

impl Standing {
    const ALL: [Standing; 4] = [Standing::Waiting, Standing::Unknown, Standing::Aside, Standing::Done];

    fn ending(self) -> &'static str {
        match self {
            Standing::Waiting => "event",
            Standing::Unknown => "unknown",
            Standing::Aside => "aside",
            Standing::Done => "done",
        }
    }
}

/// A folder with a file an event, named by the digest of its bytes: the same event again is the same file. What was looked at
/// gives way, the oldest first, when room is needed; what waits does not.
#[derive(Debug)]
pub struct Inbox {
    folder: PathBuf,
    bytes_max: u64,
    /// How many bytes the folder takes.
    bytes: Mutex<u64>,
    /// One ending is given at a time.
    noting: Mutex<()>,
}

/// The ending of what is not stored whole yet.
const PART: &str = "part";

/// What a file takes of a disk, at least.
const BLOCK: u64 = 4_000;

fn taken_by(length: u64) -> u64 {
    length.max(BLOCK)
}

/// What was there a moment ago may have another name by now: a check ended beside this.
fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Why an event is not stored.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// What waits takes all the room there is.
    #[error("the inbox `{0}` is full of events that wait to be looked at")]
    Full(PathBuf),
    /// It could hold no event at all.
    #[error(
        "the inbox `{folder}` may take {bytes_max} bytes, which is less than the smallest event counts as: {BLOCK}"
    )]
    TooSmall {
        /// The folder.
        folder: PathBuf,
        /// What it may take.
        bytes_max: u64,
    },
    /// The disk.
    #[error("cannot use the inbox `{folder}`: {error}")]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// The system's word.
        error: io::Error,
    },
}

impl Inbox {
    /// The inbox in `folder`, which is made where there is none. It takes no more than `bytes_max` bytes in all, where the
    /// smallest event counts as four thousand: anybody can send events, and many small files fill a disk as well.
    ///
    /// # Errors
    /// A folder that cannot be made or read; room for no event.
    pub fn open(folder: &Path, bytes_max: u64) -> Result<Self, InboxError> {
        if bytes_max < BLOCK {
            return Err(InboxError::TooSmall { folder: folder.to_owned(), bytes_max });
        }
        let inbox = Inbox { folder: folder.to_owned(), bytes_max, bytes: Mutex::new(0), noting: Mutex::default() };
        let held = fs::create_dir_all(folder).and_then(|()| inbox.forget_parts()).and_then(|()| inbox.held());
        *inbox.bytes() = held.map_err(|error| inbox.disk(error))?;
        Ok(inbox)
    }

    /// Stores an event so that it outlives this process; gives it its name, and how it stood: an event that came before is
    /// not stored again. One that is to be looked at again waits from now on.
    ///
    /// # Errors
    /// No room, or the disk: the event is not stored, and its sender must be told so.
    pub fn store(&self, event: &[u8]) -> Result<(String, Standing), InboxError> {
        let name = Digest::compute(event).to_string();
        // One at a time: two that are the same must not write one file together.
        let mut bytes = self.bytes();
        if let Some(standing) = Standing::ALL.into_iter().find(|standing| self.path(&name, *standing).exists()) {
            if matches!(standing, Standing::Unknown | Standing::Aside) {
                self.note(&name, Standing::Waiting)?;
                self.make_last().map_err(|error| self.disk(error))?;
            }
            return Ok((name, standing));
        }
        let length = taken_by(event.len() as u64);
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

    /// The names and bytes of the events that wait, such as those that a process left that was killed.
    ///
    /// # Errors
    /// A folder or file that cannot be read.
    pub fn waiting(&self) -> Result<Vec<(String, Vec<u8>)>, InboxError> {
        let read = || -> io::Result<Vec<(String, Vec<u8>)>> {
            let mut events = Vec::new();
            for entry in fs::read_dir(&self.folder)? {
                let path = entry?.path();
                let is_waiting = path.extension().is_some_and(|ending| ending == Standing::Waiting.ending());
                if let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| is_waiting) {
                    events.extend(there(fs::read(&path))?.map(|event| (name.to_owned(), event)));
                }
            }
            events.sort();
            Ok(events)
        };
        read().map_err(|error| self.disk(error))
    }

    /// Notes how an event stands now.
    ///
    /// # Errors
    /// The disk, and an event that is not there any more.
    pub fn note(&self, name: &str, standing: Standing) -> Result<(), InboxError> {
        let to = self.path(name, standing);
        let _one = self.noting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_there = false;
        for from in Standing::ALL.map(|standing| self.path(name, standing)) {
            match fs::rename(&from, &to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.disk(error)),
                renamed => is_there |= renamed.is_ok(),
            }
        }
        match is_there {
            true => Ok(()),
            false => {
                Err(self.disk(io::Error::new(io::ErrorKind::NotFound, "an event was removed while it was looked at")))
            }
        }
    }

    /// Removes what was looked at, the oldest first, until there is room; returns what is held then.
    fn make_room(&self, length: u64) -> io::Result<u64> {
        let mut old = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let over = [Standing::Unknown, Standing::Aside, Standing::Done].map(Standing::ending);
            if path.extension().is_some_and(|ending| over.iter().any(|over| ending == *over))
                && let Some(known) = there(fs::metadata(&path))?
            {
                old.push((known.modified()?, path));
            }
        }
        old.sort();
        let mut held = self.held()?;
        for (_, path) in old {
            if held.saturating_add(length) <= self.bytes_max {
                break;
            }
            if let Some(known) = there(fs::metadata(&path))? {
                there(fs::remove_file(&path))?;
                held = held.saturating_sub(taken_by(known.len()));
            }
        }
        Ok(held)
    }

    /// What a process that was killed had not stored yet; its sender was not told that it had.
    fn forget_parts(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == PART) {
                there(fs::remove_file(&path))?;
            }
        }
        Ok(())
    }

    fn held(&self) -> io::Result<u64> {
        fs::read_dir(&self.folder)?
            .try_fold(0, |bytes, entry| Ok(bytes + there(entry?.metadata())?.map_or(0, |known| taken_by(known.len()))))
    }

    fn write(&self, name: &str, event: &[u8]) -> io::Result<()> {
        // Whole or not at all: a part of an event would be another one.
        let part = self.folder.join(format!("{name}.{PART}"));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&part)?;
        file.write_all(event)?;
        file.sync_all()?;
        fs::rename(&part, self.path(name, Standing::Waiting))?;
        self.make_last()
    }

    /// The names of the folder's files outlive a loss of power from here on.
    fn make_last(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }

    fn path(&self, name: &str, standing: Standing) -> PathBuf {
        self.folder.join(format!("{name}.{}", standing.ending()))
    }

    fn bytes(&self) -> MutexGuard<'_, u64> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn disk(&self, error: io::Error) -> InboxError {
        InboxError::Disk { folder: self.folder.clone(), error }
    }
}
