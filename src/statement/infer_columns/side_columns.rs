//! Two columns of amounts that are one for each side: by their names, or because each is empty where the other is
//! filled. Must not decide which of two is that of debits where no name says so.

use super::amounts::is_empty_mark;
use super::answers::Doubt;
use super::facts::Fact;
use super::grid::FileCell;
use super::roles::{CandidateColumn, Roles};
use super::side_names::pair_of_side_columns;
use super::words::Meaning;

/// Gives columns such as `Amount Debit` and `Amount Credit` their meaning, which the word `Amount` hides.
pub(crate) fn mark_side_columns(columns: &mut [CandidateColumn<'_>]) {
    let can_be = |column: &CandidateColumn<'_>| {
        column.is_amount && column.dates.is_empty() && !column.is_repeated && !column.name.trim().is_empty()
    };
    let mut found: Vec<(usize, Meaning)> = Vec::new();
    for (first, one) in columns.iter().enumerate().filter(|(_, column)| can_be(column)) {
        for (second, other) in columns.iter().enumerate().skip(first + 1).filter(|(_, column)| can_be(column)) {
            if one.filled + other.filled == 0 {
                continue;
            }
            match pair_of_side_columns(one.name, other.name) {
                Some(true) => found.extend([(first, Meaning::Debit), (second, Meaning::Credit)]),
                Some(false) => found.extend([(first, Meaning::Credit), (second, Meaning::Debit)]),
                None => {}
            }
        }
    }
    for (at, meaning) in found {
        if let Some(column) = columns.get_mut(at) {
            column.meaning = Some((meaning, 1_000));
        }
    }
}

/// The doubt about the only column of amounts, if another one has amounts on the rows where it has none, and nowhere
/// else: the two may be the two sides, and a row without its amount would be left out.
pub(crate) fn doubt_other_side(columns: &[CandidateColumn<'_>], roles: &Roles, facts: &[Fact]) -> Option<Doubt> {
    let taken = match (roles.amount, roles.credit, roles.debit) {
        (Some(only), ..) | (None, Some(only), None) => columns.get(only)?,
        _ => return None,
    };
    let has_amount = |cell: &&FileCell| {
        let text = cell.trimmed();
        !is_empty_mark(cell) && text.chars().any(|digit| digit.is_ascii_digit() && digit != '0')
    };
    let completes = |column: &&CandidateColumn<'_>| {
        let mut is_beside = false;
        let is_apart = taken.cells.iter().zip(&column.cells).all(|(own, other)| {
            is_beside |= has_amount(other) && !has_amount(own);
            !(has_amount(own) && has_amount(other))
        });
        is_apart && is_beside
    };
    let is_free = |at: usize, column: &CandidateColumn<'_>| {
        let is_aside = matches!(column.meaning, Some((Meaning::Fee | Meaning::Id | Meaning::Account, _)));
        column.is_amount && column.dates.is_empty() && !is_aside && !roles.amounts().any(|role| role == at)
    };
    let others = columns.iter().enumerate().filter(|(at, column)| is_free(*at, column)).map(|(_, column)| column);
    let other = others.into_iter().find(completes)?;
    let row = other.cells.iter().position(has_amount)?;
    Some(Doubt::open(format!(
        "`{}` has an amount where `{}` has none, first at line {}: they may be the two sides, and such rows would be \
         left out; name both as `debit` and `credit` under [columns] by hand",
        other.name.trim(),
        taken.name.trim(),
        facts.get(row)?.place.line
    )))
}
