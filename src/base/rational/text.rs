//! Exact numbers as text: decimals read digit by digit, and written exactly or rounded. Has no arithmetic of its own.

use std::fmt;
use std::num::NonZeroU64;

use num_bigint::{BigInt, BigUint, Sign};

use super::{Fraction, Rational, RationalForm, Rounding, rounded_quotient};

/// The largest decimal exponent in text; doubles end at 308.
const EXPONENT_MAX: i64 = 400;

/// Longer fractions are not reduced to lowest terms to find their decimals, because that would be slow.
const LONG_BITS: u64 = 1 << 12;

/// The most digits that a number may have in text.
const DIGITS_MAX: usize = 1_000;

impl Rational {
    /// Reads a decimal such as `0.35`, `-12` or `1.5e-3` digit by digit. `None` if it is not a decimal number, has more
    /// than 1,000 digits, or an exponent beyond 400.
    pub fn parse(text: &str) -> Option<Rational> {
        let (sign, rest) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (rest, 0),
        };
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let digits = whole.len() + decimals.len();
        if digits == 0 || digits > DIGITS_MAX || !is_digits(whole) || !is_digits(decimals) {
            return None;
        }
        if !(-EXPONENT_MAX..=EXPONENT_MAX).contains(&exponent) {
            return None;
        }
        let shift = exponent - decimals.len() as i64;
        // Most numbers have few digits and need no allocation.
        if digits <= 18 && (-18..=18).contains(&shift) {
            let number =
                whole.bytes().chain(decimals.bytes()).fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'));
            let power = 10_i128.pow(shift.unsigned_abs() as u32);
            return match shift < 0 {
                true => Rational::from_wide(sign * number, power),
                false => Rational::from_wide(sign * number * power, 1),
            };
        }
        let number: BigInt = format!("{whole}{decimals}").parse().ok()?;
        let power = BigUint::from(10_u32).pow(shift.unsigned_abs() as u32);
        let (numerator, denominator) = match shift < 0 {
            true => (number, power),
            false => (number * BigInt::from(power), BigUint::from(1_u32)),
        };
        Fraction { numerator: numerator * sign, denominator }.into_rational()
    }

    /// The shortest decimal that reads back as this double: 0.1 is one tenth. Where two are as short and as near, it is
    /// the even one, as in JSON and Python. `None` if the double is not finite.
    pub fn from_f64(double: f64) -> Option<Rational> {
        const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
        if !double.is_finite() {
            return None;
        }
        // Tries few digits first: a decimal of up to 15 digits that reads back as the double is the shortest.
        for (power, scale) in [(1, 1.0), (10, 1e1), (100, 1e2), (10_000, 1e4)] {
            let digits = (double * scale).round();
            if digits.abs() < 1e15 && digits / scale == double {
                return Some(Rational(RationalForm::Small(digits as i64, NonZeroU64::new(power)?)));
            }
        }
        if double.fract() == 0.0 && double.abs() <= EXACT_MAX {
            return Some(Rational::whole(double as i128));
        }
        // The standard library takes the greater of two that are as near.
        Rational::parse(&serde_json::Number::from_f64(double)?.to_string())
    }

    /// The double that this number writes: as its shortest decimal, or as the other one where two are as near. `None`
    /// if it has more digits than a double keeps.
    pub(crate) fn as_written_double(&self) -> Option<f64> {
        let double = self.to_f64();
        let is_other = || Rational::parse(&format!("{double:e}")).as_ref() == Some(self);
        self.as_f64().or_else(|| is_other().then_some(double))
    }

    /// The double whose shortest decimal this number is, if there is one.
    pub fn as_f64(&self) -> Option<f64> {
        Some(self.to_f64()).filter(|double| Rational::from_f64(*double).as_ref() == Some(self))
    }

    /// Rounds to this many decimals, halves away from zero. The result counts units of the last decimal.
    pub(crate) fn rounded_to_decimals(&self, decimals: usize) -> BigInt {
        if let Some((numerator, denominator)) = self.wide()
            && let Some(power) = u32::try_from(decimals).ok().and_then(|decimals| 10_i128.checked_pow(decimals))
            && let Some(scaled) = numerator.checked_mul(power)
        {
            return BigInt::from(rounded_quotient(scaled, denominator, Rounding::HalfAway));
        }
        let Fraction { numerator, denominator } = self.fraction();
        let numerator = numerator * BigInt::from(10_u32).pow(decimals as u32);
        Fraction { numerator, denominator }.rounded(Rounding::HalfAway)
    }

    /// Writes this many decimals, rounded to the nearest, halves away from zero: `0.35`, `-2.500`. Zero has no sign.
    pub fn to_decimals(&self, decimals: usize) -> String {
        let rounded = self.rounded_to_decimals(decimals);
        let sign = if rounded.sign() == Sign::Minus { "-" } else { "" };
        let digits = format!("{:0>width$}", rounded.magnitude().to_string(), width = decimals + 1);
        let (whole, part) = digits.split_at(digits.len() - decimals);
        if decimals == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
    }

    /// The number of decimals, if they end within 40.
    pub fn decimals(&self) -> Option<usize> {
        const DECIMALS_MAX: usize = 40;
        if self.fraction().bits() > LONG_BITS {
            return None;
        }
        let (_, mut denominator) = self.lowest();
        let mut decimals = 0;
        // Each factor of 2 or 5 of the denominator needs a decimal.
        for factor in [2_u32, 5] {
            let mut of_factor = 0;
            while of_factor <= DECIMALS_MAX && (&denominator % factor) == BigUint::ZERO {
                denominator /= factor;
                of_factor += 1;
            }
            decimals = decimals.max(of_factor);
        }
        (denominator == BigUint::from(1_u32) && decimals <= DECIMALS_MAX).then_some(decimals)
    }
}

/// A double as rule files write it: its shortest decimal.
pub(crate) fn write_shortest_decimal(double: f64) -> String {
    Rational::from_f64(double).map_or_else(|| double.to_string(), |number| number.to_string())
}

/// The exact decimal if it ends within 40 digits, otherwise the shortest decimal of the nearest double.
impl fmt::Display for Rational {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.decimals().filter(|_| self.fraction().numerator.bits() <= 256) {
            Some(decimals) => out.write_str(&self.to_decimals(decimals)),
            None => write!(out, "{}", self.to_f64()),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (numerator, denominator) = self.lowest();
        write!(out, "{numerator}/{denominator}")
    }
}
