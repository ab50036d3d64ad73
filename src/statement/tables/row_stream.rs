//! Reads tables row by row from a stream of bytes: each row's customer, and the row itself, to be stored until all rows
//! of the customer are there.
//!
//! [`each_row`] reads; [`statements_of`](crate::statement::statements_of) makes statements from the stored rows.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, show_source_text, tell_names_apart};
use crate::statement::base::unread::Unread;
use crate::statement::cells::cell::Cell;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::provider::envelope::open_body_scanner;
use crate::statement::provider::field::Field;
use crate::statement::rows::collector::Places;
use crate::statement::tables::csv_rows;
use crate::statement::tables::customer_key::{customer_of_record, only_value, with_nothing_but};
use crate::statement::tables::flat_lines::{Keys, LineValue, read_line};
use crate::statement::tables::format_rows;
use crate::statement::tables::parquet_rows;
use crate::statement::tables::row_codec::{RECORD, lost_row, pack_row};
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::{Next, ROW_BYTES_MAX, RowsRequest, SeenRow, Table, TableBytes, Take};
use crate::statement::tables::table_start::next_row_ordinal;

/// The most bytes of a file that is read as a whole.
const FILE_BYTES_MAX: u64 = 2 << 30;

/// Reads a table from its first row to its last and passes each of them to `take`.
///
/// # Errors
/// If the customer of some row cannot be read, or is another than the folder or the file's name says: then nobody knows
/// whose records are missing. A row with any other fault is passed on, and its fault is reported when its statement is
/// made.
pub fn each_row(
    format: TableFormat,
    bytes: TableBytes<'_>,
    asked: &RowsRequest<'_>,
    mut take: impl FnMut(SeenRow<'_>) -> Next,
) -> Result<Table, Error> {
    let Some(customer) = asked.columns.known_customer(asked.given) else {
        return stream_each_row(format, bytes, asked, &mut take);
    };
    let mut other = None;
    let table = stream_each_row(format, bytes, asked, &mut |row: SeenRow<'_>| {
        if row.customer == customer {
            return take(row);
        }
        other = Some((row.customer.to_owned(), row.ordinal));
        Next::Stop
    })?;
    match other {
        None => Ok(table),
        Some((other, ordinal)) => Err(Error::table(format!(
            "{}: customer `{}` in a file whose folder or name says customer `{}`{}",
            table.places.name(ordinal),
            show_source_text(&other),
            show_source_text(&customer),
            tell_names_apart(&other, &customer)
        ))),
    }
}

fn stream_each_row(
    format: TableFormat,
    bytes: TableBytes<'_>,
    asked: &RowsRequest<'_>,
    take: &mut Take<'_>,
) -> Result<Table, Error> {
    // Each line is then a document with rows of its own.
    let format = if format == TableFormat::Lines && asked.columns.names_lists() { TableFormat::Json } else { format };
    if format.is_read_whole() {
        let whole = match bytes {
            TableBytes::Stream(bytes) => read_whole(bytes, asked.memory)?,
            TableBytes::Seekable(mut bytes) => read_whole(&mut bytes, asked.memory)?,
        };
        return format_rows::each_format_row(format, &whole, asked, take);
    }
    match (format, bytes) {
        (TableFormat::Csv, TableBytes::Stream(bytes)) => csv_rows::each_csv_row(bytes, asked, take),
        (TableFormat::Csv, TableBytes::Seekable(mut bytes)) => csv_rows::each_csv_row(&mut bytes, asked, take),
        (TableFormat::Lines, TableBytes::Stream(bytes)) => stream_json_lines(bytes, asked, take),
        (TableFormat::Lines, TableBytes::Seekable(mut bytes)) => stream_json_lines(&mut bytes, asked, take),
        (TableFormat::Parquet, TableBytes::Seekable(bytes)) => parquet_rows::each_parquet_row(bytes, asked, take),
        (TableFormat::Parquet, TableBytes::Stream(_)) => {
            Err(Error::table("Parquet has its index at the end, and so cannot be read from a stream"))
        }
        (format, _) => Err(Error::table(format!("{format:?} is read as a whole"))),
    }
}

/// The bytes of a file in a format that is read as a whole.
fn read_whole(bytes: &mut dyn Read, memory: u64) -> Result<Vec<u8>, Error> {
    let most = memory.min(FILE_BYTES_MAX);
    let mut whole = Vec::new();
    let read = bytes.take(most.saturating_add(1)).read_to_end(&mut whole).map_err(Error::table)? as u64;
    if read <= most {
        return Ok(whole);
    }
    drop(whole);
    // The rest is only counted.
    let bytes = read + io::copy(bytes, &mut io::sink()).map_err(Error::table)?;
    Err(match bytes > FILE_BYTES_MAX {
        true => Error::table("the file is larger than 2 GiB, which is not read in this format; split it"),
        false => Error::Memory { what: "a file in a format that is read as a whole".to_owned(), bytes },
    })
}

fn stream_json_lines(bytes: &mut dyn Read, asked: &RowsRequest<'_>, take: &mut Take<'_>) -> Result<Table, Error> {
    let names = names_of_lines(asked);
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
                Some(flat) => match flat.customer(text, start, ordinal, &mut packed) {
                    // The columns file says that it is no record.
                    Ok(None) => {
                        at += read as u64;
                        ordinal = next_row_ordinal(ordinal)?;
                        continue;
                    }
                    customer => customer,
                },
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
            asked
                .columns
                .check_customer(&customer)
                .map_err(|what| Error::table(format!("{}: {what}", Places::Lines.name(ordinal))))?;
            let bytes = if (asked.rows)(&customer) { packed.as_slice() } else { &[] };
            if take(SeenRow { customer: &customer, ordinal, bytes, of_rows: None }) == Next::Stop {
                flat = None;
                break;
            }
        }
        at += read as u64;
        ordinal = next_row_ordinal(ordinal)?;
    }
    let unread = match flat {
        // Only at the end is it known which columns no line has.
        Some(flat) => {
            flat.keys.check(asked.columns)?;
            flat.keys.unread
        }
        None => Unread::default(),
    };
    Ok(Table { label: asked.label.to_owned(), format: TableFormat::Lines, names, given, places: Places::Lines, unread })
}

/// The columns of lines under a columns file: those that it names, and those that are known from elsewhere, such as the
/// customer.
fn names_of_lines(asked: &RowsRequest<'_>) -> Vec<String> {
    let mut names: Vec<String> = asked.columns.source_names().into_iter().map(str::to_owned).collect();
    if asked.columns.declared {
        let own: Vec<&str> = names.iter().map(String::as_str).collect();
        let added: Vec<String> = asked.added(&own).into_iter().map(|(name, _)| name.clone()).collect();
        names.extend(added);
    }
    names
}

/// The given values for each record. Refuses a column that records do not have, which would be ignored silently, and
/// accounts, which get their own statements only in tables.
fn given_to_records(asked: &RowsRequest<'_>) -> Result<Vec<(String, String)>, Error> {
    let given: Vec<(String, String)> = asked.added(&[]).into_iter().cloned().collect();
    match given.iter().find(|(name, _)| name == Column::Account.name() || Field::from_record_key(name).is_none()) {
        None => Ok(given),
        Some((name, _)) => {
            Err(Error::columns(format!("lines have no `{name}` without a columns file, but their folder gives one")))
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
    fn new(asked: &RowsRequest<'a>, names: &'a [&'a str]) -> Result<FlatLines<'a>, Error> {
        let mut keys = Keys::new(names);
        asked.given.iter().for_each(|(name, _)| keys.give(name));
        Ok(FlatLines { names, given: asked.given, mapper: RowMapper::new(asked.columns, names)?, keys })
    }

    /// Encodes a row and returns its customer. If a faulty row names its customer, no other customer is affected.
    /// `None` if the row names nobody and is no record.
    fn customer(
        &mut self,
        line: &[u8],
        start: u64,
        ordinal: u32,
        packed: &mut Vec<u8>,
    ) -> Result<Option<String>, Error> {
        self.pack(line, ordinal, packed).or_else(|wrong| {
            // The mapper was made for these names.
            let column = self.names[self.mapper.customer_at()];
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

    fn pack(&mut self, line: &[u8], ordinal: u32, packed: &mut Vec<u8>) -> Result<Option<String>, Error> {
        let mut scanner = open_body_scanner(line)?;
        let mut values = Vec::new();
        read_line(&mut scanner, &mut self.keys, &mut values, ordinal)?;
        scanner.end()?;
        for (name, value) in self.names.iter().zip(&mut values).filter(|(_, value)| matches!(value, LineValue::Absent))
        {
            if let Some((_, given)) = self.given.iter().find(|(column, _)| column == name) {
                *value = LineValue::Text(Cow::Borrowed(given));
            }
        }
        let cells: Vec<Cell<'_>> = values.iter().map(|value| value.cell()).collect();
        let customer = self.mapper.customer_unless_skipped(&cells, &Places::Lines, ordinal)?;
        pack_row(&cells, |at| self.mapper.uses(at), packed);
        Ok(customer.map(Cow::into_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_read_whole_takes_no_more_memory_than_allowed() {
        let file = [b'x'; 100];
        assert_eq!(read_whole(&mut &file[..], 100).map(|whole| whole.len()), Ok(100));
        let wrong = read_whole(&mut &file[..], 99).expect_err("too large");
        assert!(matches!(wrong, Error::Memory { bytes: 100, .. }), "{wrong}");
    }
}
