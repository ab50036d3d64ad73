//! Finds balances that do not follow from the amounts, and whether they would follow by another date. Must not change
//! a record.

use std::ops::Range;

use crate::statement::columns::balance_order;
use crate::statement::columns::builder::{NO_DAY, NO_VALUE, known};
use crate::statement::columns::record_columns::RecordColumns;
use crate::words::date::Day;
use crate::words::money::Currency;

/// Records whose balance is not the previous one plus credit minus debit.
#[derive(Clone, Copy, Debug, Default)]
struct Breaks {
    count: usize,
    /// The day of the first.
    first: i32,
}

/// The warning about a statement's balances. The rows are in their final order.
pub(crate) fn warning(columns: &RecordColumns, rows: &Range<usize>, currency: Option<Currency>) -> Option<String> {
    if columns.balances.get(rows.clone()).is_none_or(|balances| balances.iter().all(|balance| *balance == NO_VALUE)) {
        return None;
    }
    // Banks round balances: a gap of less than a major unit needs no attention.
    let major = 10_u128.pow(currency.map_or(0, |currency| currency.exponent()));
    let found = breaks(columns, places(rows), major);
    if found.count == 0 {
        return None;
    }
    let (records, day) = (if found.count == 1 { "record" } else { "records" }, Day::from_days(found.first));
    let warning =
        format!("the balance of {} {records} does not follow from the one before, first on {day}", found.count);
    let by_clearing = by_cleared_date(columns, rows, major).filter(|count| count * 4 <= found.count);
    Some(match by_clearing {
        Some(count) => format!(
            "{warning}; by `cleared_date` {count} do not, so the balances run by that date: \
             the policy can say `record_day = \"cleared_date\"`"
        ),
        None => warning,
    })
}

/// How many balances do not follow exactly.
pub(crate) fn count(columns: &RecordColumns, rows: impl Iterator<Item = u32>) -> usize {
    breaks(columns, rows, 1).count
}

fn places(rows: &Range<usize>) -> impl Iterator<Item = u32> {
    rows.start as u32..rows.end as u32
}

fn breaks(columns: &RecordColumns, rows: impl Iterator<Item = u32>, major: u128) -> Breaks {
    let (mut breaks, mut last) = (Breaks::default(), None::<i64>);
    for row in rows {
        let balance = known(&columns.balances, row);
        let moved = |column: &[i64]| known(column, row).unwrap_or(0);
        let moved = || (moved(&columns.credits), moved(&columns.debits));
        if let (Some(before), Some(balance)) = (last, balance)
            && gap(before, moved(), balance) >= major
        {
            if breaks.count == 0 {
                breaks.first = columns.day(row as usize);
            }
            breaks.count += 1;
        }
        last = balance;
    }
    breaks
}

/// The difference between a balance and the previous one plus credit minus debit.
fn gap(before: i64, (credit, debit): (i64, i64), balance: i64) -> u128 {
    let follows = before.checked_add(credit).and_then(|balance| balance.checked_sub(debit));
    match follows {
        Some(follows) => u128::from(follows.abs_diff(balance)),
        None => (i128::from(before) + i128::from(credit) - i128::from(debit)).abs_diff(i128::from(balance)),
    }
}

/// How many balances would not follow if records counted by the day on which they cleared. `None` if the days are the
/// same.
fn by_cleared_date(columns: &RecordColumns, rows: &Range<usize>, major: u128) -> Option<usize> {
    let (days, cleared) = (columns.days.get(rows.clone())?, columns.cleared.get(rows.clone())?);
    if days.iter().zip(cleared).all(|(day, cleared)| *cleared == NO_DAY || cleared == day) {
        return None;
    }
    let day = |row: u32| {
        let cleared = columns.cleared.get(row as usize).filter(|cleared| **cleared != NO_DAY);
        cleared.or_else(|| columns.days.get(row as usize)).copied()
    };
    let order = balance_order::by_other_days(columns, day, places(rows).collect());
    Some(breaks(columns, order.into_iter(), major).count)
}
