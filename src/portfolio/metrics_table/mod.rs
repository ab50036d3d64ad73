//! A table of metrics that knows by which formulas it was computed, from what, and by which engine. Policies are
//! judged from it as long as they need nothing else of the statements. Must not know what policies decide.

mod columns;
mod make;
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};

pub use self::columns::OtherColumns;
pub use self::make::{BookPlan, PlannedColumn, metric_keys, same_rows};
pub use self::source::{FileSource, MemorySource};
use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::base::engine::describe_engine;
use crate::rules::node_keys::NodeKey;
use crate::run::files::{self, digest_file, parquet_columns, parquet_note, parquet_shape, write_parquet_noted};

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
    /// The digest of the file of values that was written with it.
    pub values: Option<Digest>,
    /// Whether each row has a day of its own that was given, as decisions that were made have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub days_are_given: bool,
}

impl BookNote {
    /// The note of a table that this engine computes. Writing the table adds what its columns are.
    pub fn new(as_of: Option<Day>, inputs: Vec<(String, String)>) -> BookNote {
        BookNote {
            engine: describe_engine().to_owned(),
            as_of,
            inputs,
            columns: BTreeMap::new(),
            values: None,
            days_are_given: false,
        }
    }
}

/// A table of metrics on disk. Unnamed values that rules take from records, and columns of earlier rules, are in a
/// file beside it, so that the table has the metrics of the rules and nothing else.
#[derive(Clone, Debug)]
pub struct Book {
    pub path: PathBuf,
    pub note: BookNote,
    /// The file beside it, and the keys of its columns by name. `None` if it is missing, or was written with another
    /// table.
    values: Option<(PathBuf, BTreeMap<String, String>)>,
}

/// The file beside a table of metrics: `book.values.parquet` for `book.parquet`.
pub fn values_path(path: &Path) -> PathBuf {
    path.with_extension("values.parquet")
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
        let Some(note) = read_note(path)? else { return Ok(None) };
        if !has_customers(path)? {
            let what = "these are the values beside a table of metrics; name the table".to_owned();
            return Err(BookError::Content { path: path.to_owned(), what });
        }
        if note.engine != describe_engine() {
            let what = format!(
                "`{}` computed these metrics, and this is `{}`; make the table again with `lendwright metrics`",
                note.engine,
                describe_engine()
            );
            return Err(BookError::Content { path: path.to_owned(), what });
        }
        let beside = values_path(path);
        let values = match note.values {
            Some(written) if beside.is_file() && digest_of(&beside)? == written => read_note(&beside)?,
            Some(_) | None => None,
        };
        // Two runs at once may have written one file each.
        let is_own = |values: &BookNote| (&values.as_of, &values.inputs) == (&note.as_of, &note.inputs);
        let values = values.filter(is_own);
        let values = values.map(|values| (beside, values.columns));
        Ok(Some(Book { path: path.to_owned(), note, values }))
    }

    /// Writes a table of metrics as `plan` has it, and the other columns beside it.
    pub fn write(frame: &DataFrame, plan: &BookPlan, note: &BookNote, path: &Path) -> Result<(), BookError> {
        let wrong = |what: String| BookError::Content { path: path.to_owned(), what };
        let part = |is_metric: bool, head: &[&str], note: &BookNote, path: &Path| -> Result<(), BookError> {
            let columns = || plan.columns.iter().filter(|column| column.is_metric == is_metric);
            let keys = columns().map(|column| (column.name.clone(), column.key.to_string())).collect();
            let note = BookNote { columns: keys, ..note.clone() };
            let text = serde_json::to_string(&note).map_err(|error| wrong(error.to_string()))?;
            let names = head.iter().copied().chain(columns().map(|column| column.name.as_str()));
            let frame = frame.select(names).map_err(|error| wrong(error.to_string()))?;
            Ok(write_parquet_noted(&frame, path, NOTE, text)?)
        };
        let (mut note, beside) = (note.clone(), values_path(path));
        if plan.has_values() {
            part(false, &[], &note, &beside)?;
            note.values = Some(digest_of(&beside)?);
        }
        // The table comes last: it names the values that belong to it.
        part(true, &HEAD, &note, path)?;
        if note.values.is_none() && is_replaceable(&beside)? {
            std::fs::remove_file(&beside)
                .map_err(|error| BookError::Content { path: beside, what: error.to_string() })?;
        }
        Ok(())
    }

    /// Whether a column of this name has the values with this key.
    pub fn has(&self, name: &str, key: NodeKey) -> bool {
        let values = self.values.as_ref().and_then(|(_, columns)| columns.get(name));
        self.note.columns.get(name).or(values).and_then(|text| NodeKey::from_text(text)) == Some(key)
    }

    /// The keys of its columns.
    pub fn keys(&self) -> BTreeMap<NodeKey, String> {
        let values = self.values.iter().flat_map(|(_, columns)| columns);
        let pairs = self.note.columns.iter().chain(values);
        pairs.filter_map(|(name, key)| Some((NodeKey::from_text(key)?, name.clone()))).collect()
    }

    /// A digest of the bytes of the table and of its file of values: what the table says of itself, and its data.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn digest(&self) -> Result<String, BookError> {
        let table = digest_of(&self.path)?;
        // The values were compared with the digest in the table's note.
        let values = self.values.as_ref().and(self.note.values);
        let both = values.map(|values| Digest::compute(&[*table.as_bytes(), *values.as_bytes()].concat()));
        Ok(both.unwrap_or(table).to_string())
    }

    /// Some of its columns, in this order.
    pub fn columns(&self, names: &[&str]) -> Result<DataFrame, BookError> {
        let Some((path, values)) = &self.values else { return Ok(parquet_columns(&self.path, names)?) };
        let (beside, own): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| values.contains_key(**name));
        let mut frame = parquet_columns(&self.path, &own)?;
        let wrong = |error: polars::error::PolarsError| BookError::Content {
            path: path.clone(),
            what: format!("it does not belong to `{}` ({error}); make the table again", self.path.display()),
        };
        if !beside.is_empty() {
            let values = parquet_columns(path, &beside)?;
            frame = if own.is_empty() { values } else { frame.hstack(values.columns()).map_err(wrong)? };
        }
        frame.select(names.iter().copied()).map_err(wrong)
    }
}

fn digest_of(path: &Path) -> Result<Digest, BookError> {
    digest_file(path).map_err(|error| BookError::Content { path: path.to_owned(), what: error.to_string() })
}

/// Whether a file is the values beside some table of metrics.
fn is_replaceable(path: &Path) -> Result<bool, BookError> {
    Ok(path.is_file() && parquet_note(path, NOTE)?.is_some() && !has_customers(path)?)
}

/// Whether a file is a table of metrics, and not the values beside one.
fn has_customers(path: &Path) -> Result<bool, BookError> {
    Ok(parquet_shape(path)?.is_some_and(|shape| shape.names.iter().any(|name| name == HEAD[0])))
}

/// What a file says about its columns; `None` if it is no table of metrics.
fn read_note(path: &Path) -> Result<Option<BookNote>, BookError> {
    let Some(note) = parquet_note(path, NOTE)? else { return Ok(None) };
    serde_json::from_str(&note).map(Some).map_err(|error| BookError::Content {
        path: path.to_owned(),
        what: format!("its note on metrics cannot be read ({error}); make the table again"),
    })
}
