//! Bank statements in, loan offers out.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod words;

pub mod wire;

#[cfg(feature = "engine")]
pub mod decision;
#[cfg(feature = "engine")]
pub mod files;
#[cfg(feature = "engine")]
pub mod metrics;
#[cfg(feature = "engine")]
pub mod rules;
#[cfg(feature = "engine")]
pub mod statement;

#[cfg(feature = "client")]
pub mod client;

#[cfg(feature = "service")]
pub mod generate;
#[cfg(feature = "service")]
pub mod sandbox;

#[cfg(feature = "cli")]
pub mod cli;
