//! Scores of rows that the model did not see: how they rank, what they say, and how both hold by month.

use serde::Serialize;

use super::rows_of_time;
use super::weighted::{weighted_calibration, weighted_gain_table};
use crate::portfolio::learned_from::LearnedFrom;
use crate::portfolio::learning::{Auc, MeasuredRows, Proposal};
use crate::portfolio::statistics::Level;
use crate::portfolio::statistics::calibration::{Calibration, CalibrationSettings, Sample, measure_calibration};
use crate::portfolio::statistics::discrimination::{Discrimination, GainBand, Scored};
use crate::portfolio::statistics::special::exponential_of;

/// So many points of the ROC curve are kept.
const MOST_ROC_POINTS: usize = 200;

/// A row held out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldOutScore {
    /// The customer.
    pub customer: String,
    /// The loan, if rows are loans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loan: Option<String>,
    /// The repeat of cross-validation, from 1.
    pub repeat: usize,
    /// The fold that held it out, from 1.
    pub fold: usize,
    /// The log-odds of being good, by a model that did not see the row.
    pub log_odds: f64,
    /// The chance to go bad that they mean.
    pub chance_bad: f64,
    /// The share of the fold's rows with lower log-odds, with half of those that are equal: what ranks rows of several
    /// folds.
    pub place: f64,
    /// Whether it went bad.
    pub bad: bool,
    /// What it weighs, 1 on average; `None` if rows have no weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The month, 12 times the year plus the month from 0.
    pub month: Option<i32>,
    /// The row of the sample.
    #[serde(skip)]
    pub row: usize,
}

/// A loan that was kept for the test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaterScore {
    /// The customer.
    pub customer: String,
    /// The loan, if rows are loans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loan: Option<String>,
    /// The whole points of the proposal.
    pub score: i64,
    /// Whether it went bad.
    pub bad: bool,
    /// What it weighs; `None` if rows have no weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The month, 12 times the year plus the month from 0.
    pub month: Option<i32>,
}

/// Held-out scores of a month.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MonthMeasured {
    /// 12 times the year plus the month from 0.
    pub month: i32,
    /// Rows.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// The share of bad ones, by weight.
    pub bad_rate: f64,
    /// The mean of the chances, by weight.
    pub said_bad_rate: f64,
    /// AUC; `None` if an outcome is missing.
    pub auc: Option<Auc>,
}

/// Held-out scores measured. All figures are of the first repeat; what ranks rows takes their places in their folds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoresMeasured {
    /// How often the folds were drawn. `scores` have all of these repeats.
    pub repeats: usize,
    /// The repeat that the figures here are of. Those of the proposal's validation are of all repeats.
    pub figures_of_repeat: usize,
    /// How they rank.
    pub discrimination: Option<Discrimination>,
    /// Tenths from the worst.
    pub gains: Vec<GainBand>,
    /// The ROC curve: shares of good and of bad rows up to a score, by weight; at most so many points as can be drawn.
    pub roc: Vec<[f64; 2]>,
    /// What they say, compared with what came.
    pub calibration: Option<Calibration>,
    /// By month.
    pub months: Vec<MonthMeasured>,
    /// Every row, of every repeat.
    pub scores: Vec<HeldOutScore>,
}

impl ScoresMeasured {
    /// The rows of the first repeat.
    pub fn first_repeat(&self) -> impl Iterator<Item = &HeldOutScore> {
        self.scores.iter().filter(move |one| one.repeat == self.figures_of_repeat)
    }
}

pub(super) fn measure_held_out(proposal: &Proposal, from: &LearnedFrom) -> Option<ScoresMeasured> {
    let validation = proposal.validation.as_ref()?;
    let month = |row: u32| from.sample.month.as_ref().and_then(|months| months[row as usize]);
    let scores: Vec<HeldOutScore> = validation
        .held_out
        .iter()
        .map(|one| HeldOutScore {
            customer: from.customers[one.row as usize].clone(),
            loan: from.loans.get(one.row as usize).cloned(),
            repeat: one.repeat,
            fold: one.fold,
            log_odds: one.log_odds,
            chance_bad: 1.0 / (1.0 + exponential_of(one.log_odds)),
            place: one.place,
            bad: one.bad,
            weight: from.sample.is_weighted().then(|| from.sample.weight(one.row)),
            month: month(one.row),
            row: one.row as usize,
        })
        .collect();
    let mut found = ScoresMeasured {
        repeats: scores.iter().map(|one| one.repeat).max().unwrap_or(0),
        figures_of_repeat: 1,
        discrimination: None,
        gains: Vec::new(),
        roc: Vec::new(),
        calibration: None,
        months: Vec::new(),
        scores,
    };
    let first: Vec<&HeldOutScore> = found.first_repeat().collect();
    let log_odds: Vec<f64> = first.iter().map(|one| one.log_odds).collect();
    let places: Vec<f64> = first.iter().map(|one| one.place).collect();
    let chances: Vec<f64> = first.iter().map(|one| one.chance_bad).collect();
    let measured = measured_rows(from, &first);
    let months = measure_months(from, &first);
    let (gains, calibration, discrimination) = match from.sample.is_weighted() {
        true => (weighted_gain_table(&places, &measured), weighted_calibration(&chances, &log_odds, &measured), None),
        false => {
            let scored = Scored::new(&places, &measured.bad).ok()?;
            let settings = CalibrationSettings { bins: 10, level: Level::NINETY_FIVE, sample: Sample::Validation };
            let calibration = measure_calibration(&chances, &measured.bad, &settings).ok().flatten();
            (scored.gain_table(10).unwrap_or_default(), calibration, scored.discrimination(Level::NINETY_FIVE))
        }
    };
    let roc = measured.roc(&places, MOST_ROC_POINTS);
    (found.gains, found.calibration, found.discrimination) = (gains, calibration, discrimination);
    (found.months, found.roc) = (months, roc);
    Some(found)
}

/// What held-out rows came to, with their weights and customers.
pub(super) fn measured_rows(from: &LearnedFrom, scores: &[&HeldOutScore]) -> MeasuredRows {
    let rows: Vec<u32> = scores.iter().map(|one| one.row as u32).collect();
    MeasuredRows::of_sample(&from.sample, &rows)
}

/// The points of the loans that were kept for the test.
pub(super) fn list_later_scores(proposal: &Proposal, from: &LearnedFrom) -> Vec<LaterScore> {
    let rows = rows_of_time(from, true);
    let scores = proposal.score_rows(&from.columns, &rows);
    let one = |place: usize| {
        let row = rows[place] as usize;
        LaterScore {
            customer: from.customers[row].clone(),
            loan: from.loans.get(row).cloned(),
            score: scores[place],
            bad: from.sample.bad[row],
            weight: from.sample.is_weighted().then(|| from.sample.weight(rows[place])),
            month: from.sample.month.as_ref().and_then(|months| months[row]),
        }
    };
    (0..rows.len()).map(one).collect()
}

fn measure_months(from: &LearnedFrom, first: &[&HeldOutScore]) -> Vec<MonthMeasured> {
    let mut dated: Vec<(i32, &HeldOutScore)> = first.iter().filter_map(|one| Some((one.month?, *one))).collect();
    dated.sort_by_key(|(month, one)| (*month, one.row));
    let one = |month: &[(i32, &HeldOutScore)]| {
        let scores: Vec<&HeldOutScore> = month.iter().map(|(_, one)| *one).collect();
        let places: Vec<f64> = scores.iter().map(|one| one.place).collect();
        let measured = measured_rows(from, &scores);
        MonthMeasured {
            month: month[0].0,
            rows: month.len() as u64,
            bads: measured.bad.iter().filter(|bad| **bad).count() as u64,
            bad_rate: measured.bad_rate(),
            said_bad_rate: measured.mean_of(|row| scores[row].chance_bad),
            auc: measured.auc(&places),
        }
    };
    dated.chunk_by(|a, b| a.0 == b.0).map(one).collect()
}
