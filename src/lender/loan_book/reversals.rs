//! Reversals: a person records that a payout or a debit was taken back after it had moved, or takes a payment off a
//! loan again. The order, the payment, the loan and the audit change together.

use super::actor::Actor;
use super::advance::{Facts, StepContext, refuse_person};
use super::claims::lock_loan;
use super::erasure::ERASED;
use super::payment_rows::PaymentStatus;
use super::rows::LoanRow;
use super::step_log::BeforeStep;
use super::{BookError, BookResult, LoanBook};
use crate::lender::loan::{At, Event, OrderKind, OrderOutcome};
use crate::lender::store::database::{Transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// What was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reversal {
    /// The payout.
    Payout,
    /// A debit, by its id or by the provider's reference.
    Debit(String),
    /// A payment that was posted to the loan, by its reference. It is parked again.
    Payment(String),
}

/// What a reversal changes, besides the loan.
struct Reversed {
    event: Event,
    /// The id of the order, or the reference of the payment.
    name: String,
    is_payment: bool,
}

impl LoanBook {
    /// Records a reversal. `seen_version` is the version of the loan that the person saw.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if nothing of this loan fits, or the loan has changed; [`BookError::Refused`] while a
    /// transaction of money is under way.
    pub(crate) fn record_reversal(
        &self,
        row: &LoanRow,
        reversal: &Reversal,
        actor: &Actor,
        at: At<'_>,
    ) -> Result<LoanRow, BookError> {
        let mut logged = None;
        let after = write_transaction(&*self.database, |tx| {
            let locked = match lock_loan(tx, row.id)? {
                Ok(locked) => locked,
                Err(error) => return Ok(Err(error)),
            };
            let mut facts = Facts { seen_version: Some(row.version), ..Facts::default() };
            if let Some(refused) = refuse_person(&locked, &facts, actor) {
                return Ok(Err(refused));
            }
            if is_erased(tx, row.id)? {
                return Ok(Err(BookError::Conflict(
                    "the loan's personal data were erased, so nothing can be sent for it; settle it outside",
                )));
            }
            let reversed = match find_reversed(tx, row.id, reversal)? {
                Ok(reversed) => reversed,
                Err(error) => return Ok(Err(error)),
            };
            facts.reversed = Some(reversed.name.clone());
            logged = Some((BeforeStep::note(&locked), reversed.event.clone()));
            let change = StepContext { event: &reversed.event, facts: &facts, actor, at };
            let step = match locked.step(&change) {
                Ok(step) => step,
                Err(refused) => return Ok(Err(refused.into())),
            };
            mark_reversed(tx, row.id, &reversed, at)?;
            self.write_step(tx, step, &change, None).map(Ok)
        })??;
        if let Some((before, event)) = logged {
            before.log(&event, &after);
        }
        Ok(after)
    }
}

fn is_erased(tx: &mut dyn Transaction, loan: i64) -> Result<bool, StoreError> {
    let rows = tx.query("SELECT request_digest FROM loans WHERE id = $1", &[loan.into()])?;
    rows.first().map_or(Ok(false), |row| Ok(row.text("request_digest")? == ERASED))
}

/// The order or payment that a reversal is about.
fn find_reversed(tx: &mut dyn Transaction, loan: i64, reversal: &Reversal) -> BookResult<Reversed> {
    let moved = OrderOutcome::Moved.word();
    let (sql, values, missing) = match reversal {
        Reversal::Payout => (
            "SELECT transaction_id AS name, amount_minor FROM orders WHERE loan = $1 AND outcome = $2 AND kind = $3",
            vec![loan.into(), moved.into(), OrderKind::Fund.word().into()],
            "no payout of this loan has moved",
        ),
        Reversal::Debit(name) => (
            "SELECT transaction_id AS name, amount_minor FROM orders WHERE loan = $1 AND outcome = $2 AND kind = $3 \
             AND (transaction_id = $4 OR transaction_ref = $4)",
            vec![loan.into(), moved.into(), OrderKind::Debit.word().into(), name.as_str().into()],
            "no debit of this loan with this id or reference has moved",
        ),
        Reversal::Payment(name) => (
            "SELECT payment_ref AS name, amount_minor FROM payments WHERE loan = $1 AND standing = $2 AND \
             payment_ref = $3",
            vec![loan.into(), PaymentStatus::Posted.word().into(), name.as_str().into()],
            "no payment with this reference counts for this loan",
        ),
    };
    let rows = tx.query(sql, &values)?;
    let Some(found) = rows.first() else { return Ok(Err(BookError::Conflict(missing))) };
    let (name, amount_minor) = (found.text("name")?.to_owned(), found.integer("amount_minor")?);
    let event = match reversal {
        Reversal::Payout => Event::PayoutReversed { amount_minor },
        Reversal::Debit(_) => Event::DebitReversed { amount_minor },
        Reversal::Payment(_) => Event::PaymentReversed { amount_minor },
    };
    Ok(Ok(Reversed { event, name, is_payment: matches!(reversal, Reversal::Payment(_)) }))
}

fn mark_reversed(tx: &mut dyn Transaction, loan: i64, reversed: &Reversed, at: At<'_>) -> Result<(), StoreError> {
    let sql = match reversed.is_payment {
        true => {
            "UPDATE payments SET standing = 'parked', settled_at = $1, reason = 'it was taken off this loan again' \
             WHERE loan = $2 AND payment_ref = $3 AND standing = 'posted'"
        }
        false => {
            "UPDATE orders SET outcome = 'not_moved', reversed_at = $1 WHERE loan = $2 AND transaction_id = $3 AND \
             outcome = 'moved'"
        }
    };
    match tx.execute(sql, &[at.now.milliseconds().into(), loan.into(), reversed.name.as_str().into()])? {
        1 => Ok(()),
        _ => Err(StoreError::Programming("a reversal changed nothing".to_owned())),
    }
}
