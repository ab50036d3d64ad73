//! The values of a request: read by their declared types, or what is expected instead.

use super::toml_values;
use crate::base::money::{AmountUnit, Currency, Money};
use crate::base::rational::Rational;
use crate::rules::{Repr, Type, Unit, Value};

/// A value of a type with money in minor units, or what is wanted instead.
pub(super) fn in_minor(
    ty: Type,
    value: &serde_json::Value,
    (currency, unit): (Currency, AmountUnit),
) -> Result<serde_json::Value, String> {
    let minor = match unit {
        AmountUnit::Minor => Some(value.clone()),
        AmountUnit::Major => toml_values::in_minor(ty, value, &currency),
    };
    minor.filter(|minor| minor.is_null() || typed(ty, minor).is_some()).ok_or_else(|| wanted(ty, currency, unit))
}

/// The amount in the example of minor units.
const SHOWN_MAJOR: i64 = 2_000;

fn wanted(ty: Type, currency: Currency, unit: AmountUnit) -> String {
    if ty.unit == Unit::Money && ty.repr != Repr::List {
        let minor = SHOWN_MAJOR * 10_i64.pow(currency.exponent());
        let shown = format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(&currency));
        return match unit {
            AmountUnit::Minor => format!("money is a whole number of minor units, without quotes: {shown} is {minor}"),
            AmountUnit::Major => {
                let decimals = currency.exponent();
                format!(
                    "money is in major units, with at most {decimals} decimals and no quotes: {shown} is {SHOWN_MAJOR}"
                )
            }
        };
    }
    let wanted = match ty.unit {
        _ if ty.repr == Repr::List => "expected a list",
        Unit::Count | Unit::Days => "expected a whole number",
        Unit::Months => "expected a whole number of months, or text such as \"P1Y6M\"",
        Unit::Duration => "expected a duration such as \"PT1H30M\"",
        Unit::Date => "expected a date such as \"2026-06-30\"",
        Unit::Time => "expected a time of day such as \"22:30\"",
        Unit::Timestamp => "expected a timestamp with its offset, such as \"2026-06-30T22:30:00+01:00\"",
        Unit::Text => "expected text",
        Unit::Boolean => "expected true or false",
        _ => "expected a number",
    };
    wanted.to_owned()
}

/// Reads a value of the declared type.
pub(super) fn typed(ty: Type, value: &serde_json::Value) -> Option<Value> {
    match ty.repr {
        Repr::List => {
            let items = value.as_array()?.iter();
            items.map(|item| typed(Type::declared(ty.unit), item)).collect::<Option<_>>().map(Value::List)
        }
        Repr::Int | Repr::Rational | Repr::Float if ty.unit.is_iso() => {
            let whole = ty.unit.read_iso(value.as_str()?)?;
            Some(Value::Int(whole).held_as(ty.repr))
        }
        // Months may also be an ISO 8601 period.
        Repr::Int => value.as_i64().or_else(|| ty.unit.read_iso(value.as_str()?)).map(Value::Int),
        Repr::Rational => value.as_number().and_then(number).map(Value::Rational),
        Repr::Float => value.as_f64().map(Value::Float),
        Repr::Boolean => value.as_bool().map(Value::Boolean),
        Repr::Text => value.as_str().map(|text| Value::Text(text.to_string())),
    }
}

/// Reads a number by its digits. A double in a JSON value is the shortest decimal that reads back as it.
fn number(number: &serde_json::Number) -> Option<Rational> {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(double) => Rational::from_f64(double),
        None => Rational::parse(&number.to_string()),
    }
}
