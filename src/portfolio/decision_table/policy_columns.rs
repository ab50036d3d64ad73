//! What a reader of kept decisions must know of the policy that made them: by which formula each metric was computed,
//! and which fields of the request are money. It is kept with the decisions, so that no rule file is needed later.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::portfolio::metrics_table::metric_keys;
use crate::rules::{Policy, Repr, Type, Unit};

/// The columns that decisions by a policy have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyColumns {
    /// The ISO 4217 number of the policy's currency.
    pub currency: String,
    /// Its metrics by name.
    pub metrics: BTreeMap<String, MetricColumn>,
    /// The paths of its inputs, such as `request.amount`, and what each holds.
    pub inputs: BTreeMap<String, InputKind>,
}

/// A metric of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricColumn {
    /// The key of its formula.
    pub key: String,
    pub kind: ColumnKind,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Whole numbers, and money in minor units.
    Integer,
    Float,
    Boolean,
    Date,
    /// Texts; times, durations and lists as text.
    Text,
}

/// What an input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    Money,
    Other,
    /// A list of entries, which a table has no column for.
    Entries,
}

impl PolicyColumns {
    /// Those of a policy.
    pub fn from_policy(policy: &Policy) -> PolicyColumns {
        let keys = metric_keys(policy);
        let metrics = policy.metrics().filter_map(|(name, ty)| {
            let key = keys.get(name)?.to_string();
            Some((name.to_owned(), MetricColumn { key, kind: ColumnKind::of(ty) }))
        });
        let inputs = policy.inputs().iter().map(|input| {
            let kind = match (input.fields.is_empty(), input.ty.unit) {
                (false, _) => InputKind::Entries,
                (true, Unit::Money) => InputKind::Money,
                (true, _) => InputKind::Other,
            };
            (input.path(), kind)
        });
        PolicyColumns {
            currency: policy.header().currency.numeric().to_owned(),
            metrics: metrics.collect(),
            inputs: inputs.collect(),
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        // Maps of texts serialize.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// From JSON.
    pub fn from_json(text: &str) -> Option<PolicyColumns> {
        serde_json::from_str(text).ok()
    }
}

impl ColumnKind {
    fn of(ty: Type) -> ColumnKind {
        match ty.repr {
            Repr::Int if ty.unit == Unit::Date => ColumnKind::Date,
            Repr::Int | Repr::Rational | Repr::Float if ty.unit.is_iso() => ColumnKind::Text,
            Repr::Int => ColumnKind::Integer,
            Repr::Rational | Repr::Float => ColumnKind::Float,
            Repr::Boolean => ColumnKind::Boolean,
            Repr::Text | Repr::List => ColumnKind::Text,
        }
    }
}
