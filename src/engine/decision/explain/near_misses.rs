//! Rows of a table that nearly hit, and by how little they missed. Knows nothing of requirements and offers.

use super::explanation::NearMiss;
use super::numbers::Numbers;
use crate::base::rational::Rational;
use crate::engine::metrics::Reason;
use crate::engine::metrics::decision_table;
use crate::rules::program::{DecisionTable, DecisionTableRow, Test, Value};
use crate::rules::references::on_one_line;

/// The most near misses to show per table.
const NEAR_MAX: usize = 3;

/// The most rows to check closely, the nearest first.
const EXAMINED_MAX: usize = 50;

/// A row that a single cell excluded.
struct Missed {
    row: usize,
    column: usize,
    /// The nearest value that would have fitted, and its distance.
    instead: Value,
    distance: f64,
}

/// The rows that a single cell excluded, the nearest first: by the distance of the value to one that fits, then by the
/// distance of the row to the one that hit. An unknown is near to nothing.
pub(super) fn find_near_misses(numbers: &Numbers, table: &DecisionTable, index: usize, hit: &[usize]) -> Vec<NearMiss> {
    let values: Vec<_> = table.inputs.iter().map(|(_, node)| numbers.case.value(*node)).collect();
    let missed = |(number, row): (usize, &DecisionTableRow)| {
        let column = only_missed_column(row, &values)?;
        let (instead, distance) = nearest_fitting_value(&row.tests[column], values[column].as_ref().ok()?)?;
        Some(Missed { row: number, column, instead, distance })
    };
    let mut near: Vec<Missed> = table.rows.iter().enumerate().filter_map(missed).collect();
    let apart = |missed: &Missed| missed.row.abs_diff(hit.first().copied().unwrap_or_default());
    near.sort_by(|one, other| one.distance.total_cmp(&other.distance).then(apart(one).cmp(&apart(other))));
    near.truncate(EXAMINED_MAX);
    let near = near.into_iter().filter(|missed| would_count(table, index, &values, missed)).map(|missed| {
        let (text, node) = &table.inputs[missed.column];
        let (row, column) = (missed.row + 1, missed.column);
        let test = table.rows[missed.row].texts.get(column).cloned().unwrap_or_default();
        NearMiss { row, column, input: on_one_line(text), figure: numbers.figure(*node), test }
    });
    near.take(NEAR_MAX).collect()
}

/// Whether the row would have hit with the other value: another row might still come first, or hit as well.
fn would_count(table: &DecisionTable, index: usize, values: &[Result<Value, Reason>], missed: &Missed) -> bool {
    let mut values = values.to_vec();
    values[missed.column] = Ok(missed.instead.clone());
    decision_table::find_hits_by_policy(table, index, &values).is_ok_and(|found| found.contains(&missed.row))
}

/// The only cell that does not fit.
fn only_missed_column(row: &DecisionTableRow, values: &[Result<Value, Reason>]) -> Option<usize> {
    let mut failing = passing(row, values).enumerate().filter(|(_, passes)| !passes);
    let first = failing.next().map(|(column, _)| column);
    first.filter(|_| failing.next().is_none())
}

fn passing(row: &DecisionTableRow, values: &[Result<Value, Reason>]) -> impl Iterator<Item = bool> {
    row.tests.iter().zip(values).map(|(test, value)| test.passes(value.as_ref().ok()) == Some(true))
}

/// The nearest value that fits, and its distance as a share of the greater of the two; all texts are equally far.
fn nearest_fitting_value(test: &Test, value: &Value) -> Option<(Value, f64)> {
    let share = |other: &Value| match (value.float(), other.float()) {
        (Some(value), Some(other)) => (value - other).abs() / value.abs().max(other.abs()).max(f64::MIN_POSITIVE),
        _ => 1.0,
    };
    let fitting = bounds_and_neighbours(test).into_iter().filter(|other| test.passes(Some(other)) == Some(true));
    let mut fitting: Vec<(Value, f64)> = fitting.map(|other| (other.clone(), share(&other))).collect();
    fitting.sort_by(|one, other| one.1.total_cmp(&other.1));
    fitting.into_iter().next()
}

/// The bounds of a test, and the values next to them.
fn bounds_and_neighbours(test: &Test) -> Vec<Value> {
    let beside = |value: &Value| match value {
        Value::Int(end) => vec![Value::Int(end.saturating_sub(1)), value.clone(), Value::Int(end.saturating_add(1))],
        // Any value beyond an exclusive bound fits: a millionth of a millionth shows it.
        Value::Rational(end) => {
            let step = Rational::ratio(1, 1_000_000_000_000);
            let beside = |end: Option<Rational>| end.map(Value::Rational);
            let below = step.as_ref().and_then(|step| beside(end.minus(step)));
            let above = step.as_ref().and_then(|step| beside(end.plus(step)));
            below.into_iter().chain([value.clone()]).chain(above).collect()
        }
        Value::Float(end) => vec![Value::Float(end.next_down()), value.clone(), Value::Float(end.next_up())],
        Value::Boolean(_) => vec![Value::Boolean(false), Value::Boolean(true)],
        other => vec![other.clone()],
    };
    match test {
        Test::Equal(value) => beside(value),
        Test::Range(low, high) => low.iter().chain(high).flat_map(|(value, _)| beside(value)).collect(),
        Test::OneOf(tests) => tests.iter().flat_map(bounds_and_neighbours).collect(),
        Test::Not(test) => bounds_and_neighbours(test),
        Test::Anything | Test::Unknown => Vec::new(),
    }
}
