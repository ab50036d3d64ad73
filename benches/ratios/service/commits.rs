//! The yardstick of acceptances: how many transactions of one row a store commits, with what each commit needs to
//! survive a power cut.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// As long as what an acceptance seals and records.
const ROW: [u8; 512] = [7; 512];

/// One after the other, as SQLite has one writer.
pub fn sqlite(time: Duration) -> f64 {
    let folder = std::env::temp_dir().join(format!("lendwright-commits-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let connection = rusqlite::Connection::open(folder.join("commits.sqlite")).expect("a database");
    let prepare = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (row BLOB)";
    connection.execute_batch(prepare).expect("a table");
    let (began, mut commits) = (Instant::now(), 0_u64);
    while began.elapsed() < time {
        connection.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
        connection.prepare_cached("INSERT INTO rows VALUES (?)").and_then(|mut it| it.execute([ROW])).expect("a row");
        connection.execute_batch("COMMIT").expect("a commit");
        commits += 1;
    }
    let rate = commits as f64 / began.elapsed().as_secs_f64();
    drop(connection);
    // Scratch files that stay disturb nobody.
    let _ = std::fs::remove_dir_all(&folder);
    rate
}

/// By as many connections at once as the service has.
pub fn postgres(url: &str, time: Duration) -> f64 {
    const CONNECTIONS: usize = 8;
    let connect = || postgres::Client::connect(url, postgres::NoTls).expect("a connection");
    connect().batch_execute("CREATE TABLE IF NOT EXISTS bench_rows (row BYTEA)").expect("a table");
    let commits = AtomicU64::new(0);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let mut client = connect();
                let insert = client.prepare("INSERT INTO bench_rows VALUES ($1)").expect("a statement");
                while began.elapsed() < time {
                    let mut transaction = client.transaction().expect("a transaction");
                    transaction.execute(&insert, &[&&ROW[..]]).expect("a row");
                    transaction.commit().expect("a commit");
                    commits.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let rate = commits.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
    connect().batch_execute("DROP TABLE bench_rows").expect("a table");
    rate
}
