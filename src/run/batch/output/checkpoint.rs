//! The progress of a run, on disk: the growing outputs, and the checkpoint that says how much of them counts.
//!
//! The order is: write bytes, sync them, write the new checkpoint beside the old one, sync it, rename it. So at any
//! moment of a kill, the checkpoint refers to bytes that are on disk. The next run truncates what is after them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::digest::{Digest, Hasher};
use crate::run::batch::error::Error;
use crate::run::batch::own_files::{self, CHECKPOINT};
use crate::run::batch::plan::Plan;
use crate::run::batch::tally::Tally;
use crate::run::whole_file::{Access, folder_of, sync_name, write_whole};

/// Where the next unit begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The number of finished sources that are one statement.
    pub(crate) documents: usize,
    pub(crate) tables: TablesAt,
}

/// How far the tables are done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TablesAt {
    /// Not started.
    #[default]
    Pending,
    /// All customers up to this one.
    After(String),
    /// All of them.
    Done,
}

/// The content of the checkpoint file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    pub(crate) plan: Plan,
    pub(crate) position: Position,
    /// Empty until the first rows are on disk. Until then, output files hold nothing that counts.
    pub(crate) outputs: Vec<OutputProgress>,
    pub(crate) tally: Tally,
    /// Bytes of the finished sources.
    #[serde(default)]
    pub(crate) source_bytes: u64,
    /// The folder of sorted runs and extracted members, if it is not that of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) temp: Option<PathBuf>,
    pub(crate) finished: bool,
}

/// The part of an output that is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutputProgress {
    /// Path below the folder of the results.
    pub(crate) file: PathBuf,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) digest: Digest,
}

/// An output file that grows.
pub(crate) struct Output {
    path: PathBuf,
    file: File,
    hasher: Hasher,
    reached: OutputProgress,
}

/// The folder of the results, locked against other runs.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) work: PathBuf,
    /// The folder of sorted runs and extracted members.
    pub(crate) temp: PathBuf,
    lock: File,
}

impl Folder {
    /// Creates the folder if needed, and locks it until the process ends. A folder that holds something else is not
    /// touched.
    pub(crate) fn lock(path: &Path) -> Result<Folder, Error> {
        let work = path.join("work");
        own_files::refuse_link(path)?;
        own_files::refuse_foreign_work(&work)?;
        if !work.join(CHECKPOINT).exists() {
            own_files::refuse_foreign_results(path)?;
        }
        fs::create_dir_all(&work).map_err(Error::io(&work))?;
        let name = work.join(own_files::LOCK);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&name).map_err(Error::io(&name))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(wrong)) => return Err(Error::io(&name)(wrong)),
        }
        let mut folder = Folder { path: path.to_owned(), temp: work.clone(), work, lock };
        // A checkpoint that cannot be read is reported where it is needed.
        if let Ok(Some(before)) = folder.checkpoint() {
            own_files::remove_drafts(&folder.path)?;
            let own = before.temp.filter(|temp| own_files::is_own_temp_folder(temp, &folder.lock));
            folder.temp = own.unwrap_or_else(|| folder.work.clone());
        }
        Ok(folder)
    }

    /// Chooses where sorted runs go: below `temp`, in the folder of an earlier run if it is there, or below the work.
    /// The checkpoint of the earlier run then names it.
    pub(crate) fn open_temp(&mut self, temp: Option<&Path>, before: Option<&Checkpoint>) -> Result<(), Error> {
        let open = |temp: &Path| fs::create_dir_all(temp).and_then(|()| temp.canonicalize()).map_err(Error::io(temp));
        let below = temp.map(open).transpose()?;
        let known = self.temp_elsewhere();
        if known.as_deref().map(Path::parent) == below.as_deref().map(Some) {
            return Ok(());
        }
        self.remove_temp()?;
        self.temp = match below {
            None => self.work.clone(),
            Some(below) => own_files::make_temp_folder(&below)?,
        };
        match before {
            Some(before) => self.write_checkpoint(&Checkpoint { temp: self.temp_elsewhere(), ..before.clone() }),
            None => Ok(()),
        }
    }

    /// The folder of sorted runs, if it is not that of the work.
    pub(crate) fn temp_elsewhere(&self) -> Option<PathBuf> {
        (self.temp != self.work).then(|| self.temp.clone())
    }

    /// Removes the folder of sorted runs, if it is not that of the work.
    fn remove_temp(&self) -> Result<(), Error> {
        if let Some(temp) = self.temp_elsewhere() {
            own_files::remove_work_files(&temp, &[])?;
            // It stays if something else is in it by now.
            let _ = fs::remove_dir(&temp);
        }
        Ok(())
    }

    /// The checkpoint of an earlier run, if there is one.
    pub(crate) fn checkpoint(&self) -> Result<Option<Checkpoint>, Error> {
        let path = self.work.join(CHECKPOINT);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(wrong) => return Err(Error::io(&path)(wrong)),
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|wrong| Error::Changed { path, what: format!("not a checkpoint of this program: {wrong}") })
    }

    /// Replaces the checkpoint.
    pub(crate) fn write_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), Error> {
        let path = self.work.join(CHECKPOINT);
        let bytes = serde_json::to_vec(checkpoint).map_err(|wrong| Error::io(&path)(wrong.into()))?;
        write_whole(&path, Access::Usual, &bytes).map_err(Error::io(&path))
    }

    /// Removes the files of the run before: those that its checkpoint lists, and no others.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        let path = self.work.join(CHECKPOINT);
        let made = match fs::read(&path) {
            Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(wrong) => return Err(Error::io(&path)(wrong)),
            // A checkpoint of another version cannot be read, so any result file may be from its run.
            Ok(bytes) => serde_json::from_slice::<Checkpoint>(&bytes)
                .map_or_else(|_| own_files::all_results(), |before| before.plan.results()),
        };
        // The checkpoint goes first, so that it never refers to removed files.
        own_files::remove_if_present(&path)?;
        for name in made {
            own_files::remove_if_present(&self.path.join(name))?;
        }
        self.tidy(&[own_files::LOCK])?;
        self.temp.clone_from(&self.work);
        Ok(())
    }

    /// Removes the files that only the run needed.
    pub(crate) fn tidy(&self, kept: &[&str]) -> Result<(), Error> {
        own_files::remove_work_files(&self.work, kept)?;
        self.remove_temp()
    }
}

impl Output {
    /// Creates an output, replacing one whose rows do not count.
    pub(crate) fn create(folder: &Path, file: &Path, first: &[u8]) -> Result<Output, Error> {
        let path = folder.join(file);
        let opened =
            OpenOptions::new().create(true).truncate(true).write(true).open(&path).map_err(Error::io(&path))?;
        sync_name(folder_of(&path)).map_err(Error::io(&path))?;
        let reached = OutputProgress { file: file.to_owned(), rows: 0, bytes: 0, digest: Digest::compute(&[]) };
        let mut output = Output { path, file: opened, hasher: Hasher::new(), reached };
        output.append(first, 0)?;
        Ok(output)
    }

    /// Reopens an output at the position in the checkpoint, and truncates what is after it.
    pub(crate) fn reopen(folder: &Path, reached: OutputProgress) -> Result<Output, Error> {
        let path = folder.join(&reached.file);
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        let mut file = opened.map_err(|wrong| match wrong.kind() {
            io::ErrorKind::NotFound => Error::Changed { path: path.clone(), what: "it is gone".into() },
            _ => Error::io(&path)(wrong),
        })?;
        let mut hasher = Hasher::new();
        let mut left = reached.bytes;
        let mut buffer = vec![0; 1 << 16];
        while left > 0 {
            let chunk = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            let part = buffer.get_mut(..chunk).unwrap_or_default();
            let read = file.read(part).map_err(Error::io(&path))?;
            if read == 0 {
                return Err(Error::Changed { path, what: "it is shorter than the checkpoint says".into() });
            }
            hasher.update(part.get(..read).unwrap_or_default());
            left -= read as u64;
        }
        if hasher.finish() != reached.digest {
            return Err(Error::Changed { path, what: "it is not what the checkpoint says was written".into() });
        }
        file.set_len(reached.bytes).map_err(Error::io(&path))?;
        file.seek(SeekFrom::End(0)).map_err(Error::io(&path))?;
        Ok(Output { path, file, hasher, reached })
    }

    /// Appends rows.
    pub(crate) fn append(&mut self, bytes: &[u8], rows: u64) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(Error::io(&self.path))?;
        self.hasher.update(bytes);
        self.reached.bytes += bytes.len() as u64;
        self.reached.rows += rows;
        Ok(())
    }

    /// Syncs the appended rows to disk, and returns how much is there.
    pub(crate) fn sync(&mut self) -> Result<OutputProgress, Error> {
        self.file.sync_data().map_err(Error::io(&self.path))?;
        self.reached.digest = self.hasher.finish();
        Ok(self.reached.clone())
    }
}
