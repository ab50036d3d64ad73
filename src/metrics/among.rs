//! What a row is among the others of its statement: its neighbours, its rank, the records near it. One pass over the rows, or one sort.

use std::cmp::Ordering;
use std::ops::Range;

use super::arithmetic::Bad;
use super::bits::Bits;
use super::column::{Column, Data};
use super::groups::{Grouping, NONE};
use super::pieces;
use super::reason::Reason;
use super::view::View;
use crate::rules::ir::Neighbour;

/// Where each row's value is taken from, [`NONE`] for those that have none. `statements` are the rows that count.
pub(crate) fn neighbours(which: Neighbour, input: &Column, statements: &[Range<usize>], rows: usize) -> Vec<u32> {
    let mut source = vec![NONE; rows];
    for statement in statements {
        let mut latest = NONE;
        for row in statement.clone() {
            source[row] = match which {
                Neighbour::Previous if row > statement.start => row as u32 - 1,
                Neighbour::Next if row + 1 < statement.end => row as u32 + 1,
                Neighbour::Carried => {
                    latest = if input.is_known(row) { row as u32 } else { latest };
                    latest
                }
                _ => NONE,
            };
        }
    }
    source
}

/// Each row's place in its statement, the greatest value first, equals in their order; 0 where there is none.
pub(crate) fn ranks(input: &Column, statements: &[Range<usize>], rows: usize) -> (Data<'static>, Bits) {
    let (mut ranks, mut valid) = (vec![0; rows], Bits::all(rows, false));
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
            valid.set(row);
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
    let value = value.known_ints();
    for row in 0..view.row_count {
        let value = value(row).unwrap_or(0);
        until.push(until[row] + i128::from(value));
    }
    for statement in &view.rows {
        let dates = &view.dates[statement.clone()];
        // Where the reach is one for all, the end moves on with the records.
        let mut end = 0;
        for row in statement.clone().filter(|row| days.is_known(*row)) {
            let (day, reach) = (i64::from(view.dates[row]), days.ints()[days.at(row)]);
            let is_behind = |date: &i32| match before {
                true => i64::from(*date) < day.saturating_sub(reach),
                false => i64::from(*date) <= day.saturating_add(reach),
            };
            end = match days.len() {
                1 => end + dates[end..].iter().take_while(|date| is_behind(date)).count(),
                _ => dates.partition_point(is_behind),
            };
            let near = match before {
                true => (statement.start + end).min(row)..row,
                false => row + 1..(statement.start + end).max(row + 1),
            };
            match i64::try_from(until[near.end] - until[near.start]) {
                Ok(sum) => sums[row] = sum,
                Err(_) => bad.push((row, Reason::Overflow)),
            }
        }
    }
    Data::Int(sums.into())
}

/// Counterparties are not equally large: so many parts of them for the threads.
const PARTS: usize = 32;

/// Whether a record of the other side has the same amount and counterparty, so many days off at most. `of_rows` is each row's counterparty.
pub(crate) fn mirrored(
    days: &Column,
    sides: [&Column; 2],
    of_rows: &[u32],
    grouping: &Grouping,
    view: &View,
) -> Data<'static> {
    let sides = sides.map(Column::known_ints);
    let amount = |side: usize, row: usize| sides[side](row).unwrap_or(0);
    // Most counterparties are on one side alone.
    let mut seen = vec![[false; 2]; grouping.len()];
    for (row, group) in of_rows.iter().enumerate().filter(|(_, group)| **group != NONE) {
        for side in [0, 1] {
            seen[*group as usize][side] |= amount(side, row) > 0;
        }
    }
    let both: Vec<usize> = (0..grouping.len()).filter(|group| seen[*group] == [true; 2]).collect();
    let pieces = pieces::of_all(view.row_count, &both, PARTS, |groups| {
        // One counterparty's amounts by side, each with its day and its row.
        let mut known: [Vec<u128>; 2] = Default::default();
        let mut found = Vec::new();
        for group in groups {
            known.iter_mut().for_each(Vec::clear);
            for row in grouping.rows_of(*group) {
                for (side, known) in known.iter_mut().enumerate() {
                    let amount = amount(side, row);
                    if amount > 0 {
                        known.push(placed(amount, view.dates[row]) | row as u128);
                    }
                }
            }
            known.iter_mut().for_each(|side| side.sort_unstable());
            let [credits, debits] = &known;
            answered(days, credits, debits, view, &mut found);
            answered(days, debits, credits, view, &mut found);
        }
        found
    });
    let mut found = Bits::all(view.row_count, false);
    pieces.into_iter().flatten().for_each(|row| found.set(row));
    Data::Boolean(found)
}

/// An amount and a day as one number above 32 bits for the row, which sorts faster than the three.
fn placed(amount: i64, day: i32) -> u128 {
    u128::from(amount.unsigned_abs()) << 64 | u128::from(day.wrapping_sub(i32::MIN) as u32) << 32
}

/// Adds the rows of one side that have the same amount on the other, so many days off at most. Both are sorted.
fn answered(days: &Column, side: &[u128], other: &[u128], view: &View, found: &mut Vec<usize>) {
    for key in side {
        let row = *key as u32 as usize;
        if !days.is_known(row) {
            continue;
        }
        let (amount, day, reach) = ((*key >> 64) as i64, i64::from(view.dates[row]), days.ints()[days.at(row)]);
        let near = |day: i64| placed(amount, day.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
        let (from, until) = (near(day.saturating_sub(reach)), near(day.saturating_add(reach)));
        let first = other.partition_point(|other| *other < from);
        if reach >= 0 && other.get(first).is_some_and(|other| *other >> 32 <= until >> 32) {
            found.push(row);
        }
    }
}
