//! The states of a loan, and everything that is remembered about one. Knows nothing of how a state changes.

use serde::{Deserialize, Serialize};

use super::failed_order::FailedOrder;
use super::instalment::Instalment;
use super::order::Order;
use super::terms::Terms;
use crate::base::time::Timestamp;

/// Where a loan is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoanState {
    /// Offers were requested. To be decided.
    Requested,
    /// Decided. The answer is to be sent to the provider (E3).
    Answering,
    /// A person decides.
    Referred,
    /// Offers were made. The customer may accept one.
    Offered,
    /// No offer was made. Final.
    Declined,
    /// No offer was accepted in time. Final.
    Expired,
    /// An offer was accepted. The account is to be verified (E5).
    Verifying,
    /// The account is not the customer's. Another may be given while the offer is valid.
    AccountWrong,
    /// The customer is to be credited (E6).
    Funding,
    /// It is not known whether the customer was credited. To be queried (E9).
    FundingUnknown,
    /// The customer was certainly not credited. A person decides.
    FundingFailed,
    /// Given up before any money moved. Final.
    Cancelled,
    /// Credited. The next payment is not due yet.
    Open,
    /// A payment is due and to be collected (E8).
    Collecting,
    /// It is not known whether the payment was collected. To be queried (E9).
    CollectionUnknown,
    /// The payment was certainly not collected. To be tried again.
    CollectionFailed,
    /// Paid back. Final, unless more is paid.
    Closed,
    /// More was paid than owed. A person pays it back.
    Overpaid,
    /// Given up by a person. Payments are still recorded.
    WrittenOff,
    /// Nothing more happens by itself. A person decides.
    Review,
}

impl LoanState {
    /// All states, in the order of a life.
    pub(crate) const ALL: [LoanState; 20] = [
        LoanState::Requested,
        LoanState::Answering,
        LoanState::Referred,
        LoanState::Offered,
        LoanState::Declined,
        LoanState::Expired,
        LoanState::Verifying,
        LoanState::AccountWrong,
        LoanState::Funding,
        LoanState::FundingUnknown,
        LoanState::FundingFailed,
        LoanState::Cancelled,
        LoanState::Open,
        LoanState::Collecting,
        LoanState::CollectionUnknown,
        LoanState::CollectionFailed,
        LoanState::Closed,
        LoanState::Overpaid,
        LoanState::WrittenOff,
        LoanState::Review,
    ];

    /// The word for it, in the store and on screens.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            LoanState::Requested => "requested",
            LoanState::Answering => "answering",
            LoanState::Referred => "referred",
            LoanState::Offered => "offered",
            LoanState::Declined => "declined",
            LoanState::Expired => "expired",
            LoanState::Verifying => "verifying",
            LoanState::AccountWrong => "account_wrong",
            LoanState::Funding => "funding",
            LoanState::FundingUnknown => "funding_unknown",
            LoanState::FundingFailed => "funding_failed",
            LoanState::Cancelled => "cancelled",
            LoanState::Open => "open",
            LoanState::Collecting => "collecting",
            LoanState::CollectionUnknown => "collection_unknown",
            LoanState::CollectionFailed => "collection_failed",
            LoanState::Closed => "closed",
            LoanState::Overpaid => "overpaid",
            LoanState::WrittenOff => "written_off",
            LoanState::Review => "review",
        }
    }

    /// The state of a word.
    pub(crate) fn from_word(word: &str) -> Option<LoanState> {
        LoanState::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Whether nothing happens any more.
    pub(crate) fn is_final(self) -> bool {
        matches!(self, LoanState::Declined | LoanState::Expired | LoanState::Cancelled | LoanState::Closed)
    }

    /// Whether a person has to act.
    pub(crate) fn needs_person(self) -> bool {
        matches!(self, LoanState::Referred | LoanState::FundingFailed | LoanState::Overpaid | LoanState::Review)
    }

    /// Whether an order of money is planned, under way, or has an unknown outcome.
    pub(crate) fn has_order_under_way(self) -> bool {
        matches!(self, LoanState::Funding | LoanState::Collecting) || self.is_unknown()
    }

    /// Whether the outcome of a call that moves money is not known.
    pub(crate) fn is_unknown(self) -> bool {
        matches!(self, LoanState::FundingUnknown | LoanState::CollectionUnknown)
    }
}

/// Why a person has to look at a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    /// The statement cannot be decided on: it is damaged, or the policy refuses it.
    Undecidable,
    /// The statement could not be fetched in time.
    NotFetched,
    /// The provider refused the answer.
    AnswerRefused,
    /// The answer could not be sent in time.
    NotAnswered,
    /// The account could not be verified in time.
    NotVerified,
    /// The money could not be sent in time. Nothing was sent.
    NotSent,
    /// The provider has not reported in time whether the money moved.
    Unknown,
    /// The provider does not know the transaction.
    NotFound,
    /// All tries to collect a payment failed.
    NotCollected,
    /// The loan's payments have no due dates.
    NoDueDate,
    /// The provider reported a transaction as failed, and then as moved.
    Contradicted,
    /// A debit or a payment was taken back, and is owed again.
    Reversed,
}

impl Cause {
    /// For people.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Cause::Undecidable => "the statement cannot be decided on",
            Cause::NotFetched => "the statement could not be fetched in time",
            Cause::AnswerRefused => "the provider refused the answer",
            Cause::NotAnswered => "the answer could not be sent in time",
            Cause::NotVerified => "the account could not be verified in time",
            Cause::NotSent => "the money could not be sent in time; nothing was sent",
            Cause::Unknown => "the provider has not said in time whether the money moved",
            Cause::NotFound => "the provider does not know the transaction",
            Cause::NotCollected => "all tries to collect the payment failed",
            Cause::NoDueDate => "the payments have no due dates",
            Cause::Reversed => "a debit or a payment was taken back and is owed again",
            Cause::Contradicted => "the provider said that a transaction failed, and then that it moved",
        }
    }
}

/// What was decided on an offer request. Its names in the store are those of the first version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub(crate) enum LoanDecision {
    /// Offers, which are valid until then.
    Offer {
        /// When the last of them expires.
        until: Timestamp,
    },
    /// No offer.
    Decline,
}

/// Everything that is remembered about a loan, apart from personal data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Loan {
    /// Where it is.
    pub(crate) state: LoanState,
    /// Since when.
    pub(crate) since: Timestamp,
    /// When something is to be done next; `None` if the loan waits for a person or a customer.
    pub(crate) wake: Option<Timestamp>,
    /// How often this state's call has been tried in vain.
    #[serde(default)]
    pub(crate) tries: u32,
    /// The decision, once there is one.
    #[serde(default, rename = "verdict")]
    pub(crate) decision: Option<LoanDecision>,
    /// The accepted terms.
    #[serde(default)]
    pub(crate) terms: Option<Terms>,
    /// Whether the acceptance is not answered yet: a refused account is then told by the reply, and not by message.
    #[serde(default)]
    pub(crate) is_reply_awaited: bool,
    /// The payments, once the loan is funded.
    #[serde(default)]
    pub(crate) instalments: Vec<Instalment>,
    /// The transaction of money that is planned, or has an unknown outcome.
    #[serde(default)]
    pub(crate) order: Option<Order>,
    /// The last transaction that failed, until one moves.
    #[serde(default)]
    pub(crate) failed: Option<FailedOrder>,
    /// How many transactions were planned to fund the loan. The number never goes back.
    #[serde(default)]
    pub(crate) fundings: u32,
    /// The most attempts at a debit of a payment before the payout was taken back and made again. Each attempt has a
    /// number of its own.
    #[serde(default)]
    pub(crate) debits_before: u32,
    /// How many of the plan's tries were made for the current payment.
    #[serde(default)]
    pub(crate) collections: u32,
    /// What was paid beyond what was owed and is not paid back yet, in minor units.
    #[serde(default)]
    pub(crate) overpaid_minor: i64,
    /// Why a person has to look at it.
    #[serde(default)]
    pub(crate) cause: Option<Cause>,
    /// Whether the provider notified a debit that it had reported as failed, while another was under way. A person
    /// looks at it before anything more is collected.
    #[serde(default)]
    pub(crate) is_contradicted: bool,
    /// When the book was restored from a backup. What was due before then may have been sent without the book knowing.
    #[serde(default)]
    pub(crate) restored_at: Option<Timestamp>,
}

impl Loan {
    /// A loan that was requested.
    pub(crate) fn requested(at: Timestamp) -> Loan {
        Loan {
            state: LoanState::Requested,
            since: at,
            wake: Some(at),
            tries: 0,
            decision: None,
            terms: None,
            is_reply_awaited: false,
            instalments: Vec::new(),
            order: None,
            failed: None,
            fundings: 0,
            debits_before: 0,
            collections: 0,
            overpaid_minor: 0,
            cause: None,
            is_contradicted: false,
            restored_at: None,
        }
    }

    /// Whether the customer has been credited.
    pub(crate) fn is_funded(&self) -> bool {
        !self.instalments.is_empty()
    }
}
