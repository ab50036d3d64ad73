//! What the items of a list have in common, byte for byte: the keys, and most of what stands between them. An item that is like one
//! before is compared with it, and only the values that differ are looked through. Must not know what a value means.

use std::ops::Range;

use super::text::Text;

/// Layouts that are known at a time: a source may leave out keys, and so have several.
const LAYOUTS_MAX: usize = 4;

/// Items that are learned from, at most. A list whose items still differ then has nothing in common.
const LESSONS_MAX: u32 = 64;

/// Values of one item, and its bytes, at most, for it to be learned from.
const VALUES_MAX: usize = 64;
const BYTES_MAX: usize = 1 << 14;

/// The layouts of a list, the one that fitted last in front.
#[derive(Default)]
pub(super) struct Alike {
    layouts: Vec<Layout>,
    lessons: u32,
}

/// One layout: text that every such item has, and between it values that differ.
struct Layout {
    item: Item,
    /// Which of the item's values differ.
    differs: Vec<bool>,
    holes: Vec<Hole>,
    /// Where the text behind the last of them begins.
    after: usize,
}

/// A place of a value that differs.
struct Hole {
    /// Where in the item the text before it stands.
    before: Range<usize>,
    /// The value's length between its quotes, if it has always been the same. Where the next thing stands is then known before this one
    /// is looked through.
    length: Option<usize>,
}

/// An item and where in it its values stand.
struct Item {
    text: Box<[u8]>,
    values: Vec<Range<usize>>,
}

impl Alike {
    /// Where the item that begins here ends, if it is like one before.
    #[inline]
    pub(super) fn pass(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let mut layouts = self.layouts.iter_mut().enumerate();
        let (which, end) = layouts.find_map(|(which, layout)| Some((which, layout.pass(bytes, at)?)))?;
        if which > 0 {
            self.layouts.swap(0, which);
        }
        Some(end)
    }

    /// Passes the item that begins here whole, and keeps what it has in common with others.
    pub(super) fn learn(&mut self, text: &mut Text<'_>) -> Option<()> {
        if self.lessons == LESSONS_MAX {
            return text.value(&mut |_| {});
        }
        let start = text.at;
        let mut values = Vec::with_capacity(VALUES_MAX);
        let mut has_room = true;
        text.value(&mut |place| match values.len() < VALUES_MAX {
            true => values.push(place.start - start..place.end - start),
            false => has_room = false,
        })?;
        self.lessons += 1;
        if !has_room || text.at - start > BYTES_MAX {
            return Some(());
        }
        let item = Item { text: text.bytes.get(start..text.at)?.into(), values };
        match self.layouts.iter_mut().find(|layout| layout.item.is_like(&item)) {
            Some(layout) => layout.widen(item),
            None => {
                self.layouts.truncate(LAYOUTS_MAX - 1);
                let differs = vec![false; item.values.len()];
                self.layouts.insert(0, Layout { item, differs, holes: Vec::new(), after: 0 });
            }
        }
        Some(())
    }
}

impl Layout {
    #[inline]
    fn pass(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let mut text = Text { bytes, at };
        for hole in &mut self.holes {
            text.at = passes(bytes, text.at, self.item.text.get(hole.before.clone())?)?;
            if hole.length.and_then(|length| text.text_of(length)).is_none() {
                text.leaf(*bytes.get(text.at)?)?;
                hole.length = None;
            }
        }
        passes(bytes, text.at, self.item.text.get(self.after..)?)
    }

    /// Takes in another item of the same keys: values in which the two differ may differ again.
    fn widen(&mut self, item: Item) {
        for (at, differs) in self.differs.iter_mut().enumerate() {
            *differs |= self.item.value(at) != item.value(at);
        }
        self.item = item;
        self.holes.clear();
        self.after = 0;
        for (value, _) in self.item.values.iter().zip(&self.differs).filter(|(_, differs)| **differs) {
            let length = (self.item.text.get(value.start) == Some(&b'"')).then(|| value.len() - 2);
            self.holes.push(Hole { before: self.after..value.start, length });
            self.after = value.end;
        }
    }
}

impl Item {
    fn value(&self, at: usize) -> Option<&[u8]> {
        self.text.get(self.values.get(at)?.clone())
    }

    /// Whether two items differ in values alone.
    fn is_like(&self, other: &Self) -> bool {
        self.values.len() == other.values.len() && self.between().eq(other.between())
    }

    /// What stands around the values.
    fn between(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let starts = std::iter::once(0).chain(self.values.iter().map(|value| value.end));
        let ends = self.values.iter().map(|value| value.start).chain([self.text.len()]);
        starts.zip(ends).map(|(start, end)| self.text.get(start..end))
    }
}

/// What is longer is compared up to its first difference: small items must not pay for a large one before them.
const LONG: usize = 64;

/// Where these bytes end, if they stand here. Eight at a time, since they are short and of a known length.
#[inline]
fn passes(bytes: &[u8], at: usize, part: &[u8]) -> Option<usize> {
    let end = at + part.len();
    let there = bytes.get(at..end)?;
    if part.len() > LONG {
        return (there == part).then_some(end);
    }
    let word = |eight: &[u8; 8]| u64::from_le_bytes(*eight);
    let (ours, theirs) = (part.as_chunks::<8>(), there.as_chunks::<8>());
    let mut differs = ours.0.iter().zip(theirs.0).fold(0, |found, (ours, theirs)| found | (word(ours) ^ word(theirs)));
    differs |= match (part.last_chunk::<8>(), there.last_chunk::<8>()) {
        (Some(ours), Some(theirs)) => word(ours) ^ word(theirs),
        // A call of a comparison takes longer than these few bytes.
        _ => ours.1.iter().zip(theirs.1).fold(0, |found, (ours, theirs)| found | u64::from(ours ^ theirs)),
    };
    (differs == 0).then_some(end)
}
