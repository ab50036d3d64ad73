//! What a person decides about a loan. Which decision is possible is the table's matter; this adds who decides, and
//! why. Knows nothing of forms and options.

use futures_util::future::BoxFuture;

use crate::base::time::Timestamp;
use crate::lender::loan::{At, Event, LoanState, Order, step_loan_state};
use crate::lender::loan_book::{Actor, BookError, Facts, LoanBook, LoanRow, PaymentRow, Person, Placing, Reversal};
use crate::lender::runner::NotLowered;
use crate::lender::runner::call::TransactionQuery;
use crate::lender::runner::steps::prepare_query;
use crate::provider::client::Client;
use crate::provider::wire::lending::TransactionStatus;

/// A person's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Makes the offers of the recorded decision.
    Approve,
    /// Makes no offer.
    Decline,
    /// The money of the open transaction has moved.
    Moved,
    /// It has not, and never will.
    NotMoved,
    /// Goes on where the loan stopped.
    Retry,
    /// Gives the loan up before money moved.
    Cancel,
    /// Gives up what is still owed.
    WriteOff,
    /// What was paid too much has been paid back.
    Refunded,
}

impl Act {
    /// All of them.
    pub(crate) const ALL: [Act; 8] =
        [Act::Approve, Act::Decline, Act::Moved, Act::NotMoved, Act::Retry, Act::Cancel, Act::WriteOff, Act::Refunded];

    /// The name of its option and its field.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Act::Approve => "approve",
            Act::Decline => "decline",
            Act::Moved => "moved",
            Act::NotMoved => "not-moved",
            Act::Retry => "retry",
            Act::Cancel => "cancel",
            Act::WriteOff => "write-off",
            Act::Refunded => "refunded",
        }
    }

    /// The decision of a word.
    pub(crate) fn from_word(word: &str) -> Option<Act> {
        Act::ALL.into_iter().find(|act| act.word() == word)
    }

    /// What it means, for people.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Act::Approve => "make the offers of the recorded decision",
            Act::Decline => "make no offer",
            Act::Moved => "the money has moved, as you know for sure",
            Act::NotMoved => "the money has not moved and never will, as you know for sure",
            Act::Retry => "go on where the loan stopped; what may have left is only asked about",
            Act::Cancel => "give the loan up before any money moved",
            Act::WriteOff => "give up what is still owed",
            Act::Refunded => "what was paid too much has been paid back",
        }
    }

    /// Whether it is a decision on a referral.
    pub(crate) const fn is_ruling(self) -> bool {
        matches!(self, Act::Approve | Act::Decline)
    }

    fn event(self, until: Timestamp) -> Event {
        match self {
            Act::Approve => Event::Approved { until },
            Act::Decline => Event::Disapproved,
            Act::Moved => Event::Moved,
            Act::NotMoved => Event::NotMoved,
            Act::Retry => Event::Retry,
            Act::Cancel => Event::Cancel,
            Act::WriteOff => Event::WriteOff,
            Act::Refunded => Event::Refunded,
        }
    }
}

/// How long a name may be, and how long a note, in bytes.
const LONGEST: [usize; 2] = [100, 1_000];

impl Person {
    /// A person with a name and a reason: the audit keeps both for ever.
    ///
    /// # Errors
    /// If one is missing or too long, or the name is the service's or the provider's own.
    pub(crate) fn new(name: &str, note: &str) -> Result<Person, ActError> {
        let (name, note) = (name.trim(), note.trim());
        if name.is_empty() || ["service", "provider"].contains(&name.to_ascii_lowercase().as_str()) {
            return Err(ActError::Person("give the name of the person who decides"));
        }
        if note.is_empty() {
            return Err(ActError::Person("give the reason as a note"));
        }
        if name.len() > LONGEST[0] || note.len() > LONGEST[1] || name.contains(char::is_control) || note.contains('\0')
        {
            return Err(ActError::Person("the name or the note is too long, or has characters that do not print"));
        }
        Ok(Person { name: name.to_owned(), note: note.to_owned() })
    }

    pub(super) fn to_actor(&self) -> Actor {
        Actor::Person(self.clone())
    }
}

/// Why a decision is not carried out. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ActError {
    /// The name or the note.
    #[error("{0}")]
    Person(&'static str),
    /// There is nothing to offer.
    #[error(
        "the loan's decision made no offers, so there is nothing to approve; decline it, and let the customer ask \
         again once the policy offers something"
    )]
    NoOffers,
    /// There is nothing to offer, and the decision's record says why.
    #[error("nothing can be offered: {0}; decline it, or let the customer ask again once that has changed")]
    NothingToOffer(String),
    /// A text that is not an amount.
    #[error("the amount: {0}")]
    Amount(String),
    /// An amount that is not lent.
    #[error(transparent)]
    NotLowered(#[from] NotLowered),
    /// The code of the reason.
    #[error("`{code}` is not a code to decline with; the codes are {known}")]
    UnknownCode {
        /// What was given.
        code: String,
        /// Those that there are.
        known: String,
    },
    /// The book refuses it.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// The decisions that are possible now, by the table.
pub(crate) fn list_allowed(row: &LoanRow, has_offers: bool, at: At<'_>) -> Vec<Act> {
    let is_possible = |act: &Act| step_loan_state(&row.loan, &act.event(at.plan.later(at.now, 1)), at).is_ok();
    let is_served = |act: &Act| *act != Act::Approve || has_offers;
    // While a call may be under way, only a person's own business is possible.
    let is_open = row.instance.is_none();
    Act::ALL.into_iter().filter(|act| is_open && is_served(act) && is_possible(act)).collect()
}

/// Carries a decision out. Referrals are decided on by [`super::ReferralDesk::rule_on_loan`].
pub(crate) fn carry_out_act(
    book: &LoanBook,
    row: &LoanRow,
    act: Act,
    person: &Person,
    at: At<'_>,
) -> Result<LoanRow, ActError> {
    if act.is_ruling() {
        return Err(ActError::Person("approve or decline by a review of the case"));
    }
    // The person has seen this loan, and no later version of it.
    let facts = Facts { seen_version: Some(row.version), ..Facts::default() };
    Ok(book.decide_loan(row.id, &act.event(at.now), &facts, &person.to_actor(), at)?)
}

/// Marks the book as restored from a backup. Returns how many loans query first now.
pub(crate) fn mark_restored(book: &LoanBook, person: &Person, at: At<'_>) -> Result<i64, ActError> {
    Ok(book.mark_restored(&person.to_actor(), at)?)
}

/// Posts a parked payment to a loan, or dismisses it.
pub(crate) fn place_payment(
    book: &LoanBook,
    payment: &PaymentRow,
    placing: Placing,
    person: &Person,
    at: At<'_>,
) -> Result<(), ActError> {
    Ok(book.place_payment(payment, placing, &person.to_actor(), at)?)
}

/// Records that money which had moved was taken back, or takes a payment off a loan again.
pub(crate) fn reverse(
    book: &LoanBook,
    row: &LoanRow,
    reversal: &Reversal,
    person: &Person,
    at: At<'_>,
) -> Result<LoanRow, ActError> {
    Ok(book.record_reversal(row, reversal, &person.to_actor(), at)?)
}

/// What the provider says about a transaction of money (E9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProviderAnswer {
    /// The money has moved.
    Moved,
    /// It has not, and will not.
    NotMoved,
    /// The provider has not finished.
    Pending,
    /// The provider does not know the transaction.
    NotFound,
    /// There was no usable answer.
    Missing,
}

impl ProviderAnswer {
    /// The answer as one word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            ProviderAnswer::Moved => "moved",
            ProviderAnswer::NotMoved => "not_moved",
            ProviderAnswer::Pending => "pending",
            ProviderAnswer::NotFound => "not_found",
            ProviderAnswer::Missing => "no_answer",
        }
    }

    /// For people.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            ProviderAnswer::Moved => "the money has moved",
            ProviderAnswer::NotMoved => "the money has not moved and will not",
            ProviderAnswer::Pending => "it has not finished",
            ProviderAnswer::NotFound => "it does not know the transaction",
            ProviderAnswer::Missing => "no usable answer",
        }
    }
}

/// The question about the order of a loan that a person asks about; `None` if there is none.
pub(crate) fn question_order(book: &LoanBook, row: &LoanRow) -> Result<Option<TransactionQuery>, BookError> {
    row.loan.order_in_question().map(|order| prepare_query(book, row, order)).transpose()
}

/// Where the outcome of a transaction of money can be looked up.
pub(crate) trait TransactionLookup: Sync {
    /// Looks a transaction up (E9).
    fn look_up<'a>(&'a self, query: &'a TransactionQuery) -> BoxFuture<'a, ProviderAnswer>;
}

impl TransactionLookup for Client {
    fn look_up<'a>(&'a self, query: &'a TransactionQuery) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(async move {
            let Some(query) = query.to_requery() else { return ProviderAnswer::Missing };
            match self.requery(&query).await {
                Ok(TransactionStatus::Succeeded { .. }) => ProviderAnswer::Moved,
                Ok(TransactionStatus::Failed { .. }) => ProviderAnswer::NotMoved,
                Ok(TransactionStatus::Pending) => ProviderAnswer::Pending,
                Ok(TransactionStatus::NotFound) => ProviderAnswer::NotFound,
                Err(_) => ProviderAnswer::Missing,
            }
        })
    }
}

/// Whether a decision says the opposite of what the provider says about the transaction in question.
pub(crate) fn contradicts_provider(row: &LoanRow, act: Act, answer: ProviderAnswer) -> bool {
    // Where a transaction may have left, another try only queries it.
    let is_final = !row.loan.order.as_ref().is_some_and(Order::may_have_left);
    match act {
        Act::Retry | Act::Cancel if is_final => matches!(answer, ProviderAnswer::Moved | ProviderAnswer::Pending),
        Act::Moved => matches!(answer, ProviderAnswer::NotMoved | ProviderAnswer::NotFound),
        Act::NotMoved => matches!(answer, ProviderAnswer::Moved | ProviderAnswer::Pending),
        _ => false,
    }
}

/// Why a loan waits for a person.
pub(crate) fn describe_reason(row: &LoanRow) -> &'static str {
    match (row.loan.state, row.loan.cause) {
        (_, Some(cause)) => cause.in_words(),
        (LoanState::Referred, None) => "the policy asks a person",
        (LoanState::FundingFailed, None) => "the customer was not credited",
        (LoanState::Overpaid, None) => "more was paid than owed",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
