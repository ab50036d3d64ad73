//! A worked example, known fits, and edges.

use super::*;
use crate::portfolio::statistics::special::{exponential_of, natural_logarithm};

const SETTINGS: CalibrationSettings =
    CalibrationSettings { bins: 2, level: Level::NINETY_FIVE, sample: Sample::Validation };

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-10 * expected.abs().max(1e-3), "{found} is not {expected}");
}

/// `n` rows at each probability, of which the first `bad` are bad.
fn rows(groups: &[(f64, usize, usize)]) -> (Vec<f64>, Vec<bool>) {
    groups.iter().flat_map(|(p, n, bad)| (0..*n).map(move |row| (*p, row < *bad))).unzip()
}

fn of(groups: &[(f64, usize, usize)], settings: &CalibrationSettings) -> Calibration {
    let (predicted, bad) = rows(groups);
    measure_calibration(&predicted, &bad, settings).unwrap().unwrap()
}

fn fitted(calibration: &Calibration) -> LogisticCalibration {
    match calibration.logistic {
        LogisticFit::Fitted(line) => line,
        other => panic!("{other:?}"),
    }
}

#[test]
fn by_hand() {
    // docs/reference/statistics/calibration.md: 10 rows at 0.2, 3 of them bad; 10 rows at 0.5, 4 of them bad.
    let found = of(&[(0.2, 10, 3), (0.5, 10, 4)], &SETTINGS);
    assert_eq!((found.n, found.bad, found.bins.len()), (20, 7, 2));
    close(found.mean_predicted, 0.35);
    close(found.bad_rate, 0.35);
    close(found.brier, (3.0 * 0.64 + 7.0 * 0.04 + 10.0 * 0.25) / 20.0);
    close(found.expected_calibration_error, 0.1);
    let test = found.hosmer_lemeshow.unwrap();
    close(test.statistic, 1.0 / 1.6 + 1.0 / 2.5);
    assert_eq!(test.degrees_of_freedom, 2);
    close(test.p, exponential_of(-1.025 / 2.0));
    let interval = found.bins[0].interval;
    assert_eq!(format!("{:.4} {:.4}", interval.low, interval.high), "0.1078 0.6032");
    // Two probabilities: the line passes through both observed log odds.
    let line = fitted(&found);
    let (x, y) = ([natural_logarithm(0.25), 0.0], [natural_logarithm(3.0 / 7.0), natural_logarithm(2.0 / 3.0)]);
    close(line.slope, (y[1] - y[0]) / (x[1] - x[0]));
    close(line.intercept, y[1]);
    close(line.intercept_error, (1.0_f64 / 2.4).sqrt());
    close(line.slope_error, (1.0_f64 / 2.4 + 1.0 / 2.1).sqrt() / natural_logarithm(4.0));
}

#[test]
fn right_probabilities_have_slope_one() {
    let found = of(&[(0.1, 1_000, 100), (0.3, 1_000, 300), (0.75, 1_000, 750)], &SETTINGS);
    let line = fitted(&found);
    assert!(line.intercept.abs() < 1e-12 && (line.slope - 1.0).abs() < 1e-12 && line.in_the_large.abs() < 1e-12);
    assert!(found.expected_calibration_error < 1e-12 && found.hosmer_lemeshow.unwrap().p > 0.999);
}

#[test]
fn a_shift_of_the_odds_is_the_intercept() {
    // Odds 1/9 and 1/3 are tripled to 1/3 and 1.
    let line = fitted(&of(&[(0.1, 400, 100), (0.25, 400, 200)], &SETTINGS));
    close(line.in_the_large, natural_logarithm(3.0));
    close(line.intercept, natural_logarithm(3.0));
    close(line.slope, 1.0);
}

#[test]
fn what_has_no_line_says_why() {
    assert_eq!(of(&[(0.1, 5, 0), (0.2, 5, 0)], &SETTINGS).logistic, LogisticFit::OneClass);
    assert_eq!(of(&[(0.1, 5, 2)], &SETTINGS).logistic, LogisticFit::OnePrediction);
    assert_eq!(of(&[(0.1, 5, 0), (0.2, 5, 5)], &SETTINGS).logistic, LogisticFit::Separated);
    assert_eq!(of(&[(0.1, 5, 5), (0.2, 5, 2)], &SETTINGS).logistic, LogisticFit::Separated);
    let clipped = of(&[(0.0, 10, 1), (0.5, 10, 4), (1.0, 10, 9)], &SETTINGS);
    let line = fitted(&clipped);
    assert!(line.clipped == 20 && line.slope > 0.0 && line.slope < 0.2);
}

#[test]
fn impossible_bins_have_no_test() {
    assert_eq!(of(&[(0.0, 10, 1), (0.5, 10, 5)], &SETTINGS).hosmer_lemeshow, None);
    let sure = of(&[(0.0, 10, 0), (1.0, 10, 10)], &SETTINGS);
    assert_eq!((sure.brier, sure.hosmer_lemeshow.unwrap().statistic), (0.0, 0.0));
    let development = CalibrationSettings { sample: Sample::Development, ..SETTINGS };
    assert_eq!(of(&[(0.2, 10, 3), (0.5, 10, 4)], &development).hosmer_lemeshow, None);
    let three = of(&[(0.2, 10, 3), (0.5, 10, 4), (0.6, 10, 6)], &CalibrationSettings { bins: 3, ..development });
    assert_eq!(three.hosmer_lemeshow.unwrap().degrees_of_freedom, 1);
}

#[test]
fn extreme_predictions_converge() {
    for (low, high) in [(1e-9, 1.0 - 1e-9), (1e-12, 0.5), (0.49, 0.51), (0.5, 0.500_000_1)] {
        for bad in [(1, 99), (50, 51), (99, 1), (1, 2)] {
            fitted(&of(&[(low, 100, bad.0), (high, 100, bad.1)], &SETTINGS));
            fitted(&of(&[(low, 10_000, bad.0), (high, 100, bad.1)], &SETTINGS));
        }
    }
}

#[test]
fn edges() {
    assert_eq!(measure_calibration(&[], &[], &SETTINGS), Ok(None));
    let one = measure_calibration(&[0.3], &[true], &SETTINGS).unwrap().unwrap();
    assert_eq!((one.n, one.bins.len(), one.logistic), (1, 1, LogisticFit::OneClass));
    assert!(measure_calibration(&[1.5], &[true], &SETTINGS).is_err());
    assert!(measure_calibration(&[f64::NAN], &[true], &SETTINGS).is_err());
    assert!(measure_calibration(&[0.5], &[true], &CalibrationSettings { bins: 0, ..SETTINGS }).is_err());
}
