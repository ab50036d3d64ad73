//! Carries loans through their lives: takes a loan that is due, makes the call that its state needs, and records what
//! came of it. `steps` does the first and the last as plain functions, so that a simulation runs the same code;
//! `provider` makes the calls, `worker` does it all the time, and `servicer` answers the hosted endpoints. Knows
//! nothing of HTTP, SQL or rules.

mod acceptance;
pub(crate) mod call;
mod clock;
pub(crate) mod decide;
mod decision_record;
mod keeper;
mod lower_amount;
mod measures;
mod messages;
mod metrics;
mod own_inputs;
mod private;
mod provider;
mod provider_calls;
mod servicer;
pub(crate) mod steps;
mod worker;

pub(crate) use clock::Clock;
pub(crate) use decide::Decisions;
pub(crate) use decision_record::{CaseFacts, DecisionRecord};
pub(crate) use keeper::{DecidedCase, DecisionKeeper, MadeDecision};
pub(crate) use lower_amount::{NotLowered, lower_offers};
pub(crate) use messages::Texts;
pub(crate) use metrics::ServicingMetrics;
pub(crate) use own_inputs::refuse_unknown_own_inputs;
pub(crate) use private::{Private, Vault, open_sealed_value, reseal_value};
pub(crate) use provider::LiveProvider;
pub(crate) use provider_calls::ProviderCalls;
pub(crate) use servicer::Servicer;
pub(crate) use worker::{Runner, RunnerParts, RunnerSettings};
