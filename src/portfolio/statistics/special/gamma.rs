//! The regularized incomplete gamma function, and the chi-square tail that is made of it.

use super::elementary::{exponential_of, natural_logarithm};

/// The tail P(X >= x) of a chi-square variable: Q(df / 2, x / 2). Abramowitz & Stegun 26.4.19.
///
/// `df` is above 0. A negative `x` has the tail 1.
pub(crate) fn chi_square_upper(x: f64, df: f64) -> f64 {
    regularized_upper(df / 2.0, x / 2.0)
}

/// Q(a, x) = Γ(a, x) / Γ(a), for a > 0. By the series of P below a + 1, by the continued fraction of Q above
/// (Abramowitz & Stegun 6.5.29 and 6.5.31).
pub(crate) fn regularized_upper(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    let front = exponential_of(a * natural_logarithm(x) - x - ln_gamma(a));
    if x < a + 1.0 { (1.0 - front * lower_series(a, x)).max(0.0) } else { (front * upper_fraction(a, x)).min(1.0) }
}

/// More terms than any `a` up to 1e8 needs: both expansions converge in about the root of `a` steps.
const MOST_TERMS: u32 = 200_000;

/// Σ x^k / (a (a + 1) ... (a + k)).
fn lower_series(a: f64, x: f64) -> f64 {
    let mut term = 1.0 / a;
    let mut sum = term;
    let mut divisor = a;
    for _ in 0..MOST_TERMS {
        divisor += 1.0;
        term *= x / divisor;
        sum += term;
        if term < sum * f64::EPSILON / 4.0 {
            break;
        }
    }
    sum
}

/// The continued fraction of Γ(a, x) e^x x^-a, by the modified Lentz algorithm (Thompson & Barnett 1986).
fn upper_fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / away_from_zero(b);
    let mut fraction = d;
    for term in 1..=MOST_TERMS {
        let k = f64::from(term);
        let numerator = k * (a - k);
        b += 2.0;
        d = 1.0 / away_from_zero(numerator * d + b);
        c = away_from_zero(b + numerator / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    fraction
}

/// Coefficients of Lanczos' approximation with g = 7 and nine terms (Godfrey 2001), good to 15 digits.
const LANCZOS: [f64; 8] = [
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// ln Γ(a), for a > 0: Lanczos' approximation (Lanczos 1964).
pub(crate) fn ln_gamma(a: f64) -> f64 {
    if a < 0.5 {
        return ln_gamma(a + 1.0) - natural_logarithm(a);
    }
    let shifted = a - 1.0;
    let mut sum = 0.999_999_999_999_809_9;
    for (place, coefficient) in (1_u32..).zip(LANCZOS) {
        sum += coefficient / (shifted + f64::from(place));
    }
    let base = shifted + 7.5;
    0.5 * natural_logarithm(std::f64::consts::TAU) + (shifted + 0.5) * natural_logarithm(base) - base
        + natural_logarithm(sum)
}
