//! Records of many customers as Arrow tables in memory, decided into Arrow tables. Python and Spark come in by
//! this door. Must not know either of them, nor where a table came from.
//!
//! `request` is what is decided on. `customers` receives tables in any order and finds whole customers in them, in
//! bounded memory; `sorting` does so on disk. `unit` decides some customers. `results` turns what was found into Arrow.
//!
//! Customers come out in the order of their names, as far as the memory holds, and what is decided about each is what
//! [`crate::run::batch`] writes.

pub use crate::statement::GivenColumn;

mod backtested;
mod customers;
mod error;
mod records;
mod request;
mod requests;
mod results;
mod sorting;
#[cfg(test)]
mod tests;
mod unit;

pub use backtested::{Backtested, Outcomes, backtest_tables};
pub use customers::{CustomerStream, Watch};
pub use error::Error;
pub use records::{
    buffer_addresses, check_columns, read_tables, records_as_table, table_of_parquet, texts_of_identifiers, type_word,
};
pub use request::{TableRequest, Wanted};
pub use requests::{Requests, columns_for_policy, request_for_all};
pub use results::{ArrowTable, Results, arrow_table, policies_digest, result_columns};
pub use unit::decide_statements;
