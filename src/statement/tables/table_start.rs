//! How reading a table begins, in every format: the declared reading, the collector, the numbers of rows.

use crate::statement::base::error::Error;
use crate::statement::base::reading::{Declared, Reading};
use crate::statement::columns_file::Columns;
use crate::statement::rows::collector::{Collector, Grouping, Places};
use crate::statement::tables::row_mapper::RowMapper;

/// The reading, with the columns file's declarations in place of its own.
pub(crate) fn apply_declarations(reading: &Reading, columns: &Columns) -> Reading {
    Reading {
        unit: columns.unit.unwrap_or(reading.unit),
        negative: columns.negative.unwrap_or(reading.negative),
        ..reading.clone()
    }
}

/// A collector of many statements, which knows what the columns file declares of the reading.
pub(crate) fn collect_many<'r>(reading: &'r Reading, columns: &Columns) -> Collector<'r> {
    let mut collector = Collector::new(reading, Grouping::Many);
    collector.declared = Declared { unit: columns.unit.is_some(), signs: columns.negative.is_some() };
    collector
}

/// A table's collector, which knows whether the table has an order within a day, and debits.
pub(crate) fn start_collector<'r>(reading: &'r Reading, mapper: &RowMapper<'_>, places: Places) -> Collector<'r> {
    let mut collector = collect_many(reading, mapper.columns);
    collector.ordered = mapper.is_ordered();
    collector.row_order = mapper.columns.order;
    collector.shows_debits = mapper.shows_debits();
    collector.unread.add_all(&mapper.unread);
    collector.start_places(places);
    collector
}

pub(crate) fn next_row_ordinal(ordinal: u32) -> Result<u32, Error> {
    ordinal.checked_add(1).ok_or_else(|| Error::table("more than 4,294,967,295 rows; split the table"))
}

/// The error of the CSV library, which only passes on what reading the text says.
pub(crate) fn csv_error(wrong: csv::Error) -> Error {
    match wrong.into_kind() {
        csv::ErrorKind::Io(wrong) => Error::table(wrong),
        _ => Error::table("the text is not CSV"),
    }
}
