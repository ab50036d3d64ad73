//! Campaigns for one promise: nothing wrong in silence. What is declared wrongly, damaged or spelt in two ways comes out the same, is
//! refused at its place, or is told; docs/explanation/damage.md says what is counted. `LENDWRIGHT_CAMPAIGN=all` runs
//! the whole.

mod columns_files;
mod customers;
mod edits;
mod parquet_file;
mod spellings;
mod tables;

/// What the statements of the campaigns are decided by.
const POLICY: &str = r#"
[policy]
name = "small"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"

[metric]
records = "COUNT(*)"
inflow = "SUM(credit)"
largest_debit = "MAX(debit)"

[[require]]
id = "R01"
when = "inflow >= 100"
else = "decline"
unknown = "refer"
reason = "Inflow {inflow} of {records} records, largest debit {largest_debit}"
"#;

/// Whether all cases of each campaign are run, and not those of every test run alone.
pub(super) fn whole() -> bool {
    std::env::var("LENDWRIGHT_CAMPAIGN").is_ok_and(|which| which == "all")
}
