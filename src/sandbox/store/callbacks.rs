//! What the sandbox has to tell others: payment notifications (E11), questions for a loan's status (E10), webhook events. Decides what is
//! sent and in which order. Knows nothing of how it is sent.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Bill, Loan, Newest, Refusal, State};
use crate::sandbox::behaviour::COPIES_MAX;
use crate::wire::lender::PaymentNotification;
use crate::words::money::{Currency, amount_digits};

/// So many are kept: those that were settled first are forgotten first, and what is still to be sent is not.
const KEPT: usize = 1_000;

#[derive(Default)]
pub(super) struct Callbacks {
    all: BTreeMap<u64, Callback>,
    count: u64,
    /// Sent, given up or suppressed, in this order.
    settled: VecDeque<u64>,
    /// What waits to be sent to each receiver, in this order, and since when.
    queues: [VecDeque<(u64, Instant)>; Lane::ALL.len()],
    /// Waits for others, to be sent in another order.
    held: Vec<u64>,
}

/// A call of the sandbox to somebody else.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Callback {
    /// Counts from 1.
    pub number: u64,
    /// What it is.
    pub kind: CallbackKind,
    /// The loan or the bill it is about.
    pub about: String,
    /// How often it was tried.
    pub attempts: u32,
    /// Where it stands.
    pub state: CallbackState,
    /// What the other side said, or why it could not be asked.
    pub said: String,
    #[serde(skip)]
    body: Option<Value>,
}

/// The kinds of callbacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackKind {
    /// E11.
    PaymentNotification,
    /// E10.
    LoanStatus,
    /// A merchant's webhook.
    Webhook,
}

/// The receivers, each of which is called without regard to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// E10 and E11.
    Lender,
    /// Events of bills.
    Webhook,
}

impl Lane {
    pub(crate) const ALL: [Lane; 2] = [Lane::Lender, Lane::Webhook];

    fn of(kind: CallbackKind) -> Self {
        match kind {
            CallbackKind::PaymentNotification | CallbackKind::LoanStatus => Lane::Lender,
            CallbackKind::Webhook => Lane::Webhook,
        }
    }
}

/// Where a callback stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackState {
    /// It waits for others, to be sent in another order.
    Held,
    /// It is to be sent.
    Waiting,
    /// The other side took it.
    Taken,
    /// The other side did not, as often as it was tried.
    Failed,
    /// It is not sent, on request.
    Suppressed,
}

/// A callback to be carried out.
pub(crate) struct Delivery {
    pub number: u64,
    /// Since when it waits to be sent.
    pub due: Instant,
    pub kind: CallbackKind,
    pub about: String,
    /// The customer and the channel of the loan, for E10.
    pub customer_id: String,
    pub channel_code: String,
    pub body: Option<Value>,
}

impl State {
    /// The callbacks so far.
    pub fn callbacks(&self) -> Vec<Callback> {
        self.newest_callbacks(usize::MAX).rows
    }

    pub(crate) fn newest_callbacks(&self, most: usize) -> Newest<Callback> {
        Newest::of(self.store().callbacks.all.values(), most)
    }

    /// Whether some wait to be sent in another order.
    pub(crate) fn holds_callbacks(&self) -> bool {
        !self.store().callbacks.held.is_empty()
    }

    /// Tells the lender that something was paid, as often and in the order that was asked for.
    pub(super) fn notify_payment(&self, callbacks: &mut Callbacks, loan: &Loan, amount: i64, payment_ref: &str) {
        if self.config().lender.is_none() {
            return;
        }
        let notification = PaymentNotification {
            loan_id: loan.loan_id.clone(),
            payment_ref: payment_ref.to_owned(),
            amount: self.lenders_amount(amount, &loan.currency),
            customer_id: loan.customer_id.clone(),
        };
        let asked = &self.config().behaviour.notifications;
        let state = match (asked.suppressed, asked.reversed_in) {
            (true, _) => CallbackState::Suppressed,
            (false, 0 | 1) => CallbackState::Waiting,
            (false, _) => CallbackState::Held,
        };
        let body = json!(notification);
        let copies = if asked.suppressed { 1 } else { asked.copies.min(COPIES_MAX) };
        for _ in 0..copies {
            callbacks.add(CallbackKind::PaymentNotification, &loan.loan_id, Some(body.clone()), state);
        }
        if callbacks.held.len() >= asked.reversed_in as usize {
            callbacks.release();
        }
        self.0.deliveries.notify_waiters();
    }

    /// Tells the merchant's webhook that a bill was paid.
    pub(super) fn announce_payment(&self, callbacks: &mut Callbacks, bill: &Bill, amount: i64) {
        if self.config().webhook_url.is_none() {
            return;
        }
        let names = self.config().settings.bill.webhook.reference_field.split('.').rev();
        let named = names.fold(json!(bill.reference), |inner, name| json!({ name: inner }));
        let mut event = json!({
            "event": "bill.paid",
            "merchantCode": bill.asked.merchant_code,
            "amount": amount,
            "currencyCode": bill.asked.currency_code,
        });
        if let (Value::Object(event), Value::Object(named)) = (&mut event, named) {
            event.extend(named);
        }
        callbacks.add(CallbackKind::Webhook, &bill.reference, Some(event), CallbackState::Waiting);
        self.0.deliveries.notify_waiters();
    }

    /// Asks the lender how a loan stands (E10).
    pub(crate) fn ask_status(&self, loan_id: &str) -> Result<(), Refusal> {
        let mut store = self.store_to_change();
        if store.loans.get(loan_id).is_none() {
            return Err(Refusal::unknown("no loan with this id"));
        }
        if self.config().lender.is_none() {
            return Err(Refusal::conflict("the sandbox was started without a lender's address"));
        }
        store.callbacks.add(CallbackKind::LoanStatus, loan_id, None, CallbackState::Waiting);
        self.0.deliveries.notify_waiters();
        Ok(())
    }

    /// Sends a callback once more.
    pub(crate) fn repeat(&self, number: u64) -> Result<(), Refusal> {
        let mut store = self.store_to_change();
        let known = store.callbacks.all.get(&number).cloned();
        let known = known.ok_or_else(|| Refusal::unknown("no callback with this number"))?;
        store.callbacks.add(known.kind, &known.about, known.body, CallbackState::Waiting);
        self.0.deliveries.notify_waiters();
        Ok(())
    }

    /// Sends what is held back, last one first.
    pub(crate) fn release_held(&self) {
        self.store_to_change().callbacks.release();
        self.0.deliveries.notify_waiters();
    }

    /// The next callback to send to a receiver; waits until there is one.
    pub(crate) async fn next_delivery(&self, lane: Lane) -> Delivery {
        loop {
            // Asked for before the look, so that what comes after the look is not missed.
            let more = self.0.deliveries.notified();
            if let Some(delivery) = self.waiting(lane) {
                return delivery;
            }
            more.await;
        }
    }

    fn waiting(&self, lane: Lane) -> Option<Delivery> {
        let mut store = self.store();
        let callbacks = &mut store.callbacks;
        let (number, due) = callbacks.queues.get_mut(lane as usize)?.pop_front()?;
        // INVARIANT: what waits is never let go of, so that a number of the queue is always found.
        let found = callbacks.all.get(&number)?.clone();
        let loan = store.loans.get(&found.about);
        let of_loan = loan.map(|loan| (loan.customer_id.clone(), loan.channel_code.clone()));
        let (customer_id, channel_code) = of_loan.unwrap_or_default();
        Some(Delivery { number, due, kind: found.kind, about: found.about, customer_id, channel_code, body: found.body })
    }

    /// Notes what became of a callback.
    pub(crate) fn settle(&self, number: u64, attempts: u32, state: CallbackState, said: String) {
        let mut store = self.store_to_change();
        let Some(known) = store.callbacks.all.get_mut(&number) else { return };
        (known.attempts, known.state, known.said) = (attempts, state, said);
        if state != CallbackState::Waiting {
            store.callbacks.settled.push_back(number);
        }
    }

    /// An amount in the unit that the lender's endpoints speak.
    pub(crate) fn lenders_amount(&self, minor: i64, currency: &str) -> String {
        let exponent = Currency::from_numeric(currency).map_or(2, |known| known.exponent());
        amount_digits(minor, self.config().settings.lender.amount_unit, exponent)
    }
}

impl Callbacks {
    fn add(&mut self, kind: CallbackKind, about: &str, body: Option<Value>, state: CallbackState) {
        self.count += 1;
        let number = self.count;
        // Only what is settled gives way: what waits is still to be sent.
        if self.all.len() >= KEPT
            && let Some(oldest) = self.settled.pop_front()
        {
            self.all.remove(&oldest);
        }
        let said = String::new();
        self.all.insert(number, Callback { number, kind, about: about.to_owned(), attempts: 0, state, said, body });
        match state {
            CallbackState::Waiting => self.send(number, kind),
            CallbackState::Held => self.held.push(number),
            _ => self.settled.push_back(number),
        }
    }

    fn release(&mut self) {
        for number in std::mem::take(&mut self.held).into_iter().rev() {
            if let Some(callback) = self.all.get_mut(&number) {
                callback.state = CallbackState::Waiting;
                let kind = callback.kind;
                self.send(number, kind);
            }
        }
    }

    fn send(&mut self, number: u64, kind: CallbackKind) {
        if let Some(queue) = self.queues.get_mut(Lane::of(kind) as usize) {
            queue.push_back((number, Instant::now()));
        }
    }
}
