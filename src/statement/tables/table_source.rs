//! A table that is read row by row: its bytes, what is asked of it, and each row as it is seen. Must not read anything.

use std::io::{Read, Seek};

use serde::{Deserialize, Serialize};

use crate::statement::base::column::Column;
use crate::statement::base::unread::Unread;
use crate::statement::columns::collector::Places;
use crate::statement::tables::column_map::Columns;

/// Bytes of a line, or of a row, at most: more is a quote that does not close, or no table.
pub(crate) const ROW_BYTES_MAX: usize = 64 << 20;

/// The format of a table that is read row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// A header, commas, quotes doubled inside quotes.
    Csv,
    /// One JSON object a line.
    Lines,
    /// Column by column.
    Parquet,
}

/// How the rows of one table are to be understood, wherever they were laid aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Where it came from, in the caller's words.
    pub label: String,
    /// The columns of its rows, those that its place gives behind those that it has itself.
    pub(crate) names: Vec<String>,
    /// What its place says of records that do not say it themselves.
    #[serde(default)]
    pub(crate) given: Vec<(String, String)>,
    pub(crate) places: Places,
    /// Keys of its lines that nothing is read from.
    #[serde(default)]
    pub(crate) unread: Unread,
}

/// One row as it is read.
#[derive(Clone, Copy, Debug)]
pub struct SeenRow<'r> {
    /// Whose it is.
    pub customer: &'r str,
    /// Its place in the table, from 0: a row, or a line.
    pub ordinal: u32,
    /// What [`statements_of`](crate::statement::statements_of) takes; empty where the customer's rows are not asked for.
    pub bytes: &'r [u8],
    /// How many rows the table has, where its head says so.
    pub of_rows: Option<u64>,
}

/// Whether to read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next row.
    Row,
    /// No further row.
    Stop,
}

/// What is asked of a table.
pub struct Asked<'a> {
    /// Where it came from, in the caller's words.
    pub label: &'a str,
    /// What the columns mean; by default they have the product's own names.
    pub columns: &'a Columns,
    /// Columns whose one value is known from elsewhere, where the table lacks them.
    pub given: &'a [(String, String)],
    /// Whose rows are wanted; of all others only whose they are.
    pub rows: &'a (dyn Fn(&str) -> bool + Sync),
    /// Bytes that columns may take while they are decoded.
    pub memory: u64,
}

/// Bytes that a table is read from.
pub enum TableBytes<'a> {
    /// From the first to the last.
    Stream(&'a mut dyn Read),
    /// From any place.
    Seekable(&'a mut dyn ReadSeek),
}

/// What can be read from any place, by another thread too.
pub trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// Takes the rows as they come.
pub(crate) type Take<'t> = dyn FnMut(SeenRow<'_>) -> Next + 't;

impl<'a> Asked<'a> {
    /// The given columns that mean something and that the table lacks.
    pub(crate) fn added(&self, header: &[&str]) -> Vec<&'a (String, String)> {
        let meant = |name: &str| Column::all().any(|column| self.columns.names_of(column).contains(&name));
        self.given.iter().filter(|(name, _)| meant(name) && !header.contains(&name.as_str())).collect()
    }
}

impl Table {
    /// A table of which nothing is known but its name: it has no row that could be read.
    pub(crate) fn unread(label: &str) -> Table {
        Table::of_rows(label, &[])
    }

    /// A table whose rows have these columns, all of them.
    pub(crate) fn of_rows(label: &str, names: &[&str]) -> Table {
        Table {
            label: label.to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            given: Vec::new(),
            places: Places::Rows,
            unread: Unread::default(),
        }
    }
}
