//! Whether a column of types says the side of an amount, or only what kind of payment it is.

use std::collections::BTreeSet;

use super::answers::{Answers, Doubt};
use super::facts::{Fact, RowPlace, RowReading, Sense, agreeing_narrations, best_chain, has_both_signs};
use super::grid::FileCell;
use super::roles::{CandidateColumn, Roles};
use super::side_names::SideName;
use super::words;
use crate::base::toml_text::quote_toml_text;

/// Fewer narrations that agree prove no sides.
const NARRATIONS_MIN: usize = 3;

/// Settles which column says the side of an amount. A name of both sides is enough; a name such as `Type` needs several
/// values; any other column of such words, as a country `IN`, needs rows that prove it. Returns what is doubtful.
pub(crate) fn check_side_words(
    columns: &[CandidateColumn<'_>],
    roles: &mut Roles,
    facts: &mut [Fact],
    answers: &Answers,
) -> Vec<Doubt> {
    if roles.amount.is_none() {
        return Vec::new();
    }
    let has_kinds = |column: &CandidateColumn<'_>| column.kinds().is_some_and(|kinds| kinds.len() > 1);
    let is_sure = |column: &CandidateColumn<'_>| column.side_name() == SideName::Sides || has_kinds(column);
    let named = roles.side.and_then(|at| columns.get(at));
    if named.is_some_and(|column| !is_sure(column)) {
        drop_side(roles, facts);
    }
    if roles.side.is_none() && answers.positive_is_credit.is_none() {
        take_proved_column(columns, roles, facts);
    }
    let Some(column) = roles.side.and_then(|at| columns.get(at)) else {
        return doubt_unproved_columns(columns, facts, answers).into_iter().collect();
    };
    let name = column.name.trim();
    let kinds: Vec<&str> = column.kinds().into_iter().flatten().filter(|kind| !kind.is_empty()).collect();
    let vague: Vec<&str> = kinds.iter().copied().filter(|kind| words::is_kind_of_payment(kind)).collect();
    if vague.iter().any(|kind| !is_proved(column, facts, kind)) {
        drop_side(roles, facts);
        if kinds.len() > 1 && !has_both_signs(facts) {
            return vec![Doubt::open(format!(
                "`{name}` has {}, which are kinds of payments, and no balance says which side each is on; add `type` \
                 and list them under [type] by hand",
                quote_kinds(&kinds)
            ))];
        }
        return Vec::new();
    }
    let silent = facts.iter().find(|fact| fact.amount.unwrap_or(0) != 0 && fact.side.is_none());
    match silent {
        Some(fact) if answers.positive_is_credit.is_none() => vec![Doubt::open(format!(
            "line {} has an amount and nothing in `{name}`, and a columns file cannot give a side to an empty cell; \
             fill it in, or ask for another export",
            fact.place.line
        ))],
        _ => Vec::new(),
    }
}

/// Leaves a column of sides out; a suffix may still say the side.
fn drop_side(roles: &mut Roles, facts: &mut [Fact]) {
    roles.side = None;
    facts.iter_mut().for_each(|fact| fact.side = fact.suffix_side);
}

/// Columns of words of sides, which no name confirms.
fn unnamed_columns<'c, 't>(
    columns: &'c [CandidateColumn<'t>],
) -> impl Iterator<Item = (usize, &'c CandidateColumn<'t>)> {
    columns.iter().enumerate().filter(|(_, column)| {
        column.has_sides && !column.is_repeated && !column.name.trim().is_empty() && column.filled == column.cells.len()
    })
}

/// Takes the first column of words that the rows prove to be sides.
fn take_proved_column(columns: &[CandidateColumn<'_>], roles: &mut Roles, facts: &mut [Fact]) {
    for (at, column) in unnamed_columns(columns).filter(|(_, column)| column.has_both_sides()) {
        let side = |cell: &&FileCell| words::side_of_type_word(cell.trimmed());
        let stated: Vec<Fact> = facts
            .iter()
            .zip(&column.cells)
            .map(|(fact, cell)| Fact { side: side(cell).or(fact.suffix_side), ..fact.clone() })
            .collect();
        if sides_are_proved(&stated) {
            roles.side = Some(at);
            facts.clone_from_slice(&stated);
            return;
        }
    }
}

/// Whether balances follow with these sides and not by the sign, or narrations of both sides agree with them.
fn sides_are_proved(facts: &[Fact]) -> bool {
    let readings = |sense| {
        let flags = [(false, true), (false, false), (true, true), (true, false)];
        flags.map(|(has_fee, skips)| RowReading { sense, has_fee, skips })
    };
    let best = |sense| {
        let chains = readings(sense).map(|reading| best_chain(facts, &reading));
        chains.into_iter().reduce(|best, next| if next.follow().beats(best.follow()) { next } else { best })
    };
    let Some(stated) = best(Sense::Stated) else { return false };
    let followed: BTreeSet<RowPlace> =
        stated.steps.iter().filter(|step| step.follows && step.moved != 0).map(|step| step.place).collect();
    let is_followed = |side: bool| facts.iter().any(|fact| fact.side == Some(side) && followed.contains(&fact.place));
    let beats = |sense| best(sense).is_some_and(|other| stated.follow().beats(other.follow()));
    if stated.follow().proves() && is_followed(true) && is_followed(false) {
        return beats(Sense::PositiveCredit) && beats(Sense::PositiveDebit);
    }
    if !stated.steps.is_empty() {
        return false;
    }
    let reading = RowReading { sense: Sense::Stated, has_fee: false, skips: true };
    let (agree, contradict) = agreeing_narrations(facts, &reading);
    let names = |side: bool| {
        facts.iter().any(|fact| fact.side == Some(side) && words::narration_side(&fact.narration) == Some(side))
    };
    agree >= NARRATIONS_MIN && contradict == 0 && names(true) && names(false)
}

/// A doubt about amounts of one sign where a column may say their sides.
fn doubt_unproved_columns(columns: &[CandidateColumn<'_>], facts: &[Fact], answers: &Answers) -> Option<Doubt> {
    let is_answered = answers.positive_is_credit.is_some() || facts.iter().any(|fact| fact.suffix_side.is_some());
    if is_answered || has_both_signs(facts) {
        return None;
    }
    let (_, column) = unnamed_columns(columns).find(|(_, column)| column.has_both_sides())?;
    let kinds: Vec<&str> = column.kinds().into_iter().flatten().collect();
    let name = column.name.trim();
    Some(Doubt::asked(format!(
        "`{name}` has {}, but neither its name nor any balance or narration says that these are the sides of the \
         amounts; if they are, add `type = {}` and list them under [type] by hand; if not, say --positive credit or \
         --positive debit",
        quote_kinds(&kinds),
        quote_toml_text(name)
    )))
}

fn quote_kinds(kinds: &[&str]) -> String {
    kinds.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ")
}

/// Whether a balance follows from the side of this word on each of its rows.
fn is_proved(column: &CandidateColumn<'_>, facts: &[Fact], kind: &str) -> bool {
    let readings = [(false, true), (false, false), (true, true), (true, false)].map(|(has_fee, skips)| RowReading {
        sense: Sense::Stated,
        has_fee,
        skips,
    });
    let chains = readings.into_iter().map(|reading| (reading, best_chain(facts, &reading)));
    let best = chains.reduce(|best, next| if next.1.follow().beats(best.1.follow()) { next } else { best });
    let Some((reading, chain)) = best.filter(|(_, chain)| chain.follow().proves()) else { return false };
    let of_kind: BTreeSet<RowPlace> = facts
        .iter()
        .zip(&column.cells)
        .filter(|(fact, cell)| cell.trimmed() == kind && !fact.is_left_out(&reading))
        .map(|(fact, _)| fact.place)
        .collect();
    let checked: Vec<bool> =
        chain.steps.iter().filter(|step| of_kind.contains(&step.place)).map(|step| step.follows).collect();
    checked.len() == of_kind.len() && checked.iter().all(|follows| *follows)
}
