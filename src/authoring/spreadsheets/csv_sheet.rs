//! Sheets as CSV (RFC 4180), out and back.

use super::cells::SheetValue;
use super::grid::{CellContent, Grid, SheetMistake};
use super::sheet::Sheet;
use crate::rules::csv_lines;

/// The sheet as CSV.
pub fn to_csv(sheet: &Sheet) -> String {
    let mut text = String::new();
    let titles = sheet.columns.iter().map(|column| quote_csv_field(&column.title));
    let units = sheet.columns.iter().map(|column| quote_csv_field(&column.unit));
    let mut put = |cells: Vec<String>| text += &format!("{}\r\n", cells.join(","));
    put(titles.collect());
    put(units.collect());
    for line in &sheet.lines {
        put(line.values.iter().map(written).collect());
    }
    text
}

fn written(value: &SheetValue) -> String {
    match value {
        SheetValue::Empty => String::new(),
        SheetValue::Text(text) => quote_csv_field(text),
        SheetValue::Number(number) => number.clone(),
        SheetValue::Truth(truth) => truth.to_string(),
    }
}

/// A field, in quotes if it needs them.
pub(super) fn quote_csv_field(text: &str) -> String {
    let is_plain = !text.contains([',', '"', '\n', '\r']) && text.trim() == text;
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

impl Grid {
    /// Reads a CSV file.
    ///
    /// # Errors
    /// If it is not UTF-8, or its columns are not separated by commas.
    pub fn from_csv(bytes: &[u8]) -> Result<Grid, SheetMistake> {
        let text = std::str::from_utf8(bytes).map_err(|wrong| {
            let line = bytes[..wrong.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            let help = "save it as \"CSV UTF-8\", or use .xlsx";
            SheetMistake::new(format!("line {line} is not UTF-8"), help)
        })?;
        let first = text.lines().next().unwrap_or_default();
        if let Some(sign) = [';', '\t'].into_iter().find(|sign| !first.contains(',') && first.contains(*sign)) {
            let sign = if sign == '\t' { "tabs".to_owned() } else { format!("`{sign}`") };
            let help = "save it with commas between the columns, or use .xlsx";
            return Err(SheetMistake::at(0, 0, format!("the columns are separated by {sign}"), help));
        }
        let lines = csv_lines(0, text).map_err(|wrong| {
            let line = text[..wrong.span.start as usize].matches('\n').count() + 1;
            SheetMistake::new(format!("line {line}: {}", wrong.message), wrong.help.unwrap_or_default())
        })?;
        let cell = |cell: &crate::rules::Text| match cell.value() {
            text if text.trim().is_empty() => CellContent::Empty,
            // What a spreadsheet writes for the error of a formula.
            text if ERRORS.contains(&text.trim()) => CellContent::Error(text.trim().to_owned()),
            text => CellContent::Text(text.to_owned()),
        };
        let rows = lines.iter().map(|(cells, _)| cells.iter().map(cell).collect()).collect();
        Ok(Grid { rows, merged: Vec::new(), is_typed: false })
    }
}

/// The errors of formulas.
const ERRORS: [&str; 7] = ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"];
