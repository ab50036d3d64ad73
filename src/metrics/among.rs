//! What a row is among the others of its statement: its neighbours, its rank, the records near it. One pass over the rows, or one sort.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use super::arithmetic::Bad;
use super::column::{Column, Data};
use super::groups::{Counterparties, NONE};
use super::reason::Reason;
use super::view::View;
use crate::rules::ir::Neighbour;

/// Where each row's value is taken from, [`NONE`] for those that have none. `statements` are the rows that count.
pub(crate) fn neighbours(which: Neighbour, input: &Column, statements: &[Range<usize>], rows: usize) -> Vec<usize> {
    let mut source = vec![NONE; rows];
    for statement in statements {
        let mut latest = NONE;
        for row in statement.clone() {
            source[row] = match which {
                Neighbour::Previous if row > statement.start => row - 1,
                Neighbour::Next if row + 1 < statement.end => row + 1,
                Neighbour::Carried => {
                    latest = if input.is_known(row) { row } else { latest };
                    latest
                }
                _ => NONE,
            };
        }
    }
    source
}

/// Each row's place in its statement, the greatest value first, equals in their order; 0 where there is none.
pub(crate) fn ranks(input: &Column, statements: &[Range<usize>], rows: usize) -> (Data<'static>, Vec<bool>) {
    let (mut ranks, mut valid) = (vec![0; rows], vec![false; rows]);
    for statement in statements {
        let mut known: Vec<usize> = statement.clone().filter(|row| input.is_known(*row)).collect();
        match &input.data {
            Data::Int(values) => known.sort_by(|a, b| values[input.at(*b)].cmp(&values[input.at(*a)])),
            _ => {
                // Zeros of both signs are equals; there is nothing that is no number.
                let order = |a: &usize, b: &usize| {
                    input.floats()[input.at(*b)].partial_cmp(&input.floats()[input.at(*a)]).unwrap_or(Ordering::Equal)
                };
                known.sort_by(order);
            }
        }
        for (place, row) in known.into_iter().enumerate() {
            ranks[row] = place as i64 + 1;
            valid[row] = true;
        }
    }
    (Data::Int(ranks.into()), valid)
}

/// The sum of a value over the records behind each one, up to so many days later; `before`: over those before it, up to so many days
/// earlier. Unknown values are passed over.
pub(crate) fn sums_near(before: bool, inputs: &[&Column], view: &View, bad: &mut Bad) -> Data<'static> {
    let (value, days) = (inputs[0], inputs[1]);
    let mut sums = vec![0; view.row_count];
    // Of all known values up to a row: exact, and no value's sum over a statement leaves 128 bits.
    let mut until: Vec<i128> = Vec::with_capacity(view.row_count + 1);
    until.push(0);
    for row in 0..view.row_count {
        let value = if value.is_known(row) { value.ints()[value.at(row)] } else { 0 };
        until.push(until[row] + i128::from(value));
    }
    for statement in &view.rows {
        let dates = &view.dates[statement.clone()];
        for row in statement.clone().filter(|row| days.is_known(*row)) {
            let (day, reach) = (i64::from(view.dates[row]), days.ints()[days.at(row)]);
            let near = if before {
                let from = dates.partition_point(|date| i64::from(*date) < day.saturating_sub(reach));
                (statement.start + from).min(row)..row
            } else {
                let to = dates.partition_point(|date| i64::from(*date) <= day.saturating_add(reach));
                row + 1..(statement.start + to).max(row + 1)
            };
            match i64::try_from(until[near.end] - until[near.start]) {
                Ok(sum) => sums[row] = sum,
                Err(_) => bad.push((row, Reason::Overflow)),
            }
        }
    }
    Data::Int(sums.into())
}

/// Whether a record of the other side has the same amount and counterparty, so many days off at most.
pub(crate) fn mirrored(
    days: &Column,
    sides: [&Column; 2],
    counterparties: &Counterparties,
    view: &View,
) -> Data<'static> {
    let amount = |side: usize, row: usize| {
        let column = sides[side];
        if column.is_known(row) { column.ints()[column.at(row)] } else { 0 }
    };
    let mut found = vec![false; view.row_count];
    for statement in &view.rows {
        // The days of each side's records by whom and how much; ascending, as the records are.
        let mut known: [HashMap<(usize, i64), Vec<i64>>; 2] = Default::default();
        let each = || {
            let rows = statement.clone().filter(|row| counterparties.of_rows[*row] != NONE);
            rows.flat_map(|row| [0, 1].map(|side| (side, row))).filter(|(side, row)| amount(*side, *row) > 0)
        };
        for (side, row) in each() {
            let key = (counterparties.of_rows[row], amount(side, row));
            known[side].entry(key).or_default().push(i64::from(view.dates[row]));
        }
        for (side, row) in each().filter(|(_, row)| days.is_known(*row)) {
            let Some(others) = known[1 - side].get(&(counterparties.of_rows[row], amount(side, row))) else { continue };
            let (day, reach) = (i64::from(view.dates[row]), days.ints()[days.at(row)]);
            let first = others.partition_point(|other| *other < day.saturating_sub(reach));
            found[row] |= others.get(first).is_some_and(|other| *other <= day.saturating_add(reach));
        }
    }
    Data::Boolean(found)
}
