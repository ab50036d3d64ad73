//! The lists of keys of a policy, and which of them were used.

use std::collections::{HashMap, HashSet};

use crate::base::diagnostic::Span;
use crate::rules::check::symbols::namespaces::Namespaces;
use crate::rules::key_list::KeyList;

/// Lists by their whole names, in the order of their indexes.
#[derive(Default)]
pub(in crate::rules) struct KeyLists {
    lists: Vec<KeyList>,
    /// Where each was declared first, also those with a mistake in their files.
    places: HashMap<String, Span>,
    used: HashSet<String>,
}

impl KeyLists {
    pub(in crate::rules) fn add(&mut self, list: KeyList) {
        self.lists.push(list);
    }

    pub(in crate::rules) fn get(&self, list: usize) -> &KeyList {
        &self.lists[list]
    }

    /// The index of a list; `None` for an unknown one, and for one with a mistake in its file.
    pub(in crate::rules) fn find(&self, whole: &str) -> Option<usize> {
        self.lists.iter().position(|list| list.name == whole)
    }

    /// The whole name of a list as written here.
    pub(in crate::rules) fn resolve(&self, spaces: &Namespaces, name: &str) -> Option<String> {
        spaces.whole_name(name, |whole| self.places.contains_key(whole))
    }

    /// Notes where a list is declared. Returns the place where it was declared before.
    pub(in crate::rules) fn note_place(&mut self, name: &str, span: Span) -> Option<Span> {
        let first = self.places.get(name).copied();
        self.places.entry(name.to_owned()).or_insert(span);
        first
    }

    pub(in crate::rules) fn places(&self) -> impl Iterator<Item = (&String, Span)> {
        self.places.iter().map(|(name, span)| (name, *span))
    }

    pub(in crate::rules) fn note_used(&mut self, whole: &str) {
        self.used.insert(whole.to_owned());
    }

    pub(in crate::rules) fn was_used(&self, whole: &str) -> bool {
        self.used.contains(whole)
    }

    /// The lists, for the program.
    pub(in crate::rules) fn take_lists(&mut self) -> Vec<KeyList> {
        std::mem::take(&mut self.lists)
    }
}
