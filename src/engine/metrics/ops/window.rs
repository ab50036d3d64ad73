//! Operations that look at other rows of the statement: neighbours, ranks, sums over nearby days, mirrored payments.
//! One pass over the rows, or one sort.

use std::cmp::Ordering;
use std::ops::Range;

use super::arithmetic::Failures;
use crate::engine::metrics::chunks;
use crate::engine::metrics::column::{Bits, Data, NO_ROW, Reason, ValueColumn};
use crate::engine::metrics::source::{Grouping, StatementSlice};
use crate::rules::graph::Neighbour;

/// The row that each row's value is taken from, or [`NO_ROW`]. `statements` are the rows that count.
pub(crate) fn find_neighbour_rows(
    which: Neighbour,
    input: &ValueColumn,
    statements: &[Range<usize>],
    rows: usize,
) -> Vec<u32> {
    let mut source = vec![NO_ROW; rows];
    for statement in statements {
        let mut latest = NO_ROW;
        for row in statement.clone() {
            source[row] = match which {
                Neighbour::Previous if row > statement.start => row as u32 - 1,
                Neighbour::Next if row + 1 < statement.end => row as u32 + 1,
                Neighbour::Carried => {
                    latest = if input.is_known(row) { row as u32 } else { latest };
                    latest
                }
                _ => NO_ROW,
            };
        }
    }
    source
}

/// Each row's rank in its statement, the greatest value first, ties in order; unknown rows have no rank.
pub(crate) fn rank_in_statement(
    input: &ValueColumn,
    statements: &[Range<usize>],
    rows: usize,
) -> (Data<'static>, Bits) {
    let (mut ranks, mut valid) = (vec![0; rows], Bits::all(rows, false));
    for statement in statements {
        let mut known: Vec<usize> = statement.clone().filter(|row| input.is_known(*row)).collect();
        match &input.data {
            Data::Int(values) => known.sort_by(|a, b| values[input.at(*b)].cmp(&values[input.at(*a)])),
            Data::Float(values) => {
                // Zeros of both signs are equal, and no value is NaN.
                let order = |a: &usize, b: &usize| {
                    values[input.at(*b)].partial_cmp(&values[input.at(*a)]).unwrap_or(Ordering::Equal)
                };
                known.sort_by(order);
            }
            _ => {
                let values = input.rationals();
                known.sort_by(|a, b| values[input.at(*b)].cmp(&values[input.at(*a)]));
            }
        }
        for (place, row) in known.into_iter().enumerate() {
            ranks[row] = place as i64 + 1;
            valid.set(row);
        }
    }
    (Data::Int(ranks.into()), valid)
}

/// The sum of a value over the records after each one, up to a number of days later. With `before`, over the records
/// before it, up to that number of days earlier. Unknown values are skipped.
pub(crate) fn sums_near(
    before: bool,
    inputs: &[&ValueColumn],
    slice: &StatementSlice,
    failures: &mut Failures,
) -> Data<'static> {
    let (value, days) = (inputs[0], inputs[1]);
    let mut sums = vec![0; slice.row_count];
    // Prefix sums of known values. Exact: no sum over a statement exceeds 128 bits.
    let mut until: Vec<i128> = Vec::with_capacity(slice.row_count + 1);
    until.push(0);
    let value = value.known_ints();
    for row in 0..slice.row_count {
        let value = value(row).unwrap_or(0);
        until.push(until[row] + i128::from(value));
    }
    for statement in &slice.rows {
        let dates = &slice.dates[statement.clone()];
        // If all rows have the same number of days, the end moves forward with the records.
        let mut end = 0;
        for row in statement.clone().filter(|row| days.is_known(*row)) {
            let (day, reach) = (i64::from(slice.dates[row]), days.ints()[days.at(row)]);
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
                Err(_) => failures.push((row, Reason::Overflow)),
            }
        }
    }
    Data::Int(sums.into())
}

/// Counterparties differ in size, so there are many chunks of them.
const PARTS: usize = 32;

/// Whether a record of the other side has the same amount and counterparty, at most `days` away. `group_of_rows` is
/// each row's counterparty.
pub(crate) fn find_mirrored_records(
    days: &ValueColumn,
    sides: [&ValueColumn; 2],
    group_of_rows: &[u32],
    grouping: &Grouping,
    slice: &StatementSlice,
) -> Data<'static> {
    let sides = sides.map(ValueColumn::known_ints);
    let amount = |side: usize, row: usize| sides[side](row).unwrap_or(0);
    // Most counterparties are on one side only.
    let mut seen = vec![[false; 2]; grouping.len()];
    for (row, group) in group_of_rows.iter().enumerate().filter(|(_, group)| **group != NO_ROW) {
        for side in [0, 1] {
            seen[*group as usize][side] |= amount(side, row) > 0;
        }
    }
    let both: Vec<usize> = (0..grouping.len()).filter(|group| seen[*group] == [true; 2]).collect();
    let chunks = chunks::map_items(slice.row_count, &both, PARTS, |groups| {
        // One counterparty's amounts by side, each with its day and row.
        let mut known: [Vec<u128>; 2] = Default::default();
        let mut found = Vec::new();
        for group in groups {
            known.iter_mut().for_each(Vec::clear);
            for row in grouping.rows_of(*group) {
                for (side, known) in known.iter_mut().enumerate() {
                    let amount = amount(side, row);
                    if amount > 0 {
                        known.push(sort_key(amount, slice.dates[row]) | row as u128);
                    }
                }
            }
            known.iter_mut().for_each(|side| side.sort_unstable());
            let [credits, debits] = &known;
            match_sides(days, credits, debits, slice, &mut found);
            match_sides(days, debits, credits, slice, &mut found);
        }
        found
    });
    let mut found = Bits::all(slice.row_count, false);
    chunks.into_iter().flatten().for_each(|row| found.set(row));
    Data::Boolean(found)
}

/// An amount and a day as one number above 32 bits for the row. Sorts faster than the three.
fn sort_key(amount: i64, day: i32) -> u128 {
    u128::from(amount.unsigned_abs()) << 64 | u128::from(day.wrapping_sub(i32::MIN) as u32) << 32
}

/// Adds the rows of one side with the same amount on the other, at most `days` away. Both are sorted.
fn match_sides(days: &ValueColumn, side: &[u128], other: &[u128], slice: &StatementSlice, found: &mut Vec<usize>) {
    for key in side {
        let row = *key as u32 as usize;
        if !days.is_known(row) {
            continue;
        }
        let (amount, day, reach) = ((*key >> 64) as i64, i64::from(slice.dates[row]), days.ints()[days.at(row)]);
        let near = |day: i64| sort_key(amount, day.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
        let (from, until) = (near(day.saturating_sub(reach)), near(day.saturating_add(reach)));
        let first = other.partition_point(|other| *other < from);
        if reach >= 0 && other.get(first).is_some_and(|other| *other >> 32 <= until >> 32) {
            found.push(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use polars::prelude::DataFrame;
    use proptest::prelude::*;

    use super::*;

    /// Of a record: its day, credit, debit, counterparty, and the days allowed.
    type Record = (i32, Option<i64>, Option<i64>, Option<u32>, Option<i64>);

    fn record() -> impl Strategy<Value = Record> {
        let day = prop_oneof![8 => 0..12, 1 => Just(i32::MIN), 1 => Just(i32::MAX)];
        let amount = || {
            let some = prop_oneof![1 => Just(0_i64), 4 => 1_i64..4, 1 => Just(i64::MAX)];
            prop_oneof![3 => Just(None), 6 => some.prop_map(Some)]
        };
        let reach = prop_oneof![6 => -1_i64..5, 1 => Just(i64::MIN), 1 => Just(i64::MAX)];
        let reach = prop_oneof![8 => reach.prop_map(Some), 1 => Just(None)];
        (day, amount(), amount(), proptest::option::of(0_u32..3), reach)
    }

    fn column(values: impl Iterator<Item = Option<i64>> + Clone) -> ValueColumn<'static> {
        let known: Vec<bool> = values.clone().map(|value| value.is_some()).collect();
        ValueColumn::partly(
            Data::Int(values.map(Option::unwrap_or_default).collect()),
            Bits::from_values(&known, |known| known),
        )
    }

    fn holds(records: &[Record]) {
        let slice = StatementSlice {
            frame: DataFrame::empty(),
            heads: &[],
            rows: std::iter::once(0..records.len()).collect(),
            row_count: records.len(),
            as_of: vec![None],
            is_last_day: false,
            dates: records.iter().map(|record| record.0).collect(),
            periods: vec![None],
            has_debit: vec![true],
            has_balance: vec![false],
            has_narration: vec![true],
            has_names: vec![true],
        };
        let (credits, debits) =
            (column(records.iter().map(|record| record.1)), column(records.iter().map(|record| record.2)));
        let days = column(records.iter().map(|record| record.4));
        let group_of_rows: Vec<u32> = records.iter().map(|record| record.3.unwrap_or(NO_ROW)).collect();
        let mut grouping = Grouping::new(1);
        let members = (0_u32..).zip(group_of_rows.iter().copied()).filter(|(_, group)| *group != NO_ROW);
        grouping.add_scattered(
            group_of_rows.iter().filter(|group| **group != NO_ROW).max().map_or(0, |last| *last as usize + 1),
            members,
        );
        let Data::Boolean(found) = find_mirrored_records(&days, [&credits, &debits], &group_of_rows, &grouping, &slice)
        else {
            panic!("truths")
        };
        let is_near = |one: &Record, other: &Record| {
            one.4.is_some_and(|reach| (i128::from(one.0) - i128::from(other.0)).abs() <= i128::from(reach))
        };
        let mut of_group: HashMap<u32, Vec<&Record>> = HashMap::new();
        records.iter().for_each(|one| of_group.entry(one.3.unwrap_or(NO_ROW)).or_default().push(one));
        // A record of the other side, which may be the record itself.
        let sent_back = |one: &Record, amount: Option<i64>, side: fn(&Record) -> Option<i64>| {
            let same = |other: &&Record| side(other) == amount && is_near(one, other);
            amount.is_some_and(|amount| amount > 0) && of_group[&one.3.unwrap_or(NO_ROW)].iter().any(same)
        };
        for (row, one) in records.iter().enumerate() {
            let expected =
                one.3.is_some() && (sent_back(one, one.1, |other| other.2) || sent_back(one, one.2, |other| other.1));
            assert_eq!(found.get(row), expected, "{row}: {one:?}");
        }
    }

    proptest! {
        #[test]
        fn what_went_the_other_way_is_found(records in proptest::collection::vec(record(), 0..60)) {
            holds(&records);
        }
    }

    #[test]
    fn what_went_the_other_way_is_found_among_many() {
        let mixed = |row: usize| (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let record = |row: usize| {
            let (amount, number) = (Some(1 + mixed(row + 9) as i64 % 50_000), mixed(row) % 9_000);
            let (credit, debit) = if row.is_multiple_of(3) { (amount, None) } else { (None, amount) };
            (row as i32 / 100, credit, debit, Some(number as u32), Some(row as i64 % 200))
        };
        // Pairs of equal amounts, because chance alone gives few.
        let records: Vec<Record> =
            (0..17_000).map(record).flat_map(|one| [one, (one.0 + 3, one.2, one.1, one.3, one.4)]).collect();
        assert!(records.len() > 32_768);
        holds(&records);
    }
}
