//! What both databases must do alike. Every case runs on a file, in memory and, in `postgres`, on PostgreSQL.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::database::{Database, Transaction, check_values, read_transaction, write_transaction};
use super::error::StoreError;
use super::migrate::{Migration, count_applied};
use super::value::{QueryRow, SqlValue};

/// A new database, which can be opened more than once.
pub(crate) trait Place: Sync {
    fn open(&self, migrations: &[Migration]) -> Result<Arc<dyn Database>, StoreError>;
}

/// The cases as tests, each handed to `$run`, which finds it a place.
macro_rules! conformance {
    ($run:path) => {
        $crate::lender::store::tests::conformance! { $run:
            every_value_round_trips, a_null_fits_every_column, cells_are_read_as_what_they_are,
            an_error_rolls_back, a_panic_rolls_back, a_failed_statement_ends_its_transaction,
            transactions_do_not_nest, duplicates_name_their_key, constraints_are_named,
            a_refused_commit_leaves_nothing, what_is_append_only_stays,
            a_read_writes_nothing, writers_take_turns, placeholders_are_bound_by_number,
            an_instance_lives_until_it_withdraws, a_transaction_does_not_end_itself, texts_are_kept_to_the_byte
        }
    };
    ($run:path: $($case:ident),*) => {
        $(
            #[test]
            fn $case() {
                $run($crate::lender::store::tests::$case)
            }
        )*
    };
}
pub(crate) use conformance;

/// The cases that open a database more than once.
macro_rules! conformance_reopened {
    ($run:path) => {
        $crate::lender::store::tests::conformance! { $run:
            a_read_sees_one_state, state_outlives_the_database, migrations_are_applied_once,
            a_newer_schema_is_refused, a_changed_migration_is_refused, a_failed_migration_leaves_nothing,
            many_open_at_once, numbers_of_instances_are_never_reused
        }
    };
}
pub(crate) use conformance_reopened;

pub(crate) const SCHEMA: &[Migration] = &[
    Migration {
        number: 1,
        name: "accounts",
        sqlite: "CREATE TABLE accounts (
                     id INTEGER PRIMARY KEY, lender TEXT, name TEXT, blob BLOB, truth INTEGER CHECK (truth IN (0, 1)),
                     small INTEGER, parent INTEGER REFERENCES accounts (id)
                 ) STRICT;
                 CREATE UNIQUE INDEX accounts_name ON accounts (lender, name);
                 CREATE UNIQUE INDEX accounts_blob ON accounts (blob) WHERE truth = 1;",
        postgres: "CREATE TABLE accounts (
                       id BIGINT PRIMARY KEY, lender TEXT, name TEXT, blob BYTEA, truth INTEGER CHECK (truth IN (0, 1)),
                       small INTEGER, parent BIGINT REFERENCES accounts (id)
                   );
                   CREATE UNIQUE INDEX accounts_name ON accounts (lender, name);
                   CREATE UNIQUE INDEX accounts_blob ON accounts (blob) WHERE truth = 1;",
    },
    Migration {
        number: 2,
        name: "events",
        sqlite: "CREATE TABLE events (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL) STRICT;
                 CREATE TRIGGER events_stay BEFORE UPDATE ON events
                 BEGIN SELECT RAISE(ABORT, 'append-only: events'); END;
                 CREATE TABLE late (event INTEGER REFERENCES events (id) DEFERRABLE INITIALLY DEFERRED) STRICT;",
        postgres: "CREATE TABLE events (id BIGINT PRIMARY KEY, amount BIGINT NOT NULL);
                   CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS
                   $$ BEGIN RAISE EXCEPTION 'append-only: %', TG_TABLE_NAME; END $$;
                   CREATE TRIGGER events_stay BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION append_only();
                   CREATE TABLE late (event BIGINT REFERENCES events (id) DEFERRABLE INITIALLY DEFERRED);",
    },
];

fn open(place: &dyn Place) -> Arc<dyn Database> {
    place.open(SCHEMA).unwrap()
}

fn insert(database: &dyn Database, id: i64, name: &str) -> Result<u64, StoreError> {
    let sql = "INSERT INTO accounts (id, lender, name) VALUES ($1, 'a', $2)";
    write_transaction(database, |tx| tx.execute(sql, &[id.into(), name.into()]))
}

fn query(database: &dyn Database, sql: &str) -> Vec<QueryRow> {
    read_transaction(database, |tx| tx.query(sql, &[])).unwrap()
}

fn count(database: &dyn Database) -> i64 {
    query(database, "SELECT COUNT(*) AS n FROM accounts")[0].integer("n").unwrap()
}

pub(crate) fn every_value_round_trips(place: &dyn Place) {
    let database = open(place);
    let values: [SqlValue; 5] =
        [i64::MIN.into(), "ọ́ 'x'".into(), vec![0_u8, 255, 10].into(), true.into(), 7_i64.into()];
    let sql = "INSERT INTO accounts (id, name, blob, truth, small) VALUES ($1, $2, $3, $4, $5)";
    let changed = write_transaction(&*database, |tx| tx.execute(sql, &values)).unwrap();
    assert_eq!(changed, 1);
    let rows = query(&*database, "SELECT id, name, blob, truth, small, parent FROM accounts");
    let row = &rows[0];
    for (column, value) in
        ["id", "name", "blob", "truth", "small", "parent"].iter().zip(values.iter().chain([&SqlValue::Null]))
    {
        assert!(row.value(column).unwrap() == value, "{column}");
    }
    assert_eq!(row.integer("id").unwrap(), i64::MIN);
    assert_eq!(row.text("name").unwrap(), "ọ́ 'x'");
    assert_eq!(row.bytes("blob").unwrap(), [0, 255, 10]);
    assert!(row.truth("truth").unwrap());
    // `small` has 32 bits on PostgreSQL.
    let back = write_transaction(&*database, |tx| {
        tx.query(
            "UPDATE accounts SET small = $1 WHERE id = $2 RETURNING small AS s",
            &[(-5_i64).into(), i64::MIN.into()],
        )
    });
    assert_eq!(back.unwrap()[0].integer("s").unwrap(), -5);
}

pub(crate) fn a_null_fits_every_column(place: &dyn Place) {
    let database = open(place);
    let sql = "INSERT INTO accounts (id, lender, name, blob, truth, small, parent) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let mut values = vec![SqlValue::from(1_i64)];
    values.resize(7, SqlValue::from(None::<i64>));
    write_transaction(&*database, |tx| tx.execute(sql, &values)).unwrap();
    let rows = read_transaction(&*database, |tx| {
        tx.query("SELECT lender, blob, small FROM accounts WHERE COALESCE(name, 'none') = $1", &["none".into()])
    });
    let rows = rows.unwrap();
    assert_eq!(rows[0].text_if_any("lender").unwrap(), None);
    assert_eq!(rows[0].bytes_if_any("blob").unwrap(), None);
    assert_eq!(rows[0].integer_if_any("small").unwrap(), None);
    // As a comparison, where the column gives the type.
    let none = read_transaction(&*database, |tx| {
        tx.query("SELECT id FROM accounts WHERE blob = $1 OR name = $2", &values[1..3])
    });
    assert!(none.unwrap().is_empty());
}

pub(crate) fn cells_are_read_as_what_they_are(place: &dyn Place) {
    let database = open(place);
    insert(&*database, 1, "secret").unwrap();
    let row = query(&*database, "SELECT id, name, blob, 2 AS two FROM accounts").remove(0);
    let messages = [
        row.integer("name").unwrap_err().to_string(),
        row.text("id").unwrap_err().to_string(),
        row.bytes("name").unwrap_err().to_string(),
        row.text("missing").unwrap_err().to_string(),
        row.bytes("blob").unwrap_err().to_string(),
        row.truth("two").unwrap_err().to_string(),
    ];
    assert_eq!(
        messages,
        [
            "INVARIANT: column `name` is text, and an integer is read",
            "INVARIANT: column `id` is an integer, and text is read",
            "INVARIANT: column `name` is text, and bytes is read",
            "INVARIANT: the query has no column `missing`",
            "INVARIANT: column `blob` is null, and bytes is read",
            "INVARIANT: column `two` is neither 0 nor 1",
        ]
    );
    assert!(!format!("{row:?}").contains("ecret"), "values are not shown: {row:?}");
}

pub(crate) fn an_error_rolls_back(place: &dyn Place) {
    let database = open(place);
    let result = database.write(&mut |tx| {
        tx.execute("INSERT INTO accounts (id) VALUES (1)", &[])?;
        Err(StoreError::Busy("for a test".to_string()))
    });
    assert!(matches!(result, Err(StoreError::Busy(_))));
    assert_eq!(count(&*database), 0);
    insert(&*database, 1, "x").unwrap();
    assert_eq!(count(&*database), 1);
}

pub(crate) fn a_panic_rolls_back(place: &dyn Place) {
    let database = open(place);
    for _ in 0..10 {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            database.write(&mut |tx| {
                tx.execute("INSERT INTO accounts (id) VALUES (1)", &[])?;
                panic!("for a test")
            })
        }));
        assert!(panicked.is_err());
        let panicked = catch_unwind(AssertUnwindSafe(|| database.read(&mut |_| panic!("for a test"))));
        assert!(panicked.is_err());
    }
    assert_eq!(count(&*database), 0);
    insert(&*database, 1, "x").unwrap();
    assert_eq!(count(&*database), 1);
}

pub(crate) fn a_failed_statement_ends_its_transaction(place: &dyn Place) {
    let database = open(place);
    insert(&*database, 1, "x").unwrap();
    let result = write_transaction(&*database, |tx| {
        tx.execute("INSERT INTO accounts (id) VALUES (2)", &[])?;
        assert!(tx.execute("INSERT INTO accounts (id) VALUES (1)", &[]).is_err());
        // An error that is swallowed commits nothing.
        Ok(())
    });
    assert!(matches!(result, Err(StoreError::Programming(_))), "{result:?}");
    let result = write_transaction(&*database, |tx| {
        assert!(tx.script("SELECT nonsense").is_err());
        tx.execute("INSERT INTO accounts (id) VALUES (3)", &[])
    });
    assert!(matches!(result, Err(StoreError::Programming(_))), "{result:?}");
    assert_eq!(count(&*database), 1);
    // What is expected to exist is said in SQL.
    let sql = "INSERT INTO accounts (id) VALUES ($1) ON CONFLICT DO NOTHING";
    let changed = write_transaction(&*database, |tx| Ok(tx.execute(sql, &[1.into()])? + tx.execute(sql, &[2.into()])?));
    assert_eq!(changed.unwrap(), 1);
    assert_eq!(count(&*database), 2);
}

pub(crate) fn transactions_do_not_nest(place: &dyn Place) {
    let database = open(place);
    type Inner = fn(&dyn Database) -> Result<(), StoreError>;
    let inner: [Inner; 2] = [|database| database.read(&mut |_| Ok(())), |database| insert(database, 1, "x").map(drop)];
    for nested in inner {
        let result = database.write(&mut |_| nested(&*database));
        assert!(matches!(result, Err(StoreError::Programming(_))), "{result:?}");
        let result = database.read(&mut |_| nested(&*database));
        assert!(matches!(result, Err(StoreError::Programming(_))), "{result:?}");
    }
    insert(&*database, 1, "x").unwrap();
}

pub(crate) fn duplicates_name_their_key(place: &dyn Place) {
    let database = open(place);
    insert(&*database, 1, "secret)=(").unwrap();
    let error = insert(&*database, 2, "secret)=(").unwrap_err();
    assert!(error.is_duplicate_of("accounts", "lender, name"), "{error:?}");
    assert!(!error.is_duplicate_of("accounts", "name"));
    assert_eq!(error.to_string(), "a row with the same `lender, name` is already in `accounts`");
    let error = insert(&*database, 1, "other").unwrap_err();
    assert!(error.is_duplicate_of("accounts", "id"), "{error:?}");
    let sql = "INSERT INTO accounts (id, blob, truth) VALUES ($1, $2, $3)";
    let add = |id: i64, truth: bool| {
        write_transaction(&*database, |tx| tx.execute(sql, &[id.into(), vec![9_u8].into(), truth.into()]))
    };
    add(3, true).unwrap();
    add(4, false).unwrap();
    assert!(add(5, true).unwrap_err().is_duplicate_of("accounts", "blob"));
}

pub(crate) fn constraints_are_named(place: &dyn Place) {
    let database = open(place);
    for (sql, word) in [
        ("INSERT INTO accounts (id, parent) VALUES ($1, 12345)", "FOREIGN"),
        ("INSERT INTO accounts (id, truth) VALUES ($1, 2)", "truth"),
        ("INSERT INTO events (id, amount) VALUES ($1, NULL)", "amount"),
    ] {
        let error = write_transaction(&*database, |tx| tx.execute(sql, &[4711_i64.into()])).unwrap_err();
        let StoreError::Constraint(message) = &error else { panic!("{sql}: {error:?}") };
        assert!(message.to_uppercase().contains(&word.to_uppercase()), "{message}");
        assert!(!message.contains("4711") && !message.contains("12345"), "{message}");
    }
}

/// The server says that such a commit did not happen, so its outcome is known.
pub(crate) fn a_refused_commit_leaves_nothing(place: &dyn Place) {
    let database = open(place);
    for _ in 0..10 {
        let error = write_transaction(&*database, |tx| {
            tx.execute("INSERT INTO accounts (id) VALUES (1)", &[])?;
            tx.execute("INSERT INTO late (event) VALUES (12345)", &[])
        });
        let error = error.unwrap_err();
        let StoreError::Constraint(message) = &error else { panic!("{error:?}") };
        assert!(message.contains("FOREIGN KEY") && !message.contains("12345"), "{message}");
        assert_eq!(count(&*database), 0);
    }
    insert(&*database, 1, "x").unwrap();
}

pub(crate) fn what_is_append_only_stays(place: &dyn Place) {
    let database = open(place);
    write_transaction(&*database, |tx| tx.execute("INSERT INTO events (id, amount) VALUES (1, 5)", &[])).unwrap();
    let error = write_transaction(&*database, |tx| tx.execute("UPDATE events SET amount = 6", &[])).unwrap_err();
    assert!(matches!(&error, StoreError::AppendOnly(message) if message == "append-only: events"), "{error:?}");
    assert_eq!(query(&*database, "SELECT amount FROM events")[0].integer("amount").unwrap(), 5);
}

pub(crate) fn a_read_writes_nothing(place: &dyn Place) {
    let database = open(place);
    let sql = "INSERT INTO accounts (id) VALUES (1)";
    for error in [
        read_transaction(&*database, |tx| tx.execute(sql, &[])).unwrap_err(),
        read_transaction(&*database, |tx| tx.query(&format!("{sql} RETURNING id"), &[])).unwrap_err(),
        read_transaction(&*database, |tx| tx.script(sql)).unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Programming(_)), "{error:?}");
    }
    assert_eq!(count(&*database), 0);
    insert(&*database, 1, "x").unwrap();
}

pub(crate) fn writers_take_turns(place: &dyn Place) {
    let database = open(place);
    write_transaction(&*database, |tx| tx.execute("INSERT INTO events (id, amount) VALUES (0, 0)", &[])).unwrap();
    thread::scope(|scope| {
        for thread in 0..8_i64 {
            let database = &database;
            scope.spawn(move || {
                for turn in 0..10 {
                    write_transaction(&**database, |tx| {
                        let values = [(1 + thread * 10 + turn).into(), 1.into()];
                        tx.execute("INSERT INTO events (id, amount) VALUES ($1, $2)", &values)
                    })
                    .unwrap();
                    let rows =
                        read_transaction(&**database, |tx| tx.query("SELECT COUNT(*) AS n FROM events", &[])).unwrap();
                    assert!(rows[0].integer("n").unwrap() > turn + 1);
                }
            });
        }
    });
    let rows = query(&*database, "SELECT CAST(SUM(amount) AS BIGINT) AS sum FROM events");
    assert_eq!(rows[0].integer("sum").unwrap(), 80);
}

/// `$2` before `$1`, and some more than once: each is the value of its number.
pub(crate) fn placeholders_are_bound_by_number(place: &dyn Place) {
    let database = open(place);
    let numbers = prop::collection::vec(1..=4_usize, 1..12);
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() });
    let checked = runner.run(&(numbers, prop::array::uniform4(any::<i64>())), |(numbers, given)| {
        let count = numbers.iter().copied().max().unwrap_or(0);
        let values: Vec<SqlValue> = given[..count].iter().copied().map(SqlValue::from).collect();
        let cells: Vec<String> =
            numbers.iter().enumerate().map(|(at, number)| format!("CAST(${number} AS BIGINT) AS c{at}")).collect();
        let result = read_transaction(&*database, |tx| tx.query(&format!("SELECT {}", cells.join(", ")), &values));
        if check_values(numbers.iter().copied(), &values).is_err() {
            prop_assert!(matches!(result, Err(StoreError::Programming(_))));
            return Ok(());
        }
        let rows = result.unwrap();
        for (at, number) in numbers.iter().enumerate() {
            prop_assert_eq!(rows[0].integer(&format!("c{at}")).unwrap(), given[number - 1]);
        }
        Ok(())
    });
    checked.unwrap();
    // Too few, too many, and none.
    for (sql, values) in [
        ("SELECT CAST($1 AS BIGINT) AS a, CAST($2 AS BIGINT) AS b", vec![SqlValue::from(1)]),
        ("SELECT CAST($1 AS BIGINT) AS a", vec![1.into(), 2.into()]),
        ("SELECT 1 AS a", vec![1.into()]),
        ("SELECT CAST($2 AS BIGINT) AS a", vec![1.into(), 2.into()]),
    ] {
        let result = read_transaction(&*database, |tx| tx.query(sql, &values));
        assert!(matches!(result, Err(StoreError::Programming(_))), "{sql}: {result:?}");
    }
}

pub(crate) fn texts_are_kept_to_the_byte(place: &dyn Place) {
    let database = open(place);
    let long = "ü".repeat(100_000);
    for (id, text) in [(1, ""), (2, " "), (3, "a\nb"), (4, long.as_str()), (5, "NULL"), (6, "e\u{301}")] {
        insert(&*database, id, text).unwrap();
        let sql = "SELECT name FROM accounts WHERE id = $1 AND name = $2";
        let rows = read_transaction(&*database, |tx| tx.query(sql, &[id.into(), text.into()])).unwrap();
        assert_eq!(rows[0].text("name").unwrap(), text);
    }
}

pub(crate) fn a_transaction_does_not_end_itself(place: &dyn Place) {
    let database = open(place);
    for sql in ["COMMIT", " rollback", "END;", "BEGIN", "SAVEPOINT a"] {
        for result in [
            write_transaction(&*database, |tx| tx.script(sql)),
            write_transaction(&*database, |tx| tx.execute(sql, &[]).map(drop)),
            write_transaction(&*database, |tx| tx.query(sql, &[]).map(drop)),
            read_transaction(&*database, |tx| tx.query(sql, &[]).map(drop)),
        ] {
            assert!(matches!(result, Err(StoreError::Programming(_))), "{sql}: {result:?}");
        }
    }
    insert(&*database, 1, "x").unwrap();
    // What PostgreSQL cannot keep, SQLite does not take.
    assert!(matches!(insert(&*database, 2, "a\0b"), Err(StoreError::Programming(_))));
    assert_eq!(count(&*database), 1);
}

pub(crate) fn an_instance_lives_until_it_withdraws(place: &dyn Place) {
    let database = open(place);
    assert!(matches!(database.check_lease(), Err(StoreError::LeaseLost(_))));
    let first = database.enlist(1).unwrap();
    database.check_lease().unwrap();
    assert!(database.is_alive(first).unwrap());
    assert!(matches!(database.enlist(2), Err(StoreError::Programming(_))), "a process is one instance");
    database.withdraw().unwrap();
    assert!(matches!(database.check_lease(), Err(StoreError::LeaseLost(_))));
    // A server may need a moment to notice that the connection is closed.
    let from = Instant::now();
    while database.is_alive(first).unwrap() {
        assert!(from.elapsed() < Duration::from_secs(60), "it is still alive");
        thread::sleep(Duration::from_millis(10));
    }
    let second = database.enlist(3).unwrap();
    assert!(second > first);
    assert_eq!(database.dead_among(&[first, second]).unwrap(), [first]);
    // A transaction may ask for the lease.
    database.write(&mut |_| database.check_lease()).unwrap();
}

pub(crate) fn a_read_sees_one_state(place: &dyn Place) {
    let database = open(place);
    let other = open(place);
    insert(&*database, 1, "x").unwrap();
    let number = |tx: &mut dyn Transaction| tx.query("SELECT COUNT(*) AS n FROM accounts", &[])?[0].integer("n");
    let seen = read_transaction(&*database, |tx| {
        let before = number(tx)?;
        let other = &other;
        thread::scope(|scope| scope.spawn(move || insert(&**other, 2, "y")).join().unwrap())?;
        Ok((before, number(tx)?))
    });
    assert_eq!(seen.unwrap(), (1, 1));
    assert_eq!(count(&*database), 2);
}

pub(crate) fn state_outlives_the_database(place: &dyn Place) {
    insert(&*open(place), 1, "x").unwrap();
    assert_eq!(query(&*open(place), "SELECT name FROM accounts")[0].text("name").unwrap(), "x");
}

pub(crate) fn migrations_are_applied_once(place: &dyn Place) {
    assert_eq!(count_applied(&*place.open(&[]).unwrap()).unwrap(), 0);
    assert_eq!(count_applied(&*place.open(&SCHEMA[..1]).unwrap()).unwrap(), 1);
    let database = open(place);
    assert_eq!(count_applied(&*database).unwrap(), 2);
    assert_eq!(count_applied(&*open(place)).unwrap(), 2);
    let rows = query(&*database, "SELECT name, at FROM migrations ORDER BY number");
    let names: Vec<&str> = rows.iter().map(|row| row.text("name").unwrap()).collect();
    assert_eq!(names, ["accounts", "events"]);
}

pub(crate) fn a_newer_schema_is_refused(place: &dyn Place) {
    drop(open(place));
    let Err(error) = place.open(&SCHEMA[..1]) else { panic!("it was opened") };
    assert!(matches!(error, StoreError::NewerSchema { database: 2, program: 1 }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "the database is at migration 2 and this program knows migrations up to 1: use a newer program"
    );
}

pub(crate) fn a_changed_migration_is_refused(place: &dyn Place) {
    drop(open(place));
    let changes: [fn(&mut Migration); 3] = [
        |migration| migration.sqlite = "SELECT 1",
        |migration| migration.postgres = "SELECT 1",
        |migration| migration.name = "other",
    ];
    for change in changes {
        let mut changed = SCHEMA.to_vec();
        change(&mut changed[0]);
        let Err(error) = place.open(&changed) else { panic!("it was opened") };
        assert!(matches!(&error, StoreError::ChangedMigration { number: 1, name } if name == "accounts"), "{error:?}");
    }
    drop(open(place));
    let gap = [Migration { number: 3, ..SCHEMA[0] }];
    assert!(matches!(place.open(&gap), Err(StoreError::Programming(_))));
}

pub(crate) fn a_failed_migration_leaves_nothing(place: &dyn Place) {
    let broken = "CREATE TABLE half (id INTEGER); CREATE NONSENSE;";
    let mut migrations = SCHEMA[..1].to_vec();
    migrations.push(Migration { number: 2, name: "broken", sqlite: broken, postgres: broken });
    assert!(place.open(&migrations).is_err());
    let database = place.open(&SCHEMA[..1]).unwrap();
    assert_eq!(count_applied(&*database).unwrap(), 1);
    assert!(read_transaction(&*database, |tx| tx.query("SELECT id FROM half", &[])).is_err());
}

pub(crate) fn many_open_at_once(place: &dyn Place) {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| place.open(SCHEMA).map(drop))).collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    assert_eq!(count_applied(&*open(place)).unwrap(), 2);
}

pub(crate) fn numbers_of_instances_are_never_reused(place: &dyn Place) {
    let mut before = None;
    for at in 0..3 {
        let database = open(place);
        let instance = database.enlist(at).unwrap();
        assert!(before < Some(instance));
        let watcher = open(place);
        assert!(watcher.is_alive(instance).unwrap(), "another process sees it");
        let dead: Vec<_> = before.into_iter().collect();
        assert_eq!(watcher.dead_among(&dead).unwrap(), dead);
        // It ends as a process does: the system frees what it held.
        drop(database);
        // A server notices it a moment later.
        let ended = Instant::now() + Duration::from_secs(20);
        while watcher.is_alive(instance).unwrap() {
            assert!(Instant::now() < ended, "it is still alive");
            thread::sleep(Duration::from_millis(5));
        }
        before = Some(instance);
    }
}
