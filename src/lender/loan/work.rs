//! What is to be done about a loan that is due. Knows nothing of how it is done.

use super::event::Event;
use super::state::{Loan, State};

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Fetch the statement (E2) and decide.
    Decide,
    /// Send the answer to the offer request (E3).
    Answer,
    /// Verify the account (E5).
    Verify,
    /// Send the planned transaction of money (E6, E8).
    Send,
    /// Query the outcome of the transaction (E9).
    Query,
    /// Nothing outside: the event has happened.
    Happened(Event),
}

impl Loan {
    /// What is to be done when the loan is due; `None` if the loan waits for a person or a customer.
    pub(crate) fn next_work(&self) -> Option<Work> {
        Some(match self.state {
            State::Requested => Work::Decide,
            State::Answering => Work::Answer,
            State::Verifying => Work::Verify,
            // An order that may have left is never sent again.
            State::Funding | State::Collecting => match self.order.as_ref()?.sent_at() {
                None if self.order.as_ref()?.ask_first => Work::Happened(Event::AskFirst),
                None => Work::Send,
                Some(_) => Work::Happened(Event::Unknown),
            },
            State::FundingUnknown | State::CollectionUnknown => Work::Query,
            State::Offered | State::AccountWrong | State::Open | State::CollectionFailed => Work::Happened(Event::Due),
            State::Referred
            | State::Declined
            | State::Expired
            | State::FundingFailed
            | State::Cancelled
            | State::Closed
            | State::Overpaid
            | State::WrittenOff
            | State::Review => return None,
        })
    }
}
