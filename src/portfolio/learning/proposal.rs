//! A proposal: everything found, for reports, and the scorecard as a section of a rule file. Never applied by itself.

use serde::Serialize;

use super::auc::{Auc, MeasuredRows};
use super::choices::check_all_choices;
use super::comparison::{LaterTest, ScoredRows, test_on_later_rows};
use super::input::{MetricColumn, Needs, Sample};
use super::logistic::{
    Certainty, Fit, Penalty, certainty_of_weights, fit_weighted_regression, robust_certainty_of_weights,
    variance_inflation,
};
use super::mistake::LearnError;
use super::penalty::Tried;
use super::points::{PointsRow, base_points_of, points_rows_of_item};
use super::recipe::{Model, build_design_matrix, build_score_model};
use super::screening::{Screened, ScreeningResult};
use super::settings::Settings;
use super::table::Table;
use super::validation::{Validation, cross_validate_recipe};
use crate::portfolio::statistics::special::exponential_of;

/// An item of the scorecard.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// The metric.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What it looks at.
    pub needs: Needs,
    /// `S01`, `S02`, ...
    pub code: String,
    /// Its information value.
    pub iv: f64,
    /// Its weight: what the log-odds of being good gain with its value.
    pub weight: f64,
    /// How sure the weight is. With L1: of the weight fitted again without a penalty. `None` if that has no answer.
    pub certainty: Option<Certainty>,
    /// Its variance inflation factor.
    pub inflation: f64,
    /// In what share of the models of cross-validation it was an item.
    pub chosen: Option<f64>,
    /// Its points by bin, the unknown last.
    pub rows: Vec<PointsRow>,
}

/// What was learned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proposal {
    /// How many rows it was learned from.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// The share of bad ones, by weight.
    pub bad_rate: f64,
    /// Whether rows have weights.
    pub is_weighted: bool,
    /// How many customers the rows are of.
    pub customers: u64,
    /// The first and the last month, 12 times the year plus the month from 0, as [`Sample`] has them.
    pub months: Option<(i32, i32)>,
    /// The settings.
    pub settings: Settings,
    /// Every metric, in the order given, with what became of it.
    pub screened: Vec<Screened>,
    /// Where everybody's score begins.
    pub base: i64,
    /// The items, the best alone first.
    pub items: Vec<Item>,
    /// The log-odds of being good where all items are neutral.
    pub intercept: f64,
    /// What held the weights back.
    pub penalty: Penalty,
    /// The strengths tried.
    pub tried: Vec<Tried>,
    /// What it is worth on rows not seen. `None` if no fold led to a model.
    pub validation: Option<Validation>,
    /// AUC of the whole points on the rows it was learned from: no measure of quality.
    pub auc_on_own_rows: Option<Auc>,
    /// What the whole points are worth on rows of later time, if some were kept for that.
    pub later: Option<LaterTest>,
}

/// Learns a scorecard. The result is the same on any number of threads, and for any order of rows with different keys.
///
/// # Errors
/// If the input does not fit together, a setting is out of range, no metric is kept, or the regression has no answer.
pub fn learn_scorecard(sample: &Sample, columns: &[MetricColumn], settings: &Settings) -> Result<Proposal, LearnError> {
    settings.check()?;
    sample.check(columns)?;
    check_all_choices(columns, settings)?;
    let (rows, table) = (sample.rows(), Table::new(sample, columns));
    let model = build_score_model(&table, &rows, None, settings)?;
    // Decided once. To leave a column out can only lower AUC, so folds may know it; one kept on purpose stays.
    let leaking: Vec<bool> = model.screened.iter().map(|one| one.verdict == ScreeningResult::Leaking).collect();
    let validation = cross_validate_recipe(&table, &rows, &leaking, settings);
    check_forced_items(&model, settings)?;
    let count = sample.count_rows(&rows);
    let months = rows.iter().filter_map(|row| sample.month(*row));
    let months = months.clone().min().zip(months.max());
    let (items, least) = items_of_scorecard(&table, &rows, settings, &model, validation.as_ref());
    let mut proposal = Proposal {
        rows: rows.len() as u64,
        bads: count.bads,
        bad_rate: count.rate(),
        is_weighted: sample.is_weighted(),
        customers: sample.count_customers(&rows),
        months,
        settings: settings.clone(),
        base: base_points_of(model.fit.intercept, least, &settings.points),
        items,
        intercept: model.fit.intercept,
        penalty: model.penalty,
        tried: model.tried.clone(),
        validation,
        auc_on_own_rows: None,
        later: None,
        screened: model.screened.clone(),
    };
    let points = |rows: &[u32]| proposal.score_rows(columns, rows).iter().map(|score| *score as f64).collect();
    let scores: Vec<f64> = points(&rows);
    let later = sample.rows_of_time(true);
    let chance = |log_odds: f64| 1.0 / (1.0 + exponential_of(log_odds));
    let chances = model.log_odds(&table, &later).into_iter().map(chance).collect();
    let later = ScoredRows { scores: points(&later), rows: later, chances };
    (proposal.auc_on_own_rows, proposal.later) =
        (MeasuredRows::of_sample(sample, &rows).auc(&scores), test_on_later_rows(sample, (&rows, &scores), &later));
    Ok(proposal)
}

/// # Errors
/// If a metric that must be an item is none: it leaks, has one bin only, or would have the wrong sign.
fn check_forced_items(model: &Model, settings: &Settings) -> Result<(), LearnError> {
    let missing =
        model.screened.iter().find(|one| settings.is_forced(&one.name) && one.verdict != ScreeningResult::Kept);
    let Some(one) = missing else { return Ok(()) };
    let help = match one.verdict {
        ScreeningResult::Leaking => "; if it is known before the loan, keep it on purpose too",
        ScreeningResult::WrongSign => "; force only some of the items",
        ScreeningResult::NotNeeded => "; take another method, or do not force it",
        _ => "; choose its bins, or do not force it",
    };
    let what = format!("it is forced, but {}: {}{help}", one.verdict.words(), one.why);
    Err(LearnError::Choice { metric: one.name.clone(), what })
}

impl Proposal {
    /// The whole points of some rows of the columns that it was learned from.
    pub fn score_rows(&self, columns: &[MetricColumn], rows: &[u32]) -> Vec<i64> {
        let mut scores = vec![self.base; rows.len()];
        for (at, item) in self.items.iter().enumerate() {
            let bins = bins_of_item(self, at, columns, rows);
            scores.iter_mut().zip(bins).for_each(|(score, bin)| *score += item.rows[bin].points);
        }
        scores
    }
}

/// The places of an item's bins in which some rows of the columns lie. Empty if the columns do not have the item.
pub fn bins_of_item(proposal: &Proposal, item: usize, columns: &[MetricColumn], rows: &[u32]) -> Vec<usize> {
    let name = &proposal.items[item].name;
    let screened = proposal.screened.iter().find(|one| one.name == *name);
    let column = columns.iter().find(|column| column.name == *name);
    let places = screened
        .zip(column)
        .map(|(screened, column)| rows.iter().map(|row| screened.binning.place(&column.values, *row)).collect());
    places.unwrap_or_default()
}

/// The items, and the sum of what goes into the base.
fn items_of_scorecard(
    table: &Table,
    rows: &[u32],
    settings: &Settings,
    model: &Model,
    validation: Option<&Validation>,
) -> (Vec<Item>, f64) {
    let design = build_design_matrix(table, rows, &model.screened, &model.items);
    let (outcomes, customers) = (design.outcomes(), table.sample.customers_of(rows));
    let inflations = variance_inflation(&design.columns, outcomes.weights);
    let certainty = |fit: &Fit, penalty: Penalty| match outcomes.weights.is_empty() && customers.is_empty() {
        true => certainty_of_weights(&design.columns, &design.good, fit, penalty),
        false => robust_certainty_of_weights(&design.columns, outcomes, &customers, fit, penalty),
    };
    let certainties = match model.penalty {
        Penalty::L1(_) => fit_weighted_regression(&design.columns, outcomes, Penalty::None)
            .and_then(|free| certainty(&free, Penalty::None)),
        penalty => certainty(&model.fit, penalty),
    };
    let mut sum = 0.0;
    let one = |(at, column): (usize, &usize)| {
        let (screened, weight) = (&model.screened[*column], model.fit.weights[at]);
        let (rows, least) = points_rows_of_item(&screened.binning, weight, &settings.points);
        sum += least;
        Item {
            name: screened.name.clone(),
            unit: screened.unit.clone(),
            needs: screened.needs,
            code: format!("S{:02}", at + 1),
            iv: screened.binning.iv,
            weight,
            certainty: certainties.as_ref().ok().and_then(|all| all.get(at)).copied(),
            inflation: inflations[at],
            chosen: validation.map(|found| found.chosen[*column] as f64 / found.models.max(1) as f64),
            rows,
        }
    };
    let items = model.items.iter().enumerate().map(one).collect();
    (items, sum)
}
