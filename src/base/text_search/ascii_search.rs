//! Case-insensitive substring search for ASCII needles in ASCII texts, sixteen bytes at a time. Knows no pattern and no
//! list.

use crate::base::block::BLOCK;
use crate::base::text_search::ascii_words::{load_block, mask_equal_bytes, text_byte_blocks};

/// A needle, matched regardless of case.
#[derive(Clone, Debug)]
pub(super) struct AsciiNeedle {
    /// Lowercase.
    letters: Box<[u8]>,
    /// The first sixteen bytes; the bits that lowercase a text's letters at them; and a mask of the bytes in use.
    first: u128,
    lowercase_block: u128,
    asked: u128,
}

impl AsciiNeedle {
    /// `letters` must not be empty.
    pub(super) fn new(letters: &[u8]) -> Self {
        let letters: Box<[u8]> = letters.to_ascii_lowercase().into();
        let bytes = |of: fn(u8) -> u8| {
            let all = letters.iter().take(BLOCK).zip(0..);
            all.fold(0, |bytes, (letter, at)| bytes | u128::from(of(*letter)) << (8 * at))
        };
        let first = bytes(|letter| letter);
        let lowercase_block = bytes(|letter| if letter.is_ascii_alphabetic() { 0x20 } else { 0 });
        Self { first, lowercase_block, asked: bytes(|_| u8::MAX), letters }
    }

    /// Whether the text has the needle at `at`.
    #[inline]
    pub(super) fn occurs_at(&self, text: &[u8], at: usize) -> bool {
        (load_block(text, at) | self.lowercase_block) & self.asked == self.first && self.end_in(text, at)
    }

    /// Whether the bytes of the needle beyond the first sixteen match.
    #[inline]
    fn end_in(&self, text: &[u8], at: usize) -> bool {
        match self.letters.get(BLOCK..) {
            None | Some([]) => at + self.letters.len() <= text.len(),
            Some(rest) => {
                let there = text.get(at + BLOCK..at + self.letters.len());
                there.is_some_and(|there| there.eq_ignore_ascii_case(rest))
            }
        }
    }

    /// Whether the text contains the needle.
    pub(super) fn occurs_in(&self, text: &[u8]) -> bool {
        let [first, second] = [0, 1].map(|at| self.letters.get(at).copied());
        let is = |block, letter: Option<u8>| letter.map_or(u32::MAX, |letter| either(block, letter));
        // A candidate is a second byte whose neighbour, perhaps in the previous block, is the first byte.
        let mut before = 0;
        text_byte_blocks(text).any(|(place, block)| {
            let firsts = is(block, first);
            let mut seconds = is(block, second) & (firsts << 1 | before);
            before = firsts >> (BLOCK - 1) & 1;
            while seconds != 0 {
                let second = place + seconds.trailing_zeros() as usize;
                seconds &= seconds - 1;
                if self.occurs_at(text, second - 1) {
                    return true;
                }
            }
            false
        })
    }
}

/// A bit for each byte that equals `letter`, in either case if it is a letter.
#[inline]
fn either(block: wide::u8x16, letter: u8) -> u32 {
    match letter.is_ascii_alphabetic() {
        true => mask_equal_bytes(block | wide::u8x16::splat(0x20), letter),
        false => mask_equal_bytes(block, letter),
    }
}

/// A set of needles searched for together.
#[derive(Clone, Debug, Default)]
pub(super) struct AsciiNeedles {
    all: Vec<AsciiNeedle>,
    /// Their distinct first bytes.
    starts: Vec<u8>,
    /// What all of several needles contain. Most texts lack it, and a text without it has none of them.
    shared: Option<AsciiNeedle>,
}

impl AsciiNeedles {
    pub(super) fn new(all: Vec<AsciiNeedle>) -> Self {
        let mut starts: Vec<u8> = all.iter().filter_map(|needle| needle.letters.first().copied()).collect();
        starts.sort_unstable();
        starts.dedup();
        let shared = match all.as_slice() {
            [first, second, rest @ ..] => {
                let shared = longest_shared(&first.letters, &second.letters);
                rest.iter().fold(shared, |shared, needle| longest_shared(shared, &needle.letters))
            }
            _ => &[],
        };
        // One or two bytes are in most texts.
        let shared = (shared.len() > 2).then(|| AsciiNeedle::new(shared));
        Self { all, starts, shared }
    }

    pub(super) fn occurs_in(&self, text: &[u8]) -> bool {
        if self.shared.as_ref().is_some_and(|shared| !shared.occurs_in(text)) {
            return false;
        }
        text_byte_blocks(text).any(|(place, block)| {
            let mut begins = self.starts.iter().fold(0, |begins, start| begins | either(block, *start));
            while begins != 0 {
                let at = place + begins.trailing_zeros() as usize;
                begins &= begins - 1;
                if self.all.iter().any(|letters| letters.occurs_at(text, at)) {
                    return true;
                }
            }
            false
        })
    }
}

/// The longest run of bytes of `one` that `other` contains too.
fn longest_shared<'a>(one: &'a [u8], other: &[u8]) -> &'a [u8] {
    let contains = |run: &[u8]| other.windows(run.len()).any(|window| window == run);
    let lengths = (1..=one.len()).rev();
    lengths.flat_map(|length| one.windows(length)).find(|run| contains(run)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{AsciiNeedle, AsciiNeedles};

    proptest! {
        #[test]
        fn letters_stand_where_they_do(
            mut text in "[aAb@ `B{\\[\\x00]{0,40}",
            letters in proptest::collection::vec("[aAb@ `\\[\\x00]{1,3}|[ab]{14,20}", 1..4),
            place in any::<prop::sample::Index>(),
        ) {
            // One of them in its place, else long ones stand nowhere.
            text.insert_str(place.index(text.len() + 1), &letters[0].to_ascii_uppercase());
            let lowercase_block = text.to_ascii_lowercase();
            let mut several = Vec::new();
            for letters in &letters[1..] {
                let caseless = AsciiNeedle::new(letters.as_bytes());
                let letters = letters.to_ascii_lowercase();
                for at in 0..=text.len() {
                    let expected = lowercase_block[at..].starts_with(&letters);
                    prop_assert_eq!(caseless.occurs_at(text.as_bytes(), at), expected, "{}", at);
                }
                prop_assert_eq!(caseless.occurs_in(text.as_bytes()), lowercase_block.contains(&letters));
                several.push(caseless);
            }
            let several = AsciiNeedles::new(several);
            let any = letters[1..].iter().any(|letters| lowercase_block.contains(&letters.to_ascii_lowercase()));
            prop_assert_eq!(several.occurs_in(text.as_bytes()), any);
            prop_assert!(AsciiNeedle::new(letters[0].as_bytes()).occurs_in(text.as_bytes()));
        }

        #[test]
        fn needles_with_a_shared_part_are_found_as_each_alone(
            text in "[a-cA-C]{0,20}",
            shared in "[a-c]{1,4}",
            around in proptest::collection::vec(("[a-c]{0,2}", "[a-c]{0,2}"), 2..4),
        ) {
            let needle = |(before, after): &(String, String)| format!("{before}{shared}{after}");
            let needles: Vec<String> = around.iter().map(needle).collect();
            let several = needles.iter().map(|needle| AsciiNeedle::new(needle.as_bytes())).collect();
            let any = needles.iter().any(|needle| text.to_ascii_lowercase().contains(needle));
            prop_assert_eq!(AsciiNeedles::new(several).occurs_in(text.as_bytes()), any);
        }
    }
}
