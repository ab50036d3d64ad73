//! How amounts are written in a text: decimal commas, thousands marks, forms of a minus, marks and suffixes, as
//! `[amount]` of a columns file declares them. Must not know columns.

use serde::Deserialize;

/// The declared notation. Digits are never guessed: what it does not allow is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AmountNotation {
    /// The mark before the decimals; a point by default.
    pub(crate) decimal: Option<char>,
    /// Marks between groups of digits: `.`, `,`, `'`, or `space` for every kind of space.
    pub(crate) thousands: Vec<String>,
    /// How digits are grouped.
    pub(crate) grouping: Grouping,
    /// Other ways to write a minus.
    pub(crate) minus: Vec<MinusForm>,
    /// Marks of the currency, before or after the digits.
    pub(crate) marks: Vec<String>,
    /// What stands after a credit, such as `CR`.
    pub(crate) credit_suffix: Vec<String>,
    /// What stands after a debit, such as `DR`.
    pub(crate) debit_suffix: Vec<String>,
    /// How a fee is written.
    pub(crate) fee: FeeSign,
}

/// How digits before the decimals are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grouping {
    /// `1,337,000`.
    #[default]
    Three,
    /// `13,37,000`.
    Lakh,
}

/// Another way to write a minus than before the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MinusForm {
    /// `(13.37)`.
    Parentheses,
    /// `13.37-`.
    Trailing,
}

/// How a fee, which is always a debit, is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FeeSign {
    /// `5.00`.
    #[default]
    Positive,
    /// `-5.00`.
    Negative,
}

impl AmountNotation {
    /// Digits with a decimal point.
    pub(crate) const PLAIN: AmountNotation = AmountNotation {
        decimal: None,
        thousands: Vec::new(),
        grouping: Grouping::Three,
        minus: Vec::new(),
        marks: Vec::new(),
        credit_suffix: Vec::new(),
        debit_suffix: Vec::new(),
        fee: FeeSign::Positive,
    };
}
