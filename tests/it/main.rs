//! The integration tests, one binary: linking Polars once is cheaper than once a file.

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "cli")]
mod client_commands;
mod decide;
mod generate;
mod generate_files;
mod pricing;
#[cfg(feature = "service")]
mod sandbox;
#[cfg(feature = "engine")]
mod statement;
mod tidy;
