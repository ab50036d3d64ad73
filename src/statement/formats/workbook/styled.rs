//! The cells of one sheet with what their formats say: percentages, days, merged cells. For sheets that people edit and
//! hand back.

use std::collections::BTreeSet;
use std::io::Cursor;

use calamine::{DataRef, Reader, SheetType, Xlsx};

use super::cells::{CellValue, to_values};
use super::sheet::{COLUMNS_MAX, ROWS_MAX, place_of};
use super::{Fault, RowValue, guard_library_panic, xlsx_fault, zip_parts};
use crate::base::date::Day;

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Styled {
    Text(String),
    Number(f64),
    /// A number that is shown with a percent sign.
    Percent(f64),
    /// A day or a time, as ISO 8601 writes it.
    Date(String),
    Truth(bool),
    Error(&'static str),
}

/// The first and the last cell of a range, each a row and a column from 0.
type Range = ((u32, u32), (u32, u32));

/// The cells of a sheet.
#[derive(Clone, Debug, Default)]
pub(crate) struct StyledSheet {
    /// Row and column from 0, and the cell.
    pub cells: Vec<(u32, u32, Styled)>,
    pub merged: Vec<Range>,
}

/// Reads the sheet `name` of an XLSX workbook, or its only sheet.
pub(crate) fn read_styled_sheet(bytes: &[u8], name: &str) -> Result<StyledSheet, Fault> {
    let kind = bytes.starts_with(b"PK").then(|| zip_parts::check_zip_parts(bytes)).transpose()?;
    let Some(zip_parts::WorkbookKind::OpenXml { is_uncalculated }) = kind else {
        return Err(Fault::new("the file is no XLSX workbook; save it as XLSX in a spreadsheet program"));
    };
    let mut book = guard_library_panic(|| Xlsx::new(Cursor::new(bytes)).map_err(xlsx_fault))?;
    let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let sheets: Vec<String> = sheets.map(|sheet| sheet.name.clone()).collect();
    let chosen = match (sheets.iter().find(|sheet| *sheet == name), sheets.as_slice()) {
        (Some(sheet), _) | (None, [sheet]) => sheet.clone(),
        _ => {
            let listed: Vec<String> = sheets.iter().map(|sheet| format!("\"{sheet}\"")).collect();
            return Err(Fault::new(format!("no sheet is called \"{name}\"; there are {}", listed.join(", "))));
        }
    };
    let unknown = guard_library_panic(|| find_unknown_cells(&mut book, &chosen, is_uncalculated))?;
    let mut cells = guard_library_panic(|| read_styled_cells(&mut book, &chosen))?;
    cells.retain(|(row, column, _)| !unknown.contains(&(*row, *column)));
    cells.extend(unknown.iter().map(|(row, column)| (*row, *column, Styled::Error("\"not calculated\""))));
    cells.sort_unstable_by_key(|(row, column, _)| (*row, *column));
    let merged = guard_library_panic(|| book.merge_cells_by_sheet_name(&chosen).map_err(xlsx_fault))?;
    Ok(StyledSheet { cells, merged: merged.iter().map(|range| (range.start, range.end)).collect() })
}

/// The places of formulas that no program has calculated.
fn find_unknown_cells(
    book: &mut Xlsx<Cursor<&[u8]>>,
    sheet: &str,
    is_uncalculated: bool,
) -> Result<BTreeSet<(u32, u32)>, Fault> {
    let mut reader = book.worksheet_cells_reader(sheet).map_err(xlsx_fault)?;
    let mut places = BTreeSet::new();
    while let Some(cell) = reader.next_cell_with_formula_metadata().map_err(xlsx_fault)? {
        // Programs store 0 for a value that was never calculated. Another value was given on purpose.
        let is_zero = matches!(cell.value, DataRef::Float(0.0) | DataRef::Int(0));
        if cell.formula.is_some() && (cell.value == DataRef::Empty || is_uncalculated && is_zero) {
            places.insert(cell.pos);
        }
    }
    Ok(places)
}

fn read_styled_cells(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str) -> Result<Vec<(u32, u32, Styled)>, Fault> {
    let is_1904 = book.has_1904_epoch();
    let mut reader = book.worksheet_cells_reader(sheet).map_err(xlsx_fault)?;
    let is_percent: Vec<bool> = reader
        .styles()
        .iter()
        .map(|style| style.number_format.as_ref().is_some_and(|format| shows_percent(&format.format_code)))
        .collect();
    let mut cells = Vec::new();
    while let Some((cell, style)) = reader.next_cell_with_style_id().map_err(xlsx_fault)? {
        let (row, column) = cell.get_position();
        if row >= ROWS_MAX || column >= COLUMNS_MAX {
            return Err(Fault::at(place_of(sheet, Some(row)), "the cell is beyond the last of any sheet"));
        }
        let is_percent = is_percent.get(style).copied().unwrap_or(false);
        let value = match CellValue::from(cell.get_value()) {
            CellValue::Empty | CellValue::Uncalculated => continue,
            CellValue::Text(text) => Styled::Text(text.to_owned()),
            CellValue::Number(number) if is_percent => Styled::Percent(number),
            CellValue::Number(number) => Styled::Number(number),
            CellValue::Whole(number) if is_percent => Styled::Percent(number as f64),
            CellValue::Whole(number) => Styled::Number(number as f64),
            CellValue::Bool(truth) => Styled::Truth(truth),
            CellValue::Error(error) => Styled::Error(error),
            date @ (CellValue::Serial(_) | CellValue::Iso(_)) => Styled::Date(cell_in_iso_form(date, is_1904)),
        };
        cells.push((row, column, value));
    }
    Ok(cells)
}

/// Whether a number format shows percentages. A percent sign in quotes or after a backslash is only a sign.
fn shows_percent(code: &str) -> bool {
    let (mut is_quoted, mut is_escaped) = (false, false);
    code.chars().any(|sign| {
        let was_escaped = is_escaped;
        is_escaped = sign == '\\' && !was_escaped;
        is_quoted ^= sign == '"' && !was_escaped;
        sign == '%' && !is_quoted && !was_escaped
    })
}

fn cell_in_iso_form(cell: CellValue<'_>, is_1904: bool) -> String {
    const DAY: i64 = 86_400;
    let mut shown = String::new();
    let _ = to_values([(0, cell)].into_iter(), is_1904, |values| {
        shown = match values.first() {
            Some(RowValue::Day(days)) => Day::from_days(*days).to_string(),
            Some(RowValue::Moment(seconds)) => {
                let day = i32::try_from(seconds.div_euclid(DAY)).map(Day::from_days);
                let clock = seconds.rem_euclid(DAY);
                let day = day.map(|day| day.to_string()).unwrap_or_default();
                format!("{day}T{:02}:{:02}:{:02}", clock / 3_600, clock / 60 % 60, clock % 60)
            }
            Some(RowValue::Text(text)) => (*text).to_owned(),
            _ => String::new(),
        };
        std::ops::ControlFlow::Continue(())
    });
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percent_sign_of_a_format_is_not_one_in_quotes() {
        for (code, wanted) in
            [("0%", true), ("0.00 %", true), ("General", false), ("0\"%\"", false), ("0\\%", false), ("\"a\"0%", true)]
        {
            assert_eq!(shows_percent(code), wanted, "{code}");
        }
    }
}
