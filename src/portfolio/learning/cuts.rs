//! Where two bins part: a number that an analyst would write.

use crate::portfolio::statistics::special::decimal_magnitude;

/// A cut between neighbours: above `below`, at most `above`, so that `< cut` and `>= cut` keep them apart. With
/// `is_round` the number with the fewest decimal places there (of large numbers: the most zeros at the end), and of
/// those the one nearest to the middle; else the middle.
///
/// `None` if the two are not in order, or not finite.
pub fn cut_between_values(below: f64, above: f64, is_round: bool) -> Option<f64> {
    if !(below < above && below.is_finite() && above.is_finite()) {
        return None;
    }
    let fits = |cut: f64| below < cut && cut <= above;
    let middle = below / 2.0 + above / 2.0;
    let middle = if fits(middle) { middle } else { above };
    if !is_round {
        return Some(middle);
    }
    if below < 0.0 && above >= 0.0 {
        return Some(0.0);
    }
    let size = below.abs().max(above.abs());
    // The power of ten of the first digit; logarithms may be off by one, so begin one higher.
    let first = decimal_magnitude(size) + 1;
    (first - 18..=first).rev().find_map(|power| nearest_round_multiple(middle, below, above, power)).or(Some(middle))
}

/// The multiple of a power of ten within the bounds that is nearest to the middle.
fn nearest_round_multiple(middle: f64, below: f64, above: f64, power: i32) -> Option<f64> {
    let step = format!("1e{power}").parse::<f64>().ok()?;
    let count = (middle / step).round();
    // Written and read, so that the cut is the very number that the file shows.
    let of = |count: f64| format!("{count}e{power}").parse::<f64>().ok();
    let (steps, limit) = ([0.0, 1.0, -1.0], 1e18);
    if count.abs() > limit {
        return None;
    }
    let cuts = steps.into_iter().filter_map(|away| of(count + away)).filter(|cut| below < *cut && *cut <= above);
    cuts.min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()))
}

/// A number with two significant digits, the nearest.
pub fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_numbers_are_found() {
        let cases = [
            (1.0, 2.0, 2.0),
            (0.0, 1.0, 1.0),
            (0.093, 0.141, 0.1),
            (0.3123, 0.3177, 0.315),
            (14_998.5, 15_003.2, 15_000.0),
            (-3.0, 5.0, 0.0),
            (-0.42, -0.31, -0.4),
            (0.1, 0.100_000_000_000_000_02, 0.100_000_000_000_000_02),
            (99.0, 101.0, 100.0),
            (0.0, 5e-324, 5e-324),
        ];
        for (below, above, cut) in cases {
            assert_eq!(cut_between_values(below, above, true), Some(cut), "{below} {above}");
        }
    }

    #[test]
    fn two_digits_are_left() {
        assert_eq!([0.081_4, -17_370.0, 0.0, 1e-310].map(two_digits), [0.081, -17_000.0, 0.0, 1e-310]);
    }

    #[test]
    fn a_cut_keeps_neighbours_apart() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..20_000 {
            let scale = libm::exp10(next() * 24.0 - 12.0);
            let below = (next() - 0.5) * scale;
            let above = below + next() * next().powi(8) * scale;
            for is_round in [true, false] {
                match cut_between_values(below, above, is_round) {
                    Some(cut) => assert!(below < cut && cut <= above, "{below} {cut} {above}"),
                    None => assert!(below >= above),
                }
            }
        }
        assert_eq!(cut_between_values(1.0, 1.0, true), None);
        assert_eq!(cut_between_values(f64::NEG_INFINITY, 1.0, true), None);
        assert_eq!(cut_between_values(f64::MIN, f64::MAX, false), Some(0.0));
    }
}
