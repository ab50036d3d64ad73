//! The smallest change of metrics that makes an offer, for somebody who got none. Every answer is confirmed by the
//! engine that decides. Must not know how answers are shown.

mod actionable;
mod cut_points;
mod ladder;
mod search;
#[cfg(test)]
mod tests;

use serde::Serialize;

pub use self::actionable::{Actionable, ActionableError, Levers};
use self::ladder::Ladder;
use self::search::{SearchResult, search_combinations};
use crate::engine::decision::{CacheError, Outcome, Request, Supposing};
use crate::portfolio::backtest::Portfolio;
use crate::rules::Policy;

/// What is smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The sum of changes, each by its cost and scale.
    Smallest,
    /// The number of changed metrics, then the sum.
    Fewest,
}

/// The nearest offer of one customer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Nearest {
    /// The customer.
    pub customer: String,
    /// What was decided.
    pub outcome: Outcome,
    /// The reasons for that: ids and texts.
    pub reasons: Vec<(String, String)>,
    /// `found`, `impossible` within the bounds, or `not_found` within the tries.
    pub answer: String,
    /// What must change.
    pub changes: Vec<MetricChange>,
    /// How far that is: the sum of changes by cost and scale.
    pub distance: Option<f64>,
    /// The greatest offer then, in minor units, and its tenure.
    pub offer: Option<(i64, u32)>,
    /// `enumerated` if every combination on the grid was in reach, so that the answer is the smallest; `candidates` if
    /// only the values around the rules' own bounds were.
    pub is_minimal: Option<String>,
    /// How many combinations the engine decided.
    pub tries: usize,
}

/// One metric that must change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricChange {
    /// The metric.
    pub metric: String,
    /// Its value, as rule files write it.
    pub from: Option<f64>,
    /// The value it must have; truth values are 0 and 1.
    pub to: f64,
}

/// The nearest offers of a portfolio.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BookSummary {
    /// Customers without an offer who were looked at.
    pub customers: usize,
    /// For how many a change was found, for how many there is none, and for how many none was found in time.
    pub found: usize,
    /// See `found`.
    pub impossible: usize,
    /// See `found`.
    pub not_found: usize,
    /// How many answers change 1, 2, 3, ... metrics.
    pub by_changes: Vec<usize>,
    /// Near misses by the only requirement that kept them from an offer, the most frequent first.
    pub blocked_by: Vec<(String, usize)>,
}

/// How to look.
#[derive(Clone, Copy, Debug)]
pub struct Looking {
    /// What is smallest.
    pub order: Order,
    /// The most combinations to try for one customer.
    pub tries_max: usize,
}

/// Looks for the nearest offers of some customers.
///
/// # Errors
/// If the policy cannot be judged from the portfolio, or a metric cannot be changed.
pub fn find_nearest_offers(
    portfolio: &mut Portfolio,
    policy: &Policy,
    request: &Request,
    actionable: &Actionable,
    rows: &[usize],
    looking: Looking,
) -> Result<Vec<Nearest>, NearestError> {
    let levers = actionable.levers(policy)?;
    let supposing = Supposing::new(&mut portfolio.cache, policy, request, &levers.nodes())?;
    levers.check(&supposing)?;
    let scales = levers.scales(portfolio, policy, request)?;
    let cuts = cut_points::cut_points(policy, &levers.nodes());
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let own: Vec<_> = levers.nodes().iter().map(|node| supposing.value(&portfolio.cache, *node, *row)).collect();
        let ladders: Vec<Ladder> = levers
            .all
            .iter()
            .zip(&own)
            .zip(cuts.iter().zip(&scales))
            .map(|((lever, own), (cuts, scale))| Ladder::new(lever, own.as_ref(), cuts, *scale))
            .collect();
        let cache = &portfolio.cache;
        let decide =
            |changes: &[crate::engine::decision::Changed]| supposing.decide(cache, *row, &levers.nodes(), changes);
        let now = decide(&[vec![None; ladders.len()]])?.remove(0);
        let answer = search_combinations(&ladders, looking, &decide)?;
        found.push(describe_nearest_offer(&portfolio.customers[*row], now, answer, &levers, &ladders));
    }
    Ok(found)
}

fn describe_nearest_offer(
    customer: &str,
    now: crate::engine::decision::WithChanges,
    answer: SearchResult,
    levers: &Levers,
    ladders: &[Ladder],
) -> Nearest {
    let mut nearest = Nearest {
        customer: customer.to_owned(),
        outcome: now.outcome,
        reasons: now.reasons,
        answer: "impossible".to_owned(),
        changes: Vec::new(),
        distance: None,
        offer: None,
        is_minimal: None,
        tries: answer.tries,
    };
    match answer.found {
        Some(found) => {
            nearest.answer = "found".to_owned();
            nearest.distance = Some(found.distance);
            nearest.offer = found.offer;
            nearest.is_minimal =
                Some(if ladders.iter().all(|ladder| ladder.is_whole) { "enumerated" } else { "candidates" }.to_owned());
            for ((lever, ladder), place) in levers.all.iter().zip(ladders).zip(&found.places) {
                let step = &ladder.steps[*place];
                if step.value.is_some() {
                    nearest.changes.push(MetricChange {
                        metric: lever.name.clone(),
                        from: ladder.from,
                        to: step.shown,
                    });
                }
            }
        }
        None if answer.is_exhausted => {}
        None => nearest.answer = "not_found".to_owned(),
    }
    nearest
}

/// Sums up the answers of a portfolio.
pub fn sum_up(found: &[Nearest]) -> BookSummary {
    let mut summary = BookSummary { customers: found.len(), ..BookSummary::default() };
    let mut blocked: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for one in found {
        match one.answer.as_str() {
            "found" => summary.found += 1,
            "impossible" => summary.impossible += 1,
            _ => summary.not_found += 1,
        }
        if one.answer != "found" {
            continue;
        }
        let changes = one.changes.len().max(1);
        summary.by_changes.resize(summary.by_changes.len().max(changes), 0);
        summary.by_changes[changes - 1] += 1;
        if let [(id, _)] = one.reasons.as_slice() {
            *blocked.entry(id).or_default() += 1;
        }
    }
    summary.blocked_by = blocked.into_iter().map(|(id, count)| (id.to_owned(), count)).collect();
    summary.blocked_by.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    summary
}

/// Why nothing can be looked for.
#[derive(Debug, thiserror::Error)]
pub enum NearestError {
    /// What was declared cannot be changed.
    #[error(transparent)]
    Actionable(#[from] ActionableError),
    /// The policy cannot be judged.
    #[error(transparent)]
    Cache(#[from] CacheError),
}
