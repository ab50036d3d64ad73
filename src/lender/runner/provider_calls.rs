//! What is counted of the calls to the provider, and whether it accepts the access token. Labels are words of this
//! program. Knows nothing of what a call is for.

use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::clock::Clock;
use crate::lender::hosted::{Condition, Conditions};
use crate::provider::client::{CallObserver, Error, FinishedAttempt};

/// Upper bounds of the histogram's classes, in seconds.
const SECONDS: [f64; 10] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    call: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    call: &'static str,
}

/// Observes the calls of a client.
#[derive(Clone)]
pub(crate) struct ProviderCalls {
    seconds: Family<AttemptLabels, Histogram, fn() -> Histogram>,
    last_success: Family<CallLabels, Gauge>,
    conditions: Conditions,
    /// The condition under which this client's token is refused.
    refused: Condition,
    /// The time of the machine, not that of loans.
    clock: Clock,
}

impl ProviderCalls {
    /// Makes the metrics, and adds them to a registry that others share.
    pub(crate) fn register(registry: &mut Registry, conditions: Conditions, clock: Clock) -> ProviderCalls {
        let calls = ProviderCalls {
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            last_success: Family::default(),
            conditions,
            refused: Condition::TokenRefused,
            clock,
        };
        let about = "Attempts at calls to the provider by call and outcome, and how long they took";
        registry.register("lendwright_provider_call_seconds", about, calls.seconds.clone());
        let about = "When each call to the provider last succeeded, in seconds since 1970";
        registry.register("lendwright_provider_last_success_timestamp_seconds", about, calls.last_success.clone());
        calls
    }

    /// The same metrics, for the client of Pay Bill, which may have another token.
    pub(crate) fn of_bills(&self) -> Arc<ProviderCalls> {
        Arc::new(ProviderCalls { refused: Condition::BillTokenRefused, ..self.clone() })
    }
}

impl CallObserver for ProviderCalls {
    fn attempt_ended(&self, attempt: &FinishedAttempt<'_>) {
        let labels = AttemptLabels { call: attempt.call, outcome: attempt.outcome() };
        self.seconds.get_or_create(&labels).observe(attempt.took.as_secs_f64());
    }

    fn call_ended(&self, call: &'static str, failure: Option<&Error>) {
        match failure {
            None => {
                let now = (self.clock)().milliseconds().div_euclid(1_000);
                self.last_success.get_or_create(&CallLabels { call }).set(now);
                self.conditions.clear(self.refused);
            }
            Some(error) if is_token_refused(error) => drop(self.conditions.raise(self.refused)),
            // A refusal of what the call wants comes after the token was accepted.
            Some(error) if error.is_rejected() => self.conditions.clear(self.refused),
            Some(_) => {}
        }
    }
}

/// Whether a call failed by its token. A call that moves money may have another class under the same status.
fn is_token_refused(error: &Error) -> bool {
    error.is_authentication() || matches!(error.status(), Some(401 | 403))
}
