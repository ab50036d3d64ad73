//! The file of one transaction: the order, then its outcomes, one per line. Knows nothing of folders.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The calls that move money.
const CALLS: [&str; 2] = ["fund", "debit"];

/// A fund or debit order, as recorded before it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LedgerOrder {
    /// The transaction.
    pub(crate) transaction_id: String,
    /// `fund` or `debit`.
    pub(crate) call: String,
    /// The loan.
    pub(crate) loan_id: String,
    /// In minor units.
    pub(crate) amount_minor: i64,
    /// Empty in ledgers of earlier versions, as are the fields below.
    #[serde(default)]
    pub(crate) currency: String,
    /// The customer.
    #[serde(default)]
    pub(crate) customer_id: String,
    /// The lender's own reference of the loan, if the call has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) loan_reference_id: Option<String>,
    /// The provider's host.
    #[serde(default)]
    pub(crate) host: String,
    /// When the order was recorded, as RFC 3339.
    #[serde(default)]
    pub(crate) at: String,
}

impl LedgerOrder {
    /// Whether both orders move the same money.
    pub(crate) fn is_same_as(&self, other: &LedgerOrder) -> bool {
        (&self.call, &self.loan_id, self.amount_minor) == (&other.call, &other.loan_id, other.amount_minor)
    }

    /// Whether both orders move money of the same loan in the same direction. Earlier versions accepted ids with spaces
    /// around them.
    pub(crate) fn has_same_loan_and_call(&self, other: &LedgerOrder) -> bool {
        self.call == other.call && self.loan_id.trim() == other.loan_id.trim()
    }
}

/// What is known about a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TransactionOutcome {
    /// The provider's receipt came.
    Done,
    /// A requery says that the money has moved.
    Succeeded,
    /// The provider refused the order. Only ledgers of earlier versions have this. It does not prove that no money
    /// moved.
    Refused,
    /// The money has not moved and will not. A requery says so, or a code by which the provider guarantees it.
    Failed,
    /// The order certainly did nothing, so it may be sent again.
    NotDone,
    /// The order may or may not have been carried out.
    Uncertain,
    /// A requery says that the provider has not finished with it.
    Pending,
    /// A requery says that the provider does not know it, or not yet.
    NotFound,
    /// The provider did not know it, and a person decided that it did nothing.
    Released,
}

impl TransactionOutcome {
    /// Whether this transaction may have moved money, or may still move it, without anybody knowing.
    pub(crate) fn is_open(self) -> bool {
        matches!(
            self,
            TransactionOutcome::Uncertain
                | TransactionOutcome::Pending
                | TransactionOutcome::NotFound
                | TransactionOutcome::Refused
        )
    }

    /// Whether the money has moved.
    pub(crate) fn is_carried_out(self) -> bool {
        matches!(self, TransactionOutcome::Done | TransactionOutcome::Succeeded)
    }

    /// Whether only another final outcome replaces this one.
    fn is_final(self) -> bool {
        self.is_carried_out() || self == TransactionOutcome::Failed
    }
}

impl fmt::Display for TransactionOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            TransactionOutcome::Done | TransactionOutcome::Succeeded => "it was carried out",
            TransactionOutcome::Refused => "the provider refused it, which does not prove that no money moved",
            TransactionOutcome::Failed => "it failed",
            TransactionOutcome::NotDone => "it certainly did nothing",
            TransactionOutcome::Uncertain => "whether it was carried out is not known",
            TransactionOutcome::Pending => "the provider has not finished with it",
            TransactionOutcome::NotFound => "the provider did not know it when it was last asked",
            TransactionOutcome::Released => "it was given up",
        })
    }
}

/// The content of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LedgerEntry {
    pub(crate) order: LedgerOrder,
    /// What is known. Uncertain if no outcome was recorded.
    pub(crate) outcome: TransactionOutcome,
}

#[derive(Deserialize)]
struct OutcomeLine {
    outcome: TransactionOutcome,
}

impl LedgerEntry {
    /// Parses a file. A damaged file may be about any loan.
    pub(crate) fn read(text: &str) -> Result<LedgerEntry, &'static str> {
        let mut lines = text.split_inclusive('\n');
        let first = lines.next().unwrap_or_default();
        let order = serde_json::from_str::<LedgerOrder>(first).map_err(|_| match first.ends_with('\n') {
            true => "its first line is not an order",
            false => "its first line is empty or cut off",
        })?;
        if !CALLS.contains(&order.call.as_str()) {
            return Err("its first line has a `call` that is neither `fund` nor `debit`");
        }
        let mut entry = LedgerEntry { order, outcome: TransactionOutcome::Uncertain };
        for line in lines {
            entry.add_line(line);
        }
        Ok(entry)
    }

    fn add_line(&mut self, line: &str) {
        // Another order, an outcome of another version, or an incomplete line leaves the outcome uncertain.
        let next = serde_json::from_str::<OutcomeLine>(line).map_or(TransactionOutcome::Uncertain, |line| line.outcome);
        // A late "not found" or a release does not undo a final outcome.
        if !self.outcome.is_final() || next.is_final() {
            self.outcome = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: &str = "{\"amountMinor\":5,\"call\":\"fund\",\"loanId\":\"L-1\",\"transactionId\":\"T-1\"}\n";

    #[test]
    fn the_last_line_is_the_outcome_unless_an_earlier_one_is_final() {
        for (lines, outcome) in [
            ("", TransactionOutcome::Uncertain),
            ("{\"outcome\":\"done\",\"detail\":{}}\n", TransactionOutcome::Done),
            ("{\"outcome\":\"refused\"}\n", TransactionOutcome::Refused),
            ("{\"outcome\":\"not_done\"}\n", TransactionOutcome::NotDone),
            ("{\"outcome\":\"not_done\"}\n{\"call\":\"fund\"}\n", TransactionOutcome::Uncertain),
            ("{\"outcome\":\"uncertain\"}\n{\"outcome\":\"failed\"}\n", TransactionOutcome::Failed),
            ("{\"outcome\":\"succeeded\"}\n{\"outcome\":\"not_found\"}\n", TransactionOutcome::Succeeded),
            ("{\"outcome\":\"not_found\"}\n{\"outcome\":\"released\"}\n", TransactionOutcome::Released),
            (
                "{\"outcome\":\"done\"}\n{\"outcome\":\"not_found\"}\n{\"outcome\":\"released\"}\n",
                TransactionOutcome::Done,
            ),
            ("{\"outcome\":\"released\"}\n{\"outcome\":\"succeeded\"}\n", TransactionOutcome::Succeeded),
            ("{\"outcome\":\"refused\"}\n{\"outc", TransactionOutcome::Uncertain),
            ("{\"outcome\":\"done\"}\n{\"outc", TransactionOutcome::Done),
            ("{\"outcome\":\"word of another version\"}\n", TransactionOutcome::Uncertain),
        ] {
            let entry = LedgerEntry::read(&format!("{ORDER}{lines}"));
            assert_eq!(entry.map(|entry| entry.outcome), Ok(outcome), "{lines}");
        }
    }

    #[test]
    fn a_damaged_order_is_refused() {
        for kept in [0, 1, ORDER.len() - 2] {
            assert_eq!(LedgerEntry::read(&ORDER[..kept]), Err("its first line is empty or cut off"));
        }
        let unknown = ORDER.replace("fund", "fumd");
        for text in ["{}\n", "\n", &format!("\n{ORDER}"), &unknown, &format!("{unknown}{{\"outcome\":\"failed\"}}\n")] {
            assert!(LedgerEntry::read(text).is_err(), "{text}");
        }
    }
}
