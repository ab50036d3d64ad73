//! The lender's service: a loan's life as a table, the loan book, the calls that carry loans through it, the
//! endpoints that the provider calls, and what operators do. Must not know how a policy or a statement
//! is read, nor the command line.
//!
//! Its rooms, each of which uses only rooms before it: `loan`, `store`, `loan_book`, `postgres`, `config`, `hosted`,
//! `sources`, `webhooks`, `runner`, `simulation`, `operations`, `process`.

pub mod config;
pub mod hosted;
pub(crate) mod loan;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "the command line uses the rest of it"))]
pub(crate) mod loan_book;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "the command line calls it"))]
pub(crate) mod operations;
#[cfg(feature = "postgres")]
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command line opens it"))]
pub(crate) mod postgres;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "the command line starts it"))]
pub(crate) mod process;
pub(crate) mod runner;
#[cfg(feature = "simulation")]
pub mod simulation;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "the command line starts it"))]
pub(crate) mod sources;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "the command line uses the rest of it"))]
pub(crate) mod store;
pub mod webhooks;
