//! Why an input is unknown that some source was to give.

/// Why an input is unknown that its source was to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InputGap {
    /// The source did not answer in time.
    Late,
    /// The source failed, or is not queried because it failed often.
    Unavailable,
    /// The source's answer cannot be read, or is not of the declared type.
    Malformed,
    /// The source knows nothing of this customer.
    NotFound,
    /// The source refused the question.
    Refused,
    /// The source was not queried, because what it is queried by is not known.
    NotQueried,
}

impl InputGap {
    /// All of them.
    pub const ALL: [InputGap; 6] = [
        InputGap::Late,
        InputGap::Unavailable,
        InputGap::Malformed,
        InputGap::NotFound,
        InputGap::Refused,
        InputGap::NotQueried,
    ];

    /// The word in requests and in the codes of reasons.
    pub fn word(self) -> &'static str {
        match self {
            InputGap::Late => "late",
            InputGap::Unavailable => "unavailable",
            InputGap::Malformed => "malformed",
            InputGap::NotFound => "not_found",
            InputGap::Refused => "refused",
            InputGap::NotQueried => "not_queried",
        }
    }

    /// The gap with this word.
    pub fn parse(word: &str) -> Option<InputGap> {
        InputGap::ALL.into_iter().find(|gap| gap.word() == word)
    }

    /// What it means, after the name of the input.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            InputGap::Late => "is not known: its source did not answer in time",
            InputGap::Unavailable => "is not known: its source failed",
            InputGap::Malformed => "is not known: its source gave what cannot be read",
            InputGap::NotFound => "is not known: its source knows nothing of the customer",
            InputGap::Refused => "is not known: its source refused the question",
            InputGap::NotQueried => "is not known: its source was not queried",
        }
    }
}
