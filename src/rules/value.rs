//! Single values, and the tests of cells and bins.

use std::sync::Arc;

use crate::base::date::Day;
use crate::base::rational::{Rational, Rounding};
use crate::base::time::{Duration, TimeOfDay, Timestamp};
use crate::rules::types::{Repr, Type, Unit};

/// A single value, outside any column.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Money in minor units, counts, days, dates as days since 1970-01-01, times and durations in milliseconds.
    Int(i64),
    /// Means, ratios and numbers with decimals, exactly.
    Rational(Rational),
    /// An approximate number, such as a standard deviation.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// Text.
    Text(String),
    /// The outputs of several rows of a table, in order.
    List(Vec<Value>),
    /// An entry of a list that is given with the statement: its fields as declared, `None` where it does not say.
    Entry(Arc<[Option<Value>]>),
}

/// A test of one value in a cell of a table or a bin of a score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// `-`: anything, known or not.
    Anything,
    /// `unknown`
    Unknown,
    Equal(Value),
    /// Low and high; true if the bound itself is included.
    Range(Option<(Value, bool)>, Option<(Value, bool)>),
    OneOf(Vec<Test>),
    Not(Box<Test>),
}

impl Test {
    /// Whether it mentions unknown values.
    pub(crate) fn expects_unknown(&self) -> bool {
        match self {
            Test::Unknown => true,
            Test::OneOf(tests) => tests.iter().any(Test::expects_unknown),
            Test::Not(test) => test.expects_unknown(),
            Test::Anything | Test::Equal(_) | Test::Range(..) => false,
        }
    }

    /// The numbers at which its result changes.
    pub(crate) fn ends(&self) -> Vec<Rational> {
        match self {
            Test::Equal(value) => value.rational().into_iter().collect(),
            Test::Range(low, high) => low.iter().chain(high).filter_map(|(value, _)| value.rational()).collect(),
            Test::OneOf(tests) => tests.iter().flat_map(Test::ends).collect(),
            Test::Not(test) => test.ends(),
            Test::Anything | Test::Unknown => Vec::new(),
        }
    }

    /// Whether the value passes; `None` if it is unknown and the test does not mention unknowns.
    pub(crate) fn passes(&self, value: Option<&Value>) -> Option<bool> {
        match (self, value) {
            (Test::Anything, _) => Some(true),
            (Test::Unknown, value) => Some(value.is_none()),
            (Test::OneOf(tests), value) => any_known_true(tests.iter().map(|test| test.passes(value))),
            (Test::Not(test), value) => test.passes(value).map(|passes| !passes),
            (_, None) => None,
            (Test::Equal(expected), Some(value)) => {
                Some(compare_values(value, expected) == Some(std::cmp::Ordering::Equal))
            }
            (Test::Range(low, high), Some(value)) => {
                let above = low.as_ref().is_none_or(|(low, closed)| match compare_values(value, low) {
                    Some(std::cmp::Ordering::Greater) => true,
                    Some(std::cmp::Ordering::Equal) => *closed,
                    _ => false,
                });
                let below = high.as_ref().is_none_or(|(high, closed)| match compare_values(value, high) {
                    Some(std::cmp::Ordering::Less) => true,
                    Some(std::cmp::Ordering::Equal) => *closed,
                    _ => false,
                });
                Some(above && below)
            }
        }
    }
}

/// SQL's OR of all results.
fn any_known_true(results: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut answer = Some(false);
    for result in results {
        match result {
            Some(true) => return Some(true),
            None => answer = None,
            Some(false) => {}
        }
    }
    answer
}

/// Orders two values of one kind. Numbers compare exactly, or as doubles if one is approximate.
pub(crate) fn compare_values(left: &Value, right: &Value) -> Option<std::cmp::Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Int(left), Value::Rational(right)) => Some(Rational::from(*left).cmp(right)),
        (Value::Rational(left), Value::Int(right)) => Some(left.cmp(&Rational::from(*right))),
        (Value::Rational(left), Value::Rational(right)) => Some(left.cmp(right)),
        (Value::Rational(left), Value::Float(right)) => left.to_f64().partial_cmp(right),
        (Value::Float(left), Value::Rational(right)) => left.partial_cmp(&right.to_f64()),
        (Value::Int(left), Value::Float(right)) => (*left as f64).partial_cmp(right),
        (Value::Float(left), Value::Int(right)) => left.partial_cmp(&(*right as f64)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::Boolean(left), Value::Boolean(right)) => Some(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// A value for a machine: money in minor units, dates, times and durations as text.
pub(crate) fn value_as_json(ty: Type, value: &Value) -> serde_json::Value {
    match value {
        Value::Int(_) | Value::Rational(_) | Value::Float(_) if ty.unit.is_iso() => ty.unit.iso(value).into(),
        Value::Int(value) => (*value).into(),
        Value::Rational(value) => value.to_f64().into(),
        Value::Float(value) => (*value).into(),
        Value::Boolean(value) => (*value).into(),
        Value::Text(text) => text.clone().into(),
        Value::List(list) => list.iter().map(|item| value_as_json(ty, item)).collect(),
        // Rules aggregate entries, so none is the value of anything.
        Value::Entry(_) => serde_json::Value::Null,
    }
}

impl Value {
    /// Whether it has this representation.
    pub(crate) fn is(&self, repr: Repr) -> bool {
        self.repr() == repr
    }

    /// Whether it can be converted to this representation without changing the number. A double means its shortest
    /// decimal.
    pub(crate) fn may_be_held_as(&self, repr: Repr) -> bool {
        match (self, repr) {
            (Value::Int(_) | Value::Float(_), Repr::Rational) => true,
            (Value::Int(_) | Value::Rational(_), Repr::Float) => true,
            _ => self.is(repr),
        }
    }

    /// Converts it to this representation where possible.
    pub(crate) fn held_as(self, repr: Repr) -> Value {
        match (&self, repr) {
            (Value::Int(_) | Value::Float(_), Repr::Rational) => self.rational().map_or(self, Value::Rational),
            (Value::Int(_) | Value::Rational(_), Repr::Float) => self.float().map_or(self, Value::Float),
            _ => self,
        }
    }

    /// Its representation.
    pub(crate) fn repr(&self) -> Repr {
        match self {
            Value::Int(_) => Repr::Int,
            Value::Rational(_) => Repr::Rational,
            Value::Float(_) => Repr::Float,
            Value::Boolean(_) => Repr::Boolean,
            Value::Text(_) => Repr::Text,
            Value::List(_) | Value::Entry(_) => Repr::List,
        }
    }

    /// Converts a double to a value in this representation.
    pub(crate) fn from_double(double: f64, repr: Repr) -> Value {
        match (repr, Rational::from_f64(double)) {
            (Repr::Int, _) => Value::Int(double.round() as i64),
            (Repr::Rational, Some(number)) => Value::Rational(number),
            _ => Value::Float(double),
        }
    }

    /// The integer, if it is one.
    pub fn int(&self) -> Option<i64> {
        if let Value::Int(value) = self { Some(*value) } else { None }
    }

    /// The exact number, if it is one. A float becomes the shortest decimal that reads back as it.
    pub fn rational(&self) -> Option<Rational> {
        match self {
            Value::Int(value) => Some(Rational::from(*value)),
            Value::Rational(value) => Some(value.clone()),
            Value::Float(value) => Rational::from_f64(*value),
            _ => None,
        }
    }

    /// The nearest double, if it is a number.
    pub fn float(&self) -> Option<f64> {
        match self {
            Value::Int(value) => Some(*value as f64),
            Value::Rational(value) => Some(value.to_f64()),
            Value::Float(value) => Some(*value),
            _ => None,
        }
    }
}

impl Unit {
    /// The value in ISO 8601; `None` for other units and for invalid days.
    pub(crate) fn iso(self, value: &Value) -> Option<String> {
        let whole = match (value, self) {
            (Value::Int(whole), _) => *whole,
            // A mean.
            (Value::Rational(mean), Unit::Duration) => mean.rounded_to_i64(Rounding::HalfAway)?,
            (Value::Float(mean), Unit::Duration) => mean.round() as i64,
            _ => return None,
        };
        match self {
            Unit::Date => i32::try_from(whole).ok().and_then(Day::checked_from_days).map(|day| day.to_string()),
            Unit::Time => TimeOfDay::from_milliseconds(whole).map(|time| time.to_string()),
            Unit::Timestamp => Timestamp::from_milliseconds(whole).map(|moment| moment.to_string()),
            Unit::Duration => Some(Duration::from_milliseconds(whole).to_string()),
            _ => None,
        }
    }
}
