//! Which line of an exported sheet each row of an edited one was.

use super::cells::{Value, decimal, of_double};
use super::grid::{Found, Grid};
use super::sheet::{Kind, Sheet};
use crate::rules::Type;

/// The rows of a file below its header, without `otherwise`: for each the line that it was, if it was one. A line is
/// taken once.
pub(super) fn lines_of(sheet: &Sheet, grid: &Grid, rows: &[usize]) -> Vec<Option<usize>> {
    let count = sheet.lines.iter().filter(|line| line.origin.is_some()).count();
    let mut found: Vec<Option<usize>> = vec![None; rows.len()];
    let mut taken = vec![false; count];
    let number = |row: usize| match grid.cell(row, 0) {
        Found::Number(number) => of_double(*number)?.parse::<usize>().ok()?.checked_sub(1),
        Found::Text(text) => text.trim().parse::<usize>().ok()?.checked_sub(1),
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
    let mut compared = columns.filter(|(_, kind, _)| !matches!(kind, Kind::Row | Kind::Comment));
    compared.all(|(at, kind, value)| is_same(grid.cell(row, at), value, kind))
}

/// Whether a cell says what was exported, however the spreadsheet has written it.
pub(super) fn is_same(found: &Found, value: &Value, kind: Kind) -> bool {
    let is_numeric = match kind {
        Kind::Test(ty) | Kind::Given(ty) => ty.is_numeric(),
        Kind::Row | Kind::Fixed => true,
        Kind::Comment => false,
    };
    let is_boolean = matches!(kind, Kind::Test(Type::BOOLEAN) | Kind::Given(Type::BOOLEAN));
    let is_number = |one: &str, other: &str| {
        is_numeric && decimal(one).is_some_and(|plain| decimal(other).is_some_and(|other| other == plain))
    };
    let is_truth = |text: &str, truth: bool| is_boolean && text.trim().eq_ignore_ascii_case(&truth.to_string());
    match (found, value) {
        (Found::Empty, Value::Empty) => true,
        (Found::Text(found), Value::Text(text)) => {
            let is_text = found.replace("\r\n", "\n").trim() == text.trim();
            is_text
                || is_number(found, text)
                || [true, false].iter().any(|of| is_truth(found, *of) && is_truth(text, *of))
        }
        (Found::Text(found), Value::Number(number)) => is_number(found, number),
        (Found::Number(found), Value::Number(text) | Value::Text(text)) => {
            of_double(*found).is_some_and(|found| is_number(&found, text))
        }
        (Found::Truth(found), Value::Truth(truth)) => found == truth,
        (Found::Truth(found), Value::Text(text)) => is_truth(text, *found),
        (Found::Text(found), Value::Truth(truth)) => is_truth(found, *truth),
        _ => false,
    }
}
