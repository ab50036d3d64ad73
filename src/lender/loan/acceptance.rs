//! A loan from the decision to an accepted offer: the answer, the acceptance, the account, what a person decides.
//! Knows nothing of money that moves.

use super::event::{Effect, Event, Message};
use super::state::{Cause, LoanDecision, LoanState};
use super::table::LoanStep;
use crate::base::time::Timestamp;

impl LoanStep<'_> {
    pub(super) fn decide(&mut self, decision: LoanDecision, is_answered: bool) -> bool {
        self.loan.decision = Some(decision);
        match is_answered {
            true => self.answered(),
            false => self.enter_now(LoanState::Answering),
        }
    }

    pub(super) fn answered(&mut self) -> bool {
        match self.loan.decision {
            Some(LoanDecision::Offer { until }) => self.enter(LoanState::Offered, Some(until)),
            Some(LoanDecision::Decline) => self.wait(LoanState::Declined),
            None => false,
        }
    }

    /// The offer must be valid, and the loan must not be on its way already.
    pub(super) fn accept(&mut self, event: &Event) -> bool {
        let Event::Accepted { terms, is_reply_awaited } = event else { return false };
        let is_valid = matches!(self.loan.decision, Some(LoanDecision::Offer { until }) if self.now < until);
        let may_be = match self.loan.state {
            LoanState::Review => {
                matches!(self.loan.cause, Some(Cause::AnswerRefused | Cause::NotAnswered)) && self.loan.order.is_none()
            }
            _ => true,
        };
        let has_due_dates = terms.instalments(self.plan.day(self.now)).is_some_and(|all| !all.is_empty());
        if !may_be || !is_valid || terms.paid_out_minor <= 0 || !has_due_dates {
            return false;
        }
        self.loan.terms = Some(terms.clone());
        self.enter_now(LoanState::Verifying);
        self.loan.is_reply_awaited = *is_reply_awaited;
        true
    }

    /// The provider has heard that the offer is accepted: what becomes of the account is told by message.
    pub(super) fn acceptance_answered(&mut self) -> bool {
        std::mem::take(&mut self.loan.is_reply_awaited)
    }

    /// A loan may be woken early.
    pub(super) fn expire(&mut self) -> bool {
        match self.loan.decision {
            Some(LoanDecision::Offer { until }) if self.now < until => {
                self.loan.wake = Some(until);
                true
            }
            _ => self.wait(LoanState::Expired),
        }
    }

    /// The provider has to know the loan before the customer is credited, and learns of it by the reply.
    pub(super) fn account_verified(&mut self) -> bool {
        let wait_ms = if self.loan.is_reply_awaited { self.plan.fund_after_ms } else { 0 };
        let is_planned = self.plan_funding();
        if is_planned {
            self.loan.wake = Some(self.after(wait_ms));
        }
        is_planned
    }

    pub(super) fn account_refused(&mut self) -> bool {
        let Some(LoanDecision::Offer { until }) = self.loan.decision else { return false };
        if self.loan.is_reply_awaited {
            self.loan.terms = None;
            self.effects.push(Effect::RefuseAcceptance);
        } else {
            self.effects.push(Effect::Tell(Message::AccountRefused));
        }
        self.enter(LoanState::AccountWrong, Some(until))
    }

    pub(super) fn disapprove(&mut self) -> bool {
        matches!(self.loan.cause, Some(Cause::Undecidable | Cause::NotFetched))
            && self.decide(LoanDecision::Decline, false)
    }

    pub(super) fn approve(&mut self, until: Timestamp) -> bool {
        let decision = LoanDecision::Offer { until };
        matches!(self.loan.cause, Some(Cause::Undecidable | Cause::NotFetched)) && self.decide(decision, false)
    }
}
