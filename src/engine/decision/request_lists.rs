//! Lists of entries in a request, such as the loans of a bureau's report: their fields, checked and read by their
//! declared types.

use serde_json::{Map, Value as Json};

use super::request_values::{in_minor as value_in_minor, typed};
use crate::base::diagnostic::nearest_candidate;
use crate::base::money::{AmountUnit, Currency};
use crate::rules::program::Value;
use crate::rules::{EntryField, Input};

/// Most entries of a list, more than any report has.
const ENTRIES_MAX: usize = 10_000;

/// The value of an input, or of a list of entries.
pub(super) fn read_input_value(input: &Input, value: &Json) -> Option<Value> {
    if input.fields.is_empty() {
        return typed(input.ty, value);
    }
    let entry = |entry: &Json| {
        let field = |name: &str| entry.get(name).filter(|value| !value.is_null());
        let fields = input.fields.iter().map(|declared| match field(&declared.name) {
            Some(value) => typed(declared.ty, value).map(Some),
            None => Some(None),
        });
        fields.collect::<Option<_>>().map(Value::Entry)
    };
    value.as_array()?.iter().map(entry).collect::<Option<_>>().map(Value::List)
}

/// The entries with money in minor units, or what is wrong with them. `declared` has the fields of all versions of a
/// policy, which may declare different ones.
pub(super) fn in_minor(
    declared: &[&EntryField],
    value: &Json,
    amounts: (Currency, AmountUnit),
) -> Result<Json, String> {
    if value.is_null() {
        return Ok(Json::Null);
    }
    let mut names: Vec<&str> = Vec::new();
    for field in declared {
        if !names.contains(&field.name.as_str()) {
            names.push(&field.name);
        }
    }
    let Some(entries) = value.as_array() else {
        return Err(format!("expected a list of entries, each an object with the fields {}", names.join(", ")));
    };
    if entries.len() > ENTRIES_MAX {
        return Err(format!("{} entries; at most {ENTRIES_MAX} are read", entries.len()));
    }
    let entry = |(number, entry): (usize, &Json)| {
        let read = |entry: &Json| {
            let Some(entry) = entry.as_object() else {
                return Err(format!("expected an object with the fields {}", names.join(", ")));
            };
            let field = |(name, value): (&String, &Json)| {
                let known = declared.iter().filter(|field| field.name == *name);
                let read = field(known, value, amounts).map_err(|wrong| format!("`{name}`: {wrong}"))?;
                Ok((name.clone(), read.ok_or_else(|| undeclared(name, &names))?))
            };
            entry.iter().map(field).collect::<Result<Map<String, Json>, String>>().map(Json::Object)
        };
        read(entry).map_err(|wrong| format!("entry {}: {wrong}", number + 1))
    };
    entries.iter().enumerate().map(entry).collect::<Result<_, String>>().map(Json::Array)
}

/// A field of an entry, which all that declare it must accept alike; `None` if nobody declares it.
fn field<'d>(
    known: impl Iterator<Item = &'d &'d EntryField>,
    value: &Json,
    amounts: (Currency, AmountUnit),
) -> Result<Option<Json>, String> {
    let mut fitted: Option<Json> = None;
    for field in known {
        let read = value_in_minor(field.ty, value, amounts)?;
        if fitted.as_ref().is_some_and(|other| *other != read) {
            return Err("versions of the policy count it in different units".to_owned());
        }
        fitted = Some(read);
    }
    Ok(fitted)
}

fn undeclared(name: &str, names: &[&str]) -> String {
    let near =
        nearest_candidate(name, names.iter().copied()).map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("`{name}` is not declared; {near}the fields are {}", names.join(", "))
}
