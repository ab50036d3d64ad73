//! The outcome of a call that moves money and has no receipt. Knows nothing of how it was sent.

use super::{Class, Error};
use crate::provider::wire::lending::{PersistedTransactionId, SentTransactionId};

/// E6 or E8 without a receipt. Each variant says what may be done next. None allows sending a transaction again that
/// may have happened.
#[derive(Debug, thiserror::Error)]
pub enum MoneyError {
    /// Nothing happened: the right to send is returned.
    #[error("{error}")]
    NotDone {
        /// Why.
        error: Error,
        /// The right to send again.
        right: PersistedTransactionId,
    },
    /// The provider refused with a code that guarantees that no money moved, one from the setting
    /// `money.refused_codes`. The id is spent; another transaction may be sent.
    #[error("{error}")]
    Refused {
        /// The provider's code and message.
        error: Error,
        /// The transaction to requery.
        transaction_id: SentTransactionId,
    },
    /// It may or may not have happened.
    #[error("{error}")]
    Uncertain {
        /// What went wrong.
        error: Error,
        /// The transaction to requery.
        transaction_id: SentTransactionId,
    },
}

impl MoneyError {
    pub(crate) fn new(error: Error, right: PersistedTransactionId) -> Self {
        let error = error.with_transaction(right.id().as_str());
        match error.class() {
            Class::NotSent | Class::RateLimited | Class::Authentication | Class::Configuration => {
                MoneyError::NotDone { error, right }
            }
            Class::Rejected => MoneyError::Refused { error, transaction_id: right.into_sent() },
            Class::Uncertain | Class::Malformed | Class::TooLarge | Class::Timeout | Class::Unavailable => {
                MoneyError::Uncertain { error, transaction_id: right.into_sent() }
            }
        }
    }

    /// The failure of the call.
    pub fn error(&self) -> &Error {
        match self {
            MoneyError::NotDone { error, .. }
            | MoneyError::Refused { error, .. }
            | MoneyError::Uncertain { error, .. } => error,
        }
    }

    /// The transaction's id.
    pub fn transaction_id(&self) -> &str {
        match self {
            MoneyError::NotDone { right, .. } => right.id().as_str(),
            MoneyError::Refused { transaction_id, .. } | MoneyError::Uncertain { transaction_id, .. } => {
                transaction_id.as_str()
            }
        }
    }

    /// Whether it may or may not have happened.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, MoneyError::Uncertain { .. })
    }
}
