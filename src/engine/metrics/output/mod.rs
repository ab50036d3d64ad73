//! Columns of metrics to and from Polars, and the metrics table.

mod node_table;
pub(crate) mod polars_convert;
mod table;

pub(crate) use self::node_table::node_table;

pub use self::table::{StatementMetrics, stack, table, values};
