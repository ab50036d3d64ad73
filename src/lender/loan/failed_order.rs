//! The last order that failed by the provider's word. That word may still change: before another order leaves, the
//! provider is queried once more, and if it contradicts itself a person decides. Knows nothing of how it is queried.

use serde::{Deserialize, Serialize};

use super::event::{Effect, Event, OrderOutcome};
use super::order::{Order, OrderKind};
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
    /// Whether a person said that it failed. Then the provider is not queried about it any more.
    #[serde(default)]
    pub(crate) is_sure: bool,
}

impl FailedOrder {
    /// An order that has just failed.
    pub(crate) fn new(order: Order) -> FailedOrder {
        // Its outcome was known: it is not queried first again.
        let order = Order { ask_first: false, ..order };
        FailedOrder { order, confirmed_at: None, doubted_at: None, wake_after: None, is_sure: false }
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
        let failed = self.failed.as_ref().filter(|failed| !failed.is_sure)?;
        let is_due = match self.state {
            LoanState::Funding | LoanState::Collecting => {
                self.order.as_ref().is_some_and(|order| !order.may_have_left()) && !failed.is_confirmed(now)
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
        let is_open_debit = |failed: &FailedOrder| failed.order.kind == OrderKind::Debit && !failed.is_sure;
        let is_debit = self.failed.as_ref().is_some_and(is_open_debit);
        is_debit && !has_left && states.contains(&self.state)
    }
}

impl LoanStep<'_> {
    /// The lines of the table about an order that failed. Returns whether there is one for the event.
    pub(super) fn carry_out_about_failed(&mut self, event: &Event) -> bool {
        use LoanState as S;
        let may_go_on =
            matches!(self.loan.state, S::Funding | S::Open | S::Collecting | S::CollectionFailed | S::Review);
        // Nothing is under way: only an order that failed can have moved.
        let is_settled =
            matches!(self.loan.state, S::FundingFailed | S::CollectionFailed | S::Open | S::Closed | S::Overpaid);
        match event {
            Event::StillFailed => self.still_failed(),
            Event::FailedDoubted => self.doubt_failed(),
            Event::FailedMoved if may_go_on => self.failed_has_moved(),
            Event::Pending | Event::NoAnswer if may_go_on => self.query_failed_again(),
            Event::Moved if is_settled => self.moved_after_all(),
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
        self.follow_clock_back_in_doubt();
        let is_due = self.loan.failed_to_query(now).is_some();
        let is_early = |since: Timestamp| now.milliseconds() - since.milliseconds() < self.plan.settling_ms;
        if self.loan.failed.as_ref().and_then(|failed| failed.doubted_at).is_some_and(is_early) {
            return self.query_failed_again();
        }
        let Some(failed) = self.loan.failed.as_mut().filter(|_| is_due) else { return false };
        failed.confirmed_at = Some(now);
        failed.doubted_at = None;
        let wake = failed.wake_after.take();
        match (self.loan.state, self.loan.cause) {
            // The planned order leaves at once.
            (LoanState::Funding | LoanState::Collecting, _) => self.loan.wake = Some(now),
            // What a person was to find out is known.
            (LoanState::Review, Some(Cause::Unknown)) if self.loan.order.is_none() => return self.retry_or_review(),
            _ => self.loan.wake = wake,
        }
        true
    }

    /// The provider gave no answer about the failed order that settles it.
    pub(super) fn query_failed_again(&mut self) -> bool {
        self.follow_clock_back_in_doubt();
        if self.loan.failed_to_query(self.now).is_none() {
            return false;
        }
        if matches!(self.loan.state, LoanState::Funding | LoanState::Collecting) {
            return self.again_or(Cause::NotSent);
        }
        let doubted = self.loan.failed.as_ref().and_then(|failed| failed.doubted_at);
        let is_late = |since: Timestamp| self.now.milliseconds() - since.milliseconds() >= self.plan.unknown_ms;
        if doubted.is_some_and(is_late) {
            // What a person was to look at stays to be looked at.
            self.loan.is_contradicted |= matches!(self.loan.cause, Some(Cause::Contradicted | Cause::Reversed));
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
        // A doubt that goes on keeps the wait until its next question.
        if failed.doubted_at.is_none() {
            (failed.confirmed_at, failed.doubted_at, failed.wake_after) = (None, Some(now), wake);
            self.loan.wake = Some(now);
        }
        true
    }

    /// After the clock was set back, a doubt lasts from now on.
    fn follow_clock_back_in_doubt(&mut self) {
        let now = self.now;
        if let Some(failed) = &mut self.loan.failed {
            failed.doubted_at = failed.doubted_at.map(|since| since.min(now));
        }
    }

    /// The order in question has moved: the one that may have left, or else the last one that failed.
    pub(super) fn moved_after_all(&mut self) -> bool {
        if !self.may_have_left() {
            self.withdraw_planned();
            if !self.reopen_failed() {
                return false;
            }
        }
        match self.loan.order.as_ref().map(|order| order.kind) {
            Some(OrderKind::Fund) => self.funded(),
            Some(OrderKind::Debit) => self.collected(),
            None => false,
        }
    }

    /// The order that may have left has not moved.
    fn not_moved_after_all(&mut self) -> bool {
        match self.loan.order.as_ref().map(|order| order.kind) {
            Some(OrderKind::Fund) => self.funding_failed(),
            Some(OrderKind::Debit) => self.collection_failed(),
            None => false,
        }
    }

    /// A person knows that the order in question has not moved.
    pub(super) fn not_moved_by_person(&mut self) -> bool {
        if !self.may_have_left() {
            return self.failed_not_moved();
        }
        let order = self.loan.order.as_ref();
        if order.is_some_and(|order| order.ask_first && order.kind == OrderKind::Debit) {
            // The person has compared the restored book: no debit that was due before then is queried first any more.
            self.loan.restored_at = None;
        }
        let is_settled = self.not_moved_after_all();
        if let Some(failed) = &mut self.loan.failed {
            failed.is_sure = true;
        }
        is_settled
    }

    /// A person knows that the failed order has not moved, after the provider gave no answer about it. An order that
    /// was planned since is planned anew by the next try.
    fn failed_not_moved(&mut self) -> bool {
        let is_asked_in_vain = self.loan.order.is_some() || self.loan.cause == Some(Cause::Unknown);
        if self.may_have_left() || !is_asked_in_vain {
            return false;
        }
        let Some(failed) = self.loan.failed.as_mut() else { return false };
        failed.is_sure = true;
        let kind = failed.order.kind;
        self.withdraw_planned();
        match kind {
            OrderKind::Fund => self.wait(LoanState::FundingFailed),
            OrderKind::Debit => self.retry_or_review(),
        }
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
