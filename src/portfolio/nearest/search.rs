//! Tries combinations of changes in the order of their distance, so that the first that makes an offer is the nearest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::ladder::Ladder;
use super::{Looking, Order};
use crate::engine::decision::{CacheError, Changed, Outcome, WithChanges};

/// How many combinations the engine decides at once.
const AT_ONCE: usize = 128;

/// What was found.
pub(super) struct SearchResult {
    pub found: Option<OfferCombination>,
    /// Whether every combination was tried.
    pub is_exhausted: bool,
    pub tries: usize,
}

/// A combination that makes an offer.
pub(super) struct OfferCombination {
    /// For each metric its place on the ladder.
    pub places: Vec<usize>,
    pub distance: f64,
    pub offer: Option<(i64, u32)>,
}

/// A combination in the queue.
#[derive(Clone, PartialEq)]
struct Combination {
    changed: usize,
    cost: f64,
    places: Vec<usize>,
    /// Only metrics from here on may change further, so that each combination comes once.
    from: usize,
}

impl Combination {
    fn order(&self, order: Order) -> (usize, f64) {
        (if order == Order::Fewest { self.changed } else { 0 }, self.cost)
    }
}

/// Combinations by their distance; equals by their places, so that every run has one order.
struct Queued(Combination, Order);

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((changed, cost), (other_changed, other_cost)) = (self.0.order(self.1), other.0.order(other.1));
        // The heap gives the greatest first, and the nearest is wanted.
        other_changed.cmp(&changed).then(other_cost.total_cmp(&cost)).then_with(|| other.0.places.cmp(&self.0.places))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}

/// Decides some combinations.
pub(super) type Decide<'d> = dyn Fn(&[Changed]) -> Result<Vec<WithChanges>, CacheError> + 'd;

/// Looks for the nearest combination that makes an offer.
///
/// # Errors
/// If the engine fails.
pub(super) fn search_combinations(
    ladders: &[Ladder],
    looking: Looking,
    decide: &Decide,
) -> Result<SearchResult, CacheError> {
    let start = Combination { changed: 0, cost: 0.0, places: vec![0; ladders.len()], from: 0 };
    let mut queue = BinaryHeap::from([Queued(start, looking.order)]);
    let mut tries = 0;
    while !queue.is_empty() && tries < looking.tries_max {
        let mut some = Vec::new();
        while some.len() < AT_ONCE.min(looking.tries_max - tries) {
            let Some(Queued(next, _)) = queue.pop() else { break };
            push_next_combinations(&next, ladders, |more| queue.push(Queued(more, looking.order)));
            // Nothing changed: that is what was decided already.
            if next.changed > 0 {
                some.push(next);
            } else if queue.is_empty() {
                break;
            }
        }
        let changes: Vec<Changed> = some.iter().map(|one| changes_of_combination(one, ladders)).collect();
        tries += some.len();
        let decided = decide(&changes)?;
        if let Some((found, supposed)) =
            some.into_iter().zip(decided).find(|(_, supposed)| supposed.outcome == Outcome::Offer)
        {
            let found = OfferCombination { places: found.places, distance: found.cost, offer: supposed.offer };
            return Ok(SearchResult { found: Some(found), is_exhausted: false, tries });
        }
    }
    Ok(SearchResult { found: None, is_exhausted: queue.is_empty(), tries })
}

/// The combinations one step further away.
fn push_next_combinations(one: &Combination, ladders: &[Ladder], mut push: impl FnMut(Combination)) {
    for (at, ladder) in ladders.iter().enumerate().skip(one.from) {
        let place = one.places[at] + 1;
        let Some(step) = ladder.steps.get(place) else { continue };
        let mut places = one.places.clone();
        places[at] = place;
        let cost = one.cost - ladder.steps[place - 1].cost + step.cost;
        push(Combination { changed: one.changed + usize::from(place == 1), cost, places, from: at });
    }
}

fn changes_of_combination(one: &Combination, ladders: &[Ladder]) -> Changed {
    one.places.iter().zip(ladders).map(|(place, ladder)| ladder.steps[*place].value.clone()).collect()
}
