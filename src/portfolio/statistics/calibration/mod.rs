//! How well predicted probabilities of going bad fit what happened: bins, Brier score, Hosmer-Lemeshow, calibration
//! error, and the logistic intercept and slope.

mod logistic;

pub use logistic::{LogisticCalibration, LogisticFit};

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;
use crate::portfolio::statistics::intervals::{Interval, Level, Proportion};
use crate::portfolio::statistics::special::{Sum, chi_square_upper};
use crate::portfolio::statistics::ties::{Tie, band_of, group_tied_values};

/// How to compute a calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationSettings {
    /// The number of bins of equal count, 1 or more; 10 is usual.
    pub bins: usize,
    /// The level of the intervals.
    pub level: Level,
    /// Where the rows come from.
    pub sample: Sample,
}

/// Where the rows come from. It decides the degrees of freedom of the Hosmer-Lemeshow test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sample {
    /// The model was fitted on these rows: bins - 2.
    Development,
    /// The model has not seen these rows: bins.
    Validation,
}

/// How well probabilities fit, made by [`measure_calibration`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Rows.
    pub n: u64,
    /// Rows that went bad.
    pub bad: u64,
    /// The mean of the predicted probabilities.
    pub mean_predicted: f64,
    /// bad / n.
    pub bad_rate: f64,
    /// The mean of (predicted - outcome)², where the outcome is 1 for bad; 0 is perfect. Brier 1950, "Verification of
    /// forecasts expressed in terms of probability", Monthly Weather Review 78.
    pub brier: f64,
    /// Σ over bins of n_bin / n × |mean predicted - observed|. Naeini, Cooper & Hauskrecht 2015, AAAI 29.
    pub expected_calibration_error: f64,
    /// The level of the intervals of the bins.
    pub level: Level,
    /// Bins from the lowest probabilities to the highest; those without rows are omitted.
    pub bins: Vec<CalibrationBin>,
    /// `None` if there are too few bins, or if a bin cannot have what it has (bad rows at probability 0).
    pub hosmer_lemeshow: Option<HosmerLemeshow>,
    /// The logistic calibration, or why it has none.
    pub logistic: LogisticFit,
}

/// Rows of similar probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// The number of the bin, from 1; numbers of empty bins are skipped.
    pub bin: usize,
    /// The lowest probability.
    pub low: f64,
    /// The highest probability.
    pub high: f64,
    /// Rows.
    pub n: u64,
    /// Rows that went bad.
    pub bad: u64,
    /// The mean of the predicted probabilities.
    pub mean_predicted: f64,
    /// bad / n.
    pub observed: f64,
    /// Wilson's interval of the observed rate.
    pub interval: Interval,
}

/// The Hosmer-Lemeshow test that probabilities are right in every bin. Hosmer & Lemeshow 1980, "Goodness of fit tests
/// for the multiple logistic regression model", Communications in Statistics 9.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HosmerLemeshow {
    /// Σ over bins of (bad - expected)² / (expected × (1 - expected / n)).
    pub statistic: f64,
    /// Bins - 2 on the development sample, bins on others.
    pub degrees_of_freedom: u64,
    /// The chance of such a statistic or a larger one if the probabilities are right.
    pub p: f64,
}

/// Compares predicted probabilities of going bad with outcomes; `None` without rows. Costs O(n log n).
///
/// Bins hold equal numbers of rows. Rows with one probability are never split: the middle row of the tie chooses the
/// bin of all of them.
///
/// # Errors
/// [`StatisticsError::Lengths`] if the lists differ in length; [`StatisticsError::NotANumber`] or
/// [`StatisticsError::RowOutOfRange`] if a probability is not within 0 to 1; [`StatisticsError::OutOfRange`] without
/// bins.
pub fn measure_calibration(
    predicted: &[f64],
    bad: &[bool],
    settings: &CalibrationSettings,
) -> Result<Option<Calibration>, StatisticsError> {
    StatisticsError::at_least("bins", settings.bins, 1, "1 or more")?;
    let ties = group_tied_values("predicted", predicted, bad)?;
    if let Some((row, value)) = predicted.iter().enumerate().find(|(_, value)| !(0.0..=1.0).contains(*value)) {
        let value = value.to_string();
        return Err(StatisticsError::RowOutOfRange { what: "predicted", row, value, range: "0 to 1" });
    }
    Ok(of_ties(&ties, settings))
}

fn of_ties(ties: &[Tie], settings: &CalibrationSettings) -> Option<Calibration> {
    let bins = calibration_bins_of(ties, settings);
    let (n, bad) = bins.iter().fold((0, 0), |(n, bad), bin| (n + bin.n, bad + bin.bad));
    let bad_rate = Proportion::new(bad, n).ok()?.rate()?;
    let total = n as f64;
    Some(Calibration {
        n,
        bad,
        mean_predicted: sum_exact_terms(ties, |tie| tie.value * tie.n() as f64) / total,
        bad_rate,
        brier: sum_exact_terms(ties, |tie| {
            let above = 1.0 - tie.value;
            tie.bad as f64 * above * above + tie.good as f64 * tie.value * tie.value
        }) / total,
        expected_calibration_error: sum_exact_terms(&bins, |bin| {
            bin.n as f64 * (bin.mean_predicted - bin.observed).abs()
        }) / total,
        level: settings.level,
        hosmer_lemeshow: hosmer_lemeshow(&bins, settings.sample),
        bins,
        logistic: logistic::fit_logistic_calibration(ties),
    })
}

fn sum_exact_terms<T>(items: &[T], term: impl Fn(&T) -> f64) -> f64 {
    let mut sum = Sum::default();
    items.iter().for_each(|item| sum.add(term(item)));
    sum.value()
}

fn calibration_bins_of(ties: &[Tie], settings: &CalibrationSettings) -> Vec<CalibrationBin> {
    let n: u64 = ties.iter().map(Tie::n).sum();
    let mut bins = Vec::new();
    let (mut below, mut start, mut open) = (0, 0, 0);
    for (place, tie) in ties.iter().enumerate() {
        let number = band_of(below, tie.n(), n, settings.bins);
        below += tie.n();
        if number != open {
            bins.extend(ties.get(start..place).and_then(|rows| calibration_bin_of_rows(open, rows, settings.level)));
            (start, open) = (place, number);
        }
    }
    bins.extend(ties.get(start..).and_then(|rows| calibration_bin_of_rows(open, rows, settings.level)));
    bins
}

/// The bin of these rows; `None` without rows.
fn calibration_bin_of_rows(number: usize, rows: &[Tie], level: Level) -> Option<CalibrationBin> {
    let (first, last) = (rows.first()?, rows.last()?);
    let n = rows.iter().map(Tie::n).sum();
    let bad = rows.iter().map(|tie| tie.bad).sum();
    let observed = Proportion::new(bad, n).ok()?;
    Some(CalibrationBin {
        bin: number + 1,
        low: first.value,
        high: last.value,
        n,
        bad,
        mean_predicted: sum_exact_terms(rows, |tie| tie.value * tie.n() as f64) / n as f64,
        observed: observed.rate()?,
        interval: observed.wilson(level)?,
    })
}

fn hosmer_lemeshow(bins: &[CalibrationBin], sample: Sample) -> Option<HosmerLemeshow> {
    let fitted = if sample == Sample::Development { 2 } else { 0 };
    let degrees_of_freedom = (bins.len() as u64).checked_sub(fitted).filter(|degrees| *degrees > 0)?;
    let mut statistic = Sum::default();
    for bin in bins {
        let expected = bin.mean_predicted * bin.n as f64;
        let distance = bin.bad as f64 - expected;
        let variance = expected * (1.0 - bin.mean_predicted);
        match (distance == 0.0, variance > 0.0) {
            (true, _) => {}
            (false, true) => statistic.add(distance * distance / variance),
            (false, false) => return None,
        }
    }
    let statistic = statistic.value();
    let p = chi_square_upper(statistic, degrees_of_freedom as f64);
    statistic.is_finite().then_some(HosmerLemeshow { statistic, degrees_of_freedom, p })
}

#[cfg(test)]
mod tests;
