//! Where in a text a word of many may begin: by the letters and digits there, up to the first sign. Knows neither lists nor what the words are beyond
//! that.

use crate::narration::ascii::{FIRST, Known, Stretch, Word, equal, ones, sixteen, small, stretches};
use crate::words::block::BLOCK;

/// Of so many words that begin with the same letters each is compared by itself; of more it is for others to tell them apart.
const RESTS: usize = 32;

/// What words begin with.
#[derive(Clone, Debug)]
pub(super) struct Beginnings {
    /// A bit for every three bytes that some word begins with, of each its lower five bits: letters are told apart, in either case. Where there are few
    /// lists, most words of a text are none of these.
    starts: Vec<u64>,
    /// By the letters and digits that words begin with the place of what is known of them.
    known: Known<u32>,
    begun: Vec<Begun>,
    rests: Vec<Rest>,
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
    /// What these words have there, from and to; nothing where that is too much.
    rests: Option<(u32, u32)>,
}

/// What a word has from its first sign on: sixteen bytes at most.
#[derive(Clone, Copy, Debug)]
struct Rest {
    bytes: u128,
    length: usize,
    word: u32,
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
    /// This word, of letters and digits of ASCII alone; it ends here, and none of these stands beside it.
    Word(usize, usize),
    /// This word, which goes on behind its first sign and ends here; what stands behind it is not looked at.
    Longer(usize, usize),
    /// Words may begin here.
    Perhaps(usize),
}

impl Beginnings {
    /// Of words none of which is empty or stands there twice; each is known by its number.
    pub(super) fn new(words: &[impl AsRef<[u8]>]) -> Self {
        let mut starts = vec![0; (1 << 15) / 64];
        let mut starting: Vec<(Word, u32, &[u8])> = Vec::with_capacity(words.len());
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
                _ => starting.push((start, number, &word[length..])),
            }
        }
        starting.sort_unstable();
        let (mut known, mut begun, mut rests) = (Vec::new(), Vec::new(), Vec::new());
        for same in starting.chunk_by(|one, next| one.0 == next.0) {
            known.push((same[0].0, begun.len() as u32));
            begun.push(Begun::of(same, &mut rests));
        }
        Self { starts, known: Known::new(known.into_iter()), begun, rests, signs, behind_signs }
    }

    /// Hands over every place where a word may begin. Between two letters or digits of ASCII none does.
    #[inline]
    pub(super) fn each(&self, text: &[u8], mut take: impl FnMut(Found)) {
        let mut before = 0;
        for (start, bytes) in stretches(text) {
            let stretch =
                Stretch::of(bytes, |block| [self.signs.iter().fold(0, |all, sign| all | equal(block, *sign))]);
            for at in ones(stretch.begins(&mut before)) {
                if self.begins(text, start + at) {
                    self.behind(text, start + at, stretch.length(at), &mut take);
                }
            }
            // A sign, and not what stands behind the text.
            let is_sign = |at: &usize| *at < text.len() && self.behind_signs.may_go_on(text, *at);
            ones(stretch.marks[0]).map(|at| start + at).filter(is_sign).for_each(|at| take(Found::Perhaps(at)));
        }
    }

    /// Whether some word may begin there.
    #[inline]
    fn begins(&self, text: &[u8], at: usize) -> bool {
        let start = three(text.get(at..).unwrap_or_default());
        self.starts[start / 64] >> (start % 64) & 1 != 0
    }

    /// The words that begin with these letters and digits, of which so many are known.
    #[inline]
    fn behind(&self, text: &[u8], at: usize, length: usize, take: &mut impl FnMut(Found)) {
        let (word, length) = if length < BLOCK { (Word::first(text, at, length), length) } else { Word::at(text, at) };
        let Some(place) = self.known.get(word) else { return };
        let (Begun { word, ways, rests }, end) = (self.begun[place as usize], at + length);
        let goes_on = length == BLOCK || ways.may_go_on(text, end);
        let Some((from, to)) = rests.filter(|_| length < BLOCK) else {
            return match (goes_on, word) {
                (true, _) => take(Found::Perhaps(at)),
                (false, Some(word)) => take(Found::Word(word as usize, end)),
                (false, None) => (),
            };
        };
        if let Some(word) = word {
            take(Found::Word(word as usize, end));
        }
        if goes_on {
            let next = small(sixteen(text, end));
            for Rest { bytes, length, word } in &self.rests[from as usize..to as usize] {
                if next & FIRST[*length] == *bytes && end + length <= text.len() {
                    take(Found::Longer(*word as usize, end + length));
                }
            }
        }
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

impl Begun {
    /// Of words that begin with the same letters and digits, each with its number and what stands behind these.
    fn of(words: &[(Word, u32, &[u8])], rests: &mut Vec<Rest>) -> Self {
        let (mut begun, from) = (Self::default(), rests.len() as u32);
        // What stands behind so many letters is not known.
        let is_long = words[0].0.is_full();
        let longer = |rest: &[u8]| !rest.is_empty();
        for (_, number, rest) in words {
            match longer(rest) {
                _ if is_long => begun.ways = Ways::ALL,
                false => begun.word = Some(*number),
                true => begun.ways = begun.ways.and(Ways::of(rest)),
            }
        }
        let is_short = words.iter().all(|(.., rest)| rest.len() <= BLOCK);
        if !is_long && is_short && words.len() <= RESTS {
            let of_word = |(_, word, rest): &(Word, u32, &[u8])| Rest {
                bytes: sixteen(rest, 0),
                length: rest.len(),
                word: *word,
            };
            rests.extend(words.iter().filter(|(.., rest)| longer(rest)).map(of_word));
            begun.rests = Some((from, rests.len() as u32));
        }
        begun
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
        let (mut all, mut whole, mut longer) = (0, 0, 0);
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
                    let end = at + word.len();
                    let is_known =
                        [Found::Word(number, end), Found::Longer(number, end)].map(|place| found.contains(&place));
                    assert!(is_known != [false, false] || perhaps, "{words:?} {text:?} {at}");
                    all += 1;
                    whole += usize::from(is_known[0]);
                    longer += usize::from(is_known[1]);
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
                    Found::Longer(number, end) => {
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
