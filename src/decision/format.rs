//! Values in words and in JSON: money with its currency for people, exact minor units for machines.

use crate::metrics::Reason;
use crate::rules::graph::NodeId;
use crate::rules::program::{Part, Template, Value, json as json_of};
use crate::rules::{Policy, Type, Unit};
use crate::words::money::{Currency, Money};
use crate::words::rational::{Rational, Rounding};
use crate::words::time::Duration;

/// Decimals of what somebody wrote: it has an end, and is told to it.
pub(crate) const WRITTEN: usize = 9;

/// Decimals that a rule writes end before this; two fractions that 128 bits hold are told apart by fewer than 80.
const DECIMALS_MAX: usize = 1_100;

/// For a person.
pub(crate) fn words(policy: &Policy, ty: Type, value: &Result<Value, Reason>) -> String {
    closely(policy, ty, value, 0, &[])
}

/// For a person who looks closely: `more` decimals, of what has decimals without end, and as many as it takes to stand on the same
/// side of what it is compared with as before it was rounded.
pub(crate) fn closely(
    policy: &Policy,
    ty: Type,
    value: &Result<Value, Reason>,
    more: usize,
    beside: &[Rational],
) -> String {
    let value = match value {
        Ok(value) => value,
        Err(reason) => return format!("unknown ({})", reason.code(&policy.program)),
    };
    let currency = &policy.header.currency;
    match (ty.unit, value) {
        (Unit::Money, Value::Int(minor)) => money(*minor, currency),
        (Unit::Duration, Value::Int(length)) => Duration::from_milliseconds(*length).in_words(),
        (unit, Value::Int(_)) if unit.is_iso() => unit.iso(value).unwrap_or_else(|| "?".into()),
        (_, Value::Int(value)) => grouped(*value),
        (_, Value::Rational(value)) => worked_out(ty.unit, value, currency, more, beside),
        (_, Value::Float(double)) => match Rational::from_f64(*double) {
            Some(value) => worked_out(ty.unit, &value, currency, more, beside),
            None => double.to_string(),
        },
        (_, Value::Boolean(value)) => if *value { "yes" } else { "no" }.into(),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::List(list)) => {
            let item = |item: &Value| closely(policy, ty, &Ok(item.clone()), more, beside);
            list.iter().map(item).collect::<Vec<_>>().join(", ")
        }
    }
}

/// A number that may have decimals without end.
fn worked_out(unit: Unit, value: &Rational, currency: &Currency, more: usize, beside: &[Rational]) -> String {
    // What somebody wrote is told to its end.
    let written = if more == WRITTEN { value.decimals().unwrap_or(WRITTEN) } else { 0 };
    match unit {
        Unit::Money => money_worked_out(value, currency, written, beside),
        Unit::Duration => match value.rounded_to_i64(Rounding::HalfAway) {
            Some(length) => Duration::from_milliseconds(length).in_words(),
            None => value.to_string(),
        },
        Unit::Ratio => {
            let beside: Vec<Rational> = beside.iter().map(percent).collect();
            let value = percent(value);
            format!("{} %", trimmed(&value, decimals(&value, written.max(more.max(1)), &beside)))
        }
        _ => {
            // Whoever looks closely sees whether it is whole.
            let whole = if more > 0 { Some(value.rounded(Rounding::HalfAway)) } else { None };
            let beside: Vec<Rational> = beside.iter().cloned().chain(whole).collect();
            // As many as a ratio has beside it that is just as much: it is told in percent, with one decimal.
            let usual = if beside.contains(value) { 3 } else { 2 };
            trimmed(value, decimals(value, written.max(usual.max(2 + more)), &beside))
        }
    }
}

/// What is too large for it stays what it is.
fn percent(ratio: &Rational) -> Rational {
    ratio.times(&Rational::from(100)).unwrap_or_else(|| ratio.clone())
}

/// The decimals, at least so many, by which a value is as much less or more than each of its neighbours as it really is.
fn decimals(value: &Rational, least: usize, beside: &[Rational]) -> usize {
    // What is equal to a limit that is told to its end must not look like less or more.
    let least = match beside.contains(value).then(|| value.decimals()).flatten() {
        Some(end) => least.max(end),
        None => least,
    };
    if beside.is_empty() {
        return least;
    }
    let same_side = |decimals: usize| {
        let shown = |number: &Rational| number.rounded_to_decimals(decimals);
        let rounded = shown(value);
        beside.iter().all(|other| rounded.cmp(&shown(other)) == value.cmp(other))
    };
    (least..DECIMALS_MAX).find(|decimals| same_side(*decimals)).unwrap_or(DECIMALS_MAX)
}

/// Money that was worked out: to the coin, or as closely as its neighbours ask for.
fn money_worked_out(minor: &Rational, currency: &Currency, written: usize, beside: &[Rational]) -> String {
    let closer = decimals(minor, written, beside);
    if let Some(minor) = minor.rounded_to_i64(Rounding::HalfAway).filter(|_| closer == 0) {
        return money(minor, currency);
    }
    let exponent = currency.exponent() as usize;
    let major = Rational::ratio(1, 10_i64.pow(exponent as u32)).and_then(|minor_unit| minor.times(&minor_unit));
    let text = major.as_ref().unwrap_or(minor).to_decimals(exponent + closer);
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

fn trimmed(value: &Rational, decimals: usize) -> String {
    let text = value.to_decimals(decimals);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

/// A reason with its values filled in.
pub(crate) fn template(
    policy: &Policy,
    template: &Template,
    value: impl Fn(NodeId) -> Result<Value, Reason>,
) -> String {
    let bounds: Vec<(Rational, Vec<Rational>)> = template.0.iter().filter_map(|part| bounds_of(part, &value)).collect();
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Value(told) => match value(told.node) {
            // Why is said once, after the sentence.
            Err(_) => "?".to_owned(),
            known => {
                let more = if told.is_written { WRITTEN } else { 0 };
                // Equal ones are told alike.
                let own = known.as_ref().ok().and_then(Value::rational);
                let alike = bounds.iter().filter(|(other, _)| Some(other) == own.as_ref());
                let beside: Vec<Rational> = alike.flat_map(|(_, bounds)| bounds).cloned().collect();
                closely(policy, policy.type_of(told.node), &known, more, &beside)
            }
        },
    };
    template.0.iter().map(part).collect()
}

/// A value of a reason that has decimals without end, and what it must not look like.
fn bounds_of(part: &Part, value: &impl Fn(NodeId) -> Result<Value, Reason>) -> Option<(Rational, Vec<Rational>)> {
    let Part::Value(told) = part else { return None };
    // Whole numbers are told to their last digit.
    let own @ (Value::Rational(_) | Value::Float(_)) = value(told.node).ok()? else { return None };
    let own = own.rational()?;
    let compared = told.beside.iter().filter_map(|other| value(*other).ok()?.rational());
    let mut bounds: Vec<Rational> = compared.collect();
    if let Some(ends) = &told.ends {
        // Where the nearest keep their sides in rounding, those further away do.
        let (below, above) = (ends.partition_point(|end| *end < own), ends.partition_point(|end| *end <= own));
        bounds.extend(
            ends.get(below.saturating_sub(1)..=above.min(ends.len().saturating_sub(1))).into_iter().flatten().cloned(),
        );
    }
    Some((own, bounds))
}

/// For a machine: null where unknown.
pub(crate) fn json(ty: Type, value: &Result<Value, Reason>) -> serde_json::Value {
    value.as_ref().map_or(serde_json::Value::Null, |value| json_of(ty, value))
}
