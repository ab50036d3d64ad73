//! What is to be done about a loan that is due. Knows nothing of how it is done.

use super::event::Event;
use super::state::{Loan, LoanState};
use crate::base::time::Timestamp;

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
    /// Query the transaction that failed once more (E9).
    QueryFailed,
    /// Nothing outside: the event has happened.
    Happened(Event),
}

impl Loan {
    /// What is to be done when the loan is due; `None` if the loan waits for a person or a customer.
    pub(crate) fn next_work(&self, now: Timestamp) -> Option<Work> {
        if self.failed_to_query(now).is_some() {
            return Some(Work::QueryFailed);
        }
        Some(match self.state {
            LoanState::Requested => Work::Decide,
            LoanState::Answering => Work::Answer,
            LoanState::Verifying => Work::Verify,
            // An order that may have left is never sent again.
            LoanState::Funding | LoanState::Collecting => match self.order.as_ref()?.sent_at() {
                None if self.order.as_ref()?.ask_first => Work::Happened(Event::AskFirst),
                None => Work::Send,
                Some(_) => Work::Happened(Event::Unknown),
            },
            LoanState::FundingUnknown | LoanState::CollectionUnknown => Work::Query,
            LoanState::Offered | LoanState::AccountWrong | LoanState::Open | LoanState::CollectionFailed => {
                Work::Happened(Event::Due)
            }
            LoanState::Referred
            | LoanState::Declined
            | LoanState::Expired
            | LoanState::FundingFailed
            | LoanState::Cancelled
            | LoanState::Closed
            | LoanState::Overpaid
            | LoanState::WrittenOff
            | LoanState::Review => return None,
        })
    }
}
