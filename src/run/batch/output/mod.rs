//! The folder of the results: tables, checkpoint and manifest. Must not know how a decision is made.

pub(crate) mod checkpoint;
pub(crate) mod decided;
pub(crate) mod manifest;
pub(crate) mod parquet;
pub(crate) mod result_frame;
pub(crate) mod result_rows;
pub(crate) mod writer;
