//! Files: the only place below the command line that opens one. Statements and tables are read from them and frames written to them.
//! Must not know what a statement means, nor decide anything.

mod policy;
mod read;
mod write;

pub(crate) use policy::policies_by;
pub use policy::{PolicyError, in_order, load_policies, load_policy, load_shared, read_rules, rule_files};
pub use read::{Error, read_columns, read_parts, read_statements};
pub use write::{ndjson, write_csv, write_ndjson, write_parquet, write_text};
