//! Logarithm and exponential, in one place: the only functions of this module whose last bit may depend on the
//! platform's library. Swap them here for a portable implementation.

/// The natural logarithm.
pub(crate) fn natural_logarithm(value: f64) -> f64 {
    value.ln()
}

/// e to the power of `value`.
pub(crate) fn exponential_of(value: f64) -> f64 {
    value.exp()
}
