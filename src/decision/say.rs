//! Values in words and in JSON: money with its currency for people, exact minor units for machines.

use crate::metrics::Reason;
use crate::rules::ir::NodeId;
use crate::rules::program::{Part, Template, Value, json as json_of};
use crate::rules::{Policy, Type, Unit};
use crate::words::money::{Currency, Money};
use crate::words::time::Duration;

/// Decimals of what somebody wrote: it has an end, and is told to it.
pub(crate) const WRITTEN: usize = 9;

/// Further decimals than this tell nothing.
const DECIMALS_MAX: usize = 17;

/// For a person.
pub(crate) fn words(policy: &Policy, ty: Type, value: &Result<Value, Reason>) -> String {
    closely(policy, ty, value, 0, &[])
}

/// For a person who looks closely: `more` decimals, of what has decimals without end, and as many as it takes to stand on the same
/// side of what it is compared with as before it was rounded.
pub(crate) fn closely(policy: &Policy, ty: Type, value: &Result<Value, Reason>, more: usize, beside: &[f64]) -> String {
    let value = match value {
        Ok(value) => value,
        Err(reason) => return format!("unknown ({})", reason.code(&policy.program)),
    };
    let currency = &policy.header.currency;
    match (ty.unit, value) {
        (Unit::Money, Value::Int(minor)) => money(*minor, currency),
        (Unit::Money, Value::Float(minor)) => money_worked_out(*minor, currency, more == WRITTEN, beside),
        (Unit::Duration, Value::Int(length)) => Duration::from_milliseconds(*length).in_words(),
        (Unit::Duration, Value::Float(length)) => Duration::from_milliseconds(length.round() as i64).in_words(),
        (unit, Value::Int(_)) if unit.is_iso() => unit.iso(value).unwrap_or_else(|| "?".into()),
        (Unit::Ratio, Value::Float(ratio)) => {
            let percent = |ratio: &f64| ratio * 100.0;
            let beside: Vec<f64> = beside.iter().map(percent).collect();
            format!("{} %", trimmed(percent(ratio), decimals(percent(ratio), more.max(1), &beside)))
        }
        (_, Value::Int(value)) => grouped(*value),
        (_, Value::Float(value)) => {
            // Whoever looks closely sees whether it is whole.
            let whole = if more > 0 { Some(value.round()) } else { None };
            let beside: Vec<f64> = beside.iter().copied().chain(whole).collect();
            trimmed(*value, decimals(*value, 2 + more, &beside))
        }
        (_, Value::Boolean(value)) => if *value { "yes" } else { "no" }.into(),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::List(list)) => {
            let item = |item: &Value| closely(policy, ty, &Ok(item.clone()), more, beside);
            list.iter().map(item).collect::<Vec<_>>().join(", ")
        }
    }
}

/// The decimals, at least so many, by which a value is as much less or more than each of its neighbours as it really is.
fn decimals(value: f64, least: usize, beside: &[f64]) -> usize {
    let shown = |value: f64, decimals: usize| format!("{value:.decimals$}").parse::<f64>().unwrap_or(value);
    let same_side = |decimals: usize| {
        let rounded = shown(value, decimals);
        beside.iter().all(|other| rounded.partial_cmp(&shown(*other, decimals)) == value.partial_cmp(other))
    };
    (least..DECIMALS_MAX).find(|decimals| same_side(*decimals)).unwrap_or(DECIMALS_MAX)
}

/// Money that was worked out: to the coin, or as closely as its neighbours ask for.
fn money_worked_out(minor: f64, currency: &Currency, exactly: bool, beside: &[f64]) -> String {
    let closer = if exactly { WRITTEN } else { decimals(minor, 0, beside) };
    if closer == 0 && minor.abs() < 9e18 {
        return money(minor.round() as i64, currency);
    }
    let exponent = currency.exponent() as usize;
    let text = format!("{:.*}", exponent + closer, minor / 10f64.powi(exponent as i32));
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let kept = fraction.trim_end_matches('0').len().max(exponent);
    let point = if kept > 0 { "." } else { "" };
    format!("{} {sign}{}{point}{}", currency.alphabetic(), in_groups(whole), &fraction[..kept.min(fraction.len())])
}

fn money(minor: i64, currency: &Currency) -> String {
    format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(currency))
}

fn grouped(value: i64) -> String {
    let digits = in_groups(&value.unsigned_abs().to_string());
    if value < 0 { format!("-{digits}") } else { digits }
}

fn in_groups(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A reason with its values filled in.
pub(crate) fn template(
    policy: &Policy,
    template: &Template,
    value: impl Fn(NodeId) -> Result<Value, Reason>,
) -> String {
    let bounds: Vec<(f64, Vec<f64>)> = template.0.iter().filter_map(|part| bounds_of(part, &value)).collect();
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Value(told) => match value(told.node) {
            // Why is said once, after the sentence.
            Err(_) => "?".to_owned(),
            known => {
                let more = if told.is_written { WRITTEN } else { 0 };
                // Equal ones are told alike.
                let own = known.as_ref().ok().and_then(Value::float);
                let alike = bounds.iter().filter(|(other, _)| Some(*other) == own);
                let beside: Vec<f64> = alike.flat_map(|(_, bounds)| bounds).copied().collect();
                closely(policy, policy.type_of(told.node), &known, more, &beside)
            }
        },
    };
    template.0.iter().map(part).collect()
}

/// A value of a reason that has decimals without end, and what it must not look like.
fn bounds_of(part: &Part, value: &impl Fn(NodeId) -> Result<Value, Reason>) -> Option<(f64, Vec<f64>)> {
    let Part::Value(told) = part else { return None };
    let Ok(Value::Float(own)) = value(told.node) else { return None };
    let compared = told.beside.iter().filter_map(|other| value(*other).ok()?.float());
    let mut bounds: Vec<f64> = compared.collect();
    if let Some(ends) = &told.ends {
        // Where the nearest keep their sides in rounding, those further away do.
        let below = ends.partition_point(|end| *end < own);
        bounds.extend(below.checked_sub(1).map(|at| ends[at]));
        bounds.extend(ends.get(ends.partition_point(|end| *end <= own)));
    }
    Some((own, bounds))
}

/// For a machine: null where unknown.
pub(crate) fn json(ty: Type, value: &Result<Value, Reason>) -> serde_json::Value {
    value.as_ref().map_or(serde_json::Value::Null, |value| json_of(ty, value))
}
