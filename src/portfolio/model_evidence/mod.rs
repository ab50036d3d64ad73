//! What a model document shows of a proposal beyond the proposal itself: the population, scores held out with their
//! gains and calibration, months, correlations, and groups. Decides nothing and renders nothing.

mod groups;
mod held_out;
mod periods;
mod reads;
mod source;
mod weighted;

use std::collections::BTreeMap;

use serde::Serialize;

pub use self::groups::{ApprovalOfGroup, GroupMeasured, GroupsOfColumn, ProtectedColumn, ProxyOfGroup};
pub use self::held_out::{HeldOutScore, LaterScore, MonthMeasured, ScoresMeasured};
pub use self::periods::{
    BinInPeriod, ItemInPeriod, ItemOverPeriods, PeriodLength, PeriodRows, RefittedPart, SignHolds, StabilityByPeriod,
    measure_periods,
};
pub use self::source::{DocumentInput, DocumentSource, MetricsChosen};
use crate::portfolio::learned_from::LearnedFrom;
use crate::portfolio::learning::{MeasuredRows, Proposal, bins_of_item};
use crate::rules::Policy;

/// Rows of a month.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MonthCount {
    /// 12 times the year plus the month from 0.
    pub month: i32,
    /// Rows learned from.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// The share of bad ones, by weight.
    pub bad_rate: f64,
    /// Rows kept for the test.
    pub later: u64,
}

/// Everything that a document shows beyond the proposal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelEvidence {
    /// Which policy, and what made this.
    pub source: DocumentSource,
    /// Customers with an outcome.
    pub with_outcome: usize,
    /// Later loans of customers with earlier ones, neither learned from nor tested on.
    pub left_out_of_test: usize,
    /// Rows by month, if months are known.
    pub months: Vec<MonthCount>,
    /// Metrics that nothing can be learned from, and why.
    pub left_out: Vec<(String, String)>,
    /// Pearson's correlation of the items, as they count: rows and columns in the order of the items.
    pub correlations: Vec<Vec<f64>>,
    /// Scores of rows that the model did not see. `None` without cross-validation.
    pub held_out: Option<ScoresMeasured>,
    /// Scores of the loans that were kept for the test.
    pub later: Vec<LaterScore>,
    /// Items over time, if two months are known.
    pub over_time: Option<StabilityByPeriod>,
    /// Groups of protected columns.
    pub groups: Vec<GroupsOfColumn>,
}

/// Measures a proposal. `protected` are columns of groups, a value for each row of what was learned from.
pub fn collect_model_evidence(
    proposal: &Proposal,
    from: &LearnedFrom,
    policy: &Policy,
    source: DocumentSource,
    protected: &[ProtectedColumn],
) -> ModelEvidence {
    let held_out = held_out::measure_held_out(proposal, from);
    ModelEvidence {
        source,
        with_outcome: from.sample.bad.len() + from.left_out_of_test,
        left_out_of_test: from.left_out_of_test,
        months: count_months(from),
        left_out: from.left_out.clone(),
        correlations: correlate_items(proposal, from),
        groups: protected
            .iter()
            .map(|column| GroupsOfColumn {
                read_by: reads::items_that_read(proposal, policy, &column.name),
                ..groups::measure_groups(proposal, from, held_out.as_ref(), column)
            })
            .collect(),
        held_out,
        over_time: measure_periods(proposal, from),
        later: held_out::list_later_scores(proposal, from),
    }
}

fn count_months(from: &LearnedFrom) -> Vec<MonthCount> {
    let mut months: BTreeMap<i32, [Vec<u32>; 2]> = BTreeMap::new();
    for (is_later, rows) in [false, true].map(|is_later| (is_later, rows_of_time(from, is_later))) {
        for row in rows {
            let month = from.sample.month.as_ref().and_then(|months| months[row as usize]);
            months.entry(month.unwrap_or(i32::MIN)).or_default()[usize::from(is_later)].push(row);
        }
    }
    months.remove(&i32::MIN);
    let one = |(month, [learned, later]): (i32, [Vec<u32>; 2])| {
        let measured = MeasuredRows::of_sample(&from.sample, &learned);
        MonthCount {
            month,
            rows: learned.len() as u64,
            bads: measured.bad.iter().filter(|bad| **bad).count() as u64,
            bad_rate: measured.bad_rate(),
            later: later.len() as u64,
        }
    };
    months.into_iter().map(one).collect()
}

/// The rows that were learned from.
fn learned_rows(from: &LearnedFrom) -> Vec<u32> {
    rows_of_time(from, false)
}

/// The rows that were kept for the test, or the others.
fn rows_of_time(from: &LearnedFrom, wanted: bool) -> Vec<u32> {
    let is_later = |row: u32| from.sample.later.get(row as usize).copied().unwrap_or(false);
    (0..from.sample.bad.len() as u32).filter(|row| is_later(*row) == wanted).collect()
}

fn correlate_items(proposal: &Proposal, from: &LearnedFrom) -> Vec<Vec<f64>> {
    let rows = learned_rows(from);
    let standard = |at: usize| {
        let item = &proposal.items[at];
        let bins = bins_of_item(proposal, at, &from.columns, &rows);
        let values: Vec<f64> = bins.iter().map(|bin| item.rows[*bin].bin.value).collect();
        let weight = |place: usize| from.sample.weight(rows[place]);
        let total: f64 = (0..rows.len()).map(weight).sum();
        let sum: f64 = values.iter().enumerate().map(|(place, value)| weight(place) * value).sum();
        let mean = sum / total.max(f64::MIN_POSITIVE);
        // With weights, products of two are the weighted correlations.
        let apart: Vec<f64> =
            values.iter().enumerate().map(|(place, value)| (value - mean) * weight(place).sqrt()).collect();
        let length = apart.iter().map(|value| value * value).sum::<f64>().sqrt();
        apart.iter().map(|value| if length > 0.0 { value / length } else { 0.0 }).collect::<Vec<f64>>()
    };
    let standards: Vec<Vec<f64>> = (0..proposal.items.len()).map(standard).collect();
    // Rounding may lead a little beyond 1.
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>().clamp(-1.0, 1.0);
    standards.iter().map(|a| standards.iter().map(|b| product(a, b)).collect()).collect()
}
