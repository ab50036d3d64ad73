//! Payments that the provider notified (E11). Each is stored first, and posted at most once: its reference makes the
//! notification idempotent. One that does not match a loan is kept for a person.

use serde_json::json;

use super::actor::Actor;
use super::advance::{Facts, StepContext};
use super::audit::{self, AuditEntry};
use super::claims::{LockedLoan, lock_loan};
use super::payment_match::{PaymentContext, PaymentMatch, match_payment};
use super::payment_rows::{
    PAYMENT_COLUMNS, PaymentOutcome, PaymentRow, PaymentStatus, TAKES_NONE, may_take_payments_later, settle_payment,
};
use super::rows::{LOAN_COLUMNS, LoanRow, damaged_row};
use super::{BookError, BookResult, LoanBook};
use crate::base::time::Timestamp;
use crate::lender::loan::{At, Event, Refused};
use crate::lender::store::database::{Transaction, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::provider::wire::lender::Payment;

/// What a notification led to.
#[derive(Clone, Debug)]
pub(crate) struct Notified {
    /// The payment.
    pub(crate) payment: PaymentRow,
    /// The loan, if the notification fits one.
    pub(crate) loan: Option<LoanRow>,
}

impl LoanBook {
    /// Stores a notification, and then posts it. The same one again has no further effect.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if the reference came before with another content; both are kept.
    pub(crate) fn record_payment(&self, payment: &Payment, at: At<'_>) -> Result<Notified, BookError> {
        let digest = self.derive_digest(&[
            "payment",
            &payment.payment_ref,
            &payment.loan_id,
            &payment.customer_id,
            &payment.amount_minor.to_string(),
        ]);
        let stored = write_transaction(&*self.database, |tx| store_payment(tx, payment, &digest, at.now))?;
        if matches!(stored.status, PaymentStatus::Parked | PaymentStatus::Dismissed)
            && stored.reason.as_deref() == Some(CONTRADICTS)
        {
            return Err(BookError::Conflict(CONTRADICTS));
        }
        let settled = match stored.status {
            // The loan may be known by now.
            PaymentStatus::Parked if stored.reason.as_deref() == Some(NO_LOAN) => {
                match write_transaction(&*self.database, |tx| receive_again(tx, &stored))? {
                    Some(again) => write_transaction(&*self.database, |tx| self.post_received(tx, &again, at))??,
                    None => stored,
                }
            }
            PaymentStatus::Received => write_transaction(&*self.database, |tx| self.post_received(tx, &stored, at))??,
            _ => stored,
        };
        let loan = match settled.loan {
            Some(loan) => self.load_loan(loan)?,
            None => None,
        };
        Ok(Notified { payment: settled, loan })
    }

    /// Posts the payments that were only stored when an earlier process ended. Returns how many.
    pub(crate) fn post_received_payments(&self, at: At<'_>) -> Result<usize, BookError> {
        let sql = format!("SELECT {PAYMENT_COLUMNS} FROM payments WHERE standing = 'received' ORDER BY received_at");
        let rows: Vec<PaymentRow> =
            read_transaction(&*self.database, |tx| tx.query(&sql, &[])?.iter().map(PaymentRow::read).collect())?;
        // One that cannot be posted must not delay the others; it is tried again with the next ones.
        let mut failure = None;
        for row in &rows {
            let posted = write_transaction(&*self.database, |tx| self.post_received(tx, row, at));
            failure = posted.map_err(BookError::from).and_then(|posted| posted).err().or(failure);
        }
        failure.map_or(Ok(rows.len()), Err)
    }

    /// Finds the loan of a payment, and posts it there or says why not.
    fn post_received(&self, tx: &mut dyn Transaction, payment: &PaymentRow, at: At<'_>) -> BookResult<PaymentRow> {
        let now = at.now;
        let sql = format!("SELECT {LOAN_COLUMNS} FROM loans WHERE loan_id = $1");
        let found = tx.query(&sql, &[payment.loan_id.as_str().into()])?.first().map(LoanRow::read).transpose()?;
        let park = |tx: &mut dyn Transaction, reason: &'static str| {
            let sql = "UPDATE payments SET standing = 'parked', reason = $1, settled_at = $2 WHERE payment_ref = $3 \
                       AND digest = $4 AND standing = 'received'";
            let values = [
                reason.into(),
                now.milliseconds().into(),
                payment.payment_ref.as_str().into(),
                payment.digest.as_str().into(),
            ];
            if tx.execute(sql, &values)? == 0 {
                return Ok(Ok(payment.clone()));
            }
            let detail =
                json!({ "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor, "reason": reason });
            audit::add_entry(
                tx,
                &AuditEntry { at: now, loan: None, actor: "provider", event: "payment_parked", detail },
            )?;
            Ok(Ok(PaymentRow { status: PaymentStatus::Parked, reason: Some(reason.to_owned()), ..payment.clone() }))
        };
        let Some(found) = found else { return park(tx, NO_LOAN) };
        if found.customer_id != payment.customer_id {
            return park(tx, "the loan is another customer's");
        }
        let locked = match lock_loan(tx, found.id)? {
            Ok(locked) => locked,
            Err(error) => return Ok(Err(error)),
        };
        // Another process may have posted it meanwhile.
        let sql = format!("SELECT {PAYMENT_COLUMNS} FROM payments WHERE payment_ref = $1 AND digest = $2");
        let again = tx.query(&sql, &[payment.payment_ref.as_str().into(), payment.digest.as_str().into()])?;
        let again = again.first().map(PaymentRow::read).transpose()?.ok_or_else(|| damaged_row("a payment"))?;
        if again.status != PaymentStatus::Received {
            return Ok(Ok(again));
        }
        self.post_payment(tx, locked, again, at)
    }

    /// Carries out what a payment says about a debit. Where the table has no line, nothing is to be collected, and
    /// nothing needs to be stopped.
    fn step_by_payment(
        &self,
        tx: &mut dyn Transaction,
        loan: i64,
        event: &Event,
        at: At<'_>,
    ) -> Result<(), StoreError> {
        let facts = Facts::default();
        let change = StepContext { event, facts: &facts, actor: &Actor::Provider, at };
        if let Ok(locked) = lock_loan(tx, loan)? {
            let _ = self.make_step(tx, locked, &change, None)?;
        }
        Ok(())
    }

    fn post_payment(
        &self,
        tx: &mut dyn Transaction,
        locked: LockedLoan,
        payment: PaymentRow,
        at: At<'_>,
    ) -> BookResult<PaymentRow> {
        let (loan, state) = (locked.row().id, locked.row().loan.state);
        let locked = locked.with_failed_order(tx)?;
        let context = PaymentContext { loan: locked.row(), payment: &payment, at };
        let matched = match_payment(tx, &context)?;
        let outcome = match matched {
            PaymentMatch::Ours(own) => own,
            PaymentMatch::Waits | PaymentMatch::FailedMoved | PaymentMatch::DoubtsFailed => {
                PaymentOutcome::new(PaymentStatus::Waiting)
            }
            PaymentMatch::Customers => {
                let event = Event::Paid { amount_minor: payment.amount_minor };
                let facts = Facts { note: Some(format!("payment {}", payment.payment_ref)), ..Facts::default() };
                let change = StepContext { event: &event, facts: &facts, actor: &Actor::Provider, at };
                match self.make_step(tx, locked, &change, None)? {
                    Ok(_) => PaymentOutcome::new(PaymentStatus::Posted),
                    Err(BookError::Refused(Refused::Busy { .. })) => PaymentOutcome::new(PaymentStatus::Waiting),
                    Err(BookError::Refused(Refused::Impossible { .. })) if may_take_payments_later(state) => {
                        PaymentOutcome::new(PaymentStatus::Waiting)
                    }
                    Err(BookError::Refused(_)) => PaymentOutcome::parked(TAKES_NONE),
                    Err(error) => return Ok(Err(error)),
                }
            }
        };
        settle_payment(tx, &payment, outcome, loan, at.now)?;
        let PaymentOutcome { status, reason } = outcome;
        if let Some(event) = matched.event_of_debit() {
            self.step_by_payment(tx, loan, &event, at)?;
        }
        if status != PaymentStatus::Posted {
            let detail = json!({
                "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor,
                "standing": status.word(), "reason": reason,
            });
            let (actor, event) = ("provider", "payment");
            audit::add_entry(tx, &AuditEntry { at: at.now, loan: Some(loan), actor, event, detail })?;
        }
        Ok(Ok(PaymentRow { status, reason: reason.map(str::to_owned), loan: Some(loan), ..payment }))
    }
}

const NO_LOAN: &str = "there is no loan with this id";
const CONTRADICTS: &str = "a payment with this reference came before with another content";

/// Stores a notification, or finds it.
fn store_payment(
    tx: &mut dyn Transaction,
    payment: &Payment,
    digest: &str,
    now: Timestamp,
) -> Result<PaymentRow, StoreError> {
    let values = |standing: &str, reason: Option<&str>| {
        [
            payment.payment_ref.as_str().into(),
            digest.into(),
            payment.loan_id.as_str().into(),
            payment.customer_id.as_str().into(),
            payment.amount_minor.into(),
            standing.into(),
            reason.into(),
            now.milliseconds().into(),
        ]
    };
    let sql = "INSERT INTO payments (payment_ref, digest, loan_id, customer_id, amount_minor, standing, reason, \
               received_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
    if tx.execute(sql, &values("received", None))? == 0 {
        // Either this very notification, or another one of the same reference.
        tx.execute(sql, &values("parked", Some(CONTRADICTS)))?;
    }
    let sql = format!("SELECT {PAYMENT_COLUMNS} FROM payments WHERE payment_ref = $1 AND digest = $2");
    let rows = tx.query(&sql, &[payment.payment_ref.as_str().into(), digest.into()])?;
    rows.first().map(PaymentRow::read).transpose()?.ok_or_else(|| damaged_row("a payment"))
}

/// Receives a payment again if its loan is known by now; `None` if it is not.
fn receive_again(tx: &mut dyn Transaction, payment: &PaymentRow) -> Result<Option<PaymentRow>, StoreError> {
    if tx.query("SELECT id FROM loans WHERE loan_id = $1", &[payment.loan_id.as_str().into()])?.is_empty() {
        return Ok(None);
    }
    let sql = "UPDATE payments SET standing = 'received', reason = NULL WHERE payment_ref = $1 AND digest = $2 AND \
               standing = 'parked' AND NOT EXISTS (SELECT 1 FROM payments AS other WHERE other.payment_ref = $1 AND \
               other.standing NOT IN ('parked', 'dismissed'))";
    let values = [payment.payment_ref.as_str().into(), payment.digest.as_str().into()];
    match tx.execute(sql, &values)? {
        0 => Ok(None),
        _ => Ok(Some(PaymentRow { status: PaymentStatus::Received, reason: None, ..payment.clone() })),
    }
}
