//! Whether a payment that the provider notified (E11) is the customer's, or one of our own debits: the provider
//! notifies those too, and the interface does not show under which reference.

use super::payment_rows::{PaymentOutcome, PaymentRow, PaymentStatus};
use super::rows::{LoanRow, read_outcome};
use crate::base::time::Timestamp;
use crate::lender::loan::{At, Cause, Event, LoanState, OrderKind, OrderOutcome, Terms};
use crate::lender::store::database::Transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::value::QueryRow;

pub(super) const REPORTS_FAILED: &str = "it reports a debit that failed";
const TAKEN_BACK: &str = "it reports a debit that was taken back";
pub(super) const OTHER_AMOUNT: &str = "it reports a debit of another amount";
/// A payment of more than so many times what a loan comes to is looked at by a person.
const TIMES_OF_LOAN_MAX: i64 = 10;
const TOO_MUCH: &str = "it is more than ten times what the loan comes to";
const MAY_BE_OURS: &str = "it may report a debit of ours: the amount is the same";

/// A payment, and the loan that it is for.
pub(super) struct PaymentContext<'c> {
    pub(super) loan: &'c LoanRow,
    pub(super) payment: &'c PaymentRow,
    pub(super) at: At<'c>,
}

/// What a payment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaymentMatch {
    /// The customer's.
    Customers,
    /// One of our debits, or perhaps one, or perhaps a mistake: what becomes of it.
    Ours(PaymentOutcome),
    /// A debit of ours with an open outcome. It decides.
    Waits,
    /// The debit that failed, under its own reference: it moved after all.
    FailedMoved,
    /// Perhaps the debit that failed: it is of the same amount. The provider is queried first.
    DoubtsFailed,
}

impl PaymentMatch {
    /// What the payment says about a debit of the loan, if it says anything.
    pub(super) fn event_of_debit(self) -> Option<Event> {
        match self {
            PaymentMatch::FailedMoved => Some(Event::FailedMoved),
            PaymentMatch::DoubtsFailed => Some(Event::FailedDoubted),
            // A debit must not be tried again that the provider says failed and was made.
            PaymentMatch::Ours(PaymentOutcome { reason: Some(REPORTS_FAILED), .. }) => {
                Some(Event::Impossible(Cause::Contradicted))
            }
            PaymentMatch::Ours(_) | PaymentMatch::Waits | PaymentMatch::Customers => None,
        }
    }
}

/// Says what a payment is.
pub(super) fn match_payment(
    tx: &mut dyn Transaction,
    context: &PaymentContext<'_>,
) -> Result<PaymentMatch, StoreError> {
    let payment = context.payment;
    let sql = "SELECT outcome, amount_minor, instalment, attempt, reversed_at FROM orders WHERE loan = $1 AND kind = \
               'debit' AND (transaction_ref = $2 OR transaction_id = $2)";
    let named = tx.query(sql, &[context.loan.id.into(), payment.payment_ref.as_str().into()])?;
    if let Some(debit) = named.first() {
        return match_named_debit(context, debit);
    }
    if is_out_of_proportion(context.loan, payment) {
        return Ok(PaymentMatch::Ours(PaymentOutcome::parked(TOO_MUCH)));
    }
    if is_like_a_debit_that_moved(tx, context)? {
        return Ok(PaymentMatch::Ours(PaymentOutcome::parked(MAY_BE_OURS)));
    }
    match is_like_the_failed_debit(context) {
        true => Ok(PaymentMatch::DoubtsFailed),
        false => Ok(PaymentMatch::Customers),
    }
}

/// Whether a payment is so large for a loan that it is probably a mistake: another loan's, or in another unit.
pub(crate) fn is_out_of_proportion(loan: &LoanRow, payment: &PaymentRow) -> bool {
    let payable = loan.loan.terms.as_ref().map(Terms::payable_minor);
    payable.is_some_and(|payable| payment.amount_minor > payable.saturating_mul(TIMES_OF_LOAN_MAX))
}

/// The payment has the reference of a debit.
fn match_named_debit(context: &PaymentContext<'_>, debit: &QueryRow) -> Result<PaymentMatch, StoreError> {
    let has_other_amount = debit.integer("amount_minor")? != context.payment.amount_minor;
    if debit.integer_if_any("reversed_at")?.is_some() {
        return Ok(PaymentMatch::Ours(PaymentOutcome::parked(TAKEN_BACK)));
    }
    Ok(match read_outcome(debit)? {
        OrderOutcome::Moved if has_other_amount => PaymentMatch::Ours(PaymentOutcome::parked(OTHER_AMOUNT)),
        OrderOutcome::Moved => PaymentMatch::Ours(PaymentOutcome::new(PaymentStatus::Echo)),
        OrderOutcome::Planned | OrderOutcome::Sent => PaymentMatch::Waits,
        OrderOutcome::NotMoved if is_the_failed_debit(context, debit)? => PaymentMatch::FailedMoved,
        OrderOutcome::NotMoved | OrderOutcome::Withdrawn => PaymentMatch::Ours(PaymentOutcome::parked(REPORTS_FAILED)),
    })
}

/// Whether a debit is the last one that failed, and its outcome may be opened again.
fn is_the_failed_debit(context: &PaymentContext<'_>, debit: &QueryRow) -> Result<bool, StoreError> {
    let loan = &context.loan.loan;
    let Some(failed) = loan.failed.as_ref().filter(|_| loan.may_reopen_failed()) else { return Ok(false) };
    let (instalment, attempt) = (i64::from(failed.order.instalment), i64::from(failed.order.attempt));
    Ok(debit.integer("instalment")? == instalment && debit.integer("attempt")? == attempt)
}

/// Whether a debit of this amount has just moved, or moved at any time without a reference that we were told. E11 may
/// have another reference than the answer to the debit.
fn is_like_a_debit_that_moved(tx: &mut dyn Transaction, context: &PaymentContext<'_>) -> Result<bool, StoreError> {
    let payment = context.payment;
    let moved_since = payment.received_at.milliseconds().saturating_sub(context.at.plan.own_debit_ms);
    let sql = "SELECT COUNT(*) AS alike FROM orders WHERE loan = $1 AND kind = 'debit' AND (outcome = 'moved' \
               OR reversed_at IS NOT NULL) AND amount_minor = $2 AND (transaction_ref IS NULL OR settled_at > $3)";
    let alike = tx.query(sql, &[context.loan.id.into(), payment.amount_minor.into(), moved_since.into()])?;
    Ok(alike.first().map_or(Ok(0), |row| row.integer("alike"))? > 0)
}

/// Whether the last debit that failed was of this amount, and the provider has not confirmed the failure since the
/// payment came.
fn is_like_the_failed_debit(context: &PaymentContext<'_>) -> bool {
    let (loan, payment) = (&context.loan.loan, context.payment);
    let Some(failed) = &loan.failed else { return false };
    let debit = &failed.order;
    let may_be = |sent: Timestamp| {
        let after = payment.received_at.milliseconds() - sent.milliseconds();
        (0..context.at.plan.own_debit_ms).contains(&after)
    };
    let collects = matches!(
        loan.state,
        LoanState::Open
            | LoanState::Collecting
            | LoanState::CollectionUnknown
            | LoanState::CollectionFailed
            | LoanState::Review
    );
    collects
        && debit.kind == OrderKind::Debit
        && debit.amount_minor == payment.amount_minor
        && debit.first_sent.is_some_and(may_be)
        && !failed.is_sure
        // After the clock was set back, a payment may have come later than now.
        && failed.confirmed_at.is_none_or(|confirmed| confirmed < payment.received_at.min(context.at.now))
}
