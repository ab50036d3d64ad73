//! What became of a call that moves money and has no receipt. Knows nothing of how it was sent.

use super::{Class, Error};
use crate::wire::lending::{PersistedTransactionId, SentTransactionId};

/// E6 or E8 without a receipt. Each variant says what may be done next; none of them allows to send the same transaction
/// again where it may have happened.
#[derive(Debug, thiserror::Error)]
pub enum MoneyError {
    /// Surely nothing happened: the right to send comes back.
    #[error("{error}")]
    NotDone {
        /// Why.
        error: Error,
        /// What may be sent again.
        right: PersistedTransactionId,
    },
    /// The provider refused with a code by which it guarantees that no money moved: one that the setting
    /// `money.refused_codes` lists. The id is spent; another transaction may be sent.
    #[error("{error}")]
    Refused {
        /// The provider's code and message.
        error: Error,
        /// What to requery.
        transaction_id: SentTransactionId,
    },
    /// It may or may not have happened.
    #[error("{error}")]
    Uncertain {
        /// What was lost.
        error: Error,
        /// What to requery.
        transaction_id: SentTransactionId,
    },
}

impl MoneyError {
    pub(crate) fn new(error: Error, right: PersistedTransactionId) -> Self {
        let error = error.of_transaction(right.id().as_str());
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
