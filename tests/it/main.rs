//! The integration tests, one binary: linking Polars once is cheaper than once a file.

mod cli;
mod client;
mod client_commands;
mod decide;
mod faults;
mod generate;
mod generate_files;
mod pricing;
mod properties;
mod sandbox;
mod statement;
mod tidy;
