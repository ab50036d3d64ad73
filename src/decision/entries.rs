//! Lists of entries in a request, such as the loans of a bureau's report: their fields, checked and read by their
//! declared types. Must not know rules.

use serde_json::{Map, Value as Json};

use super::request::{in_minor as value_in_minor, typed};
use crate::rules::Input;
use crate::rules::program::Value;
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

/// The entries with money in minor units, or what is wrong with them.
pub(super) fn in_minor(input: &Input, value: &Json, amounts: (Currency, AmountUnit)) -> Result<Json, String> {
    if value.is_null() {
        return Ok(Json::Null);
    }
    let fields = || input.fields.iter().map(|field| field.name.as_str());
    let listed = fields().collect::<Vec<_>>().join(", ");
    let Some(entries) = value.as_array() else {
        return Err(format!("expected a list of entries, each an object with the fields {listed}"));
    };
    if entries.len() > ENTRIES_MAX {
        return Err(format!("{} entries; at most {ENTRIES_MAX} are read", entries.len()));
    }
    let entry = |(number, entry): (usize, &Json)| {
        let at = format!("entry {}", number + 1);
        let entry = entry.as_object().ok_or_else(|| format!("{at}: expected an object with the fields {listed}"))?;
        let mut minor = Map::new();
        for (name, value) in entry {
            let Some(field) = input.fields.iter().find(|field| field.name == *name) else {
                let near = nearest(name, fields()).map_or(String::new(), |near| format!("did you mean `{near}`? "));
                return Err(format!("{at}: `{name}` is not declared; {near}the fields are {listed}"));
            };
            let read =
                value_in_minor(field.ty, value, amounts).map_err(|wanted| format!("{at}: `{name}`: {wanted}"))?;
            minor.insert(name.clone(), read);
        }
        Ok(Json::Object(minor))
    };
    entries.iter().enumerate().map(entry).collect::<Result<_, String>>().map(Json::Array)
}
