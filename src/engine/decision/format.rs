//! Values as text and as JSON: money with its currency for people, exact minor units for programs.

use crate::base::money::{Currency, Money};
use crate::base::rational::{Rational, Rounding};
use crate::base::text::group_thousands;
use crate::base::time::Duration;
use crate::engine::metrics::Reason;
use crate::rules::graph::NodeId;
use crate::rules::program::{Part, Template, Value, value_as_json as json_of};
use crate::rules::{Policy, Type, Unit};

/// Decimals of a number that someone wrote. It ends, and is shown to its end.
pub(crate) const WRITTEN_DECIMALS: usize = 9;

/// The most decimals to show. Decimals in rules end before this, and two fractions in 128 bits differ within 80.
const DECIMALS_MAX: usize = 1_100;

/// Formats a value for people.
pub(crate) fn for_people(policy: &Policy, ty: Type, value: &Result<Value, Reason>) -> String {
    format_value_precisely(policy, ty, value, 0, &[])
}

/// Formats a value precisely: with `more` decimals if its decimals do not end, and with as many as keep it on the same
/// side of each of `bounds` as before rounding.
pub(crate) fn format_value_precisely(
    policy: &Policy,
    ty: Type,
    value: &Result<Value, Reason>,
    more: usize,
    bounds: &[Rational],
) -> String {
    let value = match value {
        Ok(value) => value,
        Err(reason) => return format!("unknown ({})", reason.code(&policy.program)),
    };
    let currency = &policy.header.currency;
    match (ty.unit, value) {
        (Unit::Money, Value::Int(minor)) => format_policy_money(*minor, currency),
        (Unit::Duration, Value::Int(length)) => Duration::from_milliseconds(*length).in_words(),
        (unit, Value::Int(_)) if unit.is_iso() => unit.iso(value).unwrap_or_else(|| "?".into()),
        (_, Value::Int(value)) => grouped(*value),
        (_, Value::Rational(value)) => format_computed_number(ty.unit, value, currency, more, bounds),
        (_, Value::Float(double)) => match Rational::from_f64(*double) {
            Some(value) => format_computed_number(ty.unit, &value, currency, more, bounds),
            None => double.to_string(),
        },
        (_, Value::Boolean(value)) => if *value { "yes" } else { "no" }.into(),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::Entry(_)) => "an entry".to_owned(),
        (_, Value::List(list)) => {
            let item = |item: &Value| format_value_precisely(policy, ty, &Ok(item.clone()), more, bounds);
            list.iter().map(item).collect::<Vec<_>>().join(", ")
        }
    }
}

/// A number that may have endless decimals.
fn format_computed_number(
    unit: Unit,
    value: &Rational,
    currency: &Currency,
    more: usize,
    bounds: &[Rational],
) -> String {
    // A written number is shown to its end.
    let written = if more == WRITTEN_DECIMALS { value.decimals().unwrap_or(WRITTEN_DECIMALS) } else { 0 };
    match unit {
        Unit::Money => computed_money(value, currency, written, bounds),
        Unit::Duration => match value.rounded_to_i64(Rounding::HalfAway) {
            Some(length) => Duration::from_milliseconds(length).in_words(),
            None => value.to_string(),
        },
        Unit::Ratio => {
            let bounds: Vec<Rational> = bounds.iter().map(ratio_to_percent).collect();
            let value = ratio_to_percent(value);
            format!("{} %", trimmed(&value, decimals_to_distinguish(&value, written.max(more.max(1)), &bounds)))
        }
        _ => {
            // With more decimals, a number must not look whole if it is not.
            let whole = if more > 0 { Some(value.rounded(Rounding::HalfAway)) } else { None };
            let bounds: Vec<Rational> = bounds.iter().cloned().chain(whole).collect();
            // As many as an equal ratio has, which is shown in percent with one decimal.
            let usual = if bounds.contains(value) { 3 } else { 2 };
            trimmed(value, decimals_to_distinguish(value, written.max(usual.max(2 + more)), &bounds))
        }
    }
}

/// A ratio too large to multiply is returned unchanged.
fn ratio_to_percent(ratio: &Rational) -> Rational {
    ratio.times(&Rational::from(100)).unwrap_or_else(|| ratio.clone())
}

/// The decimals, at least `least`, with which the rounded value compares to each bound as the exact one does.
fn decimals_to_distinguish(value: &Rational, least: usize, bounds: &[Rational]) -> usize {
    // A value equal to a limit that is shown to its end must not look like less or more.
    let least = match bounds.contains(value).then(|| value.decimals()).flatten() {
        Some(end) => least.max(end),
        None => least,
    };
    if bounds.is_empty() {
        return least;
    }
    let same_side = |decimals: usize| {
        let shown = |number: &Rational| number.rounded_to_decimals(decimals);
        let rounded = shown(value);
        bounds.iter().all(|other| rounded.cmp(&shown(other)) == value.cmp(other))
    };
    (least..DECIMALS_MAX).find(|decimals| same_side(*decimals)).unwrap_or(DECIMALS_MAX)
}

/// Computed money: to the smallest coin, or as precisely as its bounds need.
fn computed_money(minor: &Rational, currency: &Currency, written: usize, bounds: &[Rational]) -> String {
    let closer = decimals_to_distinguish(minor, written, bounds);
    if let Some(minor) = minor.rounded_to_i64(Rounding::HalfAway).filter(|_| closer == 0) {
        return format_policy_money(minor, currency);
    }
    let exponent = currency.exponent() as usize;
    let major = Rational::ratio(1, 10_i64.pow(exponent as u32)).and_then(|minor_unit| minor.times(&minor_unit));
    let text = major.as_ref().unwrap_or(minor).to_decimals(exponent + closer);
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let kept = fraction.trim_end_matches('0').len().max(exponent);
    let point = if kept > 0 { "." } else { "" };
    format!(
        "{} {sign}{}{point}{}",
        currency.alphabetic(),
        group_thousands(whole, ','),
        &fraction[..kept.min(fraction.len())]
    )
}

fn format_policy_money(minor: i64, currency: &Currency) -> String {
    format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(currency))
}

fn grouped(value: i64) -> String {
    group_thousands(&value.to_string(), ',')
}

fn trimmed(value: &Rational, decimals: usize) -> String {
    let text = value.to_decimals(decimals);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

/// Fills the values into a reason.
pub(crate) fn fill_template(
    policy: &Policy,
    template: &Template,
    value: impl Fn(NodeId) -> Result<Value, Reason>,
) -> String {
    let bounds: Vec<(Rational, Vec<Rational>)> = template.0.iter().filter_map(|part| bounds_of(part, &value)).collect();
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Value(shown) => match value(shown.node) {
            // The caller adds the reason once, after the sentence.
            Err(_) => "?".to_owned(),
            known => {
                let more = if shown.is_written { WRITTEN_DECIMALS } else { 0 };
                // Equal values are shown alike.
                let own = known.as_ref().ok().and_then(Value::rational);
                let alike = bounds.iter().filter(|(other, _)| Some(other) == own.as_ref());
                let bounds: Vec<Rational> = alike.flat_map(|(_, bounds)| bounds).cloned().collect();
                format_value_precisely(policy, policy.type_of(shown.node), &known, more, &bounds)
            }
        },
    };
    template.0.iter().map(part).collect()
}

/// A value in a reason with endless decimals, and the bounds that it must not look like.
fn bounds_of(part: &Part, value: &impl Fn(NodeId) -> Result<Value, Reason>) -> Option<(Rational, Vec<Rational>)> {
    let Part::Value(shown) = part else { return None };
    // Integers are shown in full.
    let own @ (Value::Rational(_) | Value::Float(_)) = value(shown.node).ok()? else { return None };
    let own = own.rational()?;
    let compared = shown.beside.iter().filter_map(|other| value(*other).ok()?.rational());
    let mut bounds: Vec<Rational> = compared.collect();
    if let Some(ends) = &shown.ends {
        // If the nearest bounds keep their sides in rounding, further ones do.
        let (below, above) = (ends.partition_point(|end| *end < own), ends.partition_point(|end| *end <= own));
        bounds.extend(
            ends.get(below.saturating_sub(1)..=above.min(ends.len().saturating_sub(1))).into_iter().flatten().cloned(),
        );
    }
    Some((own, bounds))
}

/// The value as JSON: null if unknown.
pub(crate) fn value_or_null_as_json(ty: Type, value: &Result<Value, Reason>) -> serde_json::Value {
    value.as_ref().map_or(serde_json::Value::Null, |value| json_of(ty, value))
}
