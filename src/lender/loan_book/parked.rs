//! What a person does with a payment that fits nothing: post it to a loan, or dismiss it. Must not know how it came to
//! be parked.

use serde_json::json;

use super::advance::{Actor, Change, Facts};
use super::audit::{self, Entry};
use super::claims::lock_any;
use super::payments::{OTHER_AMOUNT, PAYMENT_COLUMNS, PaymentRow, Standing, matched};
use super::{BookError, LoanBook, Outcome};
use crate::base::time::Timestamp;
use crate::lender::loan::{Event, Plan, step};
use crate::lender::store::database::{Transaction, read, write};
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
    pub(crate) fn parked(&self, payment_ref: &str) -> Result<Vec<PaymentRow>, StoreError> {
        let sql = format!(
            "SELECT {PAYMENT_COLUMNS} FROM payments WHERE payment_ref = $1 AND standing = 'parked' ORDER BY received_at"
        );
        read(&*self.database, |tx| tx.query(&sql, &[payment_ref.into()])?.iter().map(PaymentRow::read).collect())
    }

    /// Posts or dismisses a parked payment.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if it is not parked any more, a payment of its reference counts already, or the service
    /// is working on the loan; [`BookError::Refused`] if the loan takes no payment now.
    pub(crate) fn place(
        &self,
        payment: &PaymentRow,
        placing: Placing,
        actor: &Actor,
        (now, plan): (Timestamp, &Plan),
    ) -> Result<(), BookError> {
        let outcome = write(&*self.database, |tx| match placing {
            Placing::Post(loan) => self.post_parked(tx, payment, loan, actor, (now, plan)),
            Placing::Dismiss => settle(tx, payment, Standing::Dismissed, None, actor, now),
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
        (now, plan): (Timestamp, &Plan),
    ) -> Outcome<()> {
        let row = match lock_any(tx, loan)? {
            Ok(row) => row,
            Err(error) => return Ok(Err(error)),
        };
        if row.instance.is_some() {
            return Ok(Err(BookError::Conflict("the service is working on the loan; try again in a moment")));
        }
        if let Some(why) = own_debit(tx, loan, payment)? {
            return Ok(Err(BookError::Conflict(why)));
        }
        let (event, facts) = (Event::Paid { amount_minor: payment.amount_minor }, Facts::default());
        if let Err(refused) = step(&row.loan, &event, now, plan) {
            return Ok(Err(refused.into()));
        }
        if let Err(error) = settle(tx, payment, Standing::Posted, Some(loan), actor, now)? {
            return Ok(Err(error));
        }
        let change = Change { event: &event, facts: &facts, actor, now, plan };
        match self.carry_out(tx, row, &change, None)? {
            Ok(_) => Ok(Ok(())),
            Err(BookError::Store(error)) => Err(error),
            // The table has been asked before.
            Err(other) => Err(StoreError::Programming(other.to_string())),
        }
    }
}

/// Why a payment is a debit of ours, and so must not count as the customer's.
fn own_debit(tx: &mut dyn Transaction, loan: i64, payment: &PaymentRow) -> Result<Option<&'static str>, StoreError> {
    Ok(match matched(tx, loan, payment)? {
        Some((Standing::Echo, _) | (_, Some(OTHER_AMOUNT))) => {
            Some("it reports a debit of this loan, which counts already; dismiss it")
        }
        Some((Standing::Waiting, _)) => Some("it reports a debit of this loan whose outcome is not known yet"),
        // A debit that failed and was made after all, or one that only may be ours: the person knows.
        Some(_) | None => None,
    })
}

const COUNTS_ALREADY: &str = "a payment of this reference counts already; dismiss this one";

fn settle(
    tx: &mut dyn Transaction,
    payment: &PaymentRow,
    standing: Standing,
    loan: Option<i64>,
    actor: &Actor,
    now: Timestamp,
) -> Outcome<()> {
    let sql = "UPDATE payments SET standing = $1, loan = COALESCE($2, loan), settled_at = $3, reason = $4 WHERE \
               payment_ref = $5 AND digest = $6 AND standing = 'parked'";
    // Why it was parked is of no matter to one that counts.
    let reason = payment.reason.as_deref().filter(|_| standing != Standing::Posted);
    let values = [
        standing.word().into(),
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
        "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor, "standing": standing.word(),
        "note": actor.note(),
    });
    let loan = loan.or(payment.loan);
    audit::add(tx, &Entry { at: now, loan, actor: actor.name(), event: "payment", detail })?;
    Ok(Ok(()))
}
