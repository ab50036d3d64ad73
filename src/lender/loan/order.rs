//! One transaction of money: a disbursement to the customer, or a debit. Knows nothing of how it is carried out.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::time::Timestamp;

/// What a transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderKind {
    /// Credits the customer (E6).
    Fund,
    /// Debits the customer (E8).
    Debit,
}

impl OrderKind {
    /// The kind of a word.
    pub(crate) fn from_word(word: &str) -> Option<OrderKind> {
        [OrderKind::Fund, OrderKind::Debit].into_iter().find(|kind| kind.word() == word)
    }

    /// The word for it, in the store and on screens.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            OrderKind::Fund => "fund",
            OrderKind::Debit => "debit",
        }
    }
}

impl fmt::Display for OrderKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// How far a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "progress")]
pub(crate) enum Progress {
    /// Not a byte has left.
    Planned,
    /// It may have left, at the latest at this moment, and is never sent again by itself.
    Sent {
        /// When.
        at: Timestamp,
    },
}

/// A transaction of money that is planned, or has an unknown outcome. A loan has at most one at a time, and in all at
/// most one for each kind, instalment and attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    /// What it does.
    pub(crate) kind: OrderKind,
    /// The payment that it collects, counted from 1; 0 for funding.
    pub(crate) instalment: u32,
    /// Counted from 1. There is another attempt only after this one certainly failed.
    pub(crate) attempt: u32,
    /// In minor units, above zero.
    pub(crate) amount_minor: i64,
    /// How far it is.
    pub(crate) progress: Progress,
    /// When it may first have left. It stays when the order is planned again after "not found": the first one may still
    /// be carried out.
    #[serde(default)]
    pub(crate) first_sent: Option<Timestamp>,
    /// Whether it is queried before it is sent: it may have left before the book was restored from a backup.
    #[serde(default)]
    pub(crate) ask_first: bool,
}

impl Order {
    /// Whether it may have left, now or earlier, also without the book knowing.
    pub(crate) fn may_have_left(&self) -> bool {
        self.first_sent.is_some() || self.ask_first
    }

    /// When it was sent last, unless it is to be sent.
    pub(crate) fn sent_at(&self) -> Option<Timestamp> {
        match self.progress {
            Progress::Planned => None,
            Progress::Sent { at } => Some(at),
        }
    }
}
