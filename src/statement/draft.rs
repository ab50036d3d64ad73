//! The values of one record as they are found, before anything is made of them. Must not know what a field means.

use crate::statement::field::{FIELDS, Field, Shape};
use crate::statement::rows::SEPARATOR;

/// A text of the source, or one that had to be written anew.
#[derive(Clone, Copy, Debug)]
enum Piece<'s> {
    Missing,
    Source(&'s str),
    Scratch(usize, usize),
}

#[derive(Clone, Copy, Debug)]
struct Value<'s> {
    at: usize,
    piece: Piece<'s>,
}

/// A key with its quotes and its colon, and what it is known as.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habit<'s> {
    pub(crate) quoted: &'s str,
    pub(crate) field: Field,
    pub(crate) shape: Shape,
}

/// One record's values. It is used again for each record, so that none costs an allocation.
#[derive(Debug)]
pub(crate) struct Draft<'s> {
    seen: u64,
    values: [Value<'s>; FIELDS],
    scratch: String,
    /// The keys of the record before and of its notes, as they were written, in their order.
    pub(crate) habits: [Vec<Habit<'s>>; 2],
    /// Keys that nobody knows.
    pub(crate) unknown: Vec<&'s str>,
    /// Values of a flat record in a shape that nothing is read from.
    pub(crate) misshapen: u64,
    pub(crate) text_repaired: u64,
    pub(crate) placeholder_text: u64,
}

impl<'s> Draft<'s> {
    pub(crate) fn new() -> Draft<'s> {
        Draft {
            seen: 0,
            values: [Value { at: 0, piece: Piece::Missing }; FIELDS],
            scratch: String::new(),
            habits: [Vec::new(), Vec::new()],
            unknown: Vec::new(),
            misshapen: 0,
            text_repaired: 0,
            placeholder_text: 0,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.seen = 0;
        self.scratch.clear();
        self.unknown.clear();
        self.misshapen = 0;
        self.text_repaired = 0;
        self.placeholder_text = 0;
    }

    /// Whether the key occurred, be its value null.
    #[inline]
    pub(crate) fn has(&self, field: Field) -> bool {
        self.seen & field.bit() != 0
    }

    /// Where the field's value begins.
    pub(crate) fn at(&self, field: Field) -> Option<usize> {
        self.has(field).then(|| self.value(field).at)
    }

    #[inline]
    fn value(&self, field: Field) -> Value<'s> {
        self.values.get(field as usize).copied().unwrap_or(Value { at: 0, piece: Piece::Missing })
    }

    /// The field's text; nothing where it is missing, null or says nothing.
    #[inline]
    pub(crate) fn get(&self, field: Field) -> Option<&str> {
        if !self.has(field) {
            return None;
        }
        match self.value(field).piece {
            Piece::Missing => None,
            Piece::Source(text) => Some(text),
            Piece::Scratch(from, to) => self.scratch.get(from..to),
        }
    }

    #[inline]
    fn set(&mut self, field: Field, at: usize, piece: Piece<'s>) {
        self.seen |= field.bit();
        if let Some(value) = self.values.get_mut(field as usize) {
            *value = Value { at, piece };
        }
    }

    /// The field is there and is null.
    #[inline]
    pub(crate) fn set_null(&mut self, field: Field, at: usize) {
        self.set(field, at, Piece::Missing);
    }

    /// The field has this text, or none if the text says nothing.
    #[inline]
    pub(crate) fn set_text(&mut self, field: Field, at: usize, text: &'s str) {
        let piece = if self.says_nothing(text) { Piece::Missing } else { Piece::Source(text) };
        self.set(field, at, piece);
    }

    /// As [`Draft::set_text`], of a text that is not in the source as it stands.
    pub(crate) fn set_new_text(&mut self, field: Field, at: usize, text: &str) {
        let piece = if self.says_nothing(text) {
            Piece::Missing
        } else {
            let from = self.scratch.len();
            self.scratch.push_str(text);
            Piece::Scratch(from, self.scratch.len())
        };
        self.set(field, at, piece);
    }

    /// Adds an item to a field that is a list; the first stays where it is.
    pub(crate) fn add_item(&mut self, field: Field, item: &str, source: Option<&'s str>) {
        if self.says_nothing(item) {
            return;
        }
        let at = self.value(field).at;
        let before = if self.has(field) { self.value(field).piece } else { Piece::Missing };
        let (from, joined) = match (before, source) {
            (Piece::Missing, Some(source)) => return self.set(field, at, Piece::Source(source)),
            (Piece::Missing, None) => (self.scratch.len(), false),
            (Piece::Source(first), _) => {
                let from = self.scratch.len();
                self.scratch.push_str(first);
                (from, true)
            }
            // The list being read is always the last thing in the scratch text.
            (Piece::Scratch(from, _), _) => (from, true),
        };
        if joined {
            self.scratch.push(SEPARATOR);
        }
        self.scratch.push_str(item);
        self.set(field, at, Piece::Scratch(from, self.scratch.len()));
    }

    /// Adds what another list holds, unless both hold the same.
    pub(crate) fn merge(&mut self, into: Field, from: Field) {
        let Some(more) = self.get(from) else { return };
        let whole = match self.get(into) {
            Some(have) if have == more => return,
            Some(have) => format!("{have}{SEPARATOR}{more}"),
            None => more.to_owned(),
        };
        let at = self.at(from).unwrap_or_default();
        let start = self.scratch.len();
        self.scratch.push_str(&whole);
        self.set(into, at, Piece::Scratch(start, self.scratch.len()));
    }

    /// Empty text is missing text; `N/A` and blanks are too, and are counted.
    #[inline]
    fn says_nothing(&mut self, text: &str) -> bool {
        let nothing = match text.as_bytes() {
            [] => return true,
            [b' ', ..] => text.bytes().all(|byte| byte == b' '),
            [b'N' | b'n', b'/', b'A' | b'a'] => true,
            _ => false,
        };
        self.placeholder_text += u64::from(nothing);
        nothing
    }
}
