//! Values as rule files and requests write them. Computes no values.

use super::calendar::civil;
use super::entries;
use super::model::{INPUTS, Kind, Person, Policy, Value};
use crate::exact::{self, Exact};

/// The section of an input.
pub fn source(bureau: bool) -> &'static str {
    if bureau { "bureau" } else { "request" }
}

/// The day alone, as a request.
pub fn day(as_of: Option<i64>) -> String {
    as_of.map_or("{}".into(), |day| format!("{{\"as_of\":\"{}\"}}", iso(day)))
}

/// What a person brings, as the JSON of a request.
pub fn request(policy: &Policy, person: &Person) -> String {
    let mut keys: Vec<String> = person.as_of.iter().map(|day| format!("\"as_of\":\"{}\"", iso(*day))).collect();
    let brought = |bureau: bool| -> Vec<String> {
        let inputs = INPUTS.iter().zip(&person.inputs).enumerate();
        let inputs = inputs.filter(|(at, _)| policy.declared[*at] && policy.bureau[*at] == bureau);
        let said = |((name, kind), value): (&(&str, Kind), &Option<Value>)| {
            value.as_ref().map(|value| format!("\"{name}\":{}", json(*kind, value)))
        };
        inputs.filter_map(|(_, input)| said(input)).collect()
    };
    keys.extend(person.customer.iter().map(|customer| format!("\"customer\":\"{customer}\"")));
    keys.extend(brought(false));
    let mut bureau = brought(true);
    let debts = person.debts.iter().filter(|_| !policy.is_ready);
    bureau.extend(debts.map(|debts| format!("\"debts\":{}", entries::written(debts))));
    if !bureau.is_empty() {
        keys.push(format!("\"bureau\":{{{}}}", bureau.join(",")));
    }
    format!("{{{}}}", keys.join(","))
}

pub fn json(kind: Kind, value: &Value) -> String {
    match value {
        Value::Whole(days) if kind == Kind::Date => format!("\"{}\"", iso(*days)),
        Value::Whole(value) => value.to_string(),
        Value::Exact(value) => digits(value),
        Value::Double(_) => panic!("no input is approximate"),
        Value::Truth(value) => value.to_string(),
        Value::Text(text) => format!("\"{text}\""),
        Value::List(values) => {
            let values: Vec<String> = values.iter().map(|value| json(kind.item().unwrap_or(kind), value)).collect();
            format!("[{}]", values.join(","))
        }
    }
}

/// A type as it is declared.
pub fn declared(kind: Kind) -> String {
    kind.item().map_or_else(|| unit(kind).to_owned(), |item| format!("list of {}", unit(item)))
}

pub fn unit(kind: Kind) -> &'static str {
    match kind {
        Kind::Money | Kind::MoneyMean => "money",
        Kind::Count => "count",
        Kind::Days => "days",
        Kind::Number => "number",
        Kind::Ratio => "ratio",
        Kind::Date => "date",
        Kind::Text => "text",
        Kind::Truth => "boolean",
        Kind::List(item) => unit(*item),
    }
}

pub fn iso(days: i64) -> String {
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Minor units as people write them.
fn major(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let (whole, coins) = (minor.unsigned_abs() / 100, minor.unsigned_abs() % 100);
    if coins == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{coins:02}") }
}

/// A decimal in full, without an exponent. One without an end, which ready metrics may have, is written as a fraction.
pub fn digits(value: &Exact) -> String {
    // The least double ends after 324 digits.
    match exact::ended(value, 40).or_else(|| exact::ended(value, 400)) {
        Some(text) if text.contains('.') => text,
        Some(text) => format!("{text}.0"),
        None => value.to_string(),
    }
}

pub fn bare(kind: Kind, value: &Value) -> String {
    match value {
        Value::Whole(days) if kind == Kind::Date => iso(*days),
        Value::Whole(minor) if matches!(kind, Kind::Money | Kind::MoneyMean) => major(*minor),
        Value::Whole(value) => value.to_string(),
        Value::Exact(value) => digits(value),
        Value::Double(_) => panic!("no rule file has an approximate literal"),
        Value::Truth(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(_) => panic!("no rule file has a list literal"),
    }
}

pub fn toml_value(kind: Kind, value: &Value) -> String {
    match kind {
        Kind::Text | Kind::Date => format!("\"{}\"", bare(kind, value)),
        _ => bare(kind, value),
    }
}
