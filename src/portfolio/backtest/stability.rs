//! How far the distribution of scores and metrics moved between two periods, and how groups fare that rules must not
//! know. Formulas are in `statistics`.

use super::Judged;
use super::policy::{column_as_doubles, scores_of_customers};
use super::segments::Segments;
use super::summary::{AdverseImpact, ImpactGroup, Interval, Stability};
use crate::base::date::Day;
use crate::engine::decision::{MetricsCache, minor_units_of_value};
use crate::portfolio::statistics::adverse_impact::{GroupCounts, ImpactSettings, Judgement, Reference, adverse_impact};
use crate::portfolio::statistics::stability::{QuantileBins, STABILITY_BINS, Smoothing, population_stability};
use crate::portfolio::statistics::{Level, Proportion, StatisticsError};

/// Groups with fewer customers are named and not judged.
const GROUP_MIN: u64 = 30;

/// The stability of the score and of the judged metrics: customers whose day is before `since` beside those from
/// then on. Metrics
/// that moved most come first after the score.
///
/// # Errors
/// If a formula refuses its numbers.
pub fn stability_since_day(
    cache: &MetricsCache,
    judged: &Judged,
    days: &[Option<Day>],
    since: Day,
) -> Result<Vec<Stability>, StatisticsError> {
    let is_recent: Vec<Option<bool>> = days.iter().map(|day| day.map(|day| day >= since)).collect();
    let mut found = Vec::new();
    if let Some(values) = judged.judgement.score.and_then(|key| scores_of_customers(cache, key)) {
        found.extend(of_values("score", &values, &is_recent)?);
    }
    let mut metrics = Vec::new();
    for (name, key) in &judged.judgement.metrics {
        let Some(chunks) = cache.column(*key) else { continue };
        let is_number = chunks.iter().any(|column| !column.ints().is_empty() || column.is_number());
        if is_number {
            let minor = minor_units_of_value(judged.policy, name);
            let values = column_as_doubles(chunks, cache.rows()).into_iter().map(|value| value / minor);
            metrics.extend(of_values(name, &values.collect::<Vec<_>>(), &is_recent)?);
        }
    }
    metrics.sort_by(|one, other| other.index.total_cmp(&one.index).then_with(|| one.of.cmp(&other.of)));
    found.extend(metrics);
    Ok(found)
}

/// The score and the metrics that are numbers, of each customer; unknown ones are `None`. Money is in minor units.
pub fn list_distributions(cache: &MetricsCache, judged: &Judged) -> Vec<(String, Vec<Option<f64>>)> {
    let known = |values: Vec<f64>| values.into_iter().map(|value| Some(value).filter(|value| value.is_finite()));
    let mut found = Vec::new();
    if let Some(values) = judged.judgement.score.and_then(|key| scores_of_customers(cache, key)) {
        found.push(("score".to_owned(), known(values).collect()));
    }
    for (name, key) in &judged.judgement.metrics {
        let Some(chunks) = cache.column(*key) else { continue };
        if chunks.iter().any(|column| !column.ints().is_empty() || column.is_number()) {
            found.push((name.clone(), known(column_as_doubles(chunks, cache.rows())).collect()));
        }
    }
    found
}

fn of_values(of: &str, values: &[f64], is_recent: &[Option<bool>]) -> Result<Option<Stability>, StatisticsError> {
    let part = |wanted: bool| -> Vec<Option<f64>> {
        let rows = values.iter().zip(is_recent).filter(|(_, recent)| **recent == Some(wanted));
        rows.map(|(value, _)| Some(*value).filter(|value| value.is_finite())).collect()
    };
    let (base, recent) = (part(false), part(true));
    let bins = QuantileBins::new(&base, STABILITY_BINS)?;
    let (base, recent) = (bins.count(&base)?, bins.count(&recent)?);
    let smoothing = Smoothing::HALF;
    let Some(found) = population_stability(&base, &recent, smoothing)? else { return Ok(None) };
    let cells = bins.labels().into_iter().zip(&found.cells);
    Ok(Some(Stability {
        of: of.to_owned(),
        index: found.value,
        verdict: found.stability.word().to_owned(),
        smoothing: smoothing.rows(),
        bins: cells.map(|(name, cell)| (name, cell.base, cell.recent, cell.contribution)).collect(),
    }))
}

/// The approval rates of groups, beside that of the group with the highest rate.
///
/// # Errors
/// If a formula refuses its numbers.
pub fn adverse_impact_of(role: &str, judged: &Judged, groups: &Segments) -> Result<AdverseImpact, StatisticsError> {
    let counts: Vec<GroupCounts> = groups
        .rows
        .iter()
        .map(|(name, rows)| {
            let offered = rows.and(&judged.decisions.outcomes[0]);
            let count = |rows: &crate::engine::metrics::Bits| rows.count(0..rows.len()) as u64;
            Ok(GroupCounts { name, approved: Proportion::new(count(&offered), count(rows))? })
        })
        .collect::<Result<_, StatisticsError>>()?;
    let settings = ImpactSettings { reference: Reference::HighestRate, least: GROUP_MIN, level: Level::NINETY_FIVE };
    let found = adverse_impact(&counts, &settings)?;
    let group = |group: &crate::portfolio::statistics::adverse_impact::GroupImpact| {
        let mut shown = ImpactGroup {
            value: group.name.clone(),
            customers: group.n,
            offered: group.approved,
            rate: group.rate,
            is_reference: group.judgement == Judgement::Reference,
            ..ImpactGroup::default()
        };
        if let Judgement::Compared(impact) = &group.judgement {
            let (low, high) = impact.interval.map_or((0.0, impact.ratio), |ends| (ends.low, ends.high));
            shown.ratio = Some(Interval { value: impact.ratio, low, high, level: Level::NINETY_FIVE.share() });
            shown.is_below_four_fifths = impact.below_four_fifths;
            shown.p = Some(impact.p);
        }
        shown
    };
    Ok(AdverseImpact { by: groups.by.clone(), role: role.to_owned(), groups: found.groups.iter().map(group).collect() })
}
