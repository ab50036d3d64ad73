//! Counts of what servicing does, for Prometheus. Labels are words of this program. Knows nothing of the book.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::lender::loan::{Event, LoanState};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
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
        metrics
    }

    /// The outcome of a step was recorded.
    pub(super) fn count_step(&self, event: &Event) {
        self.steps.get_or_create(&OutcomeLabels { outcome: event.word() }).inc();
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
}
