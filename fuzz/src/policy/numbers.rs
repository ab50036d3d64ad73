//! Numbers of the reference: adding, comparing, rounding. Exact unless doubles are meant, and then both sides are
//! doubles. Knows no expression.

use std::cmp::Ordering;

use super::calendar::date;
use super::evaluate::{Known, Why};
use super::model::{Kind, Value};
use crate::exact::{self, Exact, Way};

const OVERFLOW: Why = Why::Said("overflow");
pub const ZERO: Why = Why::Said("zero_denominator");

/// A whole number, if 64 bits hold it.
pub fn whole(value: i128) -> Known<Value> {
    i64::try_from(value).map(Value::Whole).map_err(|_| OVERFLOW)
}

/// A fraction, if it can be represented.
pub fn fraction(value: Exact) -> Known<Value> {
    exact::held(value).map(Value::Exact).ok_or(OVERFLOW)
}

pub fn double(value: f64) -> Known<Value> {
    if value.is_finite() { Ok(Value::Double(value)) } else { Err(OVERFLOW) }
}

/// The exact number; for a double the shortest decimal that reads back as it.
pub fn exactly(value: &Value) -> Exact {
    match value {
        Value::Whole(value) => Exact::from(*value),
        Value::Exact(value) => value.clone(),
        Value::Double(value) => exact::shortest(*value),
        other => panic!("{other:?} is no number"),
    }
}

/// The nearest double.
pub fn nearest(value: &Value) -> f64 {
    match value {
        Value::Whole(value) => *value as f64,
        Value::Exact(value) => exact::nearest(value),
        Value::Double(value) => *value,
        other => panic!("{other:?} is no number"),
    }
}

fn is_double(value: &Value) -> bool {
    matches!(value, Value::Double(_))
}

/// `+ - * / %` of two known numbers.
pub fn arithmetic(sign: char, left: &Value, right: &Value, kind: Kind) -> Known<Value> {
    if let (Value::Whole(left), Value::Whole(right), true) = (left, right, sign != '/') {
        let value = of_whole(sign, i128::from(*left), i128::from(*right))?;
        return if kind == Kind::Date { date(value) } else { whole(value) };
    }
    if is_double(left) || is_double(right) {
        return of_doubles(sign, nearest(left), nearest(right));
    }
    let (left, right) = (exactly(left), exactly(right));
    fraction(match sign {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        _ if right.is_zero() => return Err(ZERO),
        '/' => left / right,
        _ => exact::remainder(&left, &right),
    })
}

fn of_whole(sign: char, left: i128, right: i128) -> Known<i128> {
    Ok(match sign {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        _ if right == 0 => return Err(ZERO),
        _ => left % right,
    })
}

fn of_doubles(sign: char, left: f64, right: f64) -> Known<Value> {
    double(match sign {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        _ if right == 0.0 => return Err(ZERO),
        '/' => left / right,
        _ => left % right,
    })
}

pub fn negated(value: &Value) -> Known<Value> {
    match value {
        Value::Whole(value) => whole(-i128::from(*value)),
        Value::Exact(value) => Ok(Value::Exact(-value.clone())),
        value => Ok(Value::Double(-nearest(value))),
    }
}

pub fn absolute(value: &Value) -> Known<Value> {
    match value {
        Value::Whole(value) => whole(i128::from(*value).abs()),
        Value::Exact(value) => Ok(Value::Exact(exact::absolute(value))),
        value => Ok(Value::Double(nearest(value).abs())),
    }
}

/// Exact if the types say so, else as doubles.
pub fn power(base: &Value, exponent: &Value, is_double: bool) -> Known<Value> {
    if is_double {
        return double(libm::pow(nearest(base), nearest(exponent)));
    }
    let (base, exponent) = (exactly(base), exact::int(&exactly(exponent)).expect("a whole exponent"));
    if base.is_zero() && exponent < 0 {
        return Err(ZERO);
    }
    exact::power(&base, exponent).map(Value::Exact).ok_or(OVERFLOW)
}

/// Two known values of one kind: exact, but as doubles next to a double.
pub fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Whole(left), Value::Whole(right)) => left.cmp(right),
        (Value::Truth(left), Value::Truth(right)) => left.cmp(right),
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        (left, right) if is_double(left) || is_double(right) => {
            nearest(left).partial_cmp(&nearest(right)).expect("no number is out of order")
        }
        (Value::Exact(left), Value::Exact(right)) => left.cmp(right),
        (left, right) => exactly(left).cmp(&exactly(right)),
    }
}

pub fn holds(sign: &str, left: &Value, right: &Value) -> bool {
    let order = order(left, right);
    match sign {
        "=" => order == Ordering::Equal,
        "!=" | "<>" => order != Ordering::Equal,
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        ">=" => order != Ordering::Less,
        other => panic!("no comparison: {other}"),
    }
}

/// To a step, or to whole numbers and whole minor units.
pub fn rounded(name: &str, values: &[Value], kind: Kind) -> Known<Value> {
    let way = match name {
        "round_down" | "floor" => Way::Down,
        "round_up" | "ceil" => Way::Up,
        "round_half_even" => Way::Even,
        _ => Way::Nearest,
    };
    let step = values.get(1).map_or(Exact::ONE, exactly);
    if step <= Exact::ZERO {
        return Err(ZERO);
    }
    let multiple = exact::stepped(&exactly(&values[0]), &step, way);
    let is_whole = |value: &Value| matches!(value, Value::Whole(_));
    if matches!(kind, Kind::Money | Kind::MoneyMean) {
        // Nobody pays a part of a minor unit.
        return minor(&Value::Exact(multiple), way).map(Value::Whole);
    }
    if values.len() == 1 || values.iter().all(is_whole) {
        return exact::int(&multiple).map(Value::Whole).ok_or(OVERFLOW);
    }
    fraction(multiple)
}

/// Whole minor units.
pub fn minor(value: &Value, way: Way) -> Known<i64> {
    match value {
        Value::Whole(value) => Ok(*value),
        value => exact::int(&exact::whole(&exactly(value), way)).ok_or(OVERFLOW),
    }
}

/// In letters and digits.
pub fn text(value: &Value) -> String {
    match value {
        Value::Whole(value) => value.to_string(),
        Value::Exact(value) => exact::text(value),
        // The sign of zero does not matter.
        Value::Double(value) => format!("{}", if *value == 0.0 { 0.0 } else { *value }),
        Value::Truth(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(_) => panic!("a list is no text"),
    }
}
