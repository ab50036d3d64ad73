//! A plan written out: E2 JSON, CSV, Parquet and labels, in the style of one export. Knows nothing of how events come about.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod labels;
pub(crate) mod notes;
pub(crate) mod parquet;
pub(crate) mod style;
