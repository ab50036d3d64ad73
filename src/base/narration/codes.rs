//! Codes of a bank that a statement's own narrations give away, looked up by their first word.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The codes of one statement.
#[derive(Debug, Default)]
pub(crate) struct Codes<'c> {
    by_first_word: HashMap<&'c str, Vec<&'c str>, RandomState>,
}

impl<'c> Codes<'c> {
    /// Adds a code, of one or several words with a blank between.
    pub(crate) fn add(&mut self, code: &'c str) {
        let first = code.split(' ').next().unwrap_or_default();
        self.by_first_word.entry(first).or_default().push(code);
    }

    /// The codes that begin with this word.
    pub(super) fn beginning_with(&self, word: &str) -> &[&'c str] {
        self.by_first_word.get(word).map_or(&[], Vec::as_slice)
    }
}
