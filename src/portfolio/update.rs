//! A cases file with what came out in the place of what was expected: only the values that differ are written anew, so that
//! comments and layout stay. Reads and writes no file.

use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};

use super::cases::Cases;
use super::trial::{Difference, Found, Tried, differences};

/// Why a cases file cannot be brought up to date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("case `{case}`: {problem}")]
pub struct UpdateError {
    /// The case.
    pub case: String,
    /// What stands in the way.
    pub problem: String,
}

/// The file `text` with what `tried`, its cases in order, came out as.
///
/// # Errors
/// Where what came out cannot be written as expected: a metric that is unknown now, a name that is not there any more, a list
/// with comments in it. What is given back expects what came out: it was read again.
pub fn updated(text: &str, tried: &[Tried]) -> Result<String, UpdateError> {
    if tried.iter().all(|tried| tried.differences.is_empty()) {
        return Ok(text.to_owned());
    }
    let (mark, plain) = text.strip_prefix('\u{feff}').map_or(("", text), |plain| ("\u{feff}", plain));
    let mut whole: DocumentMut = plain.parse().map_err(|error: toml_edit::TomlError| wrong("", error.message()))?;
    for (index, tried) in tried.iter().enumerate().filter(|(_, tried)| !tried.differences.is_empty()) {
        let expect = expect(&mut whole, index).ok_or_else(|| wrong(&tried.name, "it has no [case.expect]"))?;
        for difference in &tried.differences {
            put(expect, difference).map_err(|problem| wrong(&tried.name, &problem))?;
        }
    }
    let mut out = whole.to_string();
    if !plain.replace("\r\n", "").contains('\n') {
        // Lines end as they did.
        out = out.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    let read = Cases::parse(&out).map_err(|problem| wrong("", &problem))?;
    for (case, tried) in read.case.iter().zip(tried) {
        if let Some(left) = differences(&case.expect, &tried.decision).first() {
            return Err(wrong(&tried.name, &format!("`{}` cannot be written as it came out", left.what)));
        }
    }
    Ok(format!("{mark}{out}"))
}

fn wrong(case: &str, problem: &str) -> UpdateError {
    UpdateError { case: case.to_owned(), problem: problem.to_owned() }
}

/// What a case expects, however it is written.
fn expect(whole: &mut DocumentMut, index: usize) -> Option<&mut dyn TableLike> {
    let case: &mut dyn TableLike = match whole.get_mut("case")? {
        Item::ArrayOfTables(cases) => cases.get_mut(index)?,
        Item::Value(cases) => cases.as_array_mut()?.get_mut(index)?.as_inline_table_mut()?,
        _ => return None,
    };
    case.get_mut("expect")?.as_table_like_mut()
}

fn put(expect: &mut dyn TableLike, difference: &Difference) -> Result<(), String> {
    let what = &difference.what;
    let found = match &difference.found {
        Found::Value(found) => found,
        Found::Nothing(why) => return Err(format!("`{what}`: {why}; take it out of the case by hand")),
    };
    let literal = literal(found).ok_or_else(|| format!("`{what}` is unknown now: say so under `unknown`"))?;
    let literal: toml_edit::Value = literal.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let (last, path) = difference.keys.split_last().ok_or("it says no key")?;
    let mut table = expect;
    for key in path {
        let below = table.get_mut(key).and_then(Item::as_table_like_mut);
        table = below.ok_or_else(|| format!("`{what}` stands nowhere"))?;
    }
    let Some(item) = table.get_mut(last) else {
        // It was left out, which says that there is none.
        table.insert(last, Item::Value(literal));
        return Ok(());
    };
    // `{ value = 0.31, within = 0.01 }` keeps how far it may be off.
    let is_near = item.as_table_like().is_some_and(|near| near.contains_key("value"));
    let item = if is_near { item.as_table_like_mut().and_then(|near| near.get_mut("value")) } else { Some(item) };
    let old = item.and_then(Item::as_value_mut).ok_or_else(|| format!("`{what}` is written as a table"))?;
    if old.is_array() && old.to_string().lines().any(has_comment) {
        return Err(format!("the list of `{what}` has comments, which would be lost: change it by hand"));
    }
    let decor = old.decor().clone();
    *old = literal;
    *old.decor_mut() = decor;
    Ok(())
}

/// Whether a line of a list ends in a comment; its texts are ids, which hold no sign of a number.
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
