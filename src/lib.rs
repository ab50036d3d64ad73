//! Bank statements in, loan offers out.
//!
//! lendwright reads a customer's bank statement, applies the rules of a lender, and makes loan offers. Amounts are
//! exact to the minor unit. Every number of a decision is explained, and the same inputs give the same bytes on any
//! machine.
//!
//! *The provider* in these pages is the company that holds the bank statements, shows offers to its customers and pays
//! out the loans. You need none to decide on statements of your own.
#![cfg_attr(
    feature = "engine",
    doc = r####"
# Decide on a statement

Compile a [`Policy`] once with [`load_policy`], or with [`compile`] from text. [`read_json`] reads the bytes of a
statement into a Polars frame, [`Statements::frame`]. [`decide`] is a pure function of policy, statements and
[`Request`]. It returns a [`Decision`] for each customer.

```
use lendwright::{Outcome, Request, compile, decide, read_json, reading};

let rules = r#"
[policy]
name = "small"
version = "1"
currency = "566"             # ISO 4217: the naira
time_zone = "Africa/Lagos"

[[require]]
id = "INCOME"
when = "SUM(credit) >= 100000"
reason = "Only {income} came in"

[metric]
income = "SUM(credit)"

[[offer]]
id = "loan"
tenure = 30
amount = "0.2 * income"
interest = 3
"#;
let policy = compile("small.toml", rules, &mut |_| Err("no other files".into()), &[])?;

let body = br#"[{"id": "1", "credit": 250000.50, "trans_date": "2026-06-30", "notes": {"desc": "SALARY JUNE"}}]"#;
let statements = read_json(body, "reference 1", &reading(&policy))?;
assert_eq!(statements.frame().height(), 1);

let decision = &decide(&policy, &statements, &Request::default())?[0];
assert_eq!(decision.outcome, Outcome::Offer);
assert_eq!(decision.offers[0].amount_offered, 5_000_010);
# Ok::<(), Box<dyn std::error::Error>>(())
```

For many applications at once use [`decide_many`]; for a policy that changes while you decide, [`LivePolicy`]; for a
whole portfolio, [`batch::run`]. [`decision::explain`] returns every number behind a decision."####
)]
//!
//! # Features
//!
//! | feature | you get | you do not build |
//! |---|---|---|
//! | `engine` | decisions, metrics, rules, batches | HTTP |
//! | `client` | the typed client of the provider | Polars |
//! | `service` | both, async decisions, webhooks, the simulated provider | the command line |
//! | `cli` (default) | everything, and the program | |
//! | `postgres` | `service`, with its state in PostgreSQL | the command line |
//! | `polars` | `engine`, and the Polars that this crate is built with, as `lendwright::polars` | |
//!
//! Without any feature, [`wire`] and [`base`] remain: the provider's calls as types, and money, days and digests.
//!
//! # Modules
//!
//! | module | feature | what it is for |
//! |---|---|---|
#![cfg_attr(
    feature = "engine",
    doc = "| [`statement`] | `engine` | bytes to columns: [`read_json`], tables, [`Statements`] |
| [`rules`] | `engine` | rule files: [`compile`] to a [`Policy`], or a list of mistakes with their places |
| [`metrics`] | `engine` | the metrics of statements as a table |
| [`decision`] | `engine` | [`decide`] and [`explain`](decision::explain) |
| [`analysis`] | `engine` | what a policy can do: [`analyse`](analysis::analyse), [`dictionary`](analysis::dictionary) |
| [`files`] | `engine` | statements and policies from disk: [`load_policy`] |
| [`live_policy`] | `engine` | a policy that is reloaded while others decide by it: [`LivePolicy`] |
| [`batch`] | `engine` | many statements into one folder, resumable: [`batch::run`] |"
)]
#![cfg_attr(feature = "client", doc = "| [`client`] | `client` | the provider over HTTP: [`Client`] |")]
#![cfg_attr(
    feature = "service",
    doc = "| [`decision_pool`] | `service` | decisions off an async runtime: [`Decider`](decision_pool::Decider) |
| [`sandbox`] | `service` | the provider, simulated on a loopback port |
| [`webhooks`] | `service` | the receiver of webhooks |
| [`generate`] | `service` | realistic statements from a seed |"
)]
//! | [`wire`] | always | the provider's calls as types, and the settings |
//! | [`base`] | always | money, days, prices, exact numbers, digests, secrets |
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "service")]
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "the command line starts it"))]
mod api;
#[cfg(feature = "arrow")]
#[doc(hidden)]
pub mod arrow;
#[cfg(feature = "engine")]
mod authoring;
pub mod base;
#[cfg(feature = "service")]
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "the command line opens it"))]
mod decision_book;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "service")]
#[doc(hidden)]
pub mod lender;
mod provider;
#[cfg(feature = "engine")]
mod run;
// Hidden modules are for the program, for the Python package and for this package's own tests; they may change in any
// version.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod portfolio;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod report;
#[cfg(feature = "engine")]
pub mod rules;
#[cfg(feature = "engine")]
pub mod statement;

#[cfg(feature = "engine")]
pub use authoring::analysis;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub use authoring::{diff, dmn, editor, spreadsheets};
pub use base::{
    date::Day,
    money::{Currency, Money},
    secret::Secret,
};
#[cfg(feature = "engine")]
#[doc(hidden)]
pub use engine::recurring;
#[cfg(feature = "engine")]
pub use engine::{decision, metrics};
#[cfg(feature = "service")]
pub use lender::webhooks;
#[cfg(feature = "client")]
pub use provider::client;
pub use provider::wire;
#[doc(no_inline)]
pub use provider::wire::{Offer, SendOffers, Settings};
#[cfg(feature = "service")]
pub use provider::{generate, sandbox};
#[cfg(feature = "service")]
pub use run::decision_pool;
#[cfg(feature = "engine")]
pub use run::{batch, files, live_policy};

#[cfg(feature = "client")]
#[doc(no_inline)]
pub use client::Client;
/// The Polars of [`Statements::frame`], of tables of metrics and of [`ReadyPlan::judge`](decision::ReadyPlan::judge). A
/// new version of it may break code that uses this path; code that does not is safe.
#[cfg(feature = "polars")]
pub use polars;

#[cfg(feature = "engine")]
#[doc(no_inline)]
pub use decision::{Application, Decision, Outcome, Request, decide, decide_many, reading};
#[cfg(feature = "engine")]
#[doc(no_inline)]
pub use files::{load_policies, load_policy};
#[cfg(feature = "engine")]
#[doc(no_inline)]
pub use live_policy::LivePolicy;
#[cfg(feature = "engine")]
pub use rules::{Policies, Policy, PolicySet, compile};
#[cfg(feature = "engine")]
pub use statement::{Statements, read_json};

/// The blocks of the pages are tests.
#[cfg(all(doctest, feature = "service"))]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/guides/embedding.md")]
    mod embedding {}
    #[doc = include_str!("../docs/guides/lending.md")]
    mod lending {}
    #[doc = include_str!("../docs/guides/iqr.md")]
    mod iqr {}
    #[doc = include_str!("../docs/guides/pay-bill.md")]
    mod pay_bill {}
}
