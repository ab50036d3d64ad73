//! The known numbers of a metric in order, and what follows from the order alone: runs of equal values, AUC, prebins.

use super::input::{Sample, Values};
use super::optimum::Count;

/// Rows of one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The value.
    pub value: f64,
    /// Its rows.
    pub count: Count,
}

/// Neighbouring values, all rows of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prebin {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// Its rows.
    pub count: Count,
}

/// The runs of known numbers, from the least.
pub fn runs_of_equal_values(sample: &Sample, values: &Values, rows: &[u32]) -> Vec<Run> {
    let mut keys = [Vec::new(), Vec::with_capacity(rows.len())];
    for row in rows {
        if let Some(value) = values.number(*row) {
            keys[usize::from(!sample.is_bad(*row))].push(order_preserving_bits(value));
        }
    }
    keys.iter_mut().for_each(|keys| keys.sort_unstable());
    let [bads, goods] = keys;
    let (mut bads, mut goods) = (bads.into_iter().peekable(), goods.into_iter().peekable());
    let mut runs = Vec::new();
    while let Some(key) = bads.peek().into_iter().chain(goods.peek()).min().copied() {
        let mut count = Count::default();
        while bads.next_if_eq(&key).is_some() {
            count.bads += 1;
        }
        while goods.next_if_eq(&key).is_some() {
            count.goods += 1;
        }
        runs.push(Run { value: number_of_ordered_bits(key), count });
    }
    runs
}

/// A number as an integer of the same order.
fn order_preserving_bits(value: f64) -> u64 {
    // 0 and -0 are one value.
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn number_of_ordered_bits(ordered: u64) -> f64 {
    f64::from_bits(if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered })
}

/// How often a bad row has the lower value than a good one, equals counted half; 0.5 if an outcome is missing.
pub fn auc_of_sorted_runs(runs: impl Iterator<Item = Count> + Clone) -> f64 {
    let all = runs.clone().fold(Count::default(), |sum, count| sum.and(count));
    let (mut wins, mut bads) = (0_u128, 0_u128);
    for count in runs {
        wins += u128::from(count.goods) * (2 * bads + u128::from(count.bads));
        bads += u128::from(count.bads);
    }
    let pairs = 2 * u128::from(all.bads) * u128::from(all.goods);
    if pairs == 0 { 0.5 } else { wins as f64 / pairs as f64 }
}

/// Parts runs at the quantiles `1/parts, 2/parts, ...`. Equal values stay together, and a value of at least one part's
/// size is a prebin of its own.
pub fn prebins_by_quantile(runs: &[Run], parts: usize) -> Vec<Prebin> {
    let even: Vec<f64> = (1..parts).map(|part| part as f64 / parts as f64).collect();
    let total: u64 = runs.iter().map(|run| run.count.rows()).sum();
    let size = total as f64 / parts as f64;
    part_runs_at_quantiles(runs, &even, |run| run.count.rows() as f64 >= size)
}

/// Parts runs before the value at each of some quantiles, and around those that stand alone.
pub fn part_runs_at_quantiles(runs: &[Run], quantiles: &[f64], alone: impl Fn(&Run) -> bool) -> Vec<Prebin> {
    let total: u64 = runs.iter().map(|run| run.count.rows()).sum();
    let mut cuts = quantiles.iter().map(|quantile| (quantile * total as f64).floor() as u64).peekable();
    let mut bins: Vec<Prebin> = Vec::new();
    let (mut seen, mut was_alone) = (0_u64, false);
    for run in runs {
        let after = seen + run.count.rows();
        // A quantile falls on this value: it begins a bin.
        let mut begins = false;
        while cuts.next_if(|cut| *cut < after).is_some() {
            begins = true;
        }
        let is_alone = alone(run);
        match bins.last_mut().filter(|_| !(begins || is_alone || was_alone)) {
            Some(bin) => *bin = Prebin { low: bin.low, high: run.value, count: bin.count.and(run.count) },
            None => bins.push(Prebin { low: run.value, high: run.value, count: run.count }),
        }
        (seen, was_alone) = (after, is_alone);
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64], bads: &[usize]) -> (Sample, Values, Vec<u32>) {
        let bad = (0..values.len()).map(|row| bads.contains(&row)).collect();
        let rows = (0..values.len() as u32).collect();
        (Sample { bad, ..Sample::default() }, Values::Number(values.iter().copied().map(Some).collect()), rows)
    }

    #[test]
    fn order_is_that_of_numbers() {
        let (sample, values, rows) = sample(&[2.0, -1.0, 0.0, -0.0, f64::NAN, -1.5e300, 1e-310], &[1]);
        let found: Vec<f64> = runs_of_equal_values(&sample, &values, &rows).iter().map(|run| run.value).collect();
        assert_eq!(found, [-1.5e300, -1.0, 0.0, 1e-310, 2.0]);
    }

    #[test]
    fn ties_stay_together() {
        let values: Vec<f64> = (0..100).map(|row| if row < 60 { 0.0 } else { f64::from(row) }).collect();
        let (sample, values, rows) = sample(&values, &[3]);
        let found = prebins_by_quantile(&runs_of_equal_values(&sample, &values, &rows), 10);
        let rows: Vec<u64> = found.iter().map(|bin| bin.count.rows()).collect();
        assert_eq!(rows, [60, 10, 10, 10, 10]);
        assert_eq!((found[0].high, found[1].low), (0.0, 60.0));
    }

    #[test]
    fn auc_by_hand() {
        let (sample, values, rows) = sample(&[1.0, 3.0, 2.0, 3.0, 4.0], &[0, 1]);
        let found = auc_of_sorted_runs(runs_of_equal_values(&sample, &values, &rows).iter().map(|run| run.count));
        assert!((found - 4.5 / 6.0).abs() < 1e-15);
    }
}
