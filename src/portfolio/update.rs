//! Rewrites a cases file to expect what the policy decides. Changes only the values that differ, so comments and layout
//! stay. Reads and writes no file.

use std::path::Path;

use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, RawString, TableLike, Value};

use super::cases::Cases;
use super::trial::{ActualValue, Difference, Tried, compare_with_expected};
use crate::base::text::group_thousands;

/// Why a cases file cannot be updated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("case `{case}`: {problem}")]
pub struct UpdateError {
    /// The case.
    pub case: String,
    /// Why it cannot be updated.
    pub problem: String,
}

/// The cases file `text`, updated to the decisions of `tried`. The result was read again and expects these decisions.
///
/// # Errors
/// If a decision cannot be written as an expectation: a metric that is now unknown, a name that no longer exists, a
/// list with comments in it.
pub fn update_cases_file(text: &str, tried: &[Tried]) -> Result<String, UpdateError> {
    if tried.iter().all(|tried| tried.differences.is_empty()) {
        return Ok(text.to_owned());
    }
    let (mark, plain) = text.strip_prefix('\u{feff}').map_or(("", text), |plain| ("\u{feff}", plain));
    let mut whole: DocumentMut =
        plain.parse().map_err(|error: toml_edit::TomlError| case_update_error("", error.message()))?;
    for tried in tried.iter().filter(|tried| !tried.differences.is_empty()) {
        let expect = expect_table_of_case(&mut whole, tried.number)
            .ok_or_else(|| case_update_error(&tried.name, "it has no [case.expect]"))?;
        for difference in &tried.differences {
            put_found_value(expect, difference).map_err(|problem| case_update_error(&tried.name, &problem))?;
        }
    }
    let mut out = whole.to_string();
    if !plain.replace("\r\n", "").contains('\n') {
        // Keep the line endings.
        out = out.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    let read = Cases::parse(Path::new(""), out).map_err(|refused| case_update_error("", &refused.to_string()))?;
    for tried in tried {
        let case = read
            .case
            .get(tried.number)
            .ok_or_else(|| case_update_error(&tried.name, "it was not found after the update"))?;
        if let Some(left) = compare_with_expected(&case.expect, &tried.decision, &tried.units).first() {
            return Err(case_update_error(
                &tried.name,
                &format!("the actual value of `{}` cannot be written", left.what),
            ));
        }
    }
    Ok(format!("{mark}{}", read.text))
}

fn case_update_error(case: &str, problem: &str) -> UpdateError {
    UpdateError { case: case.to_owned(), problem: problem.to_owned() }
}

/// The `expect` of a case, whether a table or inline.
fn expect_table_of_case(whole: &mut DocumentMut, index: usize) -> Option<&mut Item> {
    let case: &mut dyn TableLike = match whole.get_mut("case")? {
        Item::ArrayOfTables(cases) => cases.get_mut(index)?,
        Item::Value(cases) => cases.as_array_mut()?.get_mut(index)?.as_inline_table_mut()?,
        _ => return None,
    };
    case.get_mut("expect")
}

fn put_found_value(expect: &mut Item, difference: &Difference) -> Result<(), String> {
    let what = &difference.what;
    let found = match &difference.found {
        ActualValue::Value(found) => found,
        ActualValue::Nothing(why) => return Err(format!("`{what}`: {why}; remove it from the case by hand")),
    };
    let literal =
        toml_literal_of(found).ok_or_else(|| format!("`{what}` is unknown now: write its reason under `unknown`"))?;
    let literal: Value = literal.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let (last, path) = difference.keys.split_last().ok_or("it has no key")?;
    let is_in_line = expect.is_inline_table();
    // Else the space in `{ }` would follow the one after the new value.
    if let Some(empty) = expect.as_inline_table_mut().filter(|table| table.is_empty() && is_blank(table.trailing())) {
        empty.set_trailing("");
    }
    let mut table = expect.as_table_like_mut().ok_or("[case.expect] is not a table")?;
    for key in path {
        let below = table.get_mut(key).and_then(Item::as_table_like_mut);
        table = below.ok_or_else(|| format!("`{what}` is not in the case"))?;
    }
    let Some(item) = table.get_mut(last) else {
        // A missing key expects none, so there is nothing to replace.
        insert_at_table_end(table, last, literal, is_in_line);
        return Ok(());
    };
    // `{ value = 0.31, within = 0.01 }` keeps its `within`.
    let is_near = item.as_table_like().is_some_and(|near| near.contains_key("value"));
    let item = if is_near { item.as_table_like_mut().and_then(|near| near.get_mut("value")) } else { Some(item) };
    let old = item
        .and_then(Item::as_value_mut)
        .ok_or_else(|| format!("`{what}` is written as a table: change it by hand"))?;
    if old.is_array() && old.clone().decorated("", "").to_string().lines().any(has_comment) {
        return Err(format!("the list of `{what}` has comments, which would be lost: change it by hand"));
    }
    // A comment after the value stays.
    let decor = old.decor().clone();
    *old = if old.is_integer() { integer_if_whole(found).unwrap_or(literal) } else { literal };
    *old.decor_mut() = decor;
    Ok(())
}

fn is_blank(between: &RawString) -> bool {
    between.as_str().is_some_and(|text| text.chars().all(|sign| sign == ' '))
}

/// Puts a value at the end of a table.
fn insert_at_table_end(table: &mut dyn TableLike, key: &str, mut literal: Value, is_in_line: bool) {
    let last = table.iter_mut().filter_map(|(_, item)| item.as_value_mut().map(Value::decor_mut)).last();
    // The space or comment before the closing brace moves to the new value.
    if let Some(decor) = last.filter(|_| is_in_line)
        && let Some(end) = decor.suffix().cloned()
    {
        literal.decor_mut().set_suffix(end);
        decor.set_suffix("");
    }
    table.insert(key, Item::Value(literal));
}

/// Whether a line of a list ends in a comment. A `#` within quotes is none.
fn has_comment(line: &str) -> bool {
    let mut quoted = None;
    line.chars().any(|sign| {
        match (quoted, sign) {
            (None, '"' | '\'') => quoted = Some(sign),
            (Some(open), sign) if open == sign => quoted = None,
            _ => {}
        }
        quoted.is_none() && sign == '#'
    })
}

/// The value as TOML; `None` for null.
fn toml_literal_of(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::Object(parts) => {
            let parts = parts.iter().map(|(key, value)| Some(format!("{key} = {}", toml_literal_of(value)?)));
            Some(format!("{{ {} }}", parts.collect::<Option<Vec<String>>>()?.join(", ")))
        }
        Json::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(toml_literal_of).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Json::Number(number) if number.is_i64() => Some(group_integer_digits(number.as_i64()?)),
        Json::Number(number) => Some(grouped_decimal(&number.to_string())),
        other => Some(other.to_string()),
    }
}

/// A decimal with the thousands before its point separated; others as they are.
fn grouped_decimal(text: &str) -> String {
    match text.split_once('.') {
        Some((_, decimals)) if !decimals.contains(['e', 'E']) => group_thousands(text, '_'),
        _ => text.to_owned(),
    }
}

/// A number without a fraction, such as a score of 300.0, as an integer.
fn integer_if_whole(found: &Json) -> Option<Value> {
    const EXACT_MAX: f64 = 1e15;
    let number = found.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT_MAX)?;
    group_integer_digits(number as i64).parse().ok()
}

/// A number with its thousands separated, as people write amounts.
fn group_integer_digits(number: i64) -> String {
    group_thousands(&number.to_string(), '_')
}
