//! A record as its source gives it: values under the product's column names, before normalization.

use std::borrow::Cow;

use crate::statement::base::column::Column;
use crate::statement::cells::cell::Cell;
use crate::statement::rows::builder::Group;

/// What the records of every format have in common. [`normalize`](crate::statement::normalize::record::normalize) reads
/// all of them.
pub(crate) trait RawRecord {
    /// The value of a column. Null if the record has none, or if the value is a placeholder such as `N/A`.
    fn cell(&self, column: Column) -> Cell<'_>;

    /// Whether the source has such a column for this record, even if its value is null.
    fn has(&self, column: Column) -> bool;

    /// The source's name for the column.
    fn name(&self, column: Column) -> &str;

    /// Whether the value may differ from that of the record before, which was kept.
    fn is_fresh(&self, _: Column) -> bool {
        true
    }

    /// Whether a record of this source must have a value in the column.
    fn requires(&self, column: Column) -> bool;

    /// Whether each of a customer's accounts gets its own statement. Otherwise a statement has one account.
    fn splits_accounts(&self) -> bool {
        false
    }

    /// A name of the source that is probably misspelt, and the one of the `missing` columns that it may mean.
    fn misspelt(&self, _missing: &[Column]) -> Option<(Cow<'_, str>, &'static str)> {
        None
    }

    /// Reads the texts for [`RawRecord::texts`].
    fn read_texts(&mut self) -> Result<(), Box<Fault>> {
        Ok(())
    }

    /// The texts that may differ from those of the record before, by their index in [`Column::TEXTS`].
    fn texts(&self) -> impl Iterator<Item = (usize, Option<&str>)>;

    /// Adds the counts beside the values: repairs, placeholders, and fields that are not read.
    fn count(&self, counters: &mut Group);
}

/// A wrong value: its column, and what is wrong. The format adds the place in the source.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) column: Column,
    pub(crate) what: String,
}

pub(crate) fn fail_at_column<T>(column: Column, what: impl Into<String>) -> Result<T, Box<Fault>> {
    Err(Box::new(Fault { column, what: what.into() }))
}
