//! Fisher's exact test of a 2 x 2 table, without factorials.

use super::normal::two_sided_p;
use super::sum::Sum;

/// Probabilities up to this factor above the observed one count as equal to it, as in R's `fisher.test`.
const TIE_FACTOR: f64 = 1.0 + 1e-7;

/// Relative to the likeliest table, what is below this counts as nothing.
const NEGLIGIBLE: f64 = 1e-300;

/// Trials above which the exact sum takes too long.
const LARGE: u128 = 10_000_000_000;

/// The two-sided p value of Fisher's exact test: `first_hits` of `first_n` against `second_hits` of `second_n`.
///
/// Adds the probabilities of all tables with the same margins that are at most as likely as this one (Fisher 1935,
/// "The Logic of Inductive Inference"; the same convention as R and SciPy). Tables are weighed relative to the
/// likeliest, step by step, so that the cost is about the root of n. A p value below 1e-300 is 0. Above 10 billion
/// trials the pooled z-test takes over, which is the same to many digits. Hits must not exceed trials.
pub(crate) fn fisher_exact(first_hits: u64, first_n: u64, second_hits: u64, second_n: u64) -> f64 {
    let [first_hits, first_n, second_hits, second_n] = [first_hits, first_n, second_hits, second_n].map(u128::from);
    if first_n + second_n > LARGE {
        return pooled_z_test([first_hits, first_n, second_hits, second_n].map(|count| count as f64));
    }
    let table = Margins { first_n, second_n, hits: first_hits + second_hits };
    let mode = table.mode();
    let observed = match table.walk(mode, first_hits).last() {
        None => 1.0,
        Some((hits, weight)) if hits == first_hits => weight,
        Some(_) => return 0.0,
    };
    let (mut all, mut extreme) = (Sum::default(), Sum::default());
    let upwards = table.walk(mode, table.most());
    let downwards = table.walk(mode, table.least());
    for weight in std::iter::once(1.0).chain(upwards.chain(downwards).map(|(_, weight)| weight)) {
        all.add(weight);
        if weight <= observed * TIE_FACTOR {
            extreme.add(weight);
        }
    }
    (extreme.value() / all.value()).min(1.0)
}

/// z² = (p1 - p2)² / (p (1 - p) (1/n1 + 1/n2)), with p the rate of both together.
fn pooled_z_test([first_hits, first_n, second_hits, second_n]: [f64; 4]) -> f64 {
    let pooled = (first_hits + second_hits) / (first_n + second_n);
    let variance = pooled * (1.0 - pooled) * (1.0 / first_n + 1.0 / second_n);
    let distance = first_hits / first_n - second_hits / second_n;
    if variance > 0.0 && distance.is_finite() { two_sided_p(distance / variance.sqrt()) } else { 1.0 }
}

/// The margins of the table, which every table in the sum shares.
#[derive(Clone, Copy)]
struct Margins {
    first_n: u128,
    second_n: u128,
    hits: u128,
}

impl Margins {
    fn least(self) -> u128 {
        self.hits.saturating_sub(self.second_n)
    }

    fn most(self) -> u128 {
        self.hits.min(self.first_n)
    }

    /// The likeliest number of first hits: floor((hits + 1)(first_n + 1) / (n + 2)).
    fn mode(self) -> u128 {
        let mode = (self.hits + 1).saturating_mul(self.first_n + 1) / (self.first_n + self.second_n + 2);
        mode.clamp(self.least(), self.most())
    }

    /// Each number of first hits after `from`, up to `to` and in its direction, with its weight relative to `from`.
    /// Ends early at weights that no longer count.
    fn walk(self, from: u128, to: u128) -> impl Iterator<Item = (u128, f64)> {
        let up = to > from;
        let mut weight = 1.0;
        let steps = if up { to - from } else { from - to };
        (1..=steps).map_while(move |step| {
            if weight < NEGLIGIBLE {
                return None;
            }
            let hits = if up { from + step } else { from - step };
            weight *= if up { self.ratio(hits) } else { 1.0 / self.ratio(hits + 1) };
            Some((hits, weight))
        })
    }

    /// The probability of `hits` relative to that of `hits - 1`.
    fn ratio(self, hits: u128) -> f64 {
        let above = (self.first_n - (hits - 1)) as f64 * (self.hits - (hits - 1)) as f64;
        // Written so that nothing goes below zero: second_n - (all hits - first hits).
        let left = (self.second_n + hits - self.hits) as f64;
        above / (hits as f64 * left)
    }
}
