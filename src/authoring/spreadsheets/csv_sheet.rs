//! Sheets as CSV (RFC 4180), out and back. In a cell, `= 0.5 * income` is for us to compute, and not for a spreadsheet.

use super::cells::SheetValue;
use super::grid::{CellContent, Grid, SheetMistake};
use super::sheet::Sheet;
use crate::base::csv_line::{CsvLine, unguarded_text};
use crate::rules::csv_lines;

/// The sheet as CSV.
pub fn to_csv(sheet: &Sheet) -> String {
    let (mut text, mut line) = (String::new(), CsvLine::default());
    line.push_given(sheet.columns.iter().map(|column| column.title.as_str()));
    text += &line.take_line();
    line.push_given(sheet.columns.iter().map(|column| column.unit.as_str()));
    text += &line.take_line();
    for row in &sheet.lines {
        for value in &row.values {
            match value {
                SheetValue::Empty => line.push_plain(""),
                SheetValue::Text(text) => line.push_given([text.as_str()]),
                SheetValue::Number(number) => line.push_plain(number),
                SheetValue::Truth(truth) => line.push_plain(&truth.to_string()),
            }
        }
        text += &line.take_line();
    }
    text
}

/// The text of a cell without the apostrophe that keeps a formula a text. One that opens a text in quotes stays.
fn unguarded_cell(cell: &str) -> &str {
    let is_quoted = cell.strip_prefix('\'').and_then(|inner| inner.split_once('\'')).is_some_and(|(_, after)| {
        let after = after.trim_start();
        after.is_empty() || after.starts_with(',')
    });
    if is_quoted { cell } else { unguarded_text(cell) }
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
        let cell = |cell: &crate::rules::Text| match unguarded_cell(cell.value()) {
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
