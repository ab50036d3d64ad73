//! Columns that fit a meaning as well as the one that was taken. Must not decide which is right.

use super::amounts::is_empty_mark;
use super::answers::{Answers, Doubt};
use super::roles::{CandidateColumn, Roles};
use super::words;

/// Takes the meaning from columns whose name says another currency than the answer.
pub(crate) fn keep_currency(columns: &mut [CandidateColumn<'_>], code: &str) {
    for column in columns {
        let other = words::currency_of(column.name).filter(|named| !named.eq_ignore_ascii_case(code));
        if other.is_some() && column.is_amount {
            column.meaning = None;
        }
    }
}

/// Adds a doubt for each column of money that another one might be as well.
pub(crate) fn add_doubts(columns: &[CandidateColumn<'_>], roles: &Roles, answers: &Answers, doubts: &mut Vec<Doubt>) {
    let rivals: Vec<Doubt> = roles.amounts().filter_map(|at| doubt_rival_column(columns, at, answers)).collect();
    if !rivals.is_empty() {
        // Balances say nothing about amounts that may be those of another column.
        doubts.retain(|doubt| !doubt.is_of_balances);
    }
    doubts.extend(rivals);
    doubts.extend(incomplete_date(columns, roles));
}

/// A column that is named as the day of the record, but lacks some days, so that another column was taken.
fn incomplete_date(columns: &[CandidateColumn<'_>], roles: &Roles) -> Option<Doubt> {
    let taken = columns.get(roles.trans_date)?;
    let (meaning, _) = taken.meaning?;
    let is_better = |column: &&CandidateColumn<'_>| {
        !column.is_repeated
            && !column.dates.is_empty()
            && column.meaning.is_some_and(|(other, _)| other < meaning)
            && column.filled * 2 > column.cells.len()
    };
    let better = columns.iter().find(is_better)?;
    Some(Doubt::open(format!(
        "`{}` is empty in {} rows, so `{}` would be the day of all rows; fill it in, or keep that by hand",
        better.name.trim(),
        better.cells.len() - better.filled,
        taken.name.trim()
    )))
}

fn doubt_rival_column(columns: &[CandidateColumn<'_>], chosen: usize, answers: &Answers) -> Option<Doubt> {
    let taken = columns.get(chosen)?;
    let is_rival = |(at, column): &(usize, &CandidateColumn<'_>)| {
        *at != chosen
            && !column.is_repeated
            && !column.name.trim().is_empty()
            && column.meaning == taken.meaning
            && has_values(column)
            && columns_differ(column, taken)
    };
    let rivals: Vec<&CandidateColumn<'_>> =
        columns.iter().enumerate().filter(is_rival).map(|(_, column)| column).collect();
    if rivals.is_empty() {
        return None;
    }
    let all: Vec<&CandidateColumn<'_>> = std::iter::once(taken).chain(rivals).collect();
    let names: Vec<String> = all.iter().map(|column| format!("`{}`", column.name.trim())).collect();
    let names = names.join(" and ");
    let mut codes: Vec<&str> = all.iter().filter_map(|column| words::currency_of(column.name)).collect();
    codes.sort_unstable();
    codes.dedup();
    if codes.len() == all.len() && answers.currency.is_none() {
        let options: Vec<String> = codes.iter().map(|code| format!("--currency {code}")).collect();
        let options = options.join(" or ");
        return Some(Doubt::asked(format!("{names} hold the same in different currencies; say {options}")));
    }
    Some(Doubt::open(format!(
        "{names} fit the same meaning, and the first was taken; name the right one under [columns] by hand"
    )))
}

/// Whether a column has an amount other than zero.
fn has_values(column: &CandidateColumn<'_>) -> bool {
    let is_nothing = |text: &str| text.chars().all(|character| !character.is_ascii_digit() || character == '0');
    column.cells.iter().any(|cell| !cell.is_blank() && !is_empty_mark(cell) && !is_nothing(cell.trimmed()))
}

fn columns_differ(one: &CandidateColumn<'_>, other: &CandidateColumn<'_>) -> bool {
    one.cells.iter().zip(&other.cells).any(|(one, other)| one.trimmed() != other.trimmed())
}
