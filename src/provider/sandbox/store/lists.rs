//! The store as lists: everything so far for Rust callers, the newest entries for pages. Knows nothing of how a list is
//! shown.

use super::bills::Bill;
use super::callbacks::Callback;
use super::exchanges::Exchange;
use super::iqrs::Iqr;
use super::loans::Loan;
use super::newest::Newest;
use super::offers::{OfferRequest, Received};
use super::state::SandboxState;
use super::transactions::{Sms, Transaction};

impl SandboxState {
    /// The offer requests so far.
    pub fn requests(&self) -> Vec<OfferRequest> {
        self.newest_requests(usize::MAX).rows
    }

    pub(crate) fn newest_requests(&self, most: usize) -> Newest<OfferRequest> {
        Newest::last_of(self.store().offers.requests.values(), most)
    }

    /// The lender's last answers.
    pub fn received(&self) -> Vec<Received> {
        self.newest_received(usize::MAX).rows
    }

    pub(crate) fn newest_received(&self, most: usize) -> Newest<Received> {
        Newest::last_of(self.store().offers.received.iter(), most)
    }

    /// The loans so far.
    pub fn loans(&self) -> Vec<Loan> {
        self.newest_loans(usize::MAX).rows
    }

    pub(crate) fn newest_loans(&self, most: usize) -> Newest<Loan> {
        self.store().loans.newest(most)
    }

    pub(crate) fn loan(&self, loan_id: &str) -> Option<Loan> {
        self.store().loans.get(loan_id).cloned()
    }

    /// The transactions so far, in order of arrival.
    pub fn transactions(&self) -> Vec<Transaction> {
        self.newest_transactions(usize::MAX).rows
    }

    pub(crate) fn newest_transactions(&self, most: usize) -> Newest<Transaction> {
        Newest::last_of(self.store().transactions.all.values(), most)
    }

    /// The last messages to customers.
    pub fn messages(&self) -> Vec<Sms> {
        self.newest_messages(usize::MAX).rows
    }

    pub(crate) fn newest_messages(&self, most: usize) -> Newest<Sms> {
        Newest::last_of(self.store().transactions.messages.iter(), most)
    }

    /// The bills so far.
    pub fn bills(&self) -> Vec<Bill> {
        self.newest_bills(usize::MAX).rows
    }

    pub(crate) fn newest_bills(&self, most: usize) -> Newest<Bill> {
        Newest::last_of(self.store().bills.all.values(), most)
    }

    /// The iQRs so far.
    pub fn iqrs(&self) -> Vec<Iqr> {
        self.newest_iqrs(usize::MAX).rows
    }

    pub(crate) fn newest_iqrs(&self, most: usize) -> Newest<Iqr> {
        Newest::last_of(self.store().iqrs.all.values(), most)
    }

    /// The callbacks so far.
    pub fn callbacks(&self) -> Vec<Callback> {
        self.newest_callbacks(usize::MAX).rows
    }

    pub(crate) fn newest_callbacks(&self, most: usize) -> Newest<Callback> {
        Newest::last_of(self.store().callbacks.all.values(), most)
    }

    /// The last exchanges, the newest first.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.newest_exchanges(usize::MAX).rows
    }

    /// The newest first.
    pub(crate) fn newest_exchanges(&self, most: usize) -> Newest<Exchange> {
        let mut newest = Newest::last_of(self.store().exchanges.last.iter(), most);
        newest.rows.reverse();
        newest
    }
}
