//! Statistics of outcomes beside decisions: how well scores rank, what they earn, how loans age. Formulas are in
//! `statistics`; this says which rows they are asked about.

use super::causes::PolicySide;
use super::judged::Judged;
use super::policy::scores_of_customers;
use super::summary::{
    Calibration, Difference, Discrimination, Interval, OutcomeStatistics, ProfitCurve, ProfitPoint, ScoreBand,
    VintageCurve,
};
use crate::base::date::Day;
use crate::engine::decision::MetricsCache;
use crate::portfolio::economics::Declared;
use crate::portfolio::outcomes::LoanOutcome;
use crate::portfolio::statistics::calibration::{CalibrationSettings, LogisticFit, Sample, measure_calibration};
use crate::portfolio::statistics::discrimination::{Scored, delong_test};
use crate::portfolio::statistics::profit::{Loan, profit_curve};
use crate::portfolio::statistics::vintages::{LoanHistory, build_vintage_curves};
use crate::portfolio::statistics::{Level, Proportion, StatisticsError};
use crate::rules::graph::{NodeId, Op};
use crate::rules::program::Program;
use crate::rules::{Binary, Policy};

/// How many points of a curve are kept.
const POINTS: usize = 200;

/// How many bins of predictions are compared.
const BINS: usize = 10;

/// What is asked about outcomes.
pub struct StatisticsRequest<'a> {
    /// The outcome of each customer.
    pub outcomes: &'a [Option<LoanOutcome>],
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
    let mut found = OutcomeStatistics {
        known: known().count() as u64,
        bad: known().filter(|outcome| outcome.bad).count() as u64,
        vintages: vintage_curves(asked.outcomes)?,
        ..OutcomeStatistics::default()
    };
    let mut scored = Vec::new();
    for (at, (role, judged)) in judged.iter().enumerate() {
        let side = judged.side();
        let Some(scores) = side.judgement.score.and_then(|key| scores_of_customers(cache, key)) else { continue };
        let mut discrimination = measure_discrimination(role, &scores, asked)?;
        if let Some((metric, values)) = &asked.predicted
            && let Some(values) = values.get(at)
        {
            discrimination.calibration = calibrate_metric(metric, values, asked.outcomes)?;
        }
        found.discrimination.push(discrimination);
        if let Some(economics) = asked.economics {
            found.profit.push(profit_curve_of_scores(role, side, &scores, asked.outcomes, economics)?);
        }
        scored.push(scores);
    }
    if let [champion, challenger] = scored.as_slice() {
        found.auc_difference = compare_auc_of_scores(champion, challenger, asked.outcomes)?;
    }
    Ok(found)
}

/// The scores of customers with a score and an outcome.
fn with_outcome(scores: &[f64], outcomes: &[Option<LoanOutcome>]) -> (Vec<f64>, Vec<bool>) {
    let pairs = scores.iter().zip(outcomes).filter(|(score, _)| !score.is_nan());
    pairs.filter_map(|(score, outcome)| outcome.as_ref().map(|outcome| (*score, outcome.bad))).unzip()
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
    let (scores, bad) = with_outcome(scores, asked.outcomes);
    let scored = Scored::new(&scores, &bad)?;
    let mut found =
        Discrimination { role: role.to_owned(), customers: scored.n(), bad: scored.bad(), ..Discrimination::default() };
    if let Some(known) = scored.discrimination(Level::NINETY_FIVE) {
        found.auc = known.delong.map(|delong| Interval {
            value: known.auc,
            low: delong.interval.low,
            high: delong.interval.high,
            level: delong.level.share(),
        });
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
            lift: band.cumulative_lift.unwrap_or_default(),
        });
    }
    Ok(found)
}

fn calibrate_metric(
    metric: &str,
    values: &[f64],
    outcomes: &[Option<LoanOutcome>],
) -> Result<Option<Calibration>, StatisticsError> {
    let (predicted, bad) = with_outcome(values, outcomes);
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
) -> Result<Option<Difference>, StatisticsError> {
    let (mut first, mut second, mut bad) = (Vec::new(), Vec::new(), Vec::new());
    for ((one, other), outcome) in champion.iter().zip(challenger).zip(outcomes) {
        if let Some(outcome) = outcome.as_ref().filter(|_| !one.is_nan() && !other.is_nan()) {
            first.push(*one);
            second.push(*other);
            bad.push(outcome.bad);
        }
    }
    let found = delong_test(&first, &second, &bad, Level::NINETY_FIVE)?;
    Ok(found.map(|found| Difference {
        value: found.second_auc - found.first_auc,
        standard_error: found.standard_error,
        p: found.p.unwrap_or(1.0),
    }))
}

fn profit_curve_of_scores(
    role: &str,
    side: PolicySide,
    scores: &[f64],
    outcomes: &[Option<LoanOutcome>],
    economics: &Declared,
) -> Result<ProfitCurve, StatisticsError> {
    let rows = scores.iter().zip(outcomes).filter(|(score, _)| !score.is_nan());
    let loans: Vec<Loan> = rows
        .map(|(score, outcome)| Loan {
            score: *score,
            amount: outcome.as_ref().and_then(|outcome| outcome.amount).unwrap_or(0),
            years: economics.years,
            income: 0,
            predicted: None,
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
                expected_loss: point.loss as f64,
                profit: point.profit as f64,
            })
        })
        .collect();
    Ok(ProfitCurve {
        role: role.to_owned(),
        economics: economics.in_words(),
        best: points.iter().position(|point| Some(point.cutoff) == found.best.score),
        points,
        present: present_cutoff(side.policy),
        without_outcome: found.without_outcome,
    })
}

/// The score that a requirement asks for, if one compares the score alone with a number.
fn present_cutoff(policy: &Policy) -> Option<f64> {
    let program = &policy.program;
    let score = program.score.as_ref()?.node;
    program.requirements.iter().find_map(|requirement| cutoff_of_condition(program, requirement.when, score))
}

fn cutoff_of_condition(program: &Program, when: NodeId, score: NodeId) -> Option<f64> {
    let node = program.graph.node(when);
    let (Op::Compare(Binary::GreaterEqual | Binary::Greater), [left, right]) = (&node.op, node.inputs.as_slice())
    else {
        return None;
    };
    if program.graph.carried(*left) != program.graph.carried(score) {
        return None;
    }
    match &program.graph.node(program.graph.carried(*right)).op {
        Op::Int(value) => Some(*value as f64),
        Op::Rational(value) => Some(value.to_f64()),
        _ => None,
    }
}

/// Cumulative bad rates by the month of the loan, if outcomes have dates.
fn vintage_curves(outcomes: &[Option<LoanOutcome>]) -> Result<Vec<VintageCurve>, StatisticsError> {
    let month = |day: Day| {
        let (year, month, _) = day.ymd();
        year * 12 + month as i32 - 1
    };
    let history = |outcome: &LoanOutcome| {
        let (from, until) = (month(outcome.loan_date?), month(outcome.observed_until?));
        // A bad loan without a date is left out: nobody knows which month it belongs to.
        let bad_at = match (outcome.bad, outcome.bad_date) {
            (false, _) => None,
            (true, Some(day)) => Some(u16::try_from(month(day) - from).ok()?),
            (true, None) => return None,
        };
        Some(LoanHistory { cohort: from, bad_at, observed: u16::try_from(until - from).ok()? })
    };
    let loans: Vec<LoanHistory> = outcomes.iter().flatten().filter_map(history).collect();
    let found = build_vintage_curves(&loans)?;
    let curve = |found: &crate::portfolio::statistics::vintages::Vintage| VintageCurve {
        cohort: format!("{}-{:02}", found.cohort.div_euclid(12), found.cohort.rem_euclid(12) + 1),
        loans: found.n,
        bad_rates: (0..=found.complete_to).map_while(|month| found.rate(month)).collect(),
    };
    Ok(found.iter().map(curve).collect())
}
