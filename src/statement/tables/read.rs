//! Reads whole tables of many statements: CSV, Parquet, and records line by line.

use crate::statement::base::error::Error;
use crate::statement::base::reading::Reading;
use crate::statement::cells::cell::Cell;
use crate::statement::columns::dedup_sort::arrange_statements;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;
use crate::statement::columns_file::customer_source::customer_above;
use crate::statement::formats::json::scanner::Scanner;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::provider::envelope::open_body_scanner;
use crate::statement::provider::read::read_lines;
use crate::statement::rows::collector::{Collector, Grouping, Places};
use crate::statement::tables::by_rows::read_by_rows;
use crate::statement::tables::csv_table::CsvTable;
use crate::statement::tables::flat_lines::{Keys, LineValue, read_line};
use crate::statement::tables::parquet::read_whole_parquet;
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_start::{apply_declarations, start_collector};

/// Reads a CSV table of many statements: a header, commas, quotes doubled inside quotes, or as `[file]` of the columns
/// file declares. Amounts are read by their digits. An unclosed quote is an error, because it would swallow the rows
/// after it.
pub fn read_csv(bytes: &[u8], label: &str, reading: &Reading, columns: &Columns) -> Result<Statements, Error> {
    if columns.gives_customer() {
        return read_by_rows(TableFormat::Csv, bytes, (label, &columns.given(label, Vec::new())?), reading, columns);
    }
    let reading = apply_declarations(reading, columns);
    let columns = &*columns.for_format(TableFormat::Csv);
    let mut bytes = bytes;
    let mut table = CsvTable::open(&mut bytes, &columns.layout, label)?;
    let own = table.names.clone();
    let mut names: Vec<&str> = own.iter().map(String::as_str).collect();
    let mut given = Vec::from_iter(customer_above(columns, &names, &[], |label| table.cells_after(label))?);
    given.extend(table.period_above(columns)?.into_iter().flatten());
    names.extend(given.iter().map(|(name, _)| name.as_str()));
    let mut mapper = table.mapper(columns, &names)?;
    let mut collector = start_collector(&reading, &mapper, Places::Rows);
    while let Some((ordinal, record)) = table.next_record(&mapper, &reading.zone)? {
        let given = given.iter().map(|(_, value)| Cell::Text(value));
        let cells: Vec<Cell<'_>> = record.iter().map(Cell::Text).chain(given).collect();
        mapper.take(&cells, ordinal, &Places::Rows, &mut collector)?;
    }
    collector.unread.add_lacks(table.unfound_end());
    arrange_statements(collector, label)
}

/// Reads a Parquet table of many statements.
///
/// Columns may hold integers, decimals, floats (by the digits of their shortest form), text, UTF-8 bytes, booleans (the
/// texts `true` and `false`), days, moments and nulls, and may be in structs. Other types (lists, times of day) are
/// refused if they are needed, and skipped otherwise. Checksums of pages are verified.
pub fn read_parquet(
    bytes: impl Into<Vec<u8>>,
    label: &str,
    reading: &Reading,
    columns: &Columns,
) -> Result<Statements, Error> {
    let bytes = bytes.into();
    if columns.gives_customer() {
        let given = columns.given(label, Vec::new())?;
        return read_by_rows(TableFormat::Parquet, &bytes, (label, &given), reading, columns);
    }
    read_whole_parquet(bytes, label, reading, columns)
}

/// Reads a table whose rows are JSON objects, one per line. Without a columns file, they are records with the product's
/// own names, nested or flat. With one, they are objects whose keys are the table's columns. A key that a row lacks is
/// null, and one that no row has is an error. If a name leads into a list (`data[].amount`), each line is a document
/// with rows of its own.
pub fn read_ndjson_table(bytes: &[u8], label: &str, reading: &Reading, columns: &Columns) -> Result<Statements, Error> {
    // A line with lists in it is a document with rows of its own.
    if columns.gives_customer() || columns.names_lists() {
        return read_by_rows(TableFormat::Lines, bytes, (label, &columns.given(label, Vec::new())?), reading, columns);
    }
    let reading = apply_declarations(reading, columns);
    let mut scanner = open_body_scanner(bytes)?;
    if !columns.declared {
        let mut collector = Collector::new(&reading, Grouping::Many);
        read_lines(&mut scanner, &mut collector)?;
        return arrange_statements(collector, label);
    }
    let names = columns.source_names();
    let mut mapper = RowMapper::new(columns, &names)?;
    let mut collector = start_collector(&reading, &mapper, Places::Lines);
    let mut line = scanner.skip_lines();
    let (mut keys, mut values) = (Keys::new(&names), Vec::new());
    while !scanner.at_end() {
        let from = scanner.at();
        read_line(&mut scanner, &mut keys, &mut values, line)?;
        let cells: Vec<Cell<'_>> = values.iter().map(LineValue::cell).collect();
        if let Err(wrong) = mapper.take(&cells, line, &Places::Lines, &mut collector) {
            // A name that no line has explains what is missing here.
            return Err(read_to_end(&mut scanner, keys, line).check(columns).err().unwrap_or(wrong));
        }
        line = line.saturating_add(scanner.lines_of_record(from)?);
    }
    keys.check(columns)?;
    collector.unread.add_all(&keys.unread);
    arrange_statements(collector, label)
}

/// Reads the other lines, as far as possible, to see which names they have.
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
