//! The integration tests, one binary: linking Polars once is cheaper than once per file.

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
