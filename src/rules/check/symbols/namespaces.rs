//! The namespaces of used files, and the one being checked.

use std::collections::HashMap;

use crate::base::diagnostic::Span;

/// The namespace of each file, and the namespace that names are resolved in.
#[derive(Default)]
pub(in crate::rules) struct Namespaces {
    /// By source, unless it is the common one.
    of_sources: HashMap<u32, String>,
    /// The namespace being checked; empty for the common one.
    current: String,
}

impl Namespaces {
    pub(in crate::rules) fn new(of_sources: HashMap<u32, String>) -> Self {
        Self { of_sources, current: String::new() }
    }

    /// Enters the namespace of the file of `span`, and returns the previous one.
    pub(in crate::rules) fn enter(&mut self, span: Span) -> String {
        let space = self.of_sources.get(&span.source).cloned().unwrap_or_default();
        std::mem::replace(&mut self.current, space)
    }

    /// Returns to a namespace.
    pub(in crate::rules) fn leave(&mut self, before: String) {
        self.current = before;
    }

    /// Resolves a name as written here to the whole name: in its own namespace first, then outwards to the common one.
    pub(in crate::rules) fn whole_name(&self, name: &str, known: impl Fn(&str) -> bool) -> Option<String> {
        let mut space = self.current.as_str();
        while !space.is_empty() {
            let whole = format!("{space}.{name}");
            if known(&whole) {
                return Some(whole);
            }
            space = space.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        known(name).then(|| name.to_owned())
    }

    /// Whether a word names a namespace, as seen from here.
    pub(in crate::rules) fn is_space(&self, word: &str) -> bool {
        self.whole_name(word, |whole| self.of_sources.values().any(|space| space == whole)).is_some()
    }

    pub(in crate::rules) fn of_sources(&self) -> &HashMap<u32, String> {
        &self.of_sources
    }
}
