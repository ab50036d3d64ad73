//! Buffers of a column's values. Integers may be borrowed from a frame. Most nodes of a single statement have one
//! value, so one or two need no allocation.

use std::ops::Deref;

use smallvec::SmallVec;

/// Values; one or two need no allocation.
pub(crate) type Few<T> = SmallVec<[T; 2]>;

/// Collects values. Many are collected as fast as into a vector.
#[inline]
pub(crate) fn collect_few<T>(values: impl Iterator<Item = T>) -> Few<T> {
    match values.size_hint() {
        (_, Some(0..=2)) => values.collect(),
        _ => Few::from_vec(values.collect()),
    }
}

/// Whole numbers.
#[derive(Clone, Debug)]
pub(crate) enum Ints<'a> {
    Borrowed(&'a [i64]),
    Owned(Few<i64>),
}

impl Ints<'_> {
    /// Numbers that borrow nothing.
    pub(crate) fn into_owned(self) -> Ints<'static> {
        match self {
            Self::Borrowed(values) => Ints::Owned(Few::from_slice(values)),
            Self::Owned(values) => Ints::Owned(values),
        }
    }
}

impl Deref for Ints<'_> {
    type Target = [i64];

    #[inline]
    fn deref(&self) -> &[i64] {
        match self {
            Self::Borrowed(values) => values,
            Self::Owned(values) => values,
        }
    }
}

impl From<Few<i64>> for Ints<'_> {
    fn from(values: Few<i64>) -> Self {
        Self::Owned(values)
    }
}

impl From<Vec<i64>> for Ints<'_> {
    fn from(values: Vec<i64>) -> Self {
        Self::Owned(Few::from_vec(values))
    }
}

impl FromIterator<i64> for Ints<'_> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        Self::Owned(collect_few(values.into_iter()))
    }
}
