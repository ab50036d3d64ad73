//! What the items of a list share, byte for byte: their keys, and most of the text between them. An item is compared
//! with earlier ones, and only the values that differ are checked.

use std::ops::Range;

use super::fixed_text::FixedText;
use super::leaf;
use super::text::JsonCursor;

/// How many layouts are known at a time. A source that omits keys has several.
const LAYOUTS_MAX: usize = 4;

/// How many items are learned from at most. If items still differ after that, they share nothing.
const LESSONS_MAX: u32 = 64;

/// The largest number of values, and of bytes, of an item to learn from.
const VALUES_MAX: usize = 64;
const BYTES_MAX: usize = 1 << 14;

/// The budget of bytes that may be compared in vain, and what each passed byte adds to it. It limits the work on
/// hostile lists, whose items almost match earlier ones: large items first, small ones after them.
const VAIN_MAX: usize = 1 << 16;
const VAIN_PER_BYTE: usize = 4;

/// The layouts of a list. The one that matched last comes first.
pub(super) struct Alike {
    layouts: Vec<Layout>,
    lessons: u32,
    /// How many bytes may still be compared in vain.
    vain: usize,
}

impl Default for Alike {
    fn default() -> Self {
        Alike { layouts: Vec::new(), lessons: 0, vain: VAIN_MAX }
    }
}

/// One layout: text that all its items share, and values between it that differ.
struct Layout {
    item: Item,
    /// How each of the item's values differs.
    differs: Vec<Differs>,
    /// The item, cut after each value of variable length.
    fixed_texts: Vec<FixedText>,
}

/// How a value differs from item to item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Differs {
    Not,
    /// A text of fixed length: the position after it is known before it is checked.
    InLetters,
    Anyhow,
}

/// An item and the places of its values.
struct Item {
    text: Box<[u8]>,
    values: Vec<Range<usize>>,
}

impl Alike {
    /// Where the item that begins here ends, if it matches a layout.
    #[inline]
    pub(super) fn pass(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        for (which, layout) in self.layouts.iter().enumerate() {
            if layout.item.text.len() > self.vain {
                continue;
            }
            match layout.pass(bytes, at) {
                Ok(end) => {
                    if which > 0 {
                        self.layouts.swap(0, which);
                    }
                    self.earn(end - at);
                    return Some(end);
                }
                Err(compared) => self.vain = self.vain.saturating_sub(compared),
            }
        }
        None
    }

    /// Adds to the budget for bytes that were passed.
    fn earn(&mut self, bytes: usize) {
        self.vain = (self.vain + bytes.saturating_mul(VAIN_PER_BYTE)).min(VAIN_MAX);
    }

    /// Passes the whole item that begins here, and learns what it shares with others.
    pub(super) fn learn(&mut self, text: &mut JsonCursor<'_>) -> Option<()> {
        let start = text.at;
        if self.lessons == LESSONS_MAX {
            text.value(&mut |_| {})?;
            self.earn(text.at - start);
            return Some(());
        }
        let mut values = Vec::with_capacity(VALUES_MAX);
        let mut has_room = true;
        text.value(&mut |place| match values.len() < VALUES_MAX {
            true => values.push(place.start - start..place.end - start),
            false => has_room = false,
        })?;
        self.lessons += 1;
        self.earn(text.at - start);
        if !has_room || text.at - start > BYTES_MAX {
            return Some(());
        }
        let item = Item { text: text.bytes.get(start..text.at)?.into(), values };
        match self.layouts.iter_mut().find(|layout| layout.item.is_like(&item)) {
            Some(layout) => layout.widen(item),
            None => {
                self.layouts.truncate(LAYOUTS_MAX - 1);
                let differs = vec![Differs::Not; item.values.len()];
                self.layouts.insert(0, Layout { item, differs, fixed_texts: Vec::new() });
            }
        }
        Some(())
    }
}

impl Layout {
    /// Where the item that begins here ends; or, if it does not match, how many bytes were compared.
    #[inline]
    fn pass(&self, bytes: &[u8], start: usize) -> Result<usize, usize> {
        let mut at = start;
        let Some((last, before)) = self.fixed_texts.split_last() else { return Err(0) };
        for fixed in before {
            let vain = |at: usize| at - start + fixed.length();
            at = fixed.passed(bytes, at).ok_or_else(|| vain(at))?;
            at = leaf::skip_leaf_value(bytes, at).ok_or_else(|| vain(at))?;
        }
        last.passed(bytes, at).ok_or_else(|| at - start + last.length())
    }

    /// Learns from an item with the same keys that did not match: values in which the two differ may differ again.
    fn widen(&mut self, item: Item) {
        for (at, differs) in self.differs.iter_mut().enumerate() {
            *differs = match (self.item.value(at), item.value(at)) {
                (Some(before), Some(now)) if is_in_letters(before, now) && *differs != Differs::Anyhow => {
                    if before == now { *differs } else { Differs::InLetters }
                }
                (before, now) if before == now => *differs,
                _ => Differs::Anyhow,
            }
        }
        self.item = item;
        self.fixed_texts.clear();
        let (mut start, mut texts) = (0, Vec::new());
        for (value, differs) in self.item.values.iter().zip(&self.differs) {
            match differs {
                Differs::Not => {}
                Differs::InLetters => texts.push(value.start + 1 - start..value.end - 1 - start),
                Differs::Anyhow => {
                    self.fixed_texts.push(FixedText::new(&self.item.text[start..value.start], &texts));
                    (start, texts) = (value.end, Vec::new());
                }
            }
        }
        self.fixed_texts.push(FixedText::new(&self.item.text[start..], &texts));
    }
}

/// Whether both are texts of one length and without escapes.
fn is_in_letters(one: &[u8], other: &[u8]) -> bool {
    let is_text = |value: &[u8]| value.first() == Some(&b'"') && !value.contains(&b'\\');
    one.len() == other.len() && is_text(one) && is_text(other)
}

impl Item {
    fn value(&self, at: usize) -> Option<&[u8]> {
        self.text.get(self.values.get(at)?.clone())
    }

    /// Whether two items differ only in their values.
    fn is_like(&self, other: &Self) -> bool {
        self.values.len() == other.values.len() && self.between().eq(other.between())
    }

    /// The text around the values.
    fn between(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let starts = std::iter::once(0).chain(self.values.iter().map(|value| value.end));
        let ends = self.values.iter().map(|value| value.start).chain([self.text.len()]);
        starts.zip(ends).map(|(start, end)| self.text.get(start..end))
    }
}
