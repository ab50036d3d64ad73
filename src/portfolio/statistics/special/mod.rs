//! Special functions behind the tests and intervals: normal distribution, chi-square tail, Fisher's exact test,
//! compensated sums.

mod elementary;
mod fisher;
mod gamma;
mod normal;
mod sum;

pub(crate) use elementary::{
    decimal_magnitude, exponential_of, logarithm_above_one, natural_logarithm, round_width_up,
};
pub(crate) use fisher::fisher_exact;
pub(crate) use gamma::chi_square_upper;
pub(crate) use normal::{normal_quantile, two_sided_p};
pub(crate) use sum::Sum;

#[cfg(test)]
mod tests;
