//! A strict JSON scanner over a byte slice, pull style: the reader asks for what it expects, and builds no tree.
//!
//! The grammar is that of RFC 8259. Stricter on purpose: a key occurs once per object, and values nest no deeper than
//! [`DEPTH_LIMIT`]. Both rules also apply inside skipped values. Looser on purpose: half of a surrogate pair stands for
//! no character, so it is read as U+FFFD and counted, since the rest of the record is sound.

use std::borrow::Cow;

use crate::base::block::{BLOCK, ends_text, load_sixteen_bytes, plain_number};
use crate::statement::formats::json::prefix_compare::{Prefix, same_bytes};
use crate::statement::formats::json::text::{RawJsonString, find_repeated_key, shorten_quoted_text};
use crate::statement::formats::json::utf8::Checked;

/// How deep values may nest, the outermost being the first level.
pub(crate) const DEPTH_LIMIT: u32 = 64;

const NO_TEXT: &str = "these bytes are not UTF-8";

/// How many places are tried when searching for an item.
const GUESSES_MAX: usize = 1_000;

/// Which JSON values can be taken by their source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Text,
    TextOrNumber,
    Neither,
}

/// Why the text was refused, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) at: usize,
    pub(crate) kind: FlawKind,
    pub(crate) what: Cow<'static, str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlawKind {
    /// Not JSON at all.
    Malformed,
    /// JSON that has no single meaning or no bound.
    Refused,
}

pub(crate) type Scan<T> = Result<T, Box<Flaw>>;

#[derive(Clone, Debug)]
pub(crate) struct Scanner<'a> {
    text: Checked<'a>,
    at: usize,
    depth: u32,
    /// The watched keys of the open objects, outermost first.
    keys: Vec<RawJsonString<'a>>,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Scan<Scanner<'a>> {
        match Checked::whole(bytes) {
            Ok(text) => Ok(Scanner::from_checked(text)),
            Err(at) => Err(malformed_at(at, NO_TEXT)),
        }
    }

    /// A scanner that checks that the bytes are UTF-8 as it reads them, so all of them are checked at the end. If
    /// reading fails before, ask [`Scanner::new`] whether the bytes are UTF-8 at all.
    pub(crate) fn ahead(bytes: &'a [u8]) -> Scanner<'a> {
        Scanner::from_checked(Checked::ahead(bytes))
    }

    fn from_checked(text: Checked<'a>) -> Scanner<'a> {
        // Some programs begin every file with a byte order mark; places still count from the file's first byte.
        let mark = "\u{feff}".as_bytes();
        let at = if text.bytes().starts_with(mark) { mark.len() } else { 0 };
        Scanner { text, at, depth: 0, keys: Vec::new() }
    }

    /// The offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn malformed<T>(&self, what: &'static str) -> Scan<T> {
        Err(malformed_at(self.at, what))
    }

    fn rest(&self) -> &'a [u8] {
        self.text.bytes().get(self.at..).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.text.bytes().get(self.at).copied()
    }

    /// The text from `from` to here. Both ends are at ASCII bytes.
    #[inline]
    fn slice(&mut self, from: usize) -> Scan<&'a str> {
        match self.text.text(from, self.at) {
            Some(text) => Ok(text),
            None => Err(malformed_at(from, NO_TEXT)),
        }
    }

    #[inline]
    fn skip_space(&mut self) -> Option<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other,
            }
        }
    }

    /// Skips space and returns how many lines ended in it.
    pub(crate) fn skip_lines(&mut self) -> u32 {
        let from = self.at;
        self.skip_space();
        self.lines_between(from, self.at)
    }

    /// How many lines the record that began at `from` takes, up to where the next one may begin.
    pub(crate) fn lines_of_record(&mut self, from: usize) -> Scan<u32> {
        let within = self.lines_between(from, self.at);
        let behind = self.skip_lines();
        if behind == 0 && !self.at_end() {
            return self.malformed("expected a new line before the next record");
        }
        Ok(within.saturating_add(behind))
    }

    fn lines_between(&self, from: usize, to: usize) -> u32 {
        let passed = self.text.bytes().get(from..to).unwrap_or_default();
        u32::try_from(memchr::memchr_iter(b'\n', passed).count()).unwrap_or(u32::MAX)
    }

    /// The first byte of the next value.
    #[inline]
    pub(crate) fn peek(&mut self) -> Scan<u8> {
        match self.skip_space() {
            Some(byte) => Ok(byte),
            None => self.malformed("the text ends where a value should be"),
        }
    }

    /// Whether nothing but space is left.
    pub(crate) fn at_end(&mut self) -> bool {
        self.skip_space().is_none()
    }

    /// Nothing may follow.
    pub(crate) fn end(&mut self) -> Scan<()> {
        if self.at_end() { Ok(()) } else { self.malformed("nothing may follow the value") }
    }

    fn open(&mut self) -> Scan<()> {
        if self.depth == DEPTH_LIMIT {
            return Err(refused_at(self.at, format!("values nest deeper than {DEPTH_LIMIT}")));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Steps into an object whose `{` was peeked. Its keys are watched from here on.
    pub(crate) fn open_object(&mut self) -> Scan<ObjectKeys> {
        self.open()?;
        Ok(ObjectKeys { first: true, base: self.keys.len() })
    }

    /// The next key, after passing its colon, or `None` at the object's end.
    #[inline]
    pub(crate) fn next_key(&mut self, object: &mut ObjectKeys) -> Scan<Option<RawJsonString<'a>>> {
        match self.skip_space() {
            Some(b'}') => {
                self.at += 1;
                self.depth -= 1;
                self.check_keys(object.base)?;
                return Ok(None);
            }
            Some(b',') if !object.first => {
                self.at += 1;
                self.skip_space();
            }
            Some(_) if object.first => {}
            Some(_) => return self.malformed("expected `,` or `}`"),
            None => return self.malformed("the text ends inside an object"),
        }
        object.first = false;
        match self.byte() {
            Some(b'"') => {}
            Some(_) => return self.malformed("expected a key in double quotes"),
            None => return self.malformed("the text ends inside an object"),
        }
        let key = self.string()?;
        if self.byte() != Some(b':') && self.skip_space() != Some(b':') {
            return self.malformed(if self.byte().is_none() {
                "the text ends inside an object"
            } else {
                "expected `:` after the key"
            });
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Passes this text if it comes next.
    #[inline]
    pub(crate) fn passes(&mut self, text: &Prefix<'_>) -> bool {
        let passes = text.is_at(self.text.bytes(), self.at);
        self.at += if passes { text.text().len() } else { 0 };
        passes
    }

    /// Passes `null` if it comes next.
    #[inline]
    pub(crate) fn passes_null(&mut self) -> bool {
        let passes = self.rest().first_chunk() == Some(b"null");
        self.at += if passes { 4 } else { 0 };
        passes
    }

    /// Passes this text if it comes next in quotes. It needs no escapes.
    #[inline]
    pub(crate) fn passes_text(&mut self, text: &str) -> bool {
        let passes = match self.text.bytes().get(self.at..self.at + text.len() + 2) {
            Some([b'"', within @ .., b'"']) => same_bytes(within, text.as_bytes()),
            _ => false,
        };
        self.at += if passes { text.len() + 2 } else { 0 };
        passes
    }

    /// The text between two places that the scanner has passed.
    pub(crate) fn between(&self, from: usize, to: usize) -> &'a str {
        // Bytes outside strings are ASCII, and strings are checked as they are passed.
        self.text.passed(from, to).expect("INVARIANT: text that the scanner has passed is UTF-8")
    }

    /// Another scanner of the same text at this place.
    pub(crate) fn at_place(&self, at: usize) -> Scanner<'a> {
        Scanner { text: self.text, at, depth: self.depth, keys: Vec::new() }
    }

    /// The number of bytes in all.
    pub(crate) fn length(&self) -> usize {
        self.text.bytes().len()
    }

    /// Where the next item of the array begins. The scanner is between two items.
    pub(crate) fn next_after_comma(&self) -> Option<usize> {
        let mut next = self.at_place(self.at);
        next.next_item(&mut ArrayItems::within()).ok()?.then_some(next.at)
    }

    /// The first place from `from` on where text that begins like this follows a comma, and so is probably an item.
    pub(crate) fn find_item(&self, begins: &str, from: usize) -> Option<usize> {
        let bytes = self.text.bytes();
        let found = memchr::memmem::find_iter(bytes.get(from..)?, begins).map(|at| from + at);
        let follows = |at: &usize| bytes.get(..*at).unwrap_or_default().trim_ascii_end().last() == Some(&b',');
        found.take(GUESSES_MAX).find(follows)
    }

    /// Continues as if the array that ends at `end` had been read.
    pub(crate) fn leave_array_at(&mut self, end: usize) {
        self.at = end;
        self.depth -= 1;
    }

    /// The state to return to with [`Scanner::back_to`].
    pub(crate) fn mark(&self) -> Mark {
        Mark { at: self.at, depth: self.depth, keys: self.keys.len() }
    }

    pub(crate) fn back_to(&mut self, mark: &Mark) {
        self.at = mark.at;
        self.at_depth(mark, 0);
    }

    /// Continues as if `deeper` objects had been opened since the mark.
    pub(crate) fn at_depth(&mut self, mark: &Mark, deeper: u32) {
        self.depth = mark.depth + deeper;
        self.keys.truncate(mark.keys);
    }

    /// Remembers a key of the innermost open object, so that a repetition is found at the object's end.
    pub(crate) fn watch(&mut self, key: RawJsonString<'a>) {
        self.keys.push(key);
    }

    /// The refusal of a key that occurs twice.
    pub(crate) fn twice<T>(&self, key: RawJsonString<'a>) -> Scan<T> {
        Err(refused_at(
            key.at,
            format!("the key `{}` occurs twice in one object", shorten_quoted_text(&key.decode(&mut 0))),
        ))
    }

    fn check_keys(&mut self, base: usize) -> Scan<()> {
        if let Some(key) = find_repeated_key(self.keys.get(base..).unwrap_or_default()) {
            return self.twice(key);
        }
        self.keys.truncate(base);
        Ok(())
    }

    /// Steps into an array whose `[` was peeked.
    pub(crate) fn open_array(&mut self) -> Scan<ArrayItems> {
        self.open()?;
        Ok(ArrayItems { first: true })
    }

    /// Whether there is another item. Leaves the array if there is none.
    #[inline]
    pub(crate) fn next_item(&mut self, array: &mut ArrayItems) -> Scan<bool> {
        match self.skip_space() {
            Some(b']') => {
                self.at += 1;
                self.depth -= 1;
                return Ok(false);
            }
            Some(b',') if !array.first => {
                self.at += 1;
                if self.skip_space() == Some(b']') {
                    return self.malformed("expected a value after `,`");
                }
            }
            Some(_) if array.first => {}
            Some(_) => return self.malformed("expected `,` or `]`"),
            None => return self.malformed("the text ends inside an array"),
        }
        array.first = false;
        Ok(true)
    }

    /// The string whose opening quote was peeked.
    #[inline]
    pub(crate) fn string(&mut self) -> Scan<RawJsonString<'a>> {
        let opened = self.at;
        self.at += 1;
        let from = self.at;
        let mut escaped = false;
        loop {
            match self.skip_plain() {
                Some(b'"') => {
                    let raw = self.slice(from)?;
                    self.at += 1;
                    return Ok(RawJsonString { raw, escaped, at: opened });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return self.malformed("a control character inside a string must be escaped"),
                None => return self.malformed("the text ends inside a string"),
            }
        }
    }

    /// The value that begins right here, if it is text without escapes or a plain number, and `takes` allows it.
    /// Otherwise the scanner stays where it is.
    #[inline]
    pub(crate) fn plain(&mut self, takes: Takes) -> Option<&'a str> {
        let bytes = self.text.bytes();
        match (*bytes.get(self.at)?, takes) {
            (b'"', Takes::Text | Takes::TextOrNumber) => {
                let from = self.at + 1;
                let to = plain_end(bytes, from);
                if bytes.get(to) != Some(&b'"') {
                    return None;
                }
                let text = self.text.text(from, to)?;
                self.at = to + 1;
                Some(text)
            }
            (b'0'..=b'9', Takes::TextOrNumber) => {
                let to = self.at + plain_number(load_sixteen_bytes(bytes, self.at)?)?;
                let text = self.text.text(self.at, to)?;
                self.at = to;
                Some(text)
            }
            _ => None,
        }
    }

    /// Advances to the next byte that ends a plain run.
    #[inline]
    fn skip_plain(&mut self) -> Option<u8> {
        self.at = plain_end(self.text.bytes(), self.at);
        self.byte()
    }

    fn escape(&mut self) -> Scan<()> {
        match self.rest() {
            [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => self.at += 2,
            [_, b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) => self.at += 6,
            [_, b'u', ..] => return self.malformed("expected four hexadecimal digits after `\\u`"),
            [_] | [] => return self.malformed("the text ends inside a string"),
            _ => return self.malformed("there is no such escape"),
        }
        Ok(())
    }

    /// The number that begins here, as written.
    #[inline]
    pub(crate) fn number(&mut self) -> Scan<&'a str> {
        let from = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if let Some(length) = load_sixteen_bytes(self.text.bytes(), self.at).and_then(plain_number) {
            self.at += length;
            return self.slice(from);
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        self.slice(from)
    }

    fn digits(&mut self) -> Scan<()> {
        let from = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > from {
            return Ok(());
        }
        self.malformed(if self.rest().is_empty() { "the text ends inside a number" } else { "expected a digit" })
    }

    /// `true`, `false` or `null`, or the refusal of whatever else begins here.
    pub(crate) fn literal(&mut self) -> Scan<&'static str> {
        let rest = self.rest();
        for word in ["null", "true", "false"] {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(word);
            }
            if !rest.is_empty() && word.as_bytes().starts_with(rest) {
                return self.malformed("the text ends inside a value");
            }
        }
        let unknown = ["NaN", "Infinity"].iter().any(|word| rest.starts_with(word.as_bytes()));
        self.malformed(if unknown { "NaN and Infinity are not JSON" } else { "expected a value" })
    }

    /// Passes over a value, checking all of it.
    pub(crate) fn skip_value(&mut self) -> Scan<()> {
        match self.peek()? {
            b'"' => {
                self.string()?;
            }
            b'{' => {
                let mut object = self.open_object()?;
                while let Some(key) = self.next_key(&mut object)? {
                    self.watch(key);
                    self.skip_value()?;
                }
            }
            b'[' => {
                let mut array = self.open_array()?;
                while self.next_item(&mut array)? {
                    self.skip_value()?;
                }
            }
            b'-' | b'0'..=b'9' => {
                self.number()?;
            }
            _ => {
                self.literal()?;
            }
        }
        Ok(())
    }
}

/// The first byte from `at` on that ends a plain run, or the end of the bytes.
#[inline]
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = load_sixteen_bytes(bytes, at) {
        let ends = ends_text(block).to_bitmask();
        if ends != 0 {
            return at + ends.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    let is_plain = |byte: &u8| *byte >= 0x20 && *byte != b'"' && *byte != b'\\';
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is_plain(byte)).count()
}

/// A state that a scanner can return to.
#[derive(Debug)]
pub(crate) struct Mark {
    at: usize,
    depth: u32,
    keys: usize,
}

/// Where the reader is inside an object.
#[derive(Debug)]
pub(crate) struct ObjectKeys {
    first: bool,
    base: usize,
}

/// Where the reader is inside an array.
#[derive(Debug)]
pub(crate) struct ArrayItems {
    first: bool,
}

impl ArrayItems {
    /// Between two items.
    pub(crate) fn within() -> ArrayItems {
        ArrayItems { first: false }
    }
}

fn malformed_at(at: usize, what: &'static str) -> Box<Flaw> {
    Box::new(Flaw { at, kind: FlawKind::Malformed, what: Cow::Borrowed(what) })
}

fn refused_at(at: usize, what: String) -> Box<Flaw> {
    Box::new(Flaw { at, kind: FlawKind::Refused, what: Cow::Owned(what) })
}
