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
pub(crate) enum Shape {
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

impl Shape {
    /// Whether a JSON number is taken by its digits.
    pub(crate) const fn takes_numbers(self) -> bool {
        matches!(self.takes(), Takes::TextOrNumber) || matches!(self, Shape::FlatList)
    }

    /// Which JSON values are the field's value as written.
    pub(crate) const fn takes(self) -> Takes {
        match self {
            Shape::Text | Shape::FlatText | Shape::Identity | Shape::Amount | Shape::Code | Shape::Account => {
                Takes::TextOrNumber
            }
            Shape::Date => Takes::Text,
            Shape::List | Shape::FlatList | Shape::Notes => Takes::Neither,
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
    pub(crate) fn field(self, key: &str) -> Option<(Field, Shape)> {
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
            Column::Amount | Column::Type | Column::Seq | Column::Fee | Column::StatedBalance => return None,
        })
    }

    /// The bit in a set of fields.
    pub(crate) const fn bit(self) -> u64 {
        1 << self as u64
    }

    /// The field of one of the record's own keys.
    #[inline]
    pub(crate) fn from_record_key(key: &str) -> Option<(Field, Shape)> {
        Some(match key {
            "id" => (Field::Id, Shape::Identity),
            "_id" => (Field::OtherId, Shape::Identity),
            "notes" => (Field::Notes, Shape::Notes),
            "fetched" => (Field::Fetched, Shape::List),
            "owner" => (Field::Owner, Shape::List),
            "record" => (Field::Record, Shape::List),
            "branch" => (Field::Branch, Shape::Text),
            "code" => (Field::Code, Shape::Text),
            "credit" => (Field::Credit, Shape::Amount),
            "debit" => (Field::Debit, Shape::Amount),
            "balance" => (Field::Balance, Shape::Amount),
            "customer" => (Field::Customer, Shape::Identity),
            "env" => (Field::Env, Shape::Text),
            "bank" => (Field::Bank, Shape::Identity),
            "cleared_date" => (Field::ClearedIso, Shape::Date),
            "unformatted_cleared_date" => (Field::ClearedBank, Shape::Date),
            "trans_date" => (Field::TransIso, Shape::Date),
            "unformatted_trans_date" => (Field::TransBank, Shape::Date),
            "created_at" => (Field::CreatedAt, Shape::Date),
            "last_updated" => (Field::LastUpdated, Shape::Date),
            "ref" => (Field::Reference, Shape::Text),
            "desc" => (Field::FlatDesc, Shape::Text),
            "topics" => (Field::FlatTopics, Shape::List),
            "people" => (Field::FlatPeople, Shape::FlatList),
            "places" => (Field::FlatPlaces, Shape::FlatList),
            "actions" => (Field::FlatActions, Shape::FlatList),
            "subjects" => (Field::FlatSubjects, Shape::FlatList),
            "prepositions" => (Field::FlatPrepositions, Shape::FlatList),
            "reference" => (Field::FlatReference, Shape::FlatText),
            "currency" => (Field::Currency, Shape::Code),
            "account" => (Field::Account, Shape::Account),
            _ => return None,
        })
    }

    /// The field of a key of `notes`.
    #[inline]
    pub(crate) fn from_notes_key(key: &str) -> Option<(Field, Shape)> {
        Some(match key {
            "desc" => (Field::Desc, Shape::Text),
            "topics" => (Field::Topics, Shape::List),
            "places" => (Field::Places, Shape::List),
            "people" => (Field::People, Shape::List),
            "actions" => (Field::Actions, Shape::List),
            "subjects" => (Field::Subjects, Shape::List),
            "preopositions" => (Field::Prepositions, Shape::List),
            "prepositions" => (Field::OtherPrepositions, Shape::List),
            _ => return None,
        })
    }
}

/// Whether the key is known, but not read.
pub(crate) fn is_passed_over(key: &str) -> bool {
    matches!(key, "ner" | "projects" | "benefactor" | "location" | "manual" | "reconciled" | "__v")
}
