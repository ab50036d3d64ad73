//! Interval arithmetic on numbers. Sound: every result contains all values that the evaluator may return. The
//! evaluator is exact and interval ends are doubles, so a rounded end is moved outward. Knows no program.

use crate::base::rational::{Rational, Rounding};

/// From here on, a float may not hold a whole number exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// What rounding may add to a mean or a quantile, relative to the largest value.
const SLACK: f64 = 1e-6;

/// How far a computed end may be off, relative to its inputs: two decimal ends, and one rounding.
const ROUNDED: f64 = 4.0 * f64::EPSILON;

/// All numbers from `low` to `high`. An open end is excluded. Never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
    pub low_closed: bool,
    pub high_closed: bool,
}

impl Interval {
    pub(crate) const ALL: Interval =
        Interval { low: f64::NEG_INFINITY, high: f64::INFINITY, low_closed: false, high_closed: false };
    pub(crate) const NOT_NEGATIVE: Interval = Interval { low: 0.0, low_closed: true, ..Interval::ALL };

    /// From `low` to `high`, both included; infinite ends are open.
    pub(crate) fn closed(low: f64, high: f64) -> Interval {
        Interval { low, high, low_closed: low.is_finite(), high_closed: high.is_finite() }
    }

    pub(crate) fn point(value: f64) -> Interval {
        Interval::closed(value, value)
    }

    /// An exact number: a double, or the interval between its two neighbours.
    pub(crate) fn exact(value: &Rational) -> Interval {
        let nearest = value.to_f64();
        match value.as_f64() {
            Some(double) => Interval::point(double),
            None => Interval::closed(nearest.next_down(), nearest.next_up()),
        }
    }

    /// A whole number, widened where a float cannot hold it.
    pub(crate) fn whole(value: i64) -> Interval {
        Interval::point(value as f64).widened()
    }

    /// Ends beyond what a float holds exactly are moved outward by one step.
    pub(crate) fn widened(self) -> Interval {
        let low = if self.low.abs() >= EXACT_MAX { self.low.next_down() } else { self.low };
        let high = if self.high.abs() >= EXACT_MAX { self.high.next_up() } else { self.high };
        Interval { low, high, ..self }
    }

    /// The whole numbers in it: ends move inward to whole numbers. `None` if there are none.
    pub(crate) fn of_whole(self) -> Option<Interval> {
        let low = if self.low_closed { self.low.ceil() } else { self.low.floor() + 1.0 };
        let high = if self.high_closed { self.high.floor() } else { self.high.ceil() - 1.0 };
        (low <= high).then(|| Interval::closed(low, high).widened())
    }

    pub(crate) fn contains(self, value: f64) -> bool {
        let above = value > self.low || (value == self.low && self.low_closed);
        above && (value < self.high || (value == self.high && self.high_closed))
    }

    pub(crate) fn is_point(self) -> bool {
        self.low == self.high
    }

    /// The smallest interval that contains both.
    pub(crate) fn hull(self, other: Interval) -> Interval {
        let (low, low_closed) = self.lower(other);
        let negated = self.negate().lower(other.negate());
        Interval { low, low_closed, high: -negated.0, high_closed: negated.1 }
    }

    fn lower(self, other: Interval) -> (f64, bool) {
        match self.low.partial_cmp(&other.low) {
            Some(std::cmp::Ordering::Less) => (self.low, self.low_closed),
            Some(std::cmp::Ordering::Greater) => (other.low, other.low_closed),
            _ => (self.low, self.low_closed || other.low_closed),
        }
    }

    /// The intersection; `None` if empty.
    pub(crate) fn meet(self, other: Interval) -> Option<Interval> {
        let (low, low_closed) = self.upper_low(other);
        let (high, high_closed) = self.negate().upper_low(other.negate());
        let met = Interval { low, low_closed, high: -high, high_closed };
        (met.low < met.high || (met.is_point() && low_closed && high_closed)).then_some(met)
    }

    fn upper_low(self, other: Interval) -> (f64, bool) {
        match self.low.partial_cmp(&other.low) {
            Some(std::cmp::Ordering::Greater) => (self.low, self.low_closed),
            Some(std::cmp::Ordering::Less) => (other.low, other.low_closed),
            _ => (self.low, self.low_closed && other.low_closed),
        }
    }

    pub(crate) fn negate(self) -> Interval {
        // Avoids -0.0, which would be shown to people.
        let flip = |end: f64| 0.0 - end;
        Interval {
            low: flip(self.high),
            high: flip(self.low),
            low_closed: self.high_closed,
            high_closed: self.low_closed,
        }
    }

    pub(crate) fn abs(self) -> Interval {
        if self.low >= 0.0 {
            return self;
        }
        let negated = self.negate();
        if self.high <= 0.0 {
            return negated;
        }
        Interval { low: 0.0, low_closed: true, ..self.hull(negated) }
    }

    pub(crate) fn add(self, other: Interval) -> Interval {
        let sum = |a: f64, b: f64, outward: f64| {
            let is_whole = a.fract() == 0.0 && b.fract() == 0.0;
            match a + b {
                sum if is_whole || a == 0.0 || b == 0.0 || !sum.is_finite() => sum,
                sum => sum + outward * (a.abs() + b.abs()) * ROUNDED,
            }
        };
        Interval::closed(sum(self.low, other.low, -1.0), sum(self.high, other.high, 1.0)).widened()
    }

    pub(crate) fn subtract(self, other: Interval) -> Interval {
        self.add(other.negate())
    }

    pub(crate) fn multiply(self, other: Interval) -> Interval {
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let is_exact = |a: f64, b: f64| a.fract() == 0.0 && b.fract() == 0.0;
        self.corners(other, product, is_exact).widened()
    }

    /// The quotients for divisors other than 0; `None` if the divisor is always 0.
    pub(crate) fn divide(self, other: Interval) -> Option<Interval> {
        if other.low < 0.0 && other.high > 0.0 {
            return Some(if self.is_point() && self.low == 0.0 { self } else { Interval::ALL });
        }
        if other.low == 0.0 && other.high == 0.0 {
            return None;
        }
        // A divisor near 0 leaves the quotient unbounded on the side of its sign.
        let near_zero = if other.high <= 0.0 { -0.0 } else { 0.0 };
        let quotient = |a: f64, b: f64| match (a == 0.0, b == 0.0) {
            (true, _) => 0.0,
            (false, true) => a / near_zero,
            _ if a.is_infinite() && b.is_infinite() => 0.0,
            _ => a / b,
        };
        let is_exact = |a: f64, b: f64| a.fract() == 0.0 && b.fract() == 0.0 && a % b == 0.0;
        Some(self.corners(other, quotient, is_exact))
    }

    fn corners(
        self,
        other: Interval,
        apply: impl Fn(f64, f64) -> f64,
        is_exact: impl Fn(f64, f64) -> bool,
    ) -> Interval {
        let all = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let values = all.map(|(a, b)| {
            let value = apply(a, b);
            let is_kept = value == 0.0 || value.is_infinite() || b.abs() == 1.0 || is_exact(a, b);
            (value, if is_kept { 0.0 } else { value.abs() * ROUNDED })
        });
        let low = values.iter().map(|(value, slack)| value - slack).fold(f64::INFINITY, f64::min);
        let high = values.iter().map(|(value, slack)| value + slack).fold(f64::NEG_INFINITY, f64::max);
        Interval::closed(low, high)
    }

    /// The remainder: it has the dividend's sign and is smaller than the divisor.
    pub(crate) fn remainder(self, other: Interval) -> Interval {
        let largest = self.abs().high.min(other.abs().high);
        let low = if self.low >= 0.0 { 0.0 } else { -largest };
        let high = if self.high <= 0.0 { 0.0 } else { largest };
        Interval::closed(low, high).widened()
    }

    pub(crate) fn least(self, other: Interval) -> Interval {
        let (low, low_closed) = self.lower(other);
        let (high, high_closed) = self.negate().upper_low(other.negate());
        Interval { low, low_closed, high: -high, high_closed }
    }

    pub(crate) fn greatest(self, other: Interval) -> Interval {
        self.negate().least(other.negate()).negate()
    }

    /// The possible means, quantiles and the like of values in it, with rounding. They stay on the same side of 0.
    pub(crate) fn blurred(self) -> Interval {
        let slack =
            |end: f64| if end.is_finite() { self.low.abs().max(self.high.abs()).min(f64::MAX) * SLACK } else { 0.0 };
        let (mut low, mut high) = (self.low, self.high);
        // With an infinite end the largest value is unknown, so only the sign is certain.
        if self.low.is_finite() && self.high.is_finite() {
            low -= slack(low);
            high += slack(high);
        } else {
            low = if self.low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
            high = if self.high <= 0.0 { 0.0 } else { f64::INFINITY };
        }
        low = if self.low >= 0.0 { low.max(0.0) } else { low };
        high = if self.high <= 0.0 { high.min(0.0) } else { high };
        Interval::closed(low, high)
    }

    /// Values rounded to a step between `step.low` and `step.high`.
    pub(crate) fn rounded(self, how: Rounding, step: Interval) -> Interval {
        if !step.is_point() || step.low <= 0.0 {
            let most = step.high.max(0.0) * (1.0 + SLACK);
            let low = if self.low >= 0.0 { 0.0 } else { self.low - most };
            let high = if self.high <= 0.0 { 0.0 } else { self.high + most };
            return Interval::closed(low, high).widened();
        }
        let step = step.low;
        // A value within a millionth of a whole number of steps counts as whole.
        let steps = |end: f64, side: f64| {
            let steps = end / step;
            let steps = steps + side * (SLACK + steps.abs() * 1e-12);
            let whole = match how {
                Rounding::Down => steps.floor(),
                Rounding::Up => steps.ceil(),
                Rounding::HalfAway => steps.round(),
                Rounding::HalfEven => steps.round_ties_even(),
            };
            if end.is_infinite() { end } else { whole * step }
        };
        let (low, high) = (steps(self.low, -1.0), steps(self.high, 1.0));
        let low = if self.low >= 0.0 { low.max(0.0) } else { low };
        let high = if self.high <= 0.0 { high.min(0.0) } else { high };
        Interval::closed(low, high).widened()
    }
}
