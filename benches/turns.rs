//! Rounds in which the compared programs take turns, so that a machine's bad minute hits each of them; and statistics
//! of the times.

use std::time::Instant;

/// Runs each of `works` once per round. Returns for each its seconds per round, sorted. A warm-up round before these is
/// not counted.
pub fn alternate(rounds: usize, works: &mut [&mut dyn FnMut()]) -> Vec<Vec<f64>> {
    let mut took = vec![Vec::with_capacity(rounds); works.len()];
    for round in 0..=rounds {
        for (work, took) in works.iter_mut().zip(&mut took) {
            let began = Instant::now();
            work();
            let seconds = began.elapsed().as_secs_f64();
            if round > 0 {
                took.push(seconds);
            }
        }
    }
    took.iter_mut().for_each(|took| took.sort_by(f64::total_cmp));
    took
}

/// The quantile `share` of the sorted times.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted[place.clamp(1, sorted.len()) - 1]
}
