//! Things in the order in which they came, found by name without a look at all of them. Knows nothing of what they are.

use std::collections::HashMap;

/// Things that are never taken away.
pub(super) struct KeyedList<T> {
    all: Vec<T>,
    places: HashMap<String, usize>,
}

/// The newest of many.
pub(crate) struct Newest<T> {
    /// How many there are in all.
    pub count: usize,
    /// The newest of them, in the order in which they came.
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

    /// Adds one under a name that is not taken; the caller has seen to that.
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
        Newest::of(self.all.iter(), most)
    }
}

impl<T: Clone> Newest<T> {
    /// The last of a sequence in which the newest comes last.
    pub(super) fn of<'a>(all: impl ExactSizeIterator<Item = &'a T>, most: usize) -> Self
    where
        T: 'a,
    {
        let count = all.len();
        Newest { count, rows: all.skip(count.saturating_sub(most)).cloned().collect() }
    }
}
