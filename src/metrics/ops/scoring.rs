//! Points of the score, the minimum of months, and the principal for an instalment. An unknown never becomes a pass.

use super::cells::{NO_TEST, Tested, firsts};
use crate::metrics::column::{Column, Data, Few, Reason, few, from_values};
use crate::rules::Repr;
use crate::rules::program::{Bin, ScoreItem, Value};
use crate::words::pricing::{MAX_INSTALMENTS, Method, Rate, principal_for};
use crate::words::rational::{Rational, Rounding};

/// The first bin that contains a value. A bin for `unknown` says what an unknown gains. Without one an unknown has no
/// bin, which is the error.
pub(crate) fn bin(item: &ScoreItem, value: Option<&Value>) -> Result<Option<usize>, ()> {
    let expected = item.bins.iter().any(|bin| bin.test.expects_unknown());
    for (index, Bin { test, .. }) in item.bins.iter().enumerate() {
        match test.passes(value) {
            Some(true) => return Ok(Some(index)),
            None if !expected => return Err(()),
            _ => {}
        }
    }
    Ok(None)
}

/// The points of one item, by its bin.
pub(crate) fn points<'a>(item: &ScoreItem, index: usize, on: &Column, rows: usize) -> Column<'a> {
    let repr = item.best().repr();
    let tested = Some(item.index.as_ref()).filter(|intervals| rows > 1 && intervals.is_exact());
    let tested = tested.and_then(|intervals| Tested::new(intervals, on));
    if let Some(tested) = tested.filter(|_| on.valid.is_none()) {
        let found = firsts(&[tested], item.bins.len(), rows);
        if !found.contains(&NO_TEST) {
            let gains = item.bins.iter().map(|bin| &bin.gain);
            return Column::known(match repr {
                Repr::Float => {
                    let gains: Vec<f64> = gains.map(|gain| gain.float().unwrap_or_default()).collect();
                    Data::Float(few(found.iter().map(|bin| gains[*bin as usize])))
                }
                _ => {
                    let gains: Vec<Rational> = gains.map(|gain| gain.rational().unwrap_or_default()).collect();
                    Data::Rational(few(found.iter().map(|bin| gains[*bin as usize].clone())))
                }
            });
        }
    }
    let values = (0..rows).map(|row| {
        let value = on.value(row);
        match bin(item, value.as_ref().ok()) {
            Ok(Some(bin)) => Ok(item.bins[bin].gain.clone()),
            Ok(None) => Err(Reason::NoBin(index as u16)),
            Err(()) => Err(value.err().unwrap_or_default()),
        }
    });
    from_values(values, repr)
}

/// The base plus the points of all items; exact, except on a scale.
pub(crate) fn score<'a>(base: &Value, items: &[&Column], rows: usize) -> Column<'a> {
    match base {
        Value::Float(base) => scaled(*base, items, rows),
        base => added(&base.rational().unwrap_or_default(), items, rows),
    }
}

fn scaled<'a>(base: f64, items: &[&Column], rows: usize) -> Column<'a> {
    if items.iter().all(|item| item.valid.is_none()) {
        let mut sums = Few::from_elem(base, rows);
        for item in items {
            let points = item.floats();
            sums.iter_mut().enumerate().for_each(|(row, sum)| *sum += points[item.at(row)]);
        }
        return Column::known(Data::Float(sums));
    }
    let values = (0..rows).map(|row| {
        let mut sum = base;
        for item in items {
            sum += item.value(row)?.float().unwrap_or_default();
        }
        Ok(Value::Float(sum))
    });
    from_values(values, Repr::Float)
}

fn added<'a>(base: &Rational, items: &[&Column], rows: usize) -> Column<'a> {
    let points: Vec<_> = items.iter().map(|item| item.rationals()).collect();
    let values = (0..rows).map(|row| {
        if let Some(unknown) = items.iter().find(|item| !item.is_known(row)) {
            return Err(unknown.reason(row));
        }
        let mut of_row = items.iter().zip(&points).map(|(item, points)| &points[item.at(row)]);
        of_row.try_fold(base.clone(), |sum, points| sum.plus(points)).ok_or(Reason::Overflow)
    });
    column_of_rationals(values.collect())
}

fn column_of_rationals<'a>(values: Vec<Result<Rational, Reason>>) -> Column<'a> {
    if values.iter().all(Result::is_ok) {
        return Column::known(Data::Rational(few(values.into_iter().map(Result::unwrap_or_default))));
    }
    from_values(values.into_iter().map(|value| value.map(Value::Rational)), Repr::Rational)
}

/// Unknown with fewer full months than `months`.
pub(crate) fn needs_months<'a>(months: u16, full: &Column, value: &Column, rows: usize, repr: Repr) -> Column<'a> {
    let values = (0..rows).map(|row| match full.value(row)? {
        Value::Int(full) if full >= i64::from(months) => value.value(row),
        _ => Err(Reason::NeedsMonths(months)),
    });
    from_values(values, repr)
}

/// The greatest principal with an affordable instalment.
pub(crate) fn principal<'a>(method: Method, inputs: &[&Column], rows: usize) -> Column<'a> {
    const INSTALMENT_MAX: i64 = 9_000_000_000_000_000_000;
    let number = |value: Value| value.rational().ok_or(Reason::NoValue);
    let values = (0..rows).map(|row| {
        let instalment = number(inputs[0].value(row)?)?.rounded(Rounding::Down);
        let (rate, count) = (number(inputs[1].value(row)?)?, number(inputs[2].value(row)?)?);
        // A negative instalment pays nothing. One beyond 64 bits has no price.
        let instalment = if instalment.signum() <= 0 { 0 } else { instalment.to_i64().ok_or(Reason::NoPrice)? };
        let rate = Rate::rounded(&rate).map_err(|_| Reason::NoPrice)?;
        let count = count.to_i64().and_then(|count| u32::try_from(count).ok());
        let count = count.filter(|count| (1..=MAX_INSTALMENTS).contains(count)).ok_or(Reason::NoPrice)?;
        if instalment > INSTALMENT_MAX {
            return Err(Reason::NoPrice);
        }
        principal_for(instalment, rate, count, method).map(Value::Int).map_err(|_| Reason::NoPrice)
    });
    from_values(values, Repr::Int)
}
