//! Statistics of outcomes beside decisions: how well scores rank, what they earn, how loans age. Formulas are in
//! `statistics`; this says which rows they are asked about.

use super::causes::PolicySide;
use super::count::Tally;
use super::judged::Judged;
use super::loan_ages::vintage_curves;
use super::policy::scores_of_customers;
use super::portfolio::Portfolio;
use super::summary::{
    Calibration, Contender, Difference, Discrimination, Interval, OutcomeStatistics, ProfitCurve, ProfitPoint,
    ScoreBand,
};
use crate::engine::decision::MetricsCache;
use crate::engine::metrics::Bits;
use crate::portfolio::cutoff::cutoffs_of_score;
use crate::portfolio::economics::Declared;
use crate::portfolio::learning::MeasuredRows;
use crate::portfolio::outcomes::{KnownRows, LoanOutcome};
use crate::portfolio::statistics::calibration::{CalibrationSettings, LogisticFit, Sample, measure_calibration};
use crate::portfolio::statistics::discrimination::{self, Scored, delong_test};
use crate::portfolio::statistics::profit::{Loan, profit_curve};
use crate::portfolio::statistics::special::two_sided_p;
use crate::portfolio::statistics::{Level, Proportion, StatisticsError};

/// How many points of a curve are kept.
const POINTS: usize = 200;

/// How many bins of predictions are compared.
const BINS: usize = 10;

/// What is asked about outcomes.
pub struct StatisticsRequest<'a> {
    /// The outcome of each customer.
    pub outcomes: &'a [Option<LoanOutcome>],
    /// A number for the borrower of each row, if rows are loans; empty, if they are customers.
    pub borrowers: &'a [u64],
    /// How many bands scores are cut into.
    pub bands: usize,
    /// What lending earns and costs.
    pub economics: Option<&'a Declared>,
    /// A metric that predicts, and its values for each policy; NaN where unknown.
    pub predicted: Option<(&'a str, Vec<Vec<f64>>)>,
}

/// The statistics of outcomes; `judged` are the policies with their roles.
///
/// # Errors
/// If a number is outside of what a formula admits.
pub fn outcome_statistics(
    cache: &MetricsCache,
    judged: &[(&str, &Judged)],
    asked: &StatisticsRequest,
) -> Result<OutcomeStatistics, StatisticsError> {
    let known = || asked.outcomes.iter().flatten();
    let (vintages, undated_loans) = vintage_curves(asked.outcomes)?;
    let mut found = OutcomeStatistics {
        known: known().count() as u64,
        bad: known().filter(|outcome| outcome.bad).count() as u64,
        vintages,
        undated_loans,
        ..OutcomeStatistics::default()
    };
    let mut scored = Vec::new();
    for (at, (role, judged)) in judged.iter().enumerate() {
        let side = judged.side();
        let Some(scores) = side.judgement.score.and_then(|key| scores_of_customers(cache, key)) else { continue };
        let mut discrimination = measure_discrimination(role, &scores, asked)?;
        let predicted = asked.predicted.as_ref().and_then(|(metric, values)| Some((metric, values.get(at)?)));
        if let Some((metric, values)) = predicted {
            discrimination.calibration = calibrate_metric(metric, values, asked.outcomes)?;
        }
        found.discrimination.push(discrimination);
        if let Some(economics) = asked.economics {
            let predicted = predicted.map(|(_, values)| values);
            found.profit.push(profit_curve_of_scores(role, side, &scores, asked.outcomes, economics, predicted)?);
        }
        scored.push(scores);
    }
    if let [champion, challenger] = scored.as_slice() {
        found.auc_difference = compare_auc_of_scores(champion, challenger, asked.outcomes, asked.borrowers)?;
    }
    Ok(found)
}

/// A policy compared with the champion; `role` is what it is called.
///
/// # Errors
/// If a number is outside of what a formula admits.
pub fn compare_contender(
    portfolio: &Portfolio,
    role: &str,
    judged: &Judged,
    champion: &Judged,
    outcomes: &[Option<LoanOutcome>],
    known: &KnownRows,
) -> Result<Contender, StatisticsError> {
    let (before, after) = (&champion.decisions.outcomes[0], &judged.decisions.outcomes[0]);
    let group = |rows: &Bits| Tally::new(rows, &judged.decisions, known).numbers(judged.decisions.rows() as u64);
    let auc = || -> Result<Option<Interval>, StatisticsError> {
        let Some(scores) = judged.judgement.score.and_then(|key| scores_of_customers(&portfolio.cache, key)) else {
            return Ok(None);
        };
        let (scored, measured) = with_outcome(&scores, outcomes, &portfolio.borrower_keys());
        let found = Scored::new(&scored, &measured.bad)?.discrimination(Level::NINETY_FIVE);
        Ok(found.and_then(|found| auc_interval_of(&found, &scored, &measured)))
    };
    let header = judged.policy.header();
    Ok(Contender {
        role: role.to_owned(),
        name: header.name.clone(),
        version: header.version.clone(),
        digest: judged.policy.digest().to_string(),
        offered: group(after),
        gained: group(&after.without(before)),
        lost: group(&before.without(after)),
        auc: auc()?,
    })
}

/// The scores of customers with a score and an outcome, and what they came to. Without borrowers, each row is a
/// customer of its own.
fn with_outcome(scores: &[f64], outcomes: &[Option<LoanOutcome>], borrowers: &[u64]) -> (Vec<f64>, MeasuredRows) {
    let (mut kept, mut measured) = (Vec::new(), MeasuredRows::default());
    for (row, (score, outcome)) in scores.iter().zip(outcomes).enumerate() {
        if let Some(outcome) = outcome.as_ref().filter(|_| !score.is_nan()) {
            kept.push(*score);
            measured.bad.push(outcome.bad);
            measured.customers.extend(borrowers.get(row));
        }
    }
    (kept, measured)
}

/// AUC with DeLong's interval, or that of customers where they have several loans.
fn auc_interval_of(
    found: &discrimination::Discrimination,
    scores: &[f64],
    measured: &MeasuredRows,
) -> Option<Interval> {
    if !measured.is_plain() {
        let auc = measured.auc(scores)?;
        return Some(Interval { value: found.auc, low: auc.low, high: auc.high, level: Level::NINETY_FIVE.share() });
    }
    let delong = found.delong?;
    let (low, high) = (delong.interval.low, delong.interval.high);
    Some(Interval { value: found.auc, low, high, level: delong.level.share() })
}

fn wilson_interval_of(bad: u64, n: u64) -> Result<Interval, StatisticsError> {
    let (proportion, level) = (Proportion::new(bad, n)?, Level::NINETY_FIVE);
    let (rate, ends) = (proportion.rate().unwrap_or_default(), proportion.wilson(level));
    let (low, high) = ends.map_or((0.0, 1.0), |ends| (ends.low, ends.high));
    Ok(Interval { value: rate, low, high, level: level.share() })
}

fn measure_discrimination(
    role: &str,
    scores: &[f64],
    asked: &StatisticsRequest,
) -> Result<Discrimination, StatisticsError> {
    let (scores, measured) = with_outcome(scores, asked.outcomes, asked.borrowers);
    let scored = Scored::new(&scores, &measured.bad)?;
    let mut found =
        Discrimination { role: role.to_owned(), customers: scored.n(), bad: scored.bad(), ..Discrimination::default() };
    if let Some(known) = scored.discrimination(Level::NINETY_FIVE) {
        found.auc = auc_interval_of(&known, &scores, &measured);
        found.gini = Some(known.gini);
        found.ks = Some((known.ks.value, known.ks.score));
    }
    let curve = scored.roc_curve(POINTS)?.unwrap_or_default();
    found.curve = curve.iter().map(|point| (point.good_declined, point.bad_declined)).collect();
    let mut bad_so_far = 0;
    let mut so_far = 0;
    for band in scored.gain_table(asked.bands)? {
        (so_far, bad_so_far) = (so_far + band.n, bad_so_far + band.bad);
        let share = if found.bad > 0 { bad_so_far as f64 / found.bad as f64 } else { 0.0 };
        found.bands.push(ScoreBand {
            low: band.low,
            high: band.high,
            customers: band.n,
            bad: band.bad,
            bad_rate: wilson_interval_of(band.bad, band.n)?,
            cumulative_bad: band.cumulative_bad_share.unwrap_or(share),
            lift: band.lift.unwrap_or_default(),
            cumulative_lift: band.cumulative_lift.unwrap_or_default(),
        });
    }
    Ok(found)
}

fn calibrate_metric(
    metric: &str,
    values: &[f64],
    outcomes: &[Option<LoanOutcome>],
) -> Result<Option<Calibration>, StatisticsError> {
    let (predicted, measured) = with_outcome(values, outcomes, &[]);
    let bad = measured.bad;
    let settings = CalibrationSettings { bins: BINS, level: Level::NINETY_FIVE, sample: Sample::Validation };
    let found = measure_calibration(&predicted, &bad, &settings)?;
    Ok(found.map(|found| Calibration {
        metric: metric.to_owned(),
        bins: found
            .bins
            .iter()
            .map(|bin| {
                let (low, high) = (bin.interval.low, bin.interval.high);
                let observed = Interval { value: bin.observed, low, high, level: found.level.share() };
                (bin.mean_predicted, bin.n, observed)
            })
            .collect(),
        brier: found.brier,
        hosmer_lemeshow: found.hosmer_lemeshow.map(|test| (test.statistic, test.p)),
        line: match found.logistic {
            LogisticFit::Fitted(line) => Some((line.intercept, line.slope)),
            LogisticFit::OneClass | LogisticFit::OnePrediction | LogisticFit::Separated | LogisticFit::NotConverged => {
                None
            }
        },
    }))
}

/// How the AUC of two scores differ, on the customers who have both.
fn compare_auc_of_scores(
    champion: &[f64],
    challenger: &[f64],
    outcomes: &[Option<LoanOutcome>],
    borrowers: &[u64],
) -> Result<Option<Difference>, StatisticsError> {
    // Of customers who lack one of both scores, neither counts.
    let both = |one: &f64, other: &f64| if other.is_nan() { f64::NAN } else { *one };
    let pick = |scores: &[f64], others: &[f64]| -> Vec<f64> {
        scores.iter().zip(others).map(|(one, other)| both(one, other)).collect()
    };
    let (first, measured) = with_outcome(&pick(champion, challenger), outcomes, borrowers);
    let (second, _) = with_outcome(&pick(challenger, champion), outcomes, borrowers);
    if !measured.is_plain() {
        return Ok(measured.difference(&second, &first).map(|(value, standard_error)| Difference {
            value,
            standard_error,
            p: (standard_error > 0.0).then(|| two_sided_p(value / standard_error)),
        }));
    }
    let bad = measured.bad;
    let found = delong_test(&first, &second, &bad, Level::NINETY_FIVE)?;
    Ok(found.map(|found| Difference {
        value: found.second_auc - found.first_auc,
        standard_error: found.standard_error,
        p: found.p,
    }))
}

fn profit_curve_of_scores(
    role: &str,
    side: PolicySide,
    scores: &[f64],
    outcomes: &[Option<LoanOutcome>],
    economics: &Declared,
    predicted: Option<&Vec<f64>>,
) -> Result<ProfitCurve, StatisticsError> {
    let rows = scores.iter().zip(outcomes).enumerate().filter(|(_, (score, _))| !score.is_nan());
    let loans: Vec<Loan> = rows
        .map(|(row, (score, outcome))| Loan {
            score: *score,
            // What the policy offers says nothing of those whom another cut-off would take.
            amount: outcome.as_ref().and_then(|outcome| outcome.amount).unwrap_or(0),
            years: economics.years,
            income: 0,
            predicted: predicted.map(|values| values[row]).filter(|value| (0.0..=1.0).contains(value)),
            bad: outcome.as_ref().map(|outcome| outcome.bad),
        })
        .collect();
    let found = profit_curve(&loans, &economics.economics, POINTS)?;
    let points: Vec<ProfitPoint> = found
        .points
        .iter()
        .rev()
        .filter_map(|point| {
            Some(ProfitPoint {
                cutoff: point.score?,
                approved: point.approvals,
                approval_rate: point.approval_rate.unwrap_or_default(),
                bad_rate: point.bad_rate,
                loss: point.loss as f64,
                expected_loss: point.expected_loss.filter(|_| predicted.is_some()).map(|loss| loss as f64),
                profit: point.profit as f64,
            })
        })
        .collect();
    Ok(ProfitCurve {
        role: role.to_owned(),
        economics: economics.in_words(),
        best: points.iter().position(|point| Some(point.cutoff) == found.best.score),
        points,
        present: cutoffs_of_score(&side.policy.program).next().map(|cutoff| cutoff.least),
        without_outcome: found.without_outcome,
    })
}
