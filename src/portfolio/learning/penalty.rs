//! How strongly weights are held back: tried on folds, with bins found anew on the training part of each.

use rayon::prelude::*;
use serde::Serialize;

use super::binning::{Ground, bin_metric_values};
use super::folds::{deal_into_folds, split_off_fold};
use super::input::{MetricColumn, Sample};
use super::lasso;
use super::logistic::{Fit, Penalty, bend_of_likelihood, fit_from, log_likelihood};
use super::settings::{BinSettings, Method, Rule, Settings};
use crate::portfolio::statistics::special::natural_logarithm;

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
}

/// The strength by the rule, and all that were tried. `chosen` are places of columns; their bins are found anew in each
/// fold, but which they are was decided on all `rows`.
pub(super) fn choose_penalty(
    sample: &Sample,
    columns: &[MetricColumn],
    rows: &[u32],
    chosen: &[usize],
    whole: &Design,
    settings: &Settings,
) -> (Penalty, Vec<Tried>) {
    let of = |strength: f64| match settings.fit.method {
        Method::Plain => Penalty::None,
        Method::Ridge => Penalty::L2(strength),
        Method::Lasso => Penalty::L1(strength),
    };
    if let (Method::Plain, _) | (_, Some(_)) = (settings.fit.method, settings.fit.penalty) {
        return (of(settings.fit.penalty.unwrap_or(0.0)), Vec::new());
    }
    let strengths = list_strengths(whole, settings.fit.method);
    let count = settings.fit.folds;
    // Other folds than those of the outer cross-validation.
    let folds = deal_into_folds(sample, rows, count, settings.fit.seed.wrapping_add(0x5eed));
    let one = |fold: usize| {
        let (held, rest) = split_off_fold(rows, &folds, fold);
        let (test, train) = split_fold_designs(sample, columns, chosen, (&held, &rest), &settings.bins);
        held_out_deviances(&test, &train, strengths.iter().map(|strength| of(*strength)))
    };
    let by_fold: Vec<Option<Vec<f64>>> = (0..count).into_par_iter().map(one).collect();
    let by_fold: Vec<Vec<f64>> = by_fold.into_iter().flatten().collect();
    let tried: Vec<Tried> = (0..strengths.len())
        .map(|at| summarize_strength(strengths[at], &by_fold.iter().map(|fold| fold[at]).collect::<Vec<f64>>()))
        .collect();
    (of(by_rule(&tried, settings.fit.rule)), tried)
}

/// From the strongest down. L1 begins where all weights are 0; L2 is relative to the mean bend of a weight at none.
fn list_strengths(whole: &Design, method: Method) -> Vec<f64> {
    let rows = whole.good.len();
    let rate = whole.good.iter().filter(|good| **good).count() as f64 / rows.max(1) as f64;
    let bend = bend_of_likelihood(&whole.columns, &whole.good, &vec![natural_logarithm(rate / (1.0 - rate)); rows]);
    let size = whole.columns.len();
    let mean_bend = (0..size).map(|at| bend.matrix[at * (size + 2)]).sum::<f64>() / size.max(1) as f64;
    let (first, steps, ratio) = match method {
        Method::Lasso => (lasso::least_zeroing_strength(&bend.slope[..size]), 16, 0.7),
        _ => (mean_bend * 10.0, 9, 0.4),
    };
    std::iter::successors(Some(first.max(1e-9)), |strength| Some(strength * ratio)).take(steps).collect()
}

/// Columns of the rows held out and of the rest, by bins found on the rest.
fn split_fold_designs(
    sample: &Sample,
    columns: &[MetricColumn],
    chosen: &[usize],
    (held, rest): (&[u32], &[u32]),
    settings: &BinSettings,
) -> (Design, Design) {
    let ground = Ground::new(sample, rest, settings);
    let good = |rows: &[u32]| rows.iter().map(|row| !sample.is_bad(*row)).collect::<Vec<bool>>();
    let mut test = Design { columns: Vec::new(), good: good(held) };
    let mut train = Design { columns: Vec::new(), good: good(rest) };
    for place in chosen {
        let values = &columns[*place].values;
        let (binning, _) = bin_metric_values(&ground, values);
        train.columns.push(binning.column(values, rest));
        test.columns.push(binning.column(values, held));
    }
    (test, train)
}

/// The deviance of the rows held out, by penalty. `None` if the rest lacks an outcome.
fn held_out_deviances(test: &Design, train: &Design, penalties: impl Iterator<Item = Penalty>) -> Option<Vec<f64>> {
    let rows = test.good.len();
    let mut last: Option<Fit> = None;
    let mut found = Vec::new();
    for penalty in penalties {
        let fit = fit_from(&train.columns, &train.good, penalty, last.as_ref(), NEAR).ok()?;
        found.push(-log_likelihood(&fit.log_odds(&test.columns, rows), &test.good) / rows.max(1) as f64);
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
