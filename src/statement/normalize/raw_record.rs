//! A record as its source gives it, whatever the format: values under the product's column names, before anything is made
//! of them. Must not know what a value means.

use std::borrow::Cow;

use crate::statement::base::column::Column;
use crate::statement::columns::builder::Group;
use crate::statement::normalize::cell::Cell;

/// What every format's records have in common. [`normalize`](crate::statement::normalize::record::normalize) reads them all.
pub(crate) trait RawRecord {
    /// The value of a column; null where the record has none or where the value says nothing, such as `N/A`.
    fn cell(&self, column: Column) -> Cell<'_>;

    /// Whether the source has such a column for this record, be its value null.
    fn has(&self, column: Column) -> bool;

    /// What the source calls the column.
    fn name(&self, column: Column) -> &str;

    /// Whether the value may be another than in the record before, which was kept.
    fn is_fresh(&self, _: Column) -> bool {
        true
    }

    /// Whether a record of this source must have a value there.
    fn requires(&self, column: Column) -> bool;

    /// Whether each of a customer's accounts has a statement of its own. Elsewhere a statement has one account.
    fn splits_accounts(&self) -> bool {
        false
    }

    /// A name of the source that is probably misspelt, and which of the `missing` columns it may be meant for.
    fn misspelt(&self, _missing: &[Column]) -> Option<(Cow<'_, str>, &'static str)> {
        None
    }

    /// Reads the texts, so that [`RawRecord::texts`] has them.
    fn read_texts(&mut self) -> Result<(), Box<Fault>> {
        Ok(())
    }

    /// The texts that may be others than in the record before, by their place among [`Column::TEXTS`].
    fn texts(&self) -> impl Iterator<Item = (usize, Option<&str>)>;

    /// Adds what is counted beside the values: repairs, placeholders, and fields that nothing is read from.
    fn count(&self, counters: &mut Group);
}

/// A value at fault: where, and what is wrong. The format says where in the source that is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) column: Column,
    pub(crate) what: String,
}

pub(crate) fn fault<T>(column: Column, what: impl Into<String>) -> Result<T, Box<Fault>> {
    Err(Box::new(Fault { column, what: what.into() }))
}
