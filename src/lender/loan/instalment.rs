//! One of the payments that a loan is paid back in. Knows nothing of who pays, or how.

use serde::{Deserialize, Serialize};

use crate::base::date::Day;

/// One payment of a loan.
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
