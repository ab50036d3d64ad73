//! Whether a column of types says the side of an amount, or only what kind of payment it is. Must not know how a
//! columns file is written.

use super::facts::{Fact, Reading, Sense, best_follow};
use super::roles::{Column, Roles};
use super::{Answers, Doubt, words};

/// Takes the side from a column whose words do not say it for certain. Returns what is then doubtful.
pub(crate) fn check(columns: &[Column<'_>], roles: &mut Roles, facts: &mut [Fact], answers: &Answers) -> Vec<Doubt> {
    let Some(column) = roles.side.and_then(|at| columns.get(at)) else { return Vec::new() };
    let name = column.name.trim();
    let kinds: Vec<&str> = column.kinds().into_iter().flatten().filter(|kind| !kind.is_empty()).collect();
    let is_vague = kinds.iter().any(|kind| words::is_kind_of_payment(kind));
    if is_vague && !is_proved(facts) {
        let amounts = || facts.iter().filter_map(|fact| fact.amount);
        let has_both_signs = amounts().any(|amount| amount < 0) && amounts().any(|amount| amount > 0);
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

/// Whether balances follow from the sides that the types say.
fn is_proved(facts: &[Fact]) -> bool {
    [(false, false), (false, true), (true, false), (true, true)]
        .into_iter()
        .any(|(has_fee, skips)| best_follow(facts, &Reading { sense: Sense::Stated, has_fee, skips }).proves())
}
