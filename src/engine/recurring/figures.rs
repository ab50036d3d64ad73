//! The figures of a stream: its amounts, its next day, missed cycles, regularity. All are whole numbers except the
//! regularity, which is one division of two whole numbers.

use super::ledger::Ledger;
use super::run::{Run, median_amount};
use crate::base::rational::Rational;
use crate::engine::recurring::schedule::{When, days_early_or_late};
use crate::engine::recurring::stream::{Period, Stream};

/// Most missed cycles of a stream that has not ended.
const MISSED_MAX: i64 = 2;
/// Latest cycles that determine the expected amount per month.
const LATEST_CYCLES: usize = 3;

/// The figures of a run.
pub(super) fn stream_from_run(ledger: &Ledger, run: &Run, as_of: i32) -> Stream {
    let members = || run.cycles.values().flatten().map(|row| &ledger.rows[*row]);
    let mut rows: Vec<usize> = members().map(|row| row.entry as usize).collect();
    rows.sort_unstable();
    let amounts = run.amounts(ledger);
    let (missed, next) = missed_and_next_due(run, as_of);
    Stream {
        is_credit: members().next().is_some_and(|row| row.is_credit),
        period: run.schedule.period,
        rows,
        amount: median_amount(&amounts),
        month_amount: month_amount(ledger, run, &amounts),
        first: members().map(|row| row.day).min().unwrap_or(as_of),
        last: members().map(|row| row.day).max().unwrap_or(as_of),
        next,
        missed,
        regularity: regularity_of_stream(ledger, run),
        is_live: missed <= MISSED_MAX,
    }
}

/// The expected amount per month. The two halves of a month may differ, so each has its own latest amounts.
fn month_amount(ledger: &Ledger, run: &Run, amounts: &[i64]) -> Option<i64> {
    let latest = |amounts: &[i64]| median_amount(&amounts[amounts.len().saturating_sub(LATEST_CYCLES)..]);
    if run.schedule.period != Period::Semimonthly {
        return per_month(latest(amounts), run.schedule.period);
    }
    let of_half = |half: i32| {
        let cycles = run.cycles.keys().filter(|cycle| cycle.rem_euclid(2) == half);
        latest(&cycles.filter_map(|cycle| run.amount(ledger, *cycle)).collect::<Vec<i64>>())
    };
    of_half(0).checked_add(of_half(1))
}

/// Converts an amount per period to an amount per month of 365.25 / 12 days, rounded to the nearest minor unit, halves
/// up. `None` on overflow.
fn per_month(amount: i64, period: Period) -> Option<i64> {
    let (times, of) = match period {
        Period::Weekly => (36_525, 8_400),
        Period::Fortnightly => (36_525, 16_800),
        // Thirteen times a year.
        Period::FourWeekly => (13, 12),
        Period::Semimonthly => (2, 1),
        Period::Monthly => (1, 1),
        Period::Quarterly => (1, 3),
    };
    let scaled = (i128::from(amount) * times * 2 + of) / (of * 2);
    i64::try_from(scaled).ok()
}

/// The number of cycles missed since the last that came, and the day of the next.
fn missed_and_next_due(run: &Run, as_of: i32) -> (i64, i32) {
    let (_, last) = run.ends();
    // The last cycle for which even a late payment would have come by now. All cycles up to it are missed.
    let (mut reached, _) = run.schedule.nearest(When::new(as_of - run.window));
    while run.schedule.due(reached) + run.window >= as_of {
        reached -= 1;
    }
    let missed = (reached - last).max(0);
    (i64::from(missed), run.schedule.due(last + missed + 1))
}

/// Half a period, the most that a payment can be off its day.
fn half_period_days(period: Period) -> u64 {
    match period {
        Period::Weekly => 3,
        Period::Fortnightly | Period::Semimonthly => 7,
        Period::FourWeekly => 14,
        Period::Monthly => 15,
        Period::Quarterly => 45,
    }
}

/// The share of cycles from the first to the last that came, each reduced by its lateness relative to the greatest.
fn regularity_of_stream(ledger: &Ledger, run: &Run) -> Rational {
    let (first, last) = run.ends();
    let half_period = half_period_days(run.schedule.period);
    let kept: u64 = run
        .cycles
        .iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(cycle, rows)| {
            let due = run.schedule.due(*cycle);
            let late = rows.iter().map(|row| u64::from(days_early_or_late(due, ledger.rows[*row].day - due))).min();
            half_period - late.unwrap_or(half_period).min(half_period)
        })
        .sum();
    // There is at least one cycle, so there is a mean.
    let all = (last - first + 1) as u64 * half_period;
    Rational::mean(i128::from(kept), all as usize).unwrap_or_default()
}
