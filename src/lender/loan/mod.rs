//! A loan's whole life, from the offer request to the last payment, as one pure table: a state and an event
//! give the next state and its effects. Knows no clock, store, network or person: what happened, and when, are
//! arguments.
//!
//! The table is in `table`, and printed in `docs/reference/loan-life.md`.

mod account;
mod event;
mod order;
mod plan;
mod state;
mod table;
mod terms;
mod work;

pub(crate) use account::Instalment;
pub(crate) use event::{Effect, Event, Message, Recorded};
pub(crate) use order::{Kind, Order};
pub(crate) use plan::{AfterNotFound, Backoff, Plan, Retry, utc_milliseconds};
pub(crate) use state::{Cause, Loan, State, Verdict};
pub(crate) use table::{Refused, step};
pub(crate) use terms::Terms;
pub(crate) use work::Work;

#[cfg(test)]
mod printed;
#[cfg(test)]
mod tests;
