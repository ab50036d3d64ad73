//! What a decision is given beside the statement: inputs and parameters. Knows no expression.

use crate::rules::types::Type;
use crate::rules::value::Value;
use crate::words::date::Day;

/// Who an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// What the customer asks for.
    Request,
    /// What a credit bureau says.
    Bureau,
}

impl InputSource {
    /// The section that declares it, and the word before the dot in rules.
    pub fn word(self) -> &'static str {
        match self {
            InputSource::Request => "request",
            InputSource::Bureau => "bureau",
        }
    }
}

/// A value that is given beside the statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Who it comes from.
    pub source: InputSource,
    /// Its name; rules say `request.NAME` or `bureau.NAME`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether every case without it is referred.
    pub required: bool,
    /// What it is, for people.
    pub doc: String,
}

impl Input {
    /// As rules say it: `request.amount`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.source.word(), self.name)
    }
}

/// A parameter: one value, or several by the day of the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name; rules say `$NAME`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its values, the earliest first; at least one.
    pub values: Vec<ParameterValue>,
    /// The least it may be.
    pub min: Option<Value>,
    /// The most it may be.
    pub max: Option<Value>,
    /// What it is, for people.
    pub doc: String,
}

/// A value of a parameter and the day from which it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterValue {
    /// The first day; `None` where it holds from the beginning.
    pub from: Option<Day>,
    /// As an expression would hold it.
    pub value: Value,
    /// As written, or as given from outside.
    pub text: String,
}

impl Parameter {
    /// The value that holds on a day; `None` before its first day, and for no day where the day decides.
    pub fn on(&self, day: Option<Day>) -> Option<&ParameterValue> {
        match self.values.as_slice() {
            [always] if always.from.is_none() => Some(always),
            values => day.and_then(|day| values.iter().rev().find(|value| value.from.is_none_or(|from| from <= day))),
        }
    }
}
