//! Whether a column of types says the side of an amount, or only what kind of payment it is.

use std::collections::BTreeSet;

use super::answers::{Answers, Doubt};
use super::facts::{Fact, RowPlace, RowReading, Sense, best_chain, has_both_signs};
use super::roles::{CandidateColumn, Roles};
use super::words;

/// Takes the side from a column whose words do not say it for certain. Returns what is then doubtful.
pub(crate) fn check_side_words(
    columns: &[CandidateColumn<'_>],
    roles: &mut Roles,
    facts: &mut [Fact],
    answers: &Answers,
) -> Vec<Doubt> {
    let Some(column) = roles.side.and_then(|at| columns.get(at)) else { return Vec::new() };
    let name = column.name.trim();
    let kinds: Vec<&str> = column.kinds().into_iter().flatten().filter(|kind| !kind.is_empty()).collect();
    let vague: Vec<&str> = kinds.iter().copied().filter(|kind| words::is_kind_of_payment(kind)).collect();
    if vague.iter().any(|kind| !is_proved(column, facts, kind)) {
        let has_both_signs = has_both_signs(facts);
        roles.side = None;
        facts.iter_mut().for_each(|fact| fact.side = None);
        if kinds.len() > 1 && !has_both_signs {
            return vec![Doubt::open(format!(
                "`{name}` has {}, which are kinds of payments, and no balance says which side each is on; add `type` \
                 and list them under [type] by hand",
                kinds.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ")
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
