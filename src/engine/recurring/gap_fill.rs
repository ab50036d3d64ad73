//! Fills gaps of streams with other payers' records that have the day and the amount of a missing cycle, and finds
//! streams whose key differs each time. Knows rows and runs.

use crate::engine::recurring::ledger::{Band, Ledger, nearest_free_row};
use crate::engine::recurring::payment::{Payment, cluster_by_amount, payment_of_row};
use crate::engine::recurring::run::Run;
use crate::engine::recurring::seek::find_stream;
use crate::engine::recurring::selection_penalty::SelectionPenalty;

/// How near another payer's record must be to the amount, in thousandths. Only the amount is evidence for it.
const GAP_TOLERANCE: u32 = 30;
/// Evidence required for a stream without a payer, in eighths of a bit. Any amounts of the statement may line up by
/// chance.
const NAMELESS_EVIDENCE_MIN: i64 = 120;

/// The unclaimed rows of each side, debits before credits, by day and amount.
pub(super) fn unclaimed_rows(ledger: &Ledger) -> Vec<Vec<usize>> {
    ledger.each(&[false, true], |is_credit| ledger.free(*is_credit))
}

/// Fills missing cycles of streams with free rows of other payers.
pub(super) fn fill_gaps(ledger: &Ledger, sides: &[Vec<usize>], runs: &mut [Run]) {
    for run in runs {
        let Some(first) = run.cycles.values().flatten().next() else { continue };
        let Some(list) = sides.get(usize::from(ledger.rows[*first].is_credit)) else { continue };
        for cycle in run.missing(1) {
            let band =
                Band { expected: run.expected_amount(ledger, cycle), below: GAP_TOLERANCE, above: GAP_TOLERANCE };
            let due = run.schedule.due(cycle);
            if let Some(row) = nearest_free_row(ledger, list, (due - run.window, due + run.window), due, band) {
                ledger.claim(row);
                run.cycles.insert(cycle, vec![row]);
            }
        }
    }
}

/// Finds streams of one amount, whoever paid, among the rows that are still free.
pub(super) fn find_without_payer(ledger: &Ledger, sides: &[Vec<usize>], runs: &mut Vec<Run>) {
    let found = ledger.each(sides, |side| {
        let free = side.iter().filter(|row| ledger.is_free(**row));
        let all: Vec<Payment> = free.map(|row| payment_of_row(ledger, *row)).collect();
        let penalty = SelectionPenalty::new(&all);
        // No row is in two clusters, so each is free until its own cluster is examined.
        ledger
            .each(&cluster_by_amount(&all, 0), |cluster| find_stream(ledger, &penalty, cluster, NAMELESS_EVIDENCE_MIN))
    });
    runs.extend(found.into_iter().flatten().flatten());
}
