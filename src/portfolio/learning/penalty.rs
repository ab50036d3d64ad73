//! How strongly weights are held back: tried on folds, with bins found anew on the training part of each.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::binning::{Binning, Ground, bin_metric_values};
use super::folds::{deal_into_folds, split_off_fold};
use super::lasso;
use super::linear::dot_product;
use super::logistic::{Fit, KeptBend, Outcomes, Penalty, fit_from, log_likelihood};
use super::settings::{Method, Rule, Settings};
use super::table::Table;

/// How exact fits are that are only compared.
pub(super) const NEAR: f64 = 1e-4;

/// A strength, and how well it did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// The strength of the penalty.
    pub strength: f64,
    /// Minus the log-likelihood of rows held out, the mean of one row.
    pub deviance: f64,
    /// Its standard error, by fold.
    pub standard_error: f64,
}

/// A table of columns with outcomes. Outcomes are true for good ones, so that more is better everywhere.
pub(super) struct Design {
    pub columns: Vec<Vec<f64>>,
    pub good: Vec<bool>,
    /// What rows weigh; empty if every row weighs 1.
    pub weights: Vec<f64>,
}

impl Design {
    pub fn outcomes(&self) -> Outcomes<'_> {
        Outcomes { is_true: &self.good, weights: &self.weights }
    }
}

/// One fold: the rows held out, the rest, and bins found on the rest.
pub(super) struct InnerFold {
    held: Vec<u32>,
    rest: Vec<u32>,
    binnings: BTreeMap<usize, Binning>,
}

/// The folds on which strengths are tried, with bins of some columns found anew in each. None where nothing is to try.
pub(super) fn bin_inner_folds(table: &Table, rows: &[u32], columns: &[usize], settings: &Settings) -> Vec<InnerFold> {
    if settings.fit.method == Method::Plain || settings.fit.penalty.is_some() {
        return Vec::new();
    }
    let count = settings.fit.folds;
    // Other folds than those of the outer cross-validation.
    let folds = deal_into_folds(table.sample, rows, count, settings.fit.seed.wrapping_add(0x5eed));
    let one = |fold: usize| {
        let (held, rest) = split_off_fold(rows, &folds, fold);
        let ground = Ground::new(table, &rest, settings);
        let binnings = columns.iter().map(|column| (*column, bin_metric_values(&ground, *column).0)).collect();
        InnerFold { held, rest, binnings }
    };
    (0..count).into_par_iter().map(one).collect()
}

/// The strength by the rule, and all that were tried. `chosen` are places of columns; their bins are found anew in each
/// fold, but which they are was decided on all rows.
pub(super) fn choose_penalty(
    table: &Table,
    folds: &[InnerFold],
    chosen: &[usize],
    whole: &Design,
    settings: &Settings,
) -> (Penalty, Vec<Tried>) {
    let of = |strength: f64| match settings.fit.method {
        Method::Plain => Penalty::None,
        Method::Ridge => Penalty::L2(strength),
        Method::Lasso => Penalty::L1(strength),
    };
    if folds.is_empty() {
        return (of(settings.fit.penalty.unwrap_or(0.0)), Vec::new());
    }
    let strengths = list_strengths(whole, settings.fit.method);
    let one = |fold: &InnerFold| {
        let (test, train) = (fold.design(table, chosen, &fold.held), fold.design(table, chosen, &fold.rest));
        held_out_deviances(&test, &train, strengths.iter().map(|strength| of(*strength)))
    };
    let by_fold: Vec<Option<Vec<f64>>> = folds.par_iter().map(one).collect();
    let by_fold: Vec<Vec<f64>> = by_fold.into_iter().flatten().collect();
    let tried: Vec<Tried> = (0..strengths.len())
        .map(|at| summarize_strength(strengths[at], &by_fold.iter().map(|fold| fold[at]).collect::<Vec<f64>>()))
        .collect();
    (of(by_rule(&tried, settings.fit.rule)), tried)
}

/// From the strongest down. L1 begins where all weights are 0; L2 is relative to the mean bend of a weight at none.
fn list_strengths(whole: &Design, method: Method) -> Vec<f64> {
    let outcomes = whole.outcomes();
    let goods = (0..outcomes.rows()).filter(|row| whole.good[*row]).map(|row| outcomes.weight(row));
    let rate = goods.sum::<f64>() / outcomes.total().max(f64::MIN_POSITIVE);
    let (first, steps, ratio) = match method {
        Method::Lasso => {
            let miss = |(row, good): (usize, &bool)| outcomes.weight(row) * (rate - f64::from(u8::from(*good)));
            let misses: Vec<f64> = whole.good.iter().enumerate().map(miss).collect();
            let slopes: Vec<f64> = whole.columns.iter().map(|column| dot_product(column, &misses)).collect();
            (lasso::least_zeroing_strength(&slopes), 16, 0.7)
        }
        _ => {
            let squares: f64 = whole.columns.iter().map(|column| dot_product(column, column)).sum();
            (rate * (1.0 - rate) * squares / whole.columns.len().max(1) as f64 * 10.0, 9, 0.4)
        }
    };
    std::iter::successors(Some(first.max(1e-9)), |strength| Some(strength * ratio)).take(steps).collect()
}

impl InnerFold {
    /// Columns of some rows, by the bins of this fold.
    fn design(&self, table: &Table, chosen: &[usize], rows: &[u32]) -> Design {
        let column = |place: &usize| Some(self.binnings.get(place)?.column(table.values(*place), rows));
        Design {
            columns: chosen.iter().filter_map(column).collect(),
            good: rows.iter().map(|row| !table.sample.is_bad(*row)).collect(),
            weights: table.sample.weights_of(rows),
        }
    }
}

/// The deviance of the rows held out, by penalty. `None` if the rest lacks an outcome.
fn held_out_deviances(test: &Design, train: &Design, penalties: impl Iterator<Item = Penalty>) -> Option<Vec<f64>> {
    let rows = test.good.len();
    let (mut last, mut bend): (Option<Fit>, KeptBend) = (None, KeptBend::default());
    let mut found = Vec::new();
    for penalty in penalties {
        let fit = fit_from(&train.columns, train.outcomes(), penalty, last.as_ref(), NEAR, &mut bend).ok()?;
        let likelihood = log_likelihood(&fit.log_odds(&test.columns, rows), test.outcomes());
        found.push(-likelihood / test.outcomes().total().max(f64::MIN_POSITIVE));
        last = Some(fit);
    }
    Some(found)
}

fn summarize_strength(strength: f64, by_fold: &[f64]) -> Tried {
    let count = by_fold.len() as f64;
    let deviance = by_fold.iter().sum::<f64>() / count.max(1.0);
    let squares: f64 = by_fold.iter().map(|value| (value - deviance) * (value - deviance)).sum();
    let standard_error = if count > 1.0 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 };
    Tried { strength, deviance, standard_error }
}

fn by_rule(tried: &[Tried], rule: Rule) -> f64 {
    let least = tried.iter().min_by(|a, b| a.deviance.total_cmp(&b.deviance));
    let Some(least) = least else { return 1.0 };
    let within = match rule {
        Rule::Least => least.deviance,
        Rule::OneStandardError => least.deviance + least.standard_error,
    };
    tried.iter().find(|one| one.deviance <= within).unwrap_or(least).strength
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_standard_error_takes_the_strongest_that_is_good_enough() {
        let of = |strength, deviance| Tried { strength, deviance, standard_error: 0.02 };
        let tried = [of(8.0, 0.40), of(4.0, 0.33), of(2.0, 0.32), of(1.0, 0.35)];
        assert_eq!(by_rule(&tried, Rule::OneStandardError), 4.0);
        assert_eq!(by_rule(&tried, Rule::Least), 2.0);
        assert_eq!(by_rule(&[], Rule::Least), 1.0);
    }
}
