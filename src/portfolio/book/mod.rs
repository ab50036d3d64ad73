//! A table of metrics that knows by which formulas it was computed, from what, and by which engine. Policies are
//! judged from it as long as they need nothing else of the statements. Must not know what policies decide.

mod columns;
mod make;
mod source;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use polars::prelude::{DataFrame, DataType};
use serde::{Deserialize, Serialize};

pub use self::make::{BookPlan, same_rows};
pub use self::source::{FileSource, MemorySource};
use crate::decision::{MetricSource, MetricsCache};
use crate::files::{self, parquet_columns, parquet_note, write_parquet_noted};
use crate::rules::node_keys::NodeKey;
use crate::words::date::Day;

/// The engine that computes: part of what a table depends on.
pub const ENGINE: &str = concat!("lendwright ", env!("CARGO_PKG_VERSION"));

/// The key of the note in a Parquet file.
const NOTE: &str = "lendwright.metrics";

/// Columns that every table of metrics starts with.
pub const HEAD: [&str; 3] = ["customer", "statement", "as_of"];

/// What a table of metrics depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookNote {
    /// The engine.
    pub engine: String,
    /// The day that was asked for; without one, each statement's last day.
    pub as_of: Option<Day>,
    /// What was read, and how.
    pub inputs: Vec<(String, String)>,
    /// For each column the key of its formula.
    pub columns: BTreeMap<String, String>,
}

/// A table of metrics on disk.
#[derive(Clone, Debug)]
pub struct Book {
    pub path: PathBuf,
    pub note: BookNote,
}

/// Why a table of metrics cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file.
    #[error(transparent)]
    File(#[from] files::Error),
    /// Its content.
    #[error("{}: {what}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
}

impl Book {
    /// Opens a table of metrics; `None` if the file is none.
    ///
    /// # Errors
    /// If it cannot be read, or another engine made it: formulas may mean something else there.
    pub fn open(path: &Path) -> Result<Option<Book>, BookError> {
        let Some(note) = parquet_note(path, NOTE)? else { return Ok(None) };
        let wrong = |what: String| BookError::Content { path: path.to_owned(), what };
        let note: BookNote = serde_json::from_str(&note)
            .map_err(|error| wrong(format!("its note on metrics cannot be read ({error}); make the table again")))?;
        if note.engine != ENGINE {
            return Err(wrong(format!(
                "`{}` computed these metrics, and this is `{ENGINE}`; make the table again with `lendwright metrics`",
                note.engine
            )));
        }
        Ok(Some(Book { path: path.to_owned(), note }))
    }

    /// Writes a table of metrics.
    pub fn write(frame: &DataFrame, note: &BookNote, path: &Path) -> Result<(), BookError> {
        let text = serde_json::to_string(note)
            .map_err(|error| BookError::Content { path: path.to_owned(), what: error.to_string() })?;
        Ok(write_parquet_noted(frame, path, NOTE, text)?)
    }

    /// The keys of its columns.
    pub fn keys(&self) -> BTreeMap<NodeKey, String> {
        let pairs = self.note.columns.iter();
        pairs.filter_map(|(name, key)| Some((NodeKey::from_text(key)?, name.clone()))).collect()
    }

    /// Some of its columns.
    pub fn columns(&self, names: &[&str]) -> Result<DataFrame, BookError> {
        Ok(parquet_columns(&self.path, names)?)
    }
}

/// A portfolio ready to be judged: who its customers are, and their metrics.
pub struct Portfolio {
    /// The customer of each row.
    pub customers: Vec<String>,
    /// Their metrics.
    pub cache: MetricsCache,
    /// What was read.
    pub inputs: Vec<(String, String)>,
    /// Reads other columns: segments.
    pub columns: columns::OtherColumns,
    /// What was counted of the latest judgements.
    pub summaries: crate::portfolio::backtest::Kept,
}

impl Portfolio {
    /// Opens a table of metrics; `None` if the file is none. Columns are read when a policy needs them.
    ///
    /// # Errors
    /// If it cannot be read, another engine made it, or a customer comes twice.
    pub fn open(path: &Path) -> Result<Option<Portfolio>, BookError> {
        Book::open(path)?.map(Portfolio::from_book).transpose()
    }

    /// About how many bytes the metrics in memory take, with what was computed from them.
    pub fn bytes(&self) -> usize {
        self.cache.bytes()
    }

    /// The portfolio in a table of metrics.
    ///
    /// # Errors
    /// If its columns cannot be read, or a customer comes twice.
    pub fn from_book(book: Book) -> Result<Portfolio, BookError> {
        let head = book.columns(&HEAD)?;
        let inputs = vec![(book.path.display().to_string(), book.digest()?)];
        let (path, given) = (book.path.clone(), book.note.as_of.is_some());
        let source = FileSource::new(&book);
        let columns = columns::OtherColumns::File(path.clone());
        Portfolio::new(&head, given, Box::new(source), inputs, columns)
            .map_err(|what| BookError::Content { path, what })
    }

    /// The portfolio of a frame with the columns of [`HEAD`] and one for each key.
    ///
    /// # Errors
    /// If a customer comes twice, or has no name.
    pub fn from_frame(
        frame: DataFrame,
        keys: BTreeMap<NodeKey, String>,
        as_of: Option<Day>,
        inputs: Vec<(String, String)>,
    ) -> Result<Portfolio, String> {
        let head = frame.select(HEAD).map_err(|error| error.to_string())?;
        let columns = columns::OtherColumns::Frame(frame.clone());
        let source = MemorySource { frame, keys };
        Portfolio::new(&head, as_of.is_some(), Box::new(source), inputs, columns)
    }

    fn new(
        head: &DataFrame,
        days_are_given: bool,
        source: Box<dyn MetricSource>,
        inputs: Vec<(String, String)>,
        columns: columns::OtherColumns,
    ) -> Result<Portfolio, String> {
        let customers = customers(head)?;
        let days = days(head)?;
        Ok(Portfolio {
            customers,
            cache: MetricsCache::new(days, days_are_given, source),
            inputs,
            columns,
            summaries: Vec::new(),
        })
    }
}

/// Who each row is, by its customer, or else by its statement.
fn customers(head: &DataFrame) -> Result<Vec<String>, String> {
    let column = |name: &str| head.column(name).and_then(|column| column.str().cloned()).map_err(|e| e.to_string());
    let (customers, statements) = (column("customer")?, column("statement")?);
    let mut names = Vec::with_capacity(head.height());
    for (customer, statement) in customers.iter().zip(statements.iter()) {
        let name = customer.or(statement).filter(|name| !name.is_empty());
        names.push(name.ok_or("a row names neither its customer nor its statement")?.to_owned());
    }
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!(
            "customer `{}` has several rows, and a backtest counts customers; merge the accounts of a customer \
             (`lendwright metrics --merge`)",
            pair[0]
        )),
        None => Ok(names),
    }
}

fn days(head: &DataFrame) -> Result<Vec<Option<Day>>, String> {
    let column = head.column("as_of").map_err(|error| error.to_string())?;
    if *column.dtype() == DataType::Null {
        return Ok(vec![None; head.height()]);
    }
    if *column.dtype() != DataType::Date {
        return Err("the column `as_of` does not hold dates".to_owned());
    }
    let days = column.to_physical_repr();
    let days = days.i32().map_err(|error| error.to_string())?;
    let day = |day: Option<i32>| match day.map(Day::checked_from_days) {
        Some(None) => Err("the column `as_of` has a day outside the supported years".to_owned()),
        Some(day) => Ok(day),
        None => Ok(None),
    };
    days.iter().map(day).collect()
}

impl Book {
    /// A digest of what the table says it is: two tables with one digest have the same values.
    fn digest(&self) -> Result<String, BookError> {
        Ok(crate::words::digest::Digest::compute(format!("{:?}", self.note).as_bytes()).to_string())
    }
}
