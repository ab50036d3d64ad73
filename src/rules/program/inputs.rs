//! What a decision gets besides the statement: inputs and parameters.

use crate::base::date::Day;
pub use crate::rules::syntax::front::InputSource;
use crate::rules::types::Type;
use crate::rules::value::Value;

/// A value given with the statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its source.
    pub source: InputSource,
    /// Its name; rules write `request.NAME` or `bureau.NAME`. Of a given metric, the metric's name.
    pub name: String,
    /// Its type; a list of counts if it is a list of entries, which rules only aggregate.
    pub ty: Type,
    /// The fields of each entry, if it is a list of entries: `[input.bureau.loans]`.
    pub fields: Vec<EntryField>,
    /// Whether every case without it is referred.
    pub required: bool,
    /// What it is, for people.
    pub doc: String,
    /// The column of a table of customers that has it, if that has another name.
    pub column: Option<String>,
}

/// A field of the entries of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryField {
    /// Its name; rules write `bureau.loans.NAME`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What it is, for people.
    pub doc: String,
}

impl Input {
    /// Its path in rules: `request.amount`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.source.word(), self.name)
    }
}

/// A parameter: one value, or several by the day of the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name; rules write `$NAME`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its values, the earliest first; at least one.
    pub values: Vec<ParameterValue>,
    /// Its lower bound.
    pub min: Option<Value>,
    /// Its upper bound.
    pub max: Option<Value>,
    /// What it is, for people.
    pub doc: String,
}

/// A value of a parameter and its first day.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterValue {
    /// The first day; `None` if it is valid from the beginning.
    pub from: Option<Day>,
    /// The value in the representation of expressions.
    pub value: Value,
    /// As written, or as set from outside.
    pub text: String,
}

impl Parameter {
    /// The value on a day. `None` before the first day, or without a day if the value depends on it.
    pub fn on(&self, day: Option<Day>) -> Option<&ParameterValue> {
        match self.values.as_slice() {
            [always] if always.from.is_none() => Some(always),
            values => day.and_then(|day| values.iter().rev().find(|value| value.from.is_none_or(|from| from <= day))),
        }
    }
}
