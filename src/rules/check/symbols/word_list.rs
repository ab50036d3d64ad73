//! The word lists of a policy, and which of them were used.

use std::collections::{HashMap, HashSet};

use crate::base::diagnostic::Span;
use crate::rules::check::symbols::namespaces::Namespaces;

/// Word lists by their whole names, in the order of their indexes.
#[derive(Default)]
pub(in crate::rules) struct WordLists {
    lists: Vec<(String, Vec<String>)>,
    /// Where each was declared first.
    places: HashMap<String, Span>,
    used: HashSet<String>,
}

impl WordLists {
    pub(in crate::rules) fn lists(&self) -> &[(String, Vec<String>)] {
        &self.lists
    }

    pub(in crate::rules) fn words(&self, list: usize) -> &[String] {
        &self.lists[list].1
    }

    /// The index of a list.
    pub(in crate::rules) fn find(&self, whole: &str) -> Option<usize> {
        self.lists.iter().position(|(name, _)| name == whole)
    }

    pub(in crate::rules) fn names(&self) -> impl Iterator<Item = &str> {
        self.lists.iter().map(|(name, _)| name.as_str())
    }

    /// The whole name of a list as written here.
    pub(in crate::rules) fn resolve(&self, spaces: &Namespaces, name: &str) -> Option<String> {
        spaces.whole_name(name, |whole| self.find(whole).is_some())
    }

    pub(in crate::rules) fn count_lists(&self) -> usize {
        self.lists.len()
    }

    /// The number of words in all lists.
    pub(in crate::rules) fn count_words(&self) -> usize {
        self.lists.iter().map(|(_, words)| words.len()).sum()
    }

    pub(in crate::rules) fn add(&mut self, name: &str, words: Vec<String>) {
        self.lists.push((name.to_owned(), words));
    }

    pub(in crate::rules) fn add_word(&mut self, list: usize, word: String) {
        self.lists[list].1.push(word);
    }

    /// Removes the words of a list that `is_gone` holds for.
    pub(in crate::rules) fn remove_words(&mut self, list: usize, is_gone: impl Fn(&str) -> bool) {
        self.lists[list].1.retain(|word| !is_gone(word));
    }

    /// Notes where a list is declared, unless it was declared before.
    pub(in crate::rules) fn note_place(&mut self, name: &str, span: Span) {
        self.places.entry(name.to_owned()).or_insert(span);
    }

    pub(in crate::rules) fn place_of(&self, name: &str) -> Option<Span> {
        self.places.get(name).copied()
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

    /// The lists by name, for the program.
    pub(in crate::rules) fn take_lists(&mut self) -> Vec<(String, Vec<String>)> {
        std::mem::take(&mut self.lists)
    }
}
