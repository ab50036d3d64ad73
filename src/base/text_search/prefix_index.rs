//! An index of words by their leading run of ASCII letters and digits: finds where in a text one of many words may
//! begin. Knows no lists.

use crate::base::block::BLOCK;
use crate::base::text_search::ascii_words::{
    Chunk, PREFIX_MASKS, Word, WordTable, load_block, lowercase_block, mask_equal_bytes, set_bits, text_byte_chunks,
};

/// At most this many words with one prefix are compared one by one; more are left to the [`Trie`](super::trie::Trie).
const SUFFIXES_MAX: usize = 32;

/// Words by prefix.
#[derive(Clone, Debug)]
pub(super) struct PrefixIndex {
    /// A filter on the first three bytes of a word, five bits of each, which ignores case. With few lists it rejects
    /// most words of a text.
    starts: Vec<u64>,
    /// Maps a prefix to its bucket.
    known: WordTable<u32>,
    buckets: Vec<Bucket>,
    suffixes: Vec<Suffix>,
    /// First bytes of words that begin with neither a letter nor a digit, and how those words continue.
    signs: Vec<u8>,
    after_signs: Continuations,
}

/// All words with one prefix.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    /// The word that equals the prefix.
    word: Option<u32>,
    /// How the other words continue after the prefix.
    ways: Continuations,
    /// The range of these words' suffixes; `None` if there are too many or if one is too long.
    suffixes: Option<(u32, u32)>,
}

/// A word from its first non-alphanumeric byte on: at most sixteen bytes.
#[derive(Clone, Copy, Debug)]
struct Suffix {
    bytes: u128,
    length: usize,
    word: u32,
}

/// A Bloom filter of the two bytes that may follow a prefix.
#[derive(Clone, Copy, Debug, Default)]
struct Continuations(u64);

impl Continuations {
    const ALL: Self = Self(u64::MAX);

    /// The filter of one suffix. After a suffix of one byte anything may follow.
    fn after(suffix: &[u8]) -> Self {
        match suffix {
            [] => Self::default(),
            [sign] => Self((0..32).map(|next| Self::bit(*sign, next)).fold(0, |all, bit| all | bit)),
            [sign, next, ..] => Self(Self::bit(*sign, *next)),
        }
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether some word may continue as the text does at `at`.
    #[inline]
    fn may_continue(self, text: &[u8], at: usize) -> bool {
        let Some(sign) = text.get(at) else { return false };
        self.0 & Self::bit(*sign, text.get(at + 1).copied().unwrap_or_default()) != 0
    }

    /// Ignores case.
    #[inline]
    fn bit(sign: u8, next: u8) -> u64 {
        1 << ((sign.wrapping_mul(37) ^ (next & 31)) % 64)
    }
}

/// A match, or a position where the caller must look further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrefixMatch {
    /// A word of ASCII letters and digits, and its end. No letter or digit is next to it.
    Word(usize, usize),
    /// A longer word and its end. The byte after it was not checked.
    Longer(usize, usize),
    /// Words may begin at this position.
    Perhaps(usize),
}

impl PrefixIndex {
    /// Words must be distinct and not empty; a word is identified by its index.
    pub(super) fn new(words: &[impl AsRef<[u8]>]) -> Self {
        let mut starts = vec![0; (1 << 15) / 64];
        let mut prefixes: Vec<(Word, u32, &[u8])> = Vec::with_capacity(words.len());
        let (mut signs, mut after_signs) = (Vec::new(), Continuations::default());
        for (number, word) in (0..).zip(words.iter().map(AsRef::as_ref)) {
            let (start, length) = Word::at(word, 0);
            // Any bytes may follow a word shorter than three.
            let any = 1 << (5 * (3 - word.len().min(3)));
            (0..any).map(|suffix| three(word) | suffix).for_each(|start| starts[start / 64] |= 1 << (start % 64));
            match word {
                [sign, ..] if length == 0 => {
                    after_signs = after_signs.and(Continuations::after(word));
                    if !signs.contains(sign) {
                        signs.push(*sign);
                    }
                }
                _ => prefixes.push((start, number, &word[length..])),
            }
        }
        prefixes.sort_unstable();
        let (mut known, mut buckets, mut suffixes) = (Vec::new(), Vec::new(), Vec::new());
        for same in prefixes.chunk_by(|one, next| one.0 == next.0) {
            known.push((same[0].0, buckets.len() as u32));
            buckets.push(Bucket::new(same, &mut suffixes));
        }
        Self { starts, known: WordTable::new(known.into_iter()), buckets, suffixes, signs, after_signs }
    }

    /// Calls `take` wherever a word may begin. No word begins between two ASCII letters or digits.
    #[inline]
    pub(super) fn each(&self, text: &[u8], mut take: impl FnMut(PrefixMatch)) {
        let mut before = 0;
        for (start, bytes) in text_byte_chunks(text) {
            let chunk = Chunk::scan(bytes, |block| {
                [self.signs.iter().fold(0, |all, sign| all | mask_equal_bytes(block, *sign))]
            });
            for at in set_bits(chunk.begins(&mut before)) {
                if self.begins(text, start + at) {
                    self.behind(text, start + at, chunk.length(at), &mut take);
                }
            }
            // The padding after the text is no sign.
            let is_sign = |at: &usize| *at < text.len() && self.after_signs.may_continue(text, *at);
            set_bits(chunk.marks[0]).map(|at| start + at).filter(is_sign).for_each(|at| take(PrefixMatch::Perhaps(at)));
        }
    }

    /// Whether some word may begin at `at`.
    #[inline]
    fn begins(&self, text: &[u8], at: usize) -> bool {
        let start = three(text.get(at..).unwrap_or_default());
        self.starts[start / 64] >> (start % 64) & 1 != 0
    }

    /// Looks up the words whose prefix stands at `at`; `length` bytes of it are known.
    #[inline]
    fn behind(&self, text: &[u8], at: usize, length: usize, take: &mut impl FnMut(PrefixMatch)) {
        let (word, length) = if length < BLOCK { (Word::first(text, at, length), length) } else { Word::at(text, at) };
        let Some(place) = self.known.get(word) else { return };
        let (Bucket { word, ways, suffixes }, end) = (self.buckets[place as usize], at + length);
        let goes_on = length == BLOCK || ways.may_continue(text, end);
        let Some((from, to)) = suffixes.filter(|_| length < BLOCK) else {
            return match (goes_on, word) {
                (true, _) => take(PrefixMatch::Perhaps(at)),
                (false, Some(word)) => take(PrefixMatch::Word(word as usize, end)),
                (false, None) => (),
            };
        };
        if let Some(word) = word {
            take(PrefixMatch::Word(word as usize, end));
        }
        if goes_on {
            let next = lowercase_block(load_block(text, end));
            for Suffix { bytes, length, word } in &self.suffixes[from as usize..to as usize] {
                if next & PREFIX_MASKS[*length] == *bytes && end + length <= text.len() {
                    take(PrefixMatch::Longer(*word as usize, end + length));
                }
            }
        }
    }
}

/// The lower five bits of each of the first three bytes, padded with zeros.
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

impl Bucket {
    /// From words with the same prefix: prefix, index and suffix of each.
    fn new(words: &[(Word, u32, &[u8])], suffixes: &mut Vec<Suffix>) -> Self {
        let (mut bucket, from) = (Self::default(), suffixes.len() as u32);
        // The suffix of a prefix of sixteen bytes or more is not known.
        let is_long = words[0].0.is_full();
        let longer = |suffix: &[u8]| !suffix.is_empty();
        for (_, number, suffix) in words {
            match longer(suffix) {
                _ if is_long => bucket.ways = Continuations::ALL,
                false => bucket.word = Some(*number),
                true => bucket.ways = bucket.ways.and(Continuations::after(suffix)),
            }
        }
        let is_short = words.iter().all(|(.., suffix)| suffix.len() <= BLOCK);
        if !is_long && is_short && words.len() <= SUFFIXES_MAX {
            let of_word = |(_, word, suffix): &(Word, u32, &[u8])| Suffix {
                bytes: load_block(suffix, 0),
                length: suffix.len(),
                word: *word,
            };
            suffixes.extend(words.iter().filter(|(.., suffix)| longer(suffix)).map(of_word));
            bucket.suffixes = Some((from, suffixes.len() as u32));
        }
        bucket
    }
}

#[cfg(test)]
mod tests {
    use super::{PrefixIndex, PrefixMatch};

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
        let (mut all, mut whole, mut longer) = (0, 0, 0);
        for _ in 0..2_000 {
            let mut words: Vec<Vec<u8>> = (0..4).map(|_| draw(b"abz09/@[`{\xc3\xa1", 1, 4)).collect();
            words.push(draw(b"ab", 14, 19));
            words.sort();
            words.dedup();
            let mut text = draw(b"abzABZ0189/:@[`{ \x00\xc3\xa1\xff", 0, 70);
            text.extend(words.iter().flat_map(|word| [b"/", &word[..]].concat()));
            let mut found = Vec::new();
            PrefixIndex::new(&words).each(&text, |place| found.push(place));
            for at in 0..text.len() {
                let lower = text[at..].to_ascii_lowercase();
                let is_within = at > 0 && text[at].is_ascii_alphanumeric() && text[at - 1].is_ascii_alphanumeric();
                let begins = |word: &&Vec<u8>| {
                    !is_within && lower.starts_with(word) && (run(word) == 0 || run(word) == run(&lower))
                };
                let perhaps = found.contains(&PrefixMatch::Perhaps(at));
                for (number, word) in words.iter().enumerate().filter(|(_, word)| begins(word)) {
                    let end = at + word.len();
                    let is_known = [PrefixMatch::Word(number, end), PrefixMatch::Longer(number, end)]
                        .map(|place| found.contains(&place));
                    assert!(is_known != [false, false] || perhaps, "{words:?} {text:?} {at}");
                    all += 1;
                    whole += usize::from(is_known[0]);
                    longer += usize::from(is_known[1]);
                }
                assert!(!is_within || !perhaps, "{words:?} {text:?} {at}");
            }
            for place in found {
                match place {
                    PrefixMatch::Perhaps(at) => assert!(at < text.len()),
                    PrefixMatch::Word(number, end) => {
                        let word = &words[number];
                        let start = end - word.len();
                        assert!(text[start..end].eq_ignore_ascii_case(word) && run(&text[start..]) == word.len());
                        assert!(start == 0 || !text[start - 1].is_ascii_alphanumeric());
                    }
                    PrefixMatch::Longer(number, end) => {
                        let word = &words[number];
                        let start = end - word.len();
                        assert!(text[start..end].eq_ignore_ascii_case(word) && run(word) < word.len() && run(word) > 0);
                        assert!(start == 0 || !text[start - 1].is_ascii_alphanumeric());
                    }
                }
            }
        }
        assert!(all > 1_000 && whole > 1_000 && longer > 300, "{all} {whole} {longer}");
    }
}
