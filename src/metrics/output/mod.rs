//! Columns of metrics to and from Polars, and the metrics table.

pub(crate) mod polars_convert;
mod table;

pub use self::table::{StatementMetrics, stack, table, values};
