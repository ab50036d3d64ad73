//! Letters of ASCII looked for in texts of ASCII, whatever their case: sixteen bytes compared in one go. Knows no pattern and no list.

use crate::narration::ascii::{blocks, equal, sixteen};
use crate::words::block::BLOCK;

/// Some letters, digits and signs.
#[derive(Clone, Debug)]
pub(super) struct Caseless {
    /// In small letters.
    letters: Box<[u8]>,
    /// The first of them, what makes letters small where they are letters, and all bits where they stand.
    first: u128,
    small: u128,
    asked: u128,
}

impl Caseless {
    /// Of one byte at least.
    pub(super) fn new(letters: &[u8]) -> Self {
        let letters: Box<[u8]> = letters.to_ascii_lowercase().into();
        let bytes = |of: fn(u8) -> u8| {
            let all = letters.iter().take(BLOCK).zip(0..);
            all.fold(0, |bytes, (letter, at)| bytes | u128::from(of(*letter)) << (8 * at))
        };
        let first = bytes(|letter| letter);
        let small = bytes(|letter| if letter.is_ascii_alphabetic() { 0x20 } else { 0 });
        Self { first, small, asked: bytes(|_| u8::MAX), letters }
    }

    /// Whether they stand in the text from here on.
    #[inline]
    pub(super) fn stand_at(&self, text: &[u8], at: usize) -> bool {
        (sixteen(text, at) | self.small) & self.asked == self.first && self.end_in(text, at)
    }

    /// Whether the rest of them does.
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

    /// Whether they stand anywhere in the text.
    pub(super) fn stand_in(&self, text: &[u8]) -> bool {
        let [first, second] = [0, 1].map(|at| self.letters.get(at).copied());
        let is = |block, letter: Option<u8>| letter.map_or(u32::MAX, |letter| either(block, letter));
        // Where the second letter stands tells where they begin: behind the last byte of the block before, too.
        let mut before = 0;
        blocks(text).any(|(place, block)| {
            let firsts = is(block, first);
            let mut seconds = is(block, second) & (firsts << 1 | before);
            before = firsts >> (BLOCK - 1) & 1;
            while seconds != 0 {
                let second = place + seconds.trailing_zeros() as usize;
                seconds &= seconds - 1;
                if self.stand_at(text, second - 1) {
                    return true;
                }
            }
            false
        })
    }
}

/// A bit for each byte that is this small letter or its capital, or this sign.
#[inline]
fn either(block: wide::u8x16, letter: u8) -> u32 {
    match letter.is_ascii_alphabetic() {
        true => equal(block | wide::u8x16::splat(0x20), letter),
        false => equal(block, letter),
    }
}

/// Several of them, of which any may stand anywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Several {
    all: Vec<Caseless>,
    /// What they begin with.
    starts: Vec<u8>,
}

impl Several {
    pub(super) fn add(&mut self, letters: Caseless) {
        let start = letters.letters.first().filter(|start| !self.starts.contains(start));
        self.starts.extend(start);
        self.all.push(letters);
    }

    pub(super) fn stand_in(&self, text: &[u8]) -> bool {
        blocks(text).any(|(place, block)| {
            let mut begins = self.starts.iter().fold(0, |begins, start| begins | either(block, *start));
            while begins != 0 {
                let at = place + begins.trailing_zeros() as usize;
                begins &= begins - 1;
                if self.all.iter().any(|letters| letters.stand_at(text, at)) {
                    return true;
                }
            }
            false
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Caseless, Several};

    proptest! {
        #[test]
        fn letters_stand_where_they_do(
            mut text in "[aAb@ `B{\\[\\x00]{0,40}",
            letters in proptest::collection::vec("[aAb@ `\\[\\x00]{1,3}|[ab]{14,20}", 1..4),
            place in any::<prop::sample::Index>(),
        ) {
            // One of them in its place, else long ones stand nowhere.
            text.insert_str(place.index(text.len() + 1), &letters[0].to_ascii_uppercase());
            let small = text.to_ascii_lowercase();
            let mut several = Several::default();
            for letters in &letters[1..] {
                let caseless = Caseless::new(letters.as_bytes());
                let letters = letters.to_ascii_lowercase();
                for at in 0..=text.len() {
                    prop_assert_eq!(caseless.stand_at(text.as_bytes(), at), small[at..].starts_with(&letters), "{}", at);
                }
                prop_assert_eq!(caseless.stand_in(text.as_bytes()), small.contains(&letters));
                several.add(caseless);
            }
            let any = letters[1..].iter().any(|letters| small.contains(&letters.to_ascii_lowercase()));
            prop_assert_eq!(several.stand_in(text.as_bytes()), any);
            prop_assert!(Caseless::new(letters[0].as_bytes()).stand_in(text.as_bytes()));
        }
    }
}
