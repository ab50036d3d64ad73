//! Finds ASCII words in a text, 64 bytes at a time, and packs each short word into a number that serves as a key. Knows
//! no list and no meaning.

use wide::u8x16;

use crate::base::block::{BLOCK, mask_byte_range};

/// A bit for each byte equal to `byte`.
#[inline]
pub(crate) fn mask_equal_bytes(block: u8x16, byte: u8) -> u32 {
    block.simd_eq(u8x16::splat(byte)).to_bitmask()
}

/// A bit for each digit.
#[inline]
pub(crate) fn mask_digit_bytes(block: u8x16) -> u32 {
    mask_byte_range(block, b'0', 10).to_bitmask()
}

/// A bit for each letter and digit.
#[inline]
pub(crate) fn mask_word_bytes(block: u8x16) -> u32 {
    (mask_byte_range(block | u8x16::splat(0x20), b'a', 26) | mask_byte_range(block, b'0', 10)).to_bitmask()
}

/// Each block of a text with its place, the last one with zeros behind the text.
#[inline]
pub(crate) fn text_byte_blocks(text: &[u8]) -> impl Iterator<Item = (usize, u8x16)> {
    text.chunks(BLOCK).enumerate().map(|(number, bytes)| {
        let at = number * BLOCK;
        (at, u8x16::new(bytes.first_chunk().copied().unwrap_or_else(|| load_block(text, at).to_le_bytes())))
    })
}

/// Bytes of a text that are scanned together.
pub(crate) const CHUNK: usize = u64::BITS as usize;

/// What a chunk of a text holds, as one bit per byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk<const MARKS: usize> {
    /// Letters and digits.
    pub letters: u64,
    pub digits: u64,
    /// Further bytes that the caller marks.
    pub marks: [u64; MARKS],
}

/// The chunks of a text, each with its offset.
#[inline]
pub(crate) fn text_byte_chunks(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.chunks(CHUNK).enumerate().map(|(number, bytes)| (number * CHUNK, bytes))
}

impl<const MARKS: usize> Chunk<MARKS> {
    /// Scans at most [`CHUNK`] bytes.
    #[inline]
    pub(crate) fn scan(bytes: &[u8], mut marks: impl FnMut(u8x16) -> [u32; MARKS]) -> Self {
        let mut chunk = Self { letters: 0, digits: 0, marks: [0; MARKS] };
        for (place, block) in text_byte_blocks(bytes) {
            chunk.letters |= u64::from(mask_word_bytes(block)) << place;
            chunk.digits |= u64::from(mask_digit_bytes(block)) << place;
            chunk.marks.iter_mut().zip(marks(block)).for_each(|(all, marks)| *all |= u64::from(marks) << place);
        }
        chunk
    }

    /// Where words begin. `before` is 1 if the previous chunk ends within a word; it is set to 1 if this one does.
    #[inline]
    pub(crate) fn begins(&self, before: &mut u64) -> u64 {
        let begins = self.letters & !(self.letters << 1 | *before);
        *before = self.letters >> (CHUNK - 1);
        begins
    }

    /// The length of the run of letters and digits at `at`; [`CHUNK`] if the run may continue in the next chunk.
    #[inline]
    pub(crate) fn length(&self, at: usize) -> usize {
        let length = (self.letters >> at).trailing_ones() as usize;
        if at + length == CHUNK { CHUNK } else { length }
    }
}

/// The positions of the set bits, lowest first.
#[inline]
pub(crate) fn set_bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        at
    })
}

/// The next sixteen bytes as a little-endian number, padded with zeros past the end of the text.
#[inline]
pub(crate) fn load_block(text: &[u8], at: usize) -> u128 {
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

/// Lowercases the ASCII letters of a block.
#[inline]
pub(crate) fn lowercase_block(bytes: u128) -> u128 {
    let block = u8x16::new(bytes.to_le_bytes());
    u128::from_le_bytes((block | mask_byte_range(block, b'A', 26) & u8x16::splat(0x20)).to_array())
}

/// The first sixteen letters and digits of a word as a number, regardless of case; zero if there is no word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Word(u128);

impl Word {
    /// Reads the word at `at` and its length; a length of sixteen means that the word may be longer.
    #[inline]
    pub(crate) fn at(text: &[u8], at: usize) -> (Self, usize) {
        let bytes = load_block(text, at);
        let length = mask_word_bytes(u8x16::new(bytes.to_le_bytes())).trailing_ones() as usize;
        (Self((bytes | SMALL) & PREFIX_MASKS[length]), length)
    }

    /// Reads the word at `at` if its length is known.
    #[inline]
    pub(crate) fn first(text: &[u8], at: usize, length: usize) -> Self {
        Self((load_block(text, at) | SMALL) & PREFIX_MASKS[length.min(BLOCK)])
    }

    /// A word that fits whole: letters and digits only, at most sixteen.
    pub(crate) fn whole(word: &[u8]) -> Option<Self> {
        let (number, length) = Self::at(word, 0);
        (length > 0 && length == word.len()).then_some(number)
    }

    /// Whether the word uses all sixteen bytes, so that it may be longer.
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

/// In each byte, the bit that lowercases a letter and leaves a digit unchanged.
const SMALL: u128 = u128::from_ne_bytes([0x20; BLOCK]);
/// `PREFIX_MASKS[n]` keeps the first `n` bytes.
pub(crate) const PREFIX_MASKS: [u128; BLOCK + 1] = {
    let mut first = [0; BLOCK + 1];
    let mut bytes = 1;
    while bytes <= BLOCK {
        first[bytes] = first[bytes - 1] << 8 | 0xff;
        bytes += 1;
    }
    first
};
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// A fixed hash table from words to values. Lookups never insert, so no text can make it grow.
#[derive(Clone, Debug)]
pub(crate) struct WordTable<T> {
    /// Zero marks a free slot; at most half of the slots are taken.
    words: Vec<u128>,
    values: Vec<T>,
    bits: u32,
}

impl<T: Copy + Default> WordTable<T> {
    /// If a word occurs twice, its last value counts.
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
        // The empty word equals a free slot, but is no word.
        self.find(word).ok().filter(|_| word.0 != 0).map(|place| self.values[place])
    }

    /// The slot of the word, or the free slot where it would go.
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

    use super::{BLOCK, CHUNK, Chunk, Word, WordTable, load_block, mask_equal_bytes, set_bits, text_byte_chunks};

    /// Where each word begins, how many letters of it are known, and where its digits are.
    fn words(text: &[u8]) -> Vec<(usize, usize, u64)> {
        let (mut found, mut before) = (Vec::new(), 0);
        for (start, bytes) in text_byte_chunks(text) {
            let chunk = Chunk::scan(bytes, |block| [mask_equal_bytes(block, b'/')]);
            let is_mark = |at: &usize| bytes.get(*at) == Some(&b'/');
            assert!(set_bits(chunk.marks[0]).eq((0..CHUNK).filter(is_mark)));
            found.extend(set_bits(chunk.begins(&mut before)).map(|at| {
                let length = chunk.length(at);
                (start + at, length, chunk.digits >> at & ((1 << length.min(BLOCK)) - 1))
            }));
        }
        found
    }

    proptest! {
        #[test]
        fn words_are_found_and_numbered(text in proptest::collection::vec(prop_oneof![
            Just(b' '), Just(b'/'), Just(b'@'), Just(b'['), Just(b'`'), Just(b'{'), Just(b':'), Just(0), Just(0xc3),
            b'a'..=b'z', b'A'..=b'Z', b'0'..=b'9',
        ], 0..150)) {
            let is_letter = |at: &usize| text.get(*at).is_some_and(u8::is_ascii_alphanumeric);
            let begins = |at: &usize| is_letter(at) && at.checked_sub(1).is_none_or(|before| !is_letter(&before));
            let mut expected = Vec::new();
            for at in (0..text.len()).filter(begins) {
                let length = text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                let known = length.min(CHUNK - at % CHUNK);
                let digits = text[at..at + known].iter().take(BLOCK).zip(0..);
                let digits = digits.fold(0, |digits, (byte, place)| digits | u64::from(byte.is_ascii_digit()) << place);
                expected.push((at, if at % CHUNK + known == CHUNK { CHUNK } else { length }, digits));
            }
            prop_assert_eq!(words(&text), expected);
            for at in 0..text.len() {
                let (word, length) = Word::at(&text, at);
                let run = text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                prop_assert_eq!(length, run.min(BLOCK));
                let lowercase_block = text[at..at + length].to_ascii_lowercase();
                prop_assert_eq!(Word::whole(&lowercase_block), (length > 0).then_some(word));
                if length > 0 {
                    prop_assert_eq!(Word::first(&text, at, length), word);
                }
            }
        }

        #[test]
        fn what_is_known_of_a_word_is_found(
            words in proptest::collection::vec(("[a-c0]{1,3}|[a-z]{14,16}", any::<u32>()), 0..40),
            other in "[a-c0]{1,3}",
        ) {
            let number = |word: &String| Word::whole(word.as_bytes()).expect("a short word");
            let known = WordTable::new(words.iter().map(|(word, value)| (number(word), *value)));
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
                assert_eq!(load_block(&text[..length], at).to_le_bytes().as_slice(), there, "{length} {at}");
            }
        }
    }

    #[test]
    fn a_long_word_is_no_number() {
        assert_eq!(Word::whole(b"abcdefghijklmnopq"), None);
        assert_eq!((Word::whole(b""), Word::whole(b"a b")), (None, None));
        assert_eq!(WordTable::new([(Word::at(b"a", 0).0, 7)].into_iter()).get(Word::at(b"-", 0).0), None);
        assert_eq!(Word::whole(b"abcdefghijklmnop").map(|_| ()), Some(()));
    }
}
