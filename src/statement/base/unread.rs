//! What a source holds beyond what is read, and what it lacks of what was declared: for the warnings of its statements.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::statement::base::error::show_source_text;

/// At most this many names are listed. Beyond that, only the existence of more is recorded.
const LISTED: usize = 12;

/// The first names in alphabetical order: the same for any order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unread {
    names: BTreeSet<String>,
    more: bool,
    /// What was declared of the source and is not in it, or not as declared.
    #[serde(default)]
    lacks: BTreeSet<String>,
}

impl Unread {
    pub(crate) fn add(&mut self, name: &str) {
        if self.names.contains(name) {
            return;
        }
        if self.names.len() >= LISTED {
            self.more = true;
            if self.names.last().is_some_and(|last| last.as_str() < name) {
                return;
            }
            self.names.pop_last();
        }
        self.names.insert(name.to_owned());
    }

    pub(crate) fn add_all(&mut self, other: &Unread) {
        other.names.iter().for_each(|name| self.add(name));
        self.more |= other.more;
        self.lacks.extend(other.lacks.iter().cloned());
    }

    /// Notes what was declared of the source and is not in it, or not as declared.
    pub(crate) fn add_lacks(&mut self, all: impl IntoIterator<Item = String>) {
        self.lacks.extend(all);
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The warnings for a person.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        self.unread_names().into_iter().chain(self.lacks.iter().cloned())
    }

    fn unread_names(&self) -> Option<String> {
        if self.names.is_empty() {
            return None;
        }
        let names: Vec<String> = self.names().map(|name| format!("`{}`", show_source_text(name))).collect();
        let more = if self.more { " and others" } else { "" };
        Some(format!("nothing is read from {}{more}", names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_names_are_listed_for_any_order_of_arrival() {
        let names: Vec<String> = (0..40).map(|at| format!("n{at:02}")).collect();
        let (mut up, mut down) = (Unread::default(), Unread::default());
        names.iter().for_each(|name| up.add(name));
        names.iter().rev().for_each(|name| down.add(name));
        assert_eq!(up, down);
        let warning = up.warnings().next().expect("a warning");
        assert!(warning.starts_with("nothing is read from `n00`, `n01`") && warning.ends_with("`n11` and others"));
        let mut two = Unread::default();
        two.add("b\u{1b}[31m");
        two.add("a");
        two.add("a");
        assert!(two.warnings().eq(["nothing is read from `a`, `b\\u{1b}[31m`".to_owned()]));
        assert_eq!(Unread::default().warnings().next(), None);
    }
}
