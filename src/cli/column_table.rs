//! Tables about customers in files, whatever their format: column by column, as texts, numbers and truth values. Knows
//! nothing of what they mean.

use std::collections::BTreeSet;
use std::path::Path;

use polars::prelude::AnyValue;
use serde_json::Value;

use super::csv_notation::{find_delimiter, read_decimal_commas};
use super::output::Failure;
use super::table_file::lowercase_extension;
use crate::base::csv_line::unguarded_text;
use crate::base::date::Day;
use crate::base::text::escape_terminal;
use crate::portfolio::ColumnTable;
use crate::run::files::{parquet_columns, parquet_shape};
use crate::statement::Cell;
use crate::statement::formats::RowValue;
use crate::statement::formats::workbook::read_all_sheets;
use crate::statement::stored_column::read_stored_cells;

/// Reads the columns of a table that are wanted, whatever its format.
pub(crate) fn read_column_table(path: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Result<ColumnTable, Failure> {
    let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    if lowercase_extension(path) == "parquet" {
        return read_parquet_columns(path, is_wanted).map_err(wrong);
    }
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    match lowercase_extension(path).as_str() {
        "csv" => read_csv_columns(&bytes, is_wanted).map_err(wrong),
        "ndjson" | "jsonl" => read_ndjson_columns(&bytes, is_wanted).map_err(wrong),
        "xlsx" | "xls" | "ods" => read_workbook_columns(&bytes, is_wanted).map_err(wrong),
        _ => Err(wrong("unknown kind of file; name it .csv, .xlsx, .ndjson or .parquet".to_owned())),
    }
}

fn read_csv_columns(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Result<ColumnTable, String> {
    let delimiter = find_delimiter(bytes)?;
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(bytes);
    // The error of the library would show what is in the row.
    let wrong = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        format!("line {line}: it does not have as many fields as the header")
    };
    let header = reader.headers().map_err(wrong)?.clone();
    let names = header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned());
    let wanted = choose_columns(names, is_wanted)?;
    let mut table: ColumnTable = wanted.iter().map(|(_, name)| (name.clone(), Vec::new())).collect();
    for row in reader.records() {
        let row = row.map_err(wrong)?;
        for ((at, _), (_, values)) in wanted.iter().zip(&mut table) {
            values.push(Value::from(unguarded_text(row.get(*at).unwrap_or_default())));
        }
    }
    if delimiter == b';' {
        read_decimal_commas(&mut table)?;
    }
    Ok(table)
}

fn read_ndjson_columns(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Result<ColumnTable, String> {
    let mut rows = Vec::new();
    for (number, line) in
        bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty())
    {
        let row: serde_json::Map<String, Value> =
            serde_json::from_slice(line).map_err(|_| format!("line {}: it holds no JSON object", number + 1))?;
        rows.push(row);
    }
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.keys()).filter(|name| is_wanted(name)).collect();
    let value = |row: &serde_json::Map<String, Value>, name: &str| row.get(name).cloned().unwrap_or_default();
    Ok(names.into_iter().map(|name| (name.clone(), rows.iter().map(|row| value(row, name)).collect())).collect())
}

fn read_parquet_columns(path: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Result<ColumnTable, String> {
    let shape = parquet_shape(path).map_err(|error| error.to_string())?;
    let shape = shape.ok_or("it holds no Parquet")?;
    let wanted: Vec<&str> = shape.names.iter().map(String::as_str).filter(|name| is_wanted(name)).collect();
    let is_stored = |name: &str| shape.stored.iter().any(|(stored, _)| stored == name);
    let is_other = |name: &str| shape.others.iter().any(|(other, _)| other == name);
    let plain: Vec<&str> = wanted.iter().copied().filter(|name| !is_stored(name) && !is_other(name)).collect();
    let frame = parquet_columns(path, &plain).map_err(|error| error.to_string())?;
    let value = |value: AnyValue| match value {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(truth) => Value::from(truth),
        AnyValue::String(text) => Value::from(text),
        // A day outside of all years stays something that cannot be read as one.
        AnyValue::Date(days) => {
            Day::checked_from_days(days).map_or_else(|| format!("day {days}"), |day| day.to_string()).into()
        }
        AnyValue::UInt64(number) => Value::from(number),
        AnyValue::Float64(number) => Value::from(number),
        AnyValue::Float32(number) => Value::from(number),
        other => other.extract::<i64>().map_or(Value::Null, Value::from),
    };
    let column = |name: &str| -> Result<(String, Vec<Value>), String> {
        if is_stored(name) {
            return Ok((name.to_owned(), read_stored_column(path, name)?));
        }
        if is_other(name) {
            // Whoever reads such a column says that it holds no number, text or day. Most are not read.
            return Ok((name.to_owned(), Vec::new()));
        }
        let column = frame.column(name).map_err(|error| error.to_string())?;
        let values = (0..column.len()).map(|row| column.get(row).map(value).map_err(|error| error.to_string()));
        Ok((name.to_owned(), values.collect::<Result<_, _>>()?))
    };
    let mut table: ColumnTable = wanted.into_iter().map(column).collect::<Result<_, _>>()?;
    let rows = table.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    for (_, values) in table.iter_mut().filter(|(name, _)| is_other(name)) {
        values.resize(rows, Value::Array(Vec::new()));
    }
    Ok(table)
}

/// A column of a Parquet file as it is stored. Moments that all lie at midnight are days; others keep their time of
/// day, so that they do not pass for days.
fn read_stored_column(path: &Path, name: &str) -> Result<Vec<Value>, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let (mut has_moments, mut are_days) = (false, true);
    let mut value = |cell: Cell| match cell {
        Cell::Null => Value::Null,
        Cell::Whole(number) => i64::try_from(number).map_or_else(|_| Value::from(cell.display()), Value::from),
        Cell::Moment { seconds, milliseconds, .. } => {
            has_moments = true;
            are_days &= seconds.rem_euclid(86_400) == 0 && milliseconds == 0;
            Value::from(cell.display())
        }
        other => Value::from(other.display()),
    };
    let mut values = read_stored_cells(bytes, name, &mut value).map_err(|error| error.to_string())?;
    for value in values.iter_mut().filter(|_| has_moments && are_days) {
        let day = value.as_str().and_then(|moment| moment.split('T').next()).map(Value::from);
        *value = day.unwrap_or_default();
    }
    Ok(values)
}

/// The places and names of the columns that are wanted.
fn choose_columns(
    names: impl Iterator<Item = String>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<(usize, String)>, String> {
    let wanted: Vec<(usize, String)> = names.enumerate().filter(|(_, name)| is_wanted(name)).collect();
    let mut known = BTreeSet::new();
    match wanted.iter().find(|(_, name)| !known.insert(name)) {
        None => Ok(wanted),
        Some((_, name)) => Err(format!(
            "there are two columns `{}`; which of them counts is not clear, so leave one out",
            escape_terminal(name)
        )),
    }
}

/// The only sheet with cells: its first row has the names.
fn read_workbook_columns(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Result<ColumnTable, String> {
    let (mut rows, mut sheets) = (Vec::new(), BTreeSet::new());
    let mut take = |sheet: &str, _: u32, cells: &[RowValue<'_>]| {
        let row: Vec<Value> = cells.iter().map(read_workbook_cell).collect();
        if row.iter().any(|value| !value.is_null()) {
            sheets.insert(sheet.to_owned());
            rows.push(row);
        }
    };
    read_all_sheets(bytes, &mut take).map_err(|fault| {
        let place = fault.place.map(|place| format!("{place}: ")).unwrap_or_default();
        format!("{place}{}", fault.what)
    })?;
    if sheets.len() > 1 {
        return Err("several of its sheets have cells; keep the one with the table".to_owned());
    }
    let mut rows = rows.into_iter();
    let header = rows.next().ok_or("it has no cells")?;
    let name = |value: Value| value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
    let wanted = choose_columns(header.into_iter().map(name), is_wanted)?;
    let mut table: ColumnTable = wanted.iter().map(|(_, name)| (name.clone(), Vec::new())).collect();
    for row in rows {
        for ((at, _), (_, values)) in wanted.iter().zip(&mut table) {
            values.push(row.get(*at).cloned().unwrap_or_default());
        }
    }
    Ok(table)
}

fn read_workbook_cell(cell: &RowValue) -> Value {
    const SECONDS: i64 = 86_400;
    let day = |days: i64| i32::try_from(days).ok().and_then(Day::checked_from_days).map(|day| day.to_string());
    match cell {
        RowValue::Empty | RowValue::Uncalculated => Value::Null,
        RowValue::Text(text) if text.trim().is_empty() => Value::Null,
        RowValue::Text(text) => Value::from(*text),
        RowValue::Digits(digits) => Value::from(*digits),
        // As a person sees it there, and as in a CSV file: 12.0 is an identifier 12, and an amount is in major units.
        RowValue::Number(number) => Value::from(number.to_string()),
        RowValue::Day(days) => day(i64::from(*days)).map_or_else(|| Value::from(format!("day {days}")), Value::from),
        RowValue::Moment(seconds) => {
            let (days, rest) = (seconds.div_euclid(SECONDS), seconds.rem_euclid(SECONDS));
            let time = format!("T{:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60);
            day(days).map_or_else(|| Value::from("a moment"), |day| Value::from(day + &time))
        }
    }
}
