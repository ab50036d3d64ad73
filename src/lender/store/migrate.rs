//! Migrations: numbered steps of a schema, forward only, each in a transaction of its own.
//!
//! Several processes may open a database at the same time: a step is applied under a lock, and the second process finds
//! it applied.

use super::database::{Database, Dialect, Transaction, read_transaction, write_transaction};
use super::error::StoreError;
use super::value::SqlValue;
use crate::base::digest::Hasher;

/// A step of a schema. Its number and texts never change once it has shipped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Migration {
    /// 1 for the first, and so on without gaps.
    pub(crate) number: i64,
    pub(crate) name: &'static str,
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

impl Migration {
    fn sql(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }

    /// Of both texts: a program that changes one of them is another program.
    fn digest(&self) -> String {
        let mut hasher = Hasher::new();
        for part in [self.name, self.sqlite, self.postgres] {
            hasher.update(part.as_bytes()).update(&[0]);
        }
        hasher.finish().to_string()
    }
}

/// The tables of this room. `instances` never uses a number twice.
const OWN_TABLES: Migration = Migration {
    number: 0,
    name: "own tables",
    sqlite: "CREATE TABLE IF NOT EXISTS migrations (
                 number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, at INTEGER NOT NULL
             ) STRICT;
             CREATE TABLE IF NOT EXISTS instances (
                 id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL
             ) STRICT;",
    postgres: "CREATE TABLE IF NOT EXISTS migrations (
                   number BIGINT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, at BIGINT NOT NULL
               );
               CREATE TABLE IF NOT EXISTS instances (
                   id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at BIGINT NOT NULL
               );",
};

/// The lock while a step is applied on PostgreSQL, for the whole database. SQLite has one writer anyway. A step may
/// take as long as it needs.
const LOCK: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
                    SELECT pg_advisory_xact_lock(5570193308);";

/// Brings a database to the last of `migrations`. `at_ms` is noted as the time.
///
/// # Errors
/// `NewerSchema` if the database has steps that the list has not, and `ChangedMigration` if one has another text;
/// nothing is changed then.
pub(crate) fn apply_migrations(
    database: &dyn Database,
    migrations: &[Migration],
    at_ms: i64,
) -> Result<(), StoreError> {
    check_list(migrations)?;
    write_transaction(database, |transaction| {
        lock_migrations(transaction)?;
        transaction.script(OWN_TABLES.sql(transaction.dialect()))?;
        check_applied(transaction, migrations).map(drop)
    })?;
    loop {
        let is_done = write_transaction(database, |transaction| {
            lock_migrations(transaction)?;
            let applied = check_applied(transaction, migrations)?;
            let Some(next) = migrations.get(applied) else { return Ok(true) };
            apply_one_migration(transaction, next, at_ms)?;
            Ok(false)
        })?;
        if is_done {
            return Ok(());
        }
    }
}

/// The number of the last applied step; 0 for an empty database.
pub(crate) fn count_applied(database: &dyn Database) -> Result<i64, StoreError> {
    read_transaction(database, |transaction| {
        let rows = transaction.query("SELECT COALESCE(MAX(number), 0) AS number FROM migrations", &[])?;
        rows.first().map_or(Ok(0), |row| row.integer("number"))
    })
}

/// How many steps are applied, without applying any; 0 for an empty database.
///
/// # Errors
/// As [`apply_migrations`].
pub(crate) fn count_migrations(database: &dyn Database, migrations: &[Migration]) -> Result<usize, StoreError> {
    read_transaction(database, |transaction| {
        let sql = match transaction.dialect() {
            Dialect::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'",
            Dialect::Postgres => {
                "SELECT CAST(tablename AS TEXT) AS name FROM pg_catalog.pg_tables WHERE tablename = 'migrations' AND \
                 schemaname = ANY (current_schemas(false))"
            }
        };
        match transaction.query(sql, &[])?.is_empty() {
            true => Ok(0),
            false => check_applied(transaction, migrations),
        }
    })
}

fn check_list(migrations: &[Migration]) -> Result<(), StoreError> {
    match (1..).zip(migrations).find(|(number, migration)| *number != migration.number) {
        None => Ok(()),
        Some((number, migration)) => {
            Err(StoreError::Programming(format!("migration {} is listed where {number} belongs", migration.number)))
        }
    }
}

fn lock_migrations(transaction: &mut dyn Transaction) -> Result<(), StoreError> {
    match transaction.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => transaction.script(LOCK),
    }
}

/// Compares what was applied with the list, and returns how many steps that is.
fn check_applied(transaction: &mut dyn Transaction, migrations: &[Migration]) -> Result<usize, StoreError> {
    let rows = transaction.query("SELECT number, name, digest FROM migrations ORDER BY number", &[])?;
    let newest = rows.last().map_or(Ok(0), |row| row.integer("number"))?;
    let known = migrations.last().map_or(0, |last| last.number);
    if newest > known {
        return Err(StoreError::NewerSchema { database: newest, program: known });
    }
    for (row, migration) in rows.iter().zip(migrations) {
        if row.integer("number")? != migration.number {
            return Err(StoreError::Damaged(format!("migration {} is missing", migration.number)));
        }
        if row.text("digest")? != migration.digest() {
            let name = row.text("name")?.to_string();
            return Err(StoreError::ChangedMigration { number: migration.number, name });
        }
    }
    Ok(rows.len())
}

fn apply_one_migration(transaction: &mut dyn Transaction, migration: &Migration, at_ms: i64) -> Result<(), StoreError> {
    transaction.script(migration.sql(transaction.dialect()))?;
    let values: [SqlValue; 4] =
        [migration.number.into(), migration.name.into(), migration.digest().into(), at_ms.into()];
    transaction.execute("INSERT INTO migrations (number, name, digest, at) VALUES ($1, $2, $3, $4)", &values)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Migration};

    #[test]
    fn each_database_has_its_text_and_the_digest_has_both() {
        let migration = Migration { number: 1, name: "a", sqlite: "b", postgres: "c" };
        assert_eq!((migration.sql(Dialect::Sqlite), migration.sql(Dialect::Postgres)), ("b", "c"));
        let moved = Migration { sqlite: "bc", postgres: "", ..migration };
        assert_ne!(migration.digest(), moved.digest());
    }
}
