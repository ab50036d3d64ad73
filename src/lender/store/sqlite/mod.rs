//! SQLite, embedded: one connection that writes, and a few that read, on a file that only its owner can read. Must not
//! know the schema.

mod backup;
mod error;
mod lease;
mod opened;
mod statement;
#[cfg(test)]
pub(crate) mod tests;
mod writer;

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use self::error::translate_error;
use self::lease::{Lease, Serving};
use self::opened::OpenedFile;
use self::statement::{Access, SqliteTransaction};
use self::writer::Writer;
use super::database::{Database, Inside, InstanceId, Work};
use super::error::StoreError;
use super::migrate::{self, Migration, apply_migrations};
use super::pool::{Lent, Pool};

/// How long a statement waits for another process, such as a backup tool.
const BUSY: Duration = Duration::from_secs(10);
/// How often the log is tried to be emptied, and how long writers go on in between.
const SCRUB_TRIES: u32 = 20;
const SCRUB_PAUSE: Duration = Duration::from_millis(50);
/// Between tries where SQLite does not wait by itself.
const PAUSE: Duration = Duration::from_millis(20);
const READERS: usize = 4;
const STATEMENTS_CACHED: usize = 256;

/// A database in a file, or in memory.
pub(crate) struct Sqlite {
    /// `None` in memory, where there is one connection. Closed before the writer, which then removes the log.
    file: Option<Readers>,
    writer: Writer,
    lease: Mutex<Lease>,
}

struct Readers {
    opened: OpenedFile,
    pool: Pool<Connection>,
}

impl Readers {
    fn new(opened: OpenedFile) -> Readers {
        Readers { opened, pool: Pool::new(READERS, BUSY) }
    }

    fn take_reader(&self) -> Result<Lent<'_, Connection>, StoreError> {
        self.pool.take(|| open_reader_connection(self.opened.real()))
    }
}

/// Empties the log. Returns whether that was possible at once.
fn truncate_log(connection: &Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(Duration::ZERO)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY)?;
    match busy {
        Ok(busy) => Ok(busy == 0),
        Err(rusqlite::Error::SqliteFailure(failure, _)) if failure.code == rusqlite::ErrorCode::DatabaseBusy => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Opens the database in a file, and brings it to the last of `migrations`. `at_ms` is the time now.
///
/// # Errors
/// [`StoreError::Missing`] without a file, or without a database in it: a lost one must not become an empty one.
pub(crate) fn open_sqlite_file(path: &Path, migrations: &[Migration], at_ms: i64) -> Result<Sqlite, StoreError> {
    match count_migrations(path, migrations)? {
        0 => Err(StoreError::Missing(format!("`{}` holds no loan book", path.display()))),
        _ => open_and_migrate(path, migrations, at_ms),
    }
}

/// [`open_sqlite_file`] that makes the database if there is none.
pub(crate) fn make_sqlite_file(path: &Path, migrations: &[Migration], at_ms: i64) -> Result<Sqlite, StoreError> {
    make_private_file(path)?;
    open_and_migrate(path, migrations, at_ms)
}

fn open_and_migrate(path: &Path, migrations: &[Migration], at_ms: i64) -> Result<Sqlite, StoreError> {
    let opened = OpenedFile::find(path)?;
    let flags = single_thread_flags(OpenFlags::SQLITE_OPEN_READ_WRITE);
    let connection = Connection::open_with_flags(opened.real(), flags).map_err(translate_error)?;
    configure_connection(&connection)?;
    require_durability(&connection)?;
    // By now SQLite has read it, and keeps it open.
    opened.check()?;
    Sqlite::new(connection, Some(Readers::new(opened)), migrations, at_ms)
}

/// How many of `migrations` the database in a file has, without changing it; 0 if the file is empty.
///
/// # Errors
/// [`StoreError::Missing`] without a file, and as [`open_sqlite_file`].
pub(crate) fn count_migrations(path: &Path, migrations: &[Migration]) -> Result<usize, StoreError> {
    let opened = OpenedFile::find(path)?;
    let lease = Mutex::new(Lease::new(Some(opened.real())));
    let writer = Writer::new(open_reader_connection(opened.real())?);
    migrate::count_migrations(&Sqlite { writer, file: Some(Readers::new(opened)), lease }, migrations)
}

/// A database in memory, for tests and simulations. It ends with the value.
pub(crate) fn open_memory_database(migrations: &[Migration], at_ms: i64) -> Result<Sqlite, StoreError> {
    let connection = Connection::open_in_memory().map_err(translate_error)?;
    configure_connection(&connection)?;
    Sqlite::new(connection, None, migrations, at_ms)
}

impl Sqlite {
    fn new(
        connection: Connection,
        file: Option<Readers>,
        migrations: &[Migration],
        at_ms: i64,
    ) -> Result<Sqlite, StoreError> {
        let lease = Mutex::new(Lease::new(file.as_ref().map(|file| file.opened.real())));
        // In memory readers use the same connection.
        let writer = if file.is_some() { Writer::new(connection) } else { Writer::alone(connection) };
        let database = Sqlite { writer, file, lease };
        apply_migrations(&database, migrations, at_ms)?;
        Ok(database)
    }
}

impl Database for Sqlite {
    fn write(&self, work: Work<'_>) -> Result<(), StoreError> {
        let _inside = Inside::enter()?;
        self.check_file()?;
        self.writer.write(work)
    }

    fn read(&self, work: Work<'_>) -> Result<(), StoreError> {
        let _inside = Inside::enter()?;
        self.check_file()?;
        match &self.file {
            Some(file) => read_on(&*file.take_reader()?, work),
            None => self.writer.alone_with(|connection| read_on(connection, work))?,
        }
    }

    fn backup(&self, target: &Path) -> Result<(), StoreError> {
        let _inside = Inside::enter()?;
        match &self.file {
            Some(file) => backup::write_copy(&*file.take_reader()?, target),
            None => self.writer.alone_with(|connection| backup::write_copy(connection, target))?,
        }
    }

    fn scrub(&self) -> Result<bool, StoreError> {
        let _inside = Inside::enter()?;
        // Deleted values are overwritten with zeros (`secure_delete`); the log still has the pages as they were.
        // It waits for readers while writers wait for it, so it is tried for a moment, and often.
        for _ in 0..SCRUB_TRIES {
            if self.writer.alone_with(truncate_log)?.map_err(translate_error)? {
                return Ok(true);
            }
            std::thread::sleep(SCRUB_PAUSE);
        }
        Ok(false)
    }

    fn enlist(&self, at_ms: i64) -> Result<InstanceId, StoreError> {
        // The lease is free while the database is waited for: a transaction may ask for it.
        let lock = self.lease().lock()?;
        let instance = lease::register_instance(self, at_ms)?;
        self.lease().hold(instance, lock);
        Ok(instance)
    }

    fn withdraw(&self) -> Result<(), StoreError> {
        self.lease().withdraw();
        Ok(())
    }

    fn check_lease(&self) -> Result<(), StoreError> {
        self.check_file()?;
        self.lease().check()
    }

    fn dead_among(&self, instances: &[InstanceId]) -> Result<Vec<InstanceId>, StoreError> {
        let serving = self.lease().serving()?;
        let alive = match serving {
            Serving::NoProcess => None,
            Serving::This(instance) => Some(instance),
            Serving::Another => lease::find_newest_instance(self)?,
        };
        Ok(instances.iter().copied().filter(|instance| Some(*instance) != alive).collect())
    }
}

impl Sqlite {
    fn check_file(&self) -> Result<(), StoreError> {
        self.file.as_ref().map_or(Ok(()), |file| file.opened.check())
    }

    fn lease(&self) -> MutexGuard<'_, Lease> {
        // It changes in single assignments.
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `work` on one state of the database.
fn read_on(connection: &Connection, work: Work<'_>) -> Result<(), StoreError> {
    connection.execute_batch("BEGIN").map_err(translate_error)?;
    let _end = End(connection);
    let mut transaction = SqliteTransaction::new(connection, Access::Read);
    work(&mut transaction)?;
    transaction.check()?;
    match connection.is_autocommit() {
        true => Err(StoreError::Programming("a transaction was ended by its own statements".to_string())),
        false => Ok(()),
    }
}

/// Ends a transaction that has changed nothing: also after an error, and while a panic unwinds.
struct End<'a>(&'a Connection);

impl Drop for End<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // If it fails, the next `BEGIN` does, too, and says why.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

fn single_thread_flags(access: OpenFlags) -> OpenFlags {
    // Each connection is used by one thread at a time, so SQLite needs no lock of its own.
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn open_reader_connection(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, single_thread_flags(OpenFlags::SQLITE_OPEN_READ_ONLY))
        .map_err(translate_error)?;
    configure_connection(&connection)?;
    Ok(connection)
}

/// Makes the file before SQLite does, so that it never can be read by others. SQLite gives its further files the same
/// mode.
fn make_private_file(path: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(StoreError::file(path))
}

fn configure_connection(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(BUSY).map_err(translate_error)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    // Sorts in memory, because temporary files would hold private data in the clear. What is erased is overwritten.
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; \
             PRAGMA secure_delete = ON;",
        )
        .map_err(translate_error)
}

/// Sets what a commit needs to survive a power cut, and checks that it is in force: SQLite ignores what it cannot do.
fn require_durability(connection: &Connection) -> Result<(), StoreError> {
    let mode = set_log(connection)?;
    if !mode.eq_ignore_ascii_case("wal") {
        return Err(StoreError::Unsuitable(format!(
            "SQLite cannot keep a write-ahead log there (journal mode `{mode}`): use a local disk"
        )));
    }
    // The last two matter on macOS, where an ordinary flush stops at the disk's cache.
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;")
        .map_err(translate_error)?;
    for (pragma, wanted) in [("synchronous", 2), ("foreign_keys", 1)] {
        let found: i64 = connection.pragma_query_value(None, pragma, |row| row.get(0)).map_err(translate_error)?;
        if found != wanted {
            return Err(StoreError::Unsuitable(format!("SQLite's `{pragma}` is {found} and must be {wanted}")));
        }
    }
    Ok(())
}

/// Two processes that make a database at the same time meet here, and SQLite does not wait by itself.
fn set_log(connection: &Connection) -> Result<String, StoreError> {
    let deadline = Instant::now() + BUSY;
    loop {
        let mode = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        match mode.map_err(translate_error) {
            Err(StoreError::Busy(_)) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
}
