//! PostgreSQL: the cases for every database, and what only a server can do. Each test has a database of its own.

mod cluster;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use self::cluster::{Cluster, cluster};
use super::{Postgres, count_migrations, make_postgres_store, open_postgres_store};
use crate::base::secret::Secret;
use crate::lender::store::database::{Database, InstanceId, Transaction, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::migrate::Migration;
use crate::lender::store::tests::{Place, SCHEMA};

/// A test that waits longer for another thread fails.
const PATIENCE: Duration = Duration::from_secs(60);

struct Server {
    cluster: &'static Cluster,
    name: String,
}

impl Server {
    /// `None` where there is no PostgreSQL.
    fn new() -> Option<Server> {
        let cluster = cluster()?;
        Some(Server { cluster, name: cluster.database().unwrap() })
    }

    fn url(&self) -> Secret {
        self.cluster.url(&self.name)
    }

    fn database(&self) -> Postgres {
        make_postgres_store(&self.url(), None, SCHEMA, 1).unwrap()
    }

    fn client(&self) -> postgres::Client {
        self.cluster.client(&self.name).unwrap()
    }

    /// Ends the server's side of connections, as a restart would.
    fn terminate(&self, filter: &str) {
        let sql = format!(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
             WHERE datname = '{}' AND pid <> pg_backend_pid() AND {filter}",
            self.name
        );
        let rows = self.client().query(&sql, &[]).unwrap();
        assert!(!rows.is_empty(), "no connection was ended");
    }
}

impl Place for Server {
    fn open(&self, migrations: &[Migration]) -> Result<Arc<dyn Database>, StoreError> {
        Ok(Arc::new(make_postgres_store(&self.url(), None, migrations, 1)?))
    }
}

mod on_a_server {
    fn run(case: fn(&dyn crate::lender::store::tests::Place)) {
        if let Some(server) = super::Server::new() {
            case(&server);
        }
    }
    crate::lender::store::tests::conformance!(run);
    crate::lender::store::tests::conformance_reopened!(run);
    crate::lender::loan_book::tests::book_conformance!(run);
}

mod decisions_on_a_server {
    fn run(case: fn(&dyn crate::lender::store::tests::Place)) {
        if let Some(server) = super::Server::new() {
            case(&server);
        }
    }
    crate::decision_book::tests::decision_book_conformance!(run);
}

#[test]
fn it_may_be_dropped_inside_a_runtime() {
    let Some(server) = Server::new() else { return };
    let database = server.database();
    add(&database, 1).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move { drop(database) });
}

fn add(database: &dyn Database, id: i64) -> Result<u64, StoreError> {
    write_transaction(database, |tx| tx.execute("INSERT INTO events (id, amount) VALUES ($1, 1)", &[id.into()]))
}

fn number(database: &dyn Database) -> i64 {
    let rows = read_transaction(database, |tx| tx.query("SELECT COUNT(*) AS n FROM events", &[])).unwrap();
    rows[0].integer("n").unwrap()
}

fn process(tx: &mut dyn Transaction) -> i64 {
    tx.query("SELECT pg_backend_pid() AS pid", &[]).unwrap()[0].integer("pid").unwrap()
}

#[test]
fn a_connection_that_breaks_in_a_transaction_leaves_nothing() {
    let Some(server) = Server::new() else { return };
    let database = server.database();
    let result = write_transaction(&database, |tx| {
        tx.execute("INSERT INTO events (id, amount) VALUES (1, 1)", &[])?;
        let pid = process(tx);
        server.terminate(&format!("pid = {pid}"));
        tx.execute("INSERT INTO events (id, amount) VALUES (2, 1)", &[])
    });
    assert!(matches!(result, Err(StoreError::Unavailable(_))), "{result:?}");
    assert_eq!(number(&database), 0);
    add(&database, 3).unwrap();
}

#[test]
fn idle_connections_that_broke_are_replaced() {
    let Some(server) = Server::new() else { return };
    let database = server.database();
    let all = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                read_transaction(&database, |_| {
                    all.wait();
                    Ok(())
                })
                .unwrap();
            });
        }
    });
    server.terminate("state = 'idle'");
    add(&database, 1).unwrap();
    assert_eq!(number(&database), 1);
}

/// Hands bytes between a client and the server, and cuts the connection at the `commit`. Says when the server is done
/// with it.
fn cut_at_commit(server: &Server, is_delivered: bool) -> (u16, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let target = server.cluster.port();
    let (is_over, over) = channel();
    thread::spawn(move || {
        // The migrations need connections that are left alone.
        for client in listener.incoming() {
            let (client, upstream) = (client.unwrap(), TcpStream::connect(("127.0.0.1", target)).unwrap());
            let (mut answers, mut back) = (upstream.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || std::io::copy(&mut answers, &mut back));
            let is_over = is_over.clone();
            thread::spawn(move || forward(client, upstream, is_delivered, &is_over));
        }
    });
    (port, over)
}

fn forward(mut client: TcpStream, mut upstream: TcpStream, is_delivered: bool, is_over: &Sender<()>) {
    let mut piece = [0; 4096];
    let mut is_armed = false;
    while let Ok(count @ 1..) = client.read(&mut piece) {
        let has = |word: &[u8]| piece[..count].windows(word.len()).any(|window| window == word);
        is_armed |= has(b"cut here");
        if is_armed && has(b"COMMIT") {
            // The answer must not come back.
            client.shutdown(Shutdown::Both).unwrap();
            if is_delivered {
                upstream.write_all(&piece[..count]).unwrap();
            }
            // The server reads to the end, and closes when it is done.
            let _ = upstream.shutdown(Shutdown::Write);
            while let Ok(1..) = upstream.read(&mut piece) {}
            let _ = is_over.send(());
            return;
        }
        if upstream.write_all(&piece[..count]).is_err() {
            return;
        }
    }
}

#[test]
fn a_commit_without_an_answer_has_an_unknown_outcome() {
    let Some(server) = Server::new() else { return };
    let direct = server.database();
    for (id, is_delivered) in [(1, true), (2, false)] {
        let (port, over) = cut_at_commit(&server, is_delivered);
        let url = server.cluster.url_at("127.0.0.1", port, &server.name);
        let database = make_postgres_store(&url, None, SCHEMA, 1).unwrap();
        let mut runs = 0;
        let result = write_transaction(&database, |tx| {
            runs += 1;
            tx.query("SELECT 'cut here' AS mark", &[])?;
            tx.execute("INSERT INTO events (id, amount) VALUES ($1, 1)", &[id.into()])
        });
        let error = result.unwrap_err();
        assert!(error.is_outcome_unknown(), "{error:?}");
        assert!(error.to_string().starts_with("OUTCOME UNKNOWN: "), "{error}");
        assert_eq!(runs, 1, "what may have happened is not run again");
        over.recv_timeout(PATIENCE).unwrap();
        assert_eq!(number(&direct), 1, "only the delivered commit happened");
        // A read has no outcome to lose.
        let result = read_transaction(&database, |tx| tx.query("SELECT 'cut here' AS mark", &[]));
        assert!(matches!(result, Err(StoreError::Unavailable(_))), "{result:?}");
    }
}

#[test]
fn a_deadlock_runs_again() {
    let Some(server) = Server::new() else { return };
    let database = server.database();
    add(&database, 1).unwrap();
    add(&database, 2).unwrap();
    write_transaction(&database, |tx| tx.script("DROP TRIGGER events_stay ON events")).unwrap();
    let (both, runs) = (Barrier::new(2), AtomicUsize::new(0));
    let (one, other) = (channel::<()>(), channel::<()>());
    thread::scope(|scope| {
        for (order, ends, other_ends) in [([1_i64, 2], one.0, other.1), ([2, 1], other.0, one.1)] {
            let (database, both, runs) = (&database, &both, &runs);
            scope.spawn(move || {
                let mut is_first = true;
                write_transaction(database, |tx| {
                    runs.fetch_add(1, Ordering::Relaxed);
                    if !is_first {
                        // It could take its first row again before the other one wakes up, and meet it once more.
                        assert_eq!(other_ends.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
                    }
                    let sql = "UPDATE events SET amount = amount + 1 WHERE id = $1";
                    tx.execute(sql, &[order[0].into()])?;
                    if std::mem::take(&mut is_first) {
                        both.wait();
                    }
                    tx.execute(sql, &[order[1].into()])
                })
                .unwrap();
                drop(ends);
            });
        }
    });
    assert_eq!(runs.into_inner(), 3);
    let sum = read_transaction(&database, |tx| tx.query("SELECT CAST(SUM(amount) AS BIGINT) AS sum FROM events", &[]))
        .unwrap();
    assert_eq!(sum[0].integer("sum").unwrap(), 6);
    // Not for ever.
    let mut tries = 0;
    let result: Result<(), _> = write_transaction(&database, |tx| {
        tries += 1;
        tx.script("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
    });
    assert!(matches!(result, Err(StoreError::Busy(_))), "{result:?}");
    assert_eq!(tries, super::TRIES);
}

#[test]
fn a_changed_table_does_not_stop_prepared_statements() {
    let Some(server) = Server::new() else { return };
    let database = server.database();
    let all = |database: &Postgres| read_transaction(database, |tx| tx.query("SELECT * FROM events", &[])).unwrap();
    assert!(all(&database).is_empty());
    server
        .client()
        .batch_execute("ALTER TABLE events ADD COLUMN more TEXT; INSERT INTO events VALUES (1, 1, 'x')")
        .unwrap();
    assert_eq!(all(&database)[0].text("more").unwrap(), "x");
}

#[test]
fn a_lost_lease_stays_lost() {
    let Some(server) = Server::new() else { return };
    let (first, second) = (server.database(), server.database());
    let one = first.enlist(1).unwrap();
    let two = second.enlist(2).unwrap();
    assert!(one < two);
    assert_eq!(second.dead_among(&[one, two, InstanceId(1000)]).unwrap(), [InstanceId(1000)]);
    first.check_lease().unwrap();
    let holder = format!("pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = {one})");
    server.terminate(&holder);
    assert!(!second.is_alive(one).unwrap());
    for _ in 0..2 {
        let error = first.check_lease().unwrap_err();
        assert!(matches!(error, StoreError::LeaseLost(_)), "{error:?}");
    }
    assert!(matches!(first.enlist(3), Err(StoreError::Programming(_))), "not without withdrawing");
    first.withdraw().unwrap();
    let three = first.enlist(4).unwrap();
    assert!(three > two);
    assert_eq!(second.dead_among(&[one, two, three]).unwrap(), [one]);
    first.check_lease().unwrap();
}

#[test]
fn leases_of_other_databases_do_not_count() {
    let (Some(server), Some(other)) = (Server::new(), Server::new()) else { return };
    let (here, there) = (server.database(), other.database());
    let instance = here.enlist(1).unwrap();
    assert!(here.is_alive(instance).unwrap());
    assert!(!there.is_alive(instance).unwrap());
}

#[test]
fn kinds_that_do_not_fit_are_refused_and_not_shown() {
    let Some(server) = Server::new() else { return };
    let database = server.database();
    let secret = 4_000_000_000_i64;
    let mut messages = Vec::new();
    for sql in [
        "SELECT id FROM accounts WHERE name = $1",
        "SELECT id FROM accounts WHERE small = $1",
        "SELECT id FROM accounts WHERE blob = $1",
        "SELECT $1 AS a",
    ] {
        messages.push(read_transaction(&database, |tx| tx.query(sql, &[secret.into()])).unwrap_err().to_string());
    }
    for sql in ["SELECT SUM(id) AS sum FROM accounts", "SELECT true AS a", "SELECT CAST('4000000000x' AS INTEGER) AS a"]
    {
        let error = read_transaction(&database, |tx| {
            tx.query("SELECT COUNT(*) AS n FROM accounts", &[])?;
            tx.query(sql, &[])
        });
        messages.push(error.map_or_else(|error| error.to_string(), |_| "a NULL".to_string()));
    }
    assert_eq!(
        messages,
        [
            "INVARIANT: `$1` is an integer, and PostgreSQL expects text: cast it in the statement",
            "INVARIANT: `$1` is an integer, and PostgreSQL expects int4: cast it in the statement",
            "INVARIANT: `$1` is an integer, and PostgreSQL expects bytea: cast it in the statement",
            "INVARIANT: `$1` is an integer, and PostgreSQL expects text: cast it in the statement",
            "INVARIANT: column `sum` is numeric, which is not read: cast it in the statement",
            "INVARIANT: column `a` is bool, which is not read: cast it in the statement",
            "INVARIANT: PostgreSQL refused a value (SQLSTATE 22003)",
        ]
    );
}

#[test]
fn passwords_are_not_shown() {
    let Some(server) = Server::new() else { return };
    let right = server.url();
    let wrong = Secret::new(right.expose().replace("p%27", "wrong-secret"));
    let Err(error) = make_postgres_store(&wrong, None, SCHEMA, 1) else { panic!("it was opened") };
    assert!(matches!(error, StoreError::Unsuitable(_)), "{error:?}");
    let texts = [error.to_string(), format!("{error:?}"), format!("{:?}", server.database().address)];
    for text in texts {
        assert!(!text.contains("secret") && !text.contains(&server.cluster.password()[6..]), "{text}");
    }
    for url in ["postgresql://a:se%cret@localhost/x", "postgresql://a:secret@localhost:port/x", "nonsense=secret", ""] {
        let Err(error) = make_postgres_store(&Secret::new(url), None, SCHEMA, 1) else { panic!("it was opened") };
        assert!(matches!(error, StoreError::Unsuitable(_) | StoreError::Unavailable(_)), "{url}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("cret"), "{error}");
    }
}

#[test]
fn only_making_the_tables_makes_them() {
    let Some(server) = Server::new() else { return };
    let is_missing = || {
        let opened = open_postgres_store(&server.url(), None, SCHEMA, 1).map(drop);
        matches!(opened, Err(StoreError::Missing(why)) if why.contains("holds no loan book"))
    };
    assert!(is_missing());
    assert_eq!(count_migrations(&server.url(), None, SCHEMA).unwrap(), 0);
    drop(server.database());
    assert!(!is_missing());
}

#[test]
fn a_server_that_is_not_there_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = Secret::new(format!("postgresql://a:secret@127.0.0.1:{port}/loans"));
    let Err(error) = make_postgres_store(&url, None, SCHEMA, 1) else { panic!("it was opened") };
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert!(error.to_string().contains("database `loans` at `127.0.0.1`"), "{error}");
}

#[test]
fn another_machine_is_called_by_tls_only() {
    let url = Secret::new("postgresql://a:secret@db.example/loans?sslmode=disable");
    let Err(error) = make_postgres_store(&url, None, SCHEMA, 1) else { panic!("it was opened") };
    assert_eq!(
        error.to_string(),
        "the database cannot be used: database `loans` at `db.example` is not this machine, so `sslmode=disable` \
         would send everything in the clear; remove it"
    );
    // The address decides, whatever the name.
    let url = Secret::new("postgresql://a:secret@localhost/loans?hostaddr=192.0.2.1&sslmode=disable");
    assert!(matches!(make_postgres_store(&url, None, SCHEMA, 1), Err(StoreError::Unsuitable(_))));
}

#[test]
fn tls_checks_the_certificate() {
    let Some(server) = Server::new() else { return };
    let url = |host: &str| {
        let url = server.cluster.url_at(host, server.cluster.port(), &server.name);
        Secret::new(format!("{}?sslmode=require", url.expose()))
    };
    let authority = server.cluster.authority();
    let database = make_postgres_store(&url("localhost"), Some(&authority), SCHEMA, 1).unwrap();
    let sql = "SELECT CAST(ssl AS INTEGER) AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    assert!(read_transaction(&database, |tx| tx.query(sql, &[])).unwrap()[0].truth("ssl").unwrap());
    // Another name, and an authority that is not known.
    assert!(matches!(
        make_postgres_store(&url("127.0.0.1"), Some(&authority), SCHEMA, 1),
        Err(StoreError::Unavailable(_))
    ));
    assert!(make_postgres_store(&url("localhost"), None, SCHEMA, 1).is_err());
}

#[test]
fn settings_that_lose_commits_are_refused() {
    let Some(server) = Server::new() else { return };
    let set = |setting: &str| {
        server.client().batch_execute(&format!("ALTER DATABASE {} SET {setting}", server.name)).unwrap();
    };
    // A weaker default of the database is overruled, a stronger one is left.
    for (setting, found) in [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")] {
        set(&format!("synchronous_commit = {setting}"));
        let sql = "SELECT current_setting('synchronous_commit') AS s";
        let rows = read_transaction(&server.database(), |tx| tx.query(sql, &[])).unwrap();
        assert_eq!(rows[0].text("s").unwrap(), found);
    }
    set("default_transaction_read_only = on");
    assert!(matches!(make_postgres_store(&server.url(), None, SCHEMA, 1), Err(StoreError::Unavailable(_))));
}

#[test]
fn more_callers_than_connections_wait() {
    let Some(server) = Server::new() else { return };
    let database = server.database();
    thread::scope(|scope| {
        for id in 0..40 {
            let database = &database;
            scope.spawn(move || add(database, id).unwrap());
        }
    });
    assert_eq!(number(&database), 40);
}

#[test]
fn a_backup_names_the_tool() {
    let Some(server) = Server::new() else { return };
    let error = server.database().backup(Path::new("somewhere")).unwrap_err();
    assert!(error.to_string().contains("`pg_dump --format=custom`"), "{error}");
}
