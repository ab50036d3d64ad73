//! Bank statements in, loan offers out. This file is the map: the rooms, the features that gate them, what most users need of each.
//!
#![doc = include_str!("../README.md")]
//!
//! # Where things are
//! | | |
//! |---|---|
#![cfg_attr(
    feature = "engine",
    doc = "| [`statement`] | bytes to columns: [`read_json`], tables, [`Statements`] |
| [`rules`] | rule files: [`compile`] to a [`Policy`], or a list of mistakes with their places |
| [`metrics`] | the metrics of statements as a table |
| [`recurring`] | the recurring streams of a statement: [`streams`](recurring::streams) |
| [`decision`] | [`decide`]: outcome, reasons, score, offers; [`explain`](decision::explain) |
| [`analysis`] | what a policy can and cannot do, without a statement: [`analyse`](analysis::analyse), ranges, the [`dictionary`](analysis::dictionary) of its names |
| [`editor`] | what an editor asks of rule files: layout, schema, names |
| [`narration`] | who stands behind a narration: counterparty keys |
| [`files`] | statements and policies from disk: [`load_policy`] |
| [`live`] | a policy that is reloaded while others decide by it: [`LivePolicy`] |
| [`batch`] | many statements into one folder, resumable: [`batch::run`] |
| [`portfolio`] | policies tried on many people: cases |
| [`report`] | explanations and dictionaries as text and as pages |"
)]
#![cfg_attr(feature = "client", doc = "| [`client`] | the provider over HTTP: [`Client`] |")]
#![cfg_attr(
    feature = "service",
    doc = "| [`workers`] | decisions for an async service, off its runtime: [`Decider`](workers::Decider) |
| [`sandbox`] | the provider, simulated on a loopback port |
| [`service`] | what a merchant serves: the receiver of webhooks |
| [`generate`] | realistic statements from a seed |"
)]
//! | [`wire`] | what is said to the provider and by it, as types |
//! | [`words`] | money, days, digests, secrets, prices |
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod words;

// Some of it is for `client` alone, and idle without it.
#[cfg_attr(not(feature = "client"), allow(dead_code, unused_imports))]
pub mod wire;

#[cfg(feature = "engine")]
pub mod analysis;
#[cfg(feature = "engine")]
pub mod batch;
#[cfg(feature = "engine")]
pub mod comparison;
#[cfg(feature = "engine")]
pub mod decision;
#[cfg(feature = "engine")]
pub mod dmn;
#[cfg(feature = "engine")]
pub mod editor;
#[cfg(feature = "engine")]
pub mod files;
#[cfg(feature = "engine")]
pub mod live;
#[cfg(feature = "engine")]
pub mod metrics;
#[cfg(feature = "engine")]
pub mod narration;
#[cfg(feature = "engine")]
pub mod portfolio;
#[cfg(feature = "engine")]
pub mod recurring;
#[cfg(feature = "engine")]
pub mod report;
#[cfg(feature = "engine")]
pub mod rules;
#[cfg(feature = "engine")]
pub mod statement;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "client")]
mod tls;

#[cfg(feature = "service")]
pub mod generate;
#[cfg(feature = "service")]
pub mod sandbox;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "service")]
pub mod workers;

#[cfg(feature = "cli")]
pub mod cli;

pub use wire::{Offer, SendOffers, Settings};
pub use words::{
    date::Day,
    money::{Currency, Money},
    secret::Secret,
};

#[cfg(feature = "client")]
pub use client::Client;
/// The columns that tables of metrics are, and that [`ReadyPlan::judge`](decision::ReadyPlan::judge) takes and gives: of the version that this crate is built with.
#[cfg(feature = "engine")]
pub use polars;

#[cfg(feature = "engine")]
pub use decision::{Application, Decision, Outcome, Request, decide, decide_many, reading};
#[cfg(feature = "engine")]
pub use files::{load_policies, load_policy};
#[cfg(feature = "engine")]
pub use live::LivePolicy;
#[cfg(feature = "engine")]
pub use rules::{Policies, Policy, PolicySet, compile};
#[cfg(feature = "engine")]
pub use statement::{Statements, read_json};

/// The blocks of the pages are tests.
#[cfg(all(doctest, feature = "service"))]
mod pages {
    #[doc = include_str!("../docs/guides/embedding.md")]
    mod embedding {}
    #[doc = include_str!("../docs/guides/lending.md")]
    mod lending {}
    #[doc = include_str!("../docs/guides/iqr.md")]
    mod iqr {}
    #[doc = include_str!("../docs/guides/pay-bill.md")]
    mod pay_bill {}
}
