//! The values of one JSON record as found, before normalization.

use crate::statement::base::column;
use crate::statement::cells::identity::is_missing;
use crate::statement::provider::field::{FIELDS, FLAT_FIELDS, Field, FieldShape, Level};
use crate::statement::rows::builder::SEPARATOR;

/// A text of the source, or one that had to be rewritten.
#[derive(Clone, Copy, Debug)]
enum Piece<'s> {
    Missing,
    Source(&'s str),
    Scratch(usize, usize),
}

#[derive(Clone, Copy, Debug)]
struct FieldValue<'s> {
    at: usize,
    piece: Piece<'s>,
}

/// A field that the record has, and how it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) field: Field,
    pub(crate) shape: FieldShape,
    pub(crate) level: Level,
    /// Where its value begins.
    pub(crate) at: usize,
}

/// Every field.
const ALL: u64 = u64::MAX;
/// The fields that are columns of text.
const TEXTS: u64 = (1 << column::TEXTS) - 1;

/// The fields in which words such as `NULL` are placeholders. A date or an amount that is `NULL` is refused.
const OWN_WORDS: u64 = TEXTS | FLAT_FIELDS | Field::Id.bit() | Field::OtherId.bit() | Field::OtherPrepositions.bit();

/// One record's values. It is reused for each record, which saves allocations.
#[derive(Clone, Debug)]
pub(crate) struct JsonRecord<'s> {
    seen: u64,
    /// The fields that may differ from the record before. The others are unchanged.
    fresh: u64,
    values: [FieldValue<'s>; FIELDS],
    scratch: String,
    /// The fields in the order of the source.
    pub(crate) layout: Vec<Placed>,
    /// Unknown keys.
    pub(crate) unknown: Vec<&'s str>,
    /// Values of flat fields in a shape that is not read.
    pub(crate) misshapen: u64,
    /// The fields with such values, as a set.
    pub(crate) misshapen_fields: u64,
    pub(crate) text_repaired: u64,
    pub(crate) placeholder_text: u64,
    /// Whether it is a table's flat record, set by [`take`](crate::statement::provider::take::take).
    pub(crate) is_flat: bool,
}

impl<'s> JsonRecord<'s> {
    pub(crate) fn new() -> JsonRecord<'s> {
        JsonRecord {
            seen: 0,
            fresh: ALL,
            values: [FieldValue { at: 0, piece: Piece::Missing }; FIELDS],
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

    /// Prepares for a record that is like `kept`: it has the same fields, and differs only in the `fresh` ones.
    pub(crate) fn begin_like(&mut self, kept: &JsonRecord<'s>, fresh: u64) {
        self.seen = kept.seen;
        self.fresh = fresh;
        self.scratch.truncate(kept.scratch.len());
        self.misshapen = 0;
        self.misshapen_fields = 0;
        self.text_repaired = 0;
        self.placeholder_text = kept.placeholder_text;
    }

    /// Counts a value of the field whose shape is not read.
    pub(crate) fn misshapen(&mut self, field: Field) {
        self.misshapen += 1;
        self.misshapen_fields |= field.bit();
    }

    /// Removes all fields but these, which undoes what was added after reading.
    pub(crate) fn keep_only(&mut self, fields: u64) {
        self.seen &= fields;
    }

    /// Marks the field as unchanged from the record before.
    #[inline]
    pub(crate) fn stays(&mut self, field: Field) {
        self.fresh &= !field.bit();
    }

    /// Whether the field may differ from the record before.
    #[inline]
    pub(crate) fn is_fresh(&self, field: Field) -> bool {
        self.fresh & field.bit() != 0
    }

    /// Whether the key occurred, even if its value is null.
    #[inline]
    pub(crate) fn has(&self, field: Field) -> bool {
        self.seen & field.bit() != 0
    }

    /// How many of these fields the record has.
    pub(crate) fn count_of(&self, fields: u64) -> u64 {
        u64::from((self.seen & fields).count_ones())
    }

    /// Where the field's value begins.
    pub(crate) fn at(&self, field: Field) -> Option<usize> {
        self.has(field).then(|| self.value(field).at)
    }

    #[inline]
    fn value(&self, field: Field) -> FieldValue<'s> {
        self.values.get(field as usize).copied().unwrap_or(FieldValue { at: 0, piece: Piece::Missing })
    }

    /// The field's text. `None` if it is missing, null or a placeholder.
    #[inline]
    pub(crate) fn get(&self, field: Field) -> Option<&str> {
        self.text(field as usize)
    }

    /// The field's text, if the source has it in the same form, without escapes.
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

    /// The texts that may differ from the record before, by the frame's columns of text, with which the fields begin.
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
        debug_assert!((field as usize) < FIELDS, "{field:?} comes after the last field");
        self.seen |= field.bit();
        if let Some(value) = self.values.get_mut(field as usize) {
            *value = FieldValue { at, piece };
        }
    }

    /// Sets the field to null.
    #[inline]
    pub(crate) fn set_null(&mut self, field: Field, at: usize) {
        self.set(field, at, Piece::Missing);
    }

    /// Sets the field to this text, or to null if the text is a placeholder.
    #[inline]
    pub(crate) fn set_text(&mut self, field: Field, at: usize, text: &'s str) {
        let piece = if self.counts_as_missing(field, text) { Piece::Missing } else { Piece::Source(text) };
        self.set(field, at, piece);
    }

    /// Like [`JsonRecord::set_text`], for a text that the source does not contain in this form.
    pub(crate) fn set_new_text(&mut self, field: Field, at: usize, text: &str) {
        let piece = if self.counts_as_missing(field, text) {
            Piece::Missing
        } else {
            let from = self.scratch.len();
            self.scratch.push_str(text);
            Piece::Scratch(from, self.scratch.len())
        };
        self.set(field, at, piece);
    }

    /// Adds an item to a list field. A single item is not copied.
    pub(crate) fn add_item(&mut self, field: Field, item: &str, source: Option<&'s str>) {
        if self.counts_as_missing(field, item) {
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
            // The list being read is always at the end of the scratch text.
            (Piece::Scratch(from, _), _) => (from, true),
        };
        if joined {
            self.scratch.push(SEPARATOR);
        }
        self.scratch.push_str(item);
        self.set(field, at, Piece::Scratch(from, self.scratch.len()));
    }

    /// Adds the items of another list, unless both lists are the same.
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

    /// Whether a text is missing. Empty text is; so are `N/A` and blanks, which are counted. In the fields of
    /// [`OWN_WORDS`], so is anything else that programs write for a missing value.
    #[inline(always)]
    fn counts_as_missing(&mut self, field: Field, text: &str) -> bool {
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
