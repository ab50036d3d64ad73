//! Sums, products, comparisons and truth values of columns, row by row. Knows neither grains nor statements.
//! A row that cannot be computed goes to `bad` with its reason.

use std::borrow::Cow;

use super::column::{Column, Data};
use super::reason::Reason;
use crate::rules::ir::{DatePart, LocalPart, Rounding};
use crate::rules::program::{Value, compare};
use crate::rules::{Binary, Repr, Unit};
use crate::words::date::{Day, Zone};
use crate::words::time;

/// Rows that could not be computed though their inputs were known.
pub(crate) type Bad = Vec<(usize, Reason)>;

/// Applies `f` to every pair; a side of one value serves every row.
fn zip<A: Copy, B: Copy, T>(left: &[A], right: &[B], rows: usize, f: impl Fn(A, B) -> T) -> Vec<T> {
    match (left.len() == rows, right.len() == rows) {
        (true, true) => left.iter().zip(right).map(|(a, b)| f(*a, *b)).collect(),
        (true, false) => right.first().map_or(vec![], |b| left.iter().map(|a| f(*a, *b)).collect()),
        (false, true) => left.first().map_or(vec![], |a| right.iter().map(|b| f(*a, *b)).collect()),
        (false, false) => match (left.first(), right.first()) {
            (Some(a), Some(b)) => (0..rows).map(|_| f(*a, *b)).collect(),
            _ => vec![],
        },
    }
}

pub(crate) fn arithmetic<'a>(op: Binary, left: &Column, right: &Column, rows: usize, bad: &mut Bad) -> Data<'a> {
    match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) => Data::Int(Cow::Owned(ints(op, a, b, rows, bad))),
        _ => Data::Float(floats(op, left.floats(), right.floats(), rows, bad)),
    }
}

fn ints(op: Binary, left: &[i64], right: &[i64], rows: usize, bad: &mut Bad) -> Vec<i64> {
    let checked: fn(i64, i64) -> Option<i64> = match op {
        Binary::Add => i64::checked_add,
        Binary::Subtract => i64::checked_sub,
        Binary::Multiply => i64::checked_mul,
        // The remainder by -1 is 0, also of the least number, whose quotient cannot be held.
        _ => |left, right| if right == -1 { Some(0) } else { left.checked_rem(right) },
    };
    let reason = if op == Binary::Remainder { Reason::ZeroDenominator } else { Reason::Overflow };
    let results = zip(left, right, rows, checked);
    collect(results, reason, bad)
}

fn collect(results: Vec<Option<i64>>, reason: Reason, bad: &mut Bad) -> Vec<i64> {
    bad.extend(results.iter().enumerate().filter(|(_, value)| value.is_none()).map(|(row, _)| (row, reason)));
    results.into_iter().map(|value| value.unwrap_or(0)).collect()
}

fn floats(op: Binary, left: &[f64], right: &[f64], rows: usize, bad: &mut Bad) -> Vec<f64> {
    let f: fn(f64, f64) -> f64 = match op {
        Binary::Add => |a, b| a + b,
        Binary::Subtract => |a, b| a - b,
        Binary::Multiply => |a, b| a * b,
        Binary::Divide => |a, b| a / b,
        _ => |a, b| a % b,
    };
    let values = zip(left, right, rows, f);
    let divides = matches!(op, Binary::Divide | Binary::Remainder);
    for (row, value) in values.iter().enumerate().filter(|(_, value)| !value.is_finite()) {
        let denominator = right.get(if right.len() == 1 { 0 } else { row }).copied().unwrap_or(f64::NAN);
        let reason = if divides && denominator == 0.0 { Reason::ZeroDenominator } else { Reason::Overflow };
        debug_assert!(!value.is_finite());
        bad.push((row, reason));
    }
    values
}

pub(crate) fn comparison<'a>(op: Binary, left: &Column, right: &Column, rows: usize) -> Data<'a> {
    fn by<T: PartialOrd + ?Sized>(op: Binary) -> fn(&T, &T) -> bool {
        match op {
            Binary::Equal => |a, b| a == b,
            Binary::NotEqual => |a, b| a != b,
            Binary::Less => |a, b| a < b,
            Binary::LessEqual => |a, b| a <= b,
            Binary::Greater => |a, b| a > b,
            _ => |a, b| a >= b,
        }
    }
    Data::Boolean(match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) => compare_ints(op, a, b, rows),
        (Data::Float(a), Data::Float(b)) => {
            let f = by::<f64>(op);
            zip(a, b, rows, |a, b| f(&a, &b))
        }
        (Data::Boolean(a), Data::Boolean(b)) => {
            let f = by::<bool>(op);
            zip(a, b, rows, |a, b| f(&a, &b))
        }
        (Data::Text(a), Data::Text(b)) => {
            let f = by::<str>(op);
            (0..rows).map(|row| f(&a[left.at(row)], &b[right.at(row)])).collect()
        }
        _ => vec![false; rows],
    })
}

/// Spelt out so that each loop compiles to vector instructions.
fn compare_ints(op: Binary, left: &[i64], right: &[i64], rows: usize) -> Vec<bool> {
    match op {
        Binary::Equal => zip(left, right, rows, |a, b| a == b),
        Binary::NotEqual => zip(left, right, rows, |a, b| a != b),
        Binary::Less => zip(left, right, rows, |a, b| a < b),
        Binary::LessEqual => zip(left, right, rows, |a, b| a <= b),
        Binary::Greater => zip(left, right, rows, |a, b| a > b),
        _ => zip(left, right, rows, |a, b| a >= b),
    }
}

/// SQL's AND and OR: one decided side decides.
pub(crate) fn logic<'a>(is_and: bool, left: &Column, right: &Column, rows: usize) -> Column<'a> {
    let (a, b) = (left.booleans(), right.booleans());
    let data = match is_and {
        true => zip(a, b, rows, |a, b| a & b),
        false => zip(a, b, rows, |a, b| a | b),
    };
    if left.valid.is_none() && right.valid.is_none() {
        return Column::known(Data::Boolean(data));
    }
    let mut out = Column::known(Data::Boolean(data));
    let (mut valid, mut values) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let with_reasons = !left.reasons.is_empty() || !right.reasons.is_empty();
    for row in 0..rows {
        let left_value = left.is_known(row).then(|| a[left.at(row)]);
        let right_value = right.is_known(row).then(|| b[right.at(row)]);
        let decided = Some(!is_and);
        let answer = match (left_value, right_value) {
            (value, _) | (_, value) if value == decided => decided,
            (Some(_), Some(_)) => Some(is_and),
            _ => None,
        };
        valid.push(answer.is_some());
        values.push(answer.unwrap_or(false));
        if with_reasons {
            let reason = if left_value.is_none() { left.reason(row) } else { right.reason(row) };
            out.reasons.push(if answer.is_none() { reason } else { Reason::NoValue });
        }
    }
    out.data = Data::Boolean(values);
    out.valid = Some(valid);
    out
}

pub(crate) fn negate<'a>(input: &Column, bad: &mut Bad) -> Data<'a> {
    match &input.data {
        Data::Int(values) => {
            Data::Int(Cow::Owned(collect(values.iter().map(|v| v.checked_neg()).collect(), Reason::Overflow, bad)))
        }
        _ => Data::Float(input.floats().iter().map(|value| -value).collect()),
    }
}

pub(crate) fn abs<'a>(input: &Column, bad: &mut Bad) -> Data<'a> {
    match &input.data {
        Data::Int(values) => {
            Data::Int(Cow::Owned(collect(values.iter().map(|v| v.checked_abs()).collect(), Reason::Overflow, bad)))
        }
        _ => Data::Float(input.floats().iter().map(|value| value.abs()).collect()),
    }
}

/// To a multiple of the step. Floats are first brought to a millionth of the step, so that what is a whole number of steps
/// but for the last bits of a product counts as one.
pub(crate) fn round<'a>(
    how: Rounding,
    value: &Column,
    step: &Column,
    rows: usize,
    repr: Repr,
    bad: &mut Bad,
) -> Data<'a> {
    if let (Data::Int(values), Data::Int(steps)) = (&value.data, &step.data) {
        let rounded = zip(values, steps, rows, |value, step| round_int(how, value, step));
        let failed = rounded.iter().enumerate().filter_map(|(row, result)| result.err().map(|reason| (row, reason)));
        bad.extend(failed);
        return Data::Int(Cow::Owned(rounded.into_iter().map(|result| result.unwrap_or(0)).collect()));
    }
    let rounded = zip(value.floats(), step.floats(), rows, |value, step| round_float(how, value, step));
    for (row, value) in rounded.iter().enumerate() {
        if !value.is_finite() || (repr == Repr::Int && !fits(*value)) {
            let zero = step.floats().get(step.at(row)).is_some_and(|step| *step <= 0.0);
            bad.push((row, if zero { Reason::ZeroDenominator } else { Reason::Overflow }));
        }
    }
    match repr {
        Repr::Int => Data::Int(rounded.into_iter().map(|value| value as i64).collect()),
        _ => Data::Float(rounded),
    }
}

/// Whether a whole float fits 64 bits.
pub(crate) fn fits(value: f64) -> bool {
    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value)
}

fn round_int(how: Rounding, value: i64, step: i64) -> Result<i64, Reason> {
    if step <= 0 {
        return Err(Reason::ZeroDenominator);
    }
    let (value, step) = (i128::from(value), i128::from(step));
    let steps = match how {
        Rounding::Down => value.div_euclid(step),
        Rounding::Up => -((-value).div_euclid(step)),
        Rounding::HalfAway => {
            let magnitude = (2 * value.abs() + step) / (2 * step);
            if value < 0 { -magnitude } else { magnitude }
        }
    };
    i64::try_from(steps * step).map_err(|_| Reason::Overflow)
}

fn round_float(how: Rounding, value: f64, step: f64) -> f64 {
    if step <= 0.0 {
        return f64::NAN;
    }
    let steps = value / step;
    let fine = (steps * 1e6).round() / 1e6;
    let steps = if fine.is_finite() && steps.abs() < 1e9 { fine } else { steps };
    let whole = match how {
        Rounding::Down => steps.floor(),
        Rounding::Up => steps.ceil(),
        Rounding::HalfAway => steps.round(),
    };
    whole * step
}

pub(crate) fn date_part<'a>(part: DatePart, input: &Column, bad: &mut Bad) -> Data<'a> {
    let value = |days: &i64| {
        let day = i32::try_from(*days).ok().and_then(Day::checked_from_days)?;
        let (year, month, of_month) = day.ymd();
        Some(match part {
            DatePart::Year => i64::from(year),
            DatePart::Month => i64::from(month),
            DatePart::Day => i64::from(of_month),
            DatePart::Weekday => (i64::from(day.days()) + 3).rem_euclid(7) + 1,
            DatePart::MonthStart => i64::from(day.month_start().days()),
        })
    };
    Data::Int(Cow::Owned(collect(input.ints().iter().map(value).collect(), Reason::Overflow, bad)))
}

/// What a moment is in the zone; a day outside of the calendar is left to whoever holds values to their units.
pub(crate) fn local<'a>(part: LocalPart, input: &Column, zone: &Zone) -> Data<'a> {
    let value = |moment: &i64| {
        let local = moment.saturating_add(1_000 * i64::from(zone.offset_seconds(moment.div_euclid(1_000))));
        match part {
            LocalPart::Day => local.div_euclid(time::DAY),
            LocalPart::Time => local.rem_euclid(time::DAY),
        }
    };
    Data::Int(Cow::Owned(input.ints().iter().map(value).collect()))
}

/// The same day so many months on, or the last day of that month where it is shorter.
pub(crate) fn add_months<'a>(date: &Column, months: &Column, rows: usize, bad: &mut Bad) -> Data<'a> {
    let results = zip(date.ints(), months.ints(), rows, |date, months| {
        let (year, month, day) = Day::checked_from_days(i32::try_from(date).ok()?)?.ymd();
        let index = i64::from(year).checked_mul(12)?.checked_add(i64::from(month) - 1)?.checked_add(months)?;
        let (year, month) = (i32::try_from(index.div_euclid(12)).ok()?, index.rem_euclid(12) as u32 + 1);
        (28..=day).rev().chain([day]).find_map(|day| Day::from_ymd(year, month, day)).map(|day| i64::from(day.days()))
    });
    Data::Int(Cow::Owned(collect(results, Reason::Overflow, bad)))
}

/// The first known input; the least or greatest of all, unknown where one is.
pub(crate) fn extreme<'a>(greatest: bool, inputs: &[&Column<'a>], rows: usize, repr: Repr) -> Column<'a> {
    let wanted = if greatest { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less };
    let values = (0..rows).map(|row| {
        let mut best = inputs[0].value(row)?;
        for input in &inputs[1..] {
            let value = input.value(row)?;
            if compare(&value, &best) == Some(wanted) {
                best = value;
            }
        }
        Ok(best)
    });
    super::column::from_values(values.collect(), repr)
}

/// Whether so many of the inputs hold: known as soon as the unknown ones could not change it.
pub(crate) fn at_least<'a>(least: usize, inputs: &[&Column], rows: usize) -> Column<'a> {
    let values = (0..rows).map(|row| {
        let (mut hold, mut unknown, mut reason) = (0, 0, None);
        for input in inputs {
            match input.is_known(row) {
                true => hold += usize::from(input.booleans()[input.at(row)]),
                false => {
                    unknown += 1;
                    reason = reason.or(Some(input.reason(row)));
                }
            }
        }
        match (hold >= least, hold + unknown < least, reason) {
            (true, ..) => Ok(Value::Boolean(true)),
            (_, true, _) | (_, _, None) => Ok(Value::Boolean(false)),
            (_, _, Some(reason)) => Err(reason),
        }
    });
    super::column::from_values(values.collect(), Repr::Boolean)
}

/// Values one after the other; of a list its own.
pub(crate) fn list_of(inputs: &[&Column], rows: usize) -> Vec<Vec<Value>> {
    let row = |row| {
        let mut list = Vec::new();
        for value in inputs.iter().filter_map(|input| input.value(row).ok()) {
            match value {
                Value::List(items) => list.extend(items),
                value => list.push(value),
            }
        }
        list
    };
    (0..rows).map(row).collect()
}

pub(crate) fn concat<'a>(inputs: &[&Column<'a>], rows: usize) -> Vec<Cow<'a, str>> {
    let row = |row: usize| {
        let texts = inputs.iter().filter_map(|input| input.texts().get(input.at(row)));
        Cow::Owned(texts.map(AsRef::as_ref).collect::<String>())
    };
    (0..rows).map(row).collect()
}

/// Dates, times and durations as ISO 8601 says, a number by its shortest digits.
pub(crate) fn to_text<'a>(input: &Column<'a>, unit: Unit) -> Vec<Cow<'a, str>> {
    let iso = |value: Value| unit.iso(&value).map_or(Cow::Borrowed(""), Cow::Owned);
    match &input.data {
        Data::Int(values) if unit.is_iso() => values.iter().map(|value| iso(Value::Int(*value))).collect(),
        Data::Float(values) if unit.is_iso() => values.iter().map(|value| iso(Value::Float(*value))).collect(),
        Data::Int(values) => values.iter().map(|value| Cow::Owned(value.to_string())).collect(),
        // Nobody wants to read -0.
        Data::Float(values) => values.iter().map(|value| Cow::Owned((value + 0.0).to_string())).collect(),
        Data::Boolean(values) => {
            values.iter().map(|value| Cow::Borrowed(if *value { "true" } else { "false" })).collect()
        }
        Data::Text(values) => values.clone(),
        Data::List(_) => Vec::new(),
    }
}

pub(crate) fn power(base: &Column, exponent: &Column, rows: usize, bad: &mut Bad) -> Vec<f64> {
    let values = zip(base.floats(), exponent.floats(), rows, f64::powf);
    let failed = values.iter().enumerate().filter(|(_, value)| !value.is_finite());
    bad.extend(failed.map(|(row, _)| (row, Reason::Overflow)));
    values
}

/// Whether a list holds a value.
pub(crate) fn contains(list: &Column, value: &Column, rows: usize) -> Vec<bool> {
    let holds = |row| match (list.lists().get(list.at(row)), value.value(row)) {
        (Some(list), Ok(value)) => list.iter().any(|item| compare(item, &value) == Some(std::cmp::Ordering::Equal)),
        _ => false,
    };
    (0..rows).map(holds).collect()
}

pub(crate) fn coalesce<'a>(inputs: &[&Column<'a>], rows: usize, repr: Repr) -> Column<'a> {
    let values = (0..rows).map(|row| {
        // Where none is known, the first says why.
        let first = inputs[0].value(row);
        if first.is_ok() {
            return first;
        }
        inputs[1..].iter().map(|input| input.value(row)).find(Result::is_ok).unwrap_or(first)
    });
    super::column::from_values(values.collect(), repr)
}

/// CASE: the result of the first condition that is true. An unknown condition is not true.
pub(crate) fn choose<'a>(inputs: &[&Column<'a>], rows: usize, repr: Repr) -> Column<'a> {
    let values = (0..rows).map(|row| {
        let mut arms = inputs.chunks_exact(2);
        for arm in &mut arms {
            if arm[0].is_known(row) && arm[0].booleans()[arm[0].at(row)] {
                return arm[1].value(row);
            }
        }
        arms.remainder().first().map_or(Err(Reason::NoValue), |otherwise| otherwise.value(row))
    });
    super::column::from_values(values.collect(), repr)
}
