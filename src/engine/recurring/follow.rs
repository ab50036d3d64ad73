//! Follows a stream through the rows of its payer: into missing cycles, across raises and cuts, to late and
//! combined payments. Knows one payer's rows.

use super::ledger::{Band, Ledger, nearest_free_row};
use super::run::Run;
use crate::engine::recurring::stream::Period;

/// Largest cut and raise of the last amount, in thousandths.
const CUT_MAX: u32 = 300;
const RAISE_MAX: u32 = 600;
/// The same steps seen backwards in time.
const CUT_BACKWARDS_MAX: u32 = 375;
const RAISE_BACKWARDS_MAX: u32 = 430;
/// Most missing cycles in a row that a stream is followed over.
const MISSING_MAX: i32 = 3;

/// Fills missing cycles with the payer's own rows, within a raise or a cut of the last amount. First between the ends,
/// then beyond them until too many are missing in a row.
pub(super) fn fill_missing_cycles(ledger: &Ledger, list: &[usize], run: &mut Run) {
    for cycle in run.missing(0) {
        take_row_for_cycle(ledger, list, run, cycle);
    }
    for step in [1, -1] {
        let mut missing = 0;
        let mut cycle = if step > 0 { run.ends().1 } else { run.ends().0 };
        while missing < MISSING_MAX {
            cycle += step;
            missing = if take_row_for_cycle(ledger, list, run, cycle) { 0 } else { missing + 1 };
        }
    }
}

fn take_row_for_cycle(ledger: &Ledger, list: &[usize], run: &mut Run, cycle: i32) -> bool {
    let due = run.schedule.due(cycle);
    let expected = run.expected_amount(ledger, cycle);
    let (below, above) =
        if cycle < run.ends().0 { (CUT_BACKWARDS_MAX, RAISE_BACKWARDS_MAX) } else { (CUT_MAX, RAISE_MAX) };
    let found =
        nearest_free_row(ledger, list, (due - run.window, due + run.window), due, Band { expected, below, above });
    if let Some(row) = found {
        ledger.claim(row);
        run.cycles.insert(cycle, vec![row]);
    }
    found.is_some()
}

/// Fills cycles of monthly and four-weekly streams that were paid late: alone, by the time of the next cycle, or
/// together with it as double the amount.
pub(super) fn fill_late_cycles(ledger: &Ledger, list: &[usize], run: &mut Run) {
    if !matches!(run.schedule.period, Period::Monthly | Period::FourWeekly) {
        return;
    }
    for cycle in run.missing(1) {
        let (due, next) = (run.schedule.due(cycle), run.schedule.due(cycle + 1));
        let band = |expected| Band { expected, below: ledger.tolerance, above: ledger.tolerance };
        let expected = run.expected_amount(ledger, cycle);
        let late = nearest_free_row(ledger, list, (due - run.window, next + run.window), due, band(expected));
        if let Some(row) = late {
            ledger.claim(row);
            run.cycles.insert(cycle, vec![row]);
            continue;
        }
        if run.cycles.contains_key(&(cycle + 1)) {
            continue;
        }
        let double = band(expected.saturating_mul(2));
        if let Some(row) = nearest_free_row(ledger, list, (next - run.window, next + run.window), next, double) {
            ledger.claim(row);
            run.cycles.insert(cycle, Vec::new());
            run.cycles.insert(cycle + 1, vec![row]);
        }
    }
}
