//! Fills gaps of streams from other payers' records that come on the day and with the amount of a missing cycle,
//! and finds streams whose key differs each time. Knows rows and runs.

use crate::recurring::ledger::{Band, Ledger, nearest};
use crate::recurring::payment::{Payment, alike, single};
use crate::recurring::run::Run;
use crate::recurring::seek::seed;
use crate::recurring::selection_penalty::SelectionPenalty;

/// Another payer's record must be as near to the amount as this, in thousandths: only the amount speaks for it.
const SAME: u32 = 30;
/// What must speak for a stream of no one payer, in eighths of a bit: every amount of the statement may line up by
/// chance.
const NAMELESS: i64 = 120;

/// What no payer's own stream has claimed: of each side, debits before credits, by day and amount.
pub(super) fn unclaimed(ledger: &Ledger) -> Vec<Vec<usize>> {
    ledger.each(&[false, true], |is_credit| ledger.free(*is_credit))
}

/// Gives streams the free rows of other payers for cycles that they lack.
pub(super) fn fill_gaps(ledger: &Ledger, sides: &[Vec<usize>], runs: &mut [Run]) {
    for run in runs {
        let Some(first) = run.cycles.values().flatten().next() else { continue };
        let Some(list) = sides.get(usize::from(ledger.rows[*first].is_credit)) else { continue };
        for cycle in run.missing(1) {
            let band = Band { level: run.level(ledger, cycle), below: SAME, above: SAME };
            let due = run.schedule.due(cycle);
            if let Some(row) = nearest(ledger, list, (due - run.window, due + run.window), due, band) {
                ledger.claim(row);
                run.cycles.insert(cycle, vec![row]);
            }
        }
    }
}

/// Streams of one amount, whoever paid, of what is still free.
pub(super) fn find_without_payer(ledger: &Ledger, sides: &[Vec<usize>], runs: &mut Vec<Run>) {
    let found = ledger.each(sides, |side| {
        let free = side.iter().filter(|row| ledger.is_free(**row));
        let all: Vec<Payment> = free.map(|row| single(ledger, *row)).collect();
        let penalty = SelectionPenalty::new(&all);
        // No row is in two clusters: each is free until its own is looked at.
        ledger.each(&alike(&all, 0), |cluster| seed(ledger, &penalty, cluster, NAMELESS))
    });
    runs.extend(found.into_iter().flatten().flatten());
}
