//! Tables read row by row from a stream of bytes: whom each row is of, and the row itself to be laid aside until all of that customer's are there.
//! Must not know files, nor what a row means beyond its customer.
//!
//! [`each_row`] reads; [`statements_of`](crate::statement::statements_of) makes statements out of what was laid aside.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read, Seek};

use serde::{Deserialize, Serialize};

use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, show};
use crate::statement::base::unread::Unread;
use crate::statement::columns::collector::Places;
use crate::statement::normalize::cell::Cell;
use crate::statement::provider::envelope::open;
use crate::statement::provider::field::Field;
use crate::statement::tables::column_map::Columns;
use crate::statement::tables::csv_rows;
use crate::statement::tables::customer_key::{customer_of_record, only_value, with_nothing_but};
use crate::statement::tables::flat_lines::{Keys, Value, read_line};
use crate::statement::tables::parquet_rows;
use crate::statement::tables::read::next;
use crate::statement::tables::row_codec::pack;
use crate::statement::tables::row_mapper::RowMapper;

/// A row's bytes begin with this where they are cells,
pub(crate) const CELLS: u8 = 0;
/// with this where they are a record as JSON, behind the place of its first byte,
pub(crate) const RECORD: u8 = 1;
/// and with this where the row could not be read: what is wrong.
pub(crate) const LOST: u8 = 2;

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

/// Reads a table from its first row to its last and hands on each of them.
///
/// # Errors
/// Where some row cannot be read so far that its customer is known; then nobody knows whose records are missing. A row at fault otherwise is
/// handed on, and its fault is reported once its statement is made.
pub fn each_row(
    format: TableFormat,
    bytes: TableBytes<'_>,
    asked: &Asked<'_>,
    mut take: impl FnMut(SeenRow<'_>) -> Next,
) -> Result<Table, Error> {
    match (format, bytes) {
        (TableFormat::Csv, TableBytes::Stream(bytes)) => csv_rows::each(bytes, asked, &mut take),
        (TableFormat::Csv, TableBytes::Seekable(mut bytes)) => csv_rows::each(&mut bytes, asked, &mut take),
        (TableFormat::Lines, TableBytes::Stream(bytes)) => lines(bytes, asked, &mut take),
        (TableFormat::Lines, TableBytes::Seekable(mut bytes)) => lines(&mut bytes, asked, &mut take),
        (TableFormat::Parquet, TableBytes::Seekable(bytes)) => parquet_rows::each(bytes, asked, &mut take),
        (TableFormat::Parquet, TableBytes::Stream(_)) => {
            Err(Error::table("Parquet has its index at the end, and so cannot be read from a stream"))
        }
    }
}

impl<'a> Asked<'a> {
    /// The given columns that mean something and that the table lacks.
    pub(crate) fn added(&self, header: &[&str]) -> Vec<&'a (String, String)> {
        let meant = |name: &str| Column::all().any(|column| self.columns.names_of(column).contains(&name));
        self.given.iter().filter(|(name, _)| meant(name) && !header.contains(&name.as_str())).collect()
    }
}

/// Writes a row of cells, those that mean something, behind what is there.
pub(crate) fn pack_row(cells: &[Cell<'_>], mapper: &RowMapper<'_>, into: &mut Vec<u8>) {
    into.clear();
    into.push(CELLS);
    for (at, cell) in cells.iter().enumerate() {
        pack(if mapper.uses(at) { cell } else { &Cell::Null }, into);
    }
}

/// In place of a row that is known to be missing.
pub(crate) fn lost_row(what: &str) -> Vec<u8> {
    [&[LOST], what.as_bytes()].concat()
}

fn lines(bytes: &mut dyn Read, asked: &Asked<'_>, take: &mut Take<'_>) -> Result<Table, Error> {
    let names: Vec<String> = asked.columns.names.values().flatten().cloned().collect();
    let own = names.iter().map(String::as_str).collect::<Vec<_>>();
    let mut flat = match asked.columns.declared {
        true => Some(FlatLines::new(asked, &own)?),
        false => None,
    };
    let given = if flat.is_some() { Vec::new() } else { given_to_records(asked)? };
    let given_customer = given.iter().find(|(name, _)| name == "customer").map(|(_, customer)| customer.as_str());
    let mut bytes = BufReader::with_capacity(1 << 16, bytes);
    let (mut line, mut packed) = (Vec::new(), Vec::new());
    let (mut ordinal, mut at) = (0_u32, 0_u64);
    loop {
        line.clear();
        let read = (&mut bytes).take(ROW_BYTES_MAX as u64).read_until(b'\n', &mut line).map_err(Error::table)?;
        if read == 0 {
            break;
        }
        if read == ROW_BYTES_MAX {
            return Err(Error::table(format!("{}: longer than any record", Places::Lines.name(ordinal))));
        }
        let text = if at == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) } else { &line };
        let start = at + (line.len() - text.len()) as u64;
        if !text.trim_ascii().is_empty() {
            let customer = match &mut flat {
                Some(flat) => flat.customer(text, start, ordinal, &mut packed).map(Some),
                None => {
                    packed.clear();
                    packed.push(RECORD);
                    packed.extend_from_slice(&start.to_le_bytes());
                    packed.extend_from_slice(text.trim_ascii_end());
                    customer_of_record(text, given_customer)
                }
            };
            let customer = customer
                .map_err(|wrong| wrong.moved(start))?
                .ok_or_else(|| Error::table(format!("{}: the customer is missing", Places::Lines.name(ordinal))))?;
            let bytes = if (asked.rows)(&customer) { packed.as_slice() } else { &[] };
            if take(SeenRow { customer: &customer, ordinal, bytes, of_rows: None }) == Next::Stop {
                flat = None;
                break;
            }
        }
        at += read as u64;
        ordinal = next(ordinal)?;
    }
    let unread = match flat {
        // Only who has read to the end knows what no line has.
        Some(flat) => {
            flat.keys.check(asked.columns)?;
            flat.keys.unread
        }
        None => Unread::default(),
    };
    Ok(Table { label: asked.label.to_owned(), names, given, places: Places::Lines, unread })
}

/// What the place says of each record. A meaning that records do not have would be left out in silence; accounts have a
/// statement each in tables alone.
fn given_to_records(asked: &Asked<'_>) -> Result<Vec<(String, String)>, Error> {
    let given: Vec<(String, String)> = asked.added(&[]).into_iter().cloned().collect();
    match given.iter().find(|(name, _)| name == Column::Account.name() || Field::of_record(name).is_none()) {
        None => Ok(given),
        Some((name, _)) => {
            Err(Error::columns(format!("lines have no `{name}` without a columns file, and their folder says one")))
        }
    }
}

/// Lines that are flat rows under a columns file.
struct FlatLines<'a> {
    names: &'a [&'a str],
    given: &'a [(String, String)],
    mapper: RowMapper<'a>,
    keys: Keys<'a>,
}

impl<'a> FlatLines<'a> {
    fn new(asked: &Asked<'a>, names: &'a [&'a str]) -> Result<FlatLines<'a>, Error> {
        let mut keys = Keys::new(names);
        asked.given.iter().for_each(|(name, _)| keys.give(name));
        Ok(FlatLines { names, given: asked.given, mapper: RowMapper::new(asked.columns, names)?, keys })
    }

    /// The customer of a row, which is packed. A row that is at fault but names its customer takes nobody else along.
    fn customer(&mut self, line: &[u8], start: u64, ordinal: u32, packed: &mut Vec<u8>) -> Result<String, Error> {
        self.pack(line, ordinal, packed).or_else(|wrong| {
            let column = self.mapper.customer_at().and_then(|at| self.names.get(at)).copied().unwrap_or_default();
            let named = match only_value(line, column) {
                Some(Some(value)) => with_nothing_but(column, value),
                Some(None) => b"{}".to_vec(),
                None => return Err(wrong),
            };
            let customer = self.pack(&named, ordinal, packed).map_err(|_| wrong.clone())?;
            *packed = lost_row(&wrong.moved(start).describe());
            Ok(customer)
        })
    }

    fn pack(&mut self, line: &[u8], ordinal: u32, packed: &mut Vec<u8>) -> Result<String, Error> {
        let mut scanner = open(line)?;
        let mut values = Vec::new();
        read_line(&mut scanner, &mut self.keys, &mut values, ordinal)?;
        scanner.end()?;
        for (name, value) in self.names.iter().zip(&mut values).filter(|(_, value)| matches!(value, Value::Absent)) {
            if let Some((_, given)) = self.given.iter().find(|(column, _)| column == name) {
                *value = Value::Text(Cow::Borrowed(given));
            }
        }
        let cells: Vec<Cell<'_>> = values.iter().map(|value| value.cell()).collect();
        let customer = self.mapper.customer(&cells, &Places::Lines, ordinal)?;
        pack_row(&cells, &self.mapper, packed);
        Ok(customer.into_owned())
    }
}

/// No column that something is read from may be there twice; of others it does not matter.
pub(crate) fn no_name_twice(names: &[&str], mapper: &RowMapper<'_>) -> Result<(), Error> {
    let is_twice =
        |(at, name): &(usize, &&str)| mapper.uses(*at) && names.iter().filter(|other| other == name).count() > 1;
    let twice = names.iter().enumerate().find(is_twice);
    twice.map_or(Ok(()), |(_, name)| Err(Error::columns(format!("the table has two columns `{}`", show(name)))))
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
