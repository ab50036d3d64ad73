//! Words of ASCII in a text: where they stand, each short one as a number, and what is known of them by such numbers. Knows no list and no
//! meaning.

use wide::u8x16;

use crate::words::block::{BLOCK, within};

/// A bit for each of these bytes.
#[inline]
pub(crate) fn equal(block: u8x16, byte: u8) -> u32 {
    block.simd_eq(u8x16::splat(byte)).to_bitmask()
}

/// A bit for each digit.
#[inline]
pub(crate) fn digits(block: u8x16) -> u32 {
    within(block, b'0', 10).to_bitmask()
}

/// A bit for each letter and digit.
#[inline]
pub(crate) fn letters(block: u8x16) -> u32 {
    (within(block | u8x16::splat(0x20), b'a', 26) | within(block, b'0', 10)).to_bitmask()
}

/// Each block of a text with its place, the last one with zeros behind the text.
#[inline]
pub(crate) fn blocks(text: &[u8]) -> impl Iterator<Item = (usize, u8x16)> {
    (0..text.len()).step_by(BLOCK).map(|at| (at, u8x16::new(sixteen(text, at).to_le_bytes())))
}

/// The next sixteen bytes as a number, the first of them the lowest; zeros behind the text.
#[inline]
pub(crate) fn sixteen(text: &[u8], at: usize) -> u128 {
    if let Some(bytes) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        return u128::from_le_bytes(*bytes);
    }
    if let Some(last) = text.last_chunk::<BLOCK>() {
        let missing = at + BLOCK - text.len();
        return u128::from_le_bytes(*last).checked_shr(8 * missing as u32).unwrap_or(0);
    }
    let mut bytes = [0; BLOCK];
    let rest = text.get(at..).unwrap_or_default();
    bytes.iter_mut().zip(rest).for_each(|(byte, rest)| *byte = *rest);
    u128::from_le_bytes(bytes)
}

/// The beginning of a word as a number, letters of both cases as one: all of a word of sixteen letters and digits or fewer. Where none stands it is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Word(u128);

impl Word {
    /// The letters and digits that stand here, and how many of them are known: sixteen are where there may be more.
    #[inline]
    pub(crate) fn at(text: &[u8], at: usize) -> (Self, usize) {
        let bytes = sixteen(text, at);
        let length = letters(u8x16::new(bytes.to_le_bytes())).trailing_ones() as usize;
        (Self((bytes | SMALL) & FIRST[length]), length)
    }

    /// Of letters and digits alone, and of sixteen at most.
    pub(crate) fn of(word: &[u8]) -> Option<Self> {
        let (number, length) = Self::at(word, 0);
        (length > 0 && length == word.len()).then_some(number)
    }

    /// Some of its letters, of which there is one at least.
    #[inline]
    pub(crate) fn part(self, from: usize, to: usize) -> Self {
        Self(self.0 >> (8 * from.min(BLOCK - 1)) & FIRST[(to - from).min(BLOCK)])
    }

    /// Whether there is a digit among so many letters.
    #[inline]
    pub(crate) fn has_digits(self, length: usize) -> bool {
        // Of these bits digits have one less than letters.
        self.0 & LETTER != LETTER & FIRST[length.min(BLOCK)]
    }

    #[inline]
    pub(crate) fn has_letters(self) -> bool {
        self.0 & LETTER != 0
    }

    #[inline]
    fn place(self, bits: u32) -> usize {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let mixed = (low ^ high.rotate_left(23).wrapping_mul(MIX)).wrapping_mul(MIX);
        ((mixed ^ mixed >> 29).wrapping_mul(MIX) >> (u64::BITS - bits)) as usize
    }
}

/// What makes a letter small and leaves a digit as it is, in each byte.
const SMALL: u128 = u128::from_ne_bytes([0x20; BLOCK]);
/// What letters have and digits have not, in each byte.
const LETTER: u128 = u128::from_ne_bytes([0x40; BLOCK]);
/// All bits of so many bytes.
const FIRST: [u128; BLOCK + 1] = {
    let mut first = [0; BLOCK + 1];
    let mut bytes = 1;
    while bytes <= BLOCK {
        first[bytes] = first[bytes - 1] << 8 | 0xff;
        bytes += 1;
    }
    first
};
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// What is known of some words: looked up alone once it is made, so that no text can fill it.
#[derive(Clone, Debug)]
pub(crate) struct Known<T> {
    /// A place without a word is zero; no more than half of them have one.
    words: Vec<u128>,
    values: Vec<T>,
    bits: u32,
}

impl<T: Copy + Default> Known<T> {
    /// Of a word that stands there twice the last counts.
    pub(crate) fn new(words: impl ExactSizeIterator<Item = (Word, T)>) -> Self {
        let places = (2 * words.len()).next_power_of_two().max(2);
        let mut known =
            Self { words: vec![0; places], values: vec![T::default(); places], bits: places.trailing_zeros() };
        for (word, value) in words {
            let place = known.find(word).unwrap_or_else(|free| free);
            known.words[place] = word.0;
            known.values[place] = value;
        }
        known
    }

    #[inline]
    pub(crate) fn get(&self, word: Word) -> Option<T> {
        // Nothing at all is no word, though a free place looks like it.
        self.find(word).ok().filter(|_| word.0 != 0).map(|place| self.values[place])
    }

    /// Where it is, or where it would be.
    #[inline]
    fn find(&self, word: Word) -> Result<usize, usize> {
        let mut place = word.place(self.bits);
        loop {
            match self.words[place] {
                there if there == word.0 => return Ok(place),
                0 => return Err(place),
                _ => place = (place + 1) & (self.words.len() - 1),
            }
        }
    }
}

/// Hands over where each word of ASCII begins, and whether one of the bytes that `marks` tells stands between it and the one before.
#[inline]
pub(crate) fn each_word(text: &[u8], mut marks: impl FnMut(u8x16) -> u32, mut take: impl FnMut(usize, bool)) {
    let (mut before, mut is_marked) = (0, false);
    for (place, block) in blocks(text) {
        let (letters, mut marks) = (letters(block), marks(block));
        let mut begins = letters & !(letters << 1 | before);
        before = letters >> (BLOCK - 1) & 1;
        while begins != 0 {
            let at = begins.trailing_zeros();
            begins &= begins - 1;
            let passed = (1 << at) - 1;
            take(place + at as usize, is_marked || marks & passed != 0);
            is_marked = false;
            marks &= !passed;
        }
        is_marked |= marks != 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{BLOCK, Known, Word, each_word, equal, sixteen};

    fn words(text: &[u8]) -> Vec<(usize, bool)> {
        let mut found = Vec::new();
        each_word(text, |block| equal(block, b'/'), |at, is_marked| found.push((at, is_marked)));
        found
    }

    proptest! {
        #[test]
        fn words_are_found_and_numbered(text in proptest::collection::vec(prop_oneof![
            Just(b' '), Just(b'/'), Just(b'@'), Just(b'['), Just(b'`'), Just(b'{'), Just(b':'), Just(0), Just(0xc3), b'a'..=b'z', b'A'..=b'Z', b'0'..=b'9',
        ], 0..70)) {
            let is_letter = |at: &usize| text.get(*at).is_some_and(u8::is_ascii_alphanumeric);
            let begins = |at: &usize| is_letter(at) && at.checked_sub(1).is_none_or(|before| !is_letter(&before));
            let (mut from, mut expected) = (0, Vec::new());
            for at in (0..text.len()).filter(begins) {
                expected.push((at, text[from..at].contains(&b'/')));
                from = at;
            }
            prop_assert_eq!(words(&text), expected);
            for at in 0..text.len() {
                let (word, length) = Word::at(&text, at);
                let run = text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                prop_assert_eq!(length, run.min(BLOCK));
                let small = text[at..at + length].to_ascii_lowercase();
                prop_assert_eq!(Word::of(&small), (length > 0).then_some(word));
                if length > 0 {
                    prop_assert_eq!(word.has_digits(length), small.iter().any(u8::is_ascii_digit));
                    let part = word.part(length / 2, length);
                    prop_assert_eq!(Word::of(&small[length / 2..]), Some(part));
                }
            }
        }

        #[test]
        fn what_is_known_of_a_word_is_found(words in proptest::collection::vec(("[a-c0]{1,3}|[a-z]{14,16}", any::<u32>()), 0..40), other in "[a-c0]{1,3}") {
            let number = |word: &String| Word::of(word.as_bytes()).expect("a short word");
            let known = Known::new(words.iter().map(|(word, value)| (number(word), *value)));
            let plain: HashMap<&String, u32> = words.iter().map(|(word, value)| (word, *value)).collect();
            for (word, value) in &plain {
                prop_assert_eq!(known.get(number(word)), Some(*value));
            }
            prop_assert_eq!(known.get(number(&other)), plain.get(&other).copied());
        }
    }

    #[test]
    fn behind_a_text_are_zeros() {
        let text = b"0123456789abcdefgh";
        for length in 0..=text.len() {
            for at in 0..length + 20 {
                let there: Vec<u8> = text[..length].iter().copied().skip(at).chain([0; BLOCK]).take(BLOCK).collect();
                assert_eq!(sixteen(&text[..length], at).to_le_bytes().as_slice(), there, "{length} {at}");
            }
        }
    }

    #[test]
    fn a_long_word_is_no_number() {
        assert_eq!(Word::of(b"abcdefghijklmnopq"), None);
        assert_eq!((Word::of(b""), Word::of(b"a b")), (None, None));
        assert_eq!(Known::new([(Word::at(b"a", 0).0, 7)].into_iter()).get(Word::at(b"-", 0).0), None);
        assert_eq!(Word::of(b"abcdefghijklmnop").map(|_| ()), Some(()));
    }
}
