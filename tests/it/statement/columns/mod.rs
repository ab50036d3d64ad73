//! Records as columns: their order, their balances, their signs.

mod balance_rows;
mod balance_verdict;
mod balance_verdict_in_commands;
mod large_statements;
mod properties;
mod record_order;
mod signs;
