//! The weights of a proposal's items, fitted again on some rows: whether they would have been found there too.

use serde::Serialize;

use super::auc::MeasuredRows;
use super::input::{MetricColumn, Sample};
use super::logistic::{Outcomes, Penalty, fit_weighted_regression, robust_certainty_of_weights};
use super::proposal::{Proposal, bins_of_item};

/// With fewer bad or good rows for each item, weights are mostly chance; and with fewer in all.
const LEAST_OF_ITEM: usize = 5;
const LEAST_OF_ALL: usize = 20;

/// A weight found on some rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RefittedWeight {
    /// What the log-odds of being good gain with the item's value.
    pub weight: f64,
    /// Its standard error, by the sandwich.
    pub standard_error: f64,
}

/// Fits the weights again on some rows, of the same items with the same bins and values. L2 is as strong for each row
/// as in the proposal; of L1 the items are fitted without a penalty. `None` if there are too few bad or good rows, or
/// the regression has no answer.
pub fn refit_weights(
    proposal: &Proposal,
    sample: &Sample,
    columns: &[MetricColumn],
    rows: &[u32],
) -> Option<Vec<RefittedWeight>> {
    let measured = MeasuredRows::of_sample(sample, rows);
    let bads = measured.bad.iter().filter(|bad| **bad).count();
    let least = (LEAST_OF_ITEM * proposal.items.len()).max(LEAST_OF_ALL);
    if proposal.items.is_empty() || bads < least || rows.len() - bads < least {
        return None;
    }
    let values = |at: usize| -> Vec<f64> {
        let places = bins_of_item(proposal, at, columns, rows);
        places.into_iter().map(|bin| proposal.items[at].rows[bin].bin.value).collect()
    };
    let design: Vec<Vec<f64>> = (0..proposal.items.len()).map(values).collect();
    let penalty = match proposal.penalty {
        Penalty::L2(strength) => Penalty::L2(strength * rows.len() as f64 / proposal.rows.max(1) as f64),
        Penalty::L1(_) | Penalty::None => Penalty::None,
    };
    let good: Vec<bool> = measured.bad.iter().map(|bad| !bad).collect();
    let outcomes = Outcomes { is_true: &good, weights: &measured.weights };
    let fit = fit_weighted_regression(&design, outcomes, penalty).ok()?;
    let sure = robust_certainty_of_weights(&design, outcomes, &measured.customers, &fit, penalty).ok()?;
    let one = |(weight, sure): (&f64, &super::logistic::Certainty)| RefittedWeight {
        weight: *weight,
        standard_error: sure.standard_error,
    };
    Some(fit.weights.iter().zip(&sure).map(one).collect())
}
