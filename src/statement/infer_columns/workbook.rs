//! A workbook becomes lines of cells.

use super::grid::{CellKind, FileCell, Line};
use super::table::FileTable;
use crate::base::date::Day;
use crate::statement::formats::workbook::read_all_sheets;
use crate::statement::formats::workbook::sheet::UNCALCULATED;
use crate::statement::formats::{Fault, RowValue};

/// A workbook: its sheets that have rows, by their names.
pub(crate) struct Book {
    pub(crate) sheets: Vec<(String, Vec<Line>)>,
    /// Whether its days count from 1904.
    pub(crate) is_1904: bool,
}

/// Reads a workbook.
pub(crate) fn read_workbook_lines(bytes: &[u8]) -> Result<Book, String> {
    let mut sheets: Vec<(String, Vec<Line>)> = Vec::new();
    let mut take = |sheet: &str, row: u32, values: &[RowValue<'_>]| {
        let line = Line { number: row as usize + 1, cells: values.iter().map(cell_of_sheet_value).collect() };
        match sheets.last_mut().filter(|(name, _)| name == sheet) {
            Some((_, lines)) => lines.push(line),
            None => sheets.push((sheet.to_owned(), vec![line])),
        }
    };
    let is_1904 = read_all_sheets(bytes, &mut take).map_err(|fault| match fault {
        Fault { place: Some(place), what } => format!("{place}: {what}"),
        Fault { place: None, what } => what,
    })?;
    Ok(Book { sheets, is_1904 })
}

fn cell_of_sheet_value(value: &RowValue<'_>) -> FileCell {
    let (text, kind) = match value {
        RowValue::Empty => (String::new(), CellKind::Text),
        RowValue::Text(text) => ((*text).to_owned(), CellKind::Text),
        RowValue::Digits(digits) => ((*digits).to_owned(), CellKind::Number),
        RowValue::Number(number) => (number.to_string(), CellKind::Number),
        RowValue::Day(days) => (Day::from_days(*days).to_string(), CellKind::Day),
        RowValue::Moment(seconds) => {
            let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
            let day = i32::try_from(day).map(|day| Day::from_days(day).to_string()).unwrap_or_default();
            let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
            (format!("{day}T{hour:02}:{minute:02}:{second:02}"), CellKind::Day)
        }
        RowValue::Uncalculated => (String::new(), CellKind::Uncalculated),
    };
    FileCell { text, kind }
}

/// Refuses a table with a formula that has no value in one of its rows, or in a day of a line below.
pub(crate) fn refuse_unknown_cells(sheet: &str, table: &FileTable) -> Result<(), String> {
    let is_named = |column: usize| table.header.get(column).is_some_and(|name| !name.trim().is_empty());
    let first = |lines: &[Line], is_looked_at: &dyn Fn(usize) -> bool| {
        let mut cells =
            lines.iter().flat_map(|line| line.cells.iter().enumerate().map(move |cell| (line.number, cell)));
        let unknown = |(_, (column, cell)): &(usize, (usize, &FileCell))| {
            cell.kind == CellKind::Uncalculated && is_named(*column) && is_looked_at(*column)
        };
        cells.find(unknown).map(|(line, (column, _))| (line, column))
    };
    let has_days = |column: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.cell(column));
        cells.any(super::dates::looks_like_date)
    };
    let every = |_: usize| true;
    let found = first(&table.rows, &every).or_else(|| first(&table.strays, &every));
    match found.or_else(|| first(&table.below, &has_days)) {
        None => Ok(()),
        Some((row, column)) => {
            let name = table.header.get(column).map(|name| name.trim()).unwrap_or_default();
            Err(format!("sheet \"{sheet}\", row {row}, column `{name}`: {UNCALCULATED}"))
        }
    }
}

/// The first formula without a value of a workbook in which no table was found.
pub(crate) fn find_unknown_cell(sheets: &[(String, Vec<Line>)]) -> Option<String> {
    let is_unknown = |line: &&Line| line.cells.iter().any(|cell| cell.kind == CellKind::Uncalculated);
    let (sheet, line) = sheets.iter().find_map(|(sheet, lines)| Some((sheet, lines.iter().find(is_unknown)?)))?;
    Some(format!("sheet \"{sheet}\", row {}: {UNCALCULATED}", line.number))
}
