//! A proposal compared with the score in force, on the same rows, and on rows of later time.

use serde::Serialize;

use super::auc::{Auc, MeasuredRows};
use super::input::Sample;
use super::stability::psi_of_bin_weights;
use crate::portfolio::statistics::Level;
use crate::portfolio::statistics::discrimination::delong_test;
use crate::portfolio::statistics::stability::{QuantileBins, STABILITY_BINS};

/// Two scores of the same rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BesidePresent {
    /// Rows on which the score in force is known.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// AUC of the proposal there.
    pub proposal: f64,
    /// AUC of the score in force.
    pub present: f64,
    /// The first less the second.
    pub difference: f64,
    /// The lower end of its 95% interval, by DeLong's test of two scores of the same rows.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What whole points are worth on rows of later time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaterTest {
    /// Rows.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// The first and the last month, as [`Sample`] has them.
    pub months: Option<(i32, i32)>,
    /// AUC. `None` if an outcome is missing.
    pub auc: Option<Auc>,
    /// The statistic of Kolmogorov and Smirnov.
    pub ks: Option<f64>,
    /// The bad rate that the log-odds say.
    pub said_bad_rate: f64,
    /// The bad rate, by weight.
    pub bad_rate: f64,
    /// The population stability index of scores against the rows learned from, in tenths of these.
    pub psi: f64,
    /// The comparison with the score in force.
    pub beside_present: Option<BesidePresent>,
}

/// Compares scores of some rows with the score in force. `None` where that is unknown, or an outcome is missing.
pub(super) fn compare_with_present(sample: &Sample, rows: &[u32], scores: &[f64]) -> Option<BesidePresent> {
    let known = || rows.iter().zip(scores).filter_map(|(row, score)| Some((*row, *score, sample.present(*row)?)));
    let (scores, present): (Vec<f64>, Vec<f64>) = known().map(|(_, score, present)| (score, present)).unzip();
    let rows: Vec<u32> = known().map(|(row, ..)| row).collect();
    let measured = MeasuredRows::of_sample(sample, &rows);
    let bad = &measured.bad;
    if !measured.is_plain() {
        let (difference, error) = measured.difference(&scores, &present)?;
        let reach = Level::NINETY_FIVE.z() * error;
        return Some(BesidePresent {
            rows: bad.len() as u64,
            bads: bad.iter().filter(|bad| **bad).count() as u64,
            proposal: measured.auc(&scores)?.auc,
            present: measured.auc(&present)?.auc,
            difference,
            low: difference - reach,
            high: difference + reach,
        });
    }
    let found = delong_test(&scores, &present, bad, Level::NINETY_FIVE).ok()??;
    Some(BesidePresent {
        rows: bad.len() as u64,
        bads: bad.iter().filter(|bad| **bad).count() as u64,
        proposal: found.first_auc,
        present: found.second_auc,
        difference: found.difference,
        low: found.interval.low,
        high: found.interval.high,
    })
}

/// Scores of rows with the chance to go bad that they mean.
pub(super) struct ScoredRows {
    pub rows: Vec<u32>,
    pub scores: Vec<f64>,
    pub chances: Vec<f64>,
}

/// What scores are worth on rows of later time. `None` without such rows. The earlier rows are those learned from.
pub(super) fn test_on_later_rows(
    sample: &Sample,
    (rows, scores): (&[u32], &[f64]),
    later: &ScoredRows,
) -> Option<LaterTest> {
    let measured = MeasuredRows::of_sample(sample, &later.rows);
    let bad = &measured.bad;
    let months = later.rows.iter().filter_map(|row| sample.month(*row));
    let auc = measured.auc(&later.scores);
    let count = (!bad.is_empty()).then_some(bad.len())?;
    Some(LaterTest {
        rows: count as u64,
        bads: bad.iter().filter(|bad| **bad).count() as u64,
        months: months.clone().min().zip(months.max()),
        ks: auc.map(|_| measured.separation(&later.scores)),
        auc,
        said_bad_rate: measured.mean_of(|row| later.chances[row]),
        bad_rate: measured.bad_rate(),
        psi: psi_in_tenths(&with_weights(sample, rows, scores), &with_weights(sample, &later.rows, &later.scores)),
        beside_present: compare_with_present(sample, &later.rows, &later.scores),
    })
}

/// A score, and what its row weighs.
type WeightedScore = (f64, f64);

fn with_weights(sample: &Sample, rows: &[u32], scores: &[f64]) -> Vec<WeightedScore> {
    rows.iter().zip(scores).map(|(row, score)| (*score, sample.weight(*row))).collect()
}

/// The index of scores against earlier ones, in tenths of the earlier rows: the bins of `backtest --since`.
fn psi_in_tenths(earlier: &[WeightedScore], later: &[WeightedScore]) -> f64 {
    let known: Vec<Option<f64>> = earlier.iter().map(|(score, _)| Some(*score)).collect();
    let Ok(bins) = QuantileBins::new(&known, STABILITY_BINS) else { return 0.0 };
    let weigh = |scores: &[WeightedScore]| {
        let mut weights = vec![0.0; bins.cells()];
        scores.iter().for_each(|(score, weight)| weights[bins.cell_of(Some(*score))] += weight);
        weights
    };
    psi_of_bin_weights(&weigh(later), &weigh(earlier))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portfolio::statistics::stability::{Smoothing, population_stability};

    /// Large ties: bins that end at the values of quantiles would be others.
    #[test]
    fn the_index_of_scores_is_that_of_a_backtest() {
        let earlier: Vec<f64> = (0..400).map(|row| f64::from((row * row) % 37 / 3 * 11)).collect();
        let later: Vec<f64> = (0..300).map(|row| f64::from((row * row) % 41 / 3 * 11)).collect();
        let known = |scores: &[f64]| scores.iter().copied().map(Some).collect::<Vec<_>>();
        let bins = QuantileBins::new(&known(&earlier), 10).expect("bins");
        let count = |scores: &[f64]| bins.count(&known(scores)).expect("counts");
        let wanted = population_stability(&count(&earlier), &count(&later), Smoothing::HALF);
        let plain = |scores: &[f64]| scores.iter().map(|score| (*score, 1.0)).collect::<Vec<WeightedScore>>();
        let found = psi_in_tenths(&plain(&earlier), &plain(&later));
        assert_eq!(found, wanted.expect("an index").expect("two periods").value);
        assert!(found > 0.0);
        // Rows that are there twice, with half the weight, are the rows.
        let twice: Vec<WeightedScore> = [plain(&later), plain(&later)].concat();
        let halved: Vec<WeightedScore> = twice.iter().map(|(score, _)| (*score, 0.5)).collect();
        assert_eq!(psi_in_tenths(&plain(&earlier), &halved), found);
    }
}
