//! The step of an L1 regression: coordinate descent on the loss as bent at a point. Friedman, Hastie and Tibshirani
//! (2010), with the whole bend, so that steps near the answer are as short as Newton's.

use super::logistic::Bend;

/// The step to the least of the bent loss plus `strength` times the size of the weights; the intercept is last.
/// `exactness` is how short the last changes are.
pub(super) fn lasso_descent_step(bend: &Bend, weights: &[f64], strength: f64, exactness: f64) -> Vec<f64> {
    let size = bend.slope.len();
    let mut step = vec![0.0; size];
    // The slope of the bent loss at the step so far.
    let mut slope = bend.slope.clone();
    for _ in 0..10_000 {
        let mut largest = 0.0_f64;
        for at in 0..size {
            let curve = bend.matrix[at * size + at];
            if curve <= 0.0 {
                continue;
            }
            let here = weights.get(at).map_or(0.0, |weight| weight + step[at]);
            let wanted = here - slope[at] / curve;
            let held = if at < weights.len() { soft_threshold(wanted, strength / curve) } else { wanted };
            let change = held - here;
            if change != 0.0 {
                step[at] += change;
                let row = &bend.matrix[at * size..][..size];
                slope.iter_mut().zip(row).for_each(|(slope, curve)| *slope += curve * change);
                largest = largest.max(change.abs());
            }
        }
        if largest < exactness {
            break;
        }
    }
    step
}

/// Nearer to 0 by `by`, and no further than 0.
fn soft_threshold(value: f64, by: f64) -> f64 {
    value.signum() * (value.abs() - by).max(0.0)
}

/// The least strength at which all weights are 0.
pub(super) fn least_zeroing_strength(slope_at_none: &[f64]) -> f64 {
    slope_at_none.iter().fold(0.0, |most, slope| most.max(slope.abs()))
}
