//! The names of a record's fields, and the shapes that their values may have. Must not read anything.

use crate::statement::base::column::Column;
use crate::statement::formats::json::scanner::Takes;

/// The fields of a record that are kept until its end, when all of it is known. The first fifteen are the frame's
/// columns of text, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    Code,
    Branch,
    Bank,
    Env,
    Reference,
    Desc,
    Topics,
    People,
    Places,
    Actions,
    Subjects,
    Prepositions,
    Owner,
    Record,
    Fetched,
    Id,
    OtherId,
    Customer,
    TransIso,
    TransBank,
    ClearedIso,
    ClearedBank,
    Credit,
    Debit,
    Balance,
    CreatedAt,
    LastUpdated,
    OtherPrepositions,
    FlatDesc,
    FlatTopics,
    FlatPeople,
    FlatPlaces,
    FlatActions,
    FlatSubjects,
    FlatPrepositions,
    FlatReference,
    Currency,
    Account,
    Notes,
}

/// The number of fields.
pub(crate) const FIELDS: usize = Field::Notes as usize + 1;

/// Which JSON values a field may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldShape {
    /// Text. A number is taken by its digits.
    Text,
    /// Text, or an object that holds it as `_id`.
    Identity,
    /// A list of texts, or one text.
    List,
    /// A list, or a text, in a table's flat record. The provider's records do not use this field, so a value of another
    /// shape is skipped and counted.
    FlatList,
    FlatText,
    /// A number, or a number as text.
    Amount,
    /// Text in one of the forms of a date.
    Date,
    /// Text or a number. Anything else is skipped.
    Account,
    /// The object `notes`.
    Notes,
    /// Text or a number.
    Code,
}

impl FieldShape {
    /// Whether a JSON number is taken by its digits.
    pub(crate) const fn takes_numbers(self) -> bool {
        matches!(self.takes(), Takes::TextOrNumber) || matches!(self, FieldShape::FlatList)
    }

    /// Which JSON values are the field's value as written.
    pub(crate) const fn takes(self) -> Takes {
        match self {
            FieldShape::Text
            | FieldShape::FlatText
            | FieldShape::Identity
            | FieldShape::Amount
            | FieldShape::Code
            | FieldShape::Account => Takes::TextOrNumber,
            FieldShape::Date => Takes::Text,
            FieldShape::List | FieldShape::FlatList | FieldShape::Notes => Takes::Neither,
        }
    }
}

/// The object whose keys are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Record,
    Notes,
}

impl Level {
    /// The field of a key.
    #[inline]
    pub(crate) fn field(self, key: &str) -> Option<(Field, FieldShape)> {
        match self {
            Level::Record => Field::from_record_key(key),
            Level::Notes => Field::from_notes_key(key),
        }
    }

    /// How many objects are open around its values, including the record itself.
    pub(crate) const fn depth(self) -> u32 {
        match self {
            Level::Record => 1,
            Level::Notes => 2,
        }
    }
}

/// The fields of a table's flat record that the provider has in `notes`, or under another name. Each with the field
/// that it fills, and its key.
pub(crate) const FLAT: [(Field, Field, &str); 8] = [
    (Field::FlatDesc, Field::Desc, "desc"),
    (Field::FlatTopics, Field::Topics, "topics"),
    (Field::FlatPeople, Field::People, "people"),
    (Field::FlatPlaces, Field::Places, "places"),
    (Field::FlatActions, Field::Actions, "actions"),
    (Field::FlatSubjects, Field::Subjects, "subjects"),
    (Field::FlatPrepositions, Field::Prepositions, "prepositions"),
    (Field::FlatReference, Field::Reference, "reference"),
];

/// The flat fields as a set.
pub(crate) const FLAT_FIELDS: u64 = {
    let (mut set, mut at) = (0, 0);
    while at < FLAT.len() {
        set |= FLAT[at].0.bit();
        at += 1;
    }
    set
};

/// The keys without which a record has no meaning. Misspelt keys are compared with them.
pub(crate) const REQUIRED: [&str; 6] = ["id", "_id", "trans_date", "unformatted_trans_date", "credit", "debit"];

impl Field {
    /// The field of a provider's record for a column.
    #[inline(always)]
    pub(crate) const fn for_column(column: Column) -> Option<Field> {
        Some(match column {
            Column::Code => Field::Code,
            Column::Branch => Field::Branch,
            Column::Bank => Field::Bank,
            Column::Env => Field::Env,
            Column::Reference => Field::Reference,
            Column::Desc => Field::Desc,
            Column::Topics => Field::Topics,
            Column::People => Field::People,
            Column::Places => Field::Places,
            Column::Actions => Field::Actions,
            Column::Subjects => Field::Subjects,
            Column::Prepositions => Field::Prepositions,
            Column::Owner => Field::Owner,
            Column::Record => Field::Record,
            Column::Fetched => Field::Fetched,
            Column::Id => Field::Id,
            Column::Customer => Field::Customer,
            Column::TransDate => Field::TransIso,
            Column::UnformattedTransDate => Field::TransBank,
            Column::ClearedDate => Field::ClearedIso,
            Column::UnformattedClearedDate => Field::ClearedBank,
            Column::Credit => Field::Credit,
            Column::Debit => Field::Debit,
            Column::Balance => Field::Balance,
            Column::CreatedAt => Field::CreatedAt,
            Column::LastUpdated => Field::LastUpdated,
            Column::Currency => Field::Currency,
            Column::Account => Field::Account,
            Column::Amount | Column::Type | Column::Seq | Column::Fee | Column::StatedBalance | Column::Interim => {
                return None;
            }
            Column::PeriodFrom | Column::PeriodTo => return None,
        })
    }

    /// The bit in a set of fields.
    pub(crate) const fn bit(self) -> u64 {
        1 << self as u64
    }

    /// The field of one of the record's own keys.
    #[inline]
    pub(crate) fn from_record_key(key: &str) -> Option<(Field, FieldShape)> {
        Some(match key {
            "id" => (Field::Id, FieldShape::Identity),
            "_id" => (Field::OtherId, FieldShape::Identity),
            "notes" => (Field::Notes, FieldShape::Notes),
            "fetched" => (Field::Fetched, FieldShape::List),
            "owner" => (Field::Owner, FieldShape::List),
            "record" => (Field::Record, FieldShape::List),
            "branch" => (Field::Branch, FieldShape::Text),
            "code" => (Field::Code, FieldShape::Text),
            "credit" => (Field::Credit, FieldShape::Amount),
            "debit" => (Field::Debit, FieldShape::Amount),
            "balance" => (Field::Balance, FieldShape::Amount),
            "customer" => (Field::Customer, FieldShape::Identity),
            "env" => (Field::Env, FieldShape::Text),
            "bank" => (Field::Bank, FieldShape::Identity),
            "cleared_date" => (Field::ClearedIso, FieldShape::Date),
            "unformatted_cleared_date" => (Field::ClearedBank, FieldShape::Date),
            "trans_date" => (Field::TransIso, FieldShape::Date),
            "unformatted_trans_date" => (Field::TransBank, FieldShape::Date),
            "created_at" => (Field::CreatedAt, FieldShape::Date),
            "last_updated" => (Field::LastUpdated, FieldShape::Date),
            "ref" => (Field::Reference, FieldShape::Text),
            "desc" => (Field::FlatDesc, FieldShape::Text),
            "topics" => (Field::FlatTopics, FieldShape::List),
            "people" => (Field::FlatPeople, FieldShape::FlatList),
            "places" => (Field::FlatPlaces, FieldShape::FlatList),
            "actions" => (Field::FlatActions, FieldShape::FlatList),
            "subjects" => (Field::FlatSubjects, FieldShape::FlatList),
            "prepositions" => (Field::FlatPrepositions, FieldShape::FlatList),
            "reference" => (Field::FlatReference, FieldShape::FlatText),
            "currency" => (Field::Currency, FieldShape::Code),
            "account" => (Field::Account, FieldShape::Account),
            _ => return None,
        })
    }

    /// The field of a key of `notes`.
    #[inline]
    pub(crate) fn from_notes_key(key: &str) -> Option<(Field, FieldShape)> {
        Some(match key {
            "desc" => (Field::Desc, FieldShape::Text),
            "topics" => (Field::Topics, FieldShape::List),
            "places" => (Field::Places, FieldShape::List),
            "people" => (Field::People, FieldShape::List),
            "actions" => (Field::Actions, FieldShape::List),
            "subjects" => (Field::Subjects, FieldShape::List),
            "preopositions" => (Field::Prepositions, FieldShape::List),
            "prepositions" => (Field::OtherPrepositions, FieldShape::List),
            _ => return None,
        })
    }
}

/// Whether the key is known, but not read.
pub(crate) fn is_passed_over(key: &str) -> bool {
    matches!(key, "ner" | "projects" | "benefactor" | "location" | "manual" | "reconciled" | "__v")
}
