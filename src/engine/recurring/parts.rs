//! Payments that come in parts, days apart, sometimes or every time. Knows one payer's rows.

use std::ops::Range;

use smallvec::SmallVec;

use super::ledger::{Ledger, is_within};
use super::payment::{PAYMENTS_MIN, Payment, cluster_by_amount};
use super::run::{Run, are_similar};
use crate::engine::recurring::stream::Period;

/// The parts of one payment come within this many days.
const PARTS_DAYS: i32 = 12;
/// Most parts of one payment.
const PARTS_MAX: usize = 4;
/// A cycle that brought less than a quarter of its amount did not come.
const PARTIAL: i64 = 4;
/// Most records of a cycle that are examined as parts.
const EXAMINED_MAX: usize = 16;

/// Completes cycles that brought too little or nothing. Adds two of the payer's rows near the day, or one to the row
/// that is there, if they make up the expected amount.
pub(super) fn complete_short_cycles(ledger: &Ledger, list: &[usize], run: &mut Run) {
    if !matches!(run.schedule.period, Period::Monthly | Period::FourWeekly) {
        return;
    }
    let (first, last) = run.ends();
    for cycle in first - 1..=last + 1 {
        let expected = run.expected_amount(ledger, cycle);
        let due = run.schedule.due(cycle);
        let paid = run.amount(ledger, cycle).unwrap_or(0);
        if is_within(paid, expected, ledger.tolerance / 2) || paid > expected {
            continue;
        }
        let from = list.partition_point(|row| ledger.rows[*row].day < due - PARTS_DAYS);
        let near: Vec<usize> = list[from..]
            .iter()
            .take(4 * EXAMINED_MAX)
            .take_while(|row| ledger.rows[**row].day <= due + PARTS_DAYS)
            .filter(|row| ledger.is_free(**row) && ledger.rows[**row].amount < expected)
            .take(EXAMINED_MAX)
            .copied()
            .collect();
        let Some(found) = find_completing_rows(ledger, &near, expected, paid) else { continue };
        found.iter().for_each(|row| ledger.claim(*row));
        let slot = run.cycles.entry(cycle).or_default();
        slot.extend(found);
        slot.sort_unstable();
    }
}

/// The rows that bring the paid amount nearest to the expected one: one row if something was paid, else two. The sum
/// must be within the tolerance, and nearer than the paid amount alone.
fn find_completing_rows(ledger: &Ledger, near: &[usize], expected: i64, paid: i64) -> Option<Vec<usize>> {
    let amount = |row: usize| ledger.rows[row].amount;
    let mut best: Option<(u64, Vec<usize>)> = None;
    let mut offer = |rows: Vec<usize>| {
        let sum = rows.iter().fold(paid, |sum, row| sum.saturating_add(amount(*row)));
        let off = sum.abs_diff(expected);
        if is_within(sum, expected, ledger.tolerance) && best.as_ref().is_none_or(|(least, _)| off < *least) {
            best = Some((off, rows));
        }
    };
    for (at, one) in near.iter().enumerate() {
        if paid > 0 {
            offer(vec![*one]);
        } else {
            let apart = |other: &&usize| ledger.rows[**other].day - ledger.rows[*one].day <= PARTS_DAYS;
            near[at + 1..].iter().filter(apart).for_each(|other| offer(vec![*one, *other]));
        }
    }
    best.filter(|(off, _)| *off < paid.abs_diff(expected)).map(|(_, rows)| rows)
}

/// Combines rows that are days apart into payments, if pay is split every time. That is so if most payments come in
/// parts with quiet days between them, and the sums agree while the parts do not.
pub(super) fn bundle_split_payments(ledger: &Ledger, list: &[usize]) -> Option<Vec<Payment>> {
    let bundles = group_into_bundles(ledger, list);
    let day = |row: usize| ledger.rows[list[row]].day;
    let is_apart = |pair: &[Range<usize>]| day(pair[1].start) - day(pair[0].end - 1) > PARTS_DAYS;
    let apart = bundles.windows(2).filter(|pair| is_apart(pair)).count();
    let in_parts = bundles.iter().filter(|bundle| bundle.len() > 1).count();
    // Rules out most payers.
    if apart * 5 < bundles.len().saturating_sub(1) * 4 || in_parts < PAYMENTS_MIN || in_parts * 2 < bundles.len() {
        return None;
    }
    let payments: Vec<Payment> = bundles.into_iter().map(|bundle| payment_of_rows(ledger, &list[bundle])).collect();
    let most = cluster_by_amount(&payments, ledger.tolerance).first().map_or(0, Vec::len);
    let rows: Vec<i64> = list.iter().map(|row| ledger.rows[*row].amount).collect();
    (most * 2 >= payments.len() && !are_similar(&rows, ledger.tolerance)).then_some(payments)
}

/// Groups rows that come within days of the first one, up to the most parts of a payment.
fn group_into_bundles(ledger: &Ledger, list: &[usize]) -> Vec<Range<usize>> {
    let mut bundles: Vec<Range<usize>> = Vec::new();
    let mut opened = 0;
    for (at, row) in list.iter().enumerate() {
        let day = ledger.rows[*row].day;
        match bundles.last_mut() {
            Some(open) if open.len() < PARTS_MAX && day - opened <= PARTS_DAYS => open.end = at + 1,
            _ => {
                opened = day;
                bundles.push(at..at + 1);
            }
        }
    }
    bundles
}

/// Rows as one payment on the day of the first.
fn payment_of_rows(ledger: &Ledger, rows: &[usize]) -> Payment {
    let amount = rows.iter().fold(0i64, |sum, row| sum.saturating_add(ledger.rows[*row].amount));
    Payment { day: ledger.rows[rows[0]].day, amount, rows: SmallVec::from_slice(rows) }
}

/// Fills missing cycles of a stream that comes in parts with a partial payment, if the rest came under another name.
pub(super) fn fill_partial_payments(ledger: &Ledger, payments: &[Payment], run: &mut Run) {
    for cycle in run.missing(1) {
        let due = run.schedule.due(cycle);
        let expected = run.expected_amount(ledger, cycle);
        let from = payments.partition_point(|payment| payment.day < due - run.window);
        let until = due + run.window;
        let near = payments[from..].iter().take(EXAMINED_MAX).take_while(|payment| payment.day <= until);
        let free = |payment: &&Payment| payment.rows.iter().all(|row| ledger.is_free(*row));
        let found = near.filter(free).filter(|payment| payment.amount <= expected).max_by_key(|payment| payment.amount);
        if let Some(payment) = found.filter(|payment| payment.amount >= expected / PARTIAL) {
            payment.rows.iter().for_each(|row| ledger.claim(*row));
            run.cycles.insert(cycle, payment.rows.to_vec());
        }
    }
}
