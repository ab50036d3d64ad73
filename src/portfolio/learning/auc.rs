//! AUC and its interval, as far as learning needs them.

use serde::Serialize;

use super::optimum::Count;
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
        run.iter().for_each(|(_, is_bad)| count.add(*is_bad));
        count
    };
    of_runs(&order.chunk_by(|a, b| a.0 == b.0).map(count).collect::<Vec<Count>>())
}

/// The same of rows counted by score, from the worst.
pub fn of_runs(runs: &[Count]) -> Option<Auc> {
    let all = runs.iter().fold(Count::default(), |sum, count| sum.and(*count));
    let (bads, goods) = (all.bads as f64, all.goods as f64);
    if all.bads == 0 || all.goods == 0 {
        return None;
    }
    // Of each bad one the share of goods above it, of each good one the share of bads below it.
    let (mut of_bads, mut of_goods) = (Vec::new(), Vec::new());
    let mut below = Count::default();
    for run in runs {
        let above = goods - below.goods as f64 - run.goods as f64;
        of_bads.push(((above + run.goods as f64 / 2.0) / goods, run.bads));
        of_goods.push(((below.bads as f64 + run.bads as f64 / 2.0) / bads, run.goods));
        below = below.and(*run);
    }
    let auc = weighted_mean(&of_bads, bads);
    let variance = sample_variance(&of_bads, auc, bads) / bads + sample_variance(&of_goods, auc, goods) / goods;
    let error = variance.max(0.0).sqrt();
    let z = Level::NINETY_FIVE.z();
    let (low, high) = ((auc - z * error).max(0.0), (auc + z * error).min(1.0));
    Some(Auc { auc, standard_error: error, low, high })
}

fn weighted_mean(parts: &[(f64, u64)], count: f64) -> f64 {
    parts.iter().map(|(value, times)| value * *times as f64).sum::<f64>() / count
}

/// The sample variance; 0 of a single one.
fn sample_variance(parts: &[(f64, u64)], mean: f64, count: f64) -> f64 {
    let squares: f64 = parts.iter().map(|(value, times)| (value - mean) * (value - mean) * *times as f64).sum();
    if count > 1.0 { squares / (count - 1.0) } else { 0.0 }
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
}
