//! Columns that were taken for a day or a status although little says so: one day on all rows, a status that leaves all
//! rows out. Must not decide what they are.

use std::collections::BTreeSet;

use super::answers::Doubt;
use super::facts::{Fact, RowReading};
use super::roles::{CandidateColumn, Roles};
use super::side_columns;
use super::words::Meaning;

/// Fewer rows may well be of one day.
const ROWS_MIN: usize = 3;

/// The doubts about columns that were taken, or left, by their values.
pub(crate) fn find_value_doubts(
    columns: &[CandidateColumn<'_>],
    roles: &Roles,
    facts: &[Fact],
    reading: &RowReading,
) -> Vec<Doubt> {
    let doubts = [
        side_columns::doubt_other_side(columns, roles, facts),
        doubt_unnamed_day(columns, roles),
        doubt_status_of_all(columns, roles, facts, reading.skips),
    ];
    doubts.into_iter().flatten().collect()
}

/// The doubt about a day that is the same on all rows, in a column that is not named as days.
fn doubt_unnamed_day(columns: &[CandidateColumn<'_>], roles: &Roles) -> Option<Doubt> {
    let column = columns.get(roles.trans_date)?;
    let is_named =
        matches!(column.meaning, Some((Meaning::TransactionDate | Meaning::BookingDate | Meaning::ValueDate, _)));
    let days: BTreeSet<&str> = column.cells.iter().map(|cell| cell.trimmed()).collect();
    (!is_named && days.len() == 1 && column.cells.len() >= ROWS_MIN).then(|| {
        Doubt::open(format!(
            "`{}` is the only column of days, has the same day on every row, and its name does not say that it is the \
             day of the record; name the right column under [columns] by hand, or ask for an export that has it",
            column.name.trim()
        ))
    })
}

/// The doubt about a status that says of every row that no money moved.
fn doubt_status_of_all(columns: &[CandidateColumn<'_>], roles: &Roles, facts: &[Fact], skips: bool) -> Option<Doubt> {
    let column = columns.get(roles.status?)?;
    let all_out = skips && facts.iter().all(|fact| fact.is_done == Some(false));
    let states: BTreeSet<&str> = facts.iter().map(|fact| fact.state.as_str()).collect();
    let states: Vec<String> = states.into_iter().take(4).map(|state| format!("`{state}`")).collect();
    (all_out && !facts.is_empty()).then(|| {
        Doubt::open(format!(
            "`{}` has {} on every row, so all rows would be left out; if it is not the status of the records, remove \
             `skip` by hand",
            column.name.trim(),
            states.join(", ")
        ))
    })
}
