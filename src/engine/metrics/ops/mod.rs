//! Operations on columns, row by row or over the statements and groups of the rows. They know neither graphs nor
//! schedules.

pub(super) mod aggregate;
pub(super) mod arithmetic;
mod cells;
pub(crate) mod decision_table;
pub(super) mod extreme;
pub(super) mod group_aggregate;
pub(super) mod key_list;
pub(super) mod logic;
pub(crate) mod scoring;
pub(super) mod text;
pub(super) mod window;
