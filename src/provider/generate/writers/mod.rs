//! Writes a plan as E2 JSON, CSV, Parquet and labels, in the style of one export. Must not know how events are planned.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod labels;
pub(crate) mod notes;
pub(crate) mod parquet;
pub(crate) mod style;
