//! Cross-validation: what a proposal made this way is worth on loans it has not seen.

use rayon::prelude::*;
use serde::Serialize;

use super::auc::{Auc, MeasuredRows};
use super::comparison::{BesidePresent, compare_with_present};
use super::folds::{deal_into_folds, split_off_fold};
use super::input::Sample;
use super::logistic::{Outcomes, Penalty, fit_weighted_regression};
use super::recipe::build_score_model;
use super::settings::Settings;
use super::table::Table;
use crate::portfolio::statistics::Level;
use crate::portfolio::statistics::special::natural_logarithm;

/// What cross-validation found. Bins, screening, choice of items and penalty are all found anew in each fold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Validation {
    /// AUC of held-out rows by their [places](HeldOutRow::place) among those of their fold: the mean over repeats. The
    /// interval around it is as wide as DeLong's of each row's mean rank over repeats.
    pub auc: Auc,
    /// The Gini coefficient: twice the AUC, less 1.
    pub gini: f64,
    /// The statistic of Kolmogorov and Smirnov of the same places: the largest distance between the shares of bad and
    /// of good rows up to a place. The mean over repeats, as the AUC is.
    pub ks: f64,
    /// The mean AUC of single folds.
    pub fold_mean: f64,
    /// AUC of each fold, of each repeat.
    pub by_fold: Vec<Vec<Option<f64>>>,
    /// AUC of each repeat: of the places of its held-out rows.
    pub by_repeat: Vec<f64>,
    /// How far held-out log-odds must be stretched to fit: 1 is right, below 1 they were too bold.
    pub slope: Option<f64>,
    /// How many models were wanted.
    pub models: usize,
    /// In how many of them no metric was kept. Their rows count with the bad rate alone.
    pub without_items: usize,
    /// Why not in the first of them.
    pub why_without_items: Option<String>,
    /// In how many of them each column was an item.
    pub chosen: Vec<usize>,
    /// The comparison with the score in force, if there is one.
    pub beside_present: Option<BesidePresent>,
    /// Every row held out, in each repeat.
    #[serde(skip)]
    pub held_out: Vec<HeldOutRow>,
}

/// What a model that did not see a row said of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldOutRow {
    /// The row of the sample.
    pub row: u32,
    /// The repeat, from 1.
    pub repeat: usize,
    /// The fold in which it was held out, from 1.
    pub fold: usize,
    /// The log-odds of being good.
    pub log_odds: f64,
    /// The share of the fold's rows with lower log-odds, with half of those that are equal. Log-odds of two folds
    /// cannot be ranked: a model that has not seen a fold's bad rows thinks too well of that fold, so that a weak model
    /// would seem worse than none.
    pub place: f64,
    /// Whether it went bad.
    pub bad: bool,
}

/// One fold: the rows held out, their log-odds, and the items.
struct Held {
    places: Vec<usize>,
    log_odds: Vec<f64>,
    items: Vec<usize>,
    /// Why there is none.
    why: Option<String>,
    measured: MeasuredRows,
}

impl Held {
    /// The place of each row in the fold, from 0 to 1.
    fn places_in_fold(&self) -> Vec<f64> {
        let count = self.log_odds.len() as f64;
        midranks_of_values(&self.log_odds).into_iter().map(|rank| (rank - 0.5) / count).collect()
    }
}

/// What is cross-validated.
struct Tested<'a> {
    table: &'a Table<'a>,
    rows: &'a [u32],
    leaking: &'a [bool],
    settings: &'a Settings,
}

/// Cross-validates the recipe. `leaking` was decided on all rows. `None` if no fold leads to a model.
pub(super) fn cross_validate_recipe(
    table: &Table,
    rows: &[u32],
    leaking: &[bool],
    settings: &Settings,
) -> Option<Validation> {
    let tested = Tested { table, rows, leaking, settings };
    let count = settings.fit.folds;
    let dealt: Vec<Vec<usize>> = (0..settings.fit.repeats as u64)
        .map(|repeat| deal_into_folds(table.sample, rows, count, settings.fit.seed.wrapping_add(repeat << 32)))
        .collect();
    let tasks: Vec<(usize, usize)> =
        (0..dealt.len()).flat_map(|repeat| (0..count).map(move |fold| (repeat, fold))).collect();
    let found: Vec<Held> = tasks.par_iter().map(|(repeat, fold)| tested.hold_out(&dealt[*repeat], *fold)).collect();
    summarize_held_out_folds(table.sample, rows, table.columns.len(), &found, count)
}

impl Tested<'_> {
    fn hold_out(&self, folds: &[usize], fold: usize) -> Held {
        let Tested { table, rows, leaking, settings } = *self;
        let (held, rest) = split_off_fold(rows, folds, fold);
        let places = (0..rows.len()).filter(|place| folds[*place] == fold).collect();
        let measured = MeasuredRows::of_sample(table.sample, &held);
        match build_score_model(table, &rest, Some(leaking), settings) {
            Ok(model) => {
                Held { places, log_odds: model.log_odds(table, &held), items: model.items, why: None, measured }
            }
            // Such a lender would know no more than the bad rate. Half a row of both kinds keeps it finite.
            Err(error) => {
                let count = table.sample.count_rows(&rest);
                let odds = (count.good_weight + 0.5) / (count.bad_weight + 0.5);
                let log_odds = vec![natural_logarithm(odds); held.len()];
                Held { places, log_odds, items: Vec::new(), why: Some(error.to_string()), measured }
            }
        }
    }
}

fn summarize_held_out_folds(
    sample: &Sample,
    rows: &[u32],
    columns: usize,
    found: &[Held],
    folds: usize,
) -> Option<Validation> {
    let all = MeasuredRows::of_sample(sample, rows);
    let mut chosen = vec![0; columns];
    found.iter().flat_map(|held| &held.items).for_each(|item| chosen[*item] += 1);
    let (mut by_fold, mut by_repeat, mut slopes, mut separations) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut ranks = vec![0.0; rows.len()];
    for repeat in found.chunks(folds) {
        let (mut log_odds, mut in_fold, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut of_folds = Vec::new();
        for held in repeat {
            of_folds.push(held.measured.auc(&held.log_odds).map(|found| found.auc));
            log_odds.extend_from_slice(&held.log_odds);
            in_fold.extend(held.places_in_fold());
            places.extend_from_slice(&held.places);
        }
        let pooled: Vec<u32> = places.iter().map(|place| rows[*place]).collect();
        let pooled = MeasuredRows::of_sample(sample, &pooled);
        by_repeat.push(pooled.auc(&in_fold)?.auc);
        separations.push(pooled.separation(&in_fold));
        by_fold.push(of_folds);
        let good: Vec<bool> = pooled.bad.iter().map(|bad| !bad).collect();
        let outcomes = Outcomes { is_true: &good, weights: &pooled.weights };
        let fit = fit_weighted_regression(std::slice::from_ref(&log_odds), outcomes, Penalty::None);
        slopes.extend(fit.map(|fit| fit.weights[0]));
        midranks_of_values(&in_fold).into_iter().zip(places).for_each(|(rank, place)| ranks[place] += rank);
    }
    let single: Vec<f64> = by_fold.iter().flatten().flatten().copied().collect();
    let fold_mean = single.iter().sum::<f64>() / single.len().max(1) as f64;
    let pooled = all.auc(&ranks)?;
    let mean = by_repeat.iter().sum::<f64>() / by_repeat.len() as f64;
    let reach = Level::NINETY_FIVE.z() * pooled.standard_error;
    let interval = Auc { auc: mean, low: (mean - reach).max(0.0), high: (mean + reach).min(1.0), ..pooled };
    let slope = (!slopes.is_empty()).then(|| slopes.iter().sum::<f64>() / slopes.len() as f64);
    let models = found.len();
    let without_items = found.iter().filter(|held| held.items.is_empty()).count();
    let why_without_items = found.iter().find_map(|held| held.why.clone());
    if without_items == models {
        return None;
    }
    let gini = 2.0 * interval.auc - 1.0;
    let ks = separations.iter().sum::<f64>() / separations.len() as f64;
    let beside_present = compare_with_present(sample, rows, &ranks);
    let held_out = list_held_out_rows(rows, &all.bad, found, folds);
    Some(Validation {
        auc: interval,
        gini,
        ks,
        fold_mean,
        by_fold,
        by_repeat,
        slope,
        models,
        without_items,
        why_without_items,
        chosen,
        beside_present,
        held_out,
    })
}

fn list_held_out_rows(rows: &[u32], bad: &[bool], found: &[Held], folds: usize) -> Vec<HeldOutRow> {
    let mut all = Vec::new();
    for (at, held) in found.iter().enumerate() {
        let (repeat, fold) = (at / folds + 1, at % folds + 1);
        let one = |((place, log_odds), in_fold): ((&usize, &f64), f64)| HeldOutRow {
            row: rows[*place],
            repeat,
            fold,
            log_odds: *log_odds,
            place: in_fold,
            bad: bad[*place],
        };
        all.extend(held.places.iter().zip(&held.log_odds).zip(held.places_in_fold()).map(one));
    }
    all.sort_by_key(|one| (one.repeat, one.row));
    all
}

/// The place of each value in order, from 1; equals share the middle.
fn midranks_of_values(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for run in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let middle = before as f64 + (run.len() as f64 + 1.0) / 2.0;
        run.iter().for_each(|place| ranks[*place] = middle);
        before += run.len();
    }
    ranks
}
