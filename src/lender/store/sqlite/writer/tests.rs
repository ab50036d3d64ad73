//! Writers that share a commit.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

use super::Writer;
use crate::lender::store::database::Transaction;
use crate::lender::store::error::StoreError;

struct File {
    writer: Writer,
    reader: Connection,
    _folder: tempfile::TempDir,
}

fn file() -> File {
    let folder = tempfile::tempdir().unwrap();
    let open = || Connection::open(folder.path().join("rows.sqlite")).unwrap();
    let connection = open();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)")
        .unwrap();
    File { writer: Writer::new(connection), reader: open(), _folder: folder }
}

impl File {
    fn ids(&self) -> Vec<i64> {
        let mut statement = self.reader.prepare("SELECT id FROM rows ORDER BY id").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }
}

fn add(tx: &mut dyn Transaction, id: i64) -> Result<(), StoreError> {
    tx.execute("INSERT INTO rows (id) VALUES ($1)", &[id.into()]).map(drop)
}

/// Writes 1, and then `next` in the same group. Returns both results.
fn together(
    writer: &Writer,
    next: impl FnMut(&mut dyn Transaction) -> Result<(), StoreError> + Send,
) -> (Result<(), StoreError>, thread::Result<Result<(), StoreError>>) {
    thread::scope(|scope| {
        let mut next = AssertUnwindSafe(next);
        let second = scope.spawn(move || {
            // Not before the first one is at work.
            while writer.state.try_lock().is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
            writer.write(&mut *next)
        });
        let first = writer.write(&mut |tx| {
            add(tx, 1)?;
            while writer.coming.load(Ordering::SeqCst) == 0 {
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        });
        (first, second.join())
    })
}

#[test]
fn one_that_fails_or_panics_leaves_the_others() {
    let file = file();
    let (first, second) = together(&file.writer, |tx| add(tx, 2));
    assert!(first.is_ok() && matches!(second, Ok(Ok(()))));
    assert_eq!(file.ids(), [1, 2]);
    file.writer.write(&mut |tx| tx.script("DELETE FROM rows")).unwrap();

    let (first, second) = together(&file.writer, |tx| {
        add(tx, 2)?;
        add(tx, 1)
    });
    assert!(first.is_ok() && matches!(second, Ok(Err(StoreError::Duplicate { .. }))), "{second:?}");
    assert_eq!(file.ids(), [1]);
    file.writer.write(&mut |tx| tx.script("DELETE FROM rows")).unwrap();

    let (first, second) = together(&file.writer, |tx| {
        add(tx, 2)?;
        panic!("of the test")
    });
    assert!(first.is_ok() && second.is_err());
    assert_eq!(file.ids(), [1]);
    file.writer.write(&mut |tx| add(tx, 3)).unwrap();
    assert_eq!(file.ids(), [1, 3]);
}

#[test]
fn nobody_is_told_of_a_commit_that_did_not_happen() {
    let file = file();
    file.writer.write(&mut |tx| tx.query("PRAGMA max_page_count = 20", &[]).map(drop)).unwrap();
    let large = "x".repeat(500_000);
    let (first, second) = together(&file.writer, |tx| {
        tx.execute("INSERT INTO rows (id, text) VALUES (2, $1)", &[large.as_str().into()]).map(drop)
    });
    assert!(matches!(second, Ok(Err(StoreError::DiskFull))), "{second:?}");
    match first {
        // SQLite may give the whole transaction up, or the statement alone.
        Ok(()) => assert_eq!(file.ids(), [1]),
        Err(StoreError::Busy(_)) => assert_eq!(file.ids(), [0; 0]),
        Err(other) => panic!("{other:?}"),
    }
    let (first, _) = together(&file.writer, |tx| tx.script("DELETE FROM rows; COMMIT"));
    assert!(matches!(first, Err(StoreError::OutcomeUnknown(_))), "{first:?}");
    file.writer.write(&mut |tx| add(tx, 9)).unwrap();
    assert_eq!(file.ids().last(), Some(&9));
}

#[test]
fn all_are_committed_when_they_return() {
    let file = file();
    thread::scope(|scope| {
        for thread in 0..8 {
            let (file, path) = (&file.writer, file.reader.path().unwrap().to_owned());
            scope.spawn(move || {
                let reader = Connection::open(path).unwrap();
                for number in 0..100 {
                    let id = thread * 1_000 + number;
                    file.write(&mut |tx| add(tx, id)).unwrap();
                    let found: i64 =
                        reader.query_row("SELECT COUNT(*) FROM rows WHERE id = ?", [id], |row| row.get(0)).unwrap();
                    assert_eq!(found, 1);
                }
            });
        }
        // The connection is used outside of transactions, too.
        for _ in 0..50 {
            let is_free = file.writer.alone_with(Connection::is_autocommit).unwrap();
            assert!(is_free);
        }
    });
    assert_eq!(file.ids().len(), 800);
    let state = file.writer.state.lock().unwrap();
    assert!(state.results.is_empty() && state.size == 0 && state.waiting == 0);
    assert!(state.group < 800, "some shared a commit");
}
