//! SQLite in memory and in a file: the cases for every database, and those of files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use tempfile::TempDir;

use super::{count_migrations, make_sqlite_file, open_memory_database, open_sqlite_file};
use crate::lender::store::database::{Database, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::migrate::Migration;
use crate::lender::store::tests::{Place, SCHEMA};

/// In memory.
pub(crate) struct Memory;

impl Place for Memory {
    fn open(&self, migrations: &[Migration]) -> Result<Arc<dyn Database>, StoreError> {
        Ok(Arc::new(open_memory_database(migrations, 1)?))
    }
}

/// In a file, in a folder of its own.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("state.sqlite")
    }
}

impl Place for Folder {
    fn open(&self, migrations: &[Migration]) -> Result<Arc<dyn Database>, StoreError> {
        Ok(Arc::new(make_sqlite_file(&self.path(), migrations, 1)?))
    }
}

mod in_memory {
    fn run(case: fn(&dyn crate::lender::store::tests::Place)) {
        case(&super::Memory);
    }
    crate::lender::store::tests::conformance!(run);
}

mod in_a_file {
    fn run(case: fn(&dyn crate::lender::store::tests::Place)) {
        case(&super::Folder::new());
    }
    crate::lender::store::tests::conformance!(run);
    crate::lender::store::tests::conformance_reopened!(run);
}

fn add(database: &dyn Database, id: i64) -> Result<u64, StoreError> {
    write_transaction(database, |tx| tx.execute("INSERT INTO events (id, amount) VALUES ($1, 1)", &[id.into()]))
}

fn number(database: &dyn Database) -> i64 {
    let rows = read_transaction(database, |tx| tx.query("SELECT COUNT(*) AS n FROM events", &[])).unwrap();
    rows[0].integer("n").unwrap()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
#[cfg(unix)]
fn files_belong_to_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let database = folder.open(SCHEMA).unwrap();
    add(&*database, 1).unwrap();
    database.enlist(1).unwrap();
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder.0.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.path());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["state.sqlite", "state.sqlite-shm", "state.sqlite-wal", "state.sqlite.serving"]);
    drop(database);
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o640)).unwrap();
    let Err(error) = folder.open(SCHEMA) else { panic!("it was opened") };
    assert!(error.to_string().contains("(mode 640): run `chmod 600` on it"), "{error}");
}

#[test]
fn what_is_no_database_is_refused() {
    let folder = Folder::new();
    std::fs::write(folder.path(), "not a database, and long enough to be looked at".repeat(100)).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert!(matches!(folder.open(SCHEMA), Err(StoreError::Damaged(_))));
    let missing = folder.0.path().join("missing/state.sqlite");
    assert!(matches!(make_sqlite_file(&missing, SCHEMA, 1), Err(StoreError::File { .. })));
}

#[test]
fn a_second_server_is_refused() {
    let folder = Folder::new();
    let first = folder.open(SCHEMA).unwrap();
    let instance = first.enlist(1).unwrap();
    let second = folder.open(SCHEMA).unwrap();
    let error = second.enlist(2).unwrap_err();
    let path = folder.path();
    assert_eq!(
        error.to_string(),
        format!(
            "another process already serves from `{}`: stop it first, or use PostgreSQL for several instances",
            path.display()
        )
    );
    assert!(second.is_alive(instance).unwrap());
    drop(first);
    let successor = second.enlist(3).unwrap();
    assert_eq!(second.dead_among(&[instance, successor]).unwrap(), [instance]);
}

#[test]
#[cfg(unix)]
fn a_lock_whose_file_was_replaced_is_lost() {
    let folder = Folder::new();
    let database = folder.open(SCHEMA).unwrap();
    database.enlist(1).unwrap();
    let mut name = folder.path().into_os_string();
    name.push(".serving");
    std::fs::remove_file(&name).unwrap();
    assert!(matches!(database.check_lease(), Err(StoreError::LeaseLost(_))));
    std::fs::write(&name, "").unwrap();
    let error = database.check_lease().unwrap_err();
    assert!(error.to_string().starts_with("LEASE LOST: "), "{error}");
}

#[test]
fn only_making_a_database_makes_one() {
    let folder = Folder::new();
    let is_missing = || {
        let opened = open_sqlite_file(&folder.path(), SCHEMA, 1).map(drop);
        matches!(opened, Err(StoreError::Missing(_)))
    };
    assert!(is_missing() && !folder.path().exists());
    assert!(matches!(count_migrations(&folder.path(), SCHEMA), Err(StoreError::Missing(_))));
    // Neither does a file without anything in it become one.
    std::fs::write(folder.path(), "").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert!(is_missing());
    assert_eq!(std::fs::metadata(folder.path()).unwrap().len(), 0);
    make_sqlite_file(&folder.path(), SCHEMA, 1).unwrap();
    assert!(!is_missing());
}

#[test]
#[cfg(unix)]
fn a_file_that_was_removed_or_replaced_takes_nothing_along() {
    let folder = Folder::new();
    let database = folder.open(SCHEMA).unwrap();
    database.enlist(1).unwrap();
    add(&*database, 1).unwrap();
    let away = folder.0.path().join("away");
    std::fs::rename(folder.path(), &away).unwrap();
    let is_gone = || {
        let read = read_transaction(&*database, |tx| tx.query("SELECT 1 AS one", &[])).map(drop);
        let results = [database.check_lease(), add(&*database, 2).map(drop), read];
        results.iter().all(|result| matches!(result, Err(StoreError::Replaced(_))))
    };
    assert!(is_gone(), "removed");
    std::fs::copy(&away, folder.path()).unwrap();
    assert!(is_gone(), "replaced");
    std::fs::rename(&away, folder.path()).unwrap();
    database.check_lease().unwrap();
    add(&*database, 2).unwrap();
    assert_eq!(number(&*database), 2);
}

#[test]
#[cfg(unix)]
fn a_second_server_is_refused_under_any_name_of_the_file() {
    let folder = Folder::new();
    let first = folder.open(SCHEMA).unwrap();
    first.enlist(1).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("other.sqlite");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();
    let second = open_sqlite_file(&link, SCHEMA, 2).unwrap();
    assert!(matches!(second.enlist(2), Err(StoreError::AlreadyServed(_))));
    // A link that leads elsewhere now is another database, too.
    std::fs::remove_file(&link).unwrap();
    std::fs::write(&link, "").unwrap();
    assert!(matches!(add(&second, 1), Err(StoreError::Replaced(_))));
    drop(second);
    let hard = folder.0.path().join("hard.sqlite");
    std::fs::hard_link(folder.path(), &hard).unwrap();
    for name in [&hard, &folder.path()] {
        let Err(error) = open_sqlite_file(name, SCHEMA, 2) else { panic!("it was opened") };
        assert!(error.to_string().contains("has 2 names (hard links)"), "{error}");
    }
}

#[test]
fn a_backup_is_a_database_of_its_own() {
    let folder = Folder::new();
    let database = folder.open(SCHEMA).unwrap();
    for id in 0..100 {
        add(&*database, id).unwrap();
    }
    let target = folder.0.path().join("backup.sqlite");
    // While others write.
    let is_over = Mutex::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut id = 1000;
            while !*is_over.lock().unwrap() {
                add(&*database, id).unwrap();
                id += 1;
            }
        });
        database.backup(&target).unwrap();
        *is_over.lock().unwrap() = true;
    });
    #[cfg(unix)]
    assert_eq!(mode(&target), 0o600);
    let restored = make_sqlite_file(&target, SCHEMA, 2).unwrap();
    assert!(number(&restored) >= 100);
    // It goes on by itself.
    add(&restored, -1).unwrap();
    assert!(matches!(database.backup(&target), Err(StoreError::Unsuitable(_))), "a backup replaces nothing");
    assert_eq!(number(&restored), number(&make_sqlite_file(&target, SCHEMA, 2).unwrap()));
    let left: Vec<_> = std::fs::read_dir(folder.0.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part"))
        .collect();
    assert!(left.is_empty());
    assert!(matches!(database.backup(Path::new("/nowhere/at/all")), Err(StoreError::File { .. })));
}

#[test]
fn memory_is_backed_up_too() {
    let folder = Folder::new();
    let database = open_memory_database(SCHEMA, 1).unwrap();
    add(&database, 1).unwrap();
    database.backup(&folder.path()).unwrap();
    assert_eq!(number(&*folder.open(SCHEMA).unwrap()), 1);
}

#[test]
fn a_full_disk_is_an_error_of_its_own() {
    let database = open_memory_database(SCHEMA, 1).unwrap();
    let rows = write_transaction(&database, |tx| tx.query("PRAGMA max_page_count = 20", &[])).unwrap();
    assert_eq!(rows.len(), 1);
    let large = "x".repeat(500_000);
    let sql = "INSERT INTO accounts (id, name) VALUES (1, $1)";
    let error = write_transaction(&database, |tx| tx.execute(sql, &[large.as_str().into()])).unwrap_err();
    assert!(matches!(error, StoreError::DiskFull), "{error:?}");
    add(&database, 1).unwrap();
}

#[test]
fn another_process_that_writes_is_waited_for() {
    let folder = Folder::new();
    let database = folder.open(SCHEMA).unwrap();
    let other = rusqlite::Connection::open(folder.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; INSERT INTO events VALUES (1, 1)").unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| add(&*database, 2));
        thread::sleep(std::time::Duration::from_millis(50));
        other.execute_batch("COMMIT").unwrap();
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(number(&*database), 2);
}

#[test]
fn what_is_written_is_in_the_log_before_a_commit_returns() {
    let folder = Folder::new();
    let database = folder.open(SCHEMA).unwrap();
    let rows = write_transaction(&*database, |tx| {
        tx.query("SELECT * FROM pragma_journal_mode, pragma_synchronous, pragma_foreign_keys", &[])
    });
    let row = &rows.unwrap()[0];
    assert_eq!(row.text("journal_mode").unwrap(), "wal");
    assert_eq!((row.integer("synchronous").unwrap(), row.integer("foreign_keys").unwrap()), (2, 1));
}

#[test]
fn a_transaction_that_ends_itself_is_an_error() {
    let database = open_memory_database(SCHEMA, 1).unwrap();
    let error = write_transaction(&database, |tx| tx.script("SELECT 1; COMMIT")).unwrap_err();
    assert!(matches!(error, StoreError::Programming(_)), "{error:?}");
    add(&database, 1).unwrap();
}

/// Only before the commit is it known that nothing happened.
#[test]
fn a_disk_that_fails_during_a_commit_leaves_its_outcome_unknown() {
    use super::error::{during_commit, translate_error};
    use rusqlite::ffi;
    let failed = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
    for code in [ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_CORRUPT] {
        assert!(during_commit(failed(code)).is_outcome_unknown(), "{code}");
        assert!(!translate_error(failed(code)).is_outcome_unknown(), "{code}");
    }
    assert!(matches!(during_commit(failed(ffi::SQLITE_BUSY)), StoreError::Busy(_)));
    assert!(matches!(during_commit(failed(ffi::SQLITE_FULL)), StoreError::DiskFull));
}
