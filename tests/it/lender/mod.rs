//! Tests of `src/lender`: the service that the lender hosts, its loans and its operation.

mod config;
mod hosted;
mod operations;
mod process;
mod runner;
mod webhooks;
