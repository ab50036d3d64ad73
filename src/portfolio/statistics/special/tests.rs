//! Known values of the special functions, and functions against one another.

use super::fisher::fisher_exact;
use super::gamma::{ln_gamma, regularized_upper};
use super::normal::normal_cdf;
use super::*;

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1e-300), "{found} is not {expected}");
}

#[test]
fn normal_quantiles_are_those_of_the_tables() {
    close(normal_quantile(0.975), 1.959_963_984_540_054, 1e-14);
    close(normal_quantile(0.995), 2.575_829_303_548_900_4, 1e-14);
    close(normal_quantile(1e-10), -6.361_340_902_404_056, 1e-13);
    close(normal_quantile(1e-300), -37.047_096_299_361_2, 1e-13);
    assert_eq!(normal_quantile(0.5), 0.0);
    assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(normal_quantile(1.0), f64::INFINITY);
}

#[test]
fn quantile_and_distribution_are_inverse() {
    for step in 1..2_000 {
        let p = f64::from(step) / 2_000.0;
        close(normal_cdf(normal_quantile(p)), p, 1e-13);
    }
    close(two_sided_p(1.959_963_984_540_054), 0.05, 1e-13);
    close(normal_cdf(-10.0), 7.619_853_024_160_527e-24, 1e-12);
}

#[test]
fn gamma_of_whole_numbers_is_the_factorial() {
    let mut factorial: f64 = 1.0;
    for n in 1..100 {
        assert!(
            (ln_gamma(f64::from(n)) - natural_logarithm(factorial)).abs()
                < 1e-12 * natural_logarithm(factorial).max(1.0)
        );
        factorial *= f64::from(n);
    }
    close(ln_gamma(0.5), natural_logarithm(std::f64::consts::PI.sqrt()), 1e-14);
    close(ln_gamma(0.1), 2.252_712_651_734_206, 1e-14);
}

#[test]
fn chi_square_tails_are_known() {
    // Two degrees of freedom: the tail is e^(-x/2).
    for step in 1..200 {
        let x = f64::from(step) / 4.0;
        close(chi_square_upper(x, 2.0), exponential_of(-x / 2.0), 1e-13);
    }
    close(chi_square_upper(3.841_458_820_694_124, 1.0), 0.05, 1e-13);
    close(chi_square_upper(15.507_313_055_865_453, 8.0), 0.05, 1e-13);
    assert_eq!(chi_square_upper(0.0, 3.0), 1.0);
    assert_eq!(chi_square_upper(f64::INFINITY, 3.0), 0.0);
    close(regularized_upper(10_000.0, 10_000.0), 0.498_670_191_6, 1e-9);
}

#[test]
fn the_lady_tasting_tea() {
    // Three of four cups right, margins 4 and 4 of 8: p = 34/70.
    close(fisher_exact(3, 4, 1, 4), 34.0 / 70.0, 1e-14);
    close(fisher_exact(4, 4, 0, 4), 2.0 / 70.0, 1e-14);
    assert_eq!(fisher_exact(2, 4, 2, 4), 1.0);
}

#[test]
fn fisher_agrees_with_binomial_coefficients() {
    let choose = |n: u64, k: u64| (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64);
    for (first_n, second_n) in [(1_u64, 1_u64), (5, 9), (12, 3), (20, 25)] {
        for hits in 0..=first_n + second_n {
            let range = hits.saturating_sub(second_n)..=hits.min(first_n);
            let chance = |k: u64| choose(first_n, k) * choose(second_n, hits - k) / choose(first_n + second_n, hits);
            for k in range.clone() {
                let limit = chance(k) * (1.0 + 1e-7);
                let expected: f64 = range.clone().map(chance).filter(|chance| *chance <= limit).sum();
                close(fisher_exact(k, first_n, hits - k, second_n), expected.min(1.0), 1e-12);
            }
        }
    }
}

#[test]
fn fisher_of_huge_tables_ends_at_once() {
    assert_eq!(fisher_exact(1_000_000_000, 1_000_000_000, 0, 1_000_000_000), 0.0);
    assert_eq!(fisher_exact(0, 0, 0, 0), 1.0);
    let p = fisher_exact(500_000, 1_000_000, 500_700, 1_000_000);
    assert!((0.3..0.35).contains(&p), "{p}");
}

#[test]
fn sums_keep_small_terms() {
    let mut sum = Sum::default();
    for term in [1.0, 1e100, 1.0, -1e100] {
        sum.add(term);
    }
    assert_eq!(sum.value(), 2.0);
}

#[test]
fn logarithms_and_powers_have_the_same_bits_on_every_system() {
    let bits_of = |compute: fn(f64) -> f64| {
        let values = (1..=20_000_u32).map(|at| compute(f64::from(at) / 997.0).to_bits());
        values.fold(0, |sum: u64, bits| (sum ^ bits).wrapping_mul(0x0100_0000_01b3))
    };
    assert_eq!(bits_of(natural_logarithm), 0x0a14_c524_c031_f414);
    assert_eq!(bits_of(exponential_of), 0xdb0e_9043_a104_56b6);
}
