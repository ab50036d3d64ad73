//! Where in a text a word of many may begin: by the letters and digits there, up to the first sign. Knows neither lists nor what the words are beyond
//! that.

use crate::narration::ascii::{Known, Word, blocks, equal, letters};
use crate::words::block::BLOCK;

/// What words begin with.
#[derive(Clone, Debug)]
pub(super) struct Beginnings {
    /// A bit for every three bytes that some word begins with, of each its lower five bits: letters are told apart, in either case. Most words of a
    /// text are none of these.
    starts: Vec<u64>,
    known: Known<Begun>,
    /// Bytes that words begin with, letters and digits of ASCII aside, and how these words go on.
    signs: Vec<u8>,
    behind_signs: Ways,
}

/// What is known of some letters and digits.
#[derive(Clone, Copy, Debug, Default)]
struct Begun {
    /// The word that they are.
    word: Option<u32>,
    /// How other words go on behind them.
    ways: Ways,
}

/// A sign and the byte behind it, as words have them: a bit for each that some word may have.
#[derive(Clone, Copy, Debug, Default)]
struct Ways(u64);

impl Ways {
    const ALL: Self = Self(u64::MAX);

    /// How a word goes on from a sign. Where it ends with the sign, anything may stand behind that.
    fn of(rest: &[u8]) -> Self {
        match rest {
            [] => Self::default(),
            [sign] => Self((0..32).map(|next| Self::bit(*sign, next)).fold(0, |all, bit| all | bit)),
            [sign, next, ..] => Self(Self::bit(*sign, *next)),
        }
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether some word may go on as the text does here.
    #[inline]
    fn may_go_on(self, text: &[u8], at: usize) -> bool {
        let Some(sign) = text.get(at) else { return false };
        self.0 & Self::bit(*sign, text.get(at + 1).copied().unwrap_or_default()) != 0
    }

    /// Letters of both cases as one.
    #[inline]
    fn bit(sign: u8, next: u8) -> u64 {
        1 << ((sign.wrapping_mul(37) ^ (next & 31)) % 64)
    }
}

/// What is found at a place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// This word and no other begins there, and it ends here. No letter or digit of ASCII stands beside it.
    Word(usize, usize),
    /// Words may begin here.
    Perhaps(usize),
}

impl Beginnings {
    /// Of words none of which is empty or stands there twice; each is known by its number.
    pub(super) fn new(words: &[impl AsRef<[u8]>]) -> Self {
        let mut starts = vec![0; (1 << 15) / 64];
        let mut begun: Vec<(Word, Begun)> = Vec::with_capacity(words.len());
        let (mut signs, mut behind_signs) = (Vec::new(), Ways::default());
        for (number, word) in (0..).zip(words.iter().map(AsRef::as_ref)) {
            let (start, length) = Word::at(word, 0);
            // Behind a short word anything may stand.
            let any = 1 << (5 * (3 - word.len().min(3)));
            (0..any).map(|rest| three(word) | rest).for_each(|start| starts[start / 64] |= 1 << (start % 64));
            match word {
                [sign, ..] if length == 0 => {
                    behind_signs = behind_signs.and(Ways::of(word));
                    if !signs.contains(sign) {
                        signs.push(*sign);
                    }
                }
                // What stands behind so many letters is not known.
                _ if length == BLOCK => begun.push((start, Begun { word: None, ways: Ways::ALL })),
                _ => {
                    let rest = &word[length..];
                    begun.push((start, Begun { word: rest.is_empty().then_some(number), ways: Ways::of(rest) }));
                }
            }
        }
        begun.sort_unstable_by_key(|(start, _)| *start);
        begun.dedup_by(|(start, next), (last, begun)| {
            let is_same = start == last;
            if is_same {
                *begun = Begun { word: begun.word.or(next.word), ways: begun.ways.and(next.ways) };
            }
            is_same
        });
        Self { starts, known: Known::new(begun.into_iter()), signs, behind_signs }
    }

    /// Hands over every place where a word may begin, in their order. Between two letters or digits of ASCII none does.
    #[inline]
    pub(super) fn each(&self, text: &[u8], mut take: impl FnMut(Found)) {
        let mut before = 0;
        for (place, block) in blocks(text) {
            let letters = letters(block);
            let signs = self.signs.iter().fold(0, |all, sign| all | equal(block, *sign));
            let mut begins = letters & !(letters << 1 | before) | signs;
            before = letters >> (BLOCK - 1) & 1;
            while begins != 0 {
                let at = place + begins.trailing_zeros() as usize;
                begins &= begins - 1;
                if !self.begins(text, at) {
                    continue;
                }
                let (word, length) = Word::at(text, at);
                if length == 0 {
                    // A sign, and not what stands behind the text.
                    if at < text.len() && self.behind_signs.may_go_on(text, at) {
                        take(Found::Perhaps(at));
                    }
                    continue;
                }
                let Some(begun) = self.known.get(word) else { continue };
                if length == BLOCK || begun.ways.may_go_on(text, at + length) {
                    take(Found::Perhaps(at));
                } else if let Some(word) = begun.word {
                    take(Found::Word(word as usize, at + length));
                }
            }
        }
    }

    /// Whether some word may begin there.
    #[inline]
    fn begins(&self, text: &[u8], at: usize) -> bool {
        let start = three(text.get(at..).unwrap_or_default());
        self.starts[start / 64] >> (start % 64) & 1 != 0
    }
}

/// The first three bytes, of each its lower five bits; zeros behind the text.
#[inline]
fn three(text: &[u8]) -> usize {
    let low = |byte: u8| usize::from(byte & 31);
    match text {
        [first, second, third, ..] => low(*first) << 10 | low(*second) << 5 | low(*third),
        [first, second] => low(*first) << 10 | low(*second) << 5,
        [first] => low(*first) << 10,
        [] => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{Beginnings, Found};

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
        let run = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (mut all, mut whole) = (0, 0);
        for _ in 0..2_000 {
            let mut words: Vec<Vec<u8>> = (0..4).map(|_| draw(b"abz09/@[`{\xc3\xa1", 1, 4)).collect();
            words.push(draw(b"ab", 14, 19));
            words.sort();
            words.dedup();
            let mut text = draw(b"abzABZ0189/:@[`{ \x00\xc3\xa1\xff", 0, 70);
            text.extend(words.iter().flat_map(|word| [b"/", &word[..]].concat()));
            let mut found = Vec::new();
            Beginnings::new(&words).each(&text, |place| found.push(place));
            for at in 0..text.len() {
                let lower = text[at..].to_ascii_lowercase();
                let is_within = at > 0 && text[at].is_ascii_alphanumeric() && text[at - 1].is_ascii_alphanumeric();
                let begins = |word: &&Vec<u8>| {
                    !is_within && lower.starts_with(word) && (run(word) == 0 || run(word) == run(&lower))
                };
                let perhaps = found.contains(&Found::Perhaps(at));
                for (number, word) in words.iter().enumerate().filter(|(_, word)| begins(word)) {
                    let is_whole = found.contains(&Found::Word(number, at + word.len()));
                    assert!(is_whole || perhaps, "{words:?} {text:?} {at}");
                    assert!(!is_whole || words.iter().filter(begins).count() == 1, "{words:?} {text:?} {at}");
                    all += 1;
                    whole += usize::from(is_whole);
                }
                assert!(!is_within || !perhaps, "{words:?} {text:?} {at}");
            }
            for place in found {
                match place {
                    Found::Perhaps(at) => assert!(at < text.len()),
                    Found::Word(number, end) => {
                        let word = &words[number];
                        let start = end - word.len();
                        assert!(text[start..end].eq_ignore_ascii_case(word) && run(&text[start..]) == word.len());
                        assert!(start == 0 || !text[start - 1].is_ascii_alphanumeric());
                    }
                }
            }
        }
        assert!(all > 1_000 && whole > 1_000, "{all} {whole}");
    }
}
