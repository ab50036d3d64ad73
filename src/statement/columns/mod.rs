//! Records as columns: collected, deduplicated, ordered, and assembled into the frame. Must not know formats.

pub(crate) mod assemble;
pub(crate) mod balance_breaks;
pub(crate) mod balance_order;
pub(crate) mod balance_pieces;
pub(crate) mod balance_rows;
pub(crate) mod balance_verdict;
pub(crate) mod covered_period;
pub(crate) mod dedup_sort;
pub(crate) mod digest;
pub(crate) mod frame;
pub(crate) mod id_order;
pub(crate) mod interim_reports;
pub(crate) mod record_columns;
pub(crate) mod record_day;
pub(crate) mod row_order;
pub(crate) mod shared_days;
pub(crate) mod signs;
pub(crate) mod stated_balances;
