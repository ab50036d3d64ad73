//! Finds balances that do not follow from the amounts, and whether they would follow by another date. Must not change
//! a record, nor know what the source states beside its records.

use std::ops::Range;

use crate::base::date::Day;
use crate::statement::columns::balance_order;
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::builder::{NO_DAY, NO_VALUE, known_at_row};
use crate::statement::rows::stated::{Ends, Stand, balance_difference};

/// How balances are compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Banks round balances: a gap of less than this, one major unit in minor units, is none.
    pub(crate) major: u128,
    /// Whether the order of the rows within a day is that of the source.
    pub(crate) is_ordered: bool,
}

/// How the balances of a statement's rows follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    /// Balances that do not follow from the one before and the movements since.
    pub(crate) breaks: usize,
    pub(crate) first: Option<Break>,
    /// Whether two balances or more enclose every movement. That of the first row needs no balance before it.
    pub(crate) is_covering: bool,
}

/// A balance that does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Break {
    pub(crate) day: i32,
    /// Its row; `None` for the balance after the last one.
    pub(crate) row: Option<u32>,
    pub(crate) expected: i128,
    pub(crate) found: i64,
}

/// The chain of a statement whose rows are contiguous and in their final order.
pub(crate) fn chain_balances(columns: &RecordColumns, rows: &Range<usize>, ends: Ends, rule: Rule) -> Chain {
    let balances = columns.balances.get(rows.clone()).unwrap_or_default();
    let is_known = |balance: &i64| *balance != NO_VALUE;
    if ends == Ends::default() {
        if !balances.iter().any(is_known) {
            return Chain::default();
        }
        if balances.iter().all(is_known) {
            return full_chain(columns, rows, rule.major);
        }
    }
    chain_of_rows(columns, &row_numbers_of(rows), ends, rule)
}

/// The chain of rows in this order.
pub(crate) fn chain_of_rows(columns: &RecordColumns, rows: &[u32], ends: Ends, rule: Rule) -> Chain {
    let mut walk = BalanceWalk::new(ends.opening, rule.major);
    let day = |row: &u32| columns.day(*row as usize);
    for of_day in rows.chunk_by(|one, next| rule.is_ordered || day(one) == day(next)) {
        match rule.is_ordered || is_full(columns, of_day) {
            true => of_day.iter().for_each(|row| walk.step(columns, *row)),
            false => walk.unordered_day(columns, of_day),
        }
    }
    if let Some(Stand { day, minor }) = ends.closing {
        walk.balance(day, None, minor);
    }
    walk.finish()
}

fn row_numbers_of(rows: &Range<usize>) -> Vec<u32> {
    (rows.start as u32..rows.end as u32).collect()
}

/// Where every row has a balance, each follows from the row before. Most statements are so.
fn full_chain(columns: &RecordColumns, rows: &Range<usize>, major: u128) -> Chain {
    let of_rows = |column| -> &[i64] { <[i64]>::get(column, rows.clone()).unwrap_or_default() };
    let (credits, debits, balances) = (of_rows(&columns.credits), of_rows(&columns.debits), of_rows(&columns.balances));
    let amount = |minor: i64| if minor == NO_VALUE { 0 } else { minor };
    let mut chain = Chain { is_covering: rows.len() > 1, ..Chain::default() };
    let mut rounding = Rounding::new(major);
    let moved = credits.iter().zip(debits).skip(1).map(|(credit, debit)| (amount(*credit), amount(*debit)));
    for (at, (pair, (credit, debit))) in balances.windows(2).zip(moved).enumerate() {
        let [before, found] = *pair else { continue };
        let follows = before.checked_add(credit).and_then(|balance| balance.checked_sub(debit));
        if follows == Some(found) {
            continue;
        }
        let expected = i128::from(before) + i128::from(credit) - i128::from(debit);
        if rounding.is_exceeded(expected, found) {
            let row = rows.start + at + 1;
            chain.add(Break { day: columns.day(row), row: Some(row as u32), expected, found });
        }
    }
    chain
}

/// What banks round away. Each balance is rounded by itself, so however long a chain is, its end is off by no more than
/// a single balance may be.
#[derive(Clone, Debug)]
struct Rounding {
    major: u128,
    /// By how much the last balance is off, since the last break.
    off: i128,
}

impl Rounding {
    fn new(major: u128) -> Rounding {
        Rounding { major, off: 0 }
    }

    fn is_exceeded(&mut self, expected: i128, found: i64) -> bool {
        self.off += i128::from(found) - expected;
        let is_exceeded = balance_difference(expected, found) >= self.major || self.off.unsigned_abs() >= self.major;
        if is_exceeded {
            self.off = 0;
        }
        is_exceeded
    }
}

/// Whether every row that moves money has a balance, or none has one.
fn is_full(columns: &RecordColumns, rows: &[u32]) -> bool {
    let has_balance = |row: &u32| known_at_row(&columns.balances, *row).is_some();
    !rows.iter().any(has_balance) || rows.iter().all(|row| has_balance(row) || net_amount_of_row(columns, *row) == 0)
}

fn net_amount_of_row(columns: &RecordColumns, row: u32) -> i128 {
    let amount = |column: &[i64]| i128::from(known_at_row(column, row).unwrap_or(0));
    amount(&columns.credits) - amount(&columns.debits)
}

impl Chain {
    fn add(&mut self, found: Break) {
        self.breaks += 1;
        self.first = self.first.or(Some(found));
    }
}

/// Goes from balance to balance and adds up what moves in between.
#[derive(Clone)]
struct BalanceWalk {
    chain: Chain,
    rounding: Rounding,
    last: Option<i64>,
    balances: usize,
    /// What has moved since the last balance, and whether anything has.
    pending: i128,
    is_pending: bool,
}

impl BalanceWalk {
    fn new(opening: Option<i64>, major: u128) -> BalanceWalk {
        let chain = Chain { is_covering: true, ..Chain::default() };
        let balances = usize::from(opening.is_some());
        BalanceWalk { chain, rounding: Rounding::new(major), last: opening, balances, pending: 0, is_pending: false }
    }

    fn add(&mut self, moved: i128) {
        self.pending += moved;
        self.is_pending |= moved != 0;
    }

    fn step(&mut self, columns: &RecordColumns, row: u32) {
        let moved = net_amount_of_row(columns, row);
        let Some(balance) = known_at_row(&columns.balances, row) else { return self.add(moved) };
        // The first balance shows that its own row was counted, whatever it was.
        if self.last.is_some() {
            self.add(moved);
        }
        self.balance(columns.day(row as usize), Some(row), balance);
    }

    fn balance(&mut self, day: i32, row: Option<u32>, found: i64) {
        match self.last {
            None => self.chain.is_covering &= !self.is_pending,
            Some(last) => {
                let expected = i128::from(last) + self.pending;
                if self.rounding.is_exceeded(expected, found) {
                    self.chain.add(Break { day, row, expected, found });
                }
            }
        }
        (self.last, self.pending, self.is_pending) = (Some(found), 0, false);
        self.balances += 1;
    }

    /// A day on which some rows have a balance and others do not. The order of such rows is not known, so their
    /// balances count where they stand, if they follow there. The only balance of a day may also be that at its end. In
    /// all other cases the next day's balance has to cover the day.
    fn unordered_day(&mut self, columns: &RecordColumns, rows: &[u32]) {
        let mut as_placed = self.clone();
        rows.iter().for_each(|row| as_placed.step(columns, *row));
        if self.last.is_some() && as_placed.chain.breaks == self.chain.breaks {
            *self = as_placed;
            return;
        }
        let balances: Vec<(u32, i64)> =
            rows.iter().filter_map(|row| Some((*row, known_at_row(&columns.balances, *row)?))).collect();
        rows.iter().for_each(|row| self.add(net_amount_of_row(columns, *row)));
        if let ([(row, balance)], Some(_)) = (balances.as_slice(), self.last) {
            self.balance(columns.day(*row as usize), Some(*row), *balance);
        }
    }

    fn finish(mut self) -> Chain {
        self.chain.is_covering &= self.balances > 1 && !self.is_pending;
        self.chain
    }
}

/// The warning about balances that do not follow.
pub(crate) fn warn_of_broken_chain(
    chain: &Chain,
    columns: &RecordColumns,
    rows: &Range<usize>,
    rule: Rule,
) -> Option<String> {
    let first = chain.first?;
    let (records, day) = (if chain.breaks == 1 { "record" } else { "records" }, Day::from_days(first.day));
    let warning =
        format!("the balance of {} {records} does not follow from the one before, first on {day}", chain.breaks);
    let by_clearing = by_cleared_date(columns, rows, rule.major).filter(|count| count * 4 <= chain.breaks);
    Some(match by_clearing {
        Some(count) => format!(
            "{warning}; by `cleared_date` {count} do not, so the balances run by that date: \
             the policy can say `record_day = \"cleared_date\"`"
        ),
        None => warning,
    })
}

/// How many balances do not follow exactly, with rows in this order.
pub(crate) fn count_broken_balances(columns: &RecordColumns, rows: &[u32]) -> usize {
    chain_of_rows(columns, rows, Ends::default(), Rule { major: 1, is_ordered: true }).breaks
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
    let order = balance_order::by_other_days(columns, day, row_numbers_of(rows));
    Some(chain_of_rows(columns, &order, Ends::default(), Rule { major, is_ordered: true }).breaks)
}
