//! The calls that a loan asks for, and what is heard of them. Knows nothing of how they are made.

use serde_json::Value as Json;

use super::private::Private;
use crate::lender::loan::{Event, Kind, Verdict};
use crate::lender::loan_book::{Facts, LoanRow};
use crate::provider::wire::Offer;

/// A call to the world outside.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    /// Fetch the statement (E2) and decide.
    Decide {
        /// The offer request.
        reference: String,
        /// The customer.
        customer_id: String,
        /// What was asked for.
        request: Json,
    },
    /// Answer the offer request (E3).
    Answer {
        /// The offer request.
        reference: String,
        /// What was decided.
        verdict: Verdict,
        /// The offers; none for a decline.
        offers: Vec<Offer>,
    },
    /// Verify the account (E5).
    Verify {
        /// The customer.
        customer_id: String,
        /// The account.
        private: Private,
    },
    /// Move money (E6, E8).
    Move(Money),
    /// Ask what became of a transaction (E9).
    Ask {
        /// The transaction.
        transaction_id: String,
        /// The loan.
        loan_id: String,
    },
}

impl Call {
    /// The call that decides on a loan that was asked for.
    pub(crate) fn decide(row: &LoanRow) -> Call {
        Call::Decide {
            reference: row.reference.clone(),
            customer_id: row.customer_id.clone(),
            request: row.request.clone(),
        }
    }
}

/// A transaction of money to be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Money {
    /// Credit or debit.
    pub(crate) kind: Kind,
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

/// What was heard of a call.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    /// What it means for the loan.
    pub(crate) event: Event,
    /// What is recorded with it.
    pub(crate) facts: Facts,
}

impl Heard {
    /// An event without further facts.
    pub(crate) fn event(event: Event) -> Heard {
        Heard { event, facts: Facts::default() }
    }

    /// An event, and why, in words without personal data.
    pub(crate) fn because(event: Event, note: impl Into<String>) -> Heard {
        Heard { event, facts: Facts { note: Some(note.into()), ..Facts::default() } }
    }
}
