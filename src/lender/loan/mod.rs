//! A loan's whole life, from the offer request to the last payment, as one pure table: a state and an event
//! give the next state and its effects. Knows no clock, store, network or person: what happened, and when, are
//! arguments.
//!
//! The table is in `table`, and printed in `docs/reference/loan-life.md`.

mod acceptance;
mod account;
mod collection;
mod event;
mod failed_order;
mod instalment;
mod order;
mod plan;
mod reversal;
mod state;
mod table;
mod terms;
mod work;

pub(crate) use event::{Effect, Event, Message, OrderOutcome};
pub(crate) use failed_order::FailedOrder;
pub(crate) use instalment::Instalment;
pub(crate) use order::{Order, OrderKind, Progress};
pub(crate) use plan::{AfterNotFound, At, Backoff, Plan, Retry, utc_milliseconds};
pub(crate) use state::{Cause, Loan, LoanDecision, LoanState};
pub(crate) use table::{Refused, Transition, step_loan_state};
pub(crate) use terms::Terms;
pub(crate) use work::Work;

#[cfg(test)]
mod printed;
#[cfg(test)]
mod tests;
