//! Realistic bank statements from a seed, with the true label of every record. Pure: the same seed, index and
//! options always give the same bytes, on every machine. No clock, no files, no environment. Must not know how
//! statements are read or judged.
//!
//! `market` is what is so in a country, `people` is who a statement is of, `events` is what happens on the account, and
//! `writers` are the formats. `plan` joins them for one statement, and `accounts` for all statements of a customer.

mod accounts;
mod calendar;
mod events;
mod market;
mod options;
mod people;
mod plan;
pub(crate) mod random;
mod writers;

#[doc(hidden)]
pub use accounts::Customer;
#[doc(hidden)]
pub use events::event::Label;
pub use market::Market;
pub use options::{DEFAULT_END, Error, Hard, Options};
pub use people::cast::people;
pub use people::person::{Person, Profile};
pub use plan::Plan;
#[doc(hidden)]
pub use writers::csv::{COLUMNS, LIST_SEPARATOR, csv_header, list_csv_columns};
#[doc(hidden)]
pub use writers::labels::labels_header;
#[doc(hidden)]
pub use writers::parquet::ParquetTable;

/// Statement number `index` of a seed as E2 JSON, in memory; [`Plan::write_json`] streams instead.
///
/// # Errors
/// If an option is out of its range.
///
/// ```
/// use lendwright::generate::{Options, statement_json};
/// let options = Options { records: 3, ..Options::default() };
/// let first = statement_json(42, 0, &options)?;
/// assert_eq!(first, statement_json(42, 0, &options)?);
/// # Ok::<(), lendwright::generate::Error>(())
/// ```
pub fn statement_json(seed: u64, index: u64, options: &Options) -> Result<Vec<u8>, Error> {
    let plan = Plan::new(seed, index, options)?;
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = plan.write_json(&mut bytes);
    Ok(bytes)
}
