//! Tests of `src/engine`: what recurs, metrics, decisions.

pub(crate) mod decision;
mod metrics;
mod recurring;
