//! An interest rate as an exact decimal, and interest as a rounded share of an amount.

use std::fmt;

use super::PricingError;
use crate::base::rational::{Rational, Rounding};

/// The decimals of a rate: it counts billionths of a percent.
const DECIMALS: usize = 9;
const BILLIONTHS_PER_PERCENT: u64 = 1_000_000_000;
const PERCENT_MAX: u64 = 1000;

/// Percent per instalment period: 0 to 1000 with at most nine decimals, kept exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate {
    billionths: u64,
}

impl Rate {
    /// No interest.
    pub const ZERO: Rate = Rate { billionths: 0 };

    /// Reads a plain decimal such as `3`, `4.5` or `0.125`, digit by digit.
    ///
    /// ```
    /// # use lendwright::base::pricing::{PricingError, Rate};
    /// assert_eq!(Rate::parse("4.50")?.to_string(), "4.5");
    /// assert_eq!(Rate::parse("1000.1"), Err(PricingError::RateOutOfRange));
    /// assert_eq!(Rate::parse("0.0000000001"), Err(PricingError::RateTooPrecise));
    /// # Ok::<(), PricingError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Rate, PricingError> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits_only = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits_only(whole) || !digits_only(decimals) {
            return Err(PricingError::RateOutOfRange);
        }
        let decimals = decimals.trim_end_matches('0');
        if decimals.len() > DECIMALS {
            return Err(PricingError::RateTooPrecise);
        }
        let whole =
            whole.parse::<u64>().ok().filter(|whole| *whole <= PERCENT_MAX).ok_or(PricingError::RateOutOfRange)?;
        let part = decimals.bytes().chain(std::iter::repeat(b'0')).take(DECIMALS);
        let part = part.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        Rate::from_billionths(whole * BILLIONTHS_PER_PERCENT + part)
    }

    /// The rate with the shortest decimal text of `percent`: `4.35` means exactly 4.35, although no float is.
    pub fn from_f64(percent: f64) -> Result<Rate, PricingError> {
        Rate::parse(&plain(percent)?.to_string())
    }

    /// The rate nearest to `percent`, rounded to nine decimals, halves away from zero. For computed rates with more
    /// decimals, such as a third of ten percent.
    pub fn rounded(percent: &Rational) -> Result<Rate, PricingError> {
        if percent.signum() < 0 || *percent > Rational::from(PERCENT_MAX as i64) {
            return Err(PricingError::RateOutOfRange);
        }
        let billionths = percent.times(&Rational::from(BILLIONTHS_PER_PERCENT as i64));
        let billionths = billionths.and_then(|billionths| billionths.rounded_to_i64(Rounding::HalfAway));
        Rate::from_billionths(billionths.ok_or(PricingError::RateOutOfRange)?.unsigned_abs())
    }

    /// The percentage as the nearest double.
    pub fn percent(self) -> f64 {
        // Doubles hold both numbers exactly, so that only the division rounds.
        self.billionths as f64 / BILLIONTHS_PER_PERCENT as f64
    }

    fn from_billionths(billionths: u64) -> Result<Rate, PricingError> {
        if billionths <= PERCENT_MAX * BILLIONTHS_PER_PERCENT {
            Ok(Rate { billionths })
        } else {
            Err(PricingError::RateOutOfRange)
        }
    }

    pub(super) fn fraction(self) -> Fraction {
        let (mut numerator, mut denominator) = (self.billionths, 100 * BILLIONTHS_PER_PERCENT);
        // The denominator is a power of ten: only twos and fives can divide both.
        let twos = numerator.trailing_zeros().min(denominator.trailing_zeros());
        (numerator, denominator) = (numerator >> twos, denominator >> twos);
        while numerator % 5 == 0 && denominator % 5 == 0 {
            (numerator, denominator) = (numerator / 5, denominator / 5);
        }
        Fraction { numerator, denominator }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.billionths / BILLIONTHS_PER_PERCENT, self.billionths % BILLIONTHS_PER_PERCENT);
        if part == 0 {
            return write!(out, "{whole}");
        }
        let part = format!("{part:0width$}", width = DECIMALS);
        write!(out, "{whole}.{}", part.trim_end_matches('0'))
    }
}

/// Checks the bounds, which also refuses NaN, and drops the sign of `-0.0`.
fn plain(percent: f64) -> Result<f64, PricingError> {
    if (0.0..=PERCENT_MAX as f64).contains(&percent) { Ok(percent.abs()) } else { Err(PricingError::RateOutOfRange) }
}

/// A rate as a fraction in lowest terms, which keeps most products within 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fraction {
    numerator: u64,
    denominator: u64,
}

impl Fraction {
    /// The share of `amount`, rounded half away from zero. Amounts here are never negative.
    // INVARIANT: amounts are below 2^70 and numerators at most 1e12, so that no product reaches 2^128.
    #[inline]
    pub(super) fn share_of(self, amount: u128) -> u128 {
        self.repeated_share_of(amount, 1)
    }

    /// `times` the share of `amount`, rounded once.
    #[inline]
    pub(super) fn repeated_share_of(self, amount: u128, times: u32) -> u128 {
        let half = self.denominator / 2;
        if let Ok(small) = u64::try_from(amount)
            && let Some(product) = small.checked_mul(self.numerator).and_then(|once| once.checked_mul(times.into()))
            && let Some(sum) = product.checked_add(half)
        {
            return u128::from(sum / self.denominator);
        }
        let product = amount * u128::from(self.numerator) * u128::from(times);
        (product + u128::from(half)) / u128::from(self.denominator)
    }

    /// The approximate value, for first guesses.
    pub(super) fn approximate(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}
