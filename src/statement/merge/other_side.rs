//! Whom a record names: an argument of the merge, since only a reader of narrations knows. Must not know statements.

/// Whom a record names, in words parted by blanks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The other side: the same text for the same one, and nothing where nobody is named.
    pub other: Option<String>,
    /// The account's holder, where the record says who that is.
    pub own: Option<String>,
}

/// Whom a record names: from its narration, from the people that a tagger found in it (joined by U+001F), and whether it is a credit.
pub type OtherSide<'k> = dyn Fn(Option<&str>, Option<&str>, bool) -> Named + Sync + 'k;
