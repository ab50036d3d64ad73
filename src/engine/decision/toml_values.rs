//! Values as people write them in TOML, with money in major units, and as programs exchange them, with money in minor
//! units.

use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, TableLike, Value};

use crate::base::money::Currency;
use crate::base::rational::Rational;
use crate::rules::{Repr, Type, Unit};

/// The value with money in minor units; `None` if the currency has no coin for it. Only numbers change.
pub(crate) fn in_minor(ty: Type, value: &Json, currency: &Currency) -> Option<Json> {
    let money = |number: &serde_json::Number| {
        let minor = Rational::parse(&number.to_string())?.times(&minor_units(currency))?;
        if ty.repr == Repr::Int || ty.repr == Repr::List {
            return minor.to_i64().map(Json::from);
        }
        number_json(&minor)
    };
    match value {
        Json::Number(number) if ty.unit == Unit::Money => money(number),
        Json::Array(items) => {
            items.iter().map(|item| in_minor(ty, item, currency)).collect::<Option<_>>().map(Json::Array)
        }
        other => Some(other.clone()),
    }
}

/// The value with money in major units. Only numbers change.
pub(crate) fn in_major(ty: Type, value: &Json, currency: &Currency) -> Json {
    let money = |number: &serde_json::Number| {
        let major = Rational::parse(&number.to_string())?.divided_by(&minor_units(currency))?;
        number_json(&major)
    };
    match value {
        Json::Number(number) if ty.unit == Unit::Money => money(number).unwrap_or_else(|| value.clone()),
        Json::Array(items) => items.iter().map(|item| in_major(ty, item, currency)).collect(),
        other => other.clone(),
    }
}

fn minor_units(currency: &Currency) -> Rational {
    Rational::from(10_i64.pow(currency.exponent()))
}

fn number_json(number: &Rational) -> Option<Json> {
    match number.to_i64() {
        Some(whole) => Some(whole.into()),
        None => serde_json::Number::from_f64(number.to_f64()).map(Json::Number),
    }
}

/// The fields of a TOML text. Dates and times become text.
pub(super) fn toml_fields(text: &str) -> Result<Vec<(String, Json)>, String> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or("").matches('\n').count() + 1);
        format!("line {line}: {}", error.message().trim())
    })?;
    fields(document.as_table())
}

fn fields(table: &dyn TableLike) -> Result<Vec<(String, Json)>, String> {
    table
        .iter()
        .map(|(name, item)| Ok((name.to_owned(), item_json(item).map_err(|why| format!("`{name}`: {why}"))?)))
        .collect()
}

fn item_json(item: &Item) -> Result<Json, String> {
    match (item, item.as_table_like()) {
        (_, Some(table)) => fields(table).map(|fields| Json::Object(fields.into_iter().collect())),
        (Item::Value(value), None) => value_json(value),
        (Item::ArrayOfTables(tables), None) => {
            let table = |table| fields(table).map(|fields| Json::Object(fields.into_iter().collect()));
            tables.iter().map(|one| table(one as &dyn TableLike)).collect::<Result<Vec<_>, _>>().map(Json::Array)
        }
        _ => Err("nothing is given".to_owned()),
    }
}

fn value_json(value: &Value) -> Result<Json, String> {
    Ok(match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Boolean(is) => (*is.value()).into(),
        Value::Datetime(moment) => moment.value().to_string().into(),
        Value::Float(number) => {
            let written = number.display_repr().replace(['_', '+'], "");
            let held = serde_json::Number::from_f64(*number.value()).filter(|_| is_held(written.trim()));
            held.map(Json::Number).ok_or_else(|| format!("`{}` is no number of at most 15 digits", written.trim()))?
        }
        Value::Array(items) => items.iter().map(value_json).collect::<Result<Vec<_>, _>>()?.into(),
        Value::InlineTable(table) => Json::Object(fields(table)?.into_iter().collect()),
    })
}

/// Whether a JSON value holds the written number: in 64 bits, or as a shortest decimal of a double.
pub(crate) fn is_held(number: &str) -> bool {
    if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return true;
    }
    Rational::parse(number).is_some_and(|written| written.as_written_double().is_some())
}
