//! The markets whose people are generated: names, firms, banks, amounts and the words of narrations, each as data. Must
//! not know people, events or formats.

mod clock;
mod facts;
mod form;
mod nigeria;

pub(crate) use clock::Clock;
pub(crate) use facts::{Bank, Facts, Firms, Forms, Names, Remarks, Scale, Seller};
pub(crate) use form::{Charge, Failure, Form, Reversal, Reversed, Subscription, Worded, any};

/// A country, whose people bank by its habits. The names are those of the shipped `rules/markets`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Market {
    /// Nigeria, in naira.
    #[default]
    Nigeria,
}

impl Market {
    /// Every market.
    pub const ALL: [Self; 1] = [Self::Nigeria];

    /// The name that a policy gives it by `market`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nigeria => "nigeria",
        }
    }

    /// The market of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|market| market.name() == name)
    }

    /// What is so in this market.
    pub(crate) fn facts(self) -> &'static Facts {
        match self {
            Self::Nigeria => &nigeria::FACTS,
        }
    }
}
