//! The options that name a book of decisions, and the book that they name. Knows nothing of what is in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::output::Failure;
use crate::base::secret::Secret;
use crate::decision_book::{DecisionBook, MIGRATIONS};
use crate::lender::postgres::{make_postgres_store, open_postgres_store};
use crate::lender::process::{BookVault, system_now};
use crate::lender::runner::Vault;
use crate::lender::store::database::Database;
use crate::lender::store::error::StoreError;
use crate::lender::store::seal::keys;
use crate::lender::store::sqlite;

/// The options of a command that reads a book.
#[derive(Debug, Clone, Args)]
pub struct DecisionBookArgs {
    /// The book of decisions of `lendwright api`: a file of SQLite, or `postgres` for PostgreSQL, with its address in
    /// the environment variable LENDWRIGHT_BOOK_URL
    #[arg(long, value_name = "FILE|postgres")]
    pub book: PathBuf,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub keys: BookKeysArgs,
}

/// The options that say how a book is sealed.
#[derive(Debug, Clone, Default, Args)]
pub struct BookKeysArgs {
    /// The file with the keys that seal what is personal in the book: a line `1:KEY` and a line `lookup:KEY`, each key
    /// as `openssl rand -hex 32` prints it
    #[arg(long, value_name = "FILE", conflicts_with = "book_readable")]
    pub book_keys: Option<PathBuf>,
    /// Keep decisions readable for everybody who can read the book
    #[arg(long)]
    pub book_readable: bool,
}

/// The environment variable with the address of a book in PostgreSQL.
const URL_VARIABLE: &str = "LENDWRIGHT_BOOK_URL";

impl DecisionBookArgs {
    /// Opens the book that the options name.
    pub(crate) fn open(&self) -> Result<DecisionBook, Failure> {
        open_decision_book(&self.book, &self.keys, false)
    }
}

/// Opens a book; makes it if there is none and `may_make`.
pub(crate) fn open_decision_book(book: &PathBuf, keys: &BookKeysArgs, may_make: bool) -> Result<DecisionBook, Failure> {
    open_book_with_vault(book, open_vault(keys)?, may_make)
}

/// As [`open_decision_book`], with a vault that is there already.
pub(crate) fn open_book_with_vault(
    book: &PathBuf,
    vault: Arc<dyn Vault>,
    may_make: bool,
) -> Result<DecisionBook, Failure> {
    let at = system_now().milliseconds();
    let database: Arc<dyn Database> = match book.as_os_str() == "postgres" {
        true => {
            let url = std::env::var(URL_VARIABLE).map(Secret::new).map_err(|_| {
                Failure::Message(format!("`--book postgres` needs the address in the variable {URL_VARIABLE}"))
            })?;
            let open = if may_make { make_postgres_store } else { open_postgres_store };
            Arc::new(open(&url, None, MIGRATIONS, at).map_err(|error| say_why(book, &error))?)
        }
        false => {
            let is_new = std::fs::metadata(book).map_or(true, |file| file.len() == 0);
            let open = if may_make && is_new { sqlite::make_sqlite_file } else { sqlite::open_sqlite_file };
            Arc::new(open(book, MIGRATIONS, at).map_err(|error| say_why(book, &error))?)
        }
    };
    DecisionBook::open(database, vault).map_err(|error| say_why(book, &error))
}

/// Why a book cannot be opened. The messages of the store are about books of loans.
fn say_why(book: &Path, error: &StoreError) -> Failure {
    let book = book.display();
    Failure::Message(match error {
        StoreError::Missing(_) => {
            format!("`{book}` holds no decisions; `lendwright api --book` makes a book, in a file of its own")
        }
        StoreError::NewerSchema { .. } | StoreError::ChangedMigration { .. } => {
            format!("`{book}` is a database of something else, or of a newer lendwright")
        }
        StoreError::WrongKeys(why) => format!("the keys are not those of `{book}`: {why}"),
        other => other.to_string(),
    })
}

fn open_vault(keys: &BookKeysArgs) -> Result<Arc<dyn Vault>, Failure> {
    match (&keys.book_keys, keys.book_readable) {
        (Some(path), _) => {
            let ring = keys::from_file(path).map_err(Failure::message)?;
            Ok(Arc::new(BookVault::Keys(Box::new(ring))))
        }
        (None, true) => Ok(Arc::new(BookVault::Readable)),
        (None, false) => Err(Failure::message(
            "a book holds what is personal: give `--book-keys FILE`, by which it is sealed, or `--book-readable` to \
             keep it readable",
        )),
    }
}
