//! Sums, products and comparisons of columns, row by row. Knows neither grains nor statements.
//! A row that cannot be computed goes to `bad` with its reason.

use std::borrow::Cow;

use super::bits::Bits;
use super::column::{Column, Data};
use super::reason::Reason;
use super::texts::Texts;
use super::values::{Few, few};
use crate::rules::ir::{DatePart, LocalPart, Rounding};
use crate::rules::program::{Value, compare};
use crate::rules::{Binary, Repr, Unit};
use crate::words::date::{Day, Zone};
use crate::words::time;

/// Rows that could not be computed though their inputs were known.
pub(crate) type Bad = Vec<(usize, Reason)>;

/// Applies `f` to every pair; a side of one value serves every row, and two of them make one.
#[inline]
fn zip<A: Copy, B: Copy, T>(left: &[A], right: &[B], mut f: impl FnMut(A, B) -> T) -> Few<T> {
    match (left, right) {
        ([one], right) => few(right.iter().map(|other| f(*one, *other))),
        (left, [other]) => few(left.iter().map(|one| f(*one, *other))),
        (left, right) => few(left.iter().zip(right).map(|(one, other)| f(*one, *other))),
    }
}

/// As [`zip`], of truths.
#[inline]
fn zip_bits<A: Copy, B: Copy>(left: &[A], right: &[B], f: impl Fn(A, B) -> bool) -> Bits {
    match (left, right) {
        ([one], right) => Bits::of_values(right, |other| f(*one, other)),
        (left, [other]) => Bits::of_values(left, |one| f(one, *other)),
        (left, right) => Bits::of_pairs(left, right, f),
    }
}

pub(crate) fn arithmetic<'a>(op: Binary, left: &Column, right: &Column, bad: &mut Bad) -> Data<'a> {
    match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) => Data::Int(ints(op, a, b, bad).into()),
        _ => Data::Float(floats(op, left.floats(), right.floats(), bad)),
    }
}

fn ints(op: Binary, left: &[i64], right: &[i64], bad: &mut Bad) -> Few<i64> {
    match op {
        Binary::Add => checked(left, right, Reason::Overflow, bad, i64::overflowing_add),
        Binary::Subtract => checked(left, right, Reason::Overflow, bad, i64::overflowing_sub),
        Binary::Multiply => checked(left, right, Reason::Overflow, bad, i64::overflowing_mul),
        // The remainder by -1 is 0, also of the least number, whose quotient cannot be held.
        _ => checked(left, right, Reason::ZeroDenominator, bad, |left, right| match right {
            0 => (0, true),
            -1 => (0, false),
            right => (left % right, false),
        }),
    }
}

/// Every pair's result; where `f` says that it cannot be held, 0.
#[inline]
fn checked(
    left: &[i64],
    right: &[i64],
    reason: Reason,
    bad: &mut Bad,
    f: impl Fn(i64, i64) -> (i64, bool),
) -> Few<i64> {
    let mut any = false;
    let mut values = zip(left, right, |left, right| {
        let (value, failed) = f(left, right);
        any |= failed;
        value
    });
    if any {
        let failed = zip(left, right, |left, right| f(left, right).1);
        for row in failed.iter().enumerate().filter(|(_, failed)| **failed).map(|(row, _)| row) {
            values[row] = 0;
            bad.push((row, reason));
        }
    }
    values
}

fn held<'a>(results: impl Iterator<Item = Option<i64>>, reason: Reason, bad: &mut Bad) -> Data<'a> {
    let results = few(results);
    bad.extend(results.iter().enumerate().filter(|(_, value)| value.is_none()).map(|(row, _)| (row, reason)));
    Data::Int(results.iter().map(|value| value.unwrap_or(0)).collect())
}

fn floats(op: Binary, left: &[f64], right: &[f64], bad: &mut Bad) -> Few<f64> {
    let values = match op {
        Binary::Add => zip(left, right, |a, b| a + b),
        Binary::Subtract => zip(left, right, |a, b| a - b),
        Binary::Multiply => zip(left, right, |a, b| a * b),
        Binary::Divide => zip(left, right, |a, b| a / b),
        _ => zip(left, right, |a, b| a % b),
    };
    let divides = matches!(op, Binary::Divide | Binary::Remainder);
    for (row, _) in values.iter().enumerate().filter(|(_, value)| !value.is_finite()) {
        let denominator = right.get(if right.len() == 1 { 0 } else { row }).copied().unwrap_or(f64::NAN);
        let reason = if divides && denominator == 0.0 { Reason::ZeroDenominator } else { Reason::Overflow };
        bad.push((row, reason));
    }
    values
}

pub(crate) fn comparison<'a>(op: Binary, left: &Column, right: &Column, rows: usize) -> Data<'a> {
    Data::Boolean(match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) => compared(op, a, b),
        (Data::Float(a), Data::Float(b)) => compared(op, a, b),
        (Data::Boolean(a), Data::Boolean(b)) => {
            Bits::of(rows, |row| compares(op, &a.get(left.at(row)), &b.get(right.at(row))))
        }
        (Data::Text(texts), Data::Text(one)) if one.len() == 1 => texts.bits(|text| compares(op, text, one.get(0))),
        (Data::Text(one), Data::Text(texts)) if one.len() == 1 => texts.bits(|text| compares(op, one.get(0), text)),
        (Data::Text(a), Data::Text(b)) => Bits::of(rows, |row| compares(op, a.get(left.at(row)), b.get(right.at(row)))),
        _ => Bits::all(rows, false),
    })
}

fn compares<T: PartialOrd + ?Sized>(op: Binary, left: &T, right: &T) -> bool {
    match op {
        Binary::Equal => left == right,
        Binary::NotEqual => left != right,
        Binary::Less => left < right,
        Binary::LessEqual => left <= right,
        Binary::Greater => left > right,
        _ => left >= right,
    }
}

/// Spelt out so that each loop is one of its own, without a branch in it.
fn compared<T: Copy + PartialOrd>(op: Binary, left: &[T], right: &[T]) -> Bits {
    match op {
        Binary::Equal => zip_bits(left, right, |a, b| a == b),
        Binary::NotEqual => zip_bits(left, right, |a, b| a != b),
        Binary::Less => zip_bits(left, right, |a, b| a < b),
        Binary::LessEqual => zip_bits(left, right, |a, b| a <= b),
        Binary::Greater => zip_bits(left, right, |a, b| a > b),
        _ => zip_bits(left, right, |a, b| a >= b),
    }
}

pub(crate) fn negate<'a>(input: &Column, bad: &mut Bad) -> Data<'a> {
    match &input.data {
        Data::Int(values) => held(values.iter().map(|v| v.checked_neg()), Reason::Overflow, bad),
        _ => Data::Float(few(input.floats().iter().map(|value| -value))),
    }
}

pub(crate) fn abs<'a>(input: &Column, bad: &mut Bad) -> Data<'a> {
    match &input.data {
        Data::Int(values) => held(values.iter().map(|v| v.checked_abs()), Reason::Overflow, bad),
        _ => Data::Float(few(input.floats().iter().map(|value| value.abs()))),
    }
}

/// To a multiple of the step. Floats are first brought to a millionth of the step, so that what is a whole number of steps
/// but for the last bits of a product counts as one.
pub(crate) fn round<'a>(how: Rounding, value: &Column, step: &Column, repr: Repr, bad: &mut Bad) -> Data<'a> {
    if let (Data::Int(values), Data::Int(steps)) = (&value.data, &step.data) {
        let rounded = zip(values, steps, |value, step| round_int(how, value, step));
        let failed = rounded.iter().enumerate().filter_map(|(row, result)| result.err().map(|reason| (row, reason)));
        bad.extend(failed);
        return Data::Int(rounded.iter().map(|result| result.unwrap_or(0)).collect());
    }
    let rounded = zip(value.floats(), step.floats(), |value, step| round_float(how, value, step));
    for (row, value) in rounded.iter().enumerate() {
        if !value.is_finite() || (repr == Repr::Int && !fits(*value)) {
            let zero = step.floats().get(step.at(row)).is_some_and(|step| *step <= 0.0);
            bad.push((row, if zero { Reason::ZeroDenominator } else { Reason::Overflow }));
        }
    }
    match repr {
        Repr::Int => Data::Int(rounded.iter().map(|value| *value as i64).collect()),
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
    let value = |days: i64| {
        let day = i32::try_from(days).ok().and_then(Day::checked_from_days)?;
        let (year, month, of_month) = day.ymd();
        Some(match part {
            DatePart::Year => i64::from(year),
            DatePart::Month => i64::from(month),
            DatePart::Day => i64::from(of_month),
            DatePart::Weekday => (i64::from(day.days()) + 3).rem_euclid(7) + 1,
            DatePart::MonthStart => i64::from(day.month_start().days()),
        })
    };
    // Records stand in the order of their days: most have the day of the one before.
    let mut before = None;
    let parts = input.ints().iter().map(|days| match before {
        Some((known, part)) if known == *days => part,
        _ => {
            let part = value(*days);
            before = Some((*days, part));
            part
        }
    });
    held(parts, Reason::Overflow, bad)
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
    Data::Int(input.ints().iter().map(value).collect())
}

/// The same day so many months on, or the last day of that month where it is shorter.
pub(crate) fn add_months<'a>(date: &Column, months: &Column, bad: &mut Bad) -> Data<'a> {
    let results = zip(date.ints(), months.ints(), |date, months| {
        let (year, month, day) = Day::checked_from_days(i32::try_from(date).ok()?)?.ymd();
        let index = i64::from(year).checked_mul(12)?.checked_add(i64::from(month) - 1)?.checked_add(months)?;
        let (year, month) = (i32::try_from(index.div_euclid(12)).ok()?, index.rem_euclid(12) as u32 + 1);
        (28..=day).rev().chain([day]).find_map(|day| Day::from_ymd(year, month, day)).map(|day| i64::from(day.days()))
    });
    held(results.iter().copied(), Reason::Overflow, bad)
}

/// The least or greatest of all, unknown where one is.
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
    super::column::from_values(values, repr)
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

pub(crate) fn concat<'a>(inputs: &[&Column<'a>], rows: usize) -> Texts<'a> {
    let row = |row: usize| {
        let texts = inputs.iter().filter_map(|input| Some(input.texts()?.get(input.at(row))));
        Cow::Owned(texts.collect::<String>())
    };
    Texts::Made((0..rows).map(row).collect())
}

/// Dates, times and durations as ISO 8601 says, a number by its shortest digits.
pub(crate) fn to_text<'a>(input: &Column<'a>, unit: Unit) -> Texts<'a> {
    let iso = |value: Value| unit.iso(&value).map_or(Cow::Borrowed(""), Cow::Owned);
    Texts::Made(match &input.data {
        Data::Int(values) if unit.is_iso() => values.iter().map(|value| iso(Value::Int(*value))).collect(),
        Data::Float(values) if unit.is_iso() => values.iter().map(|value| iso(Value::Float(*value))).collect(),
        Data::Int(values) => values.iter().map(|value| Cow::Owned(value.to_string())).collect(),
        // Nobody wants to read -0.
        Data::Float(values) => values.iter().map(|value| Cow::Owned((value + 0.0).to_string())).collect(),
        Data::Boolean(values) => {
            (0..values.len()).map(|row| Cow::Borrowed(if values.get(row) { "true" } else { "false" })).collect()
        }
        Data::Text(texts) => return texts.clone(),
        Data::List(_) => Vec::new(),
    })
}

/// By a library that says the same on every machine, as the standard one does not.
pub(crate) fn power(base: &Column, exponent: &Column, bad: &mut Bad) -> Few<f64> {
    let values = zip(base.floats(), exponent.floats(), libm::pow);
    let failed = values.iter().enumerate().filter(|(_, value)| !value.is_finite());
    bad.extend(failed.map(|(row, _)| (row, Reason::Overflow)));
    values
}

/// Whether a list holds a value.
pub(crate) fn contains(list: &Column, value: &Column, rows: usize) -> Bits {
    let holds = |row| match (list.lists().get(list.at(row)), value.value(row)) {
        (Some(list), Ok(value)) => list.iter().any(|item| compare(item, &value) == Some(std::cmp::Ordering::Equal)),
        _ => false,
    };
    Bits::of(rows, holds)
}
