//! What is owed and paid: debits that are due, payments that customers make, and what a person does about either.

use super::event::{Effect, Message, OrderOutcome};
use super::order::OrderKind;
use super::plan::Plan;
use super::state::{Cause, LoanState};
use super::table::LoanStep;

impl LoanStep<'_> {
    /// Collects the oldest payment that is due. After a failed try perhaps only a part of it.
    pub(super) fn plan_debit(&mut self) -> bool {
        let (now, plan, tried) = (self.now, self.plan, self.loan.collections);
        let part_allowed = self.loan.terms.as_ref().is_some_and(|terms| terms.is_part_payment_allowed);
        if self.loan.order.is_some() {
            return false;
        }
        let Some(next) = self.loan.instalments.iter_mut().find(|instalment| instalment.owed_minor() > 0) else {
            return false;
        };
        let due = plan.collect_on(next.due);
        if now < due {
            return self.enter(LoanState::Open, Some(due));
        }
        let percent = plan.retry_after(tried).filter(|_| part_allowed).map_or(100, |retry| retry.percent);
        next.attempts += 1;
        let attempt = self.loan.debits_before + next.attempts;
        let (number, amount_minor) = (next.number, Plan::share(next.owed_minor(), percent));
        self.loan.collections += 1;
        self.plan_order(OrderKind::Debit, number, attempt, amount_minor);
        self.enter_now(LoanState::Collecting)
    }

    pub(super) fn collected(&mut self) -> bool {
        if !self.is_sent() {
            return false;
        }
        let Some(order) = self.settle(OrderOutcome::Moved) else { return false };
        self.loan.post(order.amount_minor);
        let is_part = self.loan.next_instalment().is_some_and(|next| next.number == order.instalment);
        match is_part {
            // The rest of the payment is collected by the further tries.
            true => self.retry_or_review(),
            false => self.open(),
        }
    }

    pub(super) fn collection_failed(&mut self) -> bool {
        if !self.is_sent() || self.settle(OrderOutcome::NotMoved).is_none() {
            return false;
        }
        if self.is_current_owed() {
            self.effects.push(Effect::Tell(Message::NotCollected));
        }
        self.retry_or_review()
    }

    pub(super) fn retry_or_review(&mut self) -> bool {
        if self.loan.collections == 0 {
            // The current payment was not tried yet.
            return self.open();
        }
        match self.plan.retry_after(self.loan.collections) {
            _ if self.loan.is_contradicted => self.review(Cause::Contradicted),
            Some(retry) => self.enter(LoanState::CollectionFailed, Some(self.after(retry.after_ms))),
            None => self.review(Cause::NotCollected),
        }
    }

    pub(super) fn paid(&mut self, amount_minor: i64) -> bool {
        if amount_minor <= 0 || self.loan.order.is_some() || !self.loan.is_funded() {
            return false;
        }
        self.loan.post(amount_minor);
        match self.loan.state {
            LoanState::WrittenOff if self.loan.owed_minor() > 0 => true,
            LoanState::CollectionFailed | LoanState::Review if self.is_current_owed() => true,
            _ => self.open(),
        }
    }

    /// Whether a payment that was tried already is still owed.
    pub(super) fn is_current_owed(&self) -> bool {
        self.loan.next_instalment().is_some_and(|next| self.plan.collect_on(next.due) <= self.now)
    }

    /// A payment that comes before the debit is sent makes the debit needless. One that comes after has to wait.
    pub(super) fn paid_meanwhile(&mut self, amount_minor: i64) -> bool {
        if amount_minor <= 0 || self.may_have_left() || !self.loan.is_funded() {
            return false;
        }
        let (is_contradicted, is_withdrawn) =
            (self.loan.is_contradicted, self.settle(OrderOutcome::Withdrawn).is_some());
        self.paid(amount_minor)
            && match (is_withdrawn, is_contradicted) {
                (false, _) => true,
                (true, true) => self.review(Cause::Contradicted),
                (true, false) => self.open(),
            }
    }

    pub(super) fn refunded(&mut self) -> bool {
        self.loan.overpaid_minor = 0;
        self.wait(LoanState::Closed)
    }

    pub(super) fn write_off(&mut self) -> bool {
        if self.may_have_left() || !self.loan.is_funded() {
            return false;
        }
        self.settle(OrderOutcome::Withdrawn);
        self.wait(LoanState::WrittenOff)
    }
}
