//! Which line of an exported sheet each row of an edited one was.

use super::cells::{SheetValue, normalize_decimal, of_double};
use super::grid::{CellContent, Grid};
use super::sheet::{ColumnKind, Sheet};
use crate::rules::Type;

/// The rows of a file below its header, without `otherwise`: for each the line that it was, if it was one. A line is
/// taken once.
pub(super) fn lines_of(sheet: &Sheet, grid: &Grid, rows: &[usize]) -> Vec<Option<usize>> {
    let count = sheet.lines.iter().filter(|line| line.origin.is_some()).count();
    let mut found: Vec<Option<usize>> = vec![None; rows.len()];
    let mut taken = vec![false; count];
    let number = |row: usize| match grid.cell(row, 0) {
        CellContent::Number(number) => of_double(*number)?.parse::<usize>().ok()?.checked_sub(1),
        CellContent::Text(text) => text.trim().parse::<usize>().ok()?.checked_sub(1),
        _ => None,
    };
    let is_same = |row: usize, line: usize| is_same_row(sheet, grid, row, line);
    // First those that have their number and their cells, then those that have their cells, then those that have only
    // their number: so a column of numbers that was filled anew does not make every row a changed one.
    for pass in 0..3 {
        for (at, row) in rows.iter().enumerate() {
            if found[at].is_some() {
                continue;
            }
            let numbered = number(*row).filter(|line| taken.get(*line) == Some(&false));
            let line = match pass {
                0 => numbered.filter(|line| is_same(*row, *line)),
                1 => (0..count).find(|line| !taken[*line] && is_same(*row, *line)),
                _ => numbered,
            };
            if let Some(line) = line {
                found[at] = Some(line);
                taken[line] = true;
            }
        }
    }
    found
}

/// Whether a row has the cells of a line, whatever its number and its comment.
fn is_same_row(sheet: &Sheet, grid: &Grid, row: usize, line: usize) -> bool {
    let list = sheet.lines[line].origin.map(|(list, _)| list);
    let columns = sheet.lines[line].values.iter().enumerate().map(|(at, value)| (at, sheet.kind(at, list), value));
    let mut compared = columns.filter(|(_, kind, _)| !matches!(kind, ColumnKind::Row | ColumnKind::Comment));
    compared.all(|(at, kind, value)| is_same(grid.cell(row, at), value, kind))
}

/// Whether a cell says what was exported, however the spreadsheet has written it.
pub(super) fn is_same(found: &CellContent, value: &SheetValue, kind: ColumnKind) -> bool {
    let is_numeric = match kind {
        ColumnKind::Test(ty) | ColumnKind::Given(ty) => ty.is_numeric(),
        ColumnKind::Row | ColumnKind::Fixed => true,
        ColumnKind::Comment => false,
    };
    let is_boolean = matches!(kind, ColumnKind::Test(Type::BOOLEAN) | ColumnKind::Given(Type::BOOLEAN));
    let is_number = |one: &str, other: &str| {
        is_numeric
            && normalize_decimal(one).is_some_and(|plain| normalize_decimal(other).is_some_and(|other| other == plain))
    };
    let is_truth = |text: &str, truth: bool| is_boolean && text.trim().eq_ignore_ascii_case(&truth.to_string());
    match (found, value) {
        (CellContent::Empty, SheetValue::Empty) => true,
        (CellContent::Text(found), SheetValue::Text(text)) => {
            let is_text = found.replace("\r\n", "\n").trim() == text.trim();
            is_text
                || is_number(found, text)
                || [true, false].iter().any(|of| is_truth(found, *of) && is_truth(text, *of))
        }
        (CellContent::Text(found), SheetValue::Number(number)) => is_number(found, number),
        (CellContent::Number(found), SheetValue::Number(text) | SheetValue::Text(text)) => {
            of_double(*found).is_some_and(|found| is_number(&found, text))
        }
        (CellContent::Truth(found), SheetValue::Truth(truth)) => found == truth,
        (CellContent::Truth(found), SheetValue::Text(text)) => is_truth(text, *found),
        (CellContent::Text(found), SheetValue::Truth(truth)) => is_truth(found, *truth),
        _ => false,
    }
}
