//! Narrations as words: lower case, each with what the lists say of it. Numbers, dates and references become holes. Knows no structure.

use std::ops::Range;

use super::ascii::{Word, each_word, equal};
use super::classes::{Class, Classes};
use super::{NAME_LETTERS, READ_BYTES};
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
}

impl Tokens {
    pub fn word(&self, token: &Token) -> &str {
        self.lower.get(token.start as usize..token.end as usize).unwrap_or_default()
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
        self.lower.clear();
        self.list.clear();
        self.classes = Class::default();
        if is_plain(text) {
            self.read_plain(text, classes);
        } else {
            self.read_any(text, classes);
        }
    }

    /// Letters, digits and signs of ASCII: words are pieces of the text as it stands.
    fn read_plain(&mut self, text: &str, classes: &Classes) {
        self.lower.push_str(text);
        self.lower.make_ascii_lowercase();
        let text = text.as_bytes();
        let mut before = 0;
        let opens = |block| {
            let dashes = equal(block, b'-');
            let pairs = dashes & (dashes << 1 | before);
            before = dashes >> (BLOCK - 1) & 1;
            pairs | equal(block, b'/') | equal(block, b'|') | equal(block, b'\\')
        };
        each_word(text, opens, |at, opens| {
            let opens = opens || self.list.is_empty();
            let (word, length) = Word::at(text, at);
            if length == BLOCK {
                let more = text[at + length..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                return self.finish(at..at + length + more, opens, classes);
            }
            let part = match (word.has_digits(length), word.has_letters()) {
                (false, _) => 0..length,
                (true, false) => 0..0,
                (true, true) => without_digits(self.lower.get(at..at + length).unwrap_or_default()),
            };
            let class = match part.is_empty() {
                true => Class::NUMBER,
                false => classes.of_short(word.part(part.start, part.end)),
            };
            self.add(at + part.start..at + part.end, class, opens);
        });
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
            Some(word) => classes.of(word),
        };
        self.add(run.start + part.start..run.start + part.end, class, opens);
    }

    fn add(&mut self, word: Range<usize>, class: Class, opens: bool) {
        self.classes |= class;
        self.list.push(Token { start: word.start as u32, end: word.end as u32, class, opens });
    }
}

/// Whether a text is of ASCII, without signs that are no part of the word they stand in.
pub(super) fn is_plain(text: &str) -> bool {
    text.is_ascii() && memchr::memchr2(b'\'', b'`', text.as_bytes()).is_none()
}

/// Inside a word and no part of it: apostrophes, marks above and below letters, what directs writing.
fn is_silent(c: char) -> bool {
    matches!(c, '\'' | '`' | '\u{2018}' | '\u{2019}' | '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}')
}

/// Which part of a run of letters and digits is a word: digits at its ends are not. One digit inside a name or before it stays (bet9ja, 1xbet);
/// more make a reference, of which nothing is left.
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
    let brand = letters > NAME_LETTERS;
    match (before, inside) {
        (1, 0) if brand => 0..whole.len(),
        (_, 0) if letters >= NAME_LETTERS => whole.len() - word.len()..whole.len(),
        (_, 1) if brand => whole.len() - word.len()..whole.len(),
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
        fn a_plain_text_is_read_as_any_other(text in "([a-zA-Z]{1,9}|[0-9]{1,17}|[a-zA-Z0-9]{1,18}|pos|POS|12pos34|bet9ja|BET9JA|abcdefghijklmnop|ABCDEFGHIJKLMNOPQ|[-/|\\\\@{. ]{1,3}){0,12}") {
            let listed = ["pos", "bet9ja", "a", "abcdefghijklmnop", "abcdefghijklmnopq"];
            let classes = [Class::CHANNEL, Class::REMARK, Class::BANK, Class::PLACE, Class::CODE];
            let classes = listed.into_iter().map(Box::from).zip(classes).collect::<HashMap<Box<str>, Class>>();
            let classes = Classes::new(classes);
            let said = |tokens: &Tokens| -> Vec<(String, Class, bool)> {
                tokens.list.iter().map(|token| (tokens.word(token).to_owned(), token.class, token.opens)).collect()
            };
            let (mut plain, mut any) = (Tokens::default(), Tokens::default());
            prop_assert!(is_plain(&text));
            plain.read_plain(&text, &classes);
            any.read_any(&text, &classes);
            prop_assert_eq!(said(&plain), said(&any));
            prop_assert_eq!(plain.classes, any.classes);
        }
    }
}
