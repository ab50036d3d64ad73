//! Lists of entries in a request, such as the loans of a bureau's report: their fields, checked and read by their
//! declared types. Must not know rules.

use serde_json::{Map, Value as Json};

use super::request::{in_minor as value_in_minor, typed};
use crate::rules::program::Value;
use crate::rules::{EntryField, Input};

use crate::words::diagnostic::nearest;
use crate::words::money::{AmountUnit, Currency};

/// Most entries of a list, more than any report has.
const ENTRIES_MAX: usize = 10_000;

/// The value of an input, or of a list of entries.
pub(super) fn read(input: &Input, value: &Json) -> Option<Value> {
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
            let field = |(name, value): (&String, &Json)| Ok((name.clone(), field(declared, name, value, amounts)?));
            entry.iter().map(field).collect::<Result<Map<String, Json>, String>>().map(Json::Object)
        };
        read(entry).map_err(|wrong| format!("entry {}: {wrong}", number + 1))
    };
    entries.iter().enumerate().map(entry).collect::<Result<_, String>>().map(Json::Array)
}

/// A field of an entry, which all that declare it must accept alike.
fn field(declared: &[&EntryField], name: &str, value: &Json, amounts: (Currency, AmountUnit)) -> Result<Json, String> {
    let mut known: Option<Json> = None;
    for field in declared.iter().filter(|field| field.name == name) {
        let read = value_in_minor(field.ty, value, amounts).map_err(|wanted| format!("`{name}`: {wanted}"))?;
        if known.as_ref().is_some_and(|known| *known != read) {
            return Err(format!("`{name}`: versions of the policy count it in different units"));
        }
        known = Some(read);
    }
    known.ok_or_else(|| {
        let names: Vec<&str> = declared.iter().map(|field| field.name.as_str()).collect();
        let near =
            nearest(name, names.iter().copied()).map_or(String::new(), |near| format!("did you mean `{near}`? "));
        format!("`{name}` is not declared; {near}the fields are {}", names.join(", "))
    })
}
