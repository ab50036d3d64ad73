//! The log of steps. Each step is a line at debug level, and what becomes of a payout or a debit is one at info level,
//! once the step is committed. A line has the loan's number in the book, and nothing by which a customer could be
//! found: no id, reference, account or note.

use super::claims::LockedLoan;
use super::rows::LoanRow;
use crate::base::money::Currency;
use crate::lender::loan::{Event, LoanState, Order};

/// What the log says about a loan before its step.
pub(super) struct BeforeStep {
    state: LoanState,
    order: Option<Order>,
    failed: Option<Order>,
}

impl BeforeStep {
    /// Of a loan that is about to make its step.
    pub(super) fn note(locked: &LockedLoan) -> BeforeStep {
        let loan = &locked.row().loan;
        let failed = loan.failed.as_ref().map(|failed| failed.order.clone());
        BeforeStep { state: loan.state, order: loan.order.clone(), failed }
    }

    /// Logs the step that this event made, and the loan after it. Call it after the commit: a step that was rolled back
    /// did not happen.
    pub(super) fn log(&self, event: &Event, row: &LoanRow) {
        let (from, to, event_word) = (self.state.word(), row.loan.state.word(), event.word());
        tracing::debug!(loan = row.id, from, event = event_word, to, "a loan made a step");
        let currency = row.loan.terms.as_ref().and_then(|terms| Currency::from_numeric(&terms.currency));
        let currency = currency.map(|currency| currency.alphabetic());
        if let Event::PayoutReversed { amount_minor } | Event::DebitReversed { amount_minor } = event {
            tracing::info!(loan = row.id, amount_minor, currency, outcome = event_word, "money");
        }
        // A failed order that moved after all is not the one that was planned since.
        let order = match event {
            Event::FailedMoved => self.failed.as_ref(),
            Event::Moved => self.order.as_ref().or(self.failed.as_ref()),
            _ => self.order.as_ref(),
        };
        let Some(order) = order.filter(|_| is_about_money(event)) else { return };
        tracing::info!(
            loan = row.id,
            kind = order.kind.word(),
            instalment = order.instalment,
            attempt = order.attempt,
            amount_minor = order.amount_minor,
            currency,
            outcome = event_word,
            "money"
        );
    }
}

/// A step that is logged once it is committed.
pub(super) struct TakenStep {
    pub(super) before: BeforeStep,
    pub(super) event: Event,
    pub(super) row: LoanRow,
}

impl TakenStep {
    /// As [`BeforeStep::log`].
    pub(super) fn log(&self) {
        self.before.log(&self.event, &self.row);
    }
}

/// Whether the event says how far a transaction of money is.
fn is_about_money(event: &Event) -> bool {
    matches!(
        event,
        Event::Sending
            | Event::NotSent
            | Event::Unknown
            | Event::Moved
            | Event::NotMoved
            | Event::ReportedFailed
            | Event::FailedMoved
    )
}
