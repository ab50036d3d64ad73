//! What was carried out, and was taken back afterwards: a payout, a debit, or a payment that was posted to the wrong
//! loan. A person records it; nothing here is the provider's word. Knows nothing of which transaction it was.

use super::state::{Cause, Loan, LoanState};
use super::table::LoanStep;

impl Loan {
    /// Takes an amount off again: first what is overpaid, then from the newest payment back.
    fn take_off(&mut self, amount_minor: i64) {
        let from_overpaid = amount_minor.min(self.overpaid_minor);
        self.overpaid_minor -= from_overpaid;
        let mut left = amount_minor - from_overpaid;
        for instalment in self.instalments.iter_mut().rev() {
            let part = left.min(instalment.paid_minor);
            instalment.paid_minor -= part;
            left -= part;
        }
    }
}

impl LoanStep<'_> {
    /// The customer does not have the money of the payout. What was paid back is owed to the customer; without such
    /// payments a person decides between another payout and none.
    pub(super) fn payout_reversed(&mut self) -> bool {
        if !self.loan.is_funded() || self.may_have_left() {
            return false;
        }
        self.withdraw_planned();
        let paid = self.loan.paid_minor().saturating_add(self.loan.overpaid_minor);
        let attempts = self.loan.instalments.iter().map(|instalment| instalment.attempts).max();
        self.loan.debits_before += attempts.unwrap_or(0);
        self.loan.instalments.clear();
        (self.loan.overpaid_minor, self.loan.collections, self.loan.failed) = (paid, 0, None);
        self.wait(if paid > 0 { LoanState::Overpaid } else { LoanState::FundingFailed })
    }

    /// A debit, or a payment that was posted, does not count any more. What is due already waits for a person: whoever
    /// had a debit taken back is not debited again by itself.
    pub(super) fn payment_reversed(&mut self, amount_minor: i64) -> bool {
        let paid = self.loan.paid_minor().saturating_add(self.loan.overpaid_minor);
        if amount_minor <= 0 || amount_minor > paid || self.may_have_left() {
            return false;
        }
        self.withdraw_planned();
        self.loan.take_off(amount_minor);
        match self.loan.state {
            LoanState::WrittenOff => true,
            _ if self.is_current_owed() => self.review(Cause::Reversed),
            _ => self.open(),
        }
    }
}
