//! Operations on columns. They know neither programs nor where a column is from.

pub(super) mod aggregate;
pub(super) mod arithmetic;
mod cells;
pub(crate) mod decision_table;
pub(super) mod group_aggregate;
pub(super) mod logic;
pub(crate) mod scoring;
pub(super) mod window;
