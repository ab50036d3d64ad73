//! Finds the recurring streams of a statement: pay, pensions, rents, instalments, subscriptions. Days, amounts
//! and counterparty keys in, streams out. Uses only whole numbers, so that every machine gives the same result. Must
//! not know Polars, rules or the meaning of narrations; keys are only compared. Which stream is salary is
//! decided by `is_salary` and `pays_salary` in `rules/metrics.toml`. docs/explanation/detection.md describes the
//! algorithm.

mod between;
mod figures;
mod fit;
mod follow;
mod gap_fill;
mod ledger;
mod parts;
#[cfg(test)]
mod pay_days;
mod payer_aliases;
mod payment;
mod run;
mod schedule;
mod seek;
mod selection_penalty;
mod stream;
#[cfg(test)]
mod tests;

pub use self::stream::{Period, Stream, StreamEntry, TOLERANCE};

/// The streams of one statement's entries up to `as_of`; the caller must not pass later entries. `tolerance` is how far
/// amounts of a stream may differ, in thousandths. No entry is in two streams. Streams are in the order of their first
/// rows.
///
/// ```
/// use lendwright::recurring::{Period, StreamEntry, TOLERANCE, find_recurring_streams};
/// use lendwright::base::date::Day;
/// let day = |text| Day::parse_iso(text).unwrap().days();
/// let pay = ["2026-01-23", "2026-02-25", "2026-03-25", "2026-04-24"]
///     .map(|text| StreamEntry { day: day(text), amount: 25_000_000, is_credit: true, key: 0 });
/// let found = find_recurring_streams(&pay, &["acme foods"], day("2026-04-30"), TOLERANCE);
/// assert_eq!(found[0].period, Period::Monthly);
/// assert_eq!(found[0].rows, [0, 1, 2, 3]);
/// assert_eq!(found[0].next, day("2026-05-25"));
/// ```
pub fn find_recurring_streams(entries: &[StreamEntry], keys: &[&str], as_of: i32, tolerance: u32) -> Vec<Stream> {
    let ledger = ledger::Ledger::new(entries, keys, tolerance);
    let mut runs = seek::find_payer_runs(&ledger);
    let sides = gap_fill::unclaimed_rows(&ledger);
    gap_fill::fill_gaps(&ledger, &sides, &mut runs);
    gap_fill::find_without_payer(&ledger, &sides, &mut runs);
    let mut found: Vec<Stream> = runs.iter().map(|run| figures::stream_from_run(&ledger, run, as_of)).collect();
    found.sort_by(|one, other| one.rows.cmp(&other.rows));
    found
}
