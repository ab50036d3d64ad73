//! Decides which callbacks are sent, how often and in which order. Knows nothing of how one is sent.

use serde_json::{Value, json};

use crate::base::money::{Currency, amount_digits};
use crate::provider::sandbox::behaviour::COPIES_MAX;
use crate::provider::sandbox::store::bills::Bill;
use crate::provider::sandbox::store::callbacks::{CallbackKind, CallbackState, Callbacks, Delivery, Lane};
use crate::provider::sandbox::store::loans::Loan;
use crate::provider::sandbox::store::refusal::Refusal;
use crate::provider::sandbox::store::state::SandboxState;
use crate::provider::wire::lender::PaymentNotification;

impl SandboxState {
    /// Whether some are held back, to be sent in another order.
    pub(crate) fn holds_callbacks(&self) -> bool {
        self.store().callbacks.held() > 0
    }

    /// Notifies the lender of a payment, as often and in the order that the behaviour asks for.
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
        if callbacks.held() >= asked.reversed_in as usize {
            callbacks.release();
        }
        self.deliveries().notify_waiters();
    }

    /// Notifies the merchant's webhook that a bill was paid.
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
        self.deliveries().notify_waiters();
    }

    /// Asks the lender for a loan's status (E10).
    pub(crate) fn ask_status(&self, loan_id: &str) -> Result<(), Refusal> {
        let mut store = self.store_to_change();
        if store.loans.get(loan_id).is_none() {
            return Err(Refusal::unknown("no loan with this id"));
        }
        if self.config().lender.is_none() {
            return Err(Refusal::conflict("the sandbox was started without a lender's address"));
        }
        store.callbacks.add(CallbackKind::LoanStatus, loan_id, None, CallbackState::Waiting);
        self.deliveries().notify_waiters();
        Ok(())
    }

    /// Sends a callback once more.
    pub(crate) fn repeat(&self, number: u64) -> Result<(), Refusal> {
        let mut store = self.store_to_change();
        let known = store.callbacks.all.get(&number).cloned();
        let known = known.ok_or_else(|| Refusal::unknown("no callback with this number"))?;
        store.callbacks.add(known.kind, &known.about, known.body, CallbackState::Waiting);
        self.deliveries().notify_waiters();
        Ok(())
    }

    /// Sends what is held back, last one first.
    pub(crate) fn release_held(&self) {
        self.store_to_change().callbacks.release();
        self.deliveries().notify_waiters();
    }

    /// The next callback to send to a receiver; waits until there is one.
    pub(crate) async fn next_delivery(&self, lane: Lane) -> Delivery {
        loop {
            // Subscribe before looking, so that what is added after the look is not missed.
            let more = self.deliveries().notified();
            if let Some(delivery) = self.waiting(lane) {
                return delivery;
            }
            more.await;
        }
    }

    fn waiting(&self, lane: Lane) -> Option<Delivery> {
        let mut store = self.store();
        let (found, due) = store.callbacks.next(lane)?;
        let loan = store.loans.get(&found.about);
        let from_loan = loan.map(|loan| (loan.customer_id.clone(), loan.channel_code.clone()));
        // A bill has neither.
        let (customer_id, channel_code) = from_loan.unwrap_or_default();
        let (number, kind, about, body) = (found.number, found.kind, found.about, found.body);
        Some(Delivery { number, due, kind, about, customer_id, channel_code, body })
    }

    /// Records the result of an attempt.
    pub(crate) fn record_attempt(&self, number: u64, attempts: u32, state: CallbackState, answer: String) {
        self.store_to_change().callbacks.record_attempt(number, attempts, state, answer);
    }

    /// An amount in the unit of the lender's endpoints.
    pub(crate) fn lenders_amount(&self, minor: i64, currency: &str) -> String {
        let exponent = Currency::from_numeric(currency).map_or(2, |known| known.exponent());
        amount_digits(minor, self.config().settings.lender.amount_unit, exponent)
    }
}
