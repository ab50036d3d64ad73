//! Decisions over HTTP: a statement and a request in, the bytes of a decision out. Must not know how a policy or a
//! statement is read, nor the command line: it answers what [`decide`](crate::decide) and the other functions give.
//!
//! A request passes through `pipeline`, `keys`, `deciding`, `application` and `answers`, and comes back as bytes or as
//! a `problem`. With a book, `kept_decisions` keeps what is decided, and `shadows` decide it once more.
//! `lender_decisions` and `loan_outcomes` bring into the same book what the lender's service decides, and what becomes
//! of its loans.

mod answer_schemas;
mod answers;
mod application;
mod batches;
mod deciding;
mod idempotency;
mod kept_decisions;
mod keys;
mod lender_decisions;
mod loan_outcomes;
mod openapi;
mod own_fields;
mod pipeline;
mod policy_list;
mod problem;
mod reported_outcome;
mod route;
mod running;
mod shadows;

pub(crate) use keys::{ApiKeys, Scope, new_key};
pub(crate) use loan_outcomes::{BadLoanRule, LoanReports};
pub(crate) use pipeline::{Api, ApiParts};
pub(crate) use running::{RunningApi, reload_policy};
pub(crate) use shadows::Shadow;
