//! Boolean logic: AND, OR, CASE, COALESCE. Knows neither grains nor statements.

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::rational::Rational;
use crate::engine::metrics::column::{
    Bits, Data, Few, NAMELESS, Reason, Texts, ValueColumn, collect_few, from_values, some_unknown,
};
use crate::rules::Repr;
use crate::rules::program::Value;

/// Rows known to be true, and rows known to be false.
fn truths_and_untruths(column: &ValueColumn, rows: usize) -> (Bits, Bits) {
    let values = column.booleans();
    let values = values.spread(rows);
    match &column.valid {
        None => (values.clone().into_owned(), values.not()),
        Some(valid) => {
            let valid = valid.spread(rows);
            (valid.and(&values), valid.without(&values))
        }
    }
}

/// SQL's AND and OR: one known side may decide.
pub(crate) fn combine_truths<'a>(is_and: bool, left: &ValueColumn, right: &ValueColumn) -> ValueColumn<'a> {
    let rows = if left.len() == 1 { right.len() } else { left.len() };
    if left.valid.is_none() && right.valid.is_none() {
        let (left, right) = (left.booleans(), right.booleans());
        let (left, right) = (left.spread(rows), right.spread(rows));
        return ValueColumn::known(Data::Boolean(if is_and { left.and(&right) } else { left.or(&right) }));
    }
    let ((left_true, left_false), (right_true, right_false)) =
        (truths_and_untruths(left, rows), truths_and_untruths(right, rows));
    let (truths, untruths) = match is_and {
        true => (left_true.and(&right_true), left_false.or(&right_false)),
        false => (left_true.or(&right_true), left_false.and(&right_false)),
    };
    let valid = truths.or(&untruths);
    let mut out = ValueColumn { valid: Some(valid.clone()), ..ValueColumn::known(Data::Boolean(truths)) };
    if !left.reasons.is_empty() || !right.reasons.is_empty() {
        let reason = |row| if left.is_known(row) { right.reason(row) } else { left.reason(row) };
        out.reasons = collect_few((0..rows).map(|row| if valid.get(row) { Reason::NoValue } else { reason(row) }));
    }
    out
}

/// Whether at least `least` inputs hold; known as soon as the unknown ones cannot change it.
pub(crate) fn at_least<'a>(least: usize, inputs: &[&ValueColumn], rows: usize) -> ValueColumn<'a> {
    let values = (0..rows).map(|row| {
        let (mut hold, mut unknown, mut reason) = (0, 0, None);
        for input in inputs {
            match input.is_known(row) {
                true => hold += usize::from(input.booleans().get(input.at(row))),
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
    from_values(values, Repr::Boolean)
}

/// Whether a truth value is known to be `wanted`.
pub(crate) fn is_known_truth(wanted: bool, input: &ValueColumn) -> Bits {
    let (truths, untruths) = truths_and_untruths(input, input.len());
    if wanted { truths } else { untruths }
}

/// The first known input. With reasons, at the grain of statements: if none is known, the first input says why.
pub(crate) fn coalesce_columns<'a>(
    inputs: &[&ValueColumn<'a>],
    rows: usize,
    repr: Repr,
    with_reasons: bool,
) -> ValueColumn<'a> {
    if !with_reasons || rows > 1 {
        let known = |input: &&ValueColumn| {
            input.valid.as_ref().map_or(Bits::all(rows, true), |valid| valid.spread(rows).into_owned())
        };
        let arms: Vec<(Bits, &ValueColumn<'a>)> = inputs.iter().map(|input| (known(input), *input)).collect();
        let reason = |row| inputs[0].reason(row);
        return select_taken_values(&arms, None, rows, repr, with_reasons.then_some(&reason));
    }
    let values = (0..rows).map(|row| {
        let first = inputs[0].value(row);
        if first.is_ok() {
            return first;
        }
        inputs[1..].iter().map(|input| input.value(row)).find(Result::is_ok).unwrap_or(first)
    });
    from_values(values, repr)
}

/// CASE: the result of the first true condition. An unknown condition is not true.
pub(crate) fn choose_case_results<'a>(
    inputs: &[&ValueColumn<'a>],
    rows: usize,
    repr: Repr,
    with_reasons: bool,
) -> ValueColumn<'a> {
    if !with_reasons || rows > 1 {
        let arms: Vec<(Bits, &ValueColumn<'a>)> =
            inputs.chunks_exact(2).map(|arm| (arm[0].holds(rows).into_owned(), arm[1])).collect();
        let otherwise = inputs.chunks_exact(2).remainder().first().copied();
        let reason = |row| {
            let taken = arms.iter().find(|(takes, _)| takes.get(row)).map(|(_, column)| *column);
            taken.or(otherwise).map_or(Reason::NoValue, |column| column.reason(row))
        };
        return select_taken_values(&arms, otherwise, rows, repr, with_reasons.then_some(&reason));
    }
    let values = (0..rows).map(|row| {
        let mut arms = inputs.chunks_exact(2);
        for arm in &mut arms {
            if arm[0].is_known(row) && arm[0].booleans().get(arm[0].at(row)) {
                return arm[1].value(row);
            }
        }
        arms.remainder().first().map_or(Err(Reason::NoValue), |otherwise| otherwise.value(row))
    });
    from_values(values, repr)
}

/// For each row the value of the first arm that takes it, else of `otherwise`. At the grain of statements `reason` says
/// why a row is unknown.
fn select_taken_values<'a>(
    arms: &[(Bits, &ValueColumn<'a>)],
    otherwise: Option<&ValueColumn<'a>>,
    rows: usize,
    repr: Repr,
    reason: Option<&dyn Fn(usize) -> Reason>,
) -> ValueColumn<'a> {
    let mut left = Bits::all(rows, true);
    let mut valid = Bits::all(rows, false);
    let mut taken: Vec<(Bits, &ValueColumn<'a>)> = Vec::with_capacity(arms.len() + 1);
    for (takes, column) in arms {
        taken.push((takes.and(&left), *column));
        left = left.without(takes);
    }
    taken.extend(otherwise.map(|column| (left, column)));
    for (takes, column) in &taken {
        valid = valid.or(&match &column.valid {
            None => takes.clone(),
            Some(known) => takes.and(&known.spread(rows)),
        });
    }
    let data = match repr {
        Repr::Int => Data::Int(values(&taken, rows, |column, row| column.ints()[row]).into()),
        Repr::Rational => match reason.and_then(|_| decimals(&taken, rows)) {
            Some(decimals) => Data::Decimals(decimals.into()),
            None => Data::Rational(rationals(&taken, rows).into()),
        },
        Repr::Float => Data::Float(values(&taken, rows, |column, row| column.floats()[row]).into()),
        Repr::Boolean => {
            let truths = taken.iter().map(|(takes, column)| takes.and(&column.booleans().spread(rows)));
            Data::Boolean(truths.reduce(|all, more| all.or(&more)).unwrap_or_else(|| Bits::all(rows, false)))
        }
        Repr::Text => Data::Text(texts(&taken, rows)),
        Repr::List => Data::List(values(&taken, rows, |column, row| column.lists()[row].clone())),
    };
    let valid = some_unknown(valid);
    let reasons = match (&valid, reason) {
        (Some(valid), Some(reason)) => {
            collect_few((0..rows).map(|row| if valid.get(row) { Reason::NoValue } else { reason(row) }))
        }
        _ => Few::new(),
    };
    ValueColumn { valid, reasons, ..ValueColumn::known(data) }
}

/// The values of each column at the rows it was taken for.
fn values<'a, T: Clone + Default>(
    taken: &[(Bits, &ValueColumn<'a>)],
    rows: usize,
    value: impl Fn(&ValueColumn<'a>, usize) -> T,
) -> Vec<T> {
    let mut values = vec![T::default(); rows];
    for (takes, column) in taken.iter().filter(|(_, column)| column.len() > 0) {
        takes.ones(0..rows).for_each(|row| values[row] = value(column, column.at(row)));
    }
    values
}

/// As [`values`], if all are decimals stored as doubles, or one such number for every row.
fn decimals(taken: &[(Bits, &ValueColumn)], rows: usize) -> Option<Vec<f64>> {
    let mut values = vec![0.0; rows];
    for (takes, column) in taken {
        let one;
        let numbers = match &column.data {
            Data::Decimals(numbers) => numbers.as_slice(),
            Data::Rational(numbers) if numbers.len() == 1 => {
                one = [numbers[0].as_f64()?];
                &one
            }
            _ => return None,
        };
        takes.ones(0..rows).for_each(|row| values[row] = numbers[column.at(row)]);
    }
    Some(values)
}

/// As [`values`], for exact numbers.
fn rationals(taken: &[(Bits, &ValueColumn)], rows: usize) -> Vec<Rational> {
    let mut values = vec![Rational::ZERO; rows];
    for (takes, column) in taken.iter().filter(|(_, column)| column.len() > 0) {
        let numbers = column.rationals();
        takes.ones(0..rows).for_each(|row| values[row] = numbers[column.at(row)].clone());
    }
    values
}

/// If all texts are numbered names, the result is too.
fn texts<'a>(taken: &[(Bits, &ValueColumn<'a>)], rows: usize) -> Texts<'a> {
    let all_named = taken.iter().all(|(_, column)| matches!(column.texts(), Some(Texts::Named(..))));
    if !all_named {
        return Texts::Owned(values(taken, rows, |column, row| {
            column.texts().map_or(Cow::Borrowed(""), |texts| texts.cow(row))
        }));
    }
    let mut numbers = vec![NAMELESS; rows];
    let mut names: Vec<Cow<'a, str>> = Vec::new();
    for (takes, column) in taken {
        let Some(Texts::Named(of_column, more)) = column.texts() else { continue };
        let first = names.len() as u32;
        names.extend(more.iter().cloned());
        let number = |row| Some(of_column[row]).filter(|number| *number != NAMELESS);
        takes.ones(0..rows).for_each(|row| numbers[row] = number(column.at(row)).map_or(NAMELESS, |at| at + first));
    }
    Texts::Named(Cow::Owned(numbers), Arc::from(names))
}
