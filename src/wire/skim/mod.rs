//! A quick look through a large answer while it arrives: where its list stands and how many items it holds, each looked through as JSON.
//! Whatever is out of the ordinary is nothing here, and is left to the reader that says what is wrong. Must not know what an item means.

mod alike;
mod leaf;
mod stretch;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;

use alike::Alike;
use text::Text;

/// How far an answer has been looked through.
#[derive(Default)]
pub struct Skim {
    /// The names that lead to the list: one of the first within the answer, one of the next within that. Without any, nothing is looked for.
    path: &'static [&'static [&'static str]],
    state: State,
    alike: Alike,
    /// With fewer bytes than this the same would be found as before.
    enough: usize,
}

#[derive(Default)]
enum State {
    #[default]
    Before,
    Within {
        start: usize,
        items: u64,
        /// Behind the last of the items so far.
        at: usize,
    },
    Behind(List),
}

/// The list of an answer.
pub(super) struct List {
    /// From its opening bracket to behind its closing one.
    pub(super) place: Range<usize>,
    pub(super) items: u64,
}

impl Skim {
    pub(super) fn new(path: &'static [&'static [&'static str]]) -> Self {
        Skim { path, ..Skim::default() }
    }

    /// Looks at what is new: `so_far` is the answer from its first byte.
    pub(crate) fn look(&mut self, so_far: &[u8]) {
        if self.path.is_empty() || so_far.len() < self.enough {
            return;
        }
        if let State::Before = self.state {
            let mut text = Text { bytes: so_far, at: 0 };
            if let Some(start) = text.opening(self.path) {
                self.state = State::Within { start, items: 0, at: text.at };
            }
        }
        let mut begins = 0;
        if let State::Within { start, ref mut items, ref mut at } = self.state {
            let mut text = Text { bytes: so_far, at: *at };
            let goes_on = loop {
                match pass_item(&mut text, *items == 0, &mut self.alike) {
                    Some(true) => (*items, *at) = (*items + 1, text.at),
                    ended => break ended,
                }
            };
            begins = *at;
            if goes_on == Some(false) {
                self.state = State::Behind(List { place: start..text.at, items: *items });
            }
        }
        // An item that goes on and on is looked at again when there is twice as much of it, and so not many times.
        self.enough = so_far.len() + (so_far.len() - begins);
    }

    /// The list, if it is in order from its opening bracket to its closing one. What stands behind it is not looked at.
    pub(super) fn list(mut self, whole: &[u8]) -> Option<List> {
        self.enough = 0;
        self.look(whole);
        match self.state {
            State::Behind(list) => Some(list),
            _ => None,
        }
    }
}

/// Passes the list's next item, or its closing bracket. Returns whether it was an item.
#[inline]
fn pass_item(text: &mut Text<'_>, is_first: bool, alike: &mut Alike) -> Option<bool> {
    if !text.next_item(is_first)? {
        return Some(false);
    }
    match alike.pass(text.bytes, text.at) {
        Some(end) => text.at = end,
        None => alike.learn(text)?,
    }
    Some(true)
}
