//! The values of one record as they are found, before anything is made of them. Must not know what a field means.

use crate::statement::base::column;
use crate::statement::columns::builder::SEPARATOR;
use crate::statement::normalize::identity::is_missing;
use crate::statement::provider::field::{FIELDS, FLAT_FIELDS, Field, Level, Shape};

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

/// A field that the record has, and how it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) field: Field,
    pub(crate) shape: Shape,
    pub(crate) level: Level,
    /// Where its value begins.
    pub(crate) at: usize,
}

/// Every field.
const ALL: u64 = u64::MAX;
/// The fields that are columns of text.
const TEXTS: u64 = (1 << column::TEXTS) - 1;

/// The fields whose words have no meaning but their own; a date or an amount that is `NULL` is refused.
const OWN_WORDS: u64 = TEXTS | FLAT_FIELDS | Field::Id.bit() | Field::OtherId.bit() | Field::OtherPrepositions.bit();

/// One record's values. It is used again for each record, so that none costs an allocation.
#[derive(Clone, Debug)]
pub(crate) struct JsonRecord<'s> {
    seen: u64,
    /// The fields that may be other than in the record before; the others are as they were.
    fresh: u64,
    values: [Value<'s>; FIELDS],
    scratch: String,
    /// The fields in the order of the source.
    pub(crate) layout: Vec<Placed>,
    /// Keys that nobody knows.
    pub(crate) unknown: Vec<&'s str>,
    /// Values of a flat record in a shape that nothing is read from.
    pub(crate) misshapen: u64,
    /// The fields that have such, as a set.
    pub(crate) misshapen_fields: u64,
    pub(crate) text_repaired: u64,
    pub(crate) placeholder_text: u64,
    /// Whether it is a table's flat record, by [`take`](crate::statement::provider::take::take).
    pub(crate) is_flat: bool,
}

impl<'s> JsonRecord<'s> {
    pub(crate) fn new() -> JsonRecord<'s> {
        JsonRecord {
            seen: 0,
            fresh: ALL,
            values: [Value { at: 0, piece: Piece::Missing }; FIELDS],
            scratch: String::new(),
            layout: Vec::new(),
            unknown: Vec::new(),
            misshapen: 0,
            misshapen_fields: 0,
            text_repaired: 0,
            placeholder_text: 0,
            is_flat: false,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.seen = 0;
        self.fresh = ALL;
        self.layout.clear();
        self.scratch.clear();
        self.unknown.clear();
        self.misshapen = 0;
        self.misshapen_fields = 0;
        self.text_repaired = 0;
        self.placeholder_text = 0;
    }

    /// Makes ready for a record that has the same fields and differs in the `fresh` ones alone; `kept` is the one that it is like.
    pub(crate) fn begin_like(&mut self, kept: &JsonRecord<'s>, fresh: u64) {
        self.seen = kept.seen;
        self.fresh = fresh;
        self.scratch.truncate(kept.scratch.len());
        self.misshapen = 0;
        self.misshapen_fields = 0;
        self.text_repaired = 0;
        self.placeholder_text = kept.placeholder_text;
    }

    /// Counts a value of the field that has such a shape.
    pub(crate) fn misshapen(&mut self, field: Field) {
        self.misshapen += 1;
        self.misshapen_fields |= field.bit();
    }

    /// Takes back what was added to the fields as they were read.
    pub(crate) fn keep_only(&mut self, fields: u64) {
        self.seen &= fields;
    }

    /// The field is as in the record before.
    #[inline]
    pub(crate) fn stays(&mut self, field: Field) {
        self.fresh &= !field.bit();
    }

    /// Whether the field may be other than in the record before.
    #[inline]
    pub(crate) fn is_fresh(&self, field: Field) -> bool {
        self.fresh & field.bit() != 0
    }

    /// Whether the key occurred, be its value null.
    #[inline]
    pub(crate) fn has(&self, field: Field) -> bool {
        self.seen & field.bit() != 0
    }

    /// How many of these fields there are.
    pub(crate) fn count_of(&self, fields: u64) -> u64 {
        u64::from((self.seen & fields).count_ones())
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
        self.text(field as usize)
    }

    /// The field's text, if it stands so in the source: without an escape, between its quotes.
    #[inline]
    pub(crate) fn source(&self, field: Field) -> Option<&'s str> {
        match self.value(field).piece {
            Piece::Source(text) => Some(text),
            Piece::Missing | Piece::Scratch(..) => None,
        }
    }

    #[inline]
    fn text(&self, field: usize) -> Option<&str> {
        if self.seen >> field & 1 == 0 {
            return None;
        }
        match self.values.get(field)?.piece {
            Piece::Missing => None,
            Piece::Source(text) => Some(text),
            Piece::Scratch(from, to) => self.scratch.get(from..to),
        }
    }

    /// The texts that may be other than in the record before, by the frame's columns of text, which the fields begin with.
    #[inline]
    pub(crate) fn fresh_texts(&self) -> impl Iterator<Item = (usize, Option<&str>)> {
        let mut fresh = self.fresh & TEXTS;
        std::iter::from_fn(move || {
            let column = (fresh != 0).then(|| fresh.trailing_zeros() as usize)?;
            fresh &= fresh - 1;
            Some((column, self.text(column)))
        })
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
        let piece = if self.says_nothing(field, text) { Piece::Missing } else { Piece::Source(text) };
        self.set(field, at, piece);
    }

    /// As [`JsonRecord::set_text`], of a text that is not in the source as it stands.
    pub(crate) fn set_new_text(&mut self, field: Field, at: usize, text: &str) {
        let piece = if self.says_nothing(field, text) {
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
        if self.says_nothing(field, item) {
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

    /// Empty text is missing text. `N/A` and blanks are too, and are counted; in fields of [`OWN_WORDS`] so is whatever
    /// else programs write for it.
    #[inline(always)]
    fn says_nothing(&mut self, field: Field, text: &str) -> bool {
        let nothing = match text.as_bytes() {
            [] => return true,
            [b' ', ..] if text.bytes().all(|byte| byte == b' ') => true,
            [b'N' | b'n', b'/', b'A' | b'a'] => true,
            _ => field.bit() & OWN_WORDS != 0 && is_missing(text),
        };
        self.placeholder_text += u64::from(nothing);
        nothing
    }
}
