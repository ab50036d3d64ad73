//! What those outside do in a world: the provider, customers, persons, and processes that were taken for dead. Knows
//! nothing of when.

use super::{HOUR, MINUTE, NoVault, Outer, Subject, World, offer};
use crate::base::time::{DAY, Timestamp};
use crate::lender::loan::{Cause, Event, Kind, State, Verdict};
use crate::lender::loan_book::{
    Acceptance, Actor, BookError, Claimed, Decided, Facts, NewRequest, OfferRow, Requested,
};
use crate::lender::runner::{Begun, Call, Heard, Private, begin, finish};
use crate::lender::simulation::outside::{Fate, Note};
use crate::provider::wire::lender::Payment;

impl World {
    /// A call to the world outside.
    pub(super) fn make(&mut self, call: &Call) -> Heard {
        let odds = if self.is_faulty() { self.draw.below(100) } else { 99 };
        match call {
            Call::Decide { reference, .. } => self.decide(reference, odds),
            Call::Answer { .. } => match odds {
                0..10 => Heard::event(Event::NoAnswer),
                10..13 => Heard::event(Event::Impossible(Cause::AnswerRefused)),
                _ => Heard::event(Event::AnswerTaken),
            },
            Call::Verify { .. } => match odds {
                0..10 => Heard::event(Event::NoAnswer),
                10..20 => Heard::event(Event::AccountRefused),
                _ => Heard::event(Event::AccountVerified),
            },
            Call::Move(money) => {
                // Some accounts are empty for a long time.
                let is_empty = money.kind == Kind::Debit && money.customer_id.ends_with('7');
                let fate = match odds {
                    0..80 if is_empty => Fate::Refused,
                    0..50 => Fate::ALL[self.draw.index(Fate::ALL.len())],
                    _ => Fate::Done,
                };
                let (heard, notes) = self.outside.order(money, fate, self.now, &mut self.draw);
                for (at, note) in notes {
                    self.later(at - self.now, Outer::Notify(note));
                }
                heard
            }
            Call::Ask { transaction_id, .. } => match odds {
                0..20 => Heard::event(Event::NoAnswer),
                _ => self.outside.ask(transaction_id, self.now, odds < 60),
            },
        }
    }

    fn decide(&mut self, reference: &str, odds: u64) -> Heard {
        let event = match odds {
            0..5 => return Heard::event(Event::NoAnswer),
            5..8 => return Heard::event(Event::Impossible(Cause::Undecidable)),
            8..15 => Event::Decided { verdict: Verdict::Decline, is_answered: false },
            15..20 => Event::Refer,
            _ => Event::Decided { verdict: Verdict::Offer { until: self.until() }, is_answered: false },
        };
        let offers = match &event {
            Event::Decided { verdict: Verdict::Offer { .. }, .. } | Event::Refer => self.offers(reference),
            _ => vec![],
        };
        let decision = Decided {
            outcome: event.word().to_owned(),
            policy: [String::new(), String::new(), String::new()],
            record: None,
            offers,
        };
        Heard { event, facts: Facts { decision: Some(decision), ..Facts::default() } }
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
                offer(&format!("{reference}-{place}"), (payments, each), self.draw.chance(500), until)
            })
            .collect()
    }

    pub(super) fn outer(&mut self, what: Outer) -> Result<(), BookError> {
        self.trace(&format!("{what:?}"));
        let again = what.clone();
        let done = match what {
            Outer::Request(subject) => self.request(subject),
            Outer::Accept { subject, offer, reference, account } => self.accept(subject, offer, reference, account),
            Outer::Notify(note) => self.notify(&note),
            Outer::Pay(subject) => self.pay(subject),
            Outer::Person(subject) => self.person(subject),
            Outer::Zombie(claimed) => return self.zombie(&claimed),
            Outer::Jump(by) => {
                self.skew = by;
                return Ok(());
            }
        };
        // Whoever gets no answer asks again.
        if done.is_err() {
            let wait = self.draw.range(1_000, 10 * MINUTE);
            self.later(wait, again);
        }
        done
    }

    fn request(&mut self, subject: usize) -> Result<(), BookError> {
        let Subject { reference, customer_id, .. } = &self.subjects[subject];
        let asked = NewRequest {
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
        if let Requested::New(claimed) = self.book.request(&asked, self.instance, self.clock())? {
            if self.draw.chance(500) {
                return self.step(&claimed);
            }
            let call = Call::decide(&claimed.row);
            let mut heard = self.make(&call);
            if let Event::Decided { is_answered, .. } = &mut heard.event {
                *is_answered = true;
            }
            let row = finish(&self.book, &claimed, &heard, (self.clock(), &self.plan))?;
            self.look_at(&row)?;
        }
        Ok(())
    }

    fn accept(&mut self, subject: usize, offer: usize, reference: u64, account: u64) -> Result<(), BookError> {
        let Subject { reference: request, customer_id, .. } = &self.subjects[subject];
        let loan_reference_id = format!("LR-{reference}");
        let private =
            Private { account_number: account.to_string(), bank_code: "1".to_owned(), msisdn: Some("234".to_owned()) };
        let acceptance = Acceptance {
            offer_id: format!("{request}-{offer}"),
            customer_id: customer_id.clone(),
            private: private.seal(&NoVault, &loan_reference_id).ok(),
            loan_reference_id,
            loan_id: None,
            fingerprint: format!("{offer} {account}"),
            loans_max: 1,
        };
        if self.draw.chance(300) {
            let wait = self.draw.range(0, HOUR);
            self.later(wait, Outer::Accept { subject, offer, reference, account });
        }
        match self.book.accept(&acceptance, (self.clock(), &self.plan)) {
            Ok(accepted) => {
                self.trace(&format!("accepted {}", accepted.loan_id));
                if accepted.is_new {
                    for _ in 0..self.draw.below(3) {
                        let wait = self.draw.range(0, 100 * DAY);
                        self.later(wait, Outer::Pay(subject));
                    }
                }
                self.subjects[subject].promised.insert(accepted.loan_id);
                Ok(())
            }
            Err(BookError::Conflict(_) | BookError::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The customer pays by themselves, if the provider knows the loan; it notifies once, or more often.
    fn pay(&mut self, subject: usize) -> Result<(), BookError> {
        let Some(loan_id) = self.subjects[subject].promised.first().cloned() else { return Ok(()) };
        let amount_minor = self.draw.range(1, 60_000);
        let payment_ref = format!("PAY-{}", self.counter);
        let stranger = self.draw.chance(50);
        let customer_id = if stranger { "C-x".to_owned() } else { self.subjects[subject].customer_id.clone() };
        let note = Note { payment_ref: payment_ref.clone(), loan_id, customer_id, amount_minor };
        self.outside.payments.insert(payment_ref, note.clone());
        for _ in 0..self.draw.range(1, 4) {
            let wait = self.draw.range(0, DAY);
            self.later(wait, Outer::Notify(note.clone()));
        }
        Ok(())
    }

    fn notify(&mut self, note: &Note) -> Result<(), BookError> {
        let payment = Payment {
            loan_id: note.loan_id.clone(),
            payment_ref: note.payment_ref.clone(),
            amount_minor: note.amount_minor,
            customer_id: note.customer_id.clone(),
        };
        match self.book.notified(&payment, (self.clock(), &self.plan)) {
            Ok(notified) => {
                self.outside.delivered.insert(note.payment_ref.clone());
                match notified.loan {
                    Some(row) => self.look_at(&row),
                    None => Ok(()),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// A person decides, by what the provider tells them.
    fn person(&mut self, subject: usize) -> Result<(), BookError> {
        let reference = self.subjects[subject].reference.clone();
        let Some(row) = self.book.find(&reference)? else { return Ok(()) };
        self.subjects[subject].is_person_called = false;
        let event = match (row.loan.state, self.book.order_id(&row)) {
            (State::Referred, _) if self.draw.chance(500) => Event::Approved { until: self.until() },
            (State::Referred, _) => Event::Disapproved,
            (State::Overpaid, _) => Event::Refunded,
            (State::FundingFailed, _) if self.draw.chance(700) => Event::Retry,
            (State::FundingFailed, _) => Event::Cancel,
            (State::Review, Some(order)) if self.draw.chance(500) => match self.outside.moves(&order) {
                true => Event::Moved,
                false => Event::NotMoved,
            },
            (State::Review, _) => {
                let choices = [Event::Retry, Event::Retry, Event::Cancel, Event::WriteOff, Event::Disapproved];
                choices[self.draw.index(choices.len())].clone()
            }
            _ => return Ok(()),
        };
        let actor = Actor::Person { name: "ada".to_owned(), note: "looked".to_owned() };
        match self.book.decide(row.id, &event, &Facts::default(), &actor, (self.clock(), &self.plan)) {
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
        let heard = Heard::event(Event::Moved);
        let done = match self.draw.chance(500) {
            true => finish(&self.book, claimed, &heard, (self.clock(), &self.plan)).map(drop),
            false => begin(&self.book, &NoVault, claimed, (self.clock(), &self.plan)).map(|begun| {
                if let Begun::Call(call) = begun
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
