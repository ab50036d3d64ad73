//! Function calls, including LIKE. Knows how numbers are rounded and texts are searched, nothing of policies.

use super::calendar::{add_months, civil, date, days_of};
use super::evaluate::{Case, Known, Why, code};
use super::model::{Expr, Kind, Value};
use super::numbers::{absolute, holds, order, power, rounded, text, whole};
use super::pricing;

impl Case<'_> {
    /// A call of a function whose result is of a kind.
    pub fn call(&self, name: &str, expr: &Expr, parts: &[Expr]) -> Known<Value> {
        let values: Vec<Known<Value>> = parts.iter().map(|part| self.value(part)).collect();
        match name {
            "coalesce" => {
                let first = values.iter().find(|value| value.is_ok());
                return first.unwrap_or(&values[0]).clone();
            }
            "is_unknown" => return Ok(Value::Truth(values[0].is_err())),
            "why" => {
                return Ok(Value::Text(values[0].as_ref().err().map_or(String::new(), |why| code(self.policy, why))));
            }
            "nullif" => {
                return match (&values[0], &values[1]) {
                    (Ok(left), Ok(right)) if holds("=", left, right) => Err(Why::Said("no_value")),
                    (value, _) => value.clone(),
                };
            }
            _ => {}
        }
        let values: Vec<Value> = values.into_iter().collect::<Known<_>>()?;
        match name {
            "abs" => absolute(&values[0]),
            "power" => power(&values[0], &values[1], expr.is_double),
            "sqrt" | "ln" | "exp" => approximate(name, &values[0]),
            "substring" => substring(&values),
            "to_number" => number_in(&letters(&values[0])).map(Value::Exact).ok_or(Why::Said("no_value")),
            "starts_with" | "ends_with" | "contains" => {
                Ok(Value::Truth(has(name, &letters(&values[0]), &letters(&values[1]))))
            }
            "principal_for" => pricing::principal_for(&values, self.method),
            "round" | "round_half_even" | "round_down" | "round_up" | "floor" | "ceil" => {
                rounded(name, &values, parts[0].kind)
            }
            "least" | "greatest" => Ok(extreme(name, &values, expr.is_double)),
            name if name.starts_with("list_") => of_list(name, values),
            "lower" | "upper" | "trim" | "replace" | "length" | "concat" | "text_of" => {
                of_text(name, values, parts[0].kind)
            }
            _ => of_date(name, &values),
        }
    }
}

fn extreme(name: &str, values: &[Value], is_double: bool) -> Value {
    let wanted = if name == "least" { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
    // If one may be a double, all are, even if no other double is in this call.
    let beside = |value: &Value| if is_double { Value::Double(super::numbers::nearest(value)) } else { value.clone() };
    let values = values.iter().map(beside);
    values.reduce(|best, value| if order(&value, &best) == wanted { value } else { best }).expect("one at least")
}

fn of_list(name: &str, values: Vec<Value>) -> Known<Value> {
    // Listed numbers are exact.
    let listed =
        |value: Value| if let Value::Double(_) = value { Value::Exact(super::numbers::exactly(&value)) } else { value };
    match name {
        // A nested list contributes its own values.
        "list_of" => {
            let own = |value| if let Value::List(own) = value { own } else { vec![listed(value)] };
            Ok(Value::List(values.into_iter().flat_map(own).collect()))
        }
        "list_length" => whole(list(&values[0]).len() as i128),
        _ => Ok(Value::Truth(list(&values[0]).iter().any(|value| holds("=", value, &values[1])))),
    }
}

fn of_text(name: &str, values: Vec<Value>, kind: Kind) -> Known<Value> {
    Ok(Value::Text(match name {
        "lower" => small(&letters(&values[0])),
        "upper" => letters(&values[0]).chars().flat_map(char::to_uppercase).collect(),
        "trim" => {
            let mut letters: Vec<char> = letters(&values[0]).chars().collect();
            for _ in 0..2 {
                letters.reverse();
                while letters.last().is_some_and(|letter| letter.is_whitespace()) {
                    letters.pop();
                }
            }
            letters.into_iter().collect()
        }
        "replace" => replaced(&letters(&values[0]), &letters(&values[1]), &letters(&values[2])),
        "length" => return whole(letters(&values[0]).chars().count() as i128),
        "concat" => values.iter().map(letters).collect(),
        _ => match (&values[0], kind) {
            (Value::Whole(day), Kind::Date) => super::values::iso(*day),
            (value, _) => text(value),
        },
    }))
}

fn of_date(name: &str, values: &[Value]) -> Known<Value> {
    let day = int(&values[0]);
    match name {
        "year" => whole(civil(day).0.into()),
        "month" => whole(civil(day).1.into()),
        "day" => whole(civil(day).2.into()),
        // 1970-01-01 was a Thursday.
        "weekday" => whole(((day + 3).rem_euclid(7) + 1).into()),
        "day_of_year" => whole((day - days_of(civil(day).0, 1, 1) + 1).into()),
        "years_between" => whole(i128::from(full_months(day, int(&values[1])) / 12)),
        "months_between" => whole(full_months(day, int(&values[1])).into()),
        "month_start_of" => {
            let (year, month, _) = civil(day);
            date(i128::from(days_of(year, month, 1)))
        }
        "add_months" => add_months(day, int(&values[1])),
        other => panic!("no function {other}"),
    }
}

/// The full months between two days: years and months apart, less one if the day of the month is not reached.
fn full_months(from: i64, to: i64) -> i64 {
    if to < from {
        return -full_months(to, from);
    }
    let ((from_year, from_month, from_day), (year, month, day)) = (civil(from), civil(to));
    let apart = i64::from(year - from_year) * 12 + i64::from(month) - i64::from(from_month);
    apart - i64::from(day < from_day && apart > 0)
}

fn approximate(name: &str, value: &Value) -> Known<Value> {
    let number = super::numbers::nearest(value);
    match name {
        "sqrt" if number >= 0.0 => super::numbers::double(libm::sqrt(number)),
        "ln" if number > 0.0 => super::numbers::double(libm::log(number)),
        "exp" => super::numbers::double(libm::exp(number)),
        _ => Err(Why::Said("no_value")),
    }
}

/// Letter by letter.
fn substring(values: &[Value]) -> Known<Value> {
    let (start, length) = (int(&values[1]), values.get(2).map_or(i64::MAX, int));
    if start < 1 || length < 0 {
        return Err(Why::Said("no_value"));
    }
    let (mut part, mut left) = (String::new(), length);
    for (place, letter) in (1..).zip(letters(&values[0]).chars()) {
        if place >= start && left > 0 {
            part.push(letter);
            left -= 1;
        }
    }
    Ok(Value::Text(part))
}

/// From left to right.
fn replaced(text: &str, from: &str, to: &str) -> String {
    if from.is_empty() {
        return text.to_owned();
    }
    text.split(from).collect::<Vec<_>>().join(to)
}

/// Where a part is in a text, by trying every place.
pub fn has(name: &str, text: &str, part: &str) -> bool {
    let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
    let is_at = |at: &usize| text.as_bytes()[*at..].iter().zip(part.bytes()).filter(|(one, other)| **one == *other);
    let mut fitting = places.into_iter().filter(|at| is_at(at).count() == part.len());
    match name {
        "starts_with" => fitting.next() == Some(0),
        "ends_with" => fitting.any(|at| at + part.len() == text.len()),
        _ => fitting.next().is_some(),
    }
}

/// A minus, digits, a point, digits.
fn number_in(text: &str) -> Option<crate::exact::Exact> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let parts: Vec<&str> = digits.split('.').collect();
    let is_whole = |part: &&str| !part.is_empty() && part.bytes().all(|letter| letter.is_ascii_digit());
    let fits = parts.len() <= 2 && parts.iter().all(is_whole) && digits.len() <= 40;
    fits.then(|| if digits == text { crate::exact::decimal(digits) } else { -crate::exact::decimal(digits) })
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Whole(value) => *value,
        other => panic!("{other:?} is not whole"),
    }
}

fn list(value: &Value) -> &[Value] {
    match value {
        Value::List(values) => values,
        other => panic!("{other:?} is no list"),
    }
}

pub fn letters(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => panic!("{other:?} is no text"),
    }
}

/// Lower case, letter by letter; a final sigma is an ordinary one.
pub fn small(text: &str) -> String {
    let letters = text.chars().map(|letter| if letter == 'ς' { 'Σ' } else { letter });
    letters.flat_map(char::to_lowercase).collect()
}

/// Letter by letter, with every way to split what `%` matches.
pub fn like(text: &str, pattern: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        // The next sign means itself.
        Some('!') => {
            let mut rest = pattern[1..].chars();
            let wanted = rest.next();
            let mut letters = text.chars();
            letters.next() == wanted && like(letters.as_str(), rest.as_str())
        }
        Some('%') => {
            let rest = &pattern[1..];
            (0..=text.len()).filter(|at| text.is_char_boundary(*at)).any(|at| like(&text[at..], rest))
        }
        Some(wanted) => {
            let mut letters = text.chars();
            let fits = letters.next().is_some_and(|letter| wanted == '_' || wanted == letter);
            fits && like(letters.as_str(), &pattern[wanted.len_utf8()..])
        }
    }
}
