//! What a policy reads off its metrics: points of the score, the row of a table, the principal of an instalment.
//! One statement at a time; an unknown never becomes a pass.

use super::column::{Column, from_values};
use super::reason::Reason;
use crate::rules::Repr;
use crate::rules::program::{Bin, DecisionTable, Hit, ScoreItem, Value};
use crate::words::pricing::{Method, Rate, principal_for};

/// The bin that holds a value: the first. An item with a bin for `unknown` says what an unknown gains; without one an unknown
/// has no bin, and that is said by the error.
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

/// Points of one item: those of its bin.
pub(crate) fn points<'a>(item: &ScoreItem, index: usize, on: &Column, rows: usize) -> Column<'a> {
    let values = (0..rows).map(|row| {
        let value = on.value(row);
        match bin(item, value.as_ref().ok()) {
            Ok(Some(bin)) => Ok(Value::Float(item.bins[bin].points)),
            Ok(None) => Err(Reason::NoBin(index as u16)),
            Err(()) => Err(value.err().unwrap_or_default()),
        }
    });
    from_values(values.collect(), Repr::Float)
}

/// The base and the points of all items.
pub(crate) fn score<'a>(base: f64, items: &[&Column], rows: usize) -> Column<'a> {
    let values = (0..rows).map(|row| {
        let mut sum = base;
        for item in items {
            sum += item.value(row).map(|points| if let Value::Float(points) = points { points } else { 0.0 })?;
        }
        Ok(Value::Float(sum))
    });
    from_values(values.collect(), Repr::Float)
}

/// The index of the row that counts.
pub(crate) fn hit<'a>(table: &DecisionTable, index: usize, inputs: &[&Column], rows: usize) -> Column<'a> {
    let column = |index: usize| table.rows.iter().any(|row| row.tests[index].expects_unknown());
    let expected: Vec<bool> = (0..inputs.len()).map(column).collect();
    let values = (0..rows).map(|row| {
        let values: Vec<Result<Value, Reason>> = inputs.iter().map(|input| input.value(row)).collect();
        find(table, index, &values, &expected).map(|hit| Value::Int(hit as i64))
    });
    from_values(values.collect(), Repr::Int)
}

/// A row whose cells cannot all be decided makes the table unknown, unless a row before it hit: what is not known must not
/// fall through to a row that was meant for somebody else. In a column that is `expected` to be unknown, because some cell
/// of it says so, an unknown fits those cells and `-`, and no other.
fn find(
    table: &DecisionTable,
    index: usize,
    values: &[Result<Value, Reason>],
    expected: &[bool],
) -> Result<usize, Reason> {
    let mut found: Option<usize> = None;
    for (number, row) in table.rows.iter().enumerate() {
        let mut matches = Ok(true);
        for ((test, value), expected) in row.tests.iter().zip(values).zip(expected) {
            match test.passes(value.as_ref().ok()).or(expected.then_some(false)) {
                Some(true) => {}
                Some(false) => {
                    matches = Ok(false);
                    break;
                }
                // Of several that are unknown the first says why.
                None if matches.is_ok() => matches = Err(value.as_ref().err().copied().unwrap_or_default()),
                None => {}
            }
        }
        let matches = match (matches, found) {
            (Err(_), Some(_)) => false,
            (matches, _) => matches?,
        };
        if !matches {
            continue;
        }
        match (table.hit, found) {
            (Hit::First, _) => return Ok(number),
            (_, None) => found = Some(number),
            (Hit::Any, Some(first)) if table.rows[first].values == row.values => {}
            _ => return Err(Reason::ManyRows(index as u16)),
        }
    }
    found.ok_or(Reason::NoRow(index as u16))
}

/// One output of the row that hit.
pub(crate) fn output<'a>(table: &DecisionTable, column: usize, hit: &Column, rows: usize, repr: Repr) -> Column<'a> {
    let values = (0..rows).map(|row| match hit.value(row)? {
        Value::Int(number) => Ok(table.rows[number as usize].values[column].clone()),
        _ => Err(Reason::NoValue),
    });
    from_values(values.collect(), repr)
}

/// Unknown with fewer full months than asked for.
pub(crate) fn needs_months<'a>(months: u16, full: &Column, value: &Column, rows: usize, repr: Repr) -> Column<'a> {
    let values = (0..rows).map(|row| match full.value(row)? {
        Value::Int(full) if full >= i64::from(months) => value.value(row),
        _ => Err(Reason::NeedsMonths(months)),
    });
    from_values(values.collect(), repr)
}

/// The greatest principal whose instalment is affordable.
pub(crate) fn principal<'a>(method: Method, inputs: &[&Column], rows: usize) -> Column<'a> {
    let number = |column: &Column, row| match column.value(row)? {
        Value::Float(value) => Ok(value),
        Value::Int(value) => Ok(value as f64),
        _ => Err(Reason::NoValue),
    };
    let values = (0..rows).map(|row| {
        let (instalment, rate, count) = (number(inputs[0], row)?, number(inputs[1], row)?, number(inputs[2], row)?);
        let rate = Rate::rounded_from_f64(rate).map_err(|_| Reason::NoPrice)?;
        if count.fract() != 0.0 || !(1.0..=600.0).contains(&count) || instalment.abs() > 9.0e18 {
            return Err(Reason::NoPrice);
        }
        let instalment = (instalment.floor() as i64).max(0);
        principal_for(instalment, rate, count as u32, method).map(Value::Int).map_err(|_| Reason::NoPrice)
    });
    from_values(values.collect(), Repr::Int)
}
