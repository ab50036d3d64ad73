//! Looks for the nearest combination of changes that makes an offer. What a single change does comes first: it says
//! which values a requirement of one metric admits, and what each adds to the score. If points add up, the nearest
//! combination with enough of them is known. Otherwise a climb finds some offer, and combinations in the order of their
//! distance find the nearest, or show that none is nearer.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::ladder::Ladder;
use super::looking::{Looking, Order};
use super::reach::Reach;
use super::score_need::{ScoreNeed, nearest_by_score};
use crate::engine::decision::{CacheError, Changed, Outcome, WithChanges};

/// How many combinations the engine decides at once.
const AT_ONCE: usize = 128;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct SearchResult {
    pub found: Option<OfferCombination>,
    /// Whether every combination was tried, or cannot make an offer, or is farther than the one found.
    pub is_exhausted: bool,
    /// Whether that holds for every value within the bounds, and not only for those on the ladders.
    pub is_certain: bool,
    pub tries: usize,
}

impl SearchResult {
    /// For somebody who has an offer as it is.
    pub(super) fn nothing_to_change(metrics: usize, offer: Option<(i64, u32)>) -> SearchResult {
        let found = OfferCombination { places: vec![0; metrics], changed: 0, distance: 0.0, offer };
        SearchResult { found: Some(found), is_exhausted: true, is_certain: true, tries: 0 }
    }
}

/// A combination that makes an offer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OfferCombination {
    /// For each metric its place on the ladder.
    pub places: Vec<usize>,
    pub changed: usize,
    pub distance: f64,
    pub offer: Option<(i64, u32)>,
}

/// Decides some combinations.
pub(super) type Decide<'d> = dyn Fn(&[Changed]) -> Result<Vec<WithChanges>, CacheError> + 'd;

/// Looks for the nearest combination that makes an offer, for somebody who has none now.
///
/// # Errors
/// If the engine fails.
pub(super) fn search_combinations<'s>(
    ladders: &'s [Ladder],
    reach: &Reach,
    now: &WithChanges,
    looking: Looking<'s>,
    decide: &'s Decide<'s>,
) -> Result<SearchResult, CacheError> {
    let Some(matter) = reach.metrics_that_matter(now) else {
        return Ok(SearchResult { is_exhausted: true, is_certain: true, ..SearchResult::default() });
    };
    let places =
        ladders.iter().zip(&matter).zip(&reach.only_compared).map(|((ladder, matters), only_compared)| {
            match (matters, only_compared) {
                (false, _) => vec![0],
                (true, true) => ladder.first_of_each_class(),
                (true, false) => (0..ladder.steps.len()).collect(),
            }
        });
    let mut search = Search {
        ladders,
        looking,
        decide,
        allowed: places.collect(),
        alone: Vec::new(),
        tries: 0,
        best: None,
        is_exhausted: false,
        is_out_of_reach: false,
    };
    let varied = search.allowed.iter().map(|places| places.len() > 1);
    let is_whole = ladders.iter().zip(&reach.only_compared).map(|(ladder, compared)| ladder.is_whole || *compared);
    let is_certain = varied.zip(is_whole).all(|(varied, whole)| whole || !varied);
    search.run(reach, now)?;
    let (found, is_exhausted) = (search.best, search.is_exhausted);
    Ok(SearchResult { found, is_exhausted, is_certain: is_certain || search.is_out_of_reach, tries: search.tries })
}

/// A search for one customer.
struct Search<'s> {
    ladders: &'s [Ladder],
    looking: Looking<'s>,
    decide: &'s Decide<'s>,
    /// For each metric the places of its ladder that are tried, the nearest first.
    allowed: Vec<Vec<usize>>,
    /// For each metric and each place of its ladder the score if that alone changes, once that was tried.
    alone: Vec<Vec<Option<f64>>>,
    tries: usize,
    best: Option<OfferCombination>,
    is_exhausted: bool,
    /// Whether a requirement that is not met follows from no metric that may change.
    is_out_of_reach: bool,
}

impl Search<'_> {
    fn run(&mut self, reach: &Reach, now: &WithChanges) -> Result<(), CacheError> {
        let singles: usize = self.allowed.iter().map(|places| places.len() - 1).sum();
        if singles <= self.left() {
            self.try_single_changes(reach, now)?;
        }
        if self.is_exhausted || self.try_nearest_by_score(reach, now)? {
            return Ok(());
        }
        let all = self.allowed.clone();
        let few: Vec<Vec<usize>> =
            all.iter().zip(self.ladders).map(|(places, ladder)| ladder.thin_out(places)).collect();
        if self.best.is_none() {
            self.climb(&few)?;
        }
        if self.best.is_none() {
            // One metric, two, three: among the values that rules ask about.
            self.try_in_order(&few, Order::Fewest, self.left() / 2)?;
        }
        self.come_nearer()?;
        self.is_exhausted = self.try_in_order(&all, self.looking.order, self.left())?;
        Ok(())
    }

    /// Tries the nearest combination with enough score. Returns whether that settles it: it makes an offer, and no
    /// other is nearer; or there is none.
    fn try_nearest_by_score(&mut self, reach: &Reach, now: &WithChanges) -> Result<bool, CacheError> {
        let (Some(cutoff), Some(score)) = (reach.cutoff, now.score) else { return Ok(false) };
        let need = ScoreNeed { cutoff, now: score, alone: &self.alone };
        if self.alone.is_empty() || self.left() == 0 {
            return Ok(false);
        }
        let Some(found) = nearest_by_score(&need, self.ladders, &self.allowed, self.looking.order) else {
            return Ok(false);
        };
        if let Some(places) = found {
            let decided = self.decide(&[places])?;
            self.is_exhausted = decided.iter().any(|decided| decided.outcome == Outcome::Offer);
        } else {
            self.is_exhausted = true;
        }
        Ok(self.is_exhausted)
    }

    fn left(&self) -> usize {
        self.looking.tries_max - self.tries
    }

    /// Tries every change of one metric alone, and drops the values that a requirement of that metric alone refuses.
    fn try_single_changes(&mut self, reach: &Reach, now: &WithChanges) -> Result<(), CacheError> {
        let varied: Vec<bool> = self.allowed.iter().map(|places| places.len() > 1).collect();
        if now.reasons.iter().any(|(id, _)| reach.is_out_of_reach(id, &varied)) {
            (self.is_exhausted, self.is_out_of_reach) = (true, true);
            return Ok(());
        }
        let of_one = reach.requirements_of_one(&varied);
        for metric in 0..self.ladders.len() {
            let asked: Vec<&str> = of_one.iter().filter(|(_, of)| *of == metric).map(|(id, _)| *id).collect();
            let refused = |decided: &WithChanges| decided.reasons.iter().any(|(id, _)| asked.contains(&id.as_str()));
            let own = vec![0; self.ladders.len()];
            let others = self.allowed[metric].iter().skip(1);
            let combinations: Vec<Vec<usize>> = others.map(|place| with_place(&own, metric, *place)).collect();
            let decided = self.decide(&combinations)?;
            let mut alone = vec![None; self.ladders[metric].steps.len()];
            for (places, decided) in combinations.iter().zip(&decided) {
                alone[places[metric]] = decided.score;
            }
            self.alone.push(alone);
            let mut kept: Vec<usize> = if refused(now) { Vec::new() } else { vec![0] };
            let admitted = combinations.iter().zip(&decided).filter(|(_, decided)| !refused(decided));
            kept.extend(admitted.map(|(places, _)| places[metric]));
            self.is_exhausted |= kept.is_empty();
            self.allowed[metric] = kept;
        }
        Ok(())
    }

    /// Goes from the customer's own values by the change that leaves the fewest reasons, and then the greatest score.
    fn climb(&mut self, few: &[Vec<usize>]) -> Result<(), CacheError> {
        let mut at: Vec<usize> = self.allowed.iter().map(|places| places[0]).collect();
        let mut reached: Option<(std::cmp::Reverse<usize>, f64)> = None;
        while self.best.is_none() && self.left() > 0 {
            let mut next = vec![at.clone()];
            for (metric, places) in few.iter().enumerate() {
                let others = places.iter().filter(|place| **place != at[metric]);
                next.extend(others.map(|place| with_place(&at, metric, *place)));
            }
            next.truncate(self.left());
            let decided = self.decide(&next)?;
            let worth =
                |one: &WithChanges| (std::cmp::Reverse(one.reasons.len()), one.score.unwrap_or(f64::NEG_INFINITY));
            let best = next.into_iter().zip(decided.iter().map(worth)).max_by(|(one, worth), (other, other_worth)| {
                let by_worth = worth.0.cmp(&other_worth.0).then(worth.1.total_cmp(&other_worth.1));
                by_worth.then_with(|| self.distance(other).total_cmp(&self.distance(one)))
            });
            let Some((places, worth)) = best else { break };
            if reached.is_some_and(|reached| worth <= reached) {
                break;
            }
            (at, reached) = (places, Some(worth));
        }
        Ok(())
    }

    /// Moves each metric of the best combination back towards the customer's own value while the offer stays.
    fn come_nearer(&mut self) -> Result<(), CacheError> {
        while let Some(best) = self.best.clone() {
            for metric in 0..self.ladders.len() {
                let Some(best) = &self.best else { break };
                let nearer = self.allowed[metric].iter().take_while(|place| **place < best.places[metric]);
                let mut combinations: Vec<Vec<usize>> =
                    nearer.map(|place| with_place(&best.places, metric, *place)).collect();
                combinations.truncate(self.left());
                self.decide(&combinations)?;
            }
            if self.best.as_ref() == Some(&best) {
                break;
            }
        }
        Ok(())
    }

    /// Tries combinations of these places in order, until one is farther than the best. Returns whether none is left
    /// that may be nearer.
    fn try_in_order(&mut self, places: &[Vec<usize>], order: Order, most: usize) -> Result<bool, CacheError> {
        let last = self.tries + most;
        let mut queue = BinaryHeap::from([Queued(self.nearest_of(places), order)]);
        while self.tries < last {
            let mut some: Vec<Vec<usize>> = Vec::new();
            while some.len() < AT_ONCE.min(last - self.tries) {
                let Some(Queued(next, _)) = queue.pop() else { break };
                if self.best.as_ref().is_some_and(|best| !is_nearer(next.changed, next.cost, best, order)) {
                    queue.clear();
                    break;
                }
                self.push_next_combinations(&next, places, |more| queue.push(Queued(more, order)));
                some.push(next.places_of(places));
            }
            if some.is_empty() {
                return Ok(true);
            }
            self.decide_in_order(&some, order)?;
        }
        Ok(queue.is_empty())
    }

    fn nearest_of(&self, places: &[Vec<usize>]) -> Combination {
        let steps = || places.iter().zip(self.ladders).map(|(places, ladder)| &ladder.steps[places[0]]);
        Combination {
            changed: steps().filter(|step| step.value.is_some()).count(),
            cost: steps().map(|step| step.cost).sum(),
            at: vec![0; places.len()],
            from: 0,
        }
    }

    /// The combinations one step further away.
    fn push_next_combinations(&self, one: &Combination, places: &[Vec<usize>], mut push: impl FnMut(Combination)) {
        for (metric, ladder) in self.ladders.iter().enumerate().skip(one.from) {
            let Some(next) = places[metric].get(one.at[metric] + 1) else { continue };
            let (step, next) = (&ladder.steps[places[metric][one.at[metric]]], &ladder.steps[*next]);
            let mut at = one.at.clone();
            at[metric] += 1;
            let changed = one.changed + usize::from(next.value.is_some()) - usize::from(step.value.is_some());
            push(Combination { changed, cost: one.cost - step.cost + next.cost, at, from: metric });
        }
    }

    fn decide(&mut self, combinations: &[Vec<usize>]) -> Result<Vec<WithChanges>, CacheError> {
        self.decide_in_order(combinations, self.looking.order)
    }

    /// Decides combinations, and keeps the nearest that makes an offer.
    fn decide_in_order(&mut self, combinations: &[Vec<usize>], order: Order) -> Result<Vec<WithChanges>, CacheError> {
        let mut all = Vec::with_capacity(combinations.len());
        for some in combinations.chunks(AT_ONCE) {
            let changes: Vec<Changed> = some.iter().map(|places| self.changes(places)).collect();
            all.extend((self.decide)(&changes)?);
        }
        self.tries += combinations.len();
        let offers = combinations.iter().zip(&all).filter(|(_, decided)| decided.outcome == Outcome::Offer);
        for (places, decided) in offers {
            let (changed, distance) = (self.count_changes(places), self.distance(places));
            if self.best.as_ref().is_none_or(|best| is_nearer(changed, distance, best, order)) {
                self.best = Some(OfferCombination { places: places.clone(), changed, distance, offer: decided.offer });
            }
        }
        Ok(all)
    }

    fn changes(&self, places: &[usize]) -> Changed {
        places.iter().zip(self.ladders).map(|(place, ladder)| ladder.steps[*place].value.clone()).collect()
    }

    fn count_changes(&self, places: &[usize]) -> usize {
        places.iter().zip(self.ladders).filter(|(place, ladder)| ladder.steps[**place].value.is_some()).count()
    }

    fn distance(&self, places: &[usize]) -> f64 {
        places.iter().zip(self.ladders).map(|(place, ladder)| ladder.steps[*place].cost).sum()
    }
}

/// The same places, but for one metric another.
fn with_place(places: &[usize], metric: usize, place: usize) -> Vec<usize> {
    let mut places = places.to_vec();
    places[metric] = place;
    places
}

/// Whether a combination with so many changes and this cost is nearer than the one found.
fn is_nearer(changed: usize, cost: f64, best: &OfferCombination, order: Order) -> bool {
    match order {
        Order::Smallest => cost < best.distance,
        Order::Fewest => (changed, cost) < (best.changed, best.distance),
    }
}

/// A combination in the queue.
#[derive(Clone, PartialEq)]
struct Combination {
    changed: usize,
    cost: f64,
    /// For each metric which of its places.
    at: Vec<usize>,
    /// Only metrics from here on may change further, so that each combination comes once.
    from: usize,
}

impl Combination {
    fn places_of(&self, places: &[Vec<usize>]) -> Vec<usize> {
        self.at.iter().zip(places).map(|(at, places)| places[*at]).collect()
    }
}

/// Combinations by their distance; equals by their places, so that every run has one order.
struct Queued(Combination, Order);

impl Queued {
    fn order(&self) -> (usize, f64) {
        (if self.1 == Order::Fewest { self.0.changed } else { 0 }, self.0.cost)
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((changed, cost), (other_changed, other_cost)) = (self.order(), other.order());
        // The heap gives the greatest first, and the nearest is wanted.
        other_changed.cmp(&changed).then(other_cost.total_cmp(&cost)).then_with(|| other.0.at.cmp(&self.0.at))
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
