//! The terms of an accepted offer: what is paid out, and what is paid back when. Knows nothing of how they were priced.

use serde::{Deserialize, Serialize};

use super::instalment::Instalment;
use crate::base::date::Day;
use crate::base::pricing::{Tenure, TenureUnit};

/// The terms of a loan. Amounts are whole minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Terms {
    /// What the customer is credited.
    pub(crate) paid_out_minor: i64,
    /// The payments in order, one per period. The last ones may be zero if rounding up paid the loan back earlier.
    pub(crate) payments_minor: Vec<i64>,
    /// The length of the loan.
    pub(crate) length: u32,
    /// The unit of the length: `days`, `weeks` or `months`.
    pub(crate) unit: String,
    /// The currency's ISO 4217 numeric code.
    pub(crate) currency: String,
    /// Whether less than a whole payment may be collected.
    pub(crate) is_part_payment_allowed: bool,
}

/// Why an offer has no terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TermsError {
    /// Nothing would be paid out or back.
    #[error("nothing would be paid out or back")]
    Nothing,
    /// The payments do not add up to what is payable.
    #[error("the payments do not add up to what is payable")]
    Unequal,
}

impl Terms {
    /// Spreads what is payable over payments of `instalment_minor` each, as many as `instalments` says: the first also
    /// has the fee that is added, and the last has what remains. That is how every pricing method ends up
    /// (`docs/reference/pricing.md`).
    pub(crate) fn spread(
        payable_minor: i64,
        added_fee_minor: i64,
        instalment_minor: i64,
        instalments: u32,
    ) -> Result<Vec<i64>, TermsError> {
        let mut left = payable_minor.checked_sub(added_fee_minor).ok_or(TermsError::Unequal)?;
        let mut payments = Vec::new();
        for number in 1..=instalments {
            let payment = if number == instalments { left } else { instalment_minor.min(left) };
            left -= payment;
            payments.push(payment);
        }
        // A last payment above the others means that the parts do not belong together.
        if left != 0 || payments.last().is_none_or(|last| *last > instalment_minor) {
            return Err(TermsError::Unequal);
        }
        if let Some(first) = payments.first_mut() {
            *first += added_fee_minor;
        }
        match payments.iter().sum::<i64>() > 0 && payments.iter().all(|payment| *payment >= 0) {
            true => Ok(payments),
            false => Err(TermsError::Nothing),
        }
    }

    /// What is to be paid back.
    pub(crate) fn payable_minor(&self) -> i64 {
        self.payments_minor.iter().sum()
    }

    /// The payments of a loan that is paid out on this day. `None` if a due date is beyond the calendar.
    pub(crate) fn instalments(&self, paid_out: Day) -> Option<Vec<Instalment>> {
        let unit = match self.unit.as_str() {
            "days" => TenureUnit::Days,
            "weeks" => TenureUnit::Weeks,
            "months" => TenureUnit::Months,
            _ => return None,
        };
        let count = u32::try_from(self.payments_minor.len()).ok()?;
        let tenure = Tenure { length: self.length, unit, instalments: count };
        let due = |(number, amount): (u32, &i64)| {
            let due = tenure.due(paid_out, number)?;
            Some(Instalment { number, due, amount_minor: *amount, paid_minor: 0, attempts: 0 })
        };
        (1..).zip(&self.payments_minor).filter(|(_, amount)| **amount > 0).map(due).collect()
    }
}
