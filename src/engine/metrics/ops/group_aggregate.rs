//! Aggregates over groups: one value per group. Scattered rows of a group are collected first, only those that count.

use super::aggregate::{Input, Slice};
use crate::engine::metrics::column::{Bits, Data, Few, NO_ROW, Reason, RowIndices, ValueColumn, from_values};
use crate::engine::metrics::source::Grouping;
use crate::rules::Repr;
use crate::rules::graph::Aggregate;
use crate::rules::program::Value;

/// An aggregate's value for each group. A group's unknown has no reason; an overflow marks its statement.
pub(in crate::engine::metrics) fn aggregate_groups<'a>(
    grouping: &Grouping,
    group_of_rows: &RowIndices,
    input: &Input,
    mut failed: Vec<u32>,
    repr: Repr,
) -> ValueColumn<'a> {
    if grouping.order.is_some()
        && let Some(data) = count_or_sum(grouping.len(), &group_of_rows.rows, input)
    {
        return ValueColumn { failed, ..ValueColumn::known(data) };
    }
    let results: Vec<Result<Value, Reason>> = match &grouping.order {
        None => grouping.rows.iter().map(|rows| input.over(&Slice::Range(rows.clone()))).collect(),
        Some(_) => {
            let (starts, rows) = rows_by_group(grouping.len(), &group_of_rows.rows, input);
            starts.windows(2).map(|ends| input.over(&Slice::Listed(&rows[ends[0]..ends[1]]))).collect()
        }
    };
    for (group, result) in results.iter().enumerate() {
        if *result == Err(Reason::Overflow) {
            failed.push(grouping.statement_of(group));
        }
    }
    failed.sort_unstable();
    failed.dedup();
    ValueColumn { reasons: Few::new(), failed, ..from_values(results, repr) }
}

/// Visits the rows that count and are in a group, with their group.
fn members<'s>(group_of_rows: &'s [u32], mask: Option<&'s Bits>, mut take: impl FnMut(usize, usize)) {
    let mut each = |row: usize| {
        let group = group_of_rows[row];
        if group != NO_ROW {
            take(row, group as usize);
        }
    };
    match mask {
        None => (0..group_of_rows.len()).for_each(&mut each),
        Some(mask) => mask.ones(0..group_of_rows.len()).for_each(&mut each),
    }
}

/// Counts and integer sums in one pass over the rows. `None` for other aggregates, and if a sum overflows.
fn count_or_sum<'a>(groups: usize, group_of_rows: &[u32], input: &Input) -> Option<Data<'a>> {
    let mask = input.mask.as_ref();
    let mut totals = vec![0_i64; groups];
    match (input.function, input.arguments.first().map(|argument| &argument.data)) {
        (Aggregate::Count, _) => members(group_of_rows, mask, |_, group| totals[group] += 1),
        (Aggregate::Sum, Some(Data::Int(values))) if values.len() == group_of_rows.len() => {
            let mut is_exact = true;
            members(group_of_rows, mask, |row, group| {
                let (total, failed) = totals[group].overflowing_add(values[row]);
                totals[group] = total;
                is_exact &= !failed;
            });
            if !is_exact {
                return None;
            }
        }
        _ => return None,
    }
    Some(Data::Int(totals.into()))
}

/// The rows that count, group by group, in order within each. Also the start of each group, and the end of the last.
fn rows_by_group(groups: usize, group_of_rows: &[u32], input: &Input) -> (Vec<usize>, Vec<u32>) {
    let mask = input.mask.as_ref();
    let mut ends = vec![0; groups + 1];
    members(group_of_rows, mask, |_, group| ends[group + 1] += 1);
    for group in 0..groups {
        ends[group + 1] += ends[group];
    }
    let mut next = ends.clone();
    let mut rows = vec![0; ends[groups]];
    members(group_of_rows, mask, |row, group| {
        rows[next[group]] = row as u32;
        next[group] += 1;
    });
    (ends, rows)
}
