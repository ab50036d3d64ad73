//! Tables of many statements: what all formats share, CSV, and records line by line under a columns file.
//! Must not know files.

use crate::statement::arrange::arrange;
use crate::statement::cell::Cell;
use crate::statement::columns::Columns;
use crate::statement::envelope::open;
use crate::statement::error::Error;
use crate::statement::flat_lines::{Keys, Value, read_line};
use crate::statement::frame::Statements;
use crate::statement::intake::{Grouping, Intake, Places};
use crate::statement::json::Scanner;
use crate::statement::quotes;
use crate::statement::read::read_lines;
use crate::statement::reading::Reading;
use crate::statement::rows_read::no_name_twice;
use crate::statement::sheet::Sheet;

/// The reading with what the columns file declares over it.
pub(crate) fn declared(reading: &Reading, columns: &Columns) -> Reading {
    Reading {
        unit: columns.unit.unwrap_or(reading.unit),
        negative: columns.negative.unwrap_or(reading.negative),
        ..reading.clone()
    }
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
    let mut sheet = Sheet::new(columns, &names)?;
    no_name_twice(&names, &sheet)?;
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
    intake.row_order = sheet.columns.order;
    intake.shows_debits = sheet.shows_debits();
    intake.unread.add_all(&sheet.unread);
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

/// Reads a table whose rows are JSON objects, one a line. Without a columns file they are records with the product's
/// own names, nested or flat; with one, objects whose keys are the table's columns. A key that a row lacks is null; one
/// that no row has is an error.
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
    let (mut keys, mut values) = (Keys::new(&names), Vec::new());
    while !scanner.at_end() {
        let from = scanner.at();
        read_line(&mut scanner, &mut keys, &mut values, line)?;
        let cells: Vec<Cell<'_>> = values.iter().map(Value::cell).collect();
        if let Err(wrong) = sheet.take(&cells, line, &Places::Lines, &mut intake) {
            // A name that is nowhere explains what lines lack.
            return Err(read_to_end(&mut scanner, keys, line).check(columns).err().unwrap_or(wrong));
        }
        line = line.saturating_add(scanner.lines_of_record(from)?);
    }
    keys.check(columns)?;
    intake.unread.add_all(&keys.unread);
    arrange(intake, label)
}

/// Reads on to see which names the other lines have, as far as they can be read.
fn read_to_end<'n>(scanner: &mut Scanner<'_>, mut keys: Keys<'n>, line: u32) -> Keys<'n> {
    let mut values = Vec::new();
    while !scanner.at_end() {
        if read_line(scanner, &mut keys, &mut values, line).is_err() {
            keys.give_all();
            break;
        }
    }
    keys
}
