//! A positive number between two bounds, for comparisons that must be right: sums and products round the lower bound
//! down and the upper bound up, in integers only. `N` is the precision, in limbs of 64 bits.

use std::cmp::Ordering;

/// A number above zero: limbs, the least significant first and the top bit set, times two to the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point<const N: usize> {
    limbs: [u64; N],
    exponent: i64,
}

/// A number that is at least `low` and at most `high`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded<const N: usize> {
    pub low: Point<N>,
    pub high: Point<N>,
}

impl<const N: usize> Point<N> {
    /// A whole number above zero, exactly.
    pub(super) fn whole(number: u64) -> Point<N> {
        let mut limbs = [0; N];
        let shift = number.leading_zeros();
        limbs[N - 1] = number << shift;
        Point { limbs, exponent: -64 * (N as i64 - 1) - i64::from(shift) }
    }

    /// The double, exactly; `None` unless it is above zero and normal.
    pub(super) fn from_f64(double: f64) -> Option<Point<N>> {
        if !double.is_normal() || double < 0.0 {
            return None;
        }
        let bits = double.to_bits();
        let exponent = (bits >> 52) as i64 - 1075;
        let mut point = Point::whole((bits & ((1 << 52) - 1)) | (1 << 52));
        point.exponent += exponent;
        Some(point)
    }

    /// The product, rounded down.
    fn times(&self, other: &Point<N>) -> Point<N> {
        let (mut below, mut limbs) = ([0_u64; N], [0_u64; N]);
        for (at, left) in self.limbs.iter().enumerate() {
            let mut carry = 0_u128;
            for (shift, right) in other.limbs.iter().enumerate() {
                let place = at + shift;
                let limb = if place < N { &mut below[place] } else { &mut limbs[place - N] };
                carry += u128::from(*limb) + u128::from(*left) * u128::from(*right);
                *limb = carry as u64;
                carry >>= 64;
            }
            limbs[at] = carry as u64;
        }
        let mut exponent = self.exponent + other.exponent + 64 * N as i64;
        if limbs[N - 1] >> 63 == 0 {
            shift_left_by_one(&mut limbs, below[N - 1] >> 63);
            exponent -= 1;
        }
        Point { limbs, exponent }
    }

    /// The sum, rounded down.
    fn plus(&self, other: &Point<N>) -> Point<N> {
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shifted = shifted_right(&small.limbs, (large.exponent - small.exponent).unsigned_abs());
        let (mut limbs, mut carry) = ([0; N], 0_u128);
        for (limb, (left, right)) in limbs.iter_mut().zip(large.limbs.iter().zip(shifted)) {
            carry += u128::from(*left) + u128::from(right);
            *limb = carry as u64;
            carry >>= 64;
        }
        let mut exponent = large.exponent;
        if carry > 0 {
            limbs = shifted_right(&limbs, 1);
            limbs[N - 1] |= 1 << 63;
            exponent += 1;
        }
        Point { limbs, exponent }
    }

    /// The next greater number of this precision.
    pub(super) fn next(mut self) -> Point<N> {
        for limb in &mut self.limbs {
            let (sum, overflows) = limb.overflowing_add(1);
            *limb = sum;
            if !overflows {
                return self;
            }
        }
        self.limbs[N - 1] = 1 << 63;
        self.exponent += 1;
        self
    }

    /// Half the sum, rounded down.
    pub(super) fn middle(&self, other: &Point<N>) -> Point<N> {
        let mut sum = self.plus(other);
        sum.exponent -= 1;
        sum
    }

    /// This share of the number: `self x numerator / 2^bits`, rounded down.
    pub(super) fn scaled(&self, numerator: u64, bits: i64) -> Point<N> {
        let mut product = self.times(&Point::whole(numerator));
        product.exponent -= bits;
        product
    }
}

impl<const N: usize> Ord for Point<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.exponent.cmp(&other.exponent).then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl<const N: usize> PartialOrd for Point<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Bounded<N> {
    /// Exactly this number.
    pub(super) fn exactly(point: Point<N>) -> Bounded<N> {
        Bounded { low: point, high: point }
    }

    /// The product.
    pub(super) fn times(&self, other: &Bounded<N>) -> Bounded<N> {
        Bounded { low: self.low.times(&other.low), high: self.high.times(&other.high).next() }
    }

    /// The sum.
    pub(super) fn plus(&self, other: &Bounded<N>) -> Bounded<N> {
        Bounded { low: self.low.plus(&other.low), high: self.high.plus(&other.high).next() }
    }

    /// The number to the power of `exponent`, by squaring.
    pub(super) fn power(&self, mut exponent: u64) -> Bounded<N> {
        let (mut square, mut power) = (*self, Bounded::exactly(Point::whole(1)));
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = power.times(&square);
            }
            exponent /= 2;
            if exponent > 0 {
                square = square.times(&square);
            }
        }
        power
    }

    /// How the number compares to `other`; `None` if the bounds do not say.
    pub(super) fn compared_to(&self, other: &Bounded<N>) -> Option<Ordering> {
        if self.high < other.low {
            Some(Ordering::Less)
        } else if self.low > other.high {
            Some(Ordering::Greater)
        } else {
            None
        }
    }
}

fn shift_left_by_one<const N: usize>(limbs: &mut [u64; N], mut carry: u64) {
    for limb in limbs {
        (*limb, carry) = (*limb << 1 | carry, *limb >> 63);
    }
}

fn shifted_right<const N: usize>(limbs: &[u64; N], by: u64) -> [u64; N] {
    let (whole, bits) = (usize::try_from(by / 64).unwrap_or(usize::MAX), by % 64);
    let limb = |at: usize| limbs.get(at).copied().unwrap_or(0);
    std::array::from_fn(|at| match at.checked_add(whole) {
        None => 0,
        Some(from) if bits == 0 => limb(from),
        Some(from) => limb(from) >> bits | from.checked_add(1).map_or(0, limb) << (64 - bits),
    })
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::{Bounded, Point};

    fn exactly(number: u64) -> Bounded<2> {
        Bounded::exactly(Point::whole(number))
    }

    #[test]
    fn bounds_hold_the_exact_result() {
        for number in [1, 3, 10, 999_999_937, u64::MAX] {
            let whole = exactly(number);
            // Within 128 bits a square is exact, so that only the caution of the upper bound remains.
            let square = whole.times(&whole);
            assert_eq!(square.low, whole.power(2).low);
            assert!(square.low < square.high);
            assert_eq!(whole.plus(&whole).low, whole.times(&exactly(2)).low);
            assert_eq!(whole.low.middle(&whole.low), whole.low);
        }
        // 3^200 needs 317 bits: bounds in 128 bits are apart, and contain what 512 bits know.
        let power = exactly(3).power(200);
        let finer = Bounded::<8>::exactly(Point::whole(3)).power(200);
        let widened = |point: Point<2>| {
            let mut limbs = [0; 8];
            limbs[6..].copy_from_slice(&point.limbs);
            Point::<8> { limbs, exponent: point.exponent - 6 * 64 }
        };
        assert!(widened(power.low) < finer.low && finer.high < widened(power.high));
    }

    #[test]
    fn order_is_that_of_numbers() {
        let points: Vec<Point<2>> = [1, 2, 3, 4, 1 << 40, u64::MAX].map(Point::whole).to_vec();
        assert!(points.is_sorted_by(|left, right| left < right));
        assert!(points.iter().all(|point| *point < point.next()));
        assert_eq!(Point::<2>::from_f64(6.0), Some(Point::whole(6)));
        assert_eq!(Point::<2>::whole(3).scaled(1, 1), Point::from_f64(1.5).expect("normal"));
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324] {
            assert_eq!(Point::<2>::from_f64(odd), None);
        }
        assert_eq!(exactly(1).compared_to(&exactly(2)), Some(Ordering::Less));
        assert_eq!(exactly(2).compared_to(&exactly(1)), Some(Ordering::Greater));
        // Bounds never prove that two numbers are equal.
        assert_eq!(exactly(2).compared_to(&exactly(2)), None);
        let tiny = Bounded::exactly(Point::whole(1).scaled(1, 100_000));
        assert_eq!(tiny.plus(&exactly(1)).low, Point::whole(1));
    }
}
