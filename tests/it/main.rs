//! The integration tests, one binary: linking Polars once is cheaper than once per file.

// Here and not as `required-features` in Cargo.toml, which would name this file in the packed crate, where it is not.
#![cfg(feature = "cli")]

mod api;
mod authoring;
mod base;
mod campaigns;
mod cli;
mod engine;
mod fixtures;
mod house;
mod lender;
mod portfolio;
mod provider;
mod report;
mod rules;
mod run;
mod statement;
