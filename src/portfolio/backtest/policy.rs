//! The summary of one policy: its decisions counted, its scores, its unknown metrics, the rows of its tables.

use std::sync::Arc;

use rayon::prelude::*;

use super::count::{self, SortedAmounts, Tally, Tenures};
use super::decisions::Decisions;
use super::judged::Judged;
use super::summary::{Amounts, GroupNumbers, Histogram, PolicySummary, TableRow, TableSummary, UnknownRow};
use crate::engine::decision::{CACHE_ROWS, Judgement, MetricsCache};
use crate::engine::metrics::{Data, ValueColumn};
use crate::portfolio::outcomes::KnownRows;
use crate::portfolio::statistics::special::round_width_up;
use crate::rules::node_keys::NodeKey;
use crate::rules::program::DecisionTable;

/// About how many intervals scores are cut into.
const INTERVALS: f64 = 20.0;

/// A policy that was counted, with what another is counted from.
#[derive(Clone)]
pub struct CountedPolicy {
    /// What was counted.
    pub judgement: Arc<Judgement>,
    /// The result.
    pub summary: PolicySummary,
    /// Its offers; `None` if it was counted from another policy.
    pub amounts: Option<SortedAmounts>,
    /// How its scores are cut into intervals.
    pub intervals: Option<Intervals>,
}

/// Counts what a policy decided; `role` is `policy`, `champion` or `challenger`.
pub fn count_policy_decisions(role: &str, judged: &Judged, cache: &MetricsCache, known: &KnownRows) -> CountedPolicy {
    let (judgement, decisions) = (&judged.judgement, &judged.decisions);
    let tables = || count_each_table(judged, |table, hit| table_rows(table, cache.column(hit)?, decisions, known));
    let scores = || score_histogram(judged, cache, known);
    let ((amounts, tenures), (scores, tables)) = rayon::join(
        || (SortedAmounts::new(decisions), count::count_by_tenure(decisions)),
        || rayon::join(scores, tables),
    );
    let (scores, intervals) = scores.unzip();
    let parts = Parts { amounts: amounts.distribution(), tenures, scores, tables };
    let summary = summary_of_policy(role, judged, parts, cache, known);
    CountedPolicy { judgement: judgement.clone(), summary, amounts: Some(amounts), intervals }
}

/// What depends on every customer's amount, score or row of a table.
pub struct Parts {
    pub amounts: Amounts,
    pub tenures: Tenures,
    pub scores: Option<Histogram>,
    pub tables: Vec<TableSummary>,
}

/// The summary of a policy with these parts.
pub fn summary_of_policy(
    role: &str,
    judged: &Judged,
    parts: Parts,
    cache: &MetricsCache,
    known: &KnownRows,
) -> PolicySummary {
    let header = judged.policy.header();
    PolicySummary {
        role: role.to_owned(),
        name: header.name.clone(),
        version: header.version.clone(),
        digest: judged.policy.digest().to_string(),
        parameters: judged.policy.overrides.clone(),
        outcomes: count::count_by_outcome(&judged.decisions, known),
        amounts: parts.amounts,
        tenures: count::tenure_rows(parts.tenures),
        reasons: count::count_by_reason(&judged.decisions),
        scores: parts.scores,
        unknown: count_unknown_metrics(cache, &judged.judgement.metrics),
        tables: parts.tables,
    }
}

/// The score of every customer, NaN where unknown.
pub fn scores_of_customers(cache: &MetricsCache, key: NodeKey) -> Option<Vec<f64>> {
    Some(column_as_doubles(cache.column(key)?, cache.rows()))
}

/// A column of numbers as doubles, NaN where unknown.
pub fn column_as_doubles(chunks: &[Arc<ValueColumn<'static>>], rows: usize) -> Vec<f64> {
    let mut numbers = vec![f64::NAN; rows];
    numbers.par_chunks_mut(CACHE_ROWS).zip(chunks).for_each(|(numbers, column)| {
        numbers.iter_mut().enumerate().for_each(|(row, number)| *number = value_as_double(column, row));
    });
    numbers
}

/// A number as a double, NaN where unknown.
pub fn value_as_double(column: &ValueColumn<'static>, row: usize) -> f64 {
    let value = match &column.data {
        _ if !column.is_known(row) => None,
        Data::Int(values) => values.get(column.at(row)).map(|value| *value as f64),
        Data::Float(values) => values.get(column.at(row)).copied(),
        _ => column.double(row),
    };
    value.unwrap_or(f64::NAN)
}

/// Intervals of a round width.
#[derive(Clone, Copy, Debug)]
pub struct Intervals {
    first: f64,
    width: f64,
    count: usize,
}

impl Intervals {
    /// Intervals from the least to the greatest score; `None` if no score is known.
    fn new(scores: &[f64]) -> Option<Intervals> {
        let finite = || scores.iter().copied().filter(|score| score.is_finite());
        let (least, greatest) = (finite().reduce(f64::min)?, finite().reduce(f64::max)?);
        let width = round_width_up((greatest - least) / INTERVALS);
        let first = (least / width).floor();
        Some(Intervals { first, width, count: ((greatest / width).floor() - first) as usize + 1 })
    }

    /// The interval of a score; one past the last where it is unknown.
    pub fn at(&self, score: f64) -> usize {
        if !score.is_finite() {
            return self.count;
        }
        (((score / self.width).floor() - self.first) as usize).min(self.count)
    }
}

/// A policy's scores in intervals.
pub fn score_histogram(judged: &Judged, cache: &MetricsCache, known: &KnownRows) -> Option<(Histogram, Intervals)> {
    histogram_of_scores(&scores_of_customers(cache, judged.judgement.score?)?, &judged.decisions, known)
}

/// Scores in intervals.
fn histogram_of_scores(scores: &[f64], decisions: &Decisions, known: &KnownRows) -> Option<(Histogram, Intervals)> {
    let cut = Intervals::new(scores)?;
    let intervals = cut.count;
    let mut found = Histogram {
        edges: (0..=intervals).map(|at| (cut.first + at as f64) * cut.width).collect(),
        customers: vec![0; intervals],
        offered: vec![0; intervals],
        known: vec![0; intervals],
        bad: vec![0; intervals],
        unknown: 0,
    };
    let of_chunk = |(chunk, scores): (usize, &[f64])| {
        let (offered, is_known, bad) = (decisions.outcomes[0].reader(), known.known.reader(), known.bad.reader());
        let mut counts = vec![[0_u64; 4]; intervals + 1];
        for (row, score) in scores.iter().enumerate() {
            let row = chunk * CACHE_ROWS + row;
            let counts = &mut counts[cut.at(*score)];
            counts[0] += 1;
            counts[1] += u64::from(offered(row));
            counts[2] += u64::from(is_known(row));
            counts[3] += u64::from(bad(row));
        }
        counts
    };
    let chunks: Vec<Vec<[u64; 4]>> = scores.par_chunks(CACHE_ROWS).enumerate().map(of_chunk).collect();
    for counts in chunks {
        found.unknown += counts[intervals][0];
        for (at, [customers, offered, known, bad]) in counts.into_iter().take(intervals).enumerate() {
            found.customers[at] += customers;
            found.offered[at] += offered;
            found.known[at] += known;
            found.bad[at] += bad;
        }
    }
    Some((found, cut))
}

fn count_unknown_metrics(cache: &MetricsCache, metrics: &[(String, NodeKey)]) -> Vec<UnknownRow> {
    let all = cache.rows();
    let count = |(name, key): &(String, NodeKey)| {
        let chunks = cache.column(*key)?;
        let of_chunk = |(chunk, column): (usize, &Arc<ValueColumn<'static>>)| {
            let rows = CACHE_ROWS.min(all - chunk * CACHE_ROWS);
            column.valid.as_ref().map_or(0, |valid| {
                let known = valid.count(0..valid.len());
                if valid.len() == rows { rows - known } else { rows * (1 - known) }
            })
        };
        let customers = chunks.iter().enumerate().map(of_chunk).sum::<usize>() as u64;
        (customers > 0).then(|| UnknownRow { metric: name.clone(), customers, share: customers as f64 / all as f64 })
    };
    let mut unknown: Vec<UnknownRow> = metrics.iter().filter_map(count).collect();
    unknown.sort_by_key(|row| std::cmp::Reverse(row.customers));
    unknown
}

/// Each table of a policy, with what `count` says of it and of its hits.
pub fn count_each_table(
    judged: &Judged,
    count: impl Fn(&DecisionTable, NodeKey) -> Option<TableSummary> + Sync,
) -> Vec<TableSummary> {
    let tables: Vec<_> = judged.policy.program.tables.iter().zip(&judged.judgement.hits).collect();
    tables.par_iter().filter_map(|(table, hit)| count(table, **hit)).collect()
}

/// The rows of a table with one hit; none for tables that may have several.
pub fn table_rows(
    table: &DecisionTable,
    chunks: &[Arc<ValueColumn<'static>>],
    decisions: &Decisions,
    known: &KnownRows,
) -> Option<TableSummary> {
    if table.hit_policy.is_many() {
        return None;
    }
    let all = decisions.rows();
    let of_chunk = |(chunk, column): (usize, &Arc<ValueColumn<'static>>)| {
        let (is_known, bad) = (known.known.reader(), known.bad.reader());
        let (mut tallies, mut undecided) = (vec![Tally::default(); table.rows.len() + 1], 0);
        let hit = column.known_ints();
        for row in chunk * CACHE_ROWS..all.min((chunk + 1) * CACHE_ROWS) {
            let hit = hit(row - chunk * CACHE_ROWS).and_then(|hit| usize::try_from(hit).ok());
            let Some(tally) = hit.and_then(|hit| tallies.get_mut(hit)) else {
                undecided += 1;
                continue;
            };
            tally.customers += 1;
            tally.amount += i128::from(decisions.amount(row).unwrap_or(0));
            tally.known += u64::from(is_known(row));
            tally.bad += u64::from(bad(row));
        }
        (tallies, undecided)
    };
    let chunks: Vec<(Vec<Tally>, u64)> = chunks.par_iter().enumerate().map(of_chunk).collect();
    let (mut tallies, mut undecided) = (vec![Tally::default(); table.rows.len() + 1], 0);
    for (of_chunk, undecided_of_chunk) in chunks {
        undecided += undecided_of_chunk;
        for (tally, more) in tallies.iter_mut().zip(of_chunk) {
            tally.customers += more.customers;
            tally.amount += more.amount;
            tally.known += more.known;
            tally.bad += more.bad;
        }
    }
    let groups = tallies.iter().map(|tally| tally.numbers(all as u64));
    Some(table_summary(table, groups, undecided))
}

/// The rows of a table with the customers of each; past the last row are those of `otherwise`.
pub fn table_summary(
    table: &DecisionTable,
    groups: impl Iterator<Item = GroupNumbers>,
    undecided: u64,
) -> TableSummary {
    let row = |(at, group): (usize, GroupNumbers)| TableRow {
        row: at + 1,
        conditions: table.rows.get(at).map_or(vec!["otherwise".to_owned()], |row| row.texts.clone()),
        group,
    };
    let shown = table.rows.len() + usize::from(table.otherwise.is_some());
    TableSummary { table: table.name.clone(), rows: groups.enumerate().take(shown).map(row).collect(), undecided }
}
