//! What those outside do in a world: the provider, customers, persons, and processes that were taken for dead. Knows
//! nothing of when.

use super::{HOUR, MINUTE, NoVault, Outer, Subject, World, build_offer};
use crate::base::time::{DAY, Timestamp};
use crate::lender::loan::{Cause, Event, Instalment, LoanDecision, LoanState, OrderKind, OrderOutcome};
use crate::lender::loan_book::{
    AcceptedLoan, Actor, BookError, Claimed, Facts, NewAcceptance, NewDecision, NewRequest, OfferRow, Person,
    RecordedRequest, Reversal,
};
use crate::lender::runner::Private;
use crate::lender::runner::call::{Call, CallOutcome, TransactionQuery};
use crate::lender::runner::steps::{BegunStep, begin_step, finish_step};
use crate::lender::simulation::outside::{Fate, Ordered};
use crate::provider::wire::lender::Payment;

impl World {
    /// A call to the world outside.
    pub(super) fn make_call(&mut self, call: &Call) -> CallOutcome {
        let odds = if self.is_faulty() { self.draw.below(100) } else { 99 };
        match call {
            Call::Decide(request) => self.decide(&request.reference, odds),
            Call::Answer(_) => match odds {
                0..10 => CallOutcome::new(Event::NoAnswer),
                10..13 => CallOutcome::new(Event::Impossible(Cause::AnswerRefused)),
                _ => CallOutcome::new(Event::AnswerTaken),
            },
            Call::Verify(_) => match odds {
                0..10 => CallOutcome::new(Event::NoAnswer),
                10..20 => CallOutcome::new(Event::AccountRefused),
                _ => CallOutcome::new(Event::AccountVerified),
            },
            Call::Move(transfer) => {
                // Some accounts are empty for a long time.
                let is_empty = transfer.kind == OrderKind::Debit && transfer.customer_id.ends_with('7');
                let fate = match odds {
                    0..80 if is_empty => Fate::Refused,
                    0..50 => Fate::ALL[self.draw.index(Fate::ALL.len())],
                    _ => Fate::Done,
                };
                let ordered = self.outside.receive_order(transfer, fate, self.now, &mut self.draw);
                let Ordered { outcome, notifications } = ordered;
                for notification in notifications {
                    self.later(notification.at - self.now, Outer::Notify(notification.payment));
                }
                outcome
            }
            Call::Query(TransactionQuery { transaction_id, .. }) => match odds {
                0..20 => CallOutcome::new(Event::NoAnswer),
                _ => self.outside.answer_query(transaction_id, self.now, odds < 60),
            },
            Call::QueryFailed(TransactionQuery { transaction_id, .. }) => match odds {
                0..20 => CallOutcome::new(Event::NoAnswer),
                _ => self.outside.answer_query(transaction_id, self.now, odds < 60).about_failed(),
            },
        }
    }

    fn decide(&mut self, reference: &str, odds: u64) -> CallOutcome {
        let event = match odds {
            0..5 => return CallOutcome::new(Event::NoAnswer),
            5..8 => return CallOutcome::new(Event::Impossible(Cause::Undecidable)),
            8..15 => Event::Decided { decision: LoanDecision::Decline, is_answered: false },
            15..20 => Event::Refer,
            _ => Event::Decided { decision: LoanDecision::Offer { until: self.until() }, is_answered: false },
        };
        let offers = match &event {
            Event::Decided { decision: LoanDecision::Offer { .. }, .. } | Event::Refer => self.offers(reference),
            _ => vec![],
        };
        let decision = NewDecision {
            outcome: event.word().to_owned(),
            policy: [String::new(), String::new(), String::new()],
            record: None,
            offers,
        };
        CallOutcome { event, facts: Facts { decision: Some(decision), ..Facts::default() } }
    }

    fn until(&self) -> Timestamp {
        self.plan.later(self.clock(), 7 * DAY)
    }

    fn offers(&mut self, reference: &str) -> Vec<OfferRow> {
        let (count, until) = (self.draw.range(1, 2), self.until());
        (0..count)
            .map(|place| {
                let payments = self.draw.range(1, 4);
                let each = self.draw.range(1, 50_000);
                build_offer(&format!("{reference}-{place}"), payments, each, self.draw.chance(500), until)
            })
            .collect()
    }

    pub(super) fn carry_out_outer(&mut self, what: Outer) -> Result<(), BookError> {
        self.trace(&format!("{what:?}"));
        let again = what.clone();
        let done = match what {
            Outer::Request(subject) => self.request(subject),
            Outer::Accept { subject, offer, reference, account } => self.accept(subject, offer, reference, account),
            Outer::Notify(payment) => self.notify(&payment),
            Outer::Pay(subject) => self.pay(subject),
            Outer::Reverse(subject) => self.reverse(subject),
            Outer::Person(subject) => self.person(subject),
            Outer::Zombie(claimed) => return self.zombie(&claimed),
            Outer::Jump(by) => {
                self.skew = by;
                return Ok(());
            }
        };
        // Without an answer the same comes again.
        if done.is_err() {
            let wait = self.draw.range(1_000, 10 * MINUTE);
            self.later(wait, again);
        }
        done
    }

    fn request(&mut self, subject: usize) -> Result<(), BookError> {
        let Subject { reference, customer_id, .. } = &self.subjects[subject];
        let request = NewRequest {
            reference: reference.clone(),
            customer_id: customer_id.clone(),
            request: serde_json::json!({}),
            fingerprint: customer_id.clone(),
        };
        for offer in 0..self.draw.below(3) {
            let wait = self.draw.range(MINUTE, 9 * DAY);
            let (reference, account) = (subject as u64 * 10 + self.draw.below(2), self.draw.below(2));
            let offer = usize::try_from(offer).unwrap_or(0);
            self.later(wait, Outer::Accept { subject, offer, reference, account });
        }
        if let RecordedRequest::New(claimed) = self.book.record_request(&request, self.instance, self.clock())? {
            if self.draw.chance(500) {
                return self.step(&claimed);
            }
            let call = Call::decide(&claimed.row);
            let mut outcome = self.make_call(&call);
            if let Event::Decided { is_answered, .. } = &mut outcome.event {
                *is_answered = true;
            }
            let row = finish_step(&self.book, &claimed, &outcome, self.at())?;
            self.look_at(&row)?;
        }
        Ok(())
    }

    fn accept(&mut self, subject: usize, offer: usize, reference: u64, account: u64) -> Result<(), BookError> {
        let Subject { reference: request, customer_id, .. } = &self.subjects[subject];
        let loan_reference_id = format!("LR-{reference}");
        let private =
            Private { account_number: account.to_string(), bank_code: "1".to_owned(), msisdn: Some("234".to_owned()) };
        let acceptance = NewAcceptance {
            offer_id: format!("{request}-{offer}"),
            customer_id: customer_id.clone(),
            private: private.seal(&NoVault, &loan_reference_id).ok(),
            loan_reference_id,
            loan_id: None,
            fingerprint: format!("{offer} {account}"),
            loans_max: 1,
            verified_by: self.draw.chance(500).then_some(self.instance),
        };
        if self.draw.chance(300) {
            let wait = self.draw.range(0, HOUR);
            self.later(wait, Outer::Accept { subject, offer, reference, account });
        }
        let accepted = match self.accept_and_verify(&acceptance) {
            Ok(accepted) => accepted,
            Err(BookError::Conflict(_) | BookError::NotFound(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        self.trace(&format!("accepted {}", accepted.loan_id));
        if accepted.is_new {
            if self.draw.chance(100) {
                let wait = self.draw.range(0, 100 * DAY);
                self.later(wait, Outer::Reverse(subject));
            }
            for _ in 0..self.draw.below(3) {
                let wait = self.draw.range(0, 100 * DAY);
                self.later(wait, Outer::Pay(subject));
            }
        }
        self.subjects[subject].promised.insert(accepted.loan_id);
        Ok(())
    }

    /// Some replies wait for the account's verification, and some of them are given before its end.
    fn accept_and_verify(&mut self, acceptance: &NewAcceptance) -> Result<AcceptedLoan, BookError> {
        let mut accepted = self.book.accept_offer(acceptance, self.at())?;
        if !accepted.is_reply_awaited {
            return Ok(accepted);
        }
        let is_late = self.draw.chance(300);
        if is_late {
            self.book.answer_acceptance(acceptance, self.at())?;
        }
        if let Some(claimed) = accepted.claimed.take() {
            self.step(&claimed)?;
        }
        if !is_late {
            self.book.answer_acceptance(acceptance, self.at())?;
        }
        Ok(accepted)
    }

    /// The customer pays by themselves, if the provider knows the loan; it notifies once, or more often.
    fn pay(&mut self, subject: usize) -> Result<(), BookError> {
        let Some(loan_id) = self.subjects[subject].promised.first().cloned() else { return Ok(()) };
        let amount_minor = self.amount_of_payment(subject)?;
        let payment_ref = format!("PAY-{}", self.counter);
        let stranger = self.draw.chance(50);
        let customer_id = if stranger { "C-x".to_owned() } else { self.subjects[subject].customer_id.clone() };
        let payment = Payment { payment_ref: payment_ref.clone(), loan_id, customer_id, amount_minor };
        self.outside.payments.insert(payment_ref, payment.clone());
        for _ in 0..self.draw.range(1, 4) {
            let wait = self.draw.range(0, DAY);
            self.later(wait, Outer::Notify(payment.clone()));
        }
        Ok(())
    }

    /// Some customers pay just what a debit collects.
    fn amount_of_payment(&mut self, subject: usize) -> Result<i64, BookError> {
        let (any, is_whole) = (self.draw.range(1, 60_000), self.draw.chance(300));
        let row = self.book.find_loan(&self.subjects[subject].reference)?.filter(|_| is_whole);
        Ok(row.and_then(|row| row.loan.next_instalment().map(Instalment::owed_minor)).unwrap_or(any))
    }

    fn notify(&mut self, payment: &Payment) -> Result<(), BookError> {
        match self.book.record_payment(payment, self.at()) {
            Ok(notified) => {
                self.outside.delivered.insert(payment.payment_ref.clone());
                match notified.loan {
                    Some(row) => self.look_at(&row),
                    None => Ok(()),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// The provider takes back what it carried out, and a person records it.
    fn reverse(&mut self, subject: usize) -> Result<(), BookError> {
        let reference = self.subjects[subject].reference.clone();
        let Some(row) = self.book.find_loan(&reference)? else { return Ok(()) };
        let mut moved = self.book.list_orders(row.id)?;
        moved.retain(|order| order.outcome == OrderOutcome::Moved);
        if moved.is_empty() {
            return Ok(());
        }
        let order = &moved[self.draw.index(moved.len())];
        let reversal = match order.kind {
            OrderKind::Fund => Reversal::Payout,
            OrderKind::Debit => Reversal::Debit(order.transaction_id.clone()),
        };
        let actor = Actor::Person(Person { name: "ada".to_owned(), note: "by letter".to_owned() });
        self.outside.reversed.insert(order.transaction_id.clone());
        match self.book.record_reversal(&row, &reversal, &actor, self.at()) {
            Ok(row) => self.look_at(&row),
            // Not possible now: it is not taken back in this world.
            Err(BookError::Refused(_) | BookError::Conflict(_)) => {
                self.outside.reversed.remove(&order.transaction_id);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// A person decides, by what they learn from the provider.
    fn person(&mut self, subject: usize) -> Result<(), BookError> {
        let reference = self.subjects[subject].reference.clone();
        let Some(row) = self.book.find_loan(&reference)? else { return Ok(()) };
        self.subjects[subject].is_person_called = false;
        let order = self.book.questioned_transaction_id(&row)?;
        // Whoever sends money again waits until the provider's word is sure.
        let sure = order.as_deref().and_then(|order| self.outside.says_failed_until(order)).unwrap_or(self.now);
        if sure > self.now {
            self.later(sure - self.now, Outer::Person(subject));
            self.subjects[subject].is_person_called = true;
            return Ok(());
        }
        let event = match (row.loan.state, order) {
            (LoanState::Referred, _) if self.draw.chance(500) => Event::Approved { until: self.until() },
            (LoanState::Referred, _) => Event::Disapproved,
            (LoanState::Overpaid, _) => Event::Refunded,
            (LoanState::FundingFailed, Some(order)) if self.outside.moves(&order) => match self.draw.chance(500) {
                true => Event::Moved,
                false => Event::Retry,
            },
            (LoanState::FundingFailed, _) if self.draw.chance(700) => Event::Retry,
            (LoanState::FundingFailed, _) => Event::Cancel,
            (LoanState::Review, Some(order)) if self.draw.chance(500) => match self.outside.moves(&order) {
                true => Event::Moved,
                false => Event::NotMoved,
            },
            (LoanState::Review, _) => {
                let choices = [Event::Retry, Event::Retry, Event::Cancel, Event::WriteOff, Event::Disapproved];
                choices[self.draw.index(choices.len())].clone()
            }
            _ => return Ok(()),
        };
        let actor = Actor::Person(Person { name: "ada".to_owned(), note: "looked".to_owned() });
        match self.book.decide_loan(row.id, &event, &Facts::default(), &actor, self.at()) {
            Ok(row) => self.look_at(&row),
            // Not possible now: the person looks again.
            Err(BookError::Refused(_) | BookError::Conflict(_)) => self.look_at(&row),
            Err(error) => {
                self.subjects[subject].is_person_called = true;
                Err(error)
            }
        }
    }

    /// A process that was taken for dead goes on where it was: nothing it does may count.
    fn zombie(&mut self, claimed: &Claimed) -> Result<(), BookError> {
        let outcome = CallOutcome::new(Event::Moved);
        let done = match self.draw.chance(500) {
            true => finish_step(&self.book, claimed, &outcome, self.at()).map(drop),
            false => begin_step(&self.book, &NoVault, claimed, self.at()).map(|begun| {
                if let BegunStep::Call(call) = begun
                    && let Call::Move(_) = *call
                {
                    self.violation("a process that was taken for dead sends money".to_owned());
                }
            }),
        };
        match done {
            Ok(()) | Err(BookError::Lost) => Ok(()),
            Err(error @ BookError::Store(_)) => Err(error),
            Err(error) => {
                self.violation(format!("a process that was taken for dead is not refused: {error}"));
                Ok(())
            }
        }
    }
}
