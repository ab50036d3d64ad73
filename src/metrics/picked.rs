//! Rows of columns in another order, some of them nowhere; and aggregates over groups whose rows stand apart.

use super::aggregate::Input;
use super::column::{Column, Data, from_values};
use super::groups::{Grouping, NONE};
use super::reason::Reason;
use crate::rules::Repr;
use crate::rules::program::Value;

/// The values of an aggregate for each group. A group's unknown has no reason of its own; one too large to hold marks its statement.
pub(super) fn grouped<'a>(grouping: &Grouping, input: &Input, mut failed: Vec<u32>, repr: Repr) -> Column<'a> {
    let over = |input: &Input| -> Vec<Result<Value, Reason>> {
        grouping.rows.iter().map(|rows| input.over(rows.clone())).collect()
    };
    let results = match &grouping.order {
        None => over(input),
        Some(order) => {
            let arguments: Vec<Column> = input.arguments.iter().map(|argument| gathered(argument, order)).collect();
            let mask = input.mask.as_ref().map(|mask| order.iter().map(|row| mask[*row]).collect());
            over(&Input { function: input.function, arguments: arguments.iter().collect(), mask })
        }
    };
    for (group, result) in results.iter().enumerate() {
        if *result == Err(Reason::Overflow) {
            failed.push(grouping.statement_of(group));
        }
    }
    failed.sort_unstable();
    failed.dedup();
    Column { reasons: Vec::new(), failed, ..from_values(results, repr) }
}

/// A column's rows in another order; a constant stays one.
fn gathered<'a>(column: &Column<'a>, order: &[usize]) -> Column<'a> {
    if column.len() == 1 { column.clone() } else { picked(column, order) }
}

/// The values of these rows, unknown where there is none.
pub(super) fn picked<'a>(column: &Column<'a>, source: &[usize]) -> Column<'a> {
    fn each<T: Clone + Default>(column: &Column, values: &[T], source: &[usize]) -> Vec<T> {
        source.iter().map(|row| if *row == NONE { T::default() } else { values[column.at(*row)].clone() }).collect()
    }
    let data = match &column.data {
        Data::Int(values) => Data::Int(each(column, values, source).into()),
        Data::Float(values) => Data::Float(each(column, values, source)),
        Data::Boolean(values) => Data::Boolean(each(column, values, source)),
        Data::Text(values) => Data::Text(each(column, values, source)),
        Data::List(values) => Data::List(each(column, values, source)),
    };
    let valid: Vec<bool> = source.iter().map(|row| *row != NONE && column.is_known(*row)).collect();
    let valid = valid.contains(&false).then_some(valid);
    let reasons = match column.reasons.is_empty() || valid.is_none() {
        true => Vec::new(),
        false => each(column, &column.reasons, source),
    };
    Column { data, valid, reasons, failed: column.failed.clone() }
}
