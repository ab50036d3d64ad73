//! Reads statements, tables and policies from disk, and writes frames to disk. Must not know what a statement
//! means, nor decide anything.

mod digesting;
mod identity;
pub(crate) mod kinds;
mod parquet_table;
mod partitions;
mod policy;
mod read;
mod shapes;
mod shipped_rules;
mod table_log;
mod write;

pub(crate) use digesting::{Digesting, digest_all, digest_file};
pub(crate) use identity::FileId;
pub(crate) use parquet_table::{parquet_columns, parquet_note, parquet_shape, write_parquet_noted};
pub(crate) use partitions::partition_keys;
pub use policy::{PolicyError, load_policies, load_policy};
#[doc(hidden)]
pub use policy::{
    PolicyTexts, load_policy_with, load_shared, load_shared_with, read_rules, rule_files, versions_of_one_policy,
};
pub(crate) use policy::{digest_rules, load_policies_with};
#[allow(unused_imports, reason = "answers over HTTP use it, which the feature `engine` lacks")]
pub(crate) use read::read_statement_bytes;
pub use read::{Error, read_columns, read_parts, read_statements};
#[doc(hidden)]
pub use read::{is_table, read_stream};
pub(crate) use shapes::advise_on_json_shape;
#[allow(unused_imports, reason = "only commands use it")]
pub(crate) use shipped_rules::shipped_rules_path;
pub(crate) use table_log::{LogTable, acid_table, log_table, log_table_around, log_table_of_member};
#[doc(hidden)]
pub use write::{frame_as_ndjson, write_bytes, write_csv, write_ndjson, write_parquet, write_text};
