//! Splits narrations into lowercase words, each with its class from the lists. Numbers, dates and references become
//! gaps. Knows no structure.

use std::ops::Range;

use super::classes::{Class, Classes};
use super::{NAME_LETTERS, READ_BYTES};
use crate::text_search::ascii_words::{CHUNK, Chunk, Word, chunks, equal, set_bits};
use crate::words::block::BLOCK;

/// A word, or a hole where a number was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    start: u32,
    end: u32,
    pub class: Class,
    /// A stroke, a bar or two dashes stand before it.
    pub opens: bool,
}

/// The words of a text. Kept from text to text, so that reading one allocates nothing.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    lower: String,
    pub list: Vec<Token>,
    /// What all of them together are.
    pub classes: Class,
    /// Whether every letter is a byte.
    is_plain: bool,
}

impl Tokens {
    pub fn word(&self, token: &Token) -> &str {
        self.lower.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// How many letters a word has.
    pub fn letters(&self, token: &Token) -> usize {
        if self.is_plain { (token.end - token.start) as usize } else { self.word(token).chars().count() }
    }

    /// Makes all that are this word of a class, too.
    pub fn mark(&mut self, word: &str, class: Class) {
        let lower = &self.lower;
        let is_word = |token: &&mut Token| lower.get(token.start as usize..token.end as usize) == Some(word);
        for token in self.list.iter_mut().filter(is_word) {
            token.class |= class;
            self.classes |= class;
        }
    }

    /// Gives each word its class, where they were read without any.
    pub fn classify(&mut self, class_of: impl Fn(&str) -> Class) {
        for token in &mut self.list {
            let word = self.lower.get(token.start as usize..token.end as usize).unwrap_or_default();
            token.class |= class_of(word);
            self.classes |= token.class;
        }
    }

    /// Gives the words of names that stand here back what they are in them: no remark, no channel. The names are in the
    /// order of the alphabet.
    pub fn keep(&mut self, names: &[Box<[Box<str>]>]) {
        let mut kept = false;
        for at in 0..self.list.len() {
            if !self.list[at].class.is(Class::BEGINS) {
                continue;
            }
            let word = self.word(&self.list[at]);
            let from = names.partition_point(|name| &*name[0] < word);
            let count = names[from..].iter().take_while(|name| &*name[0] == word).count();
            for name in &names[from..from + count] {
                if self.has(name, at) {
                    let tokens = self.list[at..].iter_mut().take(name.len());
                    tokens.for_each(|token| token.class = token.class.without(Class::AWAY));
                    kept = true;
                }
            }
        }
        if kept {
            self.classes = self.list.iter().fold(Class::default(), |all, token| all | token.class);
        }
    }

    /// Whether this is a name of several words some of which are taken away as remarks or channels. Not of remarks
    /// alone, which name nobody, and without numbers, links, terminals and legal forms, which stay no part of names.
    pub fn is_name_cut(&self) -> bool {
        let never = [Class::LINK, Class::NUMBER, Class::TERMINAL, Class::EXTRA, Class::MONTH];
        let is_kept = |token: &Token| !token.class.is(Class::AWAY);
        (self.classes.is(Class::REMARK) || self.classes.is(Class::CHANNEL))
            && !never.iter().any(|class| self.classes.is(*class))
            && self.list.iter().skip(1).all(|token| !token.opens)
            && self.list.iter().any(is_kept)
    }

    /// Whether a part has these words from here on.
    fn has(&self, words: &[Box<str>], at: usize) -> bool {
        let tokens = self.list.get(at..at + words.len()).unwrap_or_default();
        tokens.len() == words.len()
            && tokens.iter().skip(1).all(|token| !token.opens)
            && tokens.iter().zip(words).all(|(token, word)| self.word(token) == &**word)
    }

    /// Every word but the holes.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|token| !token.class.is(Class::NUMBER)).map(|token| self.word(token))
    }
}

/// The part of a narration that is read.
pub(super) fn beginning(text: &str) -> &str {
    let mut end = text.len().min(READ_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

impl Tokens {
    /// Takes a text apart.
    pub fn read(&mut self, text: &str, classes: &Classes) {
        self.clear();
        self.is_plain = self.read_plain(text, classes);
        if !self.is_plain {
            self.clear();
            self.read_any(text, classes);
        }
    }

    fn clear(&mut self) {
        self.lower.clear();
        self.list.clear();
        self.classes = Class::default();
    }

    /// Of letters, digits and signs of ASCII alone words are pieces of the text as it stands. Whether it is such a
    /// text; else what was read means nothing.
    fn read_plain(&mut self, text: &str, classes: &Classes) -> bool {
        self.lower.push_str(text);
        self.lower.make_ascii_lowercase();
        let (mut letter_before, mut dash_before, mut opens) = (0, 0, true);
        for (start, bytes) in chunks(text.as_bytes()) {
            let mut others = 0;
            let chunk = Chunk::scan(bytes, |block| {
                others |= block.to_bitmask() | equal(block, b'\'') | equal(block, b'`');
                [equal(block, b'/') | equal(block, b'|') | equal(block, b'\\'), equal(block, b'-')]
            });
            if others != 0 {
                return false;
            }
            let [strokes, dashes] = chunk.marks;
            let mut marks = strokes | dashes & (dashes << 1 | dash_before);
            dash_before = dashes >> (CHUNK - 1);
            for at in set_bits(chunk.begins(&mut letter_before)) {
                let passed = (1 << at) - 1;
                self.read_run(start + at, chunk.length(at), chunk.digits >> at, opens || marks & passed != 0, classes);
                opens = false;
                marks &= !passed;
            }
            opens |= marks != 0;
        }
        true
    }

    /// Letters and digits of ASCII, so many that are known: of a short word that is all of them.
    #[inline]
    fn read_run(&mut self, at: usize, length: usize, digits: u64, opens: bool, classes: &Classes) {
        let lower = self.lower.as_bytes();
        if length >= BLOCK {
            let length = lower[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            return self.finish(at..at + length, opens, classes);
        }
        let part = without_known_digits(digits & ((1 << length) - 1), length);
        let class = match part.is_empty() {
            true => Class::NUMBER,
            false => classes.of_short(Word::first(lower, at + part.start, part.len())),
        };
        self.add(at + part.start..at + part.end, class, opens);
    }

    fn read_any(&mut self, text: &str, classes: &Classes) {
        let mut start = 0;
        let mut opens = true;
        let mut before = ' ';
        for c in text.chars() {
            if c.is_ascii_alphanumeric() {
                self.lower.push(c.to_ascii_lowercase());
            } else if c.is_alphanumeric() {
                self.lower.extend(c.to_lowercase().filter(|c| !is_silent(*c)));
            } else if !is_silent(c) {
                if self.lower.len() > start {
                    self.finish(start..self.lower.len(), opens, classes);
                    start = self.lower.len();
                    opens = false;
                }
                opens |= matches!(c, '/' | '|' | '\\') || (c == '-' && before == '-');
            }
            before = c;
        }
        if self.lower.len() > start {
            self.finish(start..self.lower.len(), opens, classes);
        }
    }

    /// These letters are a word, or with their digits a number.
    fn finish(&mut self, run: Range<usize>, opens: bool, classes: &Classes) {
        let written = self.lower.get(run.clone()).unwrap_or_default();
        let part = without_digits(written);
        let class = match written.get(part.clone()) {
            None | Some("") => Class::NUMBER,
            Some(word) => classes.class_of(word),
        };
        self.add(run.start + part.start..run.start + part.end, class, opens);
    }

    fn add(&mut self, word: Range<usize>, class: Class, opens: bool) {
        self.classes |= class;
        self.list.push(Token { start: word.start as u32, end: word.end as u32, class, opens });
    }
}

/// Inside a word and no part of it: apostrophes, marks above and below letters, what directs writing.
fn is_silent(c: char) -> bool {
    matches!(c, '\'' | '`' | '\u{2018}' | '\u{2019}' | '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}')
}

/// Which part of a run of letters and digits is a word: digits at its ends are not. One digit inside a name or before
/// it stays (bet9ja, 1xbet); more make a reference, of which nothing is left.
fn without_digits(run: &str) -> Range<usize> {
    let is_digit = char::is_numeric;
    // Most are references, which have no letter.
    if run.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0..0;
    }
    if !run.chars().any(is_digit) {
        return 0..run.len();
    }
    let whole = run.trim_end_matches(is_digit);
    let word = whole.trim_start_matches(is_digit);
    let letters = word.chars().filter(|c| !is_digit(*c)).count();
    let inside = word.chars().filter(|c| is_digit(*c)).count();
    let before = whole.chars().take_while(|c| is_digit(*c)).count();
    kept(before, letters, inside, whole.len() - word.len()..whole.len())
}

/// As [`without_digits`], of a run of ASCII of which it is known where digits are: a bit for each.
#[inline]
fn without_known_digits(digits: u64, length: usize) -> Range<usize> {
    if digits == 0 {
        return 0..length;
    }
    let before = digits.trailing_ones() as usize;
    if before == length {
        return 0..0;
    }
    let end = length - (digits << (CHUNK - length)).leading_ones() as usize;
    let inside = (digits >> before & ((1 << (end - before)) - 1)).count_ones() as usize;
    kept(before, end - before - inside, inside, before..end)
}

/// The part of a run that is a word: so many digits stand before `word`, and so many inside it.
fn kept(before: usize, letters: usize, inside: usize, word: Range<usize>) -> Range<usize> {
    let brand = letters > NAME_LETTERS;
    match (before, inside) {
        (1, 0) if brand => 0..word.end,
        (_, 0) if letters >= NAME_LETTERS => word,
        (_, 1) if brand => word,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Of ASCII both ways of reading say the same.
        #[test]
        fn a_plain_text_is_read_as_any_other(text in "([a-zA-Z]{1,9}|[0-9]{1,17}|[a-zA-Z0-9]{1,18}|[a-z]{60}|pos|POS|12pos34|bet9ja|BET9JA|abcdefghijklmnop|ABCDEFGHIJKLMNOPQ|[-/|\\\\@{. ]{1,3}){0,12}") {
            let listed = ["pos", "bet9ja", "a", "abcdefghijklmnop", "abcdefghijklmnopq"];
            let classes = [Class::CHANNEL, Class::REMARK, Class::BANK, Class::PLACE, Class::CODE];
            let classes = listed.into_iter().map(Box::from).zip(classes).collect::<HashMap<Box<str>, Class>>();
            let classes = Classes::new(classes);
            let summary = |tokens: &Tokens| -> Vec<(String, Class, bool)> {
                tokens.list.iter().map(|token| (tokens.word(token).to_owned(), token.class, token.opens)).collect()
            };
            let (mut plain, mut any) = (Tokens::default(), Tokens::default());
            prop_assert!(plain.read_plain(&text, &classes));
            any.read_any(&text, &classes);
            prop_assert_eq!(summary(&plain), summary(&any));
            prop_assert_eq!(plain.classes, any.classes);
            for other in ["\'", "`", "\u{e9}"] {
                prop_assert!(!plain.read_plain(&[text.as_str(), other].concat(), &classes));
            }
        }

        #[test]
        fn digits_are_taken_away_alike_wherever_it_is_known_where_they_are(run in "[a-z]{0,5}[0-9]{0,3}[a-z]{0,5}[0-9]{0,2}|[a-c0-9]{1,15}") {
            let digits = run.bytes().zip(0..).fold(0, |digits, (byte, at)| digits | u64::from(byte.is_ascii_digit()) << at);
            let (known, any) = (without_known_digits(digits, run.len()), without_digits(&run));
            prop_assert_eq!(run.get(known), run.get(any));
        }
    }
}
