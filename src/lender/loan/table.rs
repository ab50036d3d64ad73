//! The table of a loan's life, with its disbursement and its payments: a state and an event give the next state and its
//! effects. Everything that is not in the table is refused.

use super::event::{Effect, Event, Message, OrderOutcome};
use super::failed_order::FailedOrder;
use super::order::{Order, OrderKind, Progress};
use super::plan::{AfterNotFound, At, Plan, moment_after};
use super::state::{Cause, Loan, LoanDecision, LoanState};
use crate::base::time::Timestamp;

/// An event that a loan cannot have in its state. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// The table has no such line.
    #[error("`{event}` is not possible while the loan is `{}`", .state.word())]
    Impossible {
        /// The state.
        state: LoanState,
        /// The event's word.
        event: &'static str,
    },
    /// A transaction of money is under way. The event has to wait for its outcome.
    #[error("`{event}` has to wait for the outcome of a transaction of money")]
    Busy {
        /// The event's word.
        event: &'static str,
    },
}

/// What an event makes of a loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    /// The loan after the event.
    pub(crate) loan: Loan,
    /// What has to be recorded with it.
    pub(crate) effects: Vec<Effect>,
}

/// Looks an event up in the table, for a loan at a moment.
///
/// # Errors
/// If the loan cannot have this event now.
pub(crate) fn step_loan_state(loan: &Loan, event: &Event, at: At<'_>) -> Result<Transition, Refused> {
    let mut step = LoanStep { loan: loan.clone(), effects: Vec::new(), now: at.now, plan: at.plan };
    match step.carry_out(event) {
        true => Ok(Transition { loan: step.loan, effects: step.effects }),
        false if matches!(event, Event::Paid { .. }) && loan.order.is_some() => {
            Err(Refused::Busy { event: event.word() })
        }
        false => Err(Refused::Impossible { state: loan.state, event: event.word() }),
    }
}

/// A loan, on its way through one line of the table.
pub(super) struct LoanStep<'p> {
    pub(super) loan: Loan,
    pub(super) effects: Vec<Effect>,
    pub(super) now: Timestamp,
    pub(super) plan: &'p Plan,
}

impl LoanStep<'_> {
    /// The table. Returns whether it has a line for the event.
    fn carry_out(&mut self, event: &Event) -> bool {
        use Event as E;
        use LoanState as S;
        match (self.loan.state, event) {
            // The offer request.
            (S::Requested, E::Decided { decision, is_answered }) => self.decide(*decision, *is_answered),
            (S::Requested, E::Refer) => self.wait(S::Referred),
            (S::Requested, E::NoAnswer) => self.again_or(Cause::NotFetched),
            (S::Requested, E::Impossible(_)) => self.review(Cause::Undecidable),
            (S::Referred, E::Approved { until }) => self.decide(LoanDecision::Offer { until: *until }, false),
            (S::Referred, E::Disapproved) => self.decide(LoanDecision::Decline, false),
            (S::Answering, E::AnswerTaken) => self.answered(),
            (S::Answering, E::NoAnswer) => self.again_or(Cause::NotAnswered),
            (S::Answering, E::Impossible(_)) => self.review(Cause::AnswerRefused),
            (S::Offered | S::AccountWrong, E::Due) => self.expire(),

            // The acceptance. The provider may have had an answer although its receipt was lost.
            (S::Offered | S::Answering | S::AccountWrong | S::Review, E::Accepted { .. }) => self.accept(event),
            (S::Verifying, E::AcceptanceAnswered) => self.acceptance_answered(),
            (S::Verifying, E::AccountVerified) => self.account_verified(),
            (S::Verifying, E::AccountRefused) => self.account_refused(),
            (S::Verifying, E::NoAnswer) => self.again_or(Cause::NotVerified),

            // The funding.
            (S::Funding | S::Collecting, E::Sending) => self.sending(),
            (S::Funding, E::AskFirst) => self.ask_first(S::FundingUnknown),
            (S::Collecting, E::AskFirst) => self.ask_first(S::CollectionUnknown),
            (S::Funding, E::NotSent) => self.not_sent(),
            (S::Funding, E::Unknown) => self.query(S::FundingUnknown),
            (S::Funding | S::FundingUnknown, E::Moved) => self.funded(),
            (S::Funding | S::FundingUnknown, E::NotMoved) => self.funding_failed(),
            (S::FundingUnknown | S::CollectionUnknown, E::ReportedFailed) => self.reported_failed(),
            (S::FundingUnknown | S::CollectionUnknown, E::Pending | E::NoAnswer) => self.query_again(),
            (S::FundingUnknown, E::NotFound) => self.not_found(S::Funding),
            (S::FundingFailed, E::Retry) => self.plan_funding(),
            (S::FundingFailed, E::Cancel) => self.wait(S::Cancelled),

            // The payments.
            (S::Open | S::CollectionFailed, E::Due) => self.plan_debit(),
            (
                S::Open | S::CollectionFailed | S::Collecting | S::CollectionUnknown | S::Review,
                E::Impossible(Cause::Contradicted),
            ) => self.contradicted(),
            (S::Collecting, E::NotSent) => self.not_sent(),
            (S::Collecting, E::Unknown) => self.query(S::CollectionUnknown),
            (S::Collecting | S::CollectionUnknown, E::Moved) => self.collected(),
            (S::Collecting | S::CollectionUnknown, E::NotMoved) => self.collection_failed(),
            (S::CollectionUnknown, E::NotFound) => self.not_found(S::Collecting),
            (S::Open | S::Closed | S::Overpaid | S::WrittenOff, E::Paid { amount_minor }) => self.paid(*amount_minor),
            (S::Collecting | S::CollectionFailed | S::Review, E::Paid { amount_minor }) => {
                self.paid_meanwhile(*amount_minor)
            }

            // What a person does.
            (S::Overpaid, E::Refunded) => self.refunded(),
            (S::Open | S::CollectionFailed | S::Review, E::WriteOff) => self.write_off(),
            (S::Review, E::Retry) => self.resume(),
            (S::Review, E::Cancel) => self.cancel(),
            (S::Review, E::Disapproved) => self.disapprove(),
            (S::Review, E::Approved { until }) => self.approve(*until),
            (S::Review, E::Moved) => self.moved_after_all(),
            (S::Review, E::NotMoved) => self.not_moved_by_person(),
            (_, E::Restored) => self.restored(),
            (_, E::PayoutReversed { .. }) => self.payout_reversed(),
            (_, E::DebitReversed { amount_minor } | E::PaymentReversed { amount_minor }) => {
                self.payment_reversed(*amount_minor)
            }
            _ => self.carry_out_about_failed(event),
        }
    }

    pub(super) fn enter(&mut self, state: LoanState, wake: Option<Timestamp>) -> bool {
        let loan = &mut self.loan;
        (loan.state, loan.since, loan.wake, loan.tries, loan.cause) = (state, self.now, wake, 0, None);
        loan.is_reply_awaited = false;
        self.end_doubt();
        true
    }

    /// Waits for a person or a customer, or for ever.
    pub(super) fn wait(&mut self, state: LoanState) -> bool {
        self.enter(state, None)
    }

    pub(super) fn enter_now(&mut self, state: LoanState) -> bool {
        self.enter(state, Some(self.now))
    }

    pub(super) fn after(&self, milliseconds: i64) -> Timestamp {
        moment_after(self.now, milliseconds)
    }

    pub(super) fn review(&mut self, cause: Cause) -> bool {
        self.wait(LoanState::Review);
        self.loan.cause = Some(cause);
        self.loan.is_contradicted &= cause != Cause::Contradicted;
        true
    }

    /// Tries the call of this state again later, or gives it up.
    pub(super) fn again_or(&mut self, cause: Cause) -> bool {
        // An order that left before is not given up here: its own limit counts from then on.
        let is_late = self.now.milliseconds() - self.loan.since.milliseconds() >= self.plan.give_up_after_ms;
        if is_late && !self.may_have_left() {
            return self.review(cause);
        }
        self.loan.wake = Some(self.after(self.plan.backoff.after(self.loan.tries)));
        self.loan.tries += 1;
        true
    }

    /// Plans a transaction. It is stored before anything is sent.
    pub(super) fn plan_order(&mut self, kind: OrderKind, instalment: u32, attempt: u32, amount_minor: i64) {
        let ask_first = self.loan.restored_at.is_some_and(|restored| match kind {
            OrderKind::Fund => true,
            OrderKind::Debit => {
                self.loan.next_instalment().is_some_and(|next| self.plan.collect_on(next.due) <= restored)
            }
        });
        let progress = Progress::Planned;
        let order = Order { kind, instalment, attempt, amount_minor, progress, first_sent: None, ask_first };
        self.effects.push(Effect::Plan(order.clone()));
        self.loan.order = Some(order);
    }

    pub(super) fn plan_funding(&mut self) -> bool {
        let Some(amount_minor) = self.loan.terms.as_ref().map(|terms| terms.paid_out_minor) else { return false };
        if self.loan.order.is_some() || self.loan.is_funded() {
            return false;
        }
        self.loan.fundings += 1;
        self.plan_order(OrderKind::Fund, 0, self.loan.fundings, amount_minor);
        self.enter_now(LoanState::Funding)
    }

    pub(super) fn settle(&mut self, outcome: OrderOutcome) -> Option<Order> {
        let order = self.loan.order.take()?;
        self.effects.push(Effect::Settle(order.clone(), outcome));
        match outcome {
            OrderOutcome::Moved => self.loan.failed = None,
            OrderOutcome::NotMoved => self.loan.failed = Some(FailedOrder::new(order.clone())),
            _ => {}
        }
        Some(order)
    }

    fn sending(&mut self) -> bool {
        let now = self.now;
        if self.loan.failed_to_query(now).is_some() {
            return false;
        }
        let is_to_be_sent = |order: &&mut Order| order.progress == Progress::Planned && !order.ask_first;
        let Some(order) = self.loan.order.as_mut().filter(is_to_be_sent) else { return false };
        order.progress = Progress::Sent { at: now };
        order.first_sent.get_or_insert(now);
        self.effects.push(Effect::Settle(order.clone(), OrderOutcome::Sent));
        // Without an outcome, the transaction is queried.
        self.loan.wake = Some(self.after(self.plan.requery.after(0)));
        true
    }

    /// Queries an order as if it had been sent just now: the book may have forgotten that it was.
    fn ask_first(&mut self, state: LoanState) -> bool {
        let now = self.now;
        let is_queried_first = |order: &&mut Order| order.progress == Progress::Planned && order.ask_first;
        let Some(order) = self.loan.order.as_mut().filter(is_queried_first) else { return false };
        (order.progress, order.first_sent) = (Progress::Sent { at: now }, Some(now));
        self.effects.push(Effect::Settle(order.clone(), OrderOutcome::Sent));
        self.enter_now(state)
    }

    /// What was due may have been sent after the backup was made.
    fn restored(&mut self) -> bool {
        if self.loan.state.is_final() {
            return false;
        }
        self.loan.restored_at = Some(self.now);
        // It may have been answered since the backup.
        self.loan.is_reply_awaited = false;
        if let Some(order) = self.loan.order.as_mut().filter(|order| !order.may_have_left()) {
            order.ask_first = true;
        }
        true
    }

    /// A debit that counts as failed was made. Nothing more is collected before a person has looked at it.
    fn contradicted(&mut self) -> bool {
        if self.loan.state == LoanState::Review || self.may_have_left() {
            // The outcome of the order under way comes first.
            self.loan.is_contradicted = true;
            return true;
        }
        self.settle(OrderOutcome::Withdrawn);
        self.review(Cause::Contradicted)
    }

    fn not_sent(&mut self) -> bool {
        let Some(order) = self.loan.order.as_ref().filter(|order| order.sent_at().is_some()) else { return false };
        let is_first = order.first_sent == order.sent_at();
        if !is_first && self.is_overdue() {
            // An earlier one may still be carried out.
            return self.review(Cause::Unknown);
        }
        let Some(order) = self.loan.order.as_mut() else { return false };
        order.progress = Progress::Planned;
        if is_first {
            order.first_sent = None;
        }
        self.effects.push(Effect::Settle(order.clone(), OrderOutcome::Planned));
        if let Some(failed) = &mut self.loan.failed {
            failed.confirmed_at = None;
        }
        if is_first && self.loan.is_contradicted {
            // Nothing is under way any more: a person looks before the next debit.
            self.withdraw_planned();
            return self.review(Cause::Contradicted);
        }
        self.again_or(Cause::NotSent)
    }

    /// Whether the outcome of the order has been unknown for too long.
    fn is_overdue(&self) -> bool {
        let first = self.loan.order.as_ref().and_then(|order| order.first_sent);
        first.is_none_or(|first| self.now.milliseconds() - first.milliseconds() >= self.plan.unknown_ms)
    }

    /// From now on the transaction is only queried.
    fn query(&mut self, state: LoanState) -> bool {
        let is_sent = self.loan.order.as_ref().is_some_and(|order| order.sent_at().is_some());
        is_sent && self.enter(state, Some(self.after(self.plan.requery.after(0))))
    }

    pub(super) fn query_again(&mut self) -> bool {
        self.follow_clock_back();
        if self.is_overdue() {
            return self.review(Cause::Unknown);
        }
        self.loan.tries += 1;
        self.loan.wake = Some(self.after(self.plan.requery.after(self.loan.tries)));
        true
    }

    /// After the clock was set back, the waits of an order that was sent count from now on.
    fn follow_clock_back(&mut self) {
        let now = self.now;
        let Some(order) = self.loan.order.as_mut() else { return };
        if order.sent_at().is_some_and(|sent| sent > now) {
            order.progress = Progress::Sent { at: now };
            order.first_sent = order.first_sent.map(|first| first.min(now));
        }
    }

    pub(super) fn ms_since_sent(&self) -> Option<i64> {
        let sent = self.loan.order.as_ref()?.sent_at()?;
        Some(self.now.milliseconds() - sent.milliseconds())
    }

    /// "Not found" does not count before the settling time: the transaction may be on its way.
    fn not_found(&mut self, send_again: LoanState) -> bool {
        if self.ms_since_sent().is_some_and(|since| since < self.plan.settling_ms) {
            return self.query_again();
        }
        match self.loan.order.as_ref().filter(|order| order.ask_first).map(|order| order.kind) {
            Some(OrderKind::Fund) => return self.send_after_all(send_again),
            // The book may lack payments, so the debit that was made may have had another amount, and another id.
            Some(OrderKind::Debit) => return self.review(Cause::NotFound),
            None => {}
        }
        if self.is_overdue() {
            return self.review(Cause::Unknown);
        }
        match (self.plan.after_not_found, &mut self.loan.order) {
            (AfterNotFound::SendAgain, Some(order)) => {
                order.progress = Progress::Planned;
                self.effects.push(Effect::Settle(order.clone(), OrderOutcome::Planned));
                self.enter_now(send_again)
            }
            _ => self.review(Cause::NotFound),
        }
    }

    /// The provider does not know an order that was queried first: it never left.
    fn send_after_all(&mut self, state: LoanState) -> bool {
        let Some(order) = self.loan.order.as_mut() else { return false };
        (order.progress, order.first_sent, order.ask_first) = (Progress::Planned, None, false);
        self.effects.push(Effect::Settle(order.clone(), OrderOutcome::Planned));
        self.enter_now(state)
    }

    pub(super) fn funded(&mut self) -> bool {
        let Some(terms) = self.loan.terms.clone() else { return false };
        // What is not sent cannot have moved.
        let Some(sent) = self.loan.order.as_ref().and_then(Order::sent_at) else { return false };
        self.settle(OrderOutcome::Moved);
        self.effects.push(Effect::Tell(Message::Funded));
        match terms.instalments(self.plan.day(sent)) {
            Some(instalments) => {
                self.loan.instalments = instalments;
                self.open()
            }
            None => self.review(Cause::NoDueDate),
        }
    }

    pub(super) fn funding_failed(&mut self) -> bool {
        self.is_sent() && self.settle(OrderOutcome::NotMoved).is_some() && self.wait(LoanState::FundingFailed)
    }

    pub(super) fn may_have_left(&self) -> bool {
        self.loan.order.as_ref().is_some_and(Order::may_have_left)
    }

    pub(super) fn is_sent(&self) -> bool {
        self.loan.order.as_ref().is_some_and(|order| order.sent_at().is_some())
    }

    /// Waits for the next payment, or is at an end.
    pub(super) fn open(&mut self) -> bool {
        self.loan.collections = 0;
        if self.loan.is_contradicted {
            return self.review(Cause::Contradicted);
        }
        let next = self.loan.next_instalment().map(|instalment| instalment.due);
        match (next, self.loan.overpaid_minor) {
            (Some(due), _) => self.enter(LoanState::Open, Some(self.plan.collect_on(due))),
            (None, 1..) => self.close(LoanState::Overpaid),
            (None, _) => self.close(LoanState::Closed),
        }
    }

    fn close(&mut self, state: LoanState) -> bool {
        if !matches!(self.loan.state, LoanState::Closed | LoanState::Overpaid) {
            self.effects.push(Effect::Tell(Message::Closed));
        }
        self.wait(state)
    }

    /// Goes on where the loan stopped.
    fn resume(&mut self) -> bool {
        let sent = self.is_sent();
        match (self.loan.cause, self.loan.order.as_ref().map(|order| order.kind)) {
            (Some(Cause::Undecidable | Cause::NotFetched), None) => self.enter_now(LoanState::Requested),
            (Some(Cause::AnswerRefused | Cause::NotAnswered), None) => self.enter_now(LoanState::Answering),
            (Some(Cause::NotVerified), None) => self.enter_now(LoanState::Verifying),
            // What may have left is only queried.
            (_, Some(OrderKind::Fund)) if sent => self.enter_now(LoanState::FundingUnknown),
            (_, Some(OrderKind::Debit)) if sent => self.enter_now(LoanState::CollectionUnknown),
            (_, Some(OrderKind::Fund)) => self.enter_now(LoanState::Funding),
            // A person looks at a contradiction before the next debit.
            (_, Some(OrderKind::Debit)) if self.loan.is_contradicted && !self.may_have_left() => {
                self.withdraw_planned();
                self.review(Cause::Contradicted)
            }
            (_, Some(OrderKind::Debit)) => self.enter_now(LoanState::Collecting),
            (Some(Cause::NotCollected | Cause::Contradicted | Cause::Reversed), None) => self.open(),
            (Some(Cause::Unknown), None) => self.start_doubt(),
            _ => false,
        }
    }

    fn cancel(&mut self) -> bool {
        if self.may_have_left() || self.loan.is_funded() || self.loan.cause == Some(Cause::NoDueDate) {
            return false;
        }
        self.settle(OrderOutcome::Withdrawn);
        self.wait(LoanState::Cancelled)
    }
}
