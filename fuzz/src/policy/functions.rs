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
            "principal_for" => pricing::principal_for(&values, self.method),
            "round" | "round_half_even" | "round_down" | "round_up" | "floor" | "ceil" => {
                rounded(name, &values, parts[0].kind)
            }
            "least" | "greatest" => Ok(extreme(name, &values, expr.is_double)),
            name if name.starts_with("list_") => of_list(name, values),
            "lower" | "length" | "concat" | "text_of" => of_text(name, values, parts[0].kind),
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
        "month_start_of" => {
            let (year, month, _) = civil(day);
            date(i128::from(days_of(year, month, 1)))
        }
        "add_months" => add_months(day, int(&values[1])),
        other => panic!("no function {other}"),
    }
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
