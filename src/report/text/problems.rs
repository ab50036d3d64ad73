//! Which numbers are behind what went wrong: those are told in full where the others are told in a line. Knows no text.

use std::collections::{BTreeMap, BTreeSet};

use crate::decision::{Explanation, Making, Number, Outcome, State};

/// The numbers of what is not met or not known, and all that they are made of; where every requirement is met and there is still no
/// offer, those of the offers.
pub(super) fn names(told: &Explanation) -> BTreeSet<&str> {
    let numbers: BTreeMap<&str, &Number> = told.numbers.iter().map(|number| (number.name.as_str(), number)).collect();
    let unmet = told.requirements.iter().filter(|one| matches!(one.state, State::NotMet | State::Unknown));
    let mut next: Vec<&str> = unmet.flat_map(|one| &one.numbers).map(String::as_str).collect();
    let asked = told.requirements.iter().all(|one| one.state == State::Met);
    if asked && told.decision.outcome != Outcome::Offer {
        let not_made = told.offers.iter().filter(|offer| matches!(offer.making, Making::NotMade | Making::Unknown));
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
