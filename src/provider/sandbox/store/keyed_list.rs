//! A list in order of arrival with an index by name. Knows nothing of what it holds.

use std::collections::HashMap;

/// A list from which nothing is removed.
pub(super) struct KeyedList<T> {
    all: Vec<T>,
    places: HashMap<String, usize>,
}

/// The newest entries of a list.
pub(crate) struct Newest<T> {
    /// How many entries the list has.
    pub count: usize,
    /// The newest of them, in order of arrival.
    pub rows: Vec<T>,
}

impl<T> Default for KeyedList<T> {
    fn default() -> Self {
        KeyedList { all: Vec::new(), places: HashMap::new() }
    }
}

impl<T> KeyedList<T> {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds an entry. The caller has checked that the name is free.
    pub(super) fn add(&mut self, name: &str, one: T) {
        self.places.insert(name.to_owned(), self.all.len());
        self.all.push(one);
    }

    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.places.get(name).and_then(|place| self.all.get(*place))
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.places.get(name).and_then(|place| self.all.get_mut(*place))
    }

    pub(super) fn newest(&self, most: usize) -> Newest<T>
    where
        T: Clone,
    {
        Newest::last_of(self.all.iter(), most)
    }
}

impl<T: Clone> Newest<T> {
    /// The last entries of a sequence whose newest comes last.
    pub(super) fn last_of<'a>(all: impl ExactSizeIterator<Item = &'a T>, most: usize) -> Self
    where
        T: 'a,
    {
        let count = all.len();
        Newest { count, rows: all.skip(count.saturating_sub(most)).cloned().collect() }
    }
}
