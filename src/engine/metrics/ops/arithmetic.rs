//! Arithmetic, comparisons and conversions of columns, row by row. Knows neither grains nor statements. A row that
//! cannot be computed is added to `failures` with its reason.

use std::cmp::Ordering;

use crate::base::date::{Day, Zone};
use crate::base::rational::{Rational, Rounding, rounded_quotient};
use crate::base::time;
use crate::engine::metrics::column::{Bits, Data, Few, Reason, ValueColumn, collect_few};
use crate::rules::graph::{Approximate, DatePart, Elapsed, LocalPart};
use crate::rules::program::{Value, compare_values};
use crate::rules::{Binary, Repr};

/// Rows that could not be computed although their inputs were known.
pub(crate) type Failures = Vec<(usize, Reason)>;

/// Applies `f` to every pair. A side with one value serves every row.
#[inline]
fn zip_each<A, B, T>(left: &[A], right: &[B], mut f: impl FnMut(&A, &B) -> T) -> Few<T> {
    match (left, right) {
        ([one], right) => collect_few(right.iter().map(|other| f(one, other))),
        (left, [other]) => collect_few(left.iter().map(|one| f(one, other))),
        (left, right) => collect_few(left.iter().zip(right).map(|(one, other)| f(one, other))),
    }
}

#[inline]
fn zip<A: Copy, B: Copy, T>(left: &[A], right: &[B], mut f: impl FnMut(A, B) -> T) -> Few<T> {
    zip_each(left, right, |one, other| f(*one, *other))
}

/// As [`zip`], for truth values.
#[inline]
fn zip_bits<A: Copy, B: Copy>(left: &[A], right: &[B], f: impl Fn(A, B) -> bool) -> Bits {
    match (left, right) {
        ([one], right) => Bits::from_values(right, |other| f(*one, other)),
        (left, [other]) => Bits::from_values(left, |one| f(one, *other)),
        (left, right) => Bits::from_pairs(left, right, f),
    }
}

pub(crate) fn compute_arithmetic<'a>(
    op: Binary,
    left: &ValueColumn,
    right: &ValueColumn,
    failures: &mut Failures,
) -> Data<'a> {
    match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) if op != Binary::Divide => Data::Int(ints(op, a, b, failures).into()),
        (Data::Float(a), Data::Float(b)) => Data::Float(floats(op, a, b, failures)),
        _ => Data::Rational(rationals(op, left, right, failures)),
    }
}

fn rationals(op: Binary, left: &ValueColumn, right: &ValueColumn, failures: &mut Failures) -> Few<Rational> {
    let result = |left: &Rational, right: &Rational| match op {
        Binary::Add => left.plus(right).ok_or(Reason::Overflow),
        Binary::Subtract => left.minus(right).ok_or(Reason::Overflow),
        Binary::Multiply => left.times(right).ok_or(Reason::Overflow),
        _ if right.signum() == 0 => Err(Reason::ZeroDenominator),
        Binary::Divide => left.divided_by(right).ok_or(Reason::Overflow),
        _ => left.remainder(right).ok_or(Reason::Overflow),
    };
    let mut row = 0;
    zip_numbers(left, right, |left, right| {
        let value = result(left, right).unwrap_or_else(|reason| {
            failures.push((row, reason));
            Rational::ZERO
        });
        row += 1;
        value
    })
}

/// As [`zip_each`], for exact numbers of any representation, without copying integers first.
#[inline]
fn zip_numbers<T>(left: &ValueColumn, right: &ValueColumn, mut f: impl FnMut(&Rational, &Rational) -> T) -> Few<T> {
    match (&left.data, &right.data) {
        (Data::Int(left), Data::Int(right)) => zip(left, right, |left, right| f(&left.into(), &right.into())),
        (Data::Int(left), _) => zip_each(left, &right.rationals(), |left, right| f(&Rational::from(*left), right)),
        (_, Data::Int(right)) => zip_each(&left.rationals(), right, |left, right| f(left, &Rational::from(*right))),
        _ => zip_each(&left.rationals(), &right.rationals(), f),
    }
}

/// The values; a failed row becomes zero, and its reason goes to `failures`.
fn rationals_or_failures(results: Few<Result<Rational, Reason>>, failures: &mut Failures) -> Few<Rational> {
    let failed = results.iter().enumerate().filter_map(|(row, result)| Some((row, *result.as_ref().err()?)));
    failures.extend(failed);
    collect_few(results.into_iter().map(Result::unwrap_or_default))
}

/// Integers stay exact. An approximate number becomes the shortest decimal that reads back as it.
pub(crate) fn to_rational<'a>(input: &ValueColumn) -> Data<'a> {
    Data::Rational(match &input.data {
        // The slot of an unknown value may not be a number.
        Data::Float(values) => collect_few(values.iter().map(|value| Rational::from_f64(*value).unwrap_or_default())),
        _ => collect_few(input.rationals().iter().cloned()),
    })
}

/// The nearest doubles.
pub(crate) fn to_float<'a>(input: &ValueColumn) -> Data<'a> {
    Data::Float(match &input.data {
        Data::Int(values) => collect_few(values.iter().map(|value| *value as f64)),
        Data::Decimals(values) => values.clone(),
        _ => collect_few(input.rationals().iter().map(Rational::to_f64)),
    })
}

fn ints(op: Binary, left: &[i64], right: &[i64], failures: &mut Failures) -> Few<i64> {
    match op {
        Binary::Add => checked(left, right, Reason::Overflow, failures, i64::overflowing_add),
        Binary::Subtract => checked(left, right, Reason::Overflow, failures, i64::overflowing_sub),
        Binary::Multiply => checked(left, right, Reason::Overflow, failures, i64::overflowing_mul),
        // The remainder by -1 is 0, even for the least integer, whose quotient overflows.
        _ => checked(left, right, Reason::ZeroDenominator, failures, |left, right| match right {
            0 => (0, true),
            -1 => (0, false),
            right => (left % right, false),
        }),
    }
}

/// The result of every pair; 0 where `f` reports a failure.
#[inline]
fn checked(
    left: &[i64],
    right: &[i64],
    reason: Reason,
    failures: &mut Failures,
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
            failures.push((row, reason));
        }
    }
    values
}

fn ints_or_failures<'a>(
    results: impl Iterator<Item = Option<i64>>,
    reason: Reason,
    failures: &mut Failures,
) -> Data<'a> {
    let results = collect_few(results);
    failures.extend(results.iter().enumerate().filter(|(_, value)| value.is_none()).map(|(row, _)| (row, reason)));
    Data::Int(results.iter().map(|value| value.unwrap_or(0)).collect())
}

fn floats(op: Binary, left: &[f64], right: &[f64], failures: &mut Failures) -> Few<f64> {
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
        failures.push((row, reason));
    }
    values
}

pub(crate) fn compare_columns<'a>(op: Binary, left: &ValueColumn, right: &ValueColumn, rows: usize) -> Data<'a> {
    Data::Boolean(match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) => compare_each(op, a, b),
        // Doubles are ordered as their shortest decimals.
        (Data::Float(a), Data::Float(b)) | (Data::Decimals(a), Data::Decimals(b)) => compare_each(op, a, b),
        (Data::Int(a), Data::Rational(one)) if one.len() == 1 => compare_ints_to(op, a, &one[0]),
        (Data::Rational(one), Data::Int(b)) if one.len() == 1 => compare_ints_to(with_sides_swapped(op), b, &one[0]),
        (Data::Decimals(a), Data::Rational(one)) if one.len() == 1 => compare_decimals_to(op, a, &one[0]),
        (Data::Rational(one), Data::Decimals(b)) if one.len() == 1 => {
            compare_decimals_to(with_sides_swapped(op), b, &one[0])
        }
        (Data::Boolean(a), Data::Boolean(b)) => {
            Bits::from_fn(rows, |row| compares(op, &a.get(left.at(row)), &b.get(right.at(row))))
        }
        (Data::Text(texts), Data::Text(one)) if one.len() == 1 => texts.bits(|text| compares(op, text, one.get(0))),
        (Data::Text(one), Data::Text(texts)) if one.len() == 1 => texts.bits(|text| compares(op, one.get(0), text)),
        (Data::Text(a), Data::Text(b)) => {
            Bits::from_fn(rows, |row| compares(op, a.get(left.at(row)), b.get(right.at(row))))
        }
        (
            Data::Int(_) | Data::Rational(_) | Data::Decimals(_),
            Data::Int(_) | Data::Rational(_) | Data::Decimals(_),
        ) => compare_exactly(op, left, right),
        _ => Bits::all(rows, false),
    })
}

/// The comparison that holds with its sides swapped.
fn with_sides_swapped(op: Binary) -> Binary {
    match op {
        Binary::Less => Binary::Greater,
        Binary::LessEqual => Binary::GreaterEqual,
        Binary::Greater => Binary::Less,
        Binary::GreaterEqual => Binary::LessEqual,
        op => op,
    }
}

/// Compares decimals, stored as doubles, with one number. Uses the double nearest to the number, and the side of the
/// number that the double is on.
fn compare_decimals_to(op: Binary, values: &[f64], limit: &Rational) -> Bits {
    let nearest = limit.to_f64();
    let side = Rational::from_f64(nearest).map_or(Ordering::Equal, |decimal| decimal.cmp(limit));
    let op = match (op, side) {
        (Binary::Less | Binary::LessEqual, Ordering::Less) => Binary::LessEqual,
        (Binary::Less | Binary::LessEqual, Ordering::Greater) => Binary::Less,
        (Binary::Greater | Binary::GreaterEqual, Ordering::Greater) => Binary::GreaterEqual,
        (Binary::Greater | Binary::GreaterEqual, Ordering::Less) => Binary::Greater,
        (Binary::Equal, Ordering::Less | Ordering::Greater) => return Bits::all(values.len(), false),
        (Binary::NotEqual, Ordering::Less | Ordering::Greater) => return Bits::all(values.len(), true),
        (op, _) => op,
    };
    compare_each(op, values, &[nearest])
}

/// Compares integers with one number, by the nearest integer on the side that matters.
fn compare_ints_to(op: Binary, values: &[i64], limit: &Rational) -> Bits {
    let (op, side) = match op {
        Binary::Less => (op, Rounding::Up),
        Binary::LessEqual => (op, Rounding::Down),
        Binary::Greater => (op, Rounding::Down),
        Binary::GreaterEqual => (op, Rounding::Up),
        _ if limit.is_whole() => (op, Rounding::Down),
        // No integer equals it.
        op => return Bits::all(values.len(), op == Binary::NotEqual),
    };
    let holds_beyond_all = match op {
        Binary::Less | Binary::LessEqual => limit.signum() > 0,
        Binary::Greater | Binary::GreaterEqual => limit.signum() < 0,
        op => op == Binary::NotEqual,
    };
    match limit.rounded_to_i64(side) {
        Some(limit) => compare_each(op, values, &[limit]),
        None => Bits::all(values.len(), holds_beyond_all),
    }
}

fn compare_exactly(op: Binary, left: &ValueColumn, right: &ValueColumn) -> Bits {
    let truths = |orders: Few<bool>| Bits::from_values(&orders, |holds| holds);
    match op {
        Binary::Equal => truths(zip_numbers(left, right, |a, b| a == b)),
        Binary::NotEqual => truths(zip_numbers(left, right, |a, b| a != b)),
        Binary::Less => truths(zip_numbers(left, right, |a, b| a < b)),
        Binary::LessEqual => truths(zip_numbers(left, right, |a, b| a <= b)),
        Binary::Greater => truths(zip_numbers(left, right, |a, b| a > b)),
        _ => truths(zip_numbers(left, right, |a, b| a >= b)),
    }
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

/// One loop per operator, without a branch inside.
fn compare_each<T: Copy + PartialOrd>(op: Binary, left: &[T], right: &[T]) -> Bits {
    match op {
        Binary::Equal => zip_bits(left, right, |a, b| a == b),
        Binary::NotEqual => zip_bits(left, right, |a, b| a != b),
        Binary::Less => zip_bits(left, right, |a, b| a < b),
        Binary::LessEqual => zip_bits(left, right, |a, b| a <= b),
        Binary::Greater => zip_bits(left, right, |a, b| a > b),
        _ => zip_bits(left, right, |a, b| a >= b),
    }
}

pub(crate) fn negate_column<'a>(input: &ValueColumn, failures: &mut Failures) -> Data<'a> {
    match &input.data {
        Data::Int(values) => ints_or_failures(values.iter().map(|v| v.checked_neg()), Reason::Overflow, failures),
        Data::Float(values) => Data::Float(collect_few(values.iter().map(|value| -value))),
        _ => Data::Rational(collect_few(input.rationals().iter().map(Rational::negated))),
    }
}

pub(crate) fn absolute_column<'a>(input: &ValueColumn, failures: &mut Failures) -> Data<'a> {
    match &input.data {
        Data::Int(values) => ints_or_failures(values.iter().map(|v| v.checked_abs()), Reason::Overflow, failures),
        Data::Float(values) => Data::Float(collect_few(values.iter().map(|value| value.abs()))),
        _ => Data::Rational(collect_few(input.rationals().iter().map(Rational::absolute))),
    }
}

/// Rounds to a multiple of the step. A result that must be an integer, such as money, is rounded again to the same
/// side.
pub(crate) fn round_to_step<'a>(
    how: Rounding,
    value: &ValueColumn,
    step: &ValueColumn,
    repr: Repr,
    failures: &mut Failures,
) -> Data<'a> {
    if let (Data::Int(values), Data::Int(steps)) = (&value.data, &step.data) {
        let rounded = zip(values, steps, |value, step| round_int(how, value, step));
        let failed = rounded.iter().enumerate().filter_map(|(row, result)| result.err().map(|reason| (row, reason)));
        failures.extend(failed);
        return Data::Int(rounded.iter().map(|result| result.unwrap_or(0)).collect());
    }
    let (values, steps) = (value.rationals(), step.rationals());
    let rounded = zip_each(&values, &steps, |value, step| match step.signum() {
        ..=0 => Err(Reason::ZeroDenominator),
        _ => value.rounded_to(how, step).ok_or(Reason::Overflow),
    });
    if repr != Repr::Int {
        return Data::Rational(rationals_or_failures(rounded, failures));
    }
    let whole = |result: &Result<Rational, Reason>| {
        result.as_ref().map_err(|reason| *reason).and_then(|value| value.rounded_to_i64(how).ok_or(Reason::Overflow))
    };
    let whole = collect_few(rounded.iter().map(whole));
    failures.extend(whole.iter().enumerate().filter_map(|(row, result)| Some((row, result.err()?))));
    Data::Int(whole.iter().map(|result| result.unwrap_or(0)).collect())
}

fn round_int(how: Rounding, value: i64, step: i64) -> Result<i64, Reason> {
    if step <= 0 {
        return Err(Reason::ZeroDenominator);
    }
    let (value, step) = (i128::from(value), i128::from(step));
    i64::try_from(rounded_quotient(value, step, how) * step).map_err(|_| Reason::Overflow)
}

pub(crate) fn date_part<'a>(part: DatePart, input: &ValueColumn, failures: &mut Failures) -> Data<'a> {
    let value = |days: i64| {
        let day = i32::try_from(days).ok().and_then(Day::checked_from_days)?;
        let (year, month, of_month) = day.ymd();
        Some(match part {
            DatePart::Year => i64::from(year),
            DatePart::Month => i64::from(month),
            DatePart::Day => i64::from(of_month),
            DatePart::Weekday => (i64::from(day.days()) + 3).rem_euclid(7) + 1,
            DatePart::DayOfYear => i64::from(day.days() - Day::from_ymd(year, 1, 1)?.days() + 1),
            DatePart::MonthStart => i64::from(day.month_start().days()),
        })
    };
    // Records are sorted by day: most have the day of the previous record.
    let mut before = None;
    let parts = input.ints().iter().map(|days| match before {
        Some((known, part)) if known == *days => part,
        _ => {
            let part = value(*days);
            before = Some((*days, part));
            part
        }
    });
    ints_or_failures(parts, Reason::Overflow, failures)
}

/// The local day or time of a timestamp. A day outside of the calendar is caught by the check of units.
pub(crate) fn local_day_or_time<'a>(part: LocalPart, input: &ValueColumn, zone: &Zone) -> Data<'a> {
    let value = |moment: &i64| {
        let local = moment.saturating_add(1_000 * i64::from(zone.offset_seconds(moment.div_euclid(1_000))));
        match part {
            LocalPart::Day => local.div_euclid(time::DAY),
            LocalPart::Time => local.rem_euclid(time::DAY),
        }
    };
    Data::Int(input.ints().iter().map(value).collect())
}

/// The same day `months` later, or the last day of a shorter month.
pub(crate) fn add_months<'a>(date: &ValueColumn, months: &ValueColumn, failures: &mut Failures) -> Data<'a> {
    let results = zip(date.ints(), months.ints(), |date, months| {
        let (year, month, day) = Day::checked_from_days(i32::try_from(date).ok()?)?.ymd();
        let index = i64::from(year).checked_mul(12)?.checked_add(i64::from(month) - 1)?.checked_add(months)?;
        let (year, month) = (i32::try_from(index.div_euclid(12)).ok()?, index.rem_euclid(12) as u32 + 1);
        (28..=day).rev().chain([day]).find_map(|day| Day::from_ymd(year, month, day)).map(|day| i64::from(day.days()))
    });
    ints_or_failures(results.iter().copied(), Reason::Overflow, failures)
}

/// The full months or years from one date to another, negative if the other is earlier. A month is full on the day of
/// the month that it began on.
pub(crate) fn elapsed_full_periods<'a>(
    elapsed: Elapsed,
    from: &ValueColumn,
    to: &ValueColumn,
    failures: &mut Failures,
) -> Data<'a> {
    let results = zip(from.ints(), to.ints(), |from, to| {
        let day = |days: i64| Some(Day::checked_from_days(i32::try_from(days).ok()?)?.ymd());
        let ((from_year, from_month, from_day), (to_year, to_month, to_day)) = (day(from)?, day(to)?);
        let months = 12 * i64::from(to_year - from_year) + i64::from(to_month) - i64::from(from_month);
        let full = match months.signum() {
            1 if to_day < from_day => months - 1,
            -1 if to_day > from_day => months + 1,
            _ => months,
        };
        Some(if elapsed == Elapsed::Years { full / 12 } else { full })
    });
    ints_or_failures(results.iter().copied(), Reason::Overflow, failures)
}

/// Joins values and the items of lists into one list.
pub(crate) fn list_of(inputs: &[&ValueColumn], rows: usize) -> Vec<Vec<Value>> {
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

/// Exact for an integer exponent. Otherwise uses libm, which gives the same result on every machine, unlike the
/// standard library.
pub(crate) fn raise_to_power<'a>(base: &ValueColumn, exponent: &ValueColumn, failures: &mut Failures) -> Data<'a> {
    if let Data::Int(exponents) = &exponent.data {
        let results = zip_each(&base.rationals(), exponents, |base, exponent| match base.signum() {
            0 if *exponent < 0 => Err(Reason::ZeroDenominator),
            _ => base.power(*exponent).ok_or(Reason::Overflow),
        });
        return Data::Rational(rationals_or_failures(results, failures));
    }
    let values = zip(base.floats(), exponent.floats(), libm::pow);
    let failed = values.iter().enumerate().filter(|(_, value)| !value.is_finite());
    failures.extend(failed.map(|(row, _)| (row, Reason::Overflow)));
    Data::Float(values)
}

/// By libm, as [`raise_to_power`]; a square root is the nearest double by the standard of floats.
pub(crate) fn apply_libm_function<'a>(
    function: Approximate,
    number: &ValueColumn,
    failures: &mut Failures,
) -> Data<'a> {
    let value = |row: usize, number: f64, failures: &mut Failures| {
        let value = match function {
            Approximate::Exp => libm::exp(number),
            Approximate::Ln if number > 0.0 => libm::log(number),
            Approximate::Sqrt if number >= 0.0 => number.sqrt(),
            Approximate::Ln | Approximate::Sqrt => {
                failures.push((row, Reason::NoValue));
                return 0.0;
            }
        };
        if !value.is_finite() {
            failures.push((row, Reason::Overflow));
        }
        value
    };
    Data::Float(collect_few(number.floats().iter().enumerate().map(|(row, number)| value(row, *number, failures))))
}

/// Whether a list contains a value.
pub(crate) fn list_contains_value(list: &ValueColumn, value: &ValueColumn, rows: usize) -> Bits {
    let holds = |row| match (list.lists().get(list.at(row)), value.value(row)) {
        (Some(list), Ok(value)) => list.iter().any(|item| compare_values(item, &value) == Some(Ordering::Equal)),
        _ => false,
    };
    Bits::from_fn(rows, holds)
}

#[cfg(test)]
mod tests {
    use super::{Binary, compare_columns};
    use crate::base::rational::Rational;
    use crate::engine::metrics::column::{Data, ValueColumn, collect_few};

    const OPS: [Binary; 6] =
        [Binary::Equal, Binary::NotEqual, Binary::Less, Binary::LessEqual, Binary::Greater, Binary::GreaterEqual];

    fn truths(op: Binary, left: &Data<'static>, right: &Data<'static>) -> Vec<bool> {
        let (left, right) = (ValueColumn::known(left.clone()), ValueColumn::known(right.clone()));
        let rows = left.len().max(right.len());
        let Data::Boolean(truths) = compare_columns(op, &left, &right, rows) else { panic!("no truths") };
        (0..rows).map(|row| truths.get(row)).collect()
    }

    /// Every representation of numbers compares as fractions do.
    #[test]
    fn every_way_to_hold_a_number_compares_alike() {
        let whole = [i64::MIN, -3, -1, 0, 1, 2, i64::MAX];
        let doubles = [-1e300, -0.1, 0.0, 0.1, 0.3, 0.300_000_000_000_000_04, 1.0, 1e22];
        let limits = [
            "0",
            "0.1",
            "0.3",
            "0.1000000000000000055511151231257827",
            "0.09999999999999999999",
            "-1.5",
            "1",
            "1e22",
            "10000000000000000000001",
            "9223372036854775807.5",
            "-1e40",
            "1e40",
        ];
        let ints = Data::Int(whole.into_iter().collect());
        let decimals = Data::Decimals(collect_few(doubles.into_iter()));
        for limit in limits {
            let limit = Data::Rational(collect_few([Rational::parse(limit).unwrap()].into_iter()));
            for held in [&ints, &decimals] {
                let plain = Data::Rational(collect_few(ValueColumn::known(held.clone()).rationals().iter().cloned()));
                for op in OPS {
                    assert_eq!(truths(op, held, &limit), truths(op, &plain, &limit), "{op:?} {limit:?}");
                    assert_eq!(truths(op, &limit, held), truths(op, &limit, &plain), "{op:?} {limit:?}");
                }
            }
        }
    }
}
