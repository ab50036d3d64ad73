//! Marks of currencies beside amounts: several in one table, or one that a policy may contradict.

use std::collections::BTreeMap;

use super::amounts;
use super::answers::{Answers, Doubt};
use super::facts::RowPlace;
use super::roles::{CandidateColumn, Roles};
use super::words;
use crate::base::money::Currency;

/// What to know if the name of a column of money has a currency.
pub(crate) fn header_note(columns: &[CandidateColumn<'_>], roles: &Roles) -> Option<String> {
    let named = |at: usize| Some((columns.get(at)?.name.trim(), words::currency_of(columns.get(at)?.name)?));
    let (name, code) = roles.amounts().filter(|_| roles.currency.is_none()).find_map(named)?;
    Some(format!("`{name}` names {code}, which no columns file compares with a policy: use one in that currency"))
}

/// The doubts about the marks of the amounts.
pub(crate) fn find_currency_doubts(
    columns: &[CandidateColumn<'_>],
    roles: &Roles,
    places: &[RowPlace],
    answers: &Answers,
) -> Vec<Doubt> {
    // Each currency with its mark, and the first line that has it.
    let mut found: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for column in roles.amounts().filter_map(|at| columns.get(at)) {
        for (cell, place) in column.cells.iter().zip(places) {
            let Some(mark) = amounts::parse_amount_form(cell).and_then(|form| form.mark) else { continue };
            let first = found.entry(words::currency_of_mark(mark)).or_insert((mark, place.line));
            first.1 = first.1.min(place.line);
        }
    }
    if found.len() > 1 {
        let marks: Vec<String> =
            found.values().map(|(mark, line)| format!("`{mark}` (first in line {line})")).collect();
        return vec![Doubt::open(format!(
            "the amounts are marked {}, and a table has one currency; make a file of each",
            marks.join(" and ")
        ))];
    }
    let Some((code, (mark, _))) = found.into_iter().next() else { return Vec::new() };
    let is_code = Currency::from_alphabetic(mark).is_some();
    match answers.currency.as_deref() {
        Some(answer) if is_code && answer != code => {
            vec![Doubt::open(format!("the amounts are marked `{mark}`, and --currency says {answer}"))]
        }
        None if is_code => vec![Doubt::asked(format!(
            "the amounts are marked `{mark}`, which a columns file cannot compare with a policy: one in another \
             currency would read them as its own; say --currency {code} if every policy for this file is in it"
        ))],
        _ => Vec::new(),
    }
}
