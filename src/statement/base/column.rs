//! The columns of a record, by the product's own names: the one list that readers, columns files, frames and digests
//! use.

macro_rules! columns {
    (texts { $($text:ident $text_name:literal,)+ } values { $($value:ident $value_name:literal,)+ }) => {
        /// A column of a record. Texts come first, in the frame's order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Column {
            $($text,)+
            $($value,)+
        }

        /// The names of the columns that hold texts, in their order.
        pub(crate) const TEXT_NAMES: [&str; TEXTS] = [$($text_name),+];

        impl Column {
            /// The columns that hold a text or a list of texts.
            pub(crate) const TEXTS: [Column; [$($text_name),+].len()] = [$(Column::$text),+];
            /// The columns that hold dates, amounts, names and other values.
            pub(crate) const VALUES: [Column; [$($value_name),+].len()] = [$(Column::$value),+];

            /// The product's own name.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Column::$text => $text_name,)+
                    $(Column::$value => $value_name,)+
                }
            }
        }
    };
}

columns! {
    texts {
        Code "code",
        Branch "branch",
        Bank "bank",
        Env "env",
        Reference "reference",
        Desc "desc",
        Topics "topics",
        People "people",
        Places "places",
        Actions "actions",
        Subjects "subjects",
        Prepositions "prepositions",
        Owner "owner",
        Record "record",
        Fetched "fetched",
    }
    values {
        Customer "customer",
        Account "account",
        Id "id",
        TransDate "trans_date",
        UnformattedTransDate "unformatted_trans_date",
        ClearedDate "cleared_date",
        UnformattedClearedDate "unformatted_cleared_date",
        Credit "credit",
        Debit "debit",
        Amount "amount",
        Type "type",
        Balance "balance",
        Seq "seq",
        CreatedAt "created_at",
        LastUpdated "last_updated",
        Currency "currency",
        Fee "fee",
        StatedBalance "stated_balance",
        Interim "interim",
        PeriodFrom "period_from",
        PeriodTo "period_to",
    }
}

/// The number of columns that hold texts.
pub(crate) const TEXTS: usize = Column::TEXTS.len();
/// The number of columns that hold other values.
pub(crate) const VALUES: usize = Column::VALUES.len();

impl Column {
    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Column> {
        Column::TEXTS.into_iter().chain(Column::VALUES)
    }

    /// The column of this name.
    pub(crate) fn from_name(name: &str) -> Option<Column> {
        Column::all().find(|column| column.name() == name)
    }

    /// Whether it holds a text or a list of texts.
    pub(crate) const fn is_text(self) -> bool {
        (self as usize) < TEXTS
    }

    /// Whether a cell holds several texts, joined by a separator.
    pub(crate) const fn is_list(self) -> bool {
        self.is_text() && self as usize >= Column::Topics as usize
    }

    /// The index among the columns of its kind: in [`Column::TEXTS`], or in [`Column::VALUES`].
    #[inline]
    pub(crate) const fn index(self) -> usize {
        if self.is_text() { self as usize } else { self as usize - TEXTS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_has_a_place_and_a_name_of_its_own() {
        for (index, column) in Column::TEXTS.into_iter().enumerate() {
            assert!(column.is_text() && column.index() == index, "{column:?}");
        }
        for (index, column) in Column::VALUES.into_iter().enumerate() {
            assert!(!column.is_text() && column.index() == index, "{column:?}");
        }
        for column in Column::all() {
            assert_eq!(Column::from_name(column.name()), Some(column));
        }
        let lists: Vec<&str> = Column::all().filter(|column| column.is_list()).map(Column::name).collect();
        let expected =
            ["topics", "people", "places", "actions", "subjects", "prepositions", "owner", "record", "fetched"];
        assert_eq!(lists, expected);
        assert!(Column::Prepositions.is_list() && Column::Fetched.is_list() && !Column::Desc.is_list());
    }
}
