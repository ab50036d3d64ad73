//! Two values together: exact, but as doubles if one of them is approximate. Knows no expression.

use super::evaluator::Value;
use crate::exact::{self, Exact};

pub(super) fn is_double(value: &Value) -> bool {
    matches!(value, Value::Double(_))
}

/// The nearest double.
pub(super) fn double_of(value: &Value) -> f64 {
    match value {
        Value::Int(value) => *value as f64,
        Value::Exact(value) => exact::nearest(value),
        Value::Double(value) => *value,
        other => panic!("{other:?} is no number"),
    }
}

/// The exact number; for a double the shortest decimal that reads back as it.
pub(super) fn exact_of(value: &Value) -> Exact {
    match value {
        Value::Int(value) => (*value).into(),
        Value::Exact(value) => value.clone(),
        Value::Double(value) => exact::shortest(*value),
        other => panic!("{other:?} is no number"),
    }
}

pub(super) fn extreme(name: &str, values: Vec<Value>) -> Option<Value> {
    let sign = if name == "least" { "<" } else { ">" };
    let better = |next: &Value, best: &Value| compare(sign, Some(next.clone()), Some(best.clone())) == Some(true);
    values.into_iter().reduce(|best, next| if better(&next, &best) { next } else { best })
}

pub(super) fn compare(sign: &str, left: Option<Value>, right: Option<Value>) -> Option<bool> {
    let order = match (left?, right?) {
        (Value::Int(left), Value::Int(right)) => left.cmp(&right),
        (Value::Truth(left), Value::Truth(right)) => left.cmp(&right),
        (Value::Text(left), Value::Text(right)) => left.cmp(&right),
        (left, right) if is_double(&left) || is_double(&right) => {
            double_of(&left).partial_cmp(&double_of(&right)).expect("no value is NaN")
        }
        (left, right) => exact_of(&left).cmp(&exact_of(&right)),
    };
    Some(match sign {
        "=" => order.is_eq(),
        "<>" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        other => panic!("no comparison {other}"),
    })
}
