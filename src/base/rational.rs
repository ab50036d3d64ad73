//! Exact numbers: fractions of integers, in 64 or 128 bits if they fit, otherwise of any length. `0.35` in a rule is
//! exactly 35/100.

mod fraction;
mod text;

pub(crate) use self::text::write_shortest_decimal;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::num::{NonZeroU64, NonZeroU128};

use num_bigint::{BigInt, BigUint, Sign};

use fraction::Fraction;

/// An exact number.
///
/// Arithmetic never rounds. It gives `None` where the result is beyond the greatest double (about 1.8e308) or its
/// fraction takes more than 2^22 bits, about 1.2 million digits.
///
/// ```
/// use lendwright::base::rational::Rational;
///
/// let limit = Rational::parse("0.35").unwrap();
/// let income = Rational::from(5_500_000);
/// assert_eq!(limit.times(&income), Some(Rational::from(1_925_000)));
/// assert!(Rational::parse("0.1").unwrap().plus(&Rational::parse("0.2").unwrap()) == Rational::parse("0.3"));
/// ```
#[derive(Clone)]
pub struct Rational(RationalForm);

// Fractions are not always in lowest terms.
#[derive(Clone)]
enum RationalForm {
    // INVARIANT: the denominator fits `i64`.
    Small(i64, NonZeroU64),
    Large(Box<Large>),
}

/// A fraction that does not fit 64 bits.
#[derive(Clone)]
enum Large {
    // INVARIANT: the denominator fits `i128`.
    Wide(i128, NonZeroU128),
    Big(Fraction),
}

/// The direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// Toward minus infinity.
    Down,
    /// Toward plus infinity.
    Up,
    /// To the nearest, halves away from zero.
    HalfAway,
    /// To the nearest, halves to the even neighbour.
    HalfEven,
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational(RationalForm::Small(0, NonZeroU64::MIN));
    /// One.
    pub const ONE: Rational = Rational(RationalForm::Small(1, NonZeroU64::MIN));

    /// `numerator / denominator`; `None` if the denominator is zero.
    pub fn ratio(numerator: i64, denominator: i64) -> Option<Rational> {
        let sign = i128::from(denominator.signum());
        Rational::from_wide(i128::from(numerator) * sign, i128::from(denominator) * sign)
    }

    /// An integer.
    pub(crate) fn whole(number: i128) -> Rational {
        Rational::from_wide(number, 1).expect("INVARIANT: the denominator is above zero")
    }

    /// `sum / count`, for means; `None` if the count is zero.
    pub fn mean(sum: i128, count: usize) -> Option<Rational> {
        Rational::from_wide(sum, count as i128)
    }

    /// `numerator / denominator`; `None` if the denominator is not above zero.
    #[inline]
    fn from_wide(numerator: i128, denominator: i128) -> Option<Rational> {
        let (short_numerator, short_denominator) = (numerator as i64, denominator as i64);
        if i128::from(short_numerator) == numerator
            && i128::from(short_denominator) == denominator
            && short_denominator > 0
        {
            let denominator = NonZeroU64::new(short_denominator.unsigned_abs())?;
            return Some(Rational(RationalForm::Small(short_numerator, denominator)));
        }
        if denominator <= 0 {
            return None;
        }
        let denominator = NonZeroU128::new(denominator.unsigned_abs())?;
        Some(Rational(RationalForm::Large(Box::new(Large::Wide(numerator, denominator)))))
    }

    fn from_fraction(fraction: Fraction) -> Rational {
        Rational(RationalForm::Large(Box::new(Large::Big(fraction))))
    }

    /// Numerator and denominator, if they fit 128 bits.
    #[inline]
    fn wide(&self) -> Option<(i128, i128)> {
        match &self.0 {
            RationalForm::Small(numerator, denominator) => {
                Some((i128::from(*numerator), i128::from(denominator.get())))
            }
            RationalForm::Large(large) => match large.as_ref() {
                Large::Wide(numerator, denominator) => Some((*numerator, denominator.get() as i128)),
                Large::Big(_) => None,
            },
        }
    }

    /// The nearest double, halves to even.
    pub fn to_f64(&self) -> f64 {
        const EXACT_MAX: u64 = 1 << 53;
        match &self.0 {
            // Doubles hold both numbers exactly, so that only the division rounds.
            RationalForm::Small(numerator, denominator)
                if numerator.unsigned_abs() <= EXACT_MAX && denominator.get() <= EXACT_MAX =>
            {
                *numerator as f64 / denominator.get() as f64
            }
            _ => self.fraction().to_f64(),
        }
    }

    /// The number as an `i64`, if it is an integer that fits.
    pub fn to_i64(&self) -> Option<i64> {
        if let RationalForm::Small(numerator, denominator) = self.0 {
            // The denominator fits.
            let denominator = denominator.get() as i64;
            return (denominator == 1 || numerator % denominator == 0).then(|| numerator / denominator);
        }
        match self.wide() {
            Some((numerator, denominator)) => {
                let whole = numerator / denominator;
                (whole * denominator == numerator).then(|| i64::try_from(whole).ok())?
            }
            None => {
                let (whole, rest) = self.fraction().divided();
                if rest == BigInt::ZERO { i64::try_from(whole).ok() } else { None }
            }
        }
    }

    /// Numerator and denominator in lowest terms, if both fit 64 bits.
    pub fn to_ratio(&self) -> Option<(i64, i64)> {
        let (numerator, denominator) = self.lowest();
        Some((i64::try_from(numerator).ok()?, i64::try_from(denominator).ok()?))
    }

    /// Whether it is an integer.
    pub fn is_whole(&self) -> bool {
        match self.wide() {
            Some((numerator, denominator)) => numerator % denominator == 0,
            None => self.fraction().divided().1 == BigInt::ZERO,
        }
    }

    /// -1 below zero, 0 at zero, 1 above zero.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            RationalForm::Small(numerator, _) => numerator.signum() as i32,
            RationalForm::Large(large) => match large.as_ref() {
                Large::Wide(numerator, _) => numerator.signum() as i32,
                Large::Big(fraction) => match fraction.numerator.sign() {
                    Sign::Minus => -1,
                    Sign::NoSign => 0,
                    Sign::Plus => 1,
                },
            },
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Rational) -> Option<Rational> {
        if let (RationalForm::Small(a, b), RationalForm::Small(c, d)) = (&self.0, &other.0) {
            if b == d
                && let Some(sum) = a.checked_add(*c)
            {
                return Some(Rational(RationalForm::Small(sum, *b)));
            }
            let (b, d) = (i128::from(b.get()), i128::from(d.get()));
            return Rational::from_wide(i128::from(*a) * d + i128::from(*c) * b, b * d);
        }
        if let (Some((a, b)), Some((c, d))) = (self.wide(), other.wide()) {
            if b == d
                && let Some(sum) = a.checked_add(c)
            {
                return Rational::from_wide(sum, b);
            }
            if let (Some(left), Some(right), Some(denominator)) = (a.checked_mul(d), c.checked_mul(b), b.checked_mul(d))
                && let Some(sum) = left.checked_add(right)
            {
                return Rational::from_wide(sum, denominator);
            }
        }
        self.fraction().plus(&other.fraction()).into_rational()
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Rational) -> Option<Rational> {
        self.plus(&other.negated())
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Rational) -> Option<Rational> {
        if let (RationalForm::Small(a, b), RationalForm::Small(c, d)) = (&self.0, &other.0) {
            let denominator = i128::from(b.get()) * i128::from(d.get());
            return Rational::from_wide(i128::from(*a) * i128::from(*c), denominator);
        }
        if let (Some((a, b)), Some((c, d))) = (self.wide(), other.wide())
            && let (Some(numerator), Some(denominator)) = (a.checked_mul(c), b.checked_mul(d))
        {
            return Rational::from_wide(numerator, denominator);
        }
        let (left, right) = (self.fraction(), other.fraction());
        Fraction { numerator: left.numerator * right.numerator, denominator: left.denominator * right.denominator }
            .into_rational()
    }

    /// The quotient; `None` also if `other` is zero.
    #[must_use]
    pub fn divided_by(&self, other: &Rational) -> Option<Rational> {
        self.times(&other.inverted()?)
    }

    /// One over it; `None` for zero.
    #[must_use]
    pub fn inverted(&self) -> Option<Rational> {
        if let Some((numerator, denominator)) = self.wide()
            && let Some(magnitude) = numerator.checked_abs()
        {
            return Rational::from_wide(denominator * numerator.signum(), magnitude);
        }
        let Fraction { numerator, denominator } = self.fraction();
        let (sign, numerator) = numerator.into_parts();
        (sign != Sign::NoSign).then(|| {
            Fraction { numerator: BigInt::from_biguint(sign, denominator), denominator: numerator }.into_rational()
        })?
    }

    /// The remainder of the division by `other`, with the sign of `self`; `None` if `other` is zero.
    #[must_use]
    pub fn remainder(&self, other: &Rational) -> Option<Rational> {
        let toward_zero = if self.signum() * other.signum() < 0 { Rounding::Up } else { Rounding::Down };
        self.minus(&self.multiple_of(other, toward_zero)?)
    }

    /// The number with the opposite sign.
    #[must_use]
    pub fn negated(&self) -> Rational {
        match self.wide().map(|(numerator, denominator)| (numerator.checked_neg(), denominator)) {
            Some((Some(numerator), denominator)) => {
                Rational::from_wide(numerator, denominator).expect("INVARIANT: a denominator is above zero")
            }
            _ => Rational::from_fraction(self.fraction().negated()),
        }
    }

    /// The number without its sign.
    #[must_use]
    pub fn absolute(&self) -> Rational {
        if self.signum() < 0 { self.negated() } else { self.clone() }
    }

    /// The power; a negative exponent gives the inverse. `None` also for zero to a negative power.
    #[must_use]
    pub fn power(&self, exponent: i64) -> Option<Rational> {
        let (mut base, mut left) = (self.clone(), exponent.unsigned_abs());
        if exponent < 0 {
            base = base.inverted()?;
        }
        let mut power = Rational::ONE;
        loop {
            if left % 2 == 1 {
                power = power.times(&base)?;
            }
            left /= 2;
            // More products would not change zero or one.
            if left == 0 || power.signum() == 0 || base == Rational::ONE {
                return Some(power);
            }
            base = base.times(&base)?;
        }
    }

    /// Rounds to an integer.
    #[must_use]
    pub fn rounded(&self, how: Rounding) -> Rational {
        if let Some((numerator, denominator)) = self.wide() {
            return Rational::whole(rounded_quotient(numerator, denominator, how));
        }
        Fraction { numerator: self.fraction().rounded(how), denominator: BigUint::from(1_u32) }.shrink()
    }

    /// Rounds to a multiple of `step`; `None` if `step` is not above zero, or the result is too large.
    #[must_use]
    pub fn rounded_to(&self, how: Rounding, step: &Rational) -> Option<Rational> {
        if step.signum() <= 0 {
            return None;
        }
        self.multiple_of(step, how)
    }

    /// Rounds to a multiple of `step`. The quotient may be too large for a number even if the multiple is not.
    fn multiple_of(&self, step: &Rational, how: Rounding) -> Option<Rational> {
        if let Some(times) = self.divided_by(step) {
            return times.rounded(how).times(step);
        }
        let (value, step) = (self.fraction(), step.fraction());
        let (sign, over) = (value.numerator * BigInt::from(step.denominator.clone())).into_parts();
        let (step_sign, under) = step.numerator.clone().into_parts();
        if step_sign == Sign::NoSign {
            return None;
        }
        let times = Fraction {
            numerator: BigInt::from_biguint(sign * step_sign, over),
            denominator: value.denominator * under,
        };
        Fraction { numerator: times.rounded(how) * step.numerator, denominator: step.denominator }.into_rational()
    }

    /// Rounds to an integer, if it fits 64 bits.
    pub fn rounded_to_i64(&self, how: Rounding) -> Option<i64> {
        self.rounded(how).to_i64()
    }

    /// The sum of many numbers, the same in any order.
    pub fn sum<'r>(numbers: impl IntoIterator<Item = &'r Rational>) -> Option<Rational> {
        const DENOMINATORS_MAX: usize = 16;
        // Adds sums of equally many numbers, so that large denominators are multiplied few times.
        let mut sums: Vec<(u32, Rational)> = Vec::new();
        // A few denominators are frequent: keeps a running sum for each of them.
        let mut running: Vec<(i128, i128)> = Vec::new();
        let push = |sums: &mut Vec<(u32, Rational)>, number: Rational| {
            let (mut rank, mut number) = (0, number);
            while let Some((_, before)) = sums.pop_if(|(known, _)| *known == rank) {
                number = before.plus_unreduced(&number)?;
                rank += 1;
            }
            sums.push((rank, number));
            Some(())
        };
        for number in numbers {
            let Some((numerator, denominator)) = number.wide() else {
                push(&mut sums, number.clone())?;
                continue;
            };
            match running.iter().position(|(_, of)| *of == denominator) {
                _ if numerator == 0 => {}
                Some(at) => match running[at].0.checked_add(numerator) {
                    Some(more) => running[at].0 = more,
                    None => push(&mut sums, number.clone())?,
                },
                None if running.len() < DENOMINATORS_MAX => running.push((numerator, denominator)),
                None => push(&mut sums, number.clone())?,
            }
        }
        let mut whole = Rational::ZERO;
        for (sum, of) in running {
            whole = whole.plus(&Rational::from_wide(sum, of)?)?;
        }
        if sums.is_empty() {
            return Some(whole);
        }
        while let Some((_, sum)) = sums.pop() {
            whole = sum.plus_unreduced(&whole)?;
        }
        whole.fraction().into_rational()
    }

    /// The sum, without reducing it to lowest terms.
    fn plus_unreduced(&self, other: &Rational) -> Option<Rational> {
        if let (RationalForm::Small(..), RationalForm::Small(..)) = (&self.0, &other.0) {
            return self.plus(other);
        }
        let sum = self.fraction().plus(&other.fraction());
        sum.is_within_bounds().then(|| Rational::from_fraction(sum))
    }

    /// The number as a fraction of any length.
    fn fraction(&self) -> Fraction {
        if let RationalForm::Large(large) = &self.0
            && let Large::Big(fraction) = large.as_ref()
        {
            return fraction.clone();
        }
        let (numerator, denominator) = self.wide().expect("INVARIANT: all but `Big` fit 128 bits");
        Fraction { numerator: BigInt::from(numerator), denominator: BigUint::from(denominator.unsigned_abs()) }
    }

    /// Numerator and denominator in lowest terms.
    fn lowest(&self) -> (BigInt, BigUint) {
        let Fraction { numerator, denominator } = self.fraction().reduced();
        (numerator, denominator)
    }
}

impl Fraction {
    /// The fraction as a number, in lowest terms unless it is long; `None` if it is too large.
    fn into_rational(self) -> Option<Rational> {
        self.is_within_bounds().then(|| self.shrink())
    }

    fn shrink(self) -> Rational {
        let shorter = if self.bits() <= fraction::REDUCED_BITS_MAX { self.reduced() } else { self };
        let wide = |fraction: &Fraction| {
            let denominator = i128::try_from(&fraction.denominator).ok()?;
            Rational::from_wide(i128::try_from(&fraction.numerator).ok()?, denominator)
        };
        wide(&shorter).unwrap_or_else(|| Rational::from_fraction(shorter))
    }
}

/// Rounds a quotient to an integer. The denominator is above zero.
#[inline]
pub(crate) fn rounded_quotient(numerator: i128, denominator: i128, how: Rounding) -> i128 {
    if denominator == 1 {
        return numerator;
    }
    // Divisions of 128 bits take several times as long.
    let (below, rest) = match (i64::try_from(numerator), i64::try_from(denominator)) {
        (Ok(numerator), Ok(denominator)) => {
            (numerator.div_euclid(denominator).into(), numerator.rem_euclid(denominator).into())
        }
        _ => (numerator.div_euclid(denominator), numerator.rem_euclid(denominator)),
    };
    let is_up = match (how, rest.cmp(&(denominator - rest))) {
        (Rounding::Down, _) => false,
        (Rounding::Up, _) => rest > 0,
        (Rounding::HalfAway | Rounding::HalfEven, Ordering::Less) => false,
        (Rounding::HalfAway | Rounding::HalfEven, Ordering::Greater) => true,
        (Rounding::HalfAway, Ordering::Equal) => numerator > 0,
        (Rounding::HalfEven, Ordering::Equal) => below % 2 != 0,
    };
    // A denominator of 2 or more leaves room for one more.
    below + i128::from(is_up)
}

impl Ord for Rational {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if let (RationalForm::Small(a, b), RationalForm::Small(c, d)) = (&self.0, &other.0) {
            if b == d {
                return a.cmp(c);
            }
            return (i128::from(*a) * i128::from(d.get())).cmp(&(i128::from(*c) * i128::from(b.get())));
        }
        self.compare(other)
    }
}

impl Rational {
    /// The order of two numbers, at least one of which does not fit 64 bits.
    #[inline(never)]
    fn compare(&self, other: &Rational) -> Ordering {
        if let (Some((a, b)), Some((c, d))) = (self.wide(), other.wide()) {
            if b == d {
                return a.cmp(&c);
            }
            if let (Some(left), Some(right)) = (a.checked_mul(d), c.checked_mul(b)) {
                return left.cmp(&right);
            }
        }
        self.signum().cmp(&other.signum()).then_with(|| {
            let (left, right) = (self.fraction(), other.fraction());
            let (over, under) = (BigInt::from(right.denominator), BigInt::from(left.denominator));
            (left.numerator * over).cmp(&(right.numerator * under))
        })
    }
}

impl PartialOrd for Rational {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rational {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rational {}

impl Hash for Rational {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.lowest().hash(state);
    }
}

impl Default for Rational {
    fn default() -> Self {
        Rational::ZERO
    }
}

impl From<i64> for Rational {
    #[inline]
    fn from(number: i64) -> Self {
        Rational(RationalForm::Small(number, NonZeroU64::MIN))
    }
}

#[cfg(test)]
mod tests;
