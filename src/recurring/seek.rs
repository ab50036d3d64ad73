//! Finds the streams of one payer: clusters of similar amounts, each tried for a schedule; a stream that is found
//! is followed further. Knows nothing of other payers.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fit::{self, Fit};
use super::ledger::{Ledger, NAMELESS};
use super::run::{Run, are_similar, median, window};
use super::{between, follow, parts};
use crate::recurring::payment::{LEAST, Payment, alike, single};
use crate::recurring::schedule::{When, lateness};
use crate::recurring::selection_penalty::SelectionPenalty;

/// What must speak for a stream, in eighths of a bit: a statement has some dozens of payers that chance may line up.
const ENOUGH: i64 = 74;
/// What it tells that most amounts of a cluster are equal, in eighths of a bit.
const EQUAL: i64 = 24;
/// The streams of every payer by itself.
pub(super) fn runs(ledger: &Ledger) -> Vec<Run> {
    let is_payer = |group: &Range<usize>| group.len() >= LEAST && ledger.rows[group.start].payer != NAMELESS;
    let mut payers: Vec<Range<usize>> = ledger.groups().into_iter().filter(is_payer).collect();
    // A large one that came last would leave all threads but one without work.
    payers.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let runs = ledger.each(&payers, |group| of_payer(ledger, &group.clone().collect::<Vec<usize>>()));
    let mut runs: Vec<(Range<usize>, Vec<Run>)> = payers.into_iter().zip(runs).collect();
    runs.sort_unstable_by_key(|(group, _)| group.start);
    runs.into_iter().flat_map(|(_, runs)| runs).collect()
}

fn of_payer(ledger: &Ledger, list: &[usize]) -> Vec<Run> {
    let whole: Vec<Payment> = list.iter().map(|row| single(ledger, *row)).collect();
    let mut runs = among(ledger, list, &whole);
    let found: usize = runs.iter().flat_map(|run| run.cycles.values()).map(Vec::len).sum();
    if found * 5 < list.len() * 3
        && let Some(bundles) = parts::bundled(ledger, list)
    {
        runs.drain(..).for_each(|run| release(ledger, &run));
        runs = among(ledger, list, &bundles);
        runs.iter_mut().for_each(|run| parts::partial(ledger, &bundles, run));
        runs.extend(among(ledger, list, &whole));
    }
    runs
}

fn among(ledger: &Ledger, list: &[usize], payments: &[Payment]) -> Vec<Run> {
    let mut runs = Vec::new();
    let penalty = SelectionPenalty::new(payments);
    for cluster in alike(payments, ledger.tolerance) {
        let is_equal = |pair: &&[usize]| payments[pair[0]].amount == payments[pair[1]].amount;
        let equal = cluster.windows(2).filter(is_equal).count();
        let asked = if equal * 2 >= cluster.len() { ENOUGH - EQUAL } else { ENOUGH };
        let is_free = |at: &&usize| payments[**at].rows.iter().all(|row| ledger.is_free(*row));
        let free: Vec<usize> = cluster.iter().filter(is_free).copied().collect();
        let Some(mut run) = seed(ledger, &penalty, &free, asked) else { continue };
        follow::follow(ledger, list, &mut run);
        parts::complete(ledger, list, &mut run);
        follow::arrears(ledger, list, &mut run);
        runs.push(run);
    }
    runs
}

/// The stream that explains a cluster of free payments, its rows claimed, if as much speaks for it as is asked: its
/// days, less what it tells that it is one cluster of many.
pub(super) fn seed(ledger: &Ledger, penalty: &SelectionPenalty<'_>, free: &[usize], asked: i64) -> Option<Run> {
    // Many clusters end here: their days alone show that no beat can say enough.
    let needed = penalty.needed(free, asked)?;
    let free: Vec<&Payment> = free.iter().map(|at| &penalty.all[*at]).collect();
    let days: Vec<When> = free.iter().map(|payment| When::new(payment.day)).collect();
    let fit = between::closer(&days, fit::best(&days, LEAST as i64, needed)?);
    let run = picked(&free, fit);
    if !are_similar(&run.amounts(ledger), ledger.tolerance) {
        return None;
    }
    if penalty.evidence_after(fit.evidence, run.days(ledger), run.cycles.len()) < asked {
        return None;
    }
    run.cycles.values().flatten().for_each(|row| ledger.claim(*row));
    Some(run)
}

fn release(ledger: &Ledger, run: &Run) {
    run.cycles.values().flatten().for_each(|row| ledger.release(*row));
}

/// The payment of each cycle that is nearest to its day; of those as near, the one nearest to the median amount.
fn picked(payments: &[&Payment], fit: Fit) -> Run {
    let middle = median(&payments.iter().map(|payment| payment.amount).collect::<Vec<i64>>());
    let mut nearest: BTreeMap<i32, (u32, u64, usize)> = BTreeMap::new();
    for (at, payment) in payments.iter().enumerate() {
        let (cycle, off) = fit.schedule.nearest(When::new(payment.day));
        let late = lateness(fit.schedule.due(cycle), off);
        if late <= fit.reach && (fit.first..=fit.last).contains(&cycle) {
            let found = (late, payment.amount.abs_diff(middle), at);
            nearest.entry(cycle).and_modify(|best| *best = found.min(*best)).or_insert(found);
        }
    }
    let cycles = nearest.into_iter().map(|(cycle, (_, _, at))| (cycle, payments[at].rows.to_vec())).collect();
    Run { schedule: fit.schedule, window: window(fit.schedule.period).max(fit.reach as i32), cycles }
}
