//! The numbers of a column: lent by a frame, or its own, of which one or two need no memory of their own, since most nodes of a single
//! statement have one. Knows no column and not what is unknown.

use std::ops::Deref;

use smallvec::SmallVec;

/// Values of which one or two need no memory of their own.
pub(crate) type Few<T> = SmallVec<[T; 2]>;

/// As many as come; where they are many, as fast as into a vector.
#[inline]
pub(crate) fn few<T>(values: impl Iterator<Item = T>) -> Few<T> {
    match values.size_hint() {
        (_, Some(0..=2)) => values.collect(),
        _ => Few::from_vec(values.collect()),
    }
}

/// Whole numbers.
#[derive(Clone, Debug)]
pub(crate) enum Ints<'a> {
    Lent(&'a [i64]),
    Own(Few<i64>),
}

impl Deref for Ints<'_> {
    type Target = [i64];

    #[inline]
    fn deref(&self) -> &[i64] {
        match self {
            Self::Lent(values) => values,
            Self::Own(values) => values,
        }
    }
}

impl From<Few<i64>> for Ints<'_> {
    fn from(values: Few<i64>) -> Self {
        Self::Own(values)
    }
}

impl From<Vec<i64>> for Ints<'_> {
    fn from(values: Vec<i64>) -> Self {
        Self::Own(Few::from_vec(values))
    }
}

impl FromIterator<i64> for Ints<'_> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        Self::Own(few(values.into_iter()))
    }
}
