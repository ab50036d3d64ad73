//! The markets that people are generated for: names, firms, banks, amounts and the words of narrations, each as data.
//! Must not know people, events or formats.

mod clock;
mod facts;
mod form;
mod ghana;
mod india;
mod kenya;
mod nigeria;
mod south_africa;
mod united_kingdom;

#[cfg(test)]
mod tests;

pub(crate) use clock::Clock;
pub(crate) use facts::{AmountScale, Bank, Facts, Firms, Forms, Names, Remarks, Seller};
pub(crate) use form::{
    Charge, FailedPayment, NarrationForm, Reversal, Reversed, Subscription, Worded, any_bank, at_bank,
};

/// A country, where people bank by its habits. The names are those of the shipped `rules/markets`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Market {
    /// Nigeria, in naira.
    #[default]
    Nigeria,
    /// Ghana, in cedis.
    Ghana,
    /// India, in rupees.
    India,
    /// Kenya, in shillings.
    Kenya,
    /// South Africa, in rand.
    SouthAfrica,
    /// The United Kingdom, in pounds.
    UnitedKingdom,
}

impl Market {
    /// Every market.
    pub const ALL: [Self; 6] =
        [Self::Nigeria, Self::Ghana, Self::India, Self::Kenya, Self::SouthAfrica, Self::UnitedKingdom];

    /// The name that a policy gives it by `market`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nigeria => "nigeria",
            Self::Ghana => "ghana",
            Self::India => "india",
            Self::Kenya => "kenya",
            Self::SouthAfrica => "south-africa",
            Self::UnitedKingdom => "united-kingdom",
        }
    }

    /// The market of this name.
    ///
    /// ```
    /// use lendwright::generate::Market;
    /// assert_eq!(Market::of_name("south-africa"), Some(Market::SouthAfrica));
    /// assert_eq!(Market::of_name("atlantis"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|market| market.name() == name)
    }

    /// What is so in this market.
    pub(crate) fn facts(self) -> &'static Facts {
        match self {
            Self::Nigeria => &nigeria::FACTS,
            Self::Ghana => &ghana::FACTS,
            Self::India => &india::FACTS,
            Self::Kenya => &kenya::FACTS,
            Self::SouthAfrica => &south_africa::FACTS,
            Self::UnitedKingdom => &united_kingdom::FACTS,
        }
    }
}
