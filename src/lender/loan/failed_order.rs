//! The last order that failed by the provider's word. That word may still change: before another order leaves, the
//! provider is queried once more, and if it contradicts itself a person decides. Knows nothing of how it is queried.

use serde::{Deserialize, Serialize};

use super::event::{Effect, Event, OrderOutcome};
use super::order::{Order, OrderKind, Progress};
use super::state::{Cause, Loan, LoanState};
use super::table::LoanStep;
use crate::base::time::Timestamp;

/// How long the provider's word counts that an order failed, in milliseconds. Another one leaves within it.
const CONFIRMED_FOR_MS: u64 = 60_000;

/// An order that failed by the provider's word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailedOrder {
    /// The order as it was sent.
    pub(crate) order: Order,
    /// When the provider said once more that it failed.
    #[serde(default)]
    pub(crate) confirmed_at: Option<Timestamp>,
    /// Since when the provider is to be queried although no other order is planned: the customer paid as much as this
    /// order debits, and it may be this debit.
    #[serde(default)]
    pub(crate) doubted_at: Option<Timestamp>,
    /// When the loan wakes once the doubt is over.
    #[serde(default)]
    pub(crate) wake_after: Option<Timestamp>,
}

impl FailedOrder {
    /// An order that has just failed.
    pub(crate) fn new(order: Order) -> FailedOrder {
        FailedOrder { order, confirmed_at: None, doubted_at: None, wake_after: None }
    }

    /// Whether the provider confirmed just now that it failed. A clock that was set back confirms nothing.
    fn is_confirmed(&self, now: Timestamp) -> bool {
        let ago = |confirmed: Timestamp| (now.milliseconds() - confirmed.milliseconds()).unsigned_abs();
        self.confirmed_at.is_some_and(|confirmed| ago(confirmed) < CONFIRMED_FOR_MS)
    }
}

impl Loan {
    /// The failed order that the provider is to be queried about before anything else is done.
    pub(crate) fn failed_to_query(&self, now: Timestamp) -> Option<&Order> {
        let failed = self.failed.as_ref()?;
        let is_due = match self.state {
            LoanState::Funding | LoanState::Collecting => {
                let never_left = |order: &Order| order.progress == Progress::Planned && !order.may_have_left();
                self.order.as_ref().is_some_and(never_left) && !failed.is_confirmed(now)
            }
            LoanState::Open | LoanState::CollectionFailed | LoanState::Review => failed.doubted_at.is_some(),
            _ => false,
        };
        Some(&failed.order).filter(|_| is_due)
    }

    /// The order that a person asks about: the one that may have left, or else the last one that failed.
    pub(crate) fn order_in_question(&self) -> Option<&Order> {
        let failed = self.failed.as_ref().map(|failed| &failed.order);
        self.order.as_ref().filter(|order| order.may_have_left()).or(failed).or(self.order.as_ref())
    }

    /// Whether a failed debit of this loan may turn out to have moved: nothing is under way that comes first.
    pub(crate) fn may_reopen_failed(&self) -> bool {
        let states = [LoanState::Open, LoanState::Collecting, LoanState::CollectionFailed, LoanState::Review];
        let has_left = self.order.as_ref().is_some_and(Order::may_have_left);
        let is_debit = self.failed.as_ref().is_some_and(|failed| failed.order.kind == OrderKind::Debit);
        is_debit && !has_left && states.contains(&self.state)
    }
}

impl LoanStep<'_> {
    /// The lines of the table about an order that failed. Returns whether there is one for the event.
    pub(super) fn carry_out_about_failed(&mut self, event: &Event) -> bool {
        use LoanState as S;
        let may_go_on =
            matches!(self.loan.state, S::Funding | S::Open | S::Collecting | S::CollectionFailed | S::Review);
        match event {
            Event::StillFailed => self.still_failed(),
            Event::FailedDoubted => self.doubt_failed(),
            Event::FailedMoved if may_go_on => self.failed_has_moved(),
            Event::Pending | Event::NoAnswer if may_go_on => self.query_failed_again(),
            Event::Moved if matches!(self.loan.state, S::FundingFailed | S::CollectionFailed) => self.failed_moved(),
            _ => false,
        }
    }

    /// "Failed" does not count before the settling time: the provider's table may be late.
    pub(super) fn reported_failed(&mut self) -> bool {
        match self.ms_since_sent().is_some_and(|since| since < self.plan.settling_ms) {
            true => self.query_again(),
            false => self.not_moved_after_all(),
        }
    }

    /// The provider says once more that the order failed, or does not know it.
    pub(super) fn still_failed(&mut self) -> bool {
        let now = self.now;
        let is_due = self.loan.failed_to_query(now).is_some();
        let is_early = |since: Timestamp| now.milliseconds() - since.milliseconds() < self.plan.settling_ms;
        if self.loan.failed.as_ref().and_then(|failed| failed.doubted_at).is_some_and(is_early) {
            return self.query_failed_again();
        }
        let Some(failed) = self.loan.failed.as_mut().filter(|_| is_due) else { return false };
        failed.confirmed_at = Some(now);
        failed.doubted_at = None;
        let wake = failed.wake_after.take();
        self.loan.wake = match self.loan.state {
            // The planned order leaves at once.
            LoanState::Funding | LoanState::Collecting => Some(now),
            _ => wake,
        };
        true
    }

    /// The provider gave no answer about the failed order that settles it.
    pub(super) fn query_failed_again(&mut self) -> bool {
        if self.loan.failed_to_query(self.now).is_none() {
            return false;
        }
        if matches!(self.loan.state, LoanState::Funding | LoanState::Collecting) {
            return self.again_or(Cause::NotSent);
        }
        let doubted = self.loan.failed.as_ref().and_then(|failed| failed.doubted_at);
        let is_late = |since: Timestamp| self.now.milliseconds() - since.milliseconds() >= self.plan.unknown_ms;
        if doubted.is_some_and(is_late) {
            return self.review(Cause::Unknown);
        }
        self.loan.tries += 1;
        self.loan.wake = Some(self.after(self.plan.requery.after(self.loan.tries)));
        true
    }

    /// The provider says now that the failed order moved. Nothing leaves before a person has decided.
    pub(super) fn failed_has_moved(&mut self) -> bool {
        if self.may_have_left() || self.loan.failed.is_none() {
            return false;
        }
        self.withdraw_planned();
        self.reopen_failed() && self.review(Cause::Contradicted)
    }

    /// The customer paid as much as the failed debit. The provider is queried before the payment is posted.
    pub(super) fn doubt_failed(&mut self) -> bool {
        // After the provider gave no answer for long, a person decides whether to query it again.
        self.loan.may_reopen_failed() && self.loan.cause != Some(Cause::Unknown) && self.start_doubt()
    }

    /// Queries the failed order, and goes on afterwards as if there had been no doubt.
    pub(super) fn start_doubt(&mut self) -> bool {
        let (now, wake) = (self.now, self.loan.wake);
        let Some(failed) = self.loan.failed.as_mut() else { return false };
        failed.confirmed_at = None;
        if failed.doubted_at.is_none() {
            (failed.doubted_at, failed.wake_after) = (Some(now), wake);
        }
        self.loan.wake = Some(now);
        true
    }

    /// A person knows that the failed order moved.
    pub(super) fn failed_moved(&mut self) -> bool {
        if self.may_have_left() {
            return false;
        }
        self.withdraw_planned();
        self.reopen_failed() && self.moved_after_all()
    }

    /// A person knows that the failed order has not moved, after the provider gave no answer about it.
    pub(super) fn failed_not_moved(&mut self) -> bool {
        let now = self.now;
        let Some(failed) = self.loan.failed.as_mut() else { return false };
        if self.loan.cause != Some(Cause::Unknown) || failed.order.kind != OrderKind::Debit {
            return false;
        }
        failed.confirmed_at = Some(now);
        self.retry_or_review()
    }

    pub(super) fn end_doubt(&mut self) {
        if let Some(failed) = &mut self.loan.failed {
            (failed.doubted_at, failed.wake_after) = (None, None);
        }
    }

    /// An order that is planned and has not left does not leave.
    pub(super) fn withdraw_planned(&mut self) {
        if let Some(order) = self.settle(OrderOutcome::Withdrawn)
            && order.kind == OrderKind::Debit
        {
            self.loan.collections = self.loan.collections.saturating_sub(1);
        }
    }

    /// The failed order becomes the order with an open outcome.
    fn reopen_failed(&mut self) -> bool {
        let Some(failed) = self.loan.failed.take() else { return false };
        self.effects.push(Effect::Reopen(failed.order.clone()));
        self.loan.order = Some(failed.order);
        true
    }
}
