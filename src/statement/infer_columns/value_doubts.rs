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
        side_columns::doubt_other_amounts(columns, roles, facts),
        doubt_unnamed_day(columns, roles),
        doubt_status_of_all(columns, roles, facts, reading.skips),
        doubt_turned_days(columns, roles, facts),
        doubt_several_accounts(columns, roles, facts),
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

/// The doubt about days that a spreadsheet program took for its own and wrote with day and month exchanged. It takes
/// those that are days in its own order, and writes them without zeros; the others stay as they were.
fn doubt_turned_days(columns: &[CandidateColumn<'_>], roles: &Roles, facts: &[Fact]) -> Option<Doubt> {
    let column = columns.get(roles.trans_date)?;
    let fields = |text: &str| -> Option<[String; 2]> {
        let mut fields = text.split(|letter: char| !letter.is_ascii_digit()).map(str::to_owned);
        let first = fields.next().zip(fields.next()).map(|(first, second)| [first, second])?;
        first.iter().all(|field| matches!(field.len(), 1 | 2)).then_some(first)
    };
    let mut kept: Option<String> = None;
    let mut turned: Option<(usize, String)> = None;
    for (row, cell) in column.cells.iter().enumerate() {
        let Some([first, second]) = fields(cell.trimmed()) else { continue };
        let is_month = |field: &str| field.parse::<u32>().is_ok_and(|number| (1..=12).contains(&number));
        let has_zero = first.starts_with('0') || second.starts_with('0');
        match (is_month(&first) && is_month(&second), has_zero) {
            // One that may be either, with a zero, shows that none was taken.
            (true, true) => return None,
            (true, false) if first.len().min(second.len()) == 1 => {
                turned.get_or_insert_with(|| (row, cell.trimmed().to_owned()));
            }
            (false, true) => drop(kept.get_or_insert_with(|| cell.trimmed().to_owned())),
            _ => {}
        }
    }
    let ((row, turned), kept) = turned.zip(kept)?;
    Some(Doubt::open(format!(
        "line {} has the day `{turned}` without a zero, but `{kept}` has one: a spreadsheet program seems to have \
         exchanged day and month where it could; export the statement again, and do not save it in such a program",
        facts.get(row)?.place.line
    )))
}

/// The doubt about a column of few accounts that was left as that of the other side: they may be the customer's own.
fn doubt_several_accounts(columns: &[CandidateColumn<'_>], roles: &Roles, facts: &[Fact]) -> Option<Doubt> {
    const FEW: std::ops::RangeInclusive<usize> = 2..=4;
    let is_used = |at: usize| roles.account == Some(at) || roles.customer == Some(at);
    let is_account = |column: &CandidateColumn<'_>| {
        matches!(column.meaning, Some((Meaning::Account, _))) && column.filled == column.cells.len()
    };
    let (_, column) = columns.iter().enumerate().find(|(at, column)| !is_used(*at) && is_account(column))?;
    let accounts: BTreeSet<&str> = column.cells.iter().map(|cell| cell.trimmed()).collect();
    let first = column.cells.first()?.trimmed();
    let other = column.cells.iter().position(|cell| cell.trimmed() != first)?;
    (FEW.contains(&accounts.len()) && column.cells.len() > accounts.len()).then(|| {
        let name = column.name.trim();
        Doubt::open(format!(
            "`{name}` has {} accounts, another one first at line {}, and they would become one; if they are the \
             customer's own, write `account = \"{name}\"` under [columns] and name the customer, or make a file of \
             each; if they are the other side's, remove the column",
            accounts.len(),
            facts.get(other).map_or(0, |fact| fact.place.line)
        ))
    })
}
