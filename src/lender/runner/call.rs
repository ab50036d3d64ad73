//! The calls that a loan needs, and what comes of them. Knows nothing of how they are made.

use serde_json::Value as Json;

use crate::base::money::{Currency, Money};
use crate::lender::loan::{Event, OrderKind};
use crate::lender::loan_book::{Facts, LoanRow, OwnHistory};
use crate::lender::sources::{FoundInputs, Subject};
use crate::provider::wire::SendOffers;
use crate::provider::wire::lending::{Requery, SentAmount, SentTransactionId, VerifyAccount};

/// A call to the world outside.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    /// Fetch the statement (E2) and decide.
    Decide(DecisionRequest),
    /// Answer the offer request (E3).
    Answer(SendOffers),
    /// Verify the account (E5).
    Verify(VerifyAccount),
    /// Move money (E6, E8).
    Move(Transfer),
    /// Query what became of a transaction (E9).
    Query(TransactionQuery),
    /// Query once more what became of a transaction that failed (E9).
    QueryFailed(TransactionQuery),
}

/// A transaction of money that the provider is queried about (E9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TransactionQuery {
    /// The transaction.
    pub(crate) transaction_id: String,
    /// The loan.
    pub(crate) loan_id: String,
    /// What was sent, in minor units: an answer about another amount counts for nothing.
    pub(crate) amount_minor: i64,
    /// ISO 4217, numeric.
    pub(crate) currency: String,
}

impl TransactionQuery {
    /// The call; `None` if the id is none that can have been sent.
    pub(crate) fn to_requery(&self) -> Option<Requery> {
        let currency = Currency::from_numeric(&self.currency);
        Some(Requery {
            transaction_id: SentTransactionId::recall(&*self.transaction_id).ok()?,
            loan_id: self.loan_id.clone(),
            sent: currency.map(|currency| SentAmount { amount: Money::from_minor(self.amount_minor), currency }),
        })
    }
}

impl Call {
    /// The call that decides on a loan that was requested.
    pub(crate) fn decide(row: &LoanRow) -> Call {
        Call::Decide(DecisionRequest {
            reference: row.reference.clone(),
            customer_id: row.customer_id.clone(),
            request: row.request.clone(),
            own: OwnHistory::default(),
            found: FoundInputs::default(),
        })
    }
}

/// What is to be decided.
#[derive(Clone, Debug)]
pub(crate) struct DecisionRequest {
    /// The offer request, which the decision names.
    pub(crate) reference: String,
    /// The customer.
    pub(crate) customer_id: String,
    /// What the customer requested, by the fields of the interface.
    pub(crate) request: Json,
    /// What the book knows of the customer, if a policy reads it.
    pub(crate) own: OwnHistory,
    /// What sources gave besides.
    pub(crate) found: FoundInputs,
}

impl DecisionRequest {
    /// The person of whom sources are queried.
    pub(crate) fn subject(&self) -> Subject {
        Subject {
            customer: Some(self.customer_id.clone()),
            reference: self.reference.clone(),
            request: self.request.as_object().cloned().unwrap_or_default(),
        }
    }
}

/// An order of money with everything that its call says: a disbursement (E6) or a debit (E8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// Credit or debit.
    pub(crate) kind: OrderKind,
    /// Its id, which never changes.
    pub(crate) transaction_id: String,
    /// The loan.
    pub(crate) loan_id: String,
    /// The customer.
    pub(crate) customer_id: String,
    /// The provider's reference of the acceptance.
    pub(crate) loan_reference_id: String,
    /// In minor units.
    pub(crate) amount_minor: i64,
    /// ISO 4217, numeric.
    pub(crate) currency: String,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub(crate) struct CallOutcome {
    /// What it means for the loan.
    pub(crate) event: Event,
    /// What is recorded with it.
    pub(crate) facts: Facts,
}

impl CallOutcome {
    /// An event without further facts.
    pub(crate) fn new(event: Event) -> CallOutcome {
        CallOutcome { event, facts: Facts::default() }
    }

    /// The answer of a query about a transaction that had failed.
    pub(crate) fn about_failed(mut self) -> CallOutcome {
        self.event = match self.event {
            Event::Moved => Event::FailedMoved,
            // What the provider does not know has not moved either.
            Event::ReportedFailed | Event::NotFound => Event::StillFailed,
            other => other,
        };
        self
    }

    /// An event, and why, in words without personal data.
    pub(crate) fn with_note(event: Event, note: impl Into<String>) -> CallOutcome {
        CallOutcome { event, facts: Facts { note: Some(note.into()), ..Facts::default() } }
    }
}
