//! What the header of a policy says about amounts and tenures.

use crate::base::money::Currency;
use crate::base::pricing::TenureUnit;
use crate::rules::types::Type;

/// The currency of all money, and the type of tenures.
pub(in crate::rules) struct PolicyTerms {
    currency: Currency,
    tenure: TenureUnit,
}

impl PolicyTerms {
    /// `tenure` is what a tenure counts.
    pub(in crate::rules) fn new(currency: Currency, tenure: TenureUnit) -> Self {
        Self { currency, tenure }
    }

    pub(in crate::rules) fn currency(&self) -> Currency {
        self.currency
    }

    pub(in crate::rules) fn tenure_unit(&self) -> TenureUnit {
        self.tenure
    }

    /// The type of `tenure` in an offer: days, or a count of longer periods.
    pub(in crate::rules) fn tenure(&self) -> Type {
        if self.tenure == TenureUnit::Days { Type::DAYS } else { Type::COUNT }
    }
}
