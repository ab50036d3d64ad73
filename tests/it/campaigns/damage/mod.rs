//! Campaigns for one promise: nothing goes wrong silently. Wrong declarations, damage and different spellings give the
//! same result, are refused at their place, or are reported. docs/explanation/damage.md defines what is counted.
//! `LENDWRIGHT_CAMPAIGN=all` runs everything.

mod columns_files;
mod customers;
mod edits;
mod spellings;
mod tables;

/// The policy that decides the statements of the campaigns.
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

/// Whether all cases of each campaign are run, rather than only those of every test run.
pub(crate) fn whole() -> bool {
    crate::fixtures::campaign::is_everything()
}
