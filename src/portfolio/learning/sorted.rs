//! The known numbers of a metric in order, and what follows from the order alone: runs of equal values, AUC, prebins.

use super::counting::Count;
use super::input::Sample;

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

/// The known numbers of a column in order.
pub struct ValueOrder {
    /// Each number that occurs, from the least.
    values: Vec<f64>,
    /// The place of each row's number among them; beyond all of them if it is unknown.
    places: Vec<u32>,
}

impl ValueOrder {
    pub fn new(numbers: &[Option<f64>]) -> Self {
        let known = numbers.iter().zip(0_u32..).filter_map(|(number, row)| {
            let number = number.filter(|number| number.is_finite())?;
            Some((order_preserving_bits(number), row))
        });
        let mut sorted: Vec<(u64, u32)> = known.collect();
        sorted.sort_unstable();
        let (mut values, mut places) = (Vec::new(), vec![u32::MAX; numbers.len()]);
        for run in sorted.chunk_by(|a, b| a.0 == b.0) {
            run.iter().for_each(|(_, row)| places[*row as usize] = values.len() as u32);
            values.extend(run.first().map(|(bits, _)| number_of_ordered_bits(*bits)));
        }
        ValueOrder { values, places }
    }

    /// The runs of equal numbers among some rows, from the least.
    pub fn runs_among_rows(&self, sample: &Sample, rows: &[u32]) -> Vec<Run> {
        let mut counts = vec![Count::default(); self.values.len()];
        for row in rows {
            let place = self.places.get(*row as usize).copied().unwrap_or(u32::MAX);
            if let Some(count) = counts.get_mut(place as usize) {
                count.add(sample.is_bad(*row), sample.weight(*row));
            }
        }
        let run = |(value, count): (&f64, Count)| (count.rows() > 0).then_some(Run { value: *value, count });
        self.values.iter().zip(counts).filter_map(run).collect()
    }
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
    if !all.is_unweighted() {
        let (mut wins, mut bads) = (0.0, 0.0);
        for count in runs {
            wins += count.good_weight * (bads + count.bad_weight / 2.0);
            bads += count.bad_weight;
        }
        let pairs = all.bad_weight * all.good_weight;
        return if pairs > 0.0 { wins / pairs } else { 0.5 };
    }
    let (mut wins, mut bads) = (0_u128, 0_u128);
    for count in runs {
        wins += u128::from(count.goods) * (2 * bads + u128::from(count.bads));
        bads += u128::from(count.bads);
    }
    let pairs = 2 * u128::from(all.bads) * u128::from(all.goods);
    if pairs == 0 { 0.5 } else { wins as f64 / pairs as f64 }
}

/// The standard error of AUC if values say nothing, of runs of equal values. Ties make it smaller: with `n` rows and
/// `t` of them in a run, it is `sqrt((n + 1 - sum(t^3 - t) / (n (n - 1))) / (12 * bads * goods))`, the variance of Mann
/// and Whitney (1947) corrected for ties (Lehmann 1975). Infinite if an outcome is missing.
pub fn error_of_auc_by_chance(runs: &[Count]) -> f64 {
    let all = runs.iter().fold(Count::default(), |sum, count| sum.and(*count));
    let rows = all.rows() as f64;
    let tied: f64 = runs.iter().map(|run| run.rows() as f64).map(|tied| tied * (tied * tied - 1.0)).sum();
    let rest = rows + 1.0 - tied / (rows * (rows - 1.0)).max(1.0);
    match all.bads > 0 && all.goods > 0 {
        true => (rest.max(0.0) / (12.0 * all.bads as f64 * all.goods as f64)).sqrt(),
        false => f64::INFINITY,
    }
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

    fn runs(values: &[f64], bads: &[usize]) -> Vec<Run> {
        let bad = (0..values.len()).map(|row| bads.contains(&row)).collect();
        let rows: Vec<u32> = (0..values.len() as u32).collect();
        let numbers: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        ValueOrder::new(&numbers).runs_among_rows(&Sample { bad, ..Sample::default() }, &rows)
    }

    #[test]
    fn order_is_that_of_numbers() {
        let found = runs(&[2.0, -1.0, 0.0, -0.0, f64::NAN, -1.5e300, 1e-310], &[1]);
        let found: Vec<f64> = found.iter().map(|run| run.value).collect();
        assert_eq!(found, [-1.5e300, -1.0, 0.0, 1e-310, 2.0]);
    }

    #[test]
    fn ties_stay_together() {
        let values: Vec<f64> = (0..100).map(|row| if row < 60 { 0.0 } else { f64::from(row) }).collect();
        let found = prebins_by_quantile(&runs(&values, &[3]), 10);
        let rows: Vec<u64> = found.iter().map(|bin| bin.count.rows()).collect();
        assert_eq!(rows, [60, 10, 10, 10, 10]);
        assert_eq!((found[0].high, found[1].low), (0.0, 60.0));
    }

    #[test]
    fn auc_by_hand() {
        let found = auc_of_sorted_runs(runs(&[1.0, 3.0, 2.0, 3.0, 4.0], &[0, 1]).iter().map(|run| run.count));
        assert!((found - 4.5 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn ties_shrink_the_error_by_chance() {
        // Without ties: (5 + 1) / (12 * 2 * 3).
        let apart = [Count::of(1, 0), Count::of(0, 1), Count::of(1, 0), Count::of(0, 1), Count::of(0, 1)];
        assert!((error_of_auc_by_chance(&apart) - (6.0_f64 / 72.0).sqrt()).abs() < 1e-15);
        // Two runs of 2 and 8 rows: (11 - (6 + 504) / 90) / (12 * 3 * 7).
        let tied = [Count::of(2, 0), Count::of(1, 7)];
        assert!((error_of_auc_by_chance(&tied) - ((11.0 - 510.0 / 90.0) / 252.0_f64).sqrt()).abs() < 1e-15);
        // All rows are equal, so that nothing can be by chance.
        assert_eq!(error_of_auc_by_chance(&[Count::of(3, 7)]), 0.0);
    }
}
