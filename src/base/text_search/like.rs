//! Compiled `LIKE` patterns, matched in one pass over a text. Knows no statement.

use std::cell::OnceCell;

use memchr::memmem::Finder;
use smallvec::SmallVec;

use crate::base::text_search::ascii_search::{AsciiNeedle, AsciiNeedles};
use crate::base::text_search::lower::lowercase_each_letter;

/// A `LIKE` pattern of SQL: `%` matches any run of characters, `_` one character.
///
/// The parts between two `%` are searched from left to right, each from the end of the previous match. No part scans a
/// letter twice, so a text of n letters and a pattern of m letters take at most n * (1 + m / 64) steps. A
/// case-insensitive substring, and several patterns matched together, are compared wherever they may begin: at most n *
/// m steps.
#[derive(Debug)]
pub(crate) struct Pattern {
    any_case: bool,
    /// The pieces before the first `%`.
    first: Vec<Piece>,
    /// The parts between two `%`, and the pieces after the last one; `None` without a `%`.
    rest: Option<(Vec<PatternPart>, Vec<Piece>)>,
    /// The needle of a pattern that is a case-insensitive ASCII substring and nothing else.
    anywhere: Option<AsciiNeedle>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    One,
    Char(char),
}

impl Piece {
    fn fits(self, letter: char) -> bool {
        self == Piece::One || self == Piece::Char(letter)
    }
}

impl Pattern {
    /// A pattern as written, with the sign before a `%` or `_` that means itself.
    pub(crate) fn new(pattern: &str, escape: Option<char>, any_case: bool) -> Self {
        let mut parts = parts(pattern, escape, any_case);
        let first = parts.remove(0);
        let rest = parts.pop().map(|last| {
            let between = parts.iter().filter(|part| !part.is_empty()).map(|part| PatternPart::new(part)).collect();
            (between, last)
        });
        let mut pattern = Self { any_case, first, rest, anywhere: None };
        pattern.anywhere = pattern.anywhere().filter(|_| any_case);
        pattern
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        if !self.any_case {
            return self.fits(text);
        }
        if !text.is_ascii() {
            return self.fits(&lowercase_each_letter(text));
        }
        match &self.anywhere {
            Some(letters) => letters.occurs_in(text.as_bytes()),
            None => self.fits(Small::new(text).text()),
        }
    }

    /// Matches a text that is already in the pattern's case.
    fn fits(&self, text: &str) -> bool {
        let mut letters = text.chars();
        if !self.first.iter().all(|piece| letters.next().is_some_and(|letter| piece.fits(letter))) {
            return false;
        }
        let Some((parts, last)) = &self.rest else { return letters.as_str().is_empty() };
        if !last.iter().rev().all(|piece| letters.next_back().is_some_and(|letter| piece.fits(letter))) {
            return false;
        }
        let mut left = letters.as_str();
        for part in parts {
            match part.end_in(left) {
                Some(end) => left = &left[end..],
                None => return false,
            }
        }
        true
    }

    /// The ASCII letters before the first `%` or `_`, if any.
    fn beginning(&self) -> Option<Vec<u8>> {
        let letter = |piece: &Piece| match piece {
            Piece::Char(letter) if letter.is_ascii() => Some(*letter as u8),
            _ => None,
        };
        let letters: Vec<u8> = self.first.iter().map_while(letter).collect();
        (!letters.is_empty()).then_some(letters)
    }

    /// The needle of a pattern `%needle%`, if it is ASCII.
    fn anywhere(&self) -> Option<AsciiNeedle> {
        match &self.rest {
            Some((parts, last)) if self.first.is_empty() && last.is_empty() => match parts.as_slice() {
                [PatternPart::Letters(letters)] if letters.needle().is_ascii() => {
                    Some(AsciiNeedle::new(letters.needle()))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The small letters of an ASCII text. Most narrations are short enough for a copy that needs no memory of its own.
struct Small(SmallVec<[u8; 128]>);

impl Small {
    fn new(text: &str) -> Small {
        let mut letters = SmallVec::from_slice(text.as_bytes());
        letters.make_ascii_lowercase();
        Small(letters)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.0).expect("INVARIANT: the small letters of an ASCII text are ASCII")
    }
}

/// A set of alternative patterns. For an ASCII text, its first byte selects the prefixes to compare.
#[derive(Debug)]
pub(crate) struct Patterns {
    all: Vec<Pattern>,
    /// The prefixes of patterns by the first byte of a text; empty for a single pattern, which needs no selection.
    first: Box<[Vec<Begin>]>,
    /// The needles of substring patterns.
    anywhere: AsciiNeedles,
    /// Patterns with neither a prefix nor a single needle.
    others: Vec<usize>,
}

/// A prefix, and the pattern that has it.
#[derive(Debug)]
struct Begin {
    letters: AsciiNeedle,
    /// `None` if the prefix alone decides.
    pattern: Option<usize>,
}

impl Patterns {
    pub(crate) fn new(all: Vec<Pattern>) -> Self {
        let mut first: Box<[Vec<Begin>]> = Box::default();
        if all.len() > 1 {
            first = (0..128).map(|_| Vec::new()).collect();
        }
        let (mut anywhere, mut others) = (Vec::new(), Vec::new());
        for (at, pattern) in all.iter().enumerate().filter(|_| all.len() > 1) {
            // A prefix is compared regardless of case; a case-sensitive pattern is then matched as it is.
            if let Some(letters) = pattern.beginning() {
                let asks_no_more = pattern.any_case
                    && letters.len() == pattern.first.len()
                    && pattern.rest.as_ref().is_some_and(|(parts, last)| parts.is_empty() && last.is_empty());
                let mut bytes = both(letters[0]).to_vec();
                bytes.dedup();
                for byte in bytes {
                    let pattern = (!asks_no_more).then_some(at);
                    first[usize::from(byte)].push(Begin { letters: AsciiNeedle::new(&letters), pattern });
                }
            } else if let Some(letters) = pattern.anywhere.clone() {
                anywhere.push(letters);
            } else {
                others.push(at);
            }
        }
        Self { all, first, anywhere: AsciiNeedles::new(anywhere), others }
    }

    pub(crate) fn any_fits(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let begins_with = bytes.first().and_then(|first| self.first.get(usize::from(*first)));
        let (true, Some(first)) = (text.is_ascii(), begins_with) else {
            return self.all.iter().any(|pattern| pattern.matches(text));
        };
        // The text in small letters, which most patterns compare, is made once for all of them.
        let small = OnceCell::new();
        let fits = |pattern: usize| {
            let pattern = &self.all[pattern];
            pattern.fits(if pattern.any_case { small.get_or_init(|| Small::new(text)).text() } else { text })
        };
        let begins = |begin: &Begin| begin.letters.occurs_at(bytes, 0) && begin.pattern.is_none_or(fits);
        first.iter().any(begins) || self.anywhere.occurs_in(bytes) || self.others.iter().any(|pattern| fits(*pattern))
    }
}

fn both(byte: u8) -> [u8; 2] {
    [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()]
}

/// The pieces between the `%` of a pattern.
fn parts(pattern: &str, escape: Option<char>, any_case: bool) -> Vec<Vec<Piece>> {
    let mut parts = vec![Vec::new()];
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        let escaped = if Some(sign) == escape { signs.next() } else { None };
        let pieces = parts.last_mut().expect("INVARIANT: a pattern has at least one part");
        match (escaped.unwrap_or(sign), escaped) {
            ('%', None) => parts.push(Vec::new()),
            ('_', None) => pieces.push(Piece::One),
            (letter, _) if any_case => {
                pieces.extend(lowercase_each_letter(letter.encode_utf8(&mut [0; 4])).chars().map(Piece::Char))
            }
            (letter, _) => pieces.push(Piece::Char(letter)),
        }
    }
    parts
}

/// A part between two `%`.
#[derive(Debug)]
enum PatternPart {
    /// Without `_`: a substring search.
    Letters(Box<Finder<'static>>),
    Gaps(Box<Gaps>),
}

impl PatternPart {
    fn new(part: &[Piece]) -> Self {
        let letter = |piece: &Piece| match piece {
            Piece::Char(letter) => Some(*letter),
            Piece::One => None,
        };
        match part.iter().map(letter).collect::<Option<String>>() {
            Some(letters) => PatternPart::Letters(Box::new(Finder::new(&letters).into_owned())),
            None => PatternPart::Gaps(Box::new(Gaps::new(part))),
        }
    }

    /// The end of its first match.
    fn end_in(&self, text: &str) -> Option<usize> {
        match self {
            PatternPart::Letters(letters) => letters.find(text.as_bytes()).map(|start| start + letters.needle().len()),
            PatternPart::Gaps(gaps) => gaps.end_in(text),
        }
    }
}

/// The longest run of letters in a part with gaps.
fn longest_run(pieces: &[Piece]) -> Option<Finder<'static>> {
    let runs = pieces.split(|piece| *piece == Piece::One).map(|run| {
        let letter = |piece: &Piece| match piece {
            Piece::Char(letter) => Some(*letter),
            Piece::One => None,
        };
        run.iter().filter_map(letter).collect::<String>()
    });
    // A single letter is in most texts.
    runs.max_by_key(String::len).filter(|run| run.len() > 1).map(|run| Finder::new(&run).into_owned())
}

/// A part with `_`, matched by the shift-and algorithm: bit i is set if the last letters match its first i + 1 pieces.
#[derive(Debug)]
struct Gaps {
    length: usize,
    /// The longest run of letters without a gap, which a text must have.
    letters: Option<Finder<'static>>,
    /// The pieces that each ASCII letter matches, for a part of at most 64 pieces.
    ascii: Option<Box<[u64; 128]>>,
    /// For each letter, the pieces it matches; any other letter matches only the gaps.
    masks: Vec<(char, Vec<u64>)>,
    gaps: Vec<u64>,
}

impl Gaps {
    fn new(pieces: &[Piece]) -> Self {
        let words = pieces.len().div_ceil(64);
        let mut gaps = vec![0; words];
        for at in pieces.iter().enumerate().filter(|(_, piece)| **piece == Piece::One).map(|(at, _)| at) {
            gaps[at / 64] |= 1 << (at % 64);
        }
        let mut masks: Vec<(char, Vec<u64>)> = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            let Piece::Char(letter) = piece else { continue };
            let known = masks.iter().position(|(known, _)| known == letter).unwrap_or_else(|| {
                masks.push((*letter, gaps.clone()));
                masks.len() - 1
            });
            masks[known].1[at / 64] |= 1 << (at % 64);
        }
        masks.sort_unstable_by_key(|(letter, _)| *letter);
        let ascii = (words == 1).then(|| {
            let mut ascii = Box::new([gaps[0]; 128]);
            for (letter, mask) in masks.iter().filter(|(letter, _)| letter.is_ascii()) {
                ascii[*letter as usize] = mask[0];
            }
            ascii
        });
        Self { length: pieces.len(), letters: longest_run(pieces), ascii, masks, gaps }
    }

    fn end_in(&self, text: &str) -> Option<usize> {
        if self.letters.as_ref().is_some_and(|letters| letters.find(text.as_bytes()).is_none()) {
            return None;
        }
        match &self.ascii {
            Some(masks) if text.is_ascii() => self.end_in_ascii(text, masks),
            _ => self.end_in_letters(text),
        }
    }

    fn end_in_ascii(&self, text: &str, masks: &[u64; 128]) -> Option<usize> {
        let (mut state, last) = (0_u64, 1_u64 << (self.length - 1));
        for (at, letter) in text.bytes().enumerate() {
            state = (state << 1 | 1) & masks[usize::from(letter & 127)];
            if state & last != 0 {
                return Some(at + 1);
            }
        }
        None
    }

    fn end_in_letters(&self, text: &str) -> Option<usize> {
        let mut state = vec![0u64; self.gaps.len()];
        let (word, bit) = ((self.length - 1) / 64, (self.length - 1) % 64);
        for (at, letter) in text.char_indices() {
            let found = self.masks.binary_search_by_key(&letter, |(known, _)| *known);
            let mask = found.map_or(&self.gaps, |index| &self.masks[index].1);
            let mut carry = 1;
            for (state, mask) in state.iter_mut().zip(mask) {
                let next = ((*state << 1) | carry) & mask;
                carry = *state >> 63;
                *state = next;
            }
            if state[word] >> bit & 1 == 1 {
                return Some(at + letter.len_utf8());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Patterns};

    #[test]
    fn like_is_sqls() {
        let cases = [
            ("%salary%", "NIP/salary may", true),
            ("salary", "salary may", false),
            ("s_lary", "salary", true),
            ("%", "", true),
            ("_", "", false),
            ("", "", true),
            ("", "a", false),
            ("a%b%c", "aXbYbZc", true),
            ("a%b", "ab c", false),
            ("%ab", "aab", true),
            ("a%a", "a", false),
            ("ab%bc", "abc", false),
            ("%a_c%d", "xabcabd", true),
            ("%a_c%d", "xabdabd", false),
            ("%_%_%", "é", false),
            ("%_%_%", "éß", true),
            ("%_ß%", "éß", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(Pattern::new(pattern, None, false).matches(text), expected, "{pattern} {text}");
        }
        let any_case = [
            ("%SALARY%", "my Salary", true),
            // Letter by letter: whether a sigma ends a word makes no difference to it, here as there.
            ("%ΟΔΟΣ%", "ΟΔΟΣΑ", true),
            ("%οδος%", "ΟΔΟΣΑ", true),
            ("ΟΔΟΣ", "οδος", true),
            ("%οδοσ", "Η ΟΔΟΣ", true),
            ("%ΟΔΟΣ_%", "οδος", false),
        ];
        for (pattern, text, expected) in any_case {
            assert_eq!(Pattern::new(pattern, None, true).matches(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn an_escaped_sign_means_itself() {
        let cases = [
            ("50!%", "50%", true),
            ("50!%", "500", false),
            ("%!_!_%", "a__b", true),
            ("%!_!_%", "axxb", false),
            ("!!%", "!x", true),
            ("a!_b_%", "a_bc", true),
            ("%A!_B%", "xA_By", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(Pattern::new(pattern, Some('!'), false).matches(text), expected, "{pattern} {text}");
            let (pattern, text) = (pattern.to_lowercase(), text.to_uppercase());
            assert_eq!(Pattern::new(&pattern, Some('!'), true).matches(&text), expected, "{pattern} {text}");
        }
        assert!(Pattern::new("xa%", Some('x'), true).matches("a"));
    }

    /// Asked together, patterns say what any of them says by itself.
    #[test]
    fn several_patterns_fit_where_one_does() {
        let patterns = ["NIP%", "0%/%", "% frm %", "%b_c%", "abc", "%xyz", "É%", "tr_%"];
        let texts = [
            "nip x",
            "NIP",
            "N",
            "012 a/b",
            "012",
            "a FRM b",
            "frm",
            "abXcd",
            "ABC",
            "abcd",
            "wxYZ",
            "étage",
            "TRF",
            "",
            "É frm é",
        ];
        for any_case in [true, false] {
            for count in 1..=patterns.len() {
                let new = |pattern: &&str| Pattern::new(pattern, None, any_case);
                let several = Patterns::new(patterns[..count].iter().map(new).collect());
                for text in texts {
                    let expected = patterns[..count].iter().map(new).any(|pattern| pattern.matches(text));
                    assert_eq!(several.any_fits(text), expected, "{text} {any_case} {count}");
                }
            }
        }
    }

    /// Each of all short patterns over two letters, against every way to split the text.
    #[test]
    fn every_short_pattern_fits_what_it_should() {
        fn plainly(pattern: &[u8], text: &[u8]) -> bool {
            match pattern.split_first() {
                None => text.is_empty(),
                Some((b'%', rest)) => (0..=text.len()).any(|at| plainly(rest, &text[at..])),
                Some((piece, rest)) => {
                    text.first().is_some_and(|letter| *piece == b'_' || piece == letter) && plainly(rest, &text[1..])
                }
            }
        }
        let all = |letters: &[u8], length: u32| -> Vec<String> {
            let count = letters.len();
            let spell = |number: usize| (0..length).map(|at| letters[number / count.pow(at) % count] as char).collect();
            (0..count.pow(length)).map(spell).collect()
        };
        let texts: Vec<String> = (0..=5).flat_map(|length| all(b"ab", length)).collect();
        for pattern in (0..=6).flat_map(|length| all(b"a_%", length)) {
            let compiled = Pattern::new(&pattern, None, false);
            for text in &texts {
                assert_eq!(compiled.matches(text), plainly(pattern.as_bytes(), text.as_bytes()), "{pattern} {text}");
            }
        }
        // Parts of more than one word of bits.
        for length in [63, 64, 65, 128, 200] {
            let part = "a_".repeat(length / 2);
            let text = "ab".repeat(length / 2);
            assert!(Pattern::new(&format!("%{part}%"), None, false).matches(&format!("x{text}b")), "{length}");
            assert!(!Pattern::new(&format!("%{part}c%"), None, false).matches(&format!("x{text}b")), "{length}");
        }
    }
}
