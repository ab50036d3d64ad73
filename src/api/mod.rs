//! Decisions over HTTP: a statement and a request in, the bytes of a decision out. Must not know how a policy or a
//! statement is read, nor the command line: it answers what [`decide`](crate::decide) and the other functions give.
//!
//! A request passes through `pipeline`, `keys`, `application` and `answers`, and comes back as bytes or as a `problem`.

mod answers;
mod application;
mod batches;
mod idempotency;
mod keys;
mod openapi;
mod pipeline;
mod policy_list;
mod problem;
mod route;
mod running;

pub(crate) use keys::{ApiKeys, Scope, new_key};
pub(crate) use pipeline::ApiParts;
pub(crate) use running::{RunningApi, reload_policy};
