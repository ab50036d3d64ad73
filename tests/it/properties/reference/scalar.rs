//! Numbers and dates of the reference, one pair at a time. Integers in 128 bits.

use std::cell::Cell;
use std::cmp::Ordering;

use chrono::{Datelike, Months};

use super::data::{date, days, is_day};
use super::expression::Type;
use super::{Out, Val, Why, finite, fits};

/// The last bits of a result whose operands are not exact.
fn blur(value: f64, error: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error * (1.0 + 1e-9) + value.abs() * 1e-15 }
}

pub fn negate(value: Val) -> Out {
    match value {
        Val::Int(value) => fits(-i128::from(value)),
        other => {
            let (value, error) = other.float();
            Ok(Val::Float(-value, error))
        }
    }
}

pub fn arithmetic(sign: char, left: &Val, right: &Val, ty: Type, fragile: &Cell<bool>) -> Out {
    if let (Val::Int(left), Val::Int(right)) = (left, right)
        && sign != '/'
    {
        let (left, right) = (i128::from(*left), i128::from(*right));
        let result = match sign {
            '+' => left + right,
            '-' => left - right,
            '*' => left * right,
            _ if right == 0 => return Err(Why::Unknown),
            _ => left % right,
        };
        return match fits(result) {
            Ok(Val::Int(day)) if ty == Type::Date && !is_day(day) => Err(Why::Overflow),
            other => other,
        };
    }
    let ((a, ea), (b, eb)) = (left.float(), right.float());
    let (value, error) = match sign {
        '+' => (a + b, ea + eb),
        '-' => (a - b, ea + eb),
        '*' => (a * b, a.abs() * eb + b.abs() * ea + ea * eb),
        _ => {
            if b.abs() <= eb && eb > 0.0 {
                fragile.set(true);
            }
            if b == 0.0 {
                return Err(Why::Unknown);
            }
            if sign == '/' {
                (a / b, (ea + (a / b).abs() * eb) / (b.abs() - eb).max(f64::MIN_POSITIVE))
            } else {
                if ea + eb > 0.0 {
                    fragile.set(true);
                }
                (a % b, ea)
            }
        }
    };
    if error > 0.0 && value.abs() > 1e300 {
        fragile.set(true);
    }
    finite(value, blur(value, error))
}

/// Orders two values of a kind; numbers that are too near to tell apart make the answer fragile.
pub fn order(left: &Val, right: &Val, fragile: &Cell<bool>) -> Ordering {
    match (left, right) {
        (Val::Int(left), Val::Int(right)) => left.cmp(right),
        (Val::Bool(left), Val::Bool(right)) => left.cmp(right),
        (Val::Text(left), Val::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
        _ => {
            let ((a, ea), (b, eb)) = (left.float(), right.float());
            if ea + eb > 0.0 && (a - b).abs() <= 2.0 * (ea + eb) {
                fragile.set(true);
            }
            a.partial_cmp(&b).unwrap()
        }
    }
}

/// To a multiple of a step. What is a whole number of steps but for a millionth of one counts as that.
pub fn round(name: &str, value: &Val, step: &Val, whole: bool, fragile: &Cell<bool>) -> Out {
    let down = |exact: i128, step: i128| exact.div_euclid(step);
    if let (Val::Int(value), Val::Int(step)) = (value, step) {
        let (value, step) = (i128::from(*value), i128::from(*step));
        if step <= 0 {
            return Err(Why::Unknown);
        }
        let steps = match name {
            "round_down" | "floor" => down(value, step),
            "round_up" | "ceil" => down(value + step - 1, step),
            _ if value < 0 => -down(2 * -value + step, 2 * step),
            _ => down(2 * value + step, 2 * step),
        };
        return fits(steps * step);
    }
    let ((value, error), (step, step_error)) = (value.float(), step.float());
    if step <= 0.0 {
        return Err(Why::Unknown);
    }
    let to_step = |value: f64| {
        let steps = value / step;
        let near = (steps * 1_000_000.0).round() / 1_000_000.0;
        let steps = if near.is_finite() && steps.abs() < 1e9 { near } else { steps };
        step * match name {
            "round_down" | "floor" => steps.floor(),
            "round_up" | "ceil" => steps.ceil(),
            _ => steps.round(),
        }
    };
    let rounded = to_step(value);
    if step_error > 0.0 || to_step(value - error) != rounded || to_step(value + error) != rounded {
        fragile.set(true);
    }
    if !whole {
        return finite(rounded, 0.0);
    }
    // A float holds 2^63 and not 2^63 - 1: what lies in between is no matter of definition.
    if rounded.abs() > 9.1e18 && rounded.abs() < 9.3e18 {
        fragile.set(true);
    }
    if rounded.abs() < 9.2e18 { Ok(Val::Int(rounded as i64)) } else { Err(Why::Overflow) }
}

/// Functions that are unknown just where an argument is.
pub fn call(name: &str, args: &[Val]) -> Out {
    let day = |index: usize| date(args[index].int()).filter(|_| is_day(args[index].int())).ok_or(Why::Overflow);
    let whole = |value: i64| Ok(Val::Int(value));
    match name {
        "abs" => match &args[0] {
            Val::Int(value) => fits(i128::from(*value).abs()),
            other => Ok(Val::Float(other.float().0.abs(), other.float().1)),
        },
        "lower" => Ok(Val::Text(args[0].text().to_lowercase())),
        "length" => whole(args[0].text().chars().count() as i64),
        "year" => whole(i64::from(day(0)?.year())),
        "month" => whole(i64::from(day(0)?.month())),
        "day" => whole(i64::from(day(0)?.day())),
        "weekday" => whole(i64::from(day(0)?.weekday().number_from_monday())),
        "month_start_of" => whole(days(day(0)?.with_day(1).unwrap())),
        "add_months" => {
            let (from, months) = (day(0)?, args[1].int());
            let count = u32::try_from(months.unsigned_abs()).map_err(|_| Why::Overflow)?;
            let to = match months < 0 {
                true => from.checked_sub_months(Months::new(count)),
                false => from.checked_add_months(Months::new(count)),
            };
            to.map(days).filter(|to| is_day(*to)).map(Val::Int).ok_or(Why::Overflow)
        }
        _ => panic!("{name} is not known to the reference"),
    }
}
