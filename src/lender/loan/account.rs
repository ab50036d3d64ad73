//! The payments of a loan and what has been paid. Knows nothing of who pays, or how.

use super::instalment::Instalment;
use super::state::Loan;

impl Loan {
    /// What is still to be paid in all, in minor units.
    pub(crate) fn owed_minor(&self) -> i64 {
        self.instalments.iter().map(Instalment::owed_minor).sum()
    }

    /// What has been paid, without what was paid too much, in minor units.
    pub(crate) fn paid_minor(&self) -> i64 {
        self.instalments.iter().map(|instalment| instalment.paid_minor).sum()
    }

    /// The first payment that is not paid in full.
    pub(crate) fn next_instalment(&self) -> Option<&Instalment> {
        self.instalments.iter().find(|instalment| instalment.owed_minor() > 0)
    }

    /// Posts a payment: to the oldest instalment first. What is more than owed is overpaid. The sums cannot overflow,
    /// because an amount is at most what a transaction may have.
    pub(super) fn post(&mut self, amount_minor: i64) {
        let mut left = amount_minor;
        for instalment in &mut self.instalments {
            let part = left.min(instalment.owed_minor());
            instalment.paid_minor += part;
            left -= part;
        }
        self.overpaid_minor = self.overpaid_minor.saturating_add(left);
    }
}
