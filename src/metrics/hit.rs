//! Decision tables over statements: the rows that fit, and what comes out of them. An unknown never picks a row that was
//! meant for somebody else.

use std::cmp::Ordering;

use super::column::{Column, from_values};
use super::reason::Reason;
use crate::rules::Repr;
use crate::rules::program::{Cell, Collected, DecisionTable, Hit, Row, Value, compare};

/// The rows that count, by their index; one past the last stands for `otherwise`. A list of them where several may count.
pub(crate) fn hit<'a>(table: &DecisionTable, index: usize, inputs: &[&Column], rows: usize) -> Column<'a> {
    let values = (0..rows).map(|row| {
        let values: Vec<Result<Value, Reason>> = inputs.iter().map(|input| input.value(row)).collect();
        let found = find(table, index, &values)?;
        Ok(match table.hit.is_many() {
            true => Value::List(found.into_iter().map(|row| Value::Int(row as i64)).collect()),
            false => Value::Int(found.first().map_or(0, |row| *row as i64)),
        })
    });
    from_values(values.collect(), if table.hit.is_many() { Repr::List } else { Repr::Int })
}

/// The rows behind the value of a table's node.
pub(crate) fn rows_of(value: &Value) -> Vec<usize> {
    match value {
        Value::Int(row) => vec![*row as usize],
        Value::List(rows) => rows.iter().filter_map(Value::int).map(|row| row as usize).collect(),
        _ => Vec::new(),
    }
}

/// Whether a row fits. One whose cells cannot all be decided is neither in nor out, unless another cell rules it out. In a
/// column that is `expected` to be unknown, because some cell of it says so, an unknown fits those cells and `-`, and no other.
fn fits(row: &Row, values: &[Result<Value, Reason>], expected: &[bool]) -> Result<bool, Reason> {
    let mut fits = Ok(true);
    for ((test, value), expected) in row.tests.iter().zip(values).zip(expected) {
        match test.passes(value.as_ref().ok()).or(expected.then_some(false)) {
            Some(true) => {}
            Some(false) => return Ok(false),
            // Of several that are unknown the first says why.
            None if fits.is_ok() => fits = Err(value.as_ref().err().copied().unwrap_or_default()),
            None => {}
        }
    }
    fits
}

/// The rows that count by the hit policy.
pub(crate) fn find(
    table: &DecisionTable,
    index: usize,
    values: &[Result<Value, Reason>],
) -> Result<Vec<usize>, Reason> {
    let mut found: Vec<usize> = Vec::new();
    let mut look = |number: usize| match (fits(&table.rows[number], values, &table.expected), table.hit) {
        (Ok(false), _) => None,
        (Err(reason), _) => Some(Err(reason)),
        (Ok(true), Hit::First) => Some(Ok(number)),
        (Ok(true), Hit::Unique) if !found.is_empty() => Some(Err(Reason::ManyRows(index as u16))),
        (Ok(true), Hit::Any)
            if found.first().is_some_and(|first| table.rows[*first].values != table.rows[number].values) =>
        {
            Some(Err(Reason::ManyRows(index as u16)))
        }
        (Ok(true), _) => {
            found.push(number);
            None
        }
    };
    let ended = match &table.index {
        Some(rows) => {
            let known: Vec<Option<&Value>> = values.iter().map(|value| value.as_ref().ok()).collect();
            rows.rows(&known, look)
        }
        None => (0..table.rows.len()).find_map(&mut look),
    };
    if let Some(ended) = ended {
        return ended.map(|row| vec![row]);
    }
    if found.is_empty() {
        return match (&table.otherwise, table.hit.is_many()) {
            (Some(_), _) => Ok(vec![table.rows.len()]),
            (None, true) => Ok(found),
            (None, false) => Err(Reason::NoRow(index as u16)),
        };
    }
    if matches!(table.hit, Hit::Priority | Hit::OutputOrder) {
        found.sort_by_key(|row| rank(table, *row));
    }
    if !table.hit.is_many() {
        found.truncate(1);
    }
    Ok(found)
}

/// A row's place by the ranks of its outputs, the first output first.
fn rank(table: &DecisionTable, row: usize) -> Vec<usize> {
    let ranked = table.outputs.iter().zip(&table.rows[row].values).filter(|(output, _)| !output.values.is_empty());
    let place = |(output, cell): (&crate::rules::program::Output, &Cell)| match cell {
        Cell::Value(value) => output.values.iter().position(|known| known == value).unwrap_or(usize::MAX),
        Cell::Expression(..) => usize::MAX,
    };
    ranked.map(place).collect()
}

/// One output: the cell of the row that hit, or of all of them put together. `inputs` are the hit and the cells' expressions.
pub(crate) fn output<'a>(
    table: &DecisionTable,
    column: usize,
    inputs: &[&Column],
    rows: usize,
    repr: Repr,
) -> Column<'a> {
    let cell = |number: usize, row: usize| {
        let cells = table.rows.get(number).map(|row| &row.values).or(table.otherwise.as_ref());
        match cells.map(|cells| &cells[column]) {
            Some(Cell::Value(value)) => Ok(value.clone()),
            Some(Cell::Expression(_, at)) => inputs[*at].value(row),
            None => Err(Reason::NoValue),
        }
    };
    let values = (0..rows).map(|row| {
        let hits = rows_of(&inputs[0].value(row)?);
        let mut cells = hits.into_iter().map(|number| cell(number, row));
        match table.hit {
            Hit::Collect(Collected::Count) => Ok(Value::Int(cells.len() as i64)),
            Hit::Collect(Collected::Sum) => sum(cells.collect::<Result<_, _>>()?, repr),
            Hit::Collect(Collected::Min) => extreme(cells.collect::<Result<_, _>>()?, Ordering::Less),
            Hit::Collect(Collected::Max) => extreme(cells.collect::<Result<_, _>>()?, Ordering::Greater),
            hit if hit.is_list() => Ok(Value::List(cells.collect::<Result<_, _>>()?)),
            _ => cells.next().unwrap_or(Err(Reason::NoValue)),
        }
    });
    from_values(values.collect(), repr)
}

/// Zero over no rows, as every sum here.
fn sum(values: Vec<Value>, repr: Repr) -> Result<Value, Reason> {
    if repr == Repr::Int {
        // Only the whole sum must fit, not every sum on the way to it.
        let sum: i128 = values.iter().filter_map(Value::int).map(i128::from).sum();
        return i64::try_from(sum).map(Value::Int).map_err(|_| Reason::Overflow);
    }
    let sum: f64 = values.iter().filter_map(Value::float).sum();
    if sum.is_finite() { Ok(Value::Float(sum + 0.0)) } else { Err(Reason::Overflow) }
}

fn extreme(values: Vec<Value>, wanted: Ordering) -> Result<Value, Reason> {
    let better = |best: Value, value: Value| if compare(&value, &best) == Some(wanted) { value } else { best };
    values.into_iter().reduce(better).ok_or(Reason::NoValue)
}
