//! The row of a record, and the collector that gathers rows into growing columns, with the names and counts of each
//! statement. Must not know formats, columns files, nor the order of records.

pub(crate) mod builder;
pub(crate) mod collector;
pub(crate) mod stated;
pub(crate) mod texts;
