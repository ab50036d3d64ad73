//! Counts a challenger from its champion: only the customers that differ are looked at. Most edits change few of them.

use rayon::prelude::*;

use super::count::{self, SortedAmounts, Tenures};
use super::decisions::Decisions;
use super::judged::Judged;
use super::policy::{self, CountedPolicy, Intervals, Parts};
use super::summary::{Amounts, Histogram, TableSummary};
use crate::engine::decision::{CACHE_ROWS, MetricsCache};
use crate::engine::metrics::Bits;
use crate::portfolio::outcomes::KnownRows;
use crate::rules::node_keys::NodeKey;
use crate::rules::program::DecisionTable;

const ROLE: &str = "challenger";

/// If one customer in so many differs, counting everybody is as fast.
const FEW: usize = 4;

/// A challenger beside its champion.
struct Beside<'b> {
    champion: &'b Judged<'b>,
    counted: &'b CountedPolicy,
    challenger: &'b Judged<'b>,
    /// The customers with another outcome, another greatest offer, or another tenure of it.
    differing: Bits,
    cache: &'b MetricsCache,
    known: &'b KnownRows,
}

/// Counts a challenger beside a champion that was counted. The result is that of counting it alone.
pub fn count_from_champion(
    (champion, counted): (&Judged, &CountedPolicy),
    challenger: &Judged,
    cache: &MetricsCache,
    known: &KnownRows,
) -> CountedPolicy {
    let differing = count::rows_that_differ(&champion.decisions, &challenger.decisions);
    let all = differing.len();
    let Some(amounts) = counted.amounts.as_ref().filter(|_| differing.count(0..all) < all.div_ceil(FEW)) else {
        return policy::count_policy_decisions(ROLE, challenger, cache, known);
    };
    let beside = Beside { champion, counted, challenger, differing, cache, known };
    let ((amounts, tenures), ((scores, intervals), tables)) = rayon::join(
        || (beside.amounts(amounts), beside.tenures()),
        || rayon::join(|| beside.scores(), || beside.tables()),
    );
    let summary = policy::summary_of_policy(ROLE, challenger, Parts { amounts, tenures, scores, tables }, cache, known);
    CountedPolicy { judgement: challenger.judgement.clone(), summary, amounts: None, intervals }
}

impl Beside<'_> {
    fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.differing.ones(0..self.differing.len())
    }

    /// The champion's decisions, and the challenger's.
    fn sides(&self) -> [&Decisions; 2] {
        [&self.champion.decisions, &self.challenger.decisions]
    }

    fn amounts(&self, sorted: &SortedAmounts) -> Amounts {
        let [without, with] = self.sides().map(|decisions| {
            let mut amounts: Vec<i64> = self.rows().filter_map(|row| decisions.amount(row)).collect();
            amounts.par_sort_unstable();
            amounts
        });
        let [less, more] =
            [&without, &with].map(|amounts| amounts.iter().map(|amount| i128::from(*amount)).sum::<i128>());
        sorted.changed(&without, &with, self.counted.summary.amounts.sum - less + more)
    }

    fn tenures(&self) -> Tenures {
        let known = self.counted.summary.tenures.iter().map(|row| (row.tenure, (row.customers, row.amount)));
        let mut tenures: Tenures = known.collect();
        let [before, after] = self.sides();
        for row in self.rows() {
            if let Some(amount) = after.amount(row) {
                let (customers, sum) = tenures.entry(after.tenures[row]).or_default();
                (*customers, *sum) = (*customers + 1, *sum + i128::from(amount));
            }
            if let Some(amount) = before.amount(row) {
                let (customers, sum) = tenures.entry(before.tenures[row]).or_default();
                (*customers, *sum) = (*customers - 1, *sum - i128::from(amount));
            }
        }
        tenures
    }

    /// The same scores are in the same intervals, and other customers have an offer.
    fn scores(&self) -> (Option<Histogram>, Option<Intervals>) {
        let Some(score) = self.challenger.judgement.score else { return (None, None) };
        let is_same = self.champion.judgement.score == Some(score);
        let chunks = self.cache.column(score).filter(|_| is_same);
        let (Some(chunks), Some(intervals), Some(histogram)) =
            (chunks, self.counted.intervals, &self.counted.summary.scores)
        else {
            return policy::score_histogram(self.challenger, self.cache, self.known).unzip();
        };
        let mut histogram = histogram.clone();
        let [before, after] = self.sides().map(|decisions| &decisions.outcomes[0]);
        for row in self.rows() {
            let at = intervals.at(policy::value_as_double(&chunks[row / CACHE_ROWS], row % CACHE_ROWS));
            // Past the last interval are unknown scores, whose offers nobody counts.
            let Some(offered) = histogram.offered.get_mut(at) else { continue };
            match (before.get(row), after.get(row)) {
                (false, true) => *offered += 1,
                (true, false) => *offered -= 1,
                _ => {}
            }
        }
        (Some(histogram), Some(intervals))
    }

    fn tables(&self) -> Vec<TableSummary> {
        let (cache, decisions) = (self.cache, &self.challenger.decisions);
        policy::count_each_table(self.challenger, |table, hit| {
            self.table(table, hit).or_else(|| policy::table_rows(table, cache.column(hit)?, decisions, self.known))
        })
    }

    /// A table whose rows are hit by the same customers: other amounts are offered to them.
    fn table(&self, table: &DecisionTable, hit: NodeKey) -> Option<TableSummary> {
        let at = self.champion.judgement.hits.iter().position(|known| *known == hit)?;
        let name = &self.champion.policy.program.tables.get(at)?.name;
        let known = self.counted.summary.tables.iter().find(|known| known.table == *name)?;
        let chunks = self.cache.column(hit)?;
        let mut summary = policy::table_summary(table, known.rows.iter().map(|row| row.group), known.undecided);
        let [before, after] = self.sides();
        for row in self.rows() {
            let hit = chunks[row / CACHE_ROWS].known_ints()(row % CACHE_ROWS);
            let Some(hit) = hit.and_then(|hit| summary.rows.get_mut(usize::try_from(hit).ok()?)) else { continue };
            let [less, more] = [before, after].map(|decisions| i128::from(decisions.amount(row).unwrap_or(0)));
            hit.group.amount += more - less;
        }
        Some(summary)
    }
}
