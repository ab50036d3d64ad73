//! Splits narrations into lowercase words, each with its class from the lists. Numbers, dates and references become
//! gaps.

use std::ops::Range;

use wide::u8x16;

use super::classes::{Class, Classes};
use super::codes::Codes;
use super::limits::{NAME_LETTERS, READ_BYTES};
use crate::base::block::BLOCK;
use crate::base::text::is_invisible;
use crate::base::text_search::ascii_words::{CHUNK, Chunk, Word, mask_equal_bytes, set_bits, text_byte_chunks};

/// A word, or a gap where a number was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    start: u32,
    end: u32,
    pub class: Class,
    /// It comes after a stroke, a bar, a colon, a star, an at sign, two dashes, a semicolon and a blank, or a comma
    /// between blanks.
    pub opens: bool,
    /// It comes after a single dash, with or without blanks.
    pub dashed: bool,
}

/// The words of a text. Reused, so that reading a text allocates nothing.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    lower: String,
    pub list: Vec<Token>,
    /// The classes of all words together.
    pub classes: Class,
    /// Whether a single dash is between two words.
    pub has_dashes: bool,
    /// Whether the text is ASCII.
    is_plain: bool,
}

impl Tokens {
    pub fn word(&self, token: &Token) -> &str {
        self.lower.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// The number of letters of a word.
    pub fn letters(&self, token: &Token) -> usize {
        if self.is_plain { (token.end - token.start) as usize } else { self.word(token).chars().count() }
    }

    /// Adds a class to the words of codes wherever they occur.
    pub fn mark(&mut self, codes: &Codes<'_>, class: Class) {
        for at in 0..self.list.len() {
            let Some(first) = self.list.get(at).copied() else { continue };
            for code in codes.beginning_with(self.word(&first)) {
                let place = at..at + code.split(' ').count();
                let Some(tokens) = self.list.get(place.clone()) else { continue };
                if tokens.iter().zip(code.split(' ')).all(|(token, word)| self.word(token) == word) {
                    self.list.get_mut(place).into_iter().flatten().for_each(|token| token.class |= class);
                    self.classes |= class;
                }
            }
        }
    }

    /// Adds classes to words that were read without any.
    pub fn classify(&mut self, class_of: impl Fn(&str) -> Class) {
        for token in &mut self.list {
            let word = self.lower.get(token.start as usize..token.end as usize).unwrap_or_default();
            token.class |= class_of(word);
            self.classes |= token.class;
        }
    }

    /// Removes from the words of known names the classes that would drop them. The names are sorted.
    pub fn keep_names(&mut self, names: &[Box<[Box<str>]>]) {
        let mut kept = false;
        for at in 0..self.list.len() {
            if !self.list[at].class.is(Class::NAME_START) {
                continue;
            }
            let word = self.word(&self.list[at]);
            let from = names.partition_point(|name| &*name[0] < word);
            let count = names[from..].iter().take_while(|name| &*name[0] == word).count();
            for name in &names[from..from + count] {
                if self.has(name, at) {
                    let tokens = self.list[at..].iter_mut().take(name.len());
                    tokens.for_each(|token| token.class = token.class.without(Class::DROPPED | Class::HEADING));
                    kept = true;
                }
            }
        }
        if kept {
            self.classes = self.list.iter().fold(Class::default(), |all, token| all | token.class);
        }
    }

    /// Whether this is a name that would lose some of its words as remarks, channels or terminals. A name needs another
    /// word too, and has no numbers, links or legal forms, which are never part of names.
    pub fn is_name_cut(&self) -> bool {
        let never = [Class::LINK, Class::NUMBER, Class::EXTRA, Class::MONTH];
        let is_kept = |token: &Token| !token.class.is(Class::DROPPED);
        (self.classes.is(Class::REMARK) || self.classes.is(Class::WAY))
            && !never.iter().any(|class| self.classes.is(*class))
            && self.list.iter().skip(1).all(|token| !token.opens)
            && self.list.iter().any(is_kept)
    }

    /// Whether these words are at `at`, within one part.
    fn has(&self, words: &[Box<str>], at: usize) -> bool {
        let tokens = self.list.get(at..at + words.len()).unwrap_or_default();
        tokens.len() == words.len()
            && tokens.iter().skip(1).all(|token| !token.opens)
            && tokens.iter().zip(words).all(|(token, word)| self.word(token) == &**word)
    }

    /// Every word, without the gaps.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|token| !token.class.is(Class::NUMBER)).map(|token| self.word(token))
    }
}

/// The part of a narration that is read.
pub(super) fn truncate_narration(text: &str) -> &str {
    let mut end = text.len().min(READ_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

impl Tokens {
    /// Reads a text.
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
        self.has_dashes = false;
    }

    /// Reads an ASCII text, whose words are slices of it. Returns whether it is one; if not, the result is meaningless.
    fn read_plain(&mut self, text: &str, classes: &Classes) -> bool {
        self.lower.push_str(text);
        self.lower.make_ascii_lowercase();
        let (mut letter_before, mut dash_before, mut opens) = (0, 0, true);
        let mut has_joints = 0;
        for (start, bytes) in text_byte_chunks(text.as_bytes()) {
            let mut others = 0;
            let chunk = Chunk::scan(bytes, |block| {
                others |= block.to_bitmask() | mask_equal_bytes(block, b'\'') | mask_equal_bytes(block, b'`');
                // Bars and backslashes differ in one bit, and so do colons and stars.
                let bars = mask_equal_bytes(block & u8x16::splat(!0x20), b'\\');
                let joints = mask_equal_bytes(block & u8x16::splat(!0x10), b'*');
                let dashes = mask_equal_bytes(block, b'-');
                let ats = mask_equal_bytes(block, b'@');
                has_joints |= joints | dashes | ats | mask_equal_bytes(block, b',') | mask_equal_bytes(block, b';');
                [mask_equal_bytes(block, b'/') | ats | bars | joints, dashes]
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
        if has_joints != 0 {
            self.read_joints();
        }
        true
    }

    /// Reads a run of ASCII letters and digits. `length` may be cut off at a block.
    #[inline]
    fn read_run(&mut self, at: usize, length: usize, digits: u64, opens: bool, classes: &Classes) {
        let lower = self.lower.as_bytes();
        if length >= BLOCK {
            let length = lower[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            return self.finish(at..at + length, opens, classes);
        }
        let digits = digits & ((1 << length) - 1);
        let mut part = without_known_digits(digits, length);
        let is_cut = part.len() < length && digits.trailing_ones() as usize != length;
        if is_cut && classes.is_numbered(|classes| classes.of_short(Word::first(lower, at, length))) {
            part = 0..length;
        }
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
                    opens = false;
                }
                opens |= matches!(c, '/' | '|' | '\\' | ':' | '*' | '@') || (c == '-' && before == '-');
                self.lower.push(c);
                start = self.lower.len();
            }
            before = c;
        }
        if self.lower.len() > start {
            self.finish(start..self.lower.len(), opens, classes);
        }
        self.read_joints();
    }

    /// Adds a run of letters and digits as a word or a number.
    fn finish(&mut self, run: Range<usize>, opens: bool, classes: &Classes) {
        let written = self.lower.get(run.clone()).unwrap_or_default();
        let mut part = without_digits(written);
        if part.len() < written.len() && classes.is_numbered(|classes| classes.class_of(written)) {
            part = 0..written.len();
        }
        let class = match written.get(part.clone()) {
            None | Some("") => Class::NUMBER,
            Some(word) => classes.class_of(word),
        };
        self.add(run.start + part.start..run.start + part.end, class, opens);
    }

    fn add(&mut self, word: Range<usize>, class: Class, opens: bool) {
        self.classes |= class;
        let (start, end) = (word.start as u32, word.end as u32);
        self.list.push(Token { start, end, class, opens, dashed: false });
    }

    /// Looks at the dashes, colons, stars, commas and at signs between words.
    fn read_joints(&mut self) {
        let text = self.lower.as_bytes();
        let mut part = 0;
        for at in 1..self.list.len() {
            let is_field = |tokens: &[Token]| tokens.iter().filter(|token| !token.class.is(Class::DROPPED)).count() > 1;
            let ends_field =
                self.lower.get(self.list[at - 1].end as usize..).is_some_and(|rest| rest.starts_with(" , "))
                    && self.list.get(part..at).is_some_and(is_field);
            let Some([last, token]) = self.list.get_mut(at - 1..=at) else { return };
            let between = text.get(last.end as usize..token.start as usize).unwrap_or_default();
            if between.len() == 1 && !token.opens && between != b"-" {
                continue;
            }
            token.dashed = between.contains(&b'-');
            self.has_dashes |= token.dashed;
            // `FROM NAME=ADA OBI; TO NAME=EMEKA EZE`: fields with names.
            token.opens |= ends_field || between.starts_with(b"; ");
            // A date is no address: `ON 10/06/2026@ACME`.
            let is_named = between.starts_with(b"@") || between.iter().any(u8::is_ascii_alphabetic);
            if is_named && without_letters(between) == b"@" {
                drop_address(&mut self.list, text, at);
                self.classes |= OF_ADDRESS;
                continue;
            }
            if token.opens {
                token.opens = begins_part(last, token, between);
                part = if token.opens { at } else { part };
                self.classes |= last.class | token.class;
            }
        }
    }
}

/// What a payment address is made of: numbers that end a name.
const OF_ADDRESS: Class = Class::NUMBER.and(Class::ASIDE);

/// What is between two words without the digits and letters of either that were dropped: `@` of `c1@bank`.
fn without_letters(mut between: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = between
        && first.is_ascii_alphanumeric()
    {
        between = rest;
    }
    while let [rest @ .., last] = between
        && last.is_ascii_alphanumeric()
    {
        between = rest;
    }
    between
}

/// Makes an address such as `ada.obi1@bank`, whose part behind the at sign is at `at`, nobody's name.
fn drop_address(list: &mut [Token], text: &[u8], at: usize) {
    let is_joined = |pair: &&[Token]| match pair {
        [last, token] => {
            let between = text.get(last.end as usize..token.start as usize).unwrap_or_default();
            matches!(without_letters(between), b"." | b"_")
        }
        _ => false,
    };
    let before = list.get(..at).unwrap_or_default().windows(2).rev().take_while(is_joined).count();
    for token in list.get_mut(at - 1 - before..=at).unwrap_or_default() {
        token.class = OF_ADDRESS;
    }
}

/// Whether a word begins a part, given what is between it and the last word. Gives classes to words beside stars.
fn begins_part(last: &mut Token, token: &mut Token, between: &[u8]) -> bool {
    if between.last() == Some(&b'*') {
        match (last.class.is(Class::NUMBER), token.class.is(Class::NUMBER)) {
            // Who took the card, as in `PSK*ACME`.
            (false, _) if between.trim_ascii_start() == b"*" => last.class |= Class::FORWARDER,
            // The end of an account's number, which a remark follows: `ADA OBI **0042 FOOD`.
            (false, true) if between.ends_with(b"**") => token.class |= Class::ASIDE,
            // A number without its middle: `2348*****01 ADA OBI`.
            (true, true) if between.iter().all(|byte| *byte == b'*' || byte.is_ascii_digit()) => return false,
            _ => {}
        }
    }
    // `To:ADA OBI` is `To ADA OBI`.
    !(last.class.is(Class::LINK) && between.first() == Some(&b':'))
}

/// Characters inside a word that are not part of it: apostrophes, combining marks, and what cannot be seen.
fn is_silent(c: char) -> bool {
    matches!(c, '\'' | '`' | '\u{2018}' | '\u{2019}' | '\u{300}'..='\u{36f}') || is_invisible(c)
}

/// The part of a run of letters and digits that is a word. Digits at its ends are dropped. A single digit inside or
/// before a name stays (bet9ja, 1xbet). More digits make it a reference, which is dropped.
fn without_digits(run: &str) -> Range<usize> {
    let is_digit = char::is_numeric;
    // Most runs with digits are references without letters.
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

/// As [`without_digits`], for an ASCII run with one bit set per digit.
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

/// The part of a run that is a word, given the number of digits before `word` and inside it.
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

    const ANY_TEXT: &str = concat!(
        "([a-zA-Z]{1,9}|[0-9]{1,17}|[a-zA-Z0-9]{1,18}|[a-z]{60}|pos|POS|12pos34|bet9ja|BET9JA|bet365|BET365|BET366|",
        r"abcdefghijklmnop|ABCDEFGHIJKLMNOPQ|to:|[-/|\\@{.:;,* ]{1,3}){0,12}",
    );

    proptest! {
        /// For ASCII texts, both ways of reading agree.
        #[test]
        fn a_plain_text_is_read_as_any_other(text in ANY_TEXT) {
            let listed = ["pos", "bet9ja", "a", "abcdefghijklmnop", "abcdefghijklmnopq", "to", "bet365", "12pos34"];
            let classes = [Class::CHANNEL, Class::REMARK, Class::BANK, Class::PLACE, Class::CODE, Class::TO];
            let classes = classes.into_iter().chain([Class::NUMBERED; 2]);
            let classes = listed.into_iter().map(Box::from).zip(classes).collect::<HashMap<Box<str>, Class>>();
            let classes = Classes::new(classes);
            let summary = |tokens: &Tokens| -> Vec<(String, Class, bool, bool)> {
                let summary = |token: &Token| (tokens.word(token).to_owned(), token.class, token.opens, token.dashed);
                tokens.list.iter().map(summary).collect()
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
        fn digits_are_dropped_the_same_way_whether_their_places_are_known(
            run in "[a-z]{0,5}[0-9]{0,3}[a-z]{0,5}[0-9]{0,2}|[a-c0-9]{1,15}",
        ) {
            let digit = |(byte, at): (u8, u32)| u64::from(byte.is_ascii_digit()) << at;
            let digits = run.bytes().zip(0..).map(digit).fold(0, |digits, digit| digits | digit);
            let (known, any) = (without_known_digits(digits, run.len()), without_digits(&run));
            prop_assert_eq!(run.get(known), run.get(any));
        }
    }
}
