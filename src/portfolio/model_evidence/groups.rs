//! Groups of people under a model: approvals, errors and calibration by group, and which items tell the group.

use std::collections::BTreeMap;

use serde::Serialize;

use super::held_out::{HeldOutScore, ScoresMeasured, measured_rows};
use super::learned_rows;
use crate::portfolio::learned_from::LearnedFrom;
use crate::portfolio::learning::{MeasuredRows, Proposal, bins_of_item};
use crate::portfolio::statistics::Level;
use crate::portfolio::statistics::special::exponential_of;

/// Groups are compared where so much of everybody is approved.
const APPROVED: [f64; 3] = [0.5, 0.7, 0.9];

/// Groups with fewer rows are one: figures of a few people are chance, and may tell who they are.
const LEAST_ROWS: u64 = 30;

/// A column that no rule may read, with the group of each row.
#[derive(Clone, Debug)]
pub struct ProtectedColumn {
    /// Its name.
    pub name: String,
    /// The group of each row; `None` is unknown.
    pub groups: Vec<Option<String>>,
}

/// A group at one share of approvals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ApprovalOfGroup {
    /// The share of everybody that is approved.
    pub approved_of_all: f64,
    /// The share of the group that is approved.
    pub approved: f64,
    /// The same, divided by that of the reference: below 0.8 the four-fifths rule asks for a reason.
    pub ratio: f64,
    /// The 95% interval of the ratio (Katz 1978); `None` of the reference, and without an approval.
    pub ratio_interval: Option<[f64; 2]>,
    /// Whether others are compared with this group: of those with at least 2% of the rows, it has the highest share.
    pub is_reference: bool,
    /// The share of the group's good rows that is declined.
    pub goods_declined: Option<f64>,
    /// The share of the group's bad rows that is approved.
    pub bads_approved: Option<f64>,
}

/// A group measured by held-out scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupMeasured {
    /// The group.
    pub group: String,
    /// Rows.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// The share of bad ones, by weight.
    pub bad_rate: f64,
    /// The mean of the chances to go bad, by weight.
    pub said_bad_rate: f64,
    /// AUC within the group; `None` if an outcome is missing.
    pub auc: Option<f64>,
    /// At several shares of approvals.
    pub approvals: Vec<ApprovalOfGroup>,
}

/// How well an item tells the group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProxyOfGroup {
    /// The metric.
    pub metric: String,
    /// Cramer's V between its bins and the groups: 0 tells nothing, 1 everything. Cramer 1946, chapter 21.
    pub association: f64,
}

/// The groups of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupsOfColumn {
    /// The column.
    pub column: String,
    /// The items that are computed from a metric, an input or a column of this name.
    pub read_by: Vec<String>,
    /// Rows without a group.
    pub unknown: u64,
    /// The groups, by name. Small ones are one.
    pub groups: Vec<GroupMeasured>,
    /// The items, the strongest proxy first.
    pub proxies: Vec<ProxyOfGroup>,
}

pub(super) fn measure_groups(
    proposal: &Proposal,
    from: &LearnedFrom,
    held_out: Option<&ScoresMeasured>,
    column: &ProtectedColumn,
) -> GroupsOfColumn {
    let rows = learned_rows(from);
    let pooled = pool_small_groups(&column.groups, &rows);
    let group_of = |row: usize| pooled.get(row).and_then(Option::as_deref);
    let scores: Vec<&HeldOutScore> = held_out.iter().flat_map(|found| found.first_repeat()).collect();
    let mut by_group: BTreeMap<&str, Vec<&HeldOutScore>> = BTreeMap::new();
    for score in &scores {
        if let Some(group) = group_of(score.row) {
            by_group.entry(group).or_default().push(score);
        }
    }
    let one = |(group, rows): (&&str, &Vec<&HeldOutScore>)| measure_one_group(group, rows, &measured_rows(from, rows));
    let mut groups: Vec<GroupMeasured> = by_group.iter().map(one).collect();
    for share in APPROVED {
        add_approvals(&mut groups, &by_group, &scores, share);
    }
    GroupsOfColumn {
        column: column.name.clone(),
        read_by: Vec::new(),
        unknown: rows.iter().filter(|row| group_of(**row as usize).is_none()).count() as u64,
        groups,
        proxies: rank_proxies(proposal, from, &rows, &group_of),
    }
}

/// The group of each row, with one name for all groups that have few of these rows.
fn pool_small_groups(groups: &[Option<String>], rows: &[u32]) -> Vec<Option<String>> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for group in rows.iter().filter_map(|row| groups.get(*row as usize)?.as_deref()) {
        *counts.entry(group).or_default() += 1;
    }
    let small = counts.values().filter(|count| **count < LEAST_ROWS).count();
    let pool = format!("fewer than {LEAST_ROWS} each ({small} {})", if small == 1 { "value" } else { "values" });
    let name = |group: &String| match counts.get(group.as_str()) {
        Some(count) if *count >= LEAST_ROWS => group.clone(),
        _ => pool.clone(),
    };
    groups.iter().map(|group| group.as_ref().map(&name)).collect()
}

fn measure_one_group(group: &str, rows: &[&HeldOutScore], measured: &MeasuredRows) -> GroupMeasured {
    let log_odds: Vec<f64> = rows.iter().map(|one| one.log_odds).collect();
    GroupMeasured {
        group: group.to_owned(),
        rows: rows.len() as u64,
        bads: measured.bad.iter().filter(|bad| **bad).count() as u64,
        bad_rate: measured.bad_rate(),
        said_bad_rate: measured.mean_of(|row| rows[row].chance_bad),
        auc: measured.auc(&log_odds).map(|found| found.auc),
        approvals: Vec::new(),
    }
}

/// Approves the best `share` of everybody, with all rows of the last score.
fn add_approvals(
    groups: &mut [GroupMeasured],
    by_group: &BTreeMap<&str, Vec<&HeldOutScore>>,
    scores: &[&HeldOutScore],
    share: f64,
) {
    let Some(cut) = score_of_last_approved(scores, share) else { return };
    let share_of = |part: f64, all: f64| (all > 0.0).then(|| part / all);
    for (group, rows) in groups.iter_mut().zip(by_group.values()) {
        let weigh = |bad: bool, approved: bool| -> f64 {
            let wanted = rows.iter().filter(|one| one.bad == bad && (one.log_odds >= cut) == approved);
            // The sum of nothing is -0.0.
            wanted.map(|one| one.weight.unwrap_or(1.0)).sum::<f64>() + 0.0
        };
        let (goods, bads) = (weigh(false, true) + weigh(false, false), weigh(true, true) + weigh(true, false));
        group.approvals.push(ApprovalOfGroup {
            approved_of_all: share,
            approved: share_of(weigh(false, true) + weigh(true, true), goods + bads).unwrap_or(0.0),
            ratio: 1.0,
            ratio_interval: None,
            is_reference: false,
            goods_declined: share_of(weigh(false, false), goods),
            bads_approved: share_of(weigh(true, true), bads),
        });
    }
    compare_with_reference(groups, by_group);
}

/// A group with a smaller share of the rows is compared with none: 29 CFR 1607.4 leaves groups below 2% out.
const LEAST_SHARE_OF_REFERENCE: f64 = 0.02;

/// Divides the last approvals of each group by those of the reference.
fn compare_with_reference(groups: &mut [GroupMeasured], by_group: &BTreeMap<&str, Vec<&HeldOutScore>>) {
    let all: u64 = groups.iter().map(|group| group.rows).sum();
    let last = |group: &GroupMeasured| group.approvals.last().map_or(0.0, |approval| approval.approved);
    let may_be = |group: &GroupMeasured| group.rows as f64 >= LEAST_SHARE_OF_REFERENCE * all as f64;
    let places = || (0..groups.len()).filter(|place| may_be(&groups[*place]));
    let Some(reference) = places().max_by(|a, b| last(&groups[*a]).total_cmp(&last(&groups[*b])).then(b.cmp(a))) else {
        return;
    };
    let sizes: Vec<f64> = by_group.values().map(|rows| effective_rows(rows)).collect();
    let (share, size) = (last(&groups[reference]), sizes[reference]);
    for (place, group) in groups.iter_mut().enumerate() {
        let Some(approval) = group.approvals.last_mut() else { continue };
        approval.ratio = if share > 0.0 { approval.approved / share } else { 1.0 };
        approval.is_reference = place == reference;
        if place != reference && approval.approved > 0.0 && share > 0.0 {
            let variance = |share: f64, rows: f64| (1.0 - share) / (share * rows);
            let error = (variance(approval.approved, sizes[place]) + variance(share, size)).sqrt();
            let reach = exponential_of(Level::NINETY_FIVE.z() * error);
            approval.ratio_interval = Some([approval.ratio / reach, approval.ratio * reach]);
        }
    }
}

/// How many rows of one weight would be as certain (Kish 1965).
fn effective_rows(rows: &[&HeldOutScore]) -> f64 {
    let weights = || rows.iter().map(|one| one.weight.unwrap_or(1.0));
    weights().sum::<f64>().powi(2) / weights().map(|weight| weight * weight).sum::<f64>()
}

/// The score of the last row that is approved, if the best `share` of everybody is, by weight.
fn score_of_last_approved(scores: &[&HeldOutScore], share: f64) -> Option<f64> {
    let weight = |one: &HeldOutScore| one.weight.unwrap_or(1.0);
    let mut sorted: Vec<(f64, f64)> = scores.iter().map(|one| (one.log_odds, weight(one))).collect();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut approved = 0.0;
    // Half a row more or less is nearer than a whole one.
    let is_last = |(_, weight): &&(f64, f64)| {
        approved += weight;
        approved + weight / 2.0 > total * share
    };
    sorted.iter().find(is_last).or(sorted.last()).map(|(log_odds, _)| *log_odds)
}

fn rank_proxies<'g>(
    proposal: &Proposal,
    from: &LearnedFrom,
    rows: &[u32],
    group_of: &dyn Fn(usize) -> Option<&'g str>,
) -> Vec<ProxyOfGroup> {
    let one = |at: usize| {
        let bins = bins_of_item(proposal, at, &from.columns, rows);
        let weight = |row: u32| from.sample.weight(row);
        let known =
            rows.iter().zip(&bins).filter_map(|(row, bin)| Some((*bin, group_of(*row as usize)?, weight(*row))));
        ProxyOfGroup { metric: proposal.items[at].name.clone(), association: associate_bins(known) }
    };
    let mut proxies: Vec<ProxyOfGroup> = (0..proposal.items.len()).map(one).collect();
    proxies.sort_by(|a, b| b.association.total_cmp(&a.association).then_with(|| a.metric.cmp(&b.metric)));
    proxies
}

/// Cramer's V of pairs with the weights of their rows; only proportions count.
fn associate_bins<'g>(pairs: impl Iterator<Item = (usize, &'g str, f64)>) -> f64 {
    let mut cells: BTreeMap<(usize, &str), f64> = BTreeMap::new();
    let (mut of_bins, mut of_groups): (BTreeMap<usize, f64>, BTreeMap<&str, f64>) = Default::default();
    for (bin, group, weight) in pairs {
        *cells.entry((bin, group)).or_default() += weight;
        *of_bins.entry(bin).or_default() += weight;
        *of_groups.entry(group).or_default() += weight;
    }
    let freedom = of_bins.len().min(of_groups.len()).saturating_sub(1) as f64;
    if freedom == 0.0 {
        return 0.0;
    }
    // Chi-squared over rows: the sum of n_ij^2 / (n_i n_j), less 1.
    let sum: f64 = cells.iter().map(|((bin, group), count)| count * count / (of_bins[bin] * of_groups[group])).sum();
    ((sum - 1.0).max(0.0) / freedom).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{associate_bins, pool_small_groups};

    #[test]
    fn small_groups_are_one() {
        let mut groups: Vec<Option<String>> = vec![Some("many".to_owned()); 30];
        groups.extend((0..29).map(|_| Some("few".to_owned())));
        groups.extend([Some("one".to_owned()), None]);
        let rows: Vec<u32> = (0..groups.len() as u32).collect();
        let found = pool_small_groups(&groups, &rows);
        assert_eq!(found[..30], groups[..30]);
        let pool = Some("fewer than 30 each (2 values)".to_owned());
        assert!(found[30..60].iter().all(|group| *group == pool), "{found:?}");
        assert_eq!(found[60], None);
        // Rows that were kept for the test do not make a group large.
        let found = pool_small_groups(&groups, &rows[1..]);
        assert_eq!(found[0], Some("fewer than 30 each (3 values)".to_owned()));
    }

    #[test]
    fn association_by_hand() {
        let pairs = |counts: [usize; 4]| {
            let names = [(0, "a"), (0, "b"), (1, "a"), (1, "b")];
            let cells = names.into_iter().zip(counts);
            cells.flat_map(|((bin, group), count)| std::iter::repeat_n((bin, group, 1.0), count)).collect::<Vec<_>>()
        };
        assert!((associate_bins(pairs([10, 0, 0, 20]).into_iter()) - 1.0).abs() < 1e-12);
        assert!(associate_bins(pairs([10, 20, 5, 10]).into_iter()).abs() < 1e-7);
        // Of 30, 10, 10, 30: chi-squared is 80 * (900 - 100)^2 / 40^4 = 20, and V the root of 20 / 80.
        assert!((associate_bins(pairs([30, 10, 10, 30]).into_iter()) - 0.5).abs() < 1e-12);
        assert_eq!(associate_bins(pairs([10, 0, 20, 0]).into_iter()), 0.0);
        // A weight counts as so many rows.
        let weighed = [(0, "a", 3.0), (0, "b", 1.0), (1, "a", 1.0), (1, "b", 3.0)];
        assert!((associate_bins(weighed.into_iter()) - 0.5).abs() < 1e-12);
    }
}
