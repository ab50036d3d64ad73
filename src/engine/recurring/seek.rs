//! Finds the streams of one payer: clusters amounts, fits a schedule to each cluster, and follows each stream found.
//! [`fit::fit_best_schedule`] chooses the period of a schedule, such as weekly or monthly.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fit::{self, Fit};
use super::ledger::{Ledger, NAMELESS};
use super::run::{Run, are_similar, days_off_allowed, median_amount};
use super::{between, follow, parts};
use crate::engine::recurring::payment::{PAYMENTS_MIN, Payment, cluster_by_amount, payment_of_row};
use crate::engine::recurring::schedule::{When, days_early_or_late};
use crate::engine::recurring::selection_penalty::SelectionPenalty;

/// Evidence required for a stream, in eighths of a bit. A statement has dozens of payers whose days may line up by
/// chance.
const EVIDENCE_MIN: i64 = 74;
/// Evidence from most amounts of a cluster being equal, in eighths of a bit.
const EQUAL_AMOUNTS_EVIDENCE: i64 = 24;

/// The streams of each payer.
pub(super) fn find_payer_runs(ledger: &Ledger) -> Vec<Run> {
    let is_payer = |group: &Range<usize>| group.len() >= PAYMENTS_MIN && ledger.rows[group.start].payer != NAMELESS;
    let mut payers: Vec<Range<usize>> = ledger.groups().into_iter().filter(is_payer).collect();
    // The largest first, because a large one at the end would leave the other threads idle.
    payers.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let runs = ledger.each(&payers, |group| payer_runs(ledger, &group.clone().collect::<Vec<usize>>()));
    let mut runs: Vec<(Range<usize>, Vec<Run>)> = payers.into_iter().zip(runs).collect();
    runs.sort_unstable_by_key(|(group, _)| group.start);
    runs.into_iter().flat_map(|(_, runs)| runs).collect()
}

fn payer_runs(ledger: &Ledger, list: &[usize]) -> Vec<Run> {
    let whole: Vec<Payment> = list.iter().map(|row| payment_of_row(ledger, *row)).collect();
    let mut runs = runs_among(ledger, list, &whole);
    let found: usize = runs.iter().flat_map(|run| run.cycles.values()).map(Vec::len).sum();
    if found * 5 < list.len() * 3
        && let Some(bundles) = parts::bundle_split_payments(ledger, list)
    {
        runs.drain(..).for_each(|run| release_run_rows(ledger, &run));
        runs = runs_among(ledger, list, &bundles);
        runs.iter_mut().for_each(|run| parts::fill_partial_payments(ledger, &bundles, run));
        runs.extend(runs_among(ledger, list, &whole));
    }
    runs
}

fn runs_among(ledger: &Ledger, list: &[usize], payments: &[Payment]) -> Vec<Run> {
    let mut runs = Vec::new();
    let penalty = SelectionPenalty::new(payments);
    for cluster in cluster_by_amount(payments, ledger.tolerance) {
        let is_equal = |pair: &&[usize]| payments[pair[0]].amount == payments[pair[1]].amount;
        let equal = cluster.windows(2).filter(is_equal).count();
        let evidence_min =
            if equal * 2 >= cluster.len() { EVIDENCE_MIN - EQUAL_AMOUNTS_EVIDENCE } else { EVIDENCE_MIN };
        let is_free = |at: &&usize| payments[**at].rows.iter().all(|row| ledger.is_free(*row));
        let free: Vec<usize> = cluster.iter().filter(is_free).copied().collect();
        let Some(mut run) = find_stream(ledger, &penalty, &free, evidence_min) else { continue };
        follow::fill_missing_cycles(ledger, list, &mut run);
        parts::complete_short_cycles(ledger, list, &mut run);
        follow::fill_late_cycles(ledger, list, &mut run);
        runs.push(run);
    }
    runs
}

/// The stream that explains a cluster of free payments, if its evidence is at least `evidence_min`. The evidence is
/// that of its days, less the penalty for selecting one cluster of many. Claims its rows.
pub(super) fn find_stream(
    ledger: &Ledger,
    penalty: &SelectionPenalty<'_>,
    free: &[usize],
    evidence_min: i64,
) -> Option<Run> {
    // Rules out many clusters, whose days show that no schedule can have enough evidence.
    let needed = penalty.needed(free, evidence_min)?;
    let free: Vec<&Payment> = free.iter().map(|at| &penalty.all[*at]).collect();
    let days: Vec<When> = free.iter().map(|payment| When::new(payment.day)).collect();
    let fit = between::try_closer_schedule(&days, fit::fit_best_schedule(&days, PAYMENTS_MIN as i64, needed)?);
    let run = pick_payments(&free, fit);
    if !are_similar(&run.amounts(ledger), ledger.tolerance) {
        return None;
    }
    if penalty.evidence_after(fit.evidence, run.days(ledger), run.cycles.len()) < evidence_min {
        return None;
    }
    run.cycles.values().flatten().for_each(|row| ledger.claim(*row));
    Some(run)
}

fn release_run_rows(ledger: &Ledger, run: &Run) {
    run.cycles.values().flatten().for_each(|row| ledger.release(*row));
}

/// Takes the payment nearest to the due day of each cycle; among equals, the one nearest to the median amount.
fn pick_payments(payments: &[&Payment], fit: Fit) -> Run {
    let middle = median_amount(&payments.iter().map(|payment| payment.amount).collect::<Vec<i64>>());
    let mut nearest: BTreeMap<i32, (u32, u64, usize)> = BTreeMap::new();
    for (at, payment) in payments.iter().enumerate() {
        let (cycle, off) = fit.schedule.nearest(When::new(payment.day));
        let late = days_early_or_late(fit.schedule.due(cycle), off);
        if late <= fit.reach && (fit.first..=fit.last).contains(&cycle) {
            let found = (late, payment.amount.abs_diff(middle), at);
            nearest.entry(cycle).and_modify(|best| *best = found.min(*best)).or_insert(found);
        }
    }
    let cycles = nearest.into_iter().map(|(cycle, (_, _, at))| (cycle, payments[at].rows.to_vec())).collect();
    Run { schedule: fit.schedule, window: days_off_allowed(fit.schedule.period).max(fit.reach as i32), cycles }
}
