//! Opens or makes the database that a configuration names: SQLite or PostgreSQL. Knows nothing of what is in it.

use std::path::Path;
use std::sync::Arc;

use crate::base::secret::Secret;
use crate::lender::config::{PasswordSource, StoreSettings};
use crate::lender::loan_book::MIGRATIONS;
use crate::lender::postgres;
use crate::lender::process::system_now;
use crate::lender::store::database::Database;
use crate::lender::store::error::StoreError;
use crate::lender::store::sqlite;

/// Which database a configuration names.
enum NamedDatabase<'a> {
    Sqlite(&'a Path),
    Postgres(Secret),
}

/// An open database, and its name for people, without a password.
pub(crate) struct Opened {
    pub(crate) database: Arc<dyn Database>,
    pub(crate) name: String,
}

/// Opens the database, and brings it to the newest schema. Blocks. `variable` looks up an environment variable.
///
/// # Errors
/// Why it cannot be used: also because there is none.
pub(crate) fn open_named_database(
    store: &StoreSettings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Opened, String> {
    let at = system_now().milliseconds();
    match find_named_database(store, variable)? {
        NamedDatabase::Sqlite(path) => {
            let database = sqlite::open_sqlite_file(path, MIGRATIONS, at).map_err(|error| error.to_string())?;
            Ok(Opened { database: Arc::new(database), name: format!("SQLite, {}", path.display()) })
        }
        NamedDatabase::Postgres(url) => {
            let database = postgres::open_postgres_store(&url, store.root_certificates.as_deref(), MIGRATIONS, at)
                .map_err(|error| error.to_string())?;
            let name = format!("PostgreSQL, {database}");
            Ok(Opened { database: Arc::new(database), name })
        }
    }
}

/// Makes a new, empty database, and returns its name. Blocks.
///
/// # Errors
/// If there is one, or traces of one, and if it cannot be made.
pub(crate) fn make_named_database(
    store: &StoreSettings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let at = system_now().milliseconds();
    store.seen_file.as_deref().map_or(Ok(()), refuse_trace)?;
    match find_named_database(store, variable)? {
        NamedDatabase::Sqlite(path) => {
            refuse_traces(path)?;
            sqlite::make_sqlite_file(path, MIGRATIONS, at).map_err(|error| error.to_string())?;
            Ok(format!("SQLite, {}", path.display()))
        }
        NamedDatabase::Postgres(url) => {
            let certificates = store.root_certificates.as_deref();
            let applied = postgres::count_migrations(&url, certificates, MIGRATIONS).map_err(|error| error.to_string());
            if applied? > 0 {
                return Err("there is a loan book already; start without `--init`".to_owned());
            }
            let made = postgres::make_postgres_store(&url, certificates, MIGRATIONS, at);
            Ok(format!("PostgreSQL, {}", made.map_err(|error| error.to_string())?))
        }
    }
}

/// Refuses to make a database where one is, or was: SQLite would take its log for that of the new one, and what was
/// sent from the lost one would be sent again.
fn refuse_traces(path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(format!("the folder `{}` does not exist; make it", folder.display()));
    }
    let is_empty = std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == 0);
    if path.symlink_metadata().is_ok() && !is_empty {
        return Err(format!("there is a database `{}` already; start without `--init`", path.display()));
    }
    for ending in ["-wal", "-journal", ".seen"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        refuse_trace(Path::new(&name))?;
    }
    Ok(())
}

fn refuse_trace(trace: &Path) -> Result<(), String> {
    match trace.exists() {
        true => Err(format!(
            "`{}` is of a database that was here: put that one back, or restore a backup; remove the file only if no \
             loan of it matters any more",
            trace.display()
        )),
        false => Ok(()),
    }
}

/// Looks at the database without changing it. Returns its name, with what starting would do to it. Blocks.
///
/// # Errors
/// Why it cannot be used: also because there is none.
pub(crate) fn examine_named_database(
    store: &StoreSettings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let (name, applied) = match find_named_database(store, variable)? {
        NamedDatabase::Sqlite(path) => {
            let applied = sqlite::count_migrations(path, MIGRATIONS).map_err(|error| error.to_string())?;
            (format!("SQLite, {}", path.display()), applied)
        }
        NamedDatabase::Postgres(url) => {
            let applied = postgres::count_migrations(&url, store.root_certificates.as_deref(), MIGRATIONS)
                .map_err(|error| error.to_string())?;
            ("PostgreSQL".to_owned(), applied)
        }
    };
    match applied {
        0 => Err(StoreError::Missing(format!("{name} holds no loan book")).to_string()),
        applied => Ok(format!("{name}, {}", describe_migration_state(applied))),
    }
}

fn describe_migration_state(applied: usize) -> String {
    match MIGRATIONS.len().saturating_sub(applied) {
        0 => format!("at migration {applied}, the newest"),
        missing => format!("at migration {applied}, {missing} to be applied"),
    }
}

fn find_named_database<'a>(
    store: &'a StoreSettings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<NamedDatabase<'a>, String> {
    match (&store.path, &store.url, &store.url_from) {
        (Some(path), ..) => Ok(NamedDatabase::Sqlite(path)),
        (_, Some(url), _) => Ok(NamedDatabase::Postgres(Secret::new(url.as_str()))),
        (_, _, Some(source)) => read_database_url(source, variable).map(NamedDatabase::Postgres),
        _ => Err("no database is named".to_owned()),
    }
}

fn read_database_url(source: &PasswordSource, variable: &dyn Fn(&str) -> Option<String>) -> Result<Secret, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime to read the URL: {error}"))?;
    runtime.block_on(source.read(variable))
}
