//! Transactions of money, one under each id, and messages to customers. Knows nothing of what a transaction may do.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use serde::Serialize;

/// How many messages are kept.
const MESSAGES_KEPT: usize = 10_000;

#[derive(Default)]
pub(super) struct Transactions {
    pub(super) all: IndexMap<String, Transaction>,
    pub(super) messages: VecDeque<Sms>,
    /// How many debits were refused on request.
    pub(super) debits_refused: u32,
    /// How often a customer has tried to pay.
    pub(super) repayments: u64,
}

/// A transaction of money.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    /// The caller's id.
    pub transaction_id: String,
    /// The provider's reference.
    pub transaction_ref: String,
    /// The loan.
    pub loan_id: String,
    /// Credit or debit.
    pub kind: TransactionKind,
    /// The amount, in minor units; `None` if the request had no valid amount.
    pub amount: Option<i64>,
    /// When it came.
    pub at: DateTime<Utc>,
    /// Its outcome.
    pub outcome: StoredOutcome,
    /// How often E9 asked about it.
    pub requeries: u32,
    #[serde(skip)]
    pub(super) fingerprint: String,
}

/// What a transaction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TransactionKind {
    /// Credits the customer (E6).
    Fund,
    /// Debits the customer (E8).
    Debit,
}

/// The outcome of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum StoredOutcome {
    /// The money has moved.
    Succeeded,
    /// The money has not moved, and never will under this id.
    Failed {
        /// Why.
        message: String,
    },
}

/// A message to a customer (E7).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sms {
    /// When it came.
    pub at: DateTime<Utc>,
    /// The customer.
    pub customer_id: String,
    /// Its loan.
    pub loan_id: String,
    /// The length of the message, in characters. The text is not kept.
    pub characters: usize,
}

impl Transactions {
    /// Adds a message; drops the oldest if there are too many.
    pub(super) fn add_message(&mut self, message: Sms) {
        if self.messages.len() >= MESSAGES_KEPT {
            self.messages.pop_front();
        }
        self.messages.push_back(message);
    }
}
