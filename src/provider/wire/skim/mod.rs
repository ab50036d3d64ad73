//! Skims a large answer while it arrives: finds its list and counts the items, checking that each is valid JSON. On
//! anything unusual it gives up, and leaves the answer to the strict reader, which says what is wrong. Must not know
//! what an item means.

mod alike;
mod fixed_text;
mod leaf;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;

use alike::Alike;
use text::JsonCursor;

/// The progress of skimming an answer.
#[derive(Default)]
pub struct Skim {
    /// The possible names at each level, from the answer down to the list. Without names nothing is skimmed.
    path: &'static [&'static [&'static str]],
    state: SkimState,
    alike: Alike,
    /// With fewer bytes than this, another look would find nothing new.
    enough: usize,
}

#[derive(Default)]
enum SkimState {
    #[default]
    Before,
    Within {
        start: usize,
        items: u64,
        /// The end of the last item so far.
        at: usize,
    },
    Behind(List),
}

/// The list of an answer.
pub(super) struct List {
    /// From its opening bracket to the end of its closing one.
    pub(super) place: Range<usize>,
    pub(super) items: u64,
}

impl Skim {
    pub(super) fn new(path: &'static [&'static [&'static str]]) -> Self {
        Skim { path, ..Skim::default() }
    }

    /// Skims the new bytes. `so_far` is the answer from its first byte.
    pub(crate) fn look(&mut self, so_far: &[u8]) {
        if self.path.is_empty() || so_far.len() < self.enough {
            return;
        }
        if let SkimState::Before = self.state {
            let mut text = JsonCursor { bytes: so_far, at: 0 };
            if let Some(start) = text.opening(self.path) {
                self.state = SkimState::Within { start, items: 0, at: text.at };
            }
        }
        let mut begins = 0;
        if let SkimState::Within { start, ref mut items, ref mut at } = self.state {
            let mut text = JsonCursor { bytes: so_far, at: *at };
            let has_more = loop {
                match pass_item(&mut text, *items == 0, &mut self.alike) {
                    Some(true) => (*items, *at) = (*items + 1, text.at),
                    ended => break ended,
                }
            };
            begins = *at;
            if has_more == Some(false) {
                self.state = SkimState::Behind(List { place: start..text.at, items: *items });
            }
        }
        // A long unfinished item is skimmed again only once it has doubled, so not many times.
        self.enough = so_far.len() + (so_far.len() - begins);
    }

    /// The list, if it is valid from its opening bracket to its closing one. The bytes after it are not checked.
    pub(super) fn list(mut self, whole: &[u8]) -> Option<List> {
        self.enough = 0;
        self.look(whole);
        match self.state {
            SkimState::Behind(list) => Some(list),
            _ => None,
        }
    }
}

/// Passes the list's next item, or its closing bracket. Returns whether it was an item.
#[inline]
fn pass_item(text: &mut JsonCursor<'_>, is_first: bool, alike: &mut Alike) -> Option<bool> {
    if !text.next_item(is_first)? {
        return Some(false);
    }
    match alike.pass(text.bytes, text.at) {
        Some(end) => text.at = end,
        None => alike.learn(text)?,
    }
    Some(true)
}
