//! Whether a metric means the same over time.

use serde::Serialize;

use super::auc;
use super::binning::Binning;
use super::counting::Count;
use super::input::{Sample, Values};
use crate::portfolio::statistics::stability::{Smoothing, stability_by_weight};

/// A metric over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// The population stability index of the later half of time against the earlier one.
    pub psi: f64,
    /// The index of each month against all rows.
    pub psi_by_month: Vec<(i32, f64)>,
    /// AUC of the binned metric in the earlier and the later half, 0.5 where an outcome is missing.
    pub auc_by_half: [f64; 2],
    /// Whether the trend is reversed in a half, beyond chance.
    pub is_reversed: bool,
}

/// The population stability index of two groups by the weight of each bin, with half a row added to every bin: see
/// [`crate::portfolio::statistics::stability`]. 0 if a group is empty, which says nothing about how it moved.
pub fn psi_of_bin_weights(now: &[f64], before: &[f64]) -> f64 {
    stability_by_weight(before, now, Smoothing::HALF).ok().flatten().unwrap_or(0.0)
}

/// The months of rows, and the place of the first month of the later half of time.
pub(super) struct Halves {
    /// Each row, and the place of its month.
    rows: Vec<(u32, usize)>,
    months: Vec<i32>,
    middle: usize,
}

/// The first month of the later half of time, of the month of each row: halves are whole months, with as near as
/// possible as many rows each. `None` if all rows are of one month.
pub fn first_month_of_later_half(months: &[i32]) -> Option<i32> {
    let mut ordered = months.to_vec();
    ordered.sort_unstable();
    let mut firsts: Vec<usize> = (1..ordered.len()).filter(|row| ordered[row - 1] < ordered[*row]).collect();
    firsts.sort_by_key(|before| (ordered.len().abs_diff(2 * before), *before));
    firsts.first().map(|row| ordered[*row])
}

/// Halves of whole months. `None` if all rows are of one month, or none has one.
pub(super) fn split_by_half_time(sample: &Sample, rows: &[u32]) -> Option<Halves> {
    let rows: Vec<(u32, i32)> = rows.iter().filter_map(|row| Some((*row, sample.month(*row)?))).collect();
    let mut months: Vec<i32> = rows.iter().map(|(_, month)| *month).collect();
    let later = first_month_of_later_half(&months)?;
    months.sort_unstable();
    months.dedup();
    let place = |month: i32| months.partition_point(|before| *before < month);
    let rows = rows.iter().map(|(row, month)| (*row, place(*month))).collect();
    Some(Halves { rows, middle: place(later), months })
}

/// A binned metric over time. Small months are noisy: the index of a month is shown, not judged.
pub(super) fn over_time(
    sample: &Sample,
    values: &Values,
    binning: &Binning,
    halves: &Halves,
    reversal_errors: f64,
) -> Stability {
    let (size, months) = (binning.bins.len(), halves.months.len());
    let mut by_month = vec![0.0; size * months];
    let mut by_half = [vec![0.0; size], vec![0.0; size]];
    let mut counts = [vec![Count::default(); size], vec![Count::default(); size]];
    for (row, place) in &halves.rows {
        let bin = binning.place(values, *row);
        let half = usize::from(*place >= halves.middle);
        let weight = sample.weight(*row);
        by_month[place * size + bin] += weight;
        by_half[half][bin] += weight;
        counts[half][bin].add(sample.is_bad(*row), weight);
    }
    let whole: Vec<f64> = (0..size).map(|bin| by_half[0][bin] + by_half[1][bin]).collect();
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|a, b| binning.bins[*a].value.total_cmp(&binning.bins[*b].value));
    let runs = |half: usize| -> Vec<Count> {
        let equal = order.chunk_by(|a, b| binning.bins[*a].value == binning.bins[*b].value);
        equal.map(|run| run.iter().fold(Count::default(), |sum, bin| sum.and(counts[half][*bin]))).collect()
    };
    let aucs = [0, 1].map(|half| auc::of_runs(&runs(half)));
    let reversed = |auc: &auc::Auc| auc.auc < 0.5 - reversal_errors * auc.standard_error;
    Stability {
        psi: psi_of_bin_weights(&by_half[1], &by_half[0]),
        psi_by_month: halves
            .months
            .iter()
            .enumerate()
            .map(|(place, month)| (*month, psi_of_bin_weights(&by_month[place * size..][..size], &whole)))
            .collect(),
        auc_by_half: [0, 1].map(|half: usize| aucs[half].map_or(0.5, |found| found.auc)),
        is_reversed: aucs.iter().flatten().any(reversed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portfolio::statistics::stability::population_stability;

    #[test]
    fn halves_are_as_even_as_months_allow() {
        // 18 months of which the tenth is large: the boundary after it is farther from the middle.
        let months: Vec<i32> = (0..18).flat_map(|month| vec![month; if month == 9 { 14 } else { 10 }]).collect();
        let halves = |months: &[i32]| {
            let month = Some(months.iter().copied().map(Some).collect());
            let sample = Sample { bad: vec![false; months.len()], month, ..Sample::default() };
            split_by_half_time(&sample, &sample.rows()).map(|found| found.middle)
        };
        assert_eq!(halves(&months), Some(9));
        // The middle row is in the second month, and most rows are in it.
        assert_eq!(halves(&[0, 1, 1, 1, 1, 1, 2]), Some(1));
        assert_eq!(halves(&[0, 0, 0, 1, 1, 2]), Some(1));
        // The row in the middle is of the second month, which would leave 1 row to the earlier half.
        assert_eq!(halves(&[0, 1, 1, 1, 2, 2]), Some(2));
        assert_eq!(halves(&[4, 4]), None);
        assert_eq!(halves(&[]), None);
    }

    #[test]
    fn psi_by_hand() {
        // 9 and 30 of 39 rows, with half a row in both bins: 9.5 and 30.5 of 40. Before: 19.5 and 20.5 of 40.
        let found = psi_of_bin_weights(&[9.0, 30.0], &[19.0, 20.0]);
        let (p, q) = ([9.5 / 40.0, 30.5 / 40.0], [19.5 / 40.0, 20.5 / 40.0]);
        let wanted: f64 = (0..2).map(|bin| (p[bin] - q[bin]) * libm::log(p[bin] / q[bin])).sum();
        assert!((found - wanted).abs() < 1e-15);
        assert_eq!(psi_of_bin_weights(&[5.0, 5.0], &[5.0, 5.0]), 0.0);
        assert!(psi_of_bin_weights(&[0.0, 10.0], &[10.0, 0.0]).is_finite());
        // The same as of counts, and nothing of an empty group.
        let counts = population_stability(&[19, 20], &[9, 30], Smoothing::HALF).expect("cells").expect("rows");
        assert_eq!(found, counts.value);
        assert_eq!(psi_of_bin_weights(&[0.0, 0.0], &[1.0, 2.0]), 0.0);
    }
}
