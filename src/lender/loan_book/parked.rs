//! What a person does with a payment that fits nothing: post it to a loan, or dismiss it.

use serde_json::json;

use super::actor::Actor;
use super::advance::{Facts, StepContext};
use super::audit::{self, AuditEntry};
use super::claims::lock_loan;
use super::payment_match::{OTHER_AMOUNT, PaymentContext, PaymentMatch, match_payment};
use super::payment_rows::{PAYMENT_COLUMNS, PaymentOutcome, PaymentRow, PaymentStatus};
use super::{BookError, BookResult, LoanBook};
use crate::base::time::Timestamp;
use crate::lender::loan::{At, Event};
use crate::lender::store::database::{Transaction, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// What becomes of a parked payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placing {
    /// It is the customer's, for this loan, by its number in the book.
    Post(i64),
    /// It counts for no loan.
    Dismiss,
}

impl LoanBook {
    /// The parked payments of a reference. There may be several, each with another content.
    pub(crate) fn list_parked(&self, payment_ref: &str) -> Result<Vec<PaymentRow>, StoreError> {
        let sql = format!(
            "SELECT {PAYMENT_COLUMNS} FROM payments WHERE payment_ref = $1 AND standing = 'parked' ORDER BY received_at"
        );
        read_transaction(&*self.database, |tx| {
            tx.query(&sql, &[payment_ref.into()])?.iter().map(PaymentRow::read).collect()
        })
    }

    /// Posts or dismisses a parked payment.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if it is not parked any more, a payment of its reference counts already, or the service
    /// is working on the loan; [`BookError::Refused`] if the loan takes no payment now.
    pub(crate) fn place_payment(
        &self,
        payment: &PaymentRow,
        placing: Placing,
        actor: &Actor,
        at: At<'_>,
    ) -> Result<(), BookError> {
        let outcome = write_transaction(&*self.database, |tx| match placing {
            Placing::Post(loan) => self.post_parked(tx, payment, loan, actor, at),
            Placing::Dismiss => settle_parked(tx, payment, PaymentStatus::Dismissed, None, actor, at.now),
        });
        match outcome {
            // The index allows one payment of a reference to count.
            Err(error) if error.is_duplicate_of("payments", "payment_ref") => Err(BookError::Conflict(COUNTS_ALREADY)),
            outcome => outcome?,
        }
    }

    fn post_parked(
        &self,
        tx: &mut dyn Transaction,
        payment: &PaymentRow,
        loan: i64,
        actor: &Actor,
        at: At<'_>,
    ) -> BookResult<()> {
        let locked = match lock_loan(tx, loan)? {
            Ok(locked) => locked,
            Err(error) => return Ok(Err(error)),
        };
        if locked.row().instance.is_some() {
            return Ok(Err(BookError::Conflict("the service is working on the loan; try again in a moment")));
        }
        let context = PaymentContext { loan: locked.row(), payment, at };
        if let Some(why) = why_own_debit(match_payment(tx, &context)?) {
            return Ok(Err(BookError::Conflict(why)));
        }
        let (event, facts) = (Event::Paid { amount_minor: payment.amount_minor }, Facts::default());
        let change = StepContext { event: &event, facts: &facts, actor, at };
        let step = match locked.step(&change) {
            Ok(step) => step,
            Err(refused) => return Ok(Err(refused.into())),
        };
        if let Err(error) = settle_parked(tx, payment, PaymentStatus::Posted, Some(loan), actor, at.now)? {
            return Ok(Err(error));
        }
        self.write_step(tx, step, &change, None)?;
        Ok(Ok(()))
    }
}

/// Why a payment is a debit of ours, and so must not count as the customer's.
fn why_own_debit(matched: PaymentMatch) -> Option<&'static str> {
    match matched {
        PaymentMatch::Ours(
            PaymentOutcome { status: PaymentStatus::Echo, .. } | PaymentOutcome { reason: Some(OTHER_AMOUNT), .. },
        ) => Some("it reports a debit of this loan, which counts already; dismiss it"),
        PaymentMatch::Waits => Some("it reports a debit of this loan, and the outcome of that is not known yet"),
        // A debit that failed and was made after all, or one that only may be ours: the person knows.
        PaymentMatch::Ours(_) | PaymentMatch::FailedMoved | PaymentMatch::DoubtsFailed | PaymentMatch::Customers => {
            None
        }
    }
}

const COUNTS_ALREADY: &str = "a payment of this reference counts already; dismiss this one";

fn settle_parked(
    tx: &mut dyn Transaction,
    payment: &PaymentRow,
    status: PaymentStatus,
    loan: Option<i64>,
    actor: &Actor,
    now: Timestamp,
) -> BookResult<()> {
    let sql = "UPDATE payments SET standing = $1, loan = COALESCE($2, loan), settled_at = $3, reason = $4 WHERE \
               payment_ref = $5 AND digest = $6 AND standing = 'parked'";
    // A payment that counts has no reason to be parked.
    let reason = payment.reason.as_deref().filter(|_| status != PaymentStatus::Posted);
    let values = [
        status.word().into(),
        loan.into(),
        now.milliseconds().into(),
        reason.into(),
        payment.payment_ref.as_str().into(),
        payment.digest.as_str().into(),
    ];
    if tx.execute(sql, &values)? == 0 {
        return Ok(Err(BookError::Conflict("the payment is not parked any more; look again")));
    }
    let detail = json!({
        "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor, "standing": status.word(),
        "note": actor.note(),
    });
    let loan = loan.or(payment.loan);
    audit::add_entry(tx, &AuditEntry { at: now, loan, actor: actor.name(), event: "payment", detail })?;
    Ok(Ok(()))
}
