//! The smallest change of metrics that makes an offer, for somebody who got none. Every answer is confirmed by the
//! engine that decides. Must not know how answers are shown.

mod actionable;
mod cut_points;
mod ladder;
mod looking;
mod reach;
mod score_need;
mod search;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use serde::Serialize;

pub use self::actionable::{Actionable, ActionableError, Levers};
use self::ladder::Ladder;
pub use self::looking::{Looking, Order};
use self::reach::Reach;
use self::search::{SearchResult, search_combinations};
use crate::base::money::Currency;
use crate::engine::decision::{CacheError, Outcome, Request, Supposing};
use crate::portfolio::backtest::Portfolio;
use crate::rules::Policy;

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
    /// The greatest offer then.
    pub offer: Option<OfferThen>,
    /// `enumerated` if no combination on the grid is nearer; `candidates` if none of the values around the rules' own
    /// bounds is; `None` if the tries ended before that was shown.
    pub is_minimal: Option<String>,
    /// How many combinations the engine decided.
    pub tries: usize,
}

/// An offer, in the units of rule files, as changes are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfferThen {
    /// Its amount in major units.
    pub amount: f64,
    /// The three letters of the currency.
    pub currency: &'static str,
    /// Its tenure.
    pub tenure: u32,
    /// Its amount in minor units.
    #[serde(skip)]
    pub amount_minor: i64,
}

impl OfferThen {
    fn new((amount_minor, tenure): (i64, u32), currency: &Currency) -> OfferThen {
        let minor = 10_f64.powi(currency.exponent() as i32);
        OfferThen { amount: amount_minor as f64 / minor, currency: currency.alphabetic(), tenure, amount_minor }
    }
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
    /// Whether it is a truth value.
    #[serde(skip)]
    pub is_truth: bool,
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

/// Looks for the nearest offers of some customers, side by side.
///
/// # Errors
/// If the policy cannot be judged from the portfolio, or a metric cannot be changed.
pub fn find_nearest_offers(
    portfolio: &mut Portfolio,
    policy: &Policy,
    request: &Request,
    actionable: &Actionable,
    rows: &[usize],
    looking: Looking<'_>,
) -> Result<Vec<Nearest>, NearestError> {
    let levers = actionable.levers(policy)?;
    let supposing = Supposing::new(&mut portfolio.cache, policy, request, &levers.nodes())?;
    levers.check(&supposing)?;
    let scales = levers.scales(portfolio, policy, request)?;
    let cuts = cut_points::cut_points(policy, &levers.nodes());
    let reach = Reach::new(policy, &levers.nodes());
    let (cache, nodes) = (&portfolio.cache, levers.nodes());
    let find = |row: &usize| {
        let own = nodes.iter().map(|node| supposing.value(cache, *node, *row));
        let of_lever = levers.all.iter().zip(own).zip(cuts.iter().zip(&scales));
        let ladders: Vec<Ladder> =
            of_lever.map(|((lever, own), (cuts, scale))| Ladder::new(lever, own.as_ref(), cuts, *scale)).collect();
        let decide = |changes: &[crate::engine::decision::Changed]| supposing.decide(cache, *row, &nodes, changes);
        let now = decide(&[vec![None; ladders.len()]])?.remove(0);
        let answer = match now.outcome {
            Outcome::Offer => SearchResult::nothing_to_change(ladders.len(), now.offer),
            Outcome::Refer | Outcome::Decline => search_combinations(&ladders, &reach, &now, looking, &decide)?,
        };
        (looking.after_each)();
        Ok(describe_nearest_offer(&portfolio.customers[*row], now, answer, &levers, &ladders))
    };
    rows.par_iter().map(find).collect()
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
            nearest.offer = found.offer.map(|offer| OfferThen::new(offer, &levers.currency));
            let how = if answer.is_certain { "enumerated" } else { "candidates" };
            nearest.is_minimal = answer.is_exhausted.then(|| how.to_owned());
            for ((lever, ladder), place) in levers.all.iter().zip(ladders).zip(&found.places) {
                let step = &ladder.steps[*place];
                if step.value.is_some() {
                    nearest.changes.push(MetricChange {
                        metric: lever.name.clone(),
                        from: ladder.from,
                        to: step.shown,
                        is_truth: lever.to.is_some(),
                    });
                }
            }
        }
        None if answer.is_exhausted && answer.is_certain => {}
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
        let changes = one.changes.len();
        // Some have an offer already.
        if changes == 0 {
            continue;
        }
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
