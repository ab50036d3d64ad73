//! Narrations as words: lower case, each with what the lists say of it. Numbers, dates and references become holes. Knows no structure.

use std::hash::Hasher;
use std::ops::{BitOr, BitOrAssign, Range};

use super::{NAME_LETTERS, READ_BYTES};

/// What is known of a word; a word can be of several classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class(u32);

impl Class {
    pub const CHANNEL: Self = Self(1);
    pub const BANK: Self = Self(1 << 1);
    pub const FORWARDER: Self = Self(1 << 2);
    pub const REMARK: Self = Self(1 << 3);
    /// Around a name: a title, a legal form.
    pub const EXTRA: Self = Self(1 << 4);
    pub const PLACE: Self = Self(1 << 5);
    /// Ends a terminal's narration.
    pub const CODE: Self = Self(1 << 6);
    pub const MONTH: Self = Self(1 << 7);
    /// A month that people are called by.
    pub const NAME_MONTH: Self = Self(1 << 8);
    pub const FROM: Self = Self(1 << 9);
    pub const TO: Self = Self(1 << 10);
    pub const BY: Self = Self(1 << 11);
    /// What follows is no name: for, via.
    pub const ASIDE: Self = Self(1 << 12);
    /// `FRM`: people write `from`, only banks write it so.
    pub const FRM: Self = Self(1 << 13);
    /// `NIP`: the name has its own place behind it.
    pub const NIP: Self = Self(1 << 14);
    /// No word at all: a number, a date, a reference.
    pub const NUMBER: Self = Self(1 << 15);

    /// A terminal or a counter: its narrations end with places.
    pub const TERMINAL: Self = Self(1 << 16);

    /// A bank of others that lends too: a name, unless it stands where the sender's bank does.
    pub const LENDING: Self = Self(1 << 17);

    pub const LINK: Self = Self(Self::FROM.0 | Self::TO.0 | Self::BY.0 | Self::ASIDE.0);
    /// How the money moved.
    pub const WAY: Self = Self(Self::CHANNEL.0 | Self::TERMINAL.0);
    /// Taken away wherever it stands.
    pub const AWAY: Self =
        Self(Self::WAY.0 | Self::REMARK.0 | Self::EXTRA.0 | Self::LINK.0 | Self::NUMBER.0 | Self::MONTH.0);
    /// No name by itself, but may be a part of one.
    pub const WEAK: Self = Self(Self::BANK.0 | Self::FORWARDER.0 | Self::PLACE.0 | Self::CODE.0 | Self::NAME_MONTH.0);

    /// Whether the two have a class in common.
    pub fn is(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Class {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Class {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What holds of every narration in English, whatever the lists say.
pub(super) const BUILT_IN: &[(&[&str], Class)] = &[
    (&["from"], Class::FROM),
    (&["frm"], Class(Class::FROM.0 | Class::FRM.0)),
    (&["to"], Class::TO),
    (&["by"], Class::BY),
    (&["for", "via"], Class::ASIDE),
    (&["nip"], Class(Class::NIP.0 | Class::CHANNEL.0)),
    (&["january", "february", "july", "september", "october", "november", "december"], Class::MONTH),
    (&["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"], Class::MONTH),
    (&["march", "april", "may", "june", "august"], Class::NAME_MONTH),
];

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
    /// Takes a text apart; `class_of` knows the lists.
    pub fn read(&mut self, text: &str, class_of: impl Fn(&str) -> Class) {
        self.lower.clear();
        self.list.clear();
        self.classes = Class::default();
        if text.bytes().all(|byte| KINDS[usize::from(byte)] != Kind::Other) {
            self.read_plain(text, class_of);
        } else {
            self.read_any(text, class_of);
        }
    }

    /// Letters, digits and signs of ASCII: words are pieces of the text as it stands.
    fn read_plain(&mut self, text: &str, class_of: impl Fn(&str) -> Class) {
        self.lower.push_str(text);
        self.lower.make_ascii_lowercase();
        let kinds = |at: usize| text.as_bytes().get(at).map(|byte| KINDS[usize::from(*byte)]);
        let (mut at, mut opens, mut before) = (0, true, Kind::Sign);
        while let Some(kind) = kinds(at) {
            let (start, mut has_digits) = (at, false);
            while let Some(kind @ (Kind::Letter | Kind::Digit)) = kinds(at) {
                has_digits |= kind == Kind::Digit;
                at += 1;
            }
            if at > start {
                self.finish(start..at, has_digits, opens, &class_of);
                (opens, before) = (false, Kind::Letter);
            } else {
                opens |= kind == Kind::Stroke || (kind == Kind::Dash && before == Kind::Dash);
                before = kind;
                at += 1;
            }
        }
    }

    fn read_any(&mut self, text: &str, class_of: impl Fn(&str) -> Class) {
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
                    self.finish(start..self.lower.len(), true, opens, &class_of);
                    start = self.lower.len();
                    opens = false;
                }
                opens |= matches!(c, '/' | '|' | '\\') || (c == '-' && before == '-');
            }
            before = c;
        }
        if self.lower.len() > start {
            self.finish(start..self.lower.len(), true, opens, &class_of);
        }
    }

    /// These letters are a word, or with their digits a number.
    fn finish(&mut self, run: Range<usize>, has_digits: bool, opens: bool, class_of: &impl Fn(&str) -> Class) {
        let written = self.lower.get(run.clone()).unwrap_or_default();
        let (from, to) = if has_digits { without_digits(written) } else { (0, written.len()) };
        let class = match written.get(from..to) {
            None | Some("") => Class::NUMBER,
            Some(word) => class_of(word),
        };
        self.classes |= class;
        let (start, end) = ((run.start + from) as u32, (run.start + to) as u32);
        self.list.push(Token { start, end, class, opens });
    }
}

/// What a byte is to the words of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    /// A stroke or a bar.
    Stroke,
    Dash,
    /// Between words.
    Sign,
    /// A letter of more than one byte, or a sign that is no part of the word it stands in.
    Other,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Letter,
            b'0'..=b'9' => Kind::Digit,
            b'/' | b'|' | b'\\' => Kind::Stroke,
            b'-' => Kind::Dash,
            b'\'' | b'`' => Kind::Other,
            _ => Kind::Sign,
        };
        byte += 1;
    }
    kinds
};

/// Inside a word and no part of it: apostrophes, marks above and below letters, what directs writing.
fn is_silent(c: char) -> bool {
    matches!(c, '\'' | '`' | '\u{2018}' | '\u{2019}' | '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}')
}

/// Which part of a run of letters and digits is a word: digits at its ends are not. One digit inside a name or before it stays (bet9ja, 1xbet);
/// more make a reference, of which nothing is left.
fn without_digits(run: &str) -> (usize, usize) {
    let is_digit = char::is_numeric;
    // Most are references, which have no letter.
    if run.bytes().all(|byte| byte.is_ascii_digit()) {
        return (0, 0);
    }
    if !run.chars().any(is_digit) {
        return (0, run.len());
    }
    let whole = run.trim_end_matches(is_digit);
    let word = whole.trim_start_matches(is_digit);
    let letters = word.chars().filter(|c| !is_digit(*c)).count();
    let inside = word.chars().filter(|c| is_digit(*c)).count();
    let before = whole.chars().take_while(|c| is_digit(*c)).count();
    let brand = letters > NAME_LETTERS;
    match (before, inside) {
        (1, 0) if brand => (0, whole.len()),
        (_, 0) if letters >= NAME_LETTERS => (whole.len() - word.len(), whole.len()),
        (_, 1) if brand => (whole.len() - word.len(), whole.len()),
        _ => (0, 0),
    }
}

/// A hash for short words out of our own lists: what is looked up is never kept, so that nobody can fill a bucket.
#[derive(Clone, Debug)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
