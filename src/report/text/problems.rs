//! Finds the numbers behind what went wrong. They are shown in full, the others on one line.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::decision::{Explanation, Making, Number, Outcome, State};

/// The numbers of unmet and unknown requirements, and everything they are made of. If all requirements are met and
/// there is still no offer, the numbers of the offers.
pub(super) fn find_problem_numbers(explanation: &Explanation) -> BTreeSet<&str> {
    let (requirements, offers) = (&explanation.requirements, &explanation.offers);
    let numbers: BTreeMap<&str, &Number> =
        explanation.numbers.iter().map(|number| (number.name.as_str(), number)).collect();
    let unmet = requirements.iter().filter(|one| matches!(one.state, State::NotMet | State::Unknown));
    let mut next: Vec<&str> = unmet.flat_map(|one| &one.numbers).map(String::as_str).collect();
    let all_met = requirements.iter().all(|one| one.state == State::Met);
    if all_met && explanation.decision.outcome != Outcome::Offer {
        let not_made = offers.iter().filter(|offer| matches!(offer.making, Making::NotMade | Making::Unknown));
        next.extend(not_made.flat_map(|offer| &offer.numbers).map(String::as_str));
    }
    let mut names = BTreeSet::new();
    while let Some(name) = next.pop() {
        if names.insert(name) {
            next.extend(numbers.get(name).into_iter().flat_map(|number| &number.made_of).map(String::as_str));
        }
    }
    names
}
