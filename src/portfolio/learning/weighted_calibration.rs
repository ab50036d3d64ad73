//! The logistic calibration of rows that have weights.

use super::auc::MeasuredRows;
use super::logistic::{Outcomes, Penalty, fit_weighted_regression, robust_certainty_of_weights};
use crate::portfolio::statistics::calibration::LogisticCalibration;
use crate::portfolio::statistics::special::exponential_of;

/// The line `logit P(bad) = intercept + slope * said`. `log_odds` are those of being good that a model said. Errors are
/// those of the sandwich. `None` if the rows have no line.
pub fn calibrate_weighted_rows(log_odds: &[f64], measured: &MeasuredRows) -> Option<LogisticCalibration> {
    let said = [log_odds.iter().map(|odds| -odds).collect::<Vec<f64>>()];
    let outcomes = Outcomes { is_true: &measured.bad, weights: &measured.weights };
    let fit = fit_weighted_regression(&said, outcomes, Penalty::None).ok()?;
    let errors = robust_certainty_of_weights(&said, outcomes, &measured.customers, &fit, Penalty::None).ok()?;
    Some(LogisticCalibration {
        in_the_large: intercept_in_the_large(&said[0], measured)?,
        intercept: fit.intercept,
        intercept_error: errors.get(1)?.standard_error,
        slope: *fit.weights.first()?,
        slope_error: errors.first()?.standard_error,
        clipped: 0,
    })
}

/// The intercept with the slope fixed at 1, by Newton's method.
fn intercept_in_the_large(said: &[f64], measured: &MeasuredRows) -> Option<f64> {
    let chance = |x: f64| 1.0 / (1.0 + exponential_of(-x));
    let mut intercept = 0.0;
    for _ in 0..100 {
        let (mut slope, mut bend) = (0.0, 0.0);
        for (row, x) in said.iter().enumerate() {
            let (weight, p) = (measured.weight(row), chance(x + intercept));
            slope += weight * (f64::from(u8::from(measured.bad[row])) - p);
            bend += weight * p * (1.0 - p);
        }
        let step: f64 = slope / bend;
        if !step.is_finite() {
            return None;
        }
        intercept += step.clamp(-2.0, 2.0);
        if step.abs() < 1e-12 {
            return Some(intercept);
        }
    }
    None
}
