//! Where the service keeps its state: one low-level interface of transactions, SQL and values, with SQLite here and
//! PostgreSQL in `postgres`. The domain's SQL is written once and runs on both. Must not know what an event
//! means.

pub(crate) mod database;
pub(crate) mod error;
pub(crate) mod migrate;
pub(crate) mod pool;
mod private_file;
pub(crate) mod seal;
pub(crate) mod seen_file;
pub(crate) mod sqlite;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod value;

use private_file::require_private;
pub(crate) use private_file::require_private_secret;
