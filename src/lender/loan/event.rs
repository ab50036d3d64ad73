//! What happens to a loan, and what has to be done then. Knows nothing of how either comes about.

use serde::Serialize;

use super::order::Order;
use super::state::{Cause, LoanDecision};
use super::terms::Terms;
use crate::base::time::Timestamp;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The policy decided.
    Decided {
        /// What.
        decision: LoanDecision,
        /// Whether the provider has the answer already: it waited for it.
        is_answered: bool,
    },
    /// The policy refers to a person.
    Refer,
    /// A person approved, and offers were made.
    Approved {
        /// When the last of them expires.
        until: Timestamp,
    },
    /// A person declined.
    Disapproved,
    /// The provider took the answer (E3).
    AnswerTaken,
    /// The customer accepted an offer.
    Accepted {
        /// Its terms.
        terms: Terms,
        /// Whether the provider waits for the reply until the account is verified.
        is_reply_awaited: bool,
    },
    /// The acceptance was answered before its account was verified.
    AcceptanceAnswered,
    /// The account is the customer's (E5).
    AccountVerified,
    /// The account does not exist, or is another person's (E5).
    AccountRefused,
    /// The call had no answer, and may be made again.
    NoAnswer,
    /// The call cannot succeed.
    Impossible(Cause),
    /// The order is about to be sent.
    Sending,
    /// The order certainly did not go out.
    NotSent,
    /// The order is queried before it is sent for the first time.
    AskFirst,
    /// The order was sent, and its outcome is not known.
    Unknown,
    /// The money has moved.
    Moved,
    /// The money has not moved, and never will under this transaction.
    NotMoved,
    /// The provider says that the order failed (E9). Its word may still change.
    ReportedFailed,
    /// It says so once more, before another order leaves.
    StillFailed,
    /// The provider says that an order moved which it had reported as failed.
    FailedMoved,
    /// The customer paid as much as the failed debit: perhaps it is that debit.
    FailedDoubted,
    /// The provider has not finished.
    Pending,
    /// The provider does not know the transaction.
    NotFound,
    /// The loan is due.
    Due,
    /// The customer paid, as the provider notified (E11).
    Paid {
        /// In minor units, above zero.
        amount_minor: i64,
    },
    /// A person wants another try.
    Retry,
    /// A person gives the loan up before money moved.
    Cancel,
    /// A person gives up what is still owed.
    WriteOff,
    /// A person paid back what was paid too much.
    Refunded,
    /// The book was restored from a backup.
    Restored,
    /// The payout was taken back.
    PayoutReversed {
        /// In minor units.
        amount_minor: i64,
    },
    /// A debit was taken back.
    DebitReversed {
        /// In minor units.
        amount_minor: i64,
    },
    /// A payment that was posted is taken off the loan again.
    PaymentReversed {
        /// In minor units.
        amount_minor: i64,
    },
}

impl Event {
    /// The event as one word, as the audit records it.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Event::Decided { decision: LoanDecision::Offer { .. }, .. } => "decided_offer",
            Event::Decided { decision: LoanDecision::Decline, .. } => "decided_decline",
            Event::Refer => "decided_refer",
            Event::Approved { .. } => "approved",
            Event::Disapproved => "disapproved",
            Event::AnswerTaken => "answer_taken",
            Event::Accepted { .. } => "accepted",
            Event::AcceptanceAnswered => "acceptance_answered",
            Event::AccountVerified => "account_verified",
            Event::AccountRefused => "account_refused",
            Event::NoAnswer => "no_answer",
            Event::Impossible(_) => "impossible",
            Event::Sending => "sending",
            Event::NotSent => "not_sent",
            Event::AskFirst => "ask_first",
            Event::Unknown => "unknown",
            Event::Moved => "moved",
            Event::NotMoved => "not_moved",
            Event::ReportedFailed => "reported_failed",
            Event::StillFailed => "still_failed",
            Event::FailedMoved => "failed_moved",
            Event::FailedDoubted => "failed_doubted",
            Event::Pending => "pending",
            Event::NotFound => "not_found",
            Event::Due => "due",
            Event::Paid { .. } => "paid",
            Event::Retry => "retry",
            Event::Cancel => "cancel",
            Event::WriteOff => "write_off",
            Event::Refunded => "refunded",
            Event::Restored => "restored",
            Event::PayoutReversed { .. } => "payout_reversed",
            Event::DebitReversed { .. } => "debit_reversed",
            Event::PaymentReversed { .. } => "payment_reversed",
        }
    }
}

/// What has to be recorded with the step, in the same transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A new transaction of money, before anything is sent.
    Plan(Order),
    /// A transaction's outcome.
    Settle(Order, OrderOutcome),
    /// A transaction that had failed has an open outcome again.
    Reopen(Order),
    /// A message to the customer (E7).
    Tell(Message),
    /// The acceptance is refused in its reply. Nothing of it is kept, so that a corrected one may follow.
    RefuseAcceptance,
}

/// The outcome of a transaction of money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderOutcome {
    /// It may have left.
    Sent,
    /// It certainly did not leave, and may still be sent.
    Planned,
    /// The money has moved.
    Moved,
    /// The money has not moved and never will.
    NotMoved,
    /// It was never sent, and never will be.
    Withdrawn,
}

impl OrderOutcome {
    /// All outcomes.
    pub(crate) const ALL: [OrderOutcome; 5] = [
        OrderOutcome::Sent,
        OrderOutcome::Planned,
        OrderOutcome::Moved,
        OrderOutcome::NotMoved,
        OrderOutcome::Withdrawn,
    ];

    /// The outcome of a word.
    pub(crate) fn from_word(word: &str) -> Option<OrderOutcome> {
        OrderOutcome::ALL.into_iter().find(|outcome| outcome.word() == word)
    }

    /// The word for it, in the store and on screens.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            OrderOutcome::Sent => "sent",
            OrderOutcome::Planned => "planned",
            OrderOutcome::Moved => "moved",
            OrderOutcome::NotMoved => "not_moved",
            OrderOutcome::Withdrawn => "withdrawn",
        }
    }
}

/// A message to the customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Message {
    /// The account was refused.
    AccountRefused,
    /// The loan was credited.
    Funded,
    /// A payment could not be collected.
    NotCollected,
    /// The loan is paid back.
    Closed,
}

impl Message {
    /// All messages.
    pub(crate) const ALL: [Message; 4] =
        [Message::AccountRefused, Message::Funded, Message::NotCollected, Message::Closed];

    /// The message's name in the configuration and the store.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Message::AccountRefused => "account_refused",
            Message::Funded => "funded",
            Message::NotCollected => "not_collected",
            Message::Closed => "closed",
        }
    }
}
