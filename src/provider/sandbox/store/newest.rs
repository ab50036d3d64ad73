//! The newest entries of a list in order of arrival. Knows nothing of what they are.

/// The newest entries of a list.
pub(crate) struct Newest<T> {
    /// How many entries the list has.
    pub count: usize,
    /// The newest of them, in order of arrival.
    pub rows: Vec<T>,
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
