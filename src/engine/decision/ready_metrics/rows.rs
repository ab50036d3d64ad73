//! Rows of precomputed metrics, checked against their types and digested.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::base::digest::{Digest, Hasher};
use crate::engine::decision::error::{ReadyError, wrong_metric};
use crate::engine::decision::request_values::typed;
use crate::engine::metrics::Reason;
use crate::rules::Type;
use crate::rules::program::Value;
use crate::statement::Head;

/// Rows of precomputed metrics, column by column.
#[derive(Clone, Debug)]
pub struct ReadyRows {
    pub(super) types: Arc<[(String, Type)]>,
    pub(super) heads: Vec<Head>,
    pub(super) digests: Vec<Digest>,
    pub(super) columns: Vec<Vec<Result<Value, Reason>>>,
}

impl ReadyRows {
    /// Adds a row: the metrics in the order of the plan's names, as an expression holds them (money in minor units, a
    /// date as its days since 1970-01-01, times and durations in milliseconds); `None` if unknown.
    ///
    /// # Errors
    /// If a value is not of its metric's type, or the number of values is wrong.
    pub fn push(&mut self, label: &str, customer: Option<&str>, values: Vec<Option<Value>>) -> Result<(), ReadyError> {
        if values.len() != self.types.len() {
            return wrong_metric(label, format!("{} values for {} metrics", values.len(), self.types.len()));
        }
        for ((name, ty), value) in self.types.iter().zip(&values) {
            if value.as_ref().is_some_and(|value| !value.may_be_held_as(ty.repr)) {
                return wrong_metric(name, format!("not a value of {}", ty.unit.word()));
            }
        }
        let mut hasher = Hasher::new();
        for ((column, value), (_, ty)) in self.columns.iter_mut().zip(values).zip(self.types.iter()) {
            // NaN and infinity are as unknown as a missing value.
            let value = value.filter(|value| !matches!(value, Value::Float(number) if !number.is_finite()));
            // A double and its shortest decimal are the same number, and give the same digest.
            let is_double = matches!(value, Some(Value::Float(_)));
            if is_double {
                hash(&mut hasher, value.as_ref());
            }
            let value = value.map(|value| value.held_as(ty.repr));
            if !is_double {
                hash(&mut hasher, value.as_ref());
            }
            column.push(value.ok_or(Reason::NotGiven));
        }
        self.heads.push(Head::without_records(customer, label));
        self.digests.push(hasher.finish());
        Ok(())
    }

    /// As [`ReadyRows::push`], from JSON as decisions write it: money in minor units, dates as text, null where
    /// unknown. A missing metric is unknown too.
    ///
    /// # Errors
    /// As [`ReadyRows::push`], and if the row has a metric that the plan does not name.
    pub fn push_json(
        &mut self,
        label: &str,
        customer: Option<&str>,
        row: &Map<String, Json>,
    ) -> Result<(), ReadyError> {
        if let Some(name) = row.keys().find(|name| !self.types.iter().any(|(known, _)| known == *name)) {
            return wrong_metric(name, "the plan does not name it");
        }
        let mut values = Vec::with_capacity(self.types.len());
        for (name, ty) in self.types.iter() {
            values.push(match row.get(name) {
                None | Some(Json::Null) => None,
                Some(value) => match typed(*ty, value) {
                    Some(value) => Some(value),
                    None => return wrong_metric(name, format!("not a value of {}", ty.unit.word())),
                },
            });
        }
        self.push(label, customer, values)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }
}

fn hash(hasher: &mut Hasher, value: Option<&Value>) {
    match value {
        None => hasher.update(b"?"),
        Some(Value::Int(value)) => hasher.update(b"i").update(&value.to_le_bytes()),
        Some(Value::Rational(value)) => {
            let double = value.to_f64();
            hasher.update(b"f").update(&double.to_bits().to_le_bytes());
            // Most are the shortest decimal of the double.
            match value.as_f64().is_some() {
                true => hasher,
                false => hasher.update(b"r").update(format!("{value:?}").as_bytes()),
            }
        }
        Some(Value::Float(value)) => hasher.update(b"f").update(&value.to_bits().to_le_bytes()),
        Some(Value::Boolean(value)) => hasher.update(if *value { b"t" } else { b"n" }),
        Some(Value::Text(text)) => {
            hasher.update(b"s").update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes())
        }
        Some(Value::Entry(fields)) => {
            hasher.update(b"e").update(&(fields.len() as u64).to_le_bytes());
            fields.iter().for_each(|field| hash(hasher, field.as_ref()));
            hasher
        }
        Some(Value::List(list)) => {
            hasher.update(b"l").update(&(list.len() as u64).to_le_bytes());
            list.iter().for_each(|item| hash(hasher, Some(item)));
            hasher
        }
    };
}
