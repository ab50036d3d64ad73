//! The cheapest change that lifts a score to its cut-off, where the points of each metric add up by themselves. No
//! offer is cheaper, and nothing needs to be tried to find it.

use super::ladder::Ladder;
use super::looking::Order;
use crate::portfolio::cutoff::Cutoff;

/// What a sum of points may be off by.
const ROUNDING: f64 = 1e-9;

/// How far a combination is: changed metrics where these count first, then the sum of costs.
type Distance = (usize, f64);

/// What the score of one customer needs.
pub(super) struct ScoreNeed<'n> {
    pub cutoff: Cutoff,
    /// The score as it is.
    pub now: f64,
    /// For each metric and each place of its ladder: the score if that alone changes.
    pub alone: &'n [Vec<Option<f64>>],
}

/// Some changes, and what they give.
#[derive(Clone)]
struct Partial {
    distance: Distance,
    gain: f64,
    places: Vec<usize>,
}

/// One place of a metric.
struct Choice {
    place: usize,
    distance: Distance,
    gain: f64,
}

/// The nearest combination of allowed places with enough score: `Some(None)` if there is none, and `None` if some
/// score is unknown, so that points do not add up.
pub(super) fn nearest_by_score(
    need: &ScoreNeed,
    ladders: &[Ladder],
    allowed: &[Vec<usize>],
    order: Order,
) -> Option<Option<Vec<usize>>> {
    let none = Partial { distance: (0, 0.0), gain: 0.0, places: Vec::new() };
    let mut best = vec![none];
    for ((ladder, places), alone) in ladders.iter().zip(allowed).zip(need.alone) {
        let mut options = Vec::with_capacity(places.len());
        for place in places {
            let step = &ladder.steps[*place];
            let gain = if step.value.is_some() { alone[*place]? - need.now } else { 0.0 };
            let changed = usize::from(order == Order::Fewest && step.value.is_some());
            options.push(Choice { place: *place, distance: (changed, step.cost), gain });
        }
        best = keep_unbeaten(
            best.iter().flat_map(|partial| options.iter().map(move |option| partial.with(option))).collect(),
        );
    }
    // A sum of fractions may miss the cut-off by a rounding; the engine decides on what is found.
    let enough = |partial: &&Partial| need.cutoff.admits(need.now + partial.gain + ROUNDING);
    Some(best.iter().find(enough).map(|partial| partial.places.clone()))
}

impl Partial {
    fn with(&self, choice: &Choice) -> Partial {
        Partial {
            distance: (self.distance.0 + choice.distance.0, self.distance.1 + choice.distance.1),
            gain: self.gain + choice.gain,
            places: self.places.iter().chain([&choice.place]).copied().collect(),
        }
    }
}

/// Those that no nearer one matches in points, the nearest first.
fn keep_unbeaten(mut all: Vec<Partial>) -> Vec<Partial> {
    all.sort_by(|one, other| {
        let by_changes = one.distance.0.cmp(&other.distance.0);
        by_changes.then(one.distance.1.total_cmp(&other.distance.1)).then(other.gain.total_cmp(&one.gain))
    });
    let mut most = f64::NEG_INFINITY;
    all.retain(|partial| {
        let is_more = partial.gain > most;
        most = most.max(partial.gain);
        is_more
    });
    all
}
