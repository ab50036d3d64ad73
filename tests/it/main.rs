//! The integration tests, one binary: linking Polars once is cheaper than once a file.

mod campaigns;
mod cases;
mod cli;
mod client;
mod client_commands;
mod cookbook;
mod decide;
mod explain;
mod extremes;
mod faults;
mod generate;
mod generate_files;
mod invariance;
mod judgement;
mod mistakes;
mod money_and_dates;
mod pricing;
mod ready;
mod reference;
mod rule_semantics;
mod rules_docs;
mod sandbox;
mod slips;
mod statement;
mod tables;
mod tidy;
