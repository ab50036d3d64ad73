//! The types of reading a table row by row: its bytes, the request, and each row as it is read. Must not read anything.

use std::io::{Read, Seek};

use serde::{Deserialize, Serialize};

use crate::statement::base::column::Column;
use crate::statement::base::unread::Unread;
use crate::statement::columns_file::Columns;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::rows::collector::Places;

/// The most bytes of a line or a row. More means an unclosed quote, or no table.
pub(crate) const ROW_BYTES_MAX: usize = 64 << 20;

/// How to interpret the rows of one table, wherever they were stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Where it came from, in the caller's words.
    pub label: String,
    pub(crate) format: TableFormat,
    /// The columns of its rows: its own, then the given ones.
    pub(crate) names: Vec<String>,
    /// Given values, for records that lack them.
    #[serde(default)]
    pub(crate) given: Vec<(String, String)>,
    pub(crate) places: Places,
    /// Unread keys of its lines.
    #[serde(default)]
    pub(crate) unread: Unread,
}

/// One row, as it is read.
#[derive(Clone, Copy, Debug)]
pub struct SeenRow<'r> {
    /// The customer.
    pub customer: &'r str,
    /// Its position in the table, from 0: a row, or a line.
    pub ordinal: u32,
    /// The bytes for [`statements_of`](crate::statement::statements_of). Empty if the customer's rows are not
    /// requested.
    pub bytes: &'r [u8],
    /// The number of rows of the table, if its metadata has it.
    pub of_rows: Option<u64>,
}

/// Whether to continue reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Read the next row.
    Row,
    /// Read no further row.
    Stop,
}

/// A request for the rows of a table.
pub struct RowsRequest<'a> {
    /// Where it came from, in the caller's words.
    pub label: &'a str,
    /// The meaning of the columns. By default they have the product's own names.
    pub columns: &'a Columns,
    /// Columns whose only value is known from elsewhere, in case the table lacks them.
    pub given: &'a [(String, String)],
    /// Whose rows are wanted. Of other rows, only the customer is read.
    pub rows: &'a (dyn Fn(&str) -> bool + Sync),
    /// The most bytes that columns may take while they are decoded.
    pub memory: u64,
}

/// The bytes of a table.
pub enum TableBytes<'a> {
    /// Read from the first to the last.
    Stream(&'a mut dyn Read),
    /// Read at any place.
    Seekable(&'a mut dyn ReadSeek),
}

/// A source that can be read at any place, and from another thread.
pub trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// Receives the rows as they come.
pub(crate) type Take<'t> = dyn FnMut(SeenRow<'_>) -> Next + 't;

impl<'a> RowsRequest<'a> {
    /// The given columns that have a meaning and that the table lacks.
    pub(crate) fn added(&self, header: &[&str]) -> Vec<&'a (String, String)> {
        let meant = |name: &str| Column::all().any(|column| self.columns.names_of(column).contains(&name));
        self.given.iter().filter(|(name, _)| meant(name) && !header.contains(&name.as_str())).collect()
    }
}

impl Table {
    /// A table with only its name known, because none of its rows could be read.
    pub(crate) fn unread(label: &str) -> Table {
        Table::of_rows(label, TableFormat::Csv, &[])
    }

    /// A table whose rows have exactly these columns.
    pub(crate) fn of_rows(label: &str, format: TableFormat, names: &[&str]) -> Table {
        Table {
            label: label.to_owned(),
            format,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            given: Vec::new(),
            places: Places::Rows,
            unread: Unread::default(),
        }
    }
}
