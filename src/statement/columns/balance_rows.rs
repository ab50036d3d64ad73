//! Finds rows that move no money: balances brought forward and totals, which some banks write among the records, in the
//! credit or debit column.

use std::collections::{BTreeMap, HashMap};

use crate::statement::base::column::Column;
use crate::statement::cells::balance_names::{BalanceName, find_balance_name, may_begin_balance_name, names_balance};
use crate::statement::columns::record_columns::{RecordColumns, View};
use crate::statement::rows::builder::{Group, known_at_row};
use crate::statement::rows::stated::{Ends, Stand};

/// The rows that are called balances or totals, in ascending order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BalanceLines {
    /// Rows that moved no money.
    pub(crate) no_movement: Vec<u32>,
    /// Rows for which only the name says so.
    pub(crate) doubtful: Vec<u32>,
}

/// Finds such rows among those that are not in `dropped`, which is sorted.
pub(crate) fn find_balance_rows(columns: &RecordColumns, dropped: &[u32]) -> BalanceLines {
    let view = columns.view();
    let is_kept = |row: &usize| dropped.binary_search(&(*row as u32)).is_err();
    let rows = (0..view.len()).filter(|row| may_begin_balance_name(view.desc_head(*row)));
    let named = rows.filter_map(|row| Some((row, find_balance_name(view.text(Column::Desc, row)?)?)));
    let named: Vec<(usize, BalanceName)> = named.filter(|(row, _)| is_kept(row)).collect();
    let mut lines = BalanceLines::default();
    if named.is_empty() {
        return lines;
    }
    let others = Others::collect(columns, &view, &named, is_kept);
    for (row, name) in named {
        let amounts = Amounts::for_row(columns, row);
        // A record without an amount only shows a balance and does no harm.
        if amounts.credit == 0 && amounts.debit == 0 {
            continue;
        }
        let place = (view.group(row), columns.day(row));
        if others.show_no_movement(name, place, &amounts) {
            lines.no_movement.push(row as u32);
        } else if name != BalanceName::Called || amounts.balance.is_none() {
            // Where a balance shows that money moved, more words than a name leave no doubt.
            lines.doubtful.push(row as u32);
        }
    }
    lines
}

/// A dropped row that carries a balance forward: its statement, its day, and its balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    group: u32,
    stand: Stand,
}

/// The rows without a movement whose name and balance say which balance a statement begins or ends with.
pub(crate) fn carried_forward(columns: &RecordColumns, no_movement: &[u32]) -> Vec<Forward> {
    let view = columns.view();
    let is_balance = |row: &usize| view.text(Column::Desc, *row).is_some_and(names_balance);
    let rows = no_movement.iter().map(|row| *row as usize).filter(is_balance);
    let forward = rows.filter_map(|row| {
        let minor = known_at_row(&columns.balances, row as u32)?;
        Some(Forward { group: view.group(row), stand: Stand { day: columns.day(row), minor } })
    });
    forward.collect()
}

/// Gives each statement the balance before its first record and after its last, where a row carries one forward on or
/// beyond that day. `order` lists the kept rows by statement and day; `None` means as they are.
pub(crate) fn set_ends(columns: &RecordColumns, order: Option<&[u32]>, forward: &[Forward], groups: &mut [Group]) {
    if forward.is_empty() {
        return;
    }
    let rows = columns.rows(order);
    let group = |row: &u32| columns.group(*row as usize);
    for of_one in rows.chunk_by(|left, right| group(left) == group(right)) {
        let (Some(first), Some(last)) = (of_one.first(), of_one.last()) else { continue };
        let days = (columns.day(*first as usize), columns.day(*last as usize));
        let number = group(first);
        let stands = || forward.iter().filter(|of_group| of_group.group == number).map(|of_group| of_group.stand);
        // On the only day of a statement, a balance may be either.
        let is_opening = |stand: &Stand| stand.day < days.0 || stand.day == days.0 && days.0 < days.1;
        let is_closing = |stand: &Stand| stand.day > days.1 || stand.day == days.1 && days.0 < days.1;
        let openings = only_common_balance(stands().filter(is_opening));
        let closings = only_common_balance(stands().filter(is_closing));
        // Statements are numbered by their place in `groups`.
        let ends = &mut groups.get_mut(number as usize).expect("INVARIANT: each statement is listed").ends;
        *ends = Ends { opening: openings.map(|stand| stand.minor), closing: closings };
    }
}

/// The first, if all have the same balance.
fn only_common_balance(mut stands: impl Iterator<Item = Stand>) -> Option<Stand> {
    let first = stands.next()?;
    stands.all(|other| other.minor == first.minor).then_some(first)
}

/// What the records of a statement show.
#[derive(Default)]
struct OfGroup {
    /// For each balance, the first day on which the account had it.
    balances: HashMap<i64, i32>,
    /// For each day, its balances and how many records have each.
    of_days: BTreeMap<i32, HashMap<i64, usize>>,
    /// The number and the sum of credits, and the same for debits, of the ordinary records.
    sums: [(usize, i128); 2],
    /// The credit and debit of each record that is called a balance carried over.
    forward: Vec<[i64; 2]>,
}

struct Others(HashMap<u32, OfGroup>);

impl Others {
    fn collect(
        columns: &RecordColumns,
        view: &View<'_>,
        named: &[(usize, BalanceName)],
        is_kept: impl Fn(&usize) -> bool,
    ) -> Others {
        let mut groups: HashMap<u32, OfGroup> = HashMap::new();
        let mut named = named.iter().peekable();
        for row in (0..view.len()).filter(is_kept) {
            let amounts = Amounts::for_row(columns, row);
            let day = columns.day(row);
            let group = groups.entry(view.group(row)).or_default();
            let of_day = group.of_days.entry(day).or_default();
            if let Some(balance) = amounts.balance {
                *of_day.entry(balance).or_default() += 1;
                let first = group.balances.entry(balance).or_insert(day);
                *first = day.min(*first);
            }
            match named.next_if(|(named, _)| *named == row) {
                Some((_, BalanceName::Forward)) => group.forward.push([amounts.credit, amounts.debit]),
                Some(_) => {}
                None => {
                    for ((count, sum), amount) in group.sums.iter_mut().zip([amounts.credit, amounts.debit]) {
                        *count += usize::from(amount > 0);
                        *sum += i128::from(amount);
                    }
                }
            }
        }
        Others(groups)
    }

    /// Whether a record with such a name is no movement, judged by the other records.
    fn show_no_movement(&self, name: BalanceName, (group, day): (u32, i32), amounts: &Amounts) -> bool {
        let Some(group) = self.0.get(&group) else { return false };
        let leads = |before: i64| group.balances.get(&before).is_some_and(|first| *first <= day);
        // A balance brought forward starts from 0. Otherwise only an empty account does.
        let follows = amounts.before().is_some_and(|before| before != 0 && leads(before));
        match name {
            BalanceName::Forward => !follows || group.restores(amounts),
            BalanceName::Balance | BalanceName::Called => {
                let is_first = group.of_days.keys().next() == Some(&day);
                amounts.before() == Some(0) && !leads(0) && (is_first || group.repeats(day, amounts))
            }
            // The balance before a sum of movements may well be one of the days before them.
            BalanceName::Totals => !follows || group.repeats(day, amounts),
            BalanceName::Total => {
                let is_total = amounts.credit > 0 && amounts.debit > 0 || group.makes(amounts);
                is_total && (!follows || group.repeats(day, amounts))
            }
        }
    }
}

impl OfGroup {
    /// Whether another record of the day, or of the last day before, has the same balance.
    fn repeats(&self, day: i32, amounts: &Amounts) -> bool {
        let Some(balance) = amounts.balance else { return false };
        let of_day = self.of_days.get(&day).and_then(|balances| balances.get(&balance)).copied().unwrap_or_default();
        let before =
            self.of_days.range(..day).rev().map(|(_, balances)| balances).find(|balances| !balances.is_empty());
        of_day > 1 || before.is_some_and(|balances| balances.contains_key(&balance))
    }

    /// Whether amounts are the sums of several others on their sides, with or without the balance brought forward.
    fn makes(&self, amounts: &Amounts) -> bool {
        let mut sides = [amounts.credit, amounts.debit].into_iter().zip(self.sums).enumerate();
        sides.all(|(side, (amount, (count, sum)))| {
            let forward: i128 = self.forward.iter().filter_map(|of| of.get(side)).map(|of| i128::from(*of)).sum();
            let amount = i128::from(amount);
            amount == 0 || count > 1 && amount == sum || forward > 0 && amount == sum + forward
        })
    }

    /// Whether a balance carried over takes the account to 0 and another one restores it, as ledgers do at the end of a
    /// page.
    fn restores(&self, amounts: &Amounts) -> bool {
        amounts.balance == Some(0) && self.forward.contains(&[amounts.debit, amounts.credit])
    }
}

struct Amounts {
    credit: i64,
    debit: i64,
    balance: Option<i64>,
}

impl Amounts {
    fn for_row(columns: &RecordColumns, row: usize) -> Amounts {
        let value = |column: &[i64]| known_at_row(column, row as u32);
        let balance = value(&columns.balances);
        Amounts { credit: value(&columns.credits).unwrap_or(0), debit: value(&columns.debits).unwrap_or(0), balance }
    }

    /// The balance before the record, if the record has a balance.
    fn before(&self) -> Option<i64> {
        self.balance?.checked_sub(self.credit)?.checked_add(self.debit)
    }
}
