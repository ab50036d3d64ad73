//! One transaction of money: a credit or a debit of the customer. Knows nothing of how it is carried out.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::time::Timestamp;

/// What a transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Credits the customer (E6).
    Fund,
    /// Debits the customer (E8).
    Debit,
}

impl Kind {
    /// The word for it, in the store and on screens.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Kind::Fund => "fund",
            Kind::Debit => "debit",
        }
    }
}

impl fmt::Display for Kind {
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

/// A transaction of money that is planned, or whose outcome is not known. There is at most one per loan, and at most
/// one for each kind, instalment and attempt ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    /// What it does.
    pub(crate) kind: Kind,
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
    /// Whether it is asked about before it is sent: it may have left before the book was restored from a backup.
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
