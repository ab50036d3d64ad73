//! Logarithms and powers, by `libm`: its code is the same on every system, so the last bits are too. Those of the
//! standard library are the system's.

/// The natural logarithm.
pub(crate) fn natural_logarithm(value: f64) -> f64 {
    libm::log(value)
}

/// The natural logarithm of `1 + value`, exact for small values.
pub(crate) fn logarithm_above_one(value: f64) -> f64 {
    libm::log1p(value)
}

/// e to the power of `value`.
pub(crate) fn exponential_of(value: f64) -> f64 {
    libm::exp(value)
}

/// The power of ten of the first digit of a value above 0. Just below a power of ten it may be the one above.
pub(crate) fn decimal_magnitude(value: f64) -> i32 {
    libm::log10(value).floor() as i32
}

/// 1, 2 or 5 times a power of ten, at least this wide.
pub(crate) fn round_width_up(width: f64) -> f64 {
    if width <= 0.0 {
        return 1.0;
    }
    // Read from text: a computed power may be off by its last bit.
    let power: f64 = format!("1e{}", decimal_magnitude(width)).parse().unwrap_or(f64::INFINITY);
    [1.0, 2.0, 5.0].map(|times| times * power).into_iter().find(|round| *round >= width).unwrap_or(10.0 * power)
}
