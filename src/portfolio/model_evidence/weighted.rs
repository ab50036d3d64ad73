//! Gains and calibration of rows that have weights. Numbers of rows are those of the sample; shares and rates count by
//! weight.

use crate::portfolio::learning::{MeasuredRows, calibrate_weighted_rows};
use crate::portfolio::statistics::Level;
use crate::portfolio::statistics::calibration::{Calibration, CalibrationBin, LogisticFit};
use crate::portfolio::statistics::discrimination::GainBand;
use crate::portfolio::statistics::intervals::wilson_interval_of_rate;

/// Into how many bands rows are parted.
const BANDS: usize = 10;

/// Rows of one band.
#[derive(Default)]
struct Band {
    number: usize,
    rows: Vec<usize>,
}

/// Rows in bands of like weight, the least value first. Rows with one value are never parted: the middle of their
/// weight chooses the band.
fn part_into_bands(values: &[f64], measured: &MeasuredRows) -> Vec<Band> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]).then(a.cmp(b)));
    let total: f64 = order.iter().map(|row| measured.weight(*row)).sum();
    let (mut bands, mut below): (Vec<Band>, f64) = (Vec::new(), 0.0);
    for run in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let weight: f64 = run.iter().map(|row| measured.weight(*row)).sum();
        let middle = (below + weight / 2.0) / total;
        let number = ((middle * BANDS as f64) as usize).min(BANDS - 1);
        below += weight;
        match bands.last_mut() {
            Some(band) if band.number == number => band.rows.extend(run),
            _ => bands.push(Band { number, rows: run.to_vec() }),
        }
    }
    bands
}

/// The weight of all rows, and of the bad ones.
fn weigh(rows: &[usize], measured: &MeasuredRows) -> (f64, f64) {
    let of = |wanted: &dyn Fn(usize) -> bool| -> f64 {
        rows.iter().filter(|row| wanted(**row)).map(|row| measured.weight(*row)).sum()
    };
    (of(&|_| true), of(&|row| measured.bad[row]))
}

fn count_bads(rows: &[usize], measured: &MeasuredRows) -> u64 {
    rows.iter().filter(|row| measured.bad[**row]).count() as u64
}

/// The gain table of scores, from the worst.
pub(super) fn weighted_gain_table(scores: &[f64], measured: &MeasuredRows) -> Vec<GainBand> {
    let all: Vec<usize> = (0..scores.len()).collect();
    let (total, total_bad) = weigh(&all, measured);
    let total_good = total - total_bad;
    if total_bad <= 0.0 || total_good <= 0.0 {
        return Vec::new();
    }
    let (mut weight_so_far, mut bad_so_far) = (0.0, 0.0);
    let one = |band: Band| {
        let (weight, bad) = weigh(&band.rows, measured);
        (weight_so_far, bad_so_far) = (weight_so_far + weight, bad_so_far + bad);
        let value = |row: Option<&usize>| row.map_or(f64::NAN, |row| scores[*row]);
        let (bad_share, good_share) = (bad_so_far / total_bad, (weight_so_far - bad_so_far) / total_good);
        GainBand {
            band: band.number + 1,
            low: value(band.rows.first()),
            high: value(band.rows.last()),
            n: band.rows.len() as u64,
            bad: count_bads(&band.rows, measured),
            bad_rate: bad / weight,
            cumulative_bad_share: Some(bad_share),
            lift: Some(bad / weight / (total_bad / total)),
            cumulative_lift: Some(bad_so_far / weight_so_far / (total_bad / total)),
            ks: Some(bad_share - good_share),
        }
    };
    part_into_bands(scores, measured).into_iter().map(one).collect()
}

/// What chances say, and what came by weight. Intervals are Wilson's with the effective number of rows of Kish (1965),
/// `(sum of weights)^2 / sum of their squares`. The Hosmer-Lemeshow test is not made: it counts rows.
pub(super) fn weighted_calibration(chances: &[f64], log_odds: &[f64], measured: &MeasuredRows) -> Option<Calibration> {
    let level = Level::NINETY_FIVE;
    let bin = |band: Band| {
        let (weight, bad) = weigh(&band.rows, measured);
        let squares: f64 = band.rows.iter().map(|row| measured.weight(*row) * measured.weight(*row)).sum();
        let said: f64 = band.rows.iter().map(|row| measured.weight(*row) * chances[*row]).sum();
        let bin = CalibrationBin {
            bin: band.number + 1,
            low: chances[*band.rows.first()?],
            high: chances[*band.rows.last()?],
            n: band.rows.len() as u64,
            bad: count_bads(&band.rows, measured),
            mean_predicted: said / weight,
            observed: bad / weight,
            interval: wilson_interval_of_rate(bad / weight, weight * weight / squares, level)?,
        };
        Some((weight, bin))
    };
    let bins: Vec<(f64, CalibrationBin)> = part_into_bands(chances, measured).into_iter().filter_map(bin).collect();
    let total: f64 = bins.iter().map(|(weight, _)| weight).sum();
    let errors = bins.iter().map(|(weight, bin)| weight * (bin.mean_predicted - bin.observed).abs());
    let outcome = |row: usize| f64::from(u8::from(measured.bad[row]));
    Some(Calibration {
        n: measured.bad.len() as u64,
        bad: measured.bad.iter().filter(|bad| **bad).count() as u64,
        mean_predicted: measured.mean_of(|row| chances[row]),
        bad_rate: measured.bad_rate(),
        brier: measured.mean_of(|row| (chances[row] - outcome(row)) * (chances[row] - outcome(row))),
        expected_calibration_error: errors.sum::<f64>() / total,
        level,
        bins: bins.into_iter().map(|(_, bin)| bin).collect(),
        hosmer_lemeshow: None,
        logistic: calibrate_weighted_rows(log_odds, measured).map_or(LogisticFit::NotConverged, LogisticFit::Fitted),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portfolio::statistics::calibration::{CalibrationSettings, Sample, measure_calibration};
    use crate::portfolio::statistics::discrimination::Scored;

    /// Rows of weight 1 have the figures of rows without weights.
    #[test]
    fn weights_of_one_change_nothing() {
        let log_odds: Vec<f64> = (0..400).map(|row| f64::from((row * 37) % 101) / 25.0 - 1.0).collect();
        let chances: Vec<f64> = log_odds.iter().map(|x| 1.0 / (1.0 + libm::exp(*x))).collect();
        let bad: Vec<bool> = (0..400).map(|row| (row * 53) % 97 < 30 + (row % 7)).collect();
        let measured = MeasuredRows { bad: bad.clone(), weights: vec![1.0; 400], customers: Vec::new() };
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let plain = Scored::new(&log_odds, &bad).expect("scores").gain_table(10).expect("bands");
        let found = weighted_gain_table(&log_odds, &measured);
        assert_eq!(found.len(), plain.len());
        for (a, b) in found.iter().zip(&plain) {
            assert_eq!((a.band, a.n, a.bad), (b.band, b.n, b.bad));
            assert!(near(a.lift.expect("a lift"), b.lift.expect("a lift")) && near(a.bad_rate, b.bad_rate));
            assert!(near(a.ks.expect("a distance"), b.ks.expect("a distance")));
        }
        let settings = CalibrationSettings { bins: 10, level: Level::NINETY_FIVE, sample: Sample::Validation };
        let plain = measure_calibration(&chances, &bad, &settings).expect("chances").expect("rows");
        let found = weighted_calibration(&chances, &log_odds, &measured).expect("rows");
        assert!(near(found.brier, plain.brier) && near(found.bad_rate, plain.bad_rate));
        assert!(near(found.expected_calibration_error, plain.expected_calibration_error));
        for (a, b) in found.bins.iter().zip(&plain.bins) {
            assert!(a.n == b.n && near(a.observed, b.observed) && near(a.interval.low, b.interval.low), "{a:?} {b:?}");
        }
        let (LogisticFit::Fitted(a), LogisticFit::Fitted(b)) = (found.logistic, plain.logistic) else {
            panic!("both are fitted")
        };
        assert!(near(a.slope, b.slope) && near(a.intercept, b.intercept) && near(a.in_the_large, b.in_the_large));
    }
}
