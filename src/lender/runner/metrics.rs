//! Counts of what servicing does, for Prometheus. Labels are words of this program. Knows nothing of how they come
//! about.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::lender::loan::{Cause, Event, LoanDecision, LoanState};
use crate::lender::loan_book::{MessageOutcome, OpenTroubles};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CauseLabels {
    cause: String,
}

/// The metrics of servicing. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServicingMetrics {
    steps: Family<OutcomeLabels, Counter>,
    failed: Counter,
    loans: Family<StateLabels, Gauge>,
    unknown: Gauge,
    oldest_due_seconds: Gauge,
    messages_waiting: Gauge,
    decisions: Family<OutcomeLabels, Counter>,
    messages: Family<OutcomeLabels, Counter>,
    loans_due: Gauge,
    loans_waiting: Family<CauseLabels, Gauge>,
    unknown_seconds: Gauge,
    payments_parked: Gauge,
    contradictions: Gauge,
    /// The causes that were shown so far.
    causes: Arc<Mutex<BTreeSet<String>>>,
}

/// What the book holds at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Loans by state.
    pub(crate) loans: Vec<(LoanState, i64)>,
    /// How long the oldest loan that is due and not claimed has been waiting.
    pub(crate) oldest_due_seconds: i64,
    /// Messages that wait to be sent.
    pub(crate) messages_waiting: i64,
}

impl ServicingMetrics {
    /// Makes the metrics, and adds them to a registry that others share.
    pub(crate) fn register(registry: &mut Registry) -> ServicingMetrics {
        let metrics = ServicingMetrics::default();
        let about = "Steps of loans by what was heard of their calls";
        registry.register("lendwright_loan_steps", about, metrics.steps.clone());
        let about = "Steps of loans that the loan book did not take";
        registry.register("lendwright_loan_steps_failed", about, metrics.failed.clone());
        registry.register("lendwright_loans", "Loans by state", metrics.loans.clone());
        let about = "Loans with a transaction of money whose outcome is not known";
        registry.register("lendwright_orders_unknown", about, metrics.unknown.clone());
        let about = "How long the oldest due loan has been waiting for its step";
        registry.register("lendwright_oldest_due_seconds", about, metrics.oldest_due_seconds.clone());
        let about = "Messages to customers that wait to be sent";
        registry.register("lendwright_messages_waiting", about, metrics.messages_waiting.clone());
        let about = "Decisions of the policy by outcome";
        registry.register("lendwright_decisions", about, metrics.decisions.clone());
        let about = "Tries to send a message by outcome";
        registry.register("lendwright_messages", about, metrics.messages.clone());
        // Counters that alerts watch begin at 0: of one that begins at 1, the first increase is not seen.
        for outcome in DECIDED_OUTCOMES {
            let _ = metrics.decisions.get_or_create(&OutcomeLabels { outcome });
        }
        for outcome in MESSAGE_OUTCOMES {
            let _ = metrics.messages.get_or_create(&OutcomeLabels { outcome });
        }
        metrics.register_troubles(registry);
        metrics
    }

    fn register_troubles(&self, registry: &mut Registry) {
        registry.register("lendwright_loans_due", "Loans that are due and not begun", self.loans_due.clone());
        let about = "Loans that wait for a person, by cause";
        registry.register("lendwright_loans_waiting", about, self.loans_waiting.clone());
        let about = "How long ago the oldest transaction of money was sent that has no outcome yet";
        registry.register("lendwright_oldest_unknown_order_seconds", about, self.unknown_seconds.clone());
        let about = "Payments that fit nothing and wait for a person";
        registry.register("lendwright_payments_parked", about, self.payments_parked.clone());
        let about = "Loans of which the provider said that money did not move, and later that it did";
        registry.register("lendwright_contradictions", about, self.contradictions.clone());
        for state in LoanState::ALL.into_iter().filter(|state| state.needs_person()) {
            self.causes.lock().unwrap_or_else(PoisonError::into_inner).insert(state.word().to_owned());
        }
        self.show_troubles(&OpenTroubles::default(), 0);
    }

    /// The outcome of a step was recorded.
    pub(super) fn count_step(&self, event: &Event) {
        self.steps.get_or_create(&OutcomeLabels { outcome: event.word() }).inc();
        if let Some(outcome) = decided_outcome(event) {
            self.decisions.get_or_create(&OutcomeLabels { outcome }).inc();
        }
    }

    /// A message was tried.
    pub(super) fn count_message(&self, tried: &MessageOutcome) {
        let outcome = match tried {
            MessageOutcome::Sent => "sent",
            MessageOutcome::Unknown(_) => "unknown",
            MessageOutcome::Failed(_) => "failed",
            MessageOutcome::Again(_) => "again",
        };
        self.messages.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// The book did not take a step.
    pub(super) fn count_failure(&self) {
        self.failed.inc();
    }

    /// Shows what the book holds.
    pub(crate) fn show_contents(&self, contents: &Contents) {
        for state in LoanState::ALL {
            let count = contents.loans.iter().find(|(other, _)| *other == state).map_or(0, |(_, count)| *count);
            self.loans.get_or_create(&StateLabels { state: state.word() }).set(count);
        }
        let unknown = contents.loans.iter().filter(|(state, _)| state.is_unknown()).map(|(_, count)| count).sum();
        self.unknown.set(unknown);
        self.oldest_due_seconds.set(contents.oldest_due_seconds);
        self.messages_waiting.set(contents.messages_waiting);
    }

    /// Shows what is late or needs a person. `unknown_seconds` is the age of the oldest transaction without an outcome.
    pub(super) fn show_troubles(&self, troubles: &OpenTroubles, unknown_seconds: i64) {
        self.unknown_seconds.set(unknown_seconds);
        self.loans_due.set(troubles.loans_due);
        self.payments_parked.set(troubles.payments_parked);
        self.contradictions.set(troubles.contradicted);
        let mut shown = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
        shown.extend(troubles.waiting.keys().cloned());
        // A cause of which no loan is left is 0, and does not keep its last count.
        for cause in shown.iter() {
            let count = troubles.waiting.get(cause).copied().unwrap_or_default();
            self.loans_waiting.get_or_create(&CauseLabels { cause: cause.clone() }).set(count);
        }
    }
}

const DECIDED_OUTCOMES: [&str; 4] = ["offer", "refer", "decline", "undecidable"];
const MESSAGE_OUTCOMES: [&str; 4] = ["sent", "unknown", "failed", "again"];

/// The outcome of a decision of the policy, if the event is one.
fn decided_outcome(event: &Event) -> Option<&'static str> {
    match event {
        Event::Decided { decision: LoanDecision::Offer { .. }, .. } => Some("offer"),
        Event::Decided { decision: LoanDecision::Decline, .. } => Some("decline"),
        Event::Refer => Some("refer"),
        Event::Impossible(Cause::Undecidable) => Some("undecidable"),
        _ => None,
    }
}
