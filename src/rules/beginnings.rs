//! Where in a text a word of many may begin: sixteen bytes at a time, and by its first three letters. Knows neither lists nor what the words are
//! beyond that.

use wide::u8x16;

/// Bytes looked at in one go.
const BLOCK: usize = 16;

/// What words begin with.
#[derive(Clone, Debug)]
pub(super) struct Beginnings {
    /// A bit for every three bytes that some word begins with, of each its lower five bits: letters are told apart, in either case.
    starts: Vec<u64>,
    /// Bytes that words begin with, letters and digits of ASCII aside.
    signs: Vec<u8>,
}

impl Beginnings {
    /// Of words none of which is empty.
    pub(super) fn new(words: &[impl AsRef<[u8]>]) -> Self {
        let mut found = Self { starts: vec![0; (1 << 15) / 64], signs: Vec::new() };
        for word in words.iter().map(AsRef::as_ref) {
            // Behind a short word anything may stand.
            match word {
                [] => {}
                [first] => (0..1 << 10).for_each(|rest| found.add(low(*first) << 10 | rest)),
                [first, second] => (0..1 << 5).for_each(|third| found.add(pair(*first, *second) | third)),
                [first, second, third, ..] => found.add(pair(*first, *second) | low(*third)),
            }
            let signs = word.first().filter(|first| !first.is_ascii_alphanumeric() && !found.signs.contains(first));
            found.signs.extend(signs.copied());
        }
        found
    }

    fn add(&mut self, start: usize) {
        self.starts[start / 64] |= 1 << (start % 64);
    }

    /// Hands over every place where a word may begin, in their order. Between two letters or digits of ASCII none does.
    #[inline]
    pub(super) fn each(&self, text: &[u8], mut take: impl FnMut(usize)) {
        let mut before = 0;
        let mut place = 0;
        while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
            let bytes = rest.first_chunk().copied().unwrap_or_else(|| {
                let mut last = [0; BLOCK];
                last[..rest.len()].copy_from_slice(rest);
                last
            });
            let block = u8x16::new(bytes);
            let letters = letters(block);
            let signs = self.signs.iter().fold(0, |all, sign| all | block.simd_eq(u8x16::splat(*sign)).to_bitmask());
            let mut begins = letters & !(letters << 1 | before) | signs;
            before = letters >> (BLOCK - 1) & 1;
            while begins != 0 {
                let at = place + begins.trailing_zeros() as usize;
                begins &= begins - 1;
                if self.begins(text, at) {
                    take(at);
                }
            }
            place += BLOCK;
        }
    }

    /// Whether some word may begin there.
    #[inline]
    fn begins(&self, text: &[u8], at: usize) -> bool {
        let start = match text.get(at..) {
            Some([first, second, third, ..]) => pair(*first, *second) | low(*third),
            Some([first, second]) => pair(*first, *second),
            Some([first]) => low(*first) << 10,
            _ => return false,
        };
        self.starts[start / 64] >> (start % 64) & 1 != 0
    }
}

fn low(byte: u8) -> usize {
    usize::from(byte & 31)
}

fn pair(first: u8, second: u8) -> usize {
    low(first) << 10 | low(second) << 5
}

/// A bit for each letter and digit of ASCII.
#[inline]
fn letters(block: u8x16) -> u32 {
    let within = |block: u8x16, first: u8, count: u8| {
        let above = block - u8x16::splat(first);
        above.min(u8x16::splat(count - 1)).simd_eq(above)
    };
    (within(block | u8x16::splat(0x20), b'a', 26) | within(block, b'0', 10)).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::Beginnings;

    #[test]
    fn every_word_begins_at_a_place_that_is_handed_over() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut draw = |letters: &[u8], least: u64, most: u64| {
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state >> 11
            };
            (0..least + next() % (most - least)).map(|_| letters[next() as usize % letters.len()]).collect::<Vec<u8>>()
        };
        let mut all = 0;
        for _ in 0..2_000 {
            let words: Vec<Vec<u8>> = (0..4).map(|_| draw(b"abz09/@[`{\xc3\xa1", 1, 4)).collect();
            let text = draw(b"abzABZ0189/:@[`{ \x00\xc3\xa1\xff", 0, 70);
            let mut found = Vec::new();
            Beginnings::new(&words).each(&text, |at| found.push(at));
            for at in 0..text.len() {
                let lower = text[at..].to_ascii_lowercase();
                let is_within = at > 0 && text[at].is_ascii_alphanumeric() && text[at - 1].is_ascii_alphanumeric();
                let begins = !is_within && words.iter().any(|word| lower.starts_with(word));
                assert!(!begins || found.contains(&at), "{words:?} {text:?} {at}");
                assert!(!is_within || !found.contains(&at), "{words:?} {text:?} {at}");
                all += usize::from(begins);
            }
            assert!(found.is_sorted() && found.iter().all(|at| *at < text.len()));
        }
        assert!(all > 1_000, "{all}");
    }
}
