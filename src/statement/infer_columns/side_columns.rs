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

/// The doubt about the columns of amounts, if another one has amounts on the rows where they have none, and nowhere
/// else: it may be the other side, or money of another kind, and such a row would be left out.
pub(crate) fn doubt_other_amounts(columns: &[CandidateColumn<'_>], roles: &Roles, facts: &[Fact]) -> Option<Doubt> {
    let taken: Vec<&CandidateColumn<'_>> = match (roles.amount, roles.credit, roles.debit) {
        (Some(only), ..) => vec![columns.get(only)?],
        (None, credit, debit) => credit.into_iter().chain(debit).filter_map(|at| columns.get(at)).collect(),
    };
    let has_amount = |cell: &&FileCell| {
        let text = cell.trimmed();
        !is_empty_mark(cell) && text.chars().any(|digit| digit.is_ascii_digit() && digit != '0')
    };
    let completes = |column: &&CandidateColumn<'_>| {
        let mut filled = column.cells.iter().enumerate().filter(|(_, cell)| has_amount(cell)).map(|(row, _)| row);
        let is_taken = |row: usize| taken.iter().any(|own| own.cells.get(row).is_some_and(has_amount));
        let first = filled.next();
        first.is_some() && first.into_iter().chain(filled).all(|row| !is_taken(row))
    };
    let is_free = |at: usize, column: &CandidateColumn<'_>| {
        let is_aside = matches!(column.meaning, Some((Meaning::Fee | Meaning::Id | Meaning::Account, _)));
        column.is_amount && column.dates.is_empty() && !is_aside && !roles.amounts().any(|role| role == at)
    };
    let others = columns.iter().enumerate().filter(|(at, column)| is_free(*at, column)).map(|(_, column)| column);
    let other = others.into_iter().find(completes)?;
    let row = other.cells.iter().position(has_amount)?;
    let (name, line) = (other.name.trim(), facts.get(row)?.place.line);
    Some(Doubt::open(match taken.as_slice() {
        [only] => format!(
            "`{name}` has an amount where `{}` has none, first at line {line}: they may be the two sides, and such \
             rows would be left out; name both as `debit` and `credit` under [columns] by hand",
            only.name.trim()
        ),
        several => format!(
            "`{name}` has an amount where {} have none, first at line {line}, and such rows would be left out; put \
             its amounts into the column of their side, or leave these rows out under `skip` by hand",
            several.iter().map(|column| format!("`{}`", column.name.trim())).collect::<Vec<_>>().join(" and ")
        ),
    }))
}
