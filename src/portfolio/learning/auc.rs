//! AUC and its interval, as far as learning needs them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::counting::Count;
use super::input::Sample;
use crate::portfolio::statistics::Level;

/// How often a bad one has the lower score than a good one, equals counted half, with a 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Auc {
    /// The area under the curve: 0.5 is chance.
    pub auc: f64,
    /// Its standard error, by DeLong, DeLong and Clarke-Pearson (1988).
    pub standard_error: f64,
    /// The lower end of the 95% interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// AUC with DeLong's interval, by midranks (Sun and Xu 2014). A higher score is better. `None` if an outcome is
/// missing.
pub fn auc_with_interval(scores: &[f64], bad: &[bool]) -> Option<Auc> {
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(bad.iter().copied()).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let count = |run: &[(f64, bool)]| {
        let mut count = Count::default();
        run.iter().for_each(|(_, is_bad)| count.add(*is_bad, 1.0));
        count
    };
    of_runs(&order.chunk_by(|a, b| a.0 == b.0).map(count).collect::<Vec<Count>>())
}

/// The same of rows counted by score, from the worst. With weights, the interval is as if there were as many rows that
/// weigh the same.
pub fn of_runs(runs: &[Count]) -> Option<Auc> {
    let all = runs.iter().fold(Count::default(), |sum, count| sum.and(*count));
    let (bads, goods) = (all.bad_weight, all.good_weight);
    if all.bads == 0 || all.goods == 0 {
        return None;
    }
    // Of each bad one the share of goods above it, of each good one the share of bads below it.
    let (mut of_bads, mut of_goods) = (Vec::new(), Vec::new());
    let mut below = Count::default();
    for run in runs {
        let above = goods - below.good_weight - run.good_weight;
        of_bads.push(((above + run.good_weight / 2.0) / goods, run.bad_weight));
        of_goods.push(((below.bad_weight + run.bad_weight / 2.0) / bads, run.good_weight));
        below = below.and(*run);
    }
    let auc = weighted_mean(&of_bads, bads);
    let (rows_bad, rows_good) = (all.bads as f64, all.goods as f64);
    let variance = sample_variance(&of_bads, auc, bads, rows_bad) / rows_bad
        + sample_variance(&of_goods, auc, goods, rows_good) / rows_good;
    Some(auc_with_error(auc, variance.max(0.0).sqrt()))
}

fn auc_with_error(auc: f64, error: f64) -> Auc {
    let reach = Level::NINETY_FIVE.z() * error;
    Auc { auc, standard_error: error, low: (auc - reach).max(0.0), high: (auc + reach).min(1.0) }
}

fn weighted_mean(parts: &[(f64, f64)], count: f64) -> f64 {
    parts.iter().map(|(value, times)| value * times).sum::<f64>() / count
}

/// The sample variance of so many rows of some weight; 0 of a single one.
fn sample_variance(parts: &[(f64, f64)], mean: f64, weight: f64, count: f64) -> f64 {
    let squares: f64 = parts.iter().map(|(value, times)| (value - mean) * (value - mean) * times).sum();
    if count > 1.0 { squares * (count / weight) / (count - 1.0) } else { 0.0 }
}

/// Rows that are measured: their outcomes, their weights and their customers.
#[derive(Clone, Debug, Default)]
pub struct MeasuredRows {
    /// Whether each went bad.
    pub bad: Vec<bool>,
    /// What each weighs; empty: every row weighs 1.
    pub weights: Vec<f64>,
    /// The customer of each; empty: each is a customer of its own.
    pub customers: Vec<u64>,
}

impl MeasuredRows {
    /// Some rows of a sample.
    pub fn of_sample(sample: &Sample, rows: &[u32]) -> Self {
        MeasuredRows {
            bad: rows.iter().map(|row| sample.is_bad(*row)).collect(),
            weights: sample.weights_of(rows),
            customers: sample.customers_of(rows),
        }
    }

    /// Whether every row counts 1, and is a customer of its own.
    pub fn is_plain(&self) -> bool {
        self.weights.is_empty() && self.customers.is_empty()
    }

    /// What a row weighs.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// The share of bad rows, by weight; 0 of none.
    pub fn bad_rate(&self) -> f64 {
        self.mean_of(|row| f64::from(u8::from(self.bad[row])))
    }

    /// The weighted mean of a value of each row; 0 of none.
    pub fn mean_of(&self, value: impl Fn(usize) -> f64) -> f64 {
        let rows = 0..self.bad.len();
        let total: f64 = rows.clone().map(|row| self.weight(row)).sum();
        let sum: f64 = rows.map(|row| self.weight(row) * value(row)).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// AUC of scores, higher is better. Of plain rows it is DeLong's. With weights, a pair counts by the product of
    /// both; where a customer has several rows, the interval is that of Obuchowski (1997), by customer.
    pub fn auc(&self, scores: &[f64]) -> Option<Auc> {
        if self.is_plain() {
            return auc_with_interval(scores, &self.bad);
        }
        let (auc, influence) = self.influence(scores)?;
        Some(auc_with_error(auc, self.variance_of(&influence).max(0.0).sqrt()))
    }

    /// AUC of one score less that of another on the same rows, with its standard error.
    pub fn difference(&self, first: &[f64], second: &[f64]) -> Option<(f64, f64)> {
        let ((first, of_first), (second, of_second)) = (self.influence(first)?, self.influence(second)?);
        let influence: Vec<f64> = of_first.iter().zip(of_second).map(|(a, b)| a - b).collect();
        Some((first - second, self.variance_of(&influence).max(0.0).sqrt()))
    }

    /// AUC, and how much each row moves it: its weight times what it is away from the mean, over the weight of its
    /// outcome.
    fn influence(&self, scores: &[f64]) -> Option<(f64, Vec<f64>)> {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(a.cmp(b)));
        let runs: Vec<&[usize]> = order.chunk_by(|a, b| scores[*a] == scores[*b]).collect();
        let weight_of = |run: &[usize], bad: bool| -> f64 {
            run.iter().filter(|row| self.bad[**row] == bad).map(|row| self.weight(*row)).sum()
        };
        let (bads, goods) = (weight_of(&order, true), weight_of(&order, false));
        if bads <= 0.0 || goods <= 0.0 {
            return None;
        }
        let (mut shares, mut bad_below, mut good_below) = (vec![0.0; scores.len()], 0.0, 0.0);
        for run in runs {
            let (bad, good) = (weight_of(run, true), weight_of(run, false));
            for row in run {
                shares[*row] = match self.bad[*row] {
                    true => (goods - good_below - good / 2.0) / goods,
                    false => (bad_below + bad / 2.0) / bads,
                };
            }
            (bad_below, good_below) = (bad_below + bad, good_below + good);
        }
        let of_bads = order.iter().filter(|row| self.bad[**row]);
        let auc = of_bads.map(|row| self.weight(*row) * shares[*row]).sum::<f64>() / bads;
        let one =
            |(row, share): (usize, &f64)| self.weight(row) * (share - auc) / if self.bad[row] { bads } else { goods };
        Some((auc, shares.iter().enumerate().map(one).collect()))
    }

    /// The variance of a sum of influences: of bad customers, of good ones, and of those who have rows of both. Where
    /// every customer has one row, it is DeLong's.
    fn variance_of(&self, influence: &[f64]) -> f64 {
        let mut sums: BTreeMap<u64, [Option<f64>; 2]> = BTreeMap::new();
        for (row, part) in influence.iter().enumerate() {
            let customer = self.customers.get(row).copied().unwrap_or(row as u64);
            let sum = &mut sums.entry(customer).or_default()[usize::from(self.bad[row])];
            *sum = Some(sum.unwrap_or(0.0) + part);
        }
        let of = |kind: usize| {
            let parts: Vec<f64> = sums.values().filter_map(|both| both[kind]).collect();
            parts.iter().map(|part| part * part).sum::<f64>() * correction_for_few(parts.len())
        };
        let both = sums.values().filter_map(|both| Some(both[0]? * both[1]?)).sum::<f64>();
        of(0) + of(1) + 2.0 * both * correction_for_few(sums.len())
    }

    /// Points of the ROC curve from (0, 0) to (1, 1): the shares of good and of bad rows up to a score, by weight. Of
    /// more points than `most`, those at even steps stay. Empty if an outcome is missing.
    pub fn roc(&self, scores: &[f64], most: usize) -> Vec<[f64; 2]> {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(a.cmp(b)));
        let mut below = Count::default();
        let mut points = vec![below];
        for run in order.chunk_by(|a, b| scores[*a] == scores[*b]) {
            run.iter().for_each(|row| below.add(self.bad[*row], self.weight(*row)));
            points.push(below);
        }
        if below.bads == 0 || below.goods == 0 {
            return Vec::new();
        }
        let last = points.len() - 1;
        let steps = last.min(most.max(2) - 1);
        let point = |step: usize| {
            let count = points[step * last / steps];
            [count.good_weight / below.good_weight, count.bad_weight / below.bad_weight]
        };
        (0..=steps).map(point).collect()
    }

    /// The statistic of Kolmogorov and Smirnov: the largest distance between the shares of bad and of good rows up to a
    /// score, by weight.
    pub fn separation(&self, scores: &[f64]) -> f64 {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
        let sum = |bad: bool| -> f64 {
            (0..scores.len()).filter(|row| self.bad[*row] == bad).map(|row| self.weight(row)).sum()
        };
        let all = [sum(false), sum(true)].map(|sum| if sum > 0.0 { sum } else { 1.0 });
        let (mut below, mut most) = ([0.0; 2], 0.0_f64);
        for run in order.chunk_by(|a, b| scores[*a] == scores[*b]) {
            run.iter().for_each(|row| below[usize::from(self.bad[*row])] += self.weight(*row));
            most = most.max((below[1] / all[1] - below[0] / all[0]).abs());
        }
        most
    }
}

/// `n / (n - 1)`; 0 of a single one, as a sample variance.
fn correction_for_few(count: usize) -> f64 {
    if count > 1 { count as f64 / (count - 1) as f64 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Bad ones score 1 and 3, good ones 2, 3, 4: of 6 pairs 4 are right and one is equal.
        let found =
            auc_with_interval(&[1.0, 3.0, 2.0, 3.0, 4.0], &[true, true, false, false, false]).expect("both outcomes");
        assert!((found.auc - 4.5 / 6.0).abs() < 1e-15);
        // Bad: 1 and 1/2, variance 1/8. Good: 1/2, 3/4, 1, variance 1/16. 1/8 / 2 + 1/16 / 3 = 1/12.
        assert!((found.standard_error - (1.0_f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!(found.high, 1.0);
        assert_eq!(auc_with_interval(&[1.0], &[true]), None);
    }

    #[test]
    fn a_weight_counts_as_so_many_rows_and_a_customer_as_one() {
        let scores = [1.0, 3.0, 2.0, 3.0, 4.0, 2.5];
        let bad = [true, true, false, false, false, true];
        let weighed =
            MeasuredRows { bad: bad.to_vec(), weights: vec![2.0, 1.0, 3.0, 1.0, 2.0, 1.0], customers: vec![] };
        let times = [2, 1, 3, 1, 2, 1];
        let again = |row: usize| std::iter::repeat_n(row, times[row]);
        let rows: Vec<usize> = (0..6).flat_map(again).collect();
        let repeated: Vec<f64> = rows.iter().map(|row| scores[*row]).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| bad[*row]).collect();
        let [one, other] =
            [weighed.auc(&scores), auc_with_interval(&repeated, &outcomes)].map(|auc| auc.expect("both"));
        assert!((one.auc - other.auc).abs() < 1e-15, "{one:?} {other:?}");
        let plain = MeasuredRows { bad: outcomes.clone(), ..MeasuredRows::default() };
        assert!((weighed.separation(&scores) - plain.separation(&repeated)).abs() < 1e-15);
        // Weights of 1 and customers of one row each are DeLong's interval.
        let alone = MeasuredRows { weights: vec![1.0; 10], customers: (0..10).collect(), bad: outcomes.clone() };
        let found = alone.auc(&repeated).expect("both");
        assert!((found.standard_error - other.standard_error).abs() < 1e-15, "{found:?} {other:?}");
        // Rows that only repeat a customer's add nothing to what is known.
        let customers = rows.iter().map(|row| *row as u64).collect();
        let copies = MeasuredRows { bad: outcomes, weights: vec![], customers }.auc(&repeated).expect("both");
        assert!((copies.standard_error - one.standard_error).abs() < 1e-15, "{copies:?} {one:?}");
        let (difference, error) = alone.difference(&repeated, &repeated).expect("both");
        assert_eq!((difference, error), (0.0, 0.0));
    }
}
