//! The payments of a loan and what has been paid. Knows nothing of who pays, or how.

use serde::{Deserialize, Serialize};

use super::state::Loan;
use crate::base::date::Day;

/// One payment that a loan asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Instalment {
    /// Counted from 1.
    pub(crate) number: u32,
    /// The day on which it is due, in the lender's time zone.
    pub(crate) due: Day,
    /// The whole payment, in minor units.
    pub(crate) amount_minor: i64,
    /// What has been paid of it, in minor units.
    pub(crate) paid_minor: i64,
    /// How many transactions were planned to collect it. The number never goes back.
    #[serde(default)]
    pub(crate) attempts: u32,
}

impl Instalment {
    /// What has not been paid of it.
    pub(crate) fn owed_minor(&self) -> i64 {
        self.amount_minor - self.paid_minor
    }
}

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
