//! A stream under construction: the rows of each cycle, their amounts, and the missing cycles.

use std::collections::BTreeMap;

use super::ledger::{Ledger, is_within};
use crate::engine::recurring::schedule::Schedule;
use crate::engine::recurring::stream::Period;

/// The rows of each cycle that came. A cycle without rows was paid together with the next.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) schedule: Schedule,
    /// Most days that a payment may be off.
    pub(super) window: i32,
    pub(super) cycles: BTreeMap<i32, Vec<usize>>,
}

impl Run {
    /// The first and the last cycle that came.
    pub(super) fn ends(&self) -> (i32, i32) {
        let first = self.cycles.keys().next().copied().unwrap_or(0);
        (first, self.cycles.keys().next_back().copied().unwrap_or(first))
    }

    /// The first and the last day of its rows.
    pub(super) fn days(&self, ledger: &Ledger) -> (i32, i32) {
        let days = || self.cycles.values().flatten().map(|row| ledger.rows[*row].day);
        (days().min().unwrap_or(0), days().max().unwrap_or(0))
    }

    /// The amount of a cycle; `None` if it did not come. A payment for two cycles counts half for each.
    pub(super) fn amount(&self, ledger: &Ledger, cycle: i32) -> Option<i64> {
        let rows = self.cycles.get(&cycle)?;
        let before = self.cycles.get(&(cycle - 1)).is_some_and(Vec::is_empty);
        let (rows, share) = match self.cycles.get(&(cycle + 1)) {
            Some(next) if rows.is_empty() => (next, 2),
            _ => (rows, if before { 2 } else { 1 }),
        };
        Some(rows.iter().fold(0i64, |sum, row| sum.saturating_add(ledger.rows[*row].amount)) / share)
    }

    /// The amounts of all cycles, in order of time.
    pub(super) fn amounts(&self, ledger: &Ledger) -> Vec<i64> {
        self.cycles.keys().filter_map(|cycle| self.amount(ledger, *cycle)).collect()
    }

    /// The expected amount of a cycle: that of the cycle before it, else of the one after.
    pub(super) fn expected_amount(&self, ledger: &Ledger, cycle: i32) -> i64 {
        let before = self.cycles.range(..cycle).next_back();
        let near = before.or_else(|| self.cycles.range(cycle + 1..).next());
        near.and_then(|(cycle, _)| self.amount(ledger, *cycle)).unwrap_or(0)
    }

    /// The cycles that did not come, including `beyond` cycles past either end.
    pub(super) fn missing(&self, beyond: i32) -> Vec<i32> {
        let (first, last) = self.ends();
        (first - beyond..=last + beyond).filter(|cycle| !self.cycles.contains_key(cycle)).collect()
    }
}

/// Most days that a payment may be off, whatever the schedule's reach.
pub(super) fn days_off_allowed(period: Period) -> i32 {
    match period {
        Period::Weekly => 1,
        Period::Fortnightly | Period::FourWeekly => 2,
        Period::Semimonthly => 3,
        Period::Monthly => 4,
        Period::Quarterly => 7,
    }
}

/// Whether four in five amounts are within the tolerance of the median of the five around them. A raise moves the
/// median with it.
pub(super) fn are_similar(amounts: &[i64], thousandths: u32) -> bool {
    let near = |at: usize| {
        let from = at.saturating_sub(2).min(amounts.len().saturating_sub(5));
        is_within(amounts[at], median_amount(&amounts[from..amounts.len().min(from + 5)]), thousandths)
    };
    (0..amounts.len()).filter(|at| near(*at)).count() * 5 >= amounts.len() * 4
}

/// The median amount; the lower of two middle ones.
pub(super) fn median_amount(amounts: &[i64]) -> i64 {
    let mut sorted = amounts.to_vec();
    let middle = sorted.len().saturating_sub(1) / 2;
    if sorted.is_empty() { 0 } else { *sorted.select_nth_unstable(middle).1 }
}
