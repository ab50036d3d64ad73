//! Balances that a source states beside its records.

/// One stated balance, as it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatedBalance {
    /// How many rows of the source come before it, those of other statements included.
    pub(crate) rows_before: usize,
    pub(crate) is_opening: bool,
    pub(crate) day: i32,
    pub(crate) minor: i64,
}

/// What a statement's stated balances enclose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stated {
    pub(crate) sections: Vec<StatedSection>,
    /// Whether every movement of the statement is in a section.
    pub(crate) is_covering: bool,
    /// Stated balances that the balances of the records beside them contradict, by however little.
    pub(crate) contradicted: Vec<Contradicted>,
    /// Stated balances that cannot be read: which, where and why.
    pub(crate) unreadable: Vec<String>,
}

/// A stated balance, and what it would have to be by the nearest balance of a record beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contradicted {
    pub(crate) stated: Stand,
    pub(crate) by_records: i128,
}

/// An opening balance, the closing balance after it, and what the records between them move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatedSection {
    pub(crate) opening: Stand,
    pub(crate) closing: Stand,
    /// Credits less debits, in minor units.
    pub(crate) moved: i128,
}

/// A balance on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stand {
    pub(crate) day: i32,
    pub(crate) minor: i64,
}

/// The balances before the first row and after the last, if rows that are no movements give them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    pub(crate) opening: Option<i64>,
    pub(crate) closing: Option<Stand>,
}

/// The difference between what a balance must be and what it is.
pub(crate) fn balance_difference(expected: i128, found: i64) -> u128 {
    expected.abs_diff(i128::from(found))
}
