//! What the header of a policy says about amounts and tenures.

use crate::base::money::Currency;
use crate::rules::types::Type;

/// The currency of all money, and the type of tenures.
pub(in crate::rules) struct PolicyTerms {
    currency: Currency,
    tenure: Type,
}

impl PolicyTerms {
    /// `tenure` is the type of `tenure` in an offer: days, or a count of longer periods.
    pub(in crate::rules) fn new(currency: Currency, tenure: Type) -> Self {
        Self { currency, tenure }
    }

    pub(in crate::rules) fn currency(&self) -> Currency {
        self.currency
    }

    pub(in crate::rules) fn tenure(&self) -> Type {
        self.tenure
    }
}
