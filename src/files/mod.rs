//! Files: the only place below the command line that opens one. Statements and tables are read from them and frames written to them.
//! Must not know what a statement means, nor decide anything.

mod identity;
mod partitions;
mod policy;
mod read;
mod table_log;
mod write;

pub(crate) use identity::FileId;
pub(crate) use partitions::keys as partition_keys;
pub(crate) use policy::policies_by;
pub use policy::{PolicyError, in_order, load_policies, load_policy, load_shared, read_rules, rule_files};
pub use read::{Error, read_columns, read_parts, read_statements};
pub(crate) use table_log::{LogTable, acid_table, log_table, log_table_around, log_table_of_member};
pub use write::{ndjson, write_csv, write_ndjson, write_parquet, write_text};
