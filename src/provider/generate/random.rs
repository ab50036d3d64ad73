//! Reproducible random numbers: the documented stream of ChaCha8, and a few ways of drawing from it. Integers only,
//! because floating-point logarithms and powers differ between machines.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of random draws.
pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// Stream `stream` of the key. Streams of one key are independent.
    pub(crate) fn new(key: [u8; 32], stream: u64) -> Self {
        let mut source = ChaCha8Rng::from_seed(key);
        source.set_stream(stream);
        Self(source)
    }

    /// An integer in `0..bound`, and 0 if `bound` is 0. The bias is below 2^-40 for the bounds in use here.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// An integer in `low..=high`; `low` if the range is empty.
    pub(crate) fn range(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(0) as u64) as i64
    }

    /// True `permille` times in a thousand.
    pub(crate) fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < u64::from(permille)
    }

    /// One of the items, all equally likely. The list must not be empty.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &'a [&'a T]) -> &'a T {
        items[self.below(items.len() as u64) as usize]
    }

    /// An index into a list of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// One of the items, with a probability in proportion to its weight. The list must not be empty.
    pub(crate) fn weighted<T: Copy>(&mut self, items: &[(T, u32)]) -> T {
        let total: u64 = items.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let mut left = self.below(total);
        for (item, weight) in items {
            if left < u64::from(*weight) {
                return *item;
            }
            left -= u64::from(*weight);
        }
        items[0].0
    }

    /// Bell-shaped around `centre`, within `spread` thousandths of it: the mean of four uniform draws.
    pub(crate) fn around(&mut self, centre: i64, spread: i64) -> i64 {
        let sum: i64 = (0..4).map(|_| self.range(-1000, 1000)).sum();
        centre + (i128::from(centre) * i128::from(spread) * i128::from(sum) / 4_000_000) as i64
    }

    /// Often near `low`, rarely near `high`: the product of two uniform draws.
    pub(crate) fn skewed(&mut self, low: i64, high: i64) -> i64 {
        let share = self.below(1001) * self.below(1001);
        low + (i128::from(high - low) * i128::from(share) / 1_000_000) as i64
    }

    /// `count` decimal digits.
    pub(crate) fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.below(10) as u8)).collect()
    }

    /// `2 * bytes` hexadecimal digits.
    pub(crate) fn hex(&mut self, bytes: usize) -> String {
        (0..bytes * 2).map(|_| char::from(b"0123456789abcdef"[self.below(16) as usize])).collect()
    }
}

/// Rounds an amount to a multiple of `step`, and to at least one step.
pub(crate) fn round_to_multiple(amount: i64, step: i64) -> i64 {
    ((amount + step / 2) / step * step).max(step)
}
