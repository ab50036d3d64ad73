//! Opens the database that a configuration names: SQLite or PostgreSQL. Knows nothing of what is in it.

use std::path::Path;
use std::sync::Arc;

use crate::base::secret::Secret;
use crate::lender::config::{PasswordSource, StoreSettings};
use crate::lender::loan_book::MIGRATIONS;
use crate::lender::postgres;
use crate::lender::process::system_now;
use crate::lender::store::database::Database;
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
/// Why it cannot be used.
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

/// Looks at the database without changing it. Returns its name, with what starting would do to it. Blocks.
///
/// # Errors
/// Why it cannot be used.
pub(crate) fn examine_named_database(
    store: &StoreSettings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    match find_named_database(store, variable)? {
        NamedDatabase::Sqlite(path) => {
            let applied = sqlite::count_migrations(path, MIGRATIONS).map_err(|error| error.to_string())?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            match applied {
                None if !folder.is_dir() => Err(format!("the folder `{}` does not exist; make it", folder.display())),
                None => Ok(format!("SQLite, {}, which does not exist yet and will be made", path.display())),
                Some(applied) => Ok(format!("SQLite, {}, {}", path.display(), describe_migration_state(applied))),
            }
        }
        NamedDatabase::Postgres(url) => {
            let applied = postgres::count_migrations(&url, store.root_certificates.as_deref(), MIGRATIONS)
                .map_err(|error| error.to_string())?;
            Ok(format!("PostgreSQL, {}", describe_migration_state(applied)))
        }
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
