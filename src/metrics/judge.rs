//! What a policy reads off its metrics: points of the score, the principal of an instalment.
//! One statement at a time; an unknown never becomes a pass.

use super::cells::{NONE, Tested, firsts};
use super::column::{Column, Data, from_values};
use super::reason::Reason;
use super::values::{Few, few};
use crate::rules::Repr;
use crate::rules::program::{Bin, ScoreItem, Value};
use crate::words::pricing::{MAX_INSTALMENTS, Method, Rate, principal_for};

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
    let tested = item.index.as_deref().filter(|stretches| rows > 1 && stretches.is_exact());
    let tested = tested.and_then(|stretches| Tested::new(stretches, on));
    if let Some(tested) = tested.filter(|_| on.valid.is_none()) {
        let found = firsts(&[tested], item.bins.len(), rows);
        if !found.contains(&NONE) {
            let gains: Vec<f64> = (0..item.bins.len()).map(|bin| item.gain(bin)).collect();
            return Column::known(Data::Float(few(found.iter().map(|bin| gains[*bin as usize]))));
        }
    }
    let values = (0..rows).map(|row| {
        let value = on.value(row);
        match bin(item, value.as_ref().ok()) {
            Ok(Some(bin)) => Ok(Value::Float(item.gain(bin))),
            Ok(None) => Err(Reason::NoBin(index as u16)),
            Err(()) => Err(value.err().unwrap_or_default()),
        }
    });
    from_values(values, Repr::Float)
}

/// The base and the points of all items.
pub(crate) fn score<'a>(base: f64, items: &[&Column], rows: usize) -> Column<'a> {
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
            sum += item.value(row).map(|points| if let Value::Float(points) = points { points } else { 0.0 })?;
        }
        Ok(Value::Float(sum))
    });
    from_values(values, Repr::Float)
}

/// Unknown with fewer full months than asked for.
pub(crate) fn needs_months<'a>(months: u16, full: &Column, value: &Column, rows: usize, repr: Repr) -> Column<'a> {
    let values = (0..rows).map(|row| match full.value(row)? {
        Value::Int(full) if full >= i64::from(months) => value.value(row),
        _ => Err(Reason::NeedsMonths(months)),
    });
    from_values(values, repr)
}

/// The greatest principal whose instalment is affordable.
pub(crate) fn principal<'a>(method: Method, inputs: &[&Column], rows: usize) -> Column<'a> {
    const MOST: i64 = 9_000_000_000_000_000_000;
    let float = |value| match value {
        Value::Float(value) => Ok(value),
        Value::Int(value) => Ok(value as f64),
        _ => Err(Reason::NoValue),
    };
    let values = (0..rows).map(|row| {
        // What comes as whole minor units stays what it is.
        let instalment = match inputs[0].value(row)? {
            Value::Int(minor) => minor,
            // Beyond the most that there is it is as much as the most.
            other => float(other)?.floor() as i64,
        };
        let (rate, count) = (float(inputs[1].value(row)?)?, float(inputs[2].value(row)?)?);
        let rate = Rate::rounded_from_f64(rate).map_err(|_| Reason::NoPrice)?;
        if count.fract() != 0.0 || !(1.0..=f64::from(MAX_INSTALMENTS)).contains(&count) || instalment > MOST {
            return Err(Reason::NoPrice);
        }
        principal_for(instalment.max(0), rate, count as u32, method).map(Value::Int).map_err(|_| Reason::NoPrice)
    });
    from_values(values, Repr::Int)
}
