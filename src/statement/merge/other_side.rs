//! The names in a record, as an argument of the merge: only a reader of narrations knows them.

/// The names in a record, in words separated by blanks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordParties {
    /// The counterparty. The same party always has the same text.
    pub other: Option<String>,
    /// The account's holder, if the record names one.
    pub own: Option<String>,
}

/// Finds the names in a record. Arguments: its narration, the people that a tagger found in it (joined by U+001F), and
/// whether it is a credit.
pub type OtherSide<'k> = dyn Fn(Option<&str>, Option<&str>, bool) -> RecordParties + Sync + 'k;
