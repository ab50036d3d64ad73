//! Payments as the book keeps them, and which of them report a debit of ours. A payment is posted at most once. Must
//! not know how one arrives.

use serde_json::json;

use super::audit::AuditEntry;
use super::rows::{LoanRow, damaged_row, read_moment};
use crate::base::time::Timestamp;
use crate::lender::loan::LoanState;
use crate::lender::store::database::Transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::value::QueryRow;

/// What became of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PaymentStatus {
    /// Stored, and not looked at yet.
    Received,
    /// It waits for the outcome of a transaction of money.
    Waiting,
    /// It is in the loan's account.
    Posted,
    /// It reports a debit of ours, which is in the account already.
    Echo,
    /// It fits nothing. A person decides.
    Parked,
    /// A person decided that it counts for no loan.
    Dismissed,
}

impl PaymentStatus {
    pub(crate) const ALL: [PaymentStatus; 6] = [
        PaymentStatus::Received,
        PaymentStatus::Waiting,
        PaymentStatus::Posted,
        PaymentStatus::Echo,
        PaymentStatus::Parked,
        PaymentStatus::Dismissed,
    ];

    /// The word for it, in the store and on screens.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            PaymentStatus::Received => "received",
            PaymentStatus::Waiting => "waiting",
            PaymentStatus::Posted => "posted",
            PaymentStatus::Echo => "echo",
            PaymentStatus::Parked => "parked",
            PaymentStatus::Dismissed => "dismissed",
        }
    }
}

/// A payment of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PaymentRow {
    /// The provider's reference.
    pub(crate) payment_ref: String,
    /// Of the notification.
    pub(crate) digest: String,
    /// The loan as the notification names it.
    pub(crate) loan_id: String,
    /// The customer as the notification names them.
    pub(crate) customer_id: String,
    /// In minor units.
    pub(crate) amount_minor: i64,
    /// What became of it.
    pub(crate) status: PaymentStatus,
    /// Why it is parked.
    pub(crate) reason: Option<String>,
    /// The loan's number in the book.
    pub(crate) loan: Option<i64>,
    /// When it came.
    pub(crate) received_at: Timestamp,
}

/// The columns of a [`PaymentRow`].
pub(super) const PAYMENT_COLUMNS: &str =
    "payment_ref, digest, loan_id, customer_id, amount_minor, standing, reason, loan, received_at";

impl PaymentRow {
    pub(super) fn read(row: &QueryRow) -> Result<PaymentRow, StoreError> {
        let word = row.text("standing")?;
        let status = PaymentStatus::ALL.into_iter().find(|status| status.word() == word);
        Ok(PaymentRow {
            payment_ref: row.text("payment_ref")?.to_owned(),
            digest: row.text("digest")?.to_owned(),
            loan_id: row.text("loan_id")?.to_owned(),
            customer_id: row.text("customer_id")?.to_owned(),
            amount_minor: row.integer("amount_minor")?,
            status: status.ok_or_else(|| damaged_row("a payment"))?,
            reason: row.text_if_any("reason")?.map(str::to_owned),
            loan: row.integer_if_any("loan")?,
            received_at: read_moment(row, "received_at")?,
        })
    }
}

/// What becomes of a payment, and why if it is parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PaymentOutcome {
    pub(super) status: PaymentStatus,
    pub(super) reason: Option<&'static str>,
}

impl PaymentOutcome {
    pub(super) fn new(status: PaymentStatus) -> PaymentOutcome {
        PaymentOutcome { status, reason: None }
    }

    pub(super) fn parked(reason: &'static str) -> PaymentOutcome {
        PaymentOutcome { status: PaymentStatus::Parked, reason: Some(reason) }
    }
}

pub(super) const TAKES_NONE: &str = "the loan takes no payments";

/// The payments that wait for the outcome of a transaction of money of a loan, oldest first.
pub(super) fn list_waiting(tx: &mut dyn Transaction, loan: i64) -> Result<Vec<PaymentRow>, StoreError> {
    let sql = format!(
        "SELECT {PAYMENT_COLUMNS} FROM payments WHERE loan = $1 AND standing = 'waiting' ORDER BY received_at, \
         payment_ref"
    );
    tx.query(&sql, &[loan.into()])?.iter().map(PaymentRow::read).collect()
}

/// Whether a loan in this state may still take payments later.
pub(super) fn may_take_payments_later(state: LoanState) -> bool {
    matches!(
        state,
        LoanState::Verifying
            | LoanState::AccountWrong
            | LoanState::Funding
            | LoanState::FundingUnknown
            | LoanState::FundingFailed
            | LoanState::Review
    )
}

/// Records what became of a payment. It is settled once.
pub(super) fn settle_payment(
    tx: &mut dyn Transaction,
    payment: &PaymentRow,
    outcome: PaymentOutcome,
    loan: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE payments SET standing = $1, reason = $2, loan = $3, settled_at = $4 WHERE payment_ref = $5 AND \
               digest = $6 AND standing IN ('received', 'waiting')";
    let values = [
        outcome.status.word().into(),
        outcome.reason.into(),
        loan.into(),
        now.milliseconds().into(),
        payment.payment_ref.as_str().into(),
        payment.digest.as_str().into(),
    ];
    match tx.execute(sql, &values)? {
        1 => Ok(()),
        _ => Err(StoreError::Programming("a payment was settled twice".to_owned())),
    }
}

/// The audit's row of a payment that had waited.
pub(super) fn audit_entry<'e>(
    payment: &PaymentRow,
    outcome: PaymentOutcome,
    row: &LoanRow,
    now: Timestamp,
) -> AuditEntry<'e> {
    let detail = json!({
        "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor,
        "standing": outcome.status.word(), "reason": outcome.reason, "to": row.loan.state.word(),
    });
    AuditEntry { at: now, loan: Some(row.id), actor: "provider", event: "payment", detail }
}
