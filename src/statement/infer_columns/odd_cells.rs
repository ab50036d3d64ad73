//! Names the cell, or the name, that keeps a column from what it is called. Must not decide what a column is for.

use super::amounts::{is_empty_mark, looks_like_amount};
use super::dates::{DateContext, looks_like_date, possible_date_readings};
use super::facts::RowPlace;
use super::grid::{FileCell, Line};
use super::roles::CandidateColumn;
use super::words::{AMOUNTS, DAYS, Meaning, rank_name_meanings};

/// Characters of a cell in a message.
const SHOWN_MAX: usize = 40;

/// Why no column that is named so can have one of these meanings: another one has its name, or a cell is written unlike
/// the others.
pub(crate) fn find_odd_cell(
    columns: &[CandidateColumn<'_>],
    places: &[RowPlace],
    wanted: &[Meaning],
) -> Option<String> {
    columns.iter().filter(|column| is_named(column.name, wanted)).find_map(|column| {
        let name = column.name.trim();
        if column.is_repeated {
            return Some(format!(
                "several columns are named `{name}`, and a columns file takes a column by its name: give each its own"
            ));
        }
        let (at, what) =
            if wanted.iter().any(|meaning| DAYS.contains(meaning)) { odd_day(column)? } else { odd_amount(column)? };
        let line = places.get(at)?.line;
        Some(format!("line {line}, column `{name}`: {what}; correct the cell, or ask for another export"))
    })
}

/// What keeps the rows below a line that names a day and an amount from being rows.
pub(crate) fn find_odd_row(lines: &[Line]) -> Option<String> {
    let named = |line: &Line, wanted: &[Meaning]| line.cells.iter().position(|cell| is_named(cell.trimmed(), wanted));
    let (header, day, amount) =
        lines.iter().find_map(|line| Some((line, named(line, &DAYS)?, named(line, &AMOUNTS)?)))?;
    let row = lines.iter().find(|line| line.number > header.number && line.cells.len() > day.max(amount))?;
    let odd = |column: usize, looks: fn(&FileCell) -> bool, kind: &str| {
        let cell = row.cell(column).filter(|cell| !cell.is_blank() && !looks(cell))?;
        let name = header.cell(column).map(FileCell::trimmed).unwrap_or_default();
        Some(format!("line {}, column `{name}`: {} is not a known {kind}", row.number, show_cell(cell)))
    };
    odd(day, looks_like_date, "day").or_else(|| odd(amount, looks_like_amount, "amount"))
}

fn is_named(name: &str, wanted: &[Meaning]) -> bool {
    let last = name.rsplit_once("[].").map_or(name, |(_, last)| last);
    rank_name_meanings(last).first().is_some_and(|(meaning, _)| wanted.contains(meaning))
}

/// The first cell that is not a day, or not in the notation of the first.
fn odd_day(column: &CandidateColumn<'_>) -> Option<(usize, String)> {
    let mut filled = column.cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank());
    let (_, first) = filled.next()?;
    let differs = |cell: &FileCell| possible_date_readings(&[first, cell], true, DateContext::default()).is_empty();
    let (at, cell) = filled.find(|(_, cell)| differs(cell))?;
    let what = match looks_like_date(cell) {
        true => format!("{} is written otherwise than {}", show_cell(cell), show_cell(first)),
        false => format!("{} is not a day", show_cell(cell)),
    };
    Some((at, what))
}

/// The first cell that is not an amount.
fn odd_amount(column: &CandidateColumn<'_>) -> Option<(usize, String)> {
    let mut filled = column.cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank() && !is_empty_mark(cell));
    let (at, cell) = filled.find(|(_, cell)| !looks_like_amount(cell))?;
    Some((at, format!("{} is not an amount", show_cell(cell))))
}

fn show_cell(cell: &FileCell) -> String {
    format!("`{}`", cell.trimmed().chars().take(SHOWN_MAX).collect::<String>())
}
