//! Which process serves from a database file: the one that has the lock on the file next to it. The system frees the
//! lock when the process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::opened::identity_of_file;
use crate::lender::store::database::{Database, InstanceId, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// Someone who looks whether a process serves holds the lock for an instant: try again that often.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

pub(super) struct Lease {
    /// `None` in memory, where no other process can come.
    path: Option<PathBuf>,
    active: Option<Active>,
}

struct Active {
    instance: InstanceId,
    lock: Option<File>,
}

impl Lease {
    pub(super) fn new(database: Option<&Path>) -> Lease {
        let path = database.map(|path| {
            let mut name = path.as_os_str().to_owned();
            name.push(".serving");
            PathBuf::from(name)
        });
        Lease { path, active: None }
    }

    /// Takes the lock. The instance has no number yet, so no other process can look for it.
    pub(super) fn lock(&self) -> Result<Option<File>, StoreError> {
        match &self.active {
            Some(active) => Err(StoreError::Programming(format!("this process already serves as {}", active.instance))),
            None => self.path.as_deref().map(lock_lease_file).transpose(),
        }
    }

    pub(super) fn hold(&mut self, instance: InstanceId, lock: Option<File>) {
        self.active = Some(Active { instance, lock });
    }

    /// Closes the file, which frees the lock.
    pub(super) fn withdraw(&mut self) {
        self.active = None;
    }

    /// The lock counts only as long as others find the same file under the name.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let Some(active) = &self.active else {
            return Err(StoreError::LeaseLost("this process is not registered as one that serves".to_string()));
        };
        match (&self.path, &active.lock) {
            (Some(path), Some(lock)) if !is_same_file(lock, path) => {
                Err(StoreError::LeaseLost(format!("`{}` was removed or replaced", path.display())))
            }
            _ => Ok(()),
        }
    }

    /// Who serves now.
    pub(super) fn serving(&self) -> Result<Serving, StoreError> {
        match (&self.active, &self.path) {
            (Some(active), _) => Ok(Serving::This(active.instance)),
            (None, Some(path)) if is_locked(path)? => Ok(Serving::Another),
            (None, _) => Ok(Serving::NoProcess),
        }
    }
}

pub(super) enum Serving {
    NoProcess,
    This(InstanceId),
    /// Only the newest instance can hold the lock.
    Another,
}

/// Gives a new instance its number.
pub(super) fn register_instance(database: &dyn Database, at_ms: i64) -> Result<InstanceId, StoreError> {
    write_transaction(database, |transaction| {
        let rows = transaction.query("INSERT INTO instances (at) VALUES ($1) RETURNING id", &[at_ms.into()])?;
        let row = rows.first().ok_or_else(|| StoreError::Programming("an inserted row was not returned".into()))?;
        row.integer("id").map(InstanceId)
    })
}

pub(super) fn find_newest_instance(database: &dyn Database) -> Result<Option<InstanceId>, StoreError> {
    read_transaction(database, |transaction| {
        let rows = transaction.query("SELECT MAX(id) AS id FROM instances", &[])?;
        Ok(rows.first().map_or(Ok(None), |row| row.integer_if_any("id"))?.map(InstanceId))
    })
}

fn lock_lease_file(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(StoreError::file(path))?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(source)) => return Err(StoreError::File { path: path.to_owned(), source }),
        }
    }
    Err(StoreError::AlreadyServed(path.with_extension("")))
}

fn is_locked(path: &Path) -> Result<bool, StoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(StoreError::File { path: path.to_owned(), source }),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(source)) => Err(StoreError::File { path: path.to_owned(), source }),
    }
}

fn is_same_file(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(ours), Ok(found)) => identity_of_file(&ours) == identity_of_file(&found),
        _ => false,
    }
}
