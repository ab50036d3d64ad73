//! The search for the least or greatest amount for which a monotone condition holds.

/// A power that a search may begin with.
#[expect(clippy::disallowed_methods, reason = "where a search begins does not change what it finds")]
pub(super) fn guess_power(base: f64, exponent: f64) -> f64 {
    base.powf(exponent)
}

/// The least value in `low..=high` for which `holds` is true. It must be true for `high`, and for all values above one
/// for which it is true. Steps away from `guess` in doubling steps, then bisects: a good guess takes two or three
/// trials, a bad one only more.
pub(super) fn find_least_holding(
    mut low: u128,
    mut high: u128,
    guess: u128,
    mut holds: impl FnMut(u128) -> bool,
) -> u128 {
    let (mut trial, mut step) = (guess.clamp(low, high), 1);
    let mut first = None;
    while low < high {
        let held = holds(trial);
        if held {
            high = trial
        } else {
            low = trial + 1
        }
        if *first.get_or_insert(held) != held {
            break;
        }
        trial = if held { high.saturating_sub(step).max(low) } else { (trial + step).min(high) };
        step *= 2;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
