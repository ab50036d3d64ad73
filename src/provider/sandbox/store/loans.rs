//! A loan and its ledger. The amount owed always equals what remains plus what was collected. Knows nothing of who asks
//! for a change.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use indexmap::IndexMap;
use serde::Serialize;

use super::newest::Newest;
use super::refusal::Refusal;

#[derive(Default)]
pub(super) struct Loans {
    all: IndexMap<String, Loan>,
    /// Ids of loans, by the references under which they were accepted.
    by_reference: HashMap<String, String>,
    /// Ids of loans, by their offers.
    by_offer: HashMap<String, String>,
}

/// The channel of a loan whose offer answers no particular offer request.
pub(super) const DEFAULT_CHANNEL: &str = "WEB";

/// A loan: made by E4, funded by E6, paid back by E8 or by the customer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Loan {
    /// Identifies the loan.
    pub loan_id: String,
    /// The caller's own reference.
    pub loan_reference_id: String,
    /// The offer that was accepted.
    pub offer_id: String,
    /// The customer.
    pub customer_id: String,
    /// The channel of the loan's offer request, or `WEB` if the offer answers no particular one.
    pub channel_code: String,
    /// ISO 4217, numeric.
    pub currency: String,
    /// The principal, in minor units.
    pub amount_offered: i64,
    /// The fee, in minor units.
    pub fee: i64,
    /// The amount owed once the loan is funded, in minor units.
    pub amount_payable: i64,
    /// How long the loan runs, in days.
    pub tenure: u32,
    /// Whether less than all that remains may be collected at once.
    pub is_part_payment_allowed: bool,
    /// Its state.
    pub state: SandboxLoanState,
    /// When it is due; known once it is funded.
    pub due_date: Option<DateTime<Utc>>,
    /// The amount still to be paid, in minor units.
    pub remaining: i64,
    /// What happened, in order.
    pub ledger: Vec<LoanLedgerEntry>,
    #[serde(skip)]
    pub(super) fingerprint: String,
}

/// The state of a loan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SandboxLoanState {
    /// The offer was accepted; no money has moved.
    Accepted,
    /// Funded, and not paid back.
    Open,
    /// Paid back.
    Closed,
}

/// One line of a ledger.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoanLedgerEntry {
    /// When it happened.
    pub at: DateTime<Utc>,
    /// What happened.
    pub kind: EntryKind,
    /// The amount, in minor units.
    pub amount: i64,
    /// The transaction's id, or the payment's reference.
    pub reference: String,
    /// What remained afterwards, in minor units.
    pub remaining: i64,
}

/// The kinds of lines of a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// The customer was credited (E6).
    Funded,
    /// The lender collected (E8).
    Debited,
    /// The customer paid.
    Repaid,
}

impl Loan {
    /// The total amount owed: 0 before the funding.
    pub fn owed(&self) -> i64 {
        if self.state == SandboxLoanState::Accepted { 0 } else { self.amount_payable }
    }

    /// The amount collected so far, by the ledger.
    pub fn collected(&self) -> i64 {
        self.ledger.iter().filter(|entry| entry.kind != EntryKind::Funded).map(|entry| entry.amount).sum()
    }

    /// Whether the amount owed equals what remains plus what was collected.
    pub fn is_balanced(&self) -> bool {
        self.owed() == self.remaining + self.collected()
    }

    /// Pays the loan out. The caller has checked that it may.
    pub(super) fn fund(&mut self, at: DateTime<Utc>, amount: i64, reference: &str) {
        self.state = SandboxLoanState::Open;
        self.remaining = self.amount_payable;
        // A tenure beyond the calendar has no due date.
        self.due_date = TimeDelta::try_days(self.tenure.into()).and_then(|length| at.checked_add_signed(length));
        self.note(at, EntryKind::Funded, amount, reference);
    }

    /// Records a payment. The caller has checked that it is at most what remains.
    pub(super) fn collect(&mut self, at: DateTime<Utc>, kind: EntryKind, amount: i64, reference: &str) {
        self.remaining -= amount;
        if self.remaining == 0 {
            self.state = SandboxLoanState::Closed;
        }
        self.note(at, kind, amount, reference);
    }

    fn note(&mut self, at: DateTime<Utc>, kind: EntryKind, amount: i64, reference: &str) {
        self.ledger.push(LoanLedgerEntry {
            at,
            kind,
            amount,
            reference: reference.to_owned(),
            remaining: self.remaining,
        });
    }
}

impl Loans {
    /// Adds a loan. The caller has checked that neither its reference nor its offer has been used.
    pub(super) fn add(&mut self, loan: Loan) {
        self.by_reference.insert(loan.loan_reference_id.clone(), loan.loan_id.clone());
        self.by_offer.insert(loan.offer_id.clone(), loan.loan_id.clone());
        self.all.insert(loan.loan_id.clone(), loan);
    }

    pub(super) fn newest(&self, most: usize) -> Newest<Loan> {
        Newest::last_of(self.all.values(), most)
    }

    pub(super) fn get(&self, loan_id: &str) -> Option<&Loan> {
        self.all.get(loan_id)
    }

    pub(super) fn get_mut(&mut self, loan_id: &str) -> Option<&mut Loan> {
        self.all.get_mut(loan_id)
    }

    /// The loan that was accepted under a reference.
    pub(super) fn by_reference(&self, loan_reference_id: &str) -> Option<&Loan> {
        self.by_reference.get(loan_reference_id).and_then(|loan_id| self.all.get(loan_id))
    }

    /// Whether an offer has become a loan.
    pub(super) fn has_offer(&self, offer_id: &str) -> bool {
        self.by_offer.contains_key(offer_id)
    }

    /// A customer's loan. Another customer's loan is refused like one that does not exist.
    pub(super) fn customers_loan(&mut self, loan_id: &str, customer_id: &str) -> Result<&mut Loan, Refusal> {
        let found = self.all.get_mut(loan_id).filter(|loan| loan.customer_id == customer_id);
        found.ok_or_else(|| Refusal::unknown("no loan with this `loanId` and `customerId`"))
    }
}
