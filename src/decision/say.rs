//! Values in words and in JSON: money with its currency for people, exact minor units for machines.

use crate::metrics::Reason;
use crate::rules::program::{Part, Template, Value, json as json_of};
use crate::rules::{Policy, Type, Unit};
use crate::words::money::Money;
use crate::words::time::Duration;

/// For a person.
pub(crate) fn words(policy: &Policy, ty: Type, value: &Result<Value, Reason>) -> String {
    let value = match value {
        Ok(value) => value,
        Err(reason) => return format!("unknown ({})", reason.code(&policy.program)),
    };
    let currency = policy.header.currency;
    match (ty.unit, value) {
        (Unit::Money, Value::Int(minor)) => money(*minor, &currency),
        (Unit::Money, Value::Float(minor)) => money(minor.round() as i64, &currency),
        (Unit::Duration, Value::Int(length)) => Duration::from_milliseconds(*length).in_words(),
        (Unit::Duration, Value::Float(length)) => Duration::from_milliseconds(length.round() as i64).in_words(),
        (unit, Value::Int(_)) if unit.is_iso() => unit.iso(value).unwrap_or_else(|| "?".into()),
        (Unit::Ratio, Value::Float(ratio)) => format!("{} %", trimmed(ratio * 100.0, 1)),
        (_, Value::Int(value)) => grouped(*value),
        (_, Value::Float(value)) => trimmed(*value, 2),
        (_, Value::Boolean(value)) => if *value { "yes" } else { "no" }.into(),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::List(list)) => {
            let item = |item: &Value| words(policy, ty, &Ok(item.clone()));
            list.iter().map(item).collect::<Vec<_>>().join(", ")
        }
    }
}

/// For a person who looks closely: `decimals` more of what has decimals without end.
pub(crate) fn finely(policy: &Policy, ty: Type, value: &Result<Value, Reason>, decimals: usize) -> String {
    match (ty.unit, value) {
        (Unit::Money | Unit::Duration, _) => words(policy, ty, value),
        (Unit::Ratio, Ok(Value::Float(ratio))) => format!("{} %", trimmed(ratio * 100.0, decimals)),
        (_, Ok(Value::Float(value))) => trimmed(*value, 2 + decimals),
        _ => words(policy, ty, value),
    }
}

fn money(minor: i64, currency: &crate::words::money::Currency) -> String {
    format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(currency))
}

fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if value < 0 { format!("-{out}") } else { out }
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A reason with its values filled in.
pub(crate) fn template(
    policy: &Policy,
    template: &Template,
    value: impl Fn(crate::rules::ir::NodeId) -> Result<Value, Reason>,
) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Value(node) => match value(*node) {
            // Why is said once, after the sentence.
            Err(_) => "?".to_owned(),
            known => words(policy, policy.type_of(*node), &known),
        },
    };
    template.0.iter().map(part).collect()
}

/// For a machine: null where unknown.
pub(crate) fn json(ty: Type, value: &Result<Value, Reason>) -> serde_json::Value {
    value.as_ref().map_or(serde_json::Value::Null, |value| json_of(ty, value))
}
