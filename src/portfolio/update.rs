//! A cases file with what came out in the place of what was expected: only the values that differ are written anew, so that
//! comments and layout stay. Reads and writes no file.

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::trial::Tried;

/// Why a cases file cannot be brought up to date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("case `{case}`: {problem}")]
pub struct UpdateError {
    /// The case.
    pub case: String,
    /// What stands in the way.
    pub problem: String,
}

/// One text in the place of another.
struct Edit {
    at: std::ops::Range<usize>,
    text: String,
}

/// The file `text` with what `tried`, its cases in order, came out as.
///
/// # Errors
/// Where what came out cannot be written as expected: a metric that is unknown now, a name that is not there any more.
pub fn updated(text: &str, tried: &[Tried]) -> Result<String, UpdateError> {
    let whole = DeTable::parse(text).map_err(|error| wrong("", error.message()))?;
    let cases = whole.get_ref().get("case").and_then(|cases| cases.get_ref().as_array());
    let mut edits = Vec::new();
    for (index, tried) in tried.iter().enumerate().filter(|(_, tried)| !tried.differences.is_empty()) {
        let case = cases.and_then(|cases| cases.get(index)).and_then(|case| case.get_ref().as_table());
        let expect = case.and_then(|case| case.get("expect")).and_then(|expect| expect.get_ref().as_table());
        let expect = expect.ok_or_else(|| wrong(&tried.name, "it has no [case.expect]"))?;
        for difference in &tried.differences {
            let literal = literal(&difference.found).ok_or_else(|| {
                wrong(&tried.name, &format!("`{}` is unknown now: say so under `unknown`", difference.what))
            })?;
            edits.push(edit(text, expect, &difference.keys, literal).map_err(|problem| wrong(&tried.name, &problem))?);
        }
    }
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.at.start));
    let mut out = text.to_owned();
    edits.into_iter().for_each(|edit| out.replace_range(edit.at, &edit.text));
    Ok(out)
}

fn wrong(case: &str, problem: &str) -> UpdateError {
    UpdateError { case: case.to_owned(), problem: problem.to_owned() }
}

fn edit(text: &str, expect: &DeTable, keys: &[String], literal: String) -> Result<Edit, String> {
    let mut found: Option<&Spanned<DeValue>> = None;
    let mut table = Some(expect);
    for key in keys {
        found = table.and_then(|table| table.get(key.as_str()));
        table = found.and_then(|found| found.get_ref().as_table());
    }
    if let Some(found) = found {
        // `{ value = 0.31, within = 0.01 }` keeps how far it may be off.
        let value = found.get_ref().as_table().and_then(|table| table.get("value")).unwrap_or(found);
        return Ok(Edit { at: value.span(), text: literal });
    }
    // It was left out, which says that there is none: it goes behind the outcome.
    let outcome = expect.get("outcome").ok_or("it expects no outcome")?.span().end;
    let rest = text.get(outcome..).unwrap_or("");
    let line = rest.find('\n').unwrap_or(rest.len());
    let key = keys.join(".");
    let inline = rest[..line].split('#').next().unwrap_or("").contains('}');
    Ok(match inline {
        true => Edit { at: outcome..outcome, text: format!(", {key} = {literal}") },
        false => Edit { at: outcome + line..outcome + line, text: format!("\n{key} = {literal}") },
    })
}

/// As TOML writes it; nothing for null.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Object(_) => None,
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(literal).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Value::Number(number) if number.is_i64() => Some(grouped(number.as_i64()?)),
        other => Some(other.to_string()),
    }
}

/// Thousands apart, as people write amounts.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    if number < 0 { format!("-{out}") } else { out }
}
