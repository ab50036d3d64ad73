//! Carries loans through their lives: takes a loan whose moment has come, makes the call that its state asks
//! for, and records what came of it. `steps` does the first and the last as plain functions, so that a simulation runs
//! the same code; `provider` makes the calls; `runner` does it all the time. Knows nothing of HTTP, SQL or rules.

mod call;
mod decide;
mod hosted;
mod messages;
mod metrics;
mod private;
mod provider;
mod steps;
mod worker;

pub(crate) use call::{Call, Heard, Money};
pub(crate) use decide::Decisions;
pub(crate) use hosted::Servicer;
pub(crate) use messages::Texts;
pub(crate) use metrics::ServicingMetrics;
pub(crate) use private::{Private, Vault, sealed_again};
pub(crate) use provider::LiveProvider;
pub(crate) use steps::{Begun, begin, finish};
pub(crate) use worker::{Clock, Runner, RunnerSettings};
