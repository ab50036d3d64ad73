//! Rows of the book as values. Knows nothing of how they change.

use serde_json::Value as Json;

use crate::base::time::Timestamp;
use crate::lender::loan::{Loan, LoanState, OrderKind, OrderOutcome, Terms};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::QueryRow;
use crate::provider::wire::Offer;

/// States as a list in SQL.
pub(super) fn quote_states(states: impl Iterator<Item = LoanState>) -> String {
    states.map(|state| format!("'{}'", state.word())).collect::<Vec<_>>().join(", ")
}

/// A loan of the book.
#[derive(Clone, Debug)]
pub(crate) struct LoanRow {
    /// Its number in the book.
    pub(crate) id: i64,
    /// The reference of its offer request.
    pub(crate) reference: String,
    /// The customer.
    pub(crate) customer_id: String,
    /// What the customer requested, as given.
    pub(crate) request: Json,
    /// The accepted offer.
    pub(crate) offer_id: Option<String>,
    /// Its name at the provider, once an offer is accepted.
    pub(crate) loan_id: Option<String>,
    /// The provider's reference of the acceptance.
    pub(crate) loan_reference_id: Option<String>,
    /// Everything else.
    pub(crate) loan: Loan,
    /// The process that works on it.
    pub(crate) instance: Option<i64>,
    /// Rises with every claim.
    pub(crate) epoch: i64,
    /// Rises with every change.
    pub(crate) version: i64,
    /// When it was requested.
    pub(crate) created_at: Timestamp,
    /// When it changed last.
    pub(crate) changed_at: Timestamp,
}

/// The columns of a [`LoanRow`].
pub(super) const LOAN_COLUMNS: &str = "id, reference, customer_id, request, offer_id, loan_id, loan_reference_id, \
    body, instance, epoch, version, created_at, changed_at";

pub(super) fn damaged_row(what: &str) -> StoreError {
    StoreError::Damaged(format!("{what} cannot be read"))
}

pub(super) fn read_moment(row: &QueryRow, column: &str) -> Result<Timestamp, StoreError> {
    Timestamp::from_milliseconds(row.integer(column)?).ok_or_else(|| damaged_row(column))
}

/// A loan without what has columns of its own.
pub(super) fn read_body(row: &QueryRow) -> Result<Loan, StoreError> {
    serde_json::from_str(row.text("body")?).map_err(|_| damaged_row("a loan"))
}

/// The kind of an order, of a row that has it.
pub(super) fn read_kind(row: &QueryRow) -> Result<OrderKind, StoreError> {
    OrderKind::from_word(row.text("kind")?).ok_or_else(|| damaged_row("the kind of an order"))
}

/// The outcome of an order, of a row that has it.
pub(super) fn read_outcome(row: &QueryRow) -> Result<OrderOutcome, StoreError> {
    OrderOutcome::from_word(row.text("outcome")?).ok_or_else(|| damaged_row("the outcome of an order"))
}

fn to_owned_text(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

impl LoanRow {
    pub(super) fn read(row: &QueryRow) -> Result<LoanRow, StoreError> {
        Ok(LoanRow {
            id: row.integer("id")?,
            reference: row.text("reference")?.to_owned(),
            customer_id: row.text("customer_id")?.to_owned(),
            request: serde_json::from_str(row.text("request")?).map_err(|_| damaged_row("a request"))?,
            offer_id: to_owned_text(row.text_if_any("offer_id")?),
            loan_id: to_owned_text(row.text_if_any("loan_id")?),
            loan_reference_id: to_owned_text(row.text_if_any("loan_reference_id")?),
            loan: read_body(row)?,
            instance: row.integer_if_any("instance")?,
            epoch: row.integer("epoch")?,
            version: row.integer("version")?,
            created_at: read_moment(row, "created_at")?,
            changed_at: read_moment(row, "changed_at")?,
        })
    }
}

/// An offer that was made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OfferRow {
    /// As it is sent.
    pub(crate) offer: Offer,
    /// What it comes to as a loan.
    pub(crate) terms: Terms,
    /// From when on it cannot be accepted.
    pub(crate) expires_at: Timestamp,
}

impl OfferRow {
    pub(super) fn read(row: &QueryRow) -> Result<OfferRow, StoreError> {
        Ok(OfferRow {
            offer: serde_json::from_str(row.text("offer")?).map_err(|_| damaged_row("an offer"))?,
            terms: serde_json::from_str(row.text("terms")?).map_err(|_| damaged_row("the terms of an offer"))?,
            expires_at: read_moment(row, "expires_at")?,
        })
    }
}

/// A transaction of money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderRow {
    /// The loan's number in the book.
    pub(crate) loan: i64,
    /// What it does.
    pub(crate) kind: OrderKind,
    /// The payment it collects; 0 for funding.
    pub(crate) instalment: i64,
    /// Counted from 1.
    pub(crate) attempt: i64,
    /// Its id at the provider.
    pub(crate) transaction_id: String,
    /// In minor units.
    pub(crate) amount_minor: i64,
    /// What became of it.
    pub(crate) outcome: OrderOutcome,
    /// The provider's own reference, if known.
    pub(crate) transaction_ref: Option<String>,
    /// When it was decided on.
    pub(crate) planned_at: Timestamp,
    /// When it left.
    pub(crate) sent_at: Option<Timestamp>,
    /// When its outcome was known.
    pub(crate) settled_at: Option<Timestamp>,
    /// When a person recorded that the money was taken back.
    pub(crate) reversed_at: Option<Timestamp>,
}

impl OrderRow {
    pub(super) fn read(row: &QueryRow) -> Result<OrderRow, StoreError> {
        let moment_if_any =
            |column: &str| Ok::<_, StoreError>(row.integer_if_any(column)?.and_then(Timestamp::from_milliseconds));
        Ok(OrderRow {
            loan: row.integer("loan")?,
            kind: read_kind(row)?,
            instalment: row.integer("instalment")?,
            attempt: row.integer("attempt")?,
            transaction_id: row.text("transaction_id")?.to_owned(),
            amount_minor: row.integer("amount_minor")?,
            outcome: read_outcome(row)?,
            transaction_ref: to_owned_text(row.text_if_any("transaction_ref")?),
            planned_at: read_moment(row, "planned_at")?,
            sent_at: moment_if_any("sent_at")?,
            settled_at: moment_if_any("settled_at")?,
            reversed_at: moment_if_any("reversed_at")?,
        })
    }
}
