//! Tables of many statements: what all formats share, CSV, and records line by line under a columns file.
//! Must not know files.

use std::borrow::Cow;

use crate::statement::arrange::arrange;
use crate::statement::cell::Cell;
use crate::statement::columns::Columns;
use crate::statement::envelope::open;
use crate::statement::error::{Error, show};
use crate::statement::frame::Statements;
use crate::statement::intake::{Grouping, Intake, Places};
use crate::statement::json::Scanner;
use crate::statement::quotes;
use crate::statement::read::read_lines;
use crate::statement::reading::Reading;
use crate::statement::record::kind_of;
use crate::statement::rows_read::no_name_twice;
use crate::statement::sheet::Sheet;

/// The reading with what the columns file declares over it.
pub(crate) fn declared(reading: &Reading, columns: &Columns) -> Reading {
    Reading { unit: columns.unit.unwrap_or(reading.unit), ..reading.clone() }
}

/// Reads a CSV table of many statements: a header, commas, quotes doubled inside quotes. Amounts are read by their digits.
/// A quote that is not closed is an error: it would take the rows after it along.
pub fn read_csv(bytes: &[u8], label: &str, reading: &Reading, columns: &Columns) -> Result<Statements, Error> {
    let reading = declared(reading, columns);
    let text = std::str::from_utf8(bytes)
        .map_err(|wrong| Error::table(format!("the bytes from byte {} on are not UTF-8", wrong.valid_up_to())))?;
    if text.trim().is_empty() {
        return Err(Error::not_a_statement("the table is empty: it has no header"));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut source = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let header = source.headers().map_err(csv_error)?.clone();
    let mut from = read_to(&source);
    if let Some(what) = quotes::fault(text.get(..from).unwrap_or_default(), |_, _| false) {
        return Err(Error::table(format!("the header: {what}")));
    }
    let names: Vec<&str> = header.iter().collect();
    no_name_twice(&names)?;
    let mut sheet = Sheet::new(columns, &names)?;
    let mut intake = start(&reading, &sheet, Places::Rows);
    let mut record = csv::StringRecord::new();
    let mut ordinal = 0_u32;
    loop {
        let read = source.read_record(&mut record);
        let to = read_to(&source);
        // Only such a row can have taken others along.
        if read.is_err() || to >= text.len() || record.as_slice().contains(['\r', '\n']) {
            let row_in = |column: usize, line: &str| sheet.reads_as_row(column, line, &reading.zone);
            if let Some(what) = quotes::fault(text.get(from..to).unwrap_or_default(), row_in) {
                return Err(Error::table(format!("{}: {what}", Places::Rows.name(ordinal))));
            }
        }
        from = to;
        if !read.map_err(csv_error)? {
            break;
        }
        let cells: Vec<Cell<'_>> = record.iter().map(Cell::Text).collect();
        sheet.take(&cells, ordinal, &Places::Rows, &mut intake)?;
        ordinal = next(ordinal)?;
    }
    arrange(intake, label)
}

/// How many bytes the rows read so far take up.
fn read_to<R: std::io::Read>(source: &csv::Reader<R>) -> usize {
    usize::try_from(source.position().byte()).unwrap_or(usize::MAX)
}

/// A table's intake, which knows whether the table gives an order within a day, and debits.
pub(crate) fn start<'r>(reading: &'r Reading, sheet: &Sheet<'_>, places: Places) -> Intake<'r> {
    let mut intake = Intake::new(reading, Grouping::Many);
    intake.ordered = sheet.is_ordered();
    intake.shows_debits = sheet.shows_debits();
    intake.start_places(places);
    intake
}

pub(crate) fn next(ordinal: u32) -> Result<u32, Error> {
    ordinal.checked_add(1).ok_or_else(|| Error::table("more than 4,294,967,295 rows; split the table"))
}

/// The library counts lines with the header; what is shown counts rows.
pub(crate) fn csv_error(wrong: csv::Error) -> Error {
    match wrong.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let row = pos.as_ref().map(|pos| format!("row {}: ", pos.record())).unwrap_or_default();
            Error::table(format!("{row}{len} fields where the header has {expected_len}"))
        }
        _ => Error::table(wrong),
    }
}

/// Reads a table whose rows are JSON objects, one a line. Without a columns file they are records with the product's own names, nested or flat;
/// with one, flat objects whose keys are the table's columns. A key that a row lacks is null.
pub fn read_ndjson_table(bytes: &[u8], label: &str, reading: &Reading, columns: &Columns) -> Result<Statements, Error> {
    let reading = declared(reading, columns);
    let mut scanner = open(bytes)?;
    if !columns.declared {
        let mut intake = Intake::new(&reading, Grouping::Many);
        read_lines(&mut scanner, &mut intake)?;
        return arrange(intake, label);
    }
    let names: Vec<&str> = columns.names.values().flatten().map(String::as_str).collect();
    let mut sheet = Sheet::new(columns, &names)?;
    let mut intake = start(&reading, &sheet, Places::Lines);
    let mut line = scanner.skip_lines();
    let mut values: Vec<Value<'_>> = Vec::new();
    while !scanner.at_end() {
        let from = scanner.at();
        read_flat(&mut scanner, &names, &mut values, line)?;
        let cells: Vec<Cell<'_>> = values.iter().map(Value::cell).collect();
        sheet.take(&cells, line, &Places::Lines, &mut intake)?;
        line = line.saturating_add(scanner.lines_of_record(from)?);
    }
    arrange(intake, label)
}

/// A value of a flat object.
pub(crate) enum Value<'s> {
    Absent,
    Null,
    Text(Cow<'s, str>),
    Number(&'s str),
}

impl Value<'_> {
    pub(crate) fn cell(&self) -> Cell<'_> {
        match self {
            Value::Absent | Value::Null => Cell::Null,
            Value::Text(text) => Cell::Text(text),
            Value::Number(digits) => digits.parse().map_or(Cell::Text(digits), Cell::Whole),
        }
    }
}

pub(crate) fn read_flat<'s>(
    scanner: &mut Scanner<'s>,
    names: &[&str],
    values: &mut Vec<Value<'s>>,
    line: u32,
) -> Result<(), Error> {
    values.clear();
    values.resize_with(names.len(), || Value::Absent);
    if scanner.peek()? != b'{' {
        scanner.skip_value()?;
        return Err(Error::table(format!("{}: a row is an object", Places::Lines.name(line))));
    }
    let mut object = scanner.open_object()?;
    while let Some(key) = scanner.next_key(&mut object)? {
        scanner.watch(key);
        let name = key.decode(&mut 0);
        let first = scanner.peek()?;
        // A column of several meanings stands there for each: the first is read, as of a header.
        let Some(slot) = names.iter().zip(values.iter_mut()).find(|(known, _)| **known == name) else {
            scanner.skip_value()?;
            continue;
        };
        *slot.1 = match first {
            b'"' => Value::Text(scanner.string()?.decode(&mut 0)),
            b'-' | b'0'..=b'9' => Value::Number(scanner.number()?),
            b'n' => {
                scanner.literal()?;
                Value::Null
            }
            other => {
                scanner.skip_value()?;
                let kind = kind_of(other);
                let path = Places::Lines.field(line, &show(&name));
                return Err(Error::table(format!("{path}: expected text or a number, found {kind}")));
            }
        };
    }
    Ok(())
}
