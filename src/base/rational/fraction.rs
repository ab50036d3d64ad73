//! Fractions of integers of any length, for numbers that do not fit 128 bits.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;

use super::Rounding;

/// A numerator or denominator of more bits is an overflow; this is 1.26 million digits.
const BITS_MAX: u64 = 1 << 22;

/// Longer fractions are not reduced to lowest terms as they grow: finding the common divisor would take longer than it
/// saves.
pub(super) const REDUCED_BITS_MAX: u64 = 1 << 10;

// INVARIANT: the denominator is not zero.
#[derive(Clone, Debug)]
pub(super) struct Fraction {
    pub numerator: BigInt,
    pub denominator: BigUint,
}

impl Fraction {
    pub(super) fn negated(self) -> Fraction {
        Fraction { numerator: -self.numerator, ..self }
    }

    pub(super) fn plus(&self, other: &Fraction) -> Fraction {
        if self.denominator == other.denominator {
            let numerator = &self.numerator + &other.numerator;
            return Fraction { numerator, denominator: self.denominator.clone() };
        }
        // If one denominator divides the other, the larger one serves both.
        for (short, long) in [(self, other), (other, self)] {
            let (times, rest) = long.denominator.div_rem(&short.denominator);
            if rest == BigUint::ZERO {
                let numerator = &short.numerator * BigInt::from(times) + &long.numerator;
                return Fraction { numerator, denominator: long.denominator.clone() };
            }
        }
        let (left, right) = (BigInt::from(other.denominator.clone()), BigInt::from(self.denominator.clone()));
        Fraction {
            numerator: &self.numerator * left + &other.numerator * right,
            denominator: &self.denominator * &other.denominator,
        }
    }

    /// The integer part and the remainder.
    pub(super) fn divided(&self) -> (BigInt, BigInt) {
        self.numerator.div_rem(&BigInt::from(self.denominator.clone()))
    }

    /// Rounds to an integer.
    pub(super) fn rounded(self, how: Rounding) -> BigInt {
        let denominator = BigInt::from(self.denominator.clone());
        match how {
            Rounding::Down => self.numerator.div_floor(&denominator),
            Rounding::Up => -((-self.numerator).div_floor(&denominator)),
            Rounding::HalfAway => {
                let (sign, magnitude) = self.numerator.into_parts();
                let doubled: BigUint = magnitude * 2_u32 + &self.denominator;
                BigInt::from_biguint(sign, doubled / (self.denominator * 2_u32))
            }
            Rounding::HalfEven => {
                let (below, rest) = self.numerator.div_mod_floor(&denominator);
                let goes_up = match (&rest * 2_u32).cmp(&denominator) {
                    Ordering::Less => false,
                    Ordering::Greater => true,
                    Ordering::Equal => below.is_odd(),
                };
                if goes_up { below + 1_u32 } else { below }
            }
        }
    }

    pub(super) fn reduced(self) -> Fraction {
        let divisor = self.numerator.magnitude().gcd(&self.denominator);
        if divisor == BigUint::from(1_u32) {
            return self;
        }
        let denominator = self.denominator / &divisor;
        Fraction { numerator: self.numerator / BigInt::from(divisor), denominator }
    }

    pub(super) fn bits(&self) -> u64 {
        self.numerator.bits().max(self.denominator.bits())
    }

    /// Whether it is neither too long nor beyond the range of doubles.
    pub(super) fn is_within_bounds(&self) -> bool {
        let longer = self.numerator.bits().saturating_sub(self.denominator.bits());
        self.bits() <= BITS_MAX && (longer <= 1023 || !self.to_f64().is_infinite())
    }

    /// The nearest double, halves to even.
    pub(super) fn to_f64(&self) -> f64 {
        let (sign, magnitude) = (self.numerator.sign(), self.numerator.magnitude());
        if sign == Sign::NoSign {
            return 0.0;
        }
        // The magnitude is between 2^(power + 52) and 2^(power + 54). The last bit of the smallest double is 2^-1074.
        let power = (magnitude.bits() as i64 - self.denominator.bits() as i64 - 53).max(-1074);
        if power > 1023 {
            return if sign == Sign::Minus { f64::NEG_INFINITY } else { f64::INFINITY };
        }
        // Computes one bit more than is kept, to see on which side of the middle it is.
        let shift = 1 - power;
        let (quotient, rest) = match shift >= 0 {
            true => (magnitude << shift as u64).div_rem(&self.denominator),
            false => magnitude.div_rem(&(&self.denominator << shift.unsigned_abs())),
        };
        let bits =
            u64::try_from(&quotient).expect("INVARIANT: by the choice of `power`, the quotient has at most 55 bits");
        let (mut bits, mut power) = (bits, power);
        let mut is_more = rest != BigUint::ZERO;
        if bits >> 54 != 0 {
            is_more |= bits & 1 == 1;
            (bits, power) = (bits >> 1, power + 1);
        }
        let (kept, is_half) = (bits >> 1, bits & 1 == 1);
        let up = is_half && (is_more || kept & 1 == 1);
        let value = (kept + u64::from(up)) as f64 * two_to(power);
        if sign == Sign::Minus { -value } else { value }
    }
}

/// Two to a power of at least -1074.
fn two_to(power: i64) -> f64 {
    match power {
        ..-1022 => f64::from_bits(1 << (power + 1074).max(0)),
        -1022..=1023 => f64::from_bits(((power + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}
