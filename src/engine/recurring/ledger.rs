//! The entries in a canonical order, independent of ties in the statement's order, and which of them a stream has
//! claimed. Knows which keys belong to one payer, not what they mean.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::engine::recurring::payer_aliases;
use crate::engine::recurring::stream::StreamEntry;

/// One entry in the ledger's order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LedgerRow {
    pub(super) is_credit: bool,
    /// One number for all keys of a payer; 0 for entries without a key.
    pub(super) payer: u32,
    pub(super) day: i32,
    pub(super) amount: i64,
    /// The rank of the key's text.
    pub(super) rank: u32,
    pub(super) entry: u32,
}

/// From this many rows on, threads pay off.
const PARALLEL_ROWS_MIN: usize = 8_192;

/// Most items handed to a thread at once.
const ITEMS_PER_TASK_MAX: usize = 8;

/// The payer of entries without a key.
pub(super) const NAMELESS: u32 = 0;

/// A statement's entries by side, payer, day and amount.
pub(super) struct Ledger {
    pub(super) rows: Vec<LedgerRow>,
    /// The rows in the order of their entries, whose days are mostly ascending.
    by_entry: Vec<usize>,
    /// Several threads work on payers, but only one at a time on a row.
    claimed: Vec<AtomicBool>,
    /// In thousandths.
    pub(super) tolerance: u32,
}

impl Ledger {
    pub(super) fn new(entries: &[StreamEntry], keys: &[&str], tolerance: u32) -> Self {
        let named = payer_aliases::payer_aliases(keys);
        let row = |(at, entry): (usize, &StreamEntry)| {
            let (payer, rank) = named.get(entry.key as usize).copied().unwrap_or((NAMELESS, 0));
            let StreamEntry { day, amount, is_credit, .. } = *entry;
            LedgerRow { is_credit, payer, day, amount, rank, entry: at as u32 }
        };
        let rows = by_payer(entries.iter().enumerate().filter(|(_, entry)| entry.amount > 0).map(row));
        let mut by_entry = vec![usize::MAX; entries.len()];
        rows.iter().enumerate().for_each(|(at, row)| by_entry[row.entry as usize] = at);
        by_entry.retain(|row| *row != usize::MAX);
        let claimed = rows.iter().map(|_| AtomicBool::new(false)).collect();
        Self { rows, by_entry, claimed, tolerance }
    }

    /// Runs `work` on each item, in parallel for large statements, and keeps their order. Two items must never compete
    /// for the same free row.
    pub(super) fn each<T: Send + Sync, U: Send>(&self, all: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
        match self.rows.len() < PARALLEL_ROWS_MIN {
            true => all.iter().map(work).collect(),
            false => all.par_iter().with_max_len(ITEMS_PER_TASK_MAX).map(&work).collect(),
        }
    }

    /// The free rows of one side by day and amount.
    pub(super) fn free(&self, is_credit: bool) -> Vec<usize> {
        let is_free = |row: &&usize| self.is_free(**row) && self.rows[**row].is_credit == is_credit;
        let mut free: Vec<(i32, u128)> = self.by_entry.iter().filter(is_free).map(|row| self.by_amount(*row)).collect();
        if !free.is_sorted_by_key(|(day, _)| *day) {
            free.sort_by_key(|(day, _)| *day);
        }
        for of_day in free.chunk_by_mut(|(one, _), (other, _)| one == other).filter(|rows| rows.len() > 1) {
            of_day.sort_unstable_by_key(|(_, by_amount)| *by_amount);
        }
        free.into_iter().map(|(_, by_amount)| by_amount as u32 as usize).collect()
    }

    /// A row's day, then its amount, key's rank and place as one number, which sorts faster than three.
    fn by_amount(&self, row: usize) -> (i32, u128) {
        let LedgerRow { day, amount, rank, .. } = self.rows[row];
        (day, u128::from(amount.unsigned_abs()) << 64 | u128::from(rank) << 32 | row as u128)
    }

    /// The payers of a side, as ranges of rows.
    pub(super) fn groups(&self) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let mut from = 0;
        for group in self.rows.chunk_by(|one, other| (one.is_credit, one.payer) == (other.is_credit, other.payer)) {
            groups.push(from..from + group.len());
            from += group.len();
        }
        groups
    }

    pub(super) fn claim(&self, row: usize) {
        self.claimed[row].store(true, Relaxed);
    }

    pub(super) fn release(&self, row: usize) {
        self.claimed[row].store(false, Relaxed);
    }

    pub(super) fn is_free(&self, row: usize) -> bool {
        !self.claimed[row].load(Relaxed)
    }
}

/// Sorts rows by side, payer, day, amount, key's text and entry. Distributes them to their payers first. Their days are
/// mostly ascending, so little is left to sort.
fn by_payer(rows: impl Iterator<Item = LedgerRow> + Clone) -> Vec<LedgerRow> {
    let payer = |row: &LedgerRow| 2 * row.payer as usize + usize::from(row.is_credit);
    let payers = rows.clone().map(|row| payer(&row)).max().map_or(0, |last| last + 1);
    let mut next = vec![0; payers + 1];
    // Places one side after the other.
    let place = |payer: usize| if payer.is_multiple_of(2) { payer / 2 } else { payers.div_ceil(2) + payer / 2 };
    rows.clone().for_each(|row| next[place(payer(&row)) + 1] += 1);
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut placed = vec![LedgerRow::default(); next[payers]];
    for row in rows {
        let at = &mut next[place(payer(&row))];
        placed[*at] = row;
        *at += 1;
    }
    for payer in placed.chunk_by_mut(|one, other| (one.is_credit, one.payer) == (other.is_credit, other.payer)) {
        if !payer.is_sorted_by_key(|row| row.day) {
            payer.sort_by_key(|row| row.day);
        }
        for rows in payer.chunk_by_mut(|one, other| one.day == other.day).filter(|rows| rows.len() > 1) {
            rows.sort_unstable_by_key(|row| (row.amount, row.rank, row.entry));
        }
    }
    placed
}

/// Whether an amount is within `thousandths` of the expected one.
pub(super) fn is_within(amount: i64, expected: i64, thousandths: u32) -> bool {
    (i128::from(amount) - i128::from(expected)).abs() * 1000 <= i128::from(expected) * i128::from(thousandths)
}

/// Most free rows examined to either side of an amount on one day. Of many equal payments of a day, a few suffice.
const EXAMINED_MAX: usize = 8;

/// The free row nearest to the expected amount of a band within a range of days; among equals, the one nearest to
/// `due`. `list` has rows of one side by day and amount.
pub(super) fn nearest_free_row(
    ledger: &Ledger,
    list: &[usize],
    days: (i32, i32),
    due: i32,
    band: Band,
) -> Option<usize> {
    let rows = &ledger.rows;
    let mut best: Option<(u64, u32, usize)> = None;
    for day in days.0..=days.1 {
        let at = list.partition_point(|row| (rows[*row].day, rows[*row].amount) < (day, band.expected));
        count_work(EXAMINED_MAX);
        let right = list[at..].iter().take_while(|row| rows[**row].day == day).take(EXAMINED_MAX);
        let left = list[..at].iter().rev().take_while(|row| rows[**row].day == day).take(EXAMINED_MAX);
        for row in right.chain(left) {
            let amount = rows[*row].amount;
            if ledger.is_free(*row) && band.holds(amount) {
                let found = (amount.abs_diff(band.expected), day.abs_diff(due), *row);
                best = Some(best.map_or(found, |best| best.min(found)));
            }
        }
    }
    best.map(|(_, _, row)| row)
}

/// A band of amounts around the expected one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) expected: i64,
    /// Thousandths of the expected amount below and above it.
    pub(super) below: u32,
    pub(super) above: u32,
}

impl Band {
    pub(super) fn holds(self, amount: i64) -> bool {
        is_within(amount, self.expected, if amount < self.expected { self.below } else { self.above })
    }
}

#[cfg(test)]
thread_local! {
    static WORK: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps, in tests only, to show how work grows without a clock.
#[inline]
pub(super) fn count_work(steps: usize) {
    #[cfg(test)]
    WORK.with(|work| work.set(work.get() + steps as u64));
    #[cfg(not(test))]
    let _ = steps;
}

/// The steps counted while something ran on one thread.
#[cfg(test)]
pub(super) fn work_of(run: impl FnOnce() + Send) -> u64 {
    alone(|| {
        let before = WORK.with(std::cell::Cell::get);
        run();
        WORK.with(std::cell::Cell::get) - before
    })
}

/// Runs something without other threads.
#[cfg(test)]
pub(super) fn alone<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(run)
}
