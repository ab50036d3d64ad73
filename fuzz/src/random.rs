//! Choices, from a seed or from the bytes of a fuzzer. Knows nothing of what is chosen.

/// The source of choices: first the bytes, then the seed if there is one, then always the first option.
pub struct Source<'b> {
    bytes: &'b [u8],
    state: Option<u64>,
}

impl Source<'static> {
    /// Endless choices from a seed.
    pub fn seeded(seed: u64) -> Self {
        Source { bytes: &[], state: Some(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d) }
    }
}

impl<'b> Source<'b> {
    /// Choices spelt out by the bytes.
    pub fn spelt(bytes: &'b [u8]) -> Self {
        Source { bytes, state: None }
    }

    /// Choices spelt out by the bytes, and then others derived from them.
    pub fn begun(bytes: &'b [u8]) -> Self {
        let seed = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |seed, byte| (seed ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        Source { bytes, state: Some(seed) }
    }

    /// The next 64 bits; from bytes, one byte.
    pub fn draw(&mut self) -> u64 {
        if let Some((first, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            return u64::from(*first);
        }
        let Some(state) = &mut self.state else { return 0 };
        // SplitMix64.
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0, below `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.draw() % end.max(1) as u64) as usize
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of the list.
    pub fn one<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}
