//! Words of ASCII in a text: where they stand, 64 bytes at a time, each short one as a number, and what is known of them by such numbers. Knows no list
//! and no meaning.

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
    text.chunks(BLOCK).enumerate().map(|(number, bytes)| {
        let at = number * BLOCK;
        (at, u8x16::new(bytes.first_chunk().copied().unwrap_or_else(|| sixteen(text, at).to_le_bytes())))
    })
}

/// Bytes of a text that are looked at together.
pub(crate) const STRETCH: usize = u64::BITS as usize;

/// What stands in a stretch of a text: a bit for each of its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<const MARKS: usize> {
    /// Letters and digits.
    pub letters: u64,
    pub digits: u64,
    /// What whoever looks wants to be told of beside.
    pub marks: [u64; MARKS],
}

/// The stretches of a text, each with its place.
#[inline]
pub(crate) fn stretches(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.chunks(STRETCH).enumerate().map(|(number, bytes)| (number * STRETCH, bytes))
}

impl<const MARKS: usize> Stretch<MARKS> {
    /// Of as many bytes as a stretch has, or fewer.
    #[inline]
    pub(crate) fn of(bytes: &[u8], mut marks: impl FnMut(u8x16) -> [u32; MARKS]) -> Self {
        let mut stretch = Self { letters: 0, digits: 0, marks: [0; MARKS] };
        for (place, block) in blocks(bytes) {
            stretch.letters |= u64::from(letters(block)) << place;
            stretch.digits |= u64::from(digits(block)) << place;
            stretch.marks.iter_mut().zip(marks(block)).for_each(|(all, marks)| *all |= u64::from(marks) << place);
        }
        stretch
    }

    /// Where words begin. `before` is a one where the stretch before ends within a word, and then where this one does.
    #[inline]
    pub(crate) fn begins(&self, before: &mut u64) -> u64 {
        let begins = self.letters & !(self.letters << 1 | *before);
        *before = self.letters >> (STRETCH - 1);
        begins
    }

    /// How many letters and digits stand there; as many as a stretch has where there may be more behind it.
    #[inline]
    pub(crate) fn length(&self, at: usize) -> usize {
        let length = (self.letters >> at).trailing_ones() as usize;
        if at + length == STRETCH { STRETCH } else { length }
    }
}

/// The places of the bits that are set.
#[inline]
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        at
    })
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

/// Sixteen bytes with small letters in place of capital ones.
#[inline]
pub(crate) fn small(bytes: u128) -> u128 {
    let block = u8x16::new(bytes.to_le_bytes());
    u128::from_le_bytes((block | within(block, b'A', 26) & u8x16::splat(0x20)).to_array())
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

    /// The first of so many letters and digits that are known to stand here.
    #[inline]
    pub(crate) fn first(text: &[u8], at: usize, length: usize) -> Self {
        Self((sixteen(text, at) | SMALL) & FIRST[length.min(BLOCK)])
    }

    /// Of letters and digits alone, and of sixteen at most.
    pub(crate) fn of(word: &[u8]) -> Option<Self> {
        let (number, length) = Self::at(word, 0);
        (length > 0 && length == word.len()).then_some(number)
    }

    /// Whether there may be more of it: it has as many letters as a number holds.
    pub(crate) fn is_full(self) -> bool {
        self.0 >> (8 * (BLOCK - 1)) != 0
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
/// All bits of so many bytes.
pub(crate) const FIRST: [u128; BLOCK + 1] = {
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{BLOCK, Known, STRETCH, Stretch, Word, equal, ones, sixteen, stretches};

    /// Where each word begins, how many letters of it are known, and where its digits are.
    fn words(text: &[u8]) -> Vec<(usize, usize, u64)> {
        let (mut found, mut before) = (Vec::new(), 0);
        for (start, bytes) in stretches(text) {
            let stretch = Stretch::of(bytes, |block| [equal(block, b'/')]);
            let is_mark = |at: &usize| bytes.get(*at) == Some(&b'/');
            assert!(ones(stretch.marks[0]).eq((0..STRETCH).filter(is_mark)));
            found.extend(ones(stretch.begins(&mut before)).map(|at| {
                let length = stretch.length(at);
                (start + at, length, stretch.digits >> at & ((1 << length.min(BLOCK)) - 1))
            }));
        }
        found
    }

    proptest! {
        #[test]
        fn words_are_found_and_numbered(text in proptest::collection::vec(prop_oneof![
            Just(b' '), Just(b'/'), Just(b'@'), Just(b'['), Just(b'`'), Just(b'{'), Just(b':'), Just(0), Just(0xc3), b'a'..=b'z', b'A'..=b'Z', b'0'..=b'9',
        ], 0..150)) {
            let is_letter = |at: &usize| text.get(*at).is_some_and(u8::is_ascii_alphanumeric);
            let begins = |at: &usize| is_letter(at) && at.checked_sub(1).is_none_or(|before| !is_letter(&before));
            let mut expected = Vec::new();
            for at in (0..text.len()).filter(begins) {
                let length = text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                let known = length.min(STRETCH - at % STRETCH);
                let digits = text[at..at + known].iter().take(BLOCK).zip(0..);
                let digits = digits.fold(0, |digits, (byte, place)| digits | u64::from(byte.is_ascii_digit()) << place);
                expected.push((at, if at % STRETCH + known == STRETCH { STRETCH } else { length }, digits));
            }
            prop_assert_eq!(words(&text), expected);
            for at in 0..text.len() {
                let (word, length) = Word::at(&text, at);
                let run = text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                prop_assert_eq!(length, run.min(BLOCK));
                let small = text[at..at + length].to_ascii_lowercase();
                prop_assert_eq!(Word::of(&small), (length > 0).then_some(word));
                if length > 0 {
                    prop_assert_eq!(Word::first(&text, at, length), word);
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
