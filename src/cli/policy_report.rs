//! What `check` prints about a policy other than mistakes: its parameters, and the digests of the files that it uses.
//! Knows nothing of the rule language.

use serde_json::{Value as Json, json};

use super::diagnostics::DiagnosticFormat;
use crate::base::date::Day;
use crate::base::money::{AmountUnit, Money, amount_digits};
use crate::report::aligned::{measure_text_width, pad_text_end};
use crate::rules::{Parameter, ParameterValue, Policy, Unit, Value};

/// The parameters with their values on a day, one per line.
pub(crate) fn format_parameter_lines(policy: &Policy, day: Option<Day>, format: DiagnosticFormat) -> Vec<String> {
    if format == DiagnosticFormat::Json {
        return policy
            .parameters()
            .iter()
            .map(|parameter| parameter_as_json(policy, parameter, day).to_string())
            .collect();
    }
    let mut rows = vec![["parameter", "value", "unit", "min", "max", ""].map(str::to_owned)];
    rows.extend(policy.parameters().iter().map(|parameter| parameter_table_row(policy, parameter, day)));
    let width = |column: usize| rows.iter().map(|row| measure_text_width(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| pad_text_end(cell, *width));
        format!("  {}  {}", cells.collect::<Vec<_>>().join("  "), row[5]).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A parameter in words: its name, the value in force, the least and the most.
pub type InWords = (String, String, Option<String>, Option<String>);

/// The parameters as rule files write them; the value is that of the latest date.
pub(crate) fn parameters_in_words(policy: &Policy) -> Vec<InWords> {
    let exponent = policy.header().currency.exponent();
    let written = |parameter: &Parameter, value: &Value| match (parameter.ty.unit, value) {
        (Unit::Money, Value::Int(minor)) => amount_digits(*minor, AmountUnit::Major, exponent),
        _ => value_with_all_digits(policy, parameter, value),
    };
    let words = |parameter: &Parameter| {
        let bound = |bound: &Option<Value>| bound.as_ref().map(|value| written(parameter, value));
        let value = parameter.values.last().map(|last| written(parameter, &last.value)).unwrap_or_default();
        (parameter.name.clone(), value, bound(&parameter.min), bound(&parameter.max))
    };
    policy.parameters().iter().map(words).collect()
}

fn parameter_table_row(policy: &Policy, parameter: &Parameter, day: Option<Day>) -> [String; 6] {
    let words = |value: &Value| value_with_all_digits(policy, parameter, value);
    let bound = |bound: &Option<Value>| bound.as_ref().map(words).unwrap_or_default();
    let dated = |value: &ParameterValue| match value.from {
        Some(from) => format!("{} from {from}", words(&value.value)),
        None => words(&value.value),
    };
    let always = parameter.values.iter().all(|value| value.from.is_none());
    let dates: Vec<String> = parameter.values.iter().filter(|_| !always).map(dated).collect();
    let value = match (parameter.on(day), day) {
        (Some(value), _) => words(&value.value),
        (None, Some(_)) => "none yet".to_owned(),
        (None, None) => "by date".to_owned(),
    };
    let mut about = dates.join(", ");
    if !parameter.doc.is_empty() {
        about = if about.is_empty() { parameter.doc.clone() } else { format!("{about}; {}", parameter.doc) };
    }
    let unit = parameter.ty.unit.word().to_owned();
    [parameter.name.clone(), value, unit, bound(&parameter.min), bound(&parameter.max), about]
}

/// The value with all its digits: people compare it with what they wrote.
fn value_with_all_digits(policy: &Policy, parameter: &Parameter, value: &Value) -> String {
    match (parameter.ty.unit, value) {
        (Unit::Money, Value::Int(minor)) => Money::from_minor(*minor).display(&policy.header().currency).to_string(),
        (unit, Value::Int(_) | Value::Rational(_) | Value::Float(_)) if unit.is_iso() => {
            unit.iso(value).unwrap_or_default()
        }
        (_, Value::Int(value)) => value.to_string(),
        (_, Value::Rational(value)) => value.to_string(),
        (_, Value::Float(value)) => value.to_string(),
        (_, Value::Boolean(value)) => value.to_string(),
        (_, Value::Text(text)) => text.clone(),
        // Parameters are never lists.
        (_, Value::List(_) | Value::Entry(_)) => String::new(),
    }
}

/// A parameter as JSON. Values are as written in the rule file.
fn parameter_as_json(policy: &Policy, parameter: &Parameter, day: Option<Day>) -> Json {
    let words = |value: &Option<Value>| value.as_ref().map(|value| value_with_all_digits(policy, parameter, value));
    let values = parameter.values.iter();
    let values = values.map(|value| json!({"from": value.from.map(|from| from.to_string()), "value": value.text}));
    json!({
        "policy": policy.file(),
        "version": policy.header().version,
        "parameter": parameter.name,
        "value": parameter.on(day).map(|value| value.text.clone()),
        "unit": parameter.ty.unit.word(),
        "min": words(&parameter.min),
        "max": words(&parameter.max),
        "values": values.collect::<Vec<_>>(),
        "doc": parameter.doc,
    })
}

/// What to write under `use` to lock the files that the policy uses now; lists of keys, which change, as comments.
pub(crate) fn lines_to_lock_files(policy: &Policy) -> Vec<String> {
    let line = |used: &crate::rules::UsedFile| {
        format!("  {{ file = {}, digest = \"{}\" }}", Json::from(used.path.as_str()), used.digest)
    };
    let lists = &policy.program.lists;
    let is_list = |used: &&crate::rules::UsedFile| lists.iter().any(|list| list.path == used.path);
    let mut lines: Vec<String> = policy.used_files().iter().filter(|used| !is_list(used)).map(line).collect();
    lines.extend(lists.iter().map(|list| format!("  # list {}, {}: {}", list.name, list.path, list.keys.digest)));
    lines
}
