//! Items by month, or by quarter or year where months are small: the share and the bad rate of each bin, how far they
//! moved, and whether the weights would have been found there too.

use std::collections::BTreeMap;

use serde::Serialize;

use super::rows_of_time;
use crate::base::date::format_month;
use crate::portfolio::learned_from::LearnedFrom;
use crate::portfolio::learning::{
    Auc, Count, MeasuredRows, Proposal, RefittedWeight, bins_of_item, first_month_of_later_half, psi_of_bin_weights,
    refit_weights, weight_of_evidence,
};
use crate::portfolio::statistics::Level;
use crate::portfolio::statistics::intervals::wilson_interval_of_rate;

/// Periods are as long as it takes that half of them have so many rows: with fewer, PSI is mostly chance.
pub const LEAST_ROWS: u64 = 100;

/// So many standard errors below 0, a weight is surely negative.
const SURELY: f64 = 2.0;

/// How long periods are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PeriodLength {
    /// Calendar months.
    Month,
    /// Quarters of a calendar year.
    Quarter,
    /// Calendar years.
    Year,
}

impl PeriodLength {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            PeriodLength::Month => "month",
            PeriodLength::Quarter => "quarter",
            PeriodLength::Year => "year",
        }
    }

    fn months(self) -> i32 {
        match self {
            PeriodLength::Month => 1,
            PeriodLength::Quarter => 3,
            PeriodLength::Year => 12,
        }
    }

    fn name(self, period: i32) -> String {
        match self {
            PeriodLength::Month => format_month(period),
            PeriodLength::Quarter => format!("{} Q{}", period.div_euclid(4), period.rem_euclid(4) + 1),
            PeriodLength::Year => period.to_string(),
        }
    }
}

/// Rows of a period, those kept for the test with the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeriodRows {
    /// As `2024-01`, `2024 Q1` or `2024`.
    pub name: String,
    /// Rows.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// How many of them were kept for the test.
    pub later: u64,
}

/// A bin in a period.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BinInPeriod {
    /// Rows.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// The share of the period's rows, by weight.
    pub share: f64,
    /// The share of bad ones, by weight; `None` without rows.
    pub bad_rate: Option<f64>,
    /// Wilson's 95% interval of the bad rate; with weights, of the effective number of rows.
    pub interval: Option<[f64; 2]>,
    /// The weight of evidence within the period, smoothed as in the proposal.
    pub woe: f64,
}

/// An item in a period.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemInPeriod {
    /// The population stability index against the rows learned from.
    pub psi: f64,
    /// AUC of the item alone, as its bins count; `None` if an outcome is missing.
    pub auc: Option<Auc>,
    /// Its bins, in the order of the item's points.
    pub bins: Vec<BinInPeriod>,
}

/// Whether a weight has its sign on every part of the rows on which it was fitted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignHolds {
    /// It is above 0 everywhere.
    Yes,
    /// It is below 0 somewhere, but not surely: by less than two standard errors.
    PerhapsNot,
    /// It is below 0 somewhere, by two standard errors or more.
    No,
    /// It was fitted again nowhere, because there are too few bad or good rows.
    NotKnown,
}

impl SignHolds {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            SignHolds::Yes => "yes",
            SignHolds::PerhapsNot => "perhaps not",
            SignHolds::No => "no",
            SignHolds::NotKnown => "not known",
        }
    }
}

/// An item over the periods.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemOverPeriods {
    /// The metric.
    pub metric: String,
    /// Its periods.
    pub periods: Vec<ItemInPeriod>,
    /// Whether its weight keeps its sign.
    pub sign_holds: SignHolds,
}

impl ItemOverPeriods {
    /// The period with the largest index, and the index. Of periods with few rows only if there are no others.
    pub fn largest_psi(&self, periods: &[PeriodRows]) -> Option<(usize, f64)> {
        let is_large = |at: &usize| periods[*at].rows >= LEAST_ROWS;
        let all = || 0..self.periods.len();
        let largest = |at: Option<usize>| at.map(|at| (at, self.periods[at].psi));
        let by_psi = |a: &usize, b: &usize| self.periods[*a].psi.total_cmp(&self.periods[*b].psi);
        largest(all().filter(is_large).max_by(by_psi).or_else(|| all().max_by(by_psi)))
    }
}

/// The weights of all items, fitted again on a part of the rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefittedPart {
    /// `earlier half`, `later half`, or the period.
    pub name: String,
    /// Rows.
    pub rows: u64,
    /// How many of them are bad.
    pub bads: u64,
    /// The weights, in the order of the items. `None` if there are too few bad or good rows, or no answer.
    pub weights: Option<Vec<RefittedWeight>>,
}

/// Items over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StabilityByPeriod {
    /// How long the periods are.
    pub length: PeriodLength,
    /// The periods.
    pub periods: Vec<PeriodRows>,
    /// The items.
    pub items: Vec<ItemOverPeriods>,
    /// The weights fitted again: on the halves of time, then on the periods.
    pub refitted: Vec<RefittedPart>,
}

/// Measures the items over time. `None` if no two months are known.
pub fn measure_periods(proposal: &Proposal, from: &LearnedFrom) -> Option<StabilityByPeriod> {
    let learned = rows_of_time(from, false);
    let month = |row: u32| from.sample.month.as_ref().and_then(|months| months[row as usize]);
    let all: Vec<(u32, i32)> = (0..from.sample.bad.len() as u32).filter_map(|row| Some((row, month(row)?))).collect();
    let (length, by_period) = choose_length(&all)?;
    let is_later = |row: &&u32| from.sample.later.get(**row as usize).copied().unwrap_or(false);
    let periods = by_period.iter().map(|(period, rows)| PeriodRows {
        name: length.name(*period),
        rows: rows.len() as u64,
        bads: count_bads(from, rows),
        later: rows.iter().filter(is_later).count() as u64,
    });
    let mut found = StabilityByPeriod {
        length,
        periods: periods.collect(),
        items: Vec::new(),
        refitted: refit_on_parts(proposal, from, &learned, length, &by_period),
    };
    for at in 0..proposal.items.len() {
        let base = count_by_bin(proposal, from, at, &learned);
        let in_period = |rows: &Vec<u32>| measure_item(proposal, from, at, &base, rows);
        found.items.push(ItemOverPeriods {
            metric: proposal.items[at].name.clone(),
            periods: by_period.values().map(in_period).collect(),
            sign_holds: judge_sign(&found.refitted, at),
        });
    }
    Some(found)
}

/// The shortest periods of which half have enough rows, and their rows; years, if none do.
fn choose_length(rows: &[(u32, i32)]) -> Option<(PeriodLength, BTreeMap<i32, Vec<u32>>)> {
    let part = |length: PeriodLength| {
        let mut periods: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        for (row, month) in rows {
            periods.entry(month.div_euclid(length.months())).or_default().push(*row);
        }
        (length, periods)
    };
    let is_large = |periods: &BTreeMap<i32, Vec<u32>>| {
        let large = periods.values().filter(|rows| rows.len() as u64 >= LEAST_ROWS).count();
        2 * large >= periods.len()
    };
    let parts = [PeriodLength::Month, PeriodLength::Quarter, PeriodLength::Year].map(part);
    let mut several = parts.into_iter().filter(|(_, periods)| periods.len() > 1).collect::<Vec<_>>();
    let at = several.iter().position(|(_, periods)| is_large(periods)).or(several.len().checked_sub(1))?;
    Some(several.swap_remove(at))
}

fn count_bads(from: &LearnedFrom, rows: &[u32]) -> u64 {
    rows.iter().filter(|row| from.sample.bad[**row as usize]).count() as u64
}

/// The rows of each bin of an item, counted.
fn count_by_bin(proposal: &Proposal, from: &LearnedFrom, item: usize, rows: &[u32]) -> Vec<Count> {
    let mut counts = vec![Count::default(); proposal.items[item].rows.len()];
    for (row, bin) in rows.iter().zip(bins_of_item(proposal, item, &from.columns, rows)) {
        counts[bin].add(from.sample.bad[*row as usize], from.sample.weight(*row));
    }
    counts
}

fn measure_item(proposal: &Proposal, from: &LearnedFrom, item: usize, base: &[Count], rows: &[u32]) -> ItemInPeriod {
    let counts = count_by_bin(proposal, from, item, rows);
    let all = counts.iter().fold(Count::default(), |sum, count| sum.and(*count));
    let places = bins_of_item(proposal, item, &from.columns, rows);
    let squares = |bin: usize| -> f64 {
        let held = rows.iter().zip(&places).filter(|(_, place)| **place == bin);
        held.map(|(row, _)| from.sample.weight(*row) * from.sample.weight(*row)).sum()
    };
    let one = |(bin, count): (usize, &Count)| {
        let bad_rate = (count.rows() > 0).then(|| count.rate());
        let effective = count.weight() * count.weight() / squares(bin).max(f64::MIN_POSITIVE);
        let interval = bad_rate.and_then(|rate| wilson_interval_of_rate(rate, effective, Level::NINETY_FIVE));
        BinInPeriod {
            rows: count.rows(),
            bads: count.bads,
            share: count.weight() / all.weight().max(f64::MIN_POSITIVE),
            bad_rate,
            interval: interval.map(|interval| [interval.low, interval.high]),
            woe: weight_of_evidence(*count, all, proposal.settings.bins.smoothing),
        }
    };
    let weights_of = |counts: &[Count]| counts.iter().map(|count| count.weight()).collect::<Vec<f64>>();
    let values: Vec<f64> = places.iter().map(|bin| proposal.items[item].rows[*bin].bin.value).collect();
    ItemInPeriod {
        psi: psi_of_bin_weights(&weights_of(&counts), &weights_of(base)),
        auc: MeasuredRows::of_sample(&from.sample, rows).auc(&values),
        bins: counts.iter().enumerate().map(one).collect(),
    }
}

fn refit_on_parts(
    proposal: &Proposal,
    from: &LearnedFrom,
    learned: &[u32],
    length: PeriodLength,
    by_period: &BTreeMap<i32, Vec<u32>>,
) -> Vec<RefittedPart> {
    let refit = |name: String, rows: &[u32]| RefittedPart {
        name,
        rows: rows.len() as u64,
        bads: count_bads(from, rows),
        weights: refit_weights(proposal, &from.sample, &from.columns, rows),
    };
    let mut parts = Vec::new();
    if let Some([early, late]) = halves_of_time(from, learned) {
        parts.extend([refit("earlier half".to_owned(), &early), refit("later half".to_owned(), &late)]);
    }
    parts.extend(by_period.iter().map(|(period, rows)| refit(length.name(*period), rows)));
    parts
}

/// The rows learned from in the halves of time of the screening.
fn halves_of_time(from: &LearnedFrom, learned: &[u32]) -> Option<[Vec<u32>; 2]> {
    let months = from.sample.month.as_ref()?;
    let mut dated: Vec<(i32, u32)> = learned.iter().filter_map(|row| Some((months[*row as usize]?, *row))).collect();
    dated.sort_unstable();
    let later = first_month_of_later_half(&dated.iter().map(|(month, _)| *month).collect::<Vec<_>>())?;
    let (early, late): (Vec<_>, Vec<_>) = dated.into_iter().partition(|(month, _)| *month < later);
    Some([early, late].map(|half| half.into_iter().map(|(_, row)| row).collect()))
}

fn judge_sign(refitted: &[RefittedPart], item: usize) -> SignHolds {
    let weights: Vec<RefittedWeight> =
        refitted.iter().filter_map(|part| part.weights.as_ref()?.get(item).copied()).collect();
    let is_surely_negative = |one: &RefittedWeight| one.weight <= -SURELY * one.standard_error;
    match weights.iter().filter(|one| one.weight < 0.0).count() {
        _ if weights.is_empty() => SignHolds::NotKnown,
        0 => SignHolds::Yes,
        _ if weights.iter().filter(|one| one.weight < 0.0).any(is_surely_negative) => SignHolds::No,
        _ => SignHolds::PerhapsNot,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_as_long_as_it_takes() {
        let months = |rows_of_month: usize, months: i32| -> Vec<(u32, i32)> {
            (0..months).flat_map(|month| (0..rows_of_month).map(move |_| (0, 2024 * 12 + month))).collect()
        };
        for (rows, length, names) in [
            (months(100, 6), PeriodLength::Month, ["2024-01", "2024-02"]),
            (months(40, 12), PeriodLength::Quarter, ["2024 Q1", "2024 Q2"]),
            (months(20, 24), PeriodLength::Year, ["2024", "2025"]),
            // All of them are small.
            (months(2, 24), PeriodLength::Year, ["2024", "2025"]),
            // Within one year and quarter there are only months.
            (months(2, 3), PeriodLength::Month, ["2024-01", "2024-02"]),
        ] {
            let (found, periods) = choose_length(&rows).expect("several months");
            let found_names: Vec<String> = periods.keys().take(2).map(|period| found.name(*period)).collect();
            assert_eq!((found, found_names), (length, names.map(str::to_owned).to_vec()));
        }
        assert!(choose_length(&months(500, 1)).is_none());
    }

    #[test]
    fn a_sign_holds_unless_it_is_surely_negative_somewhere() {
        let part = |weights: Option<f64>| RefittedPart {
            name: String::new(),
            rows: 0,
            bads: 0,
            weights: weights.map(|weight| vec![RefittedWeight { weight, standard_error: 0.1 }]),
        };
        for (weights, wanted) in [
            (vec![Some(0.4), None, Some(0.01)], SignHolds::Yes),
            (vec![Some(0.4), Some(-0.1)], SignHolds::PerhapsNot),
            (vec![Some(-0.2), Some(0.9)], SignHolds::No),
            (vec![None], SignHolds::NotKnown),
        ] {
            let parts: Vec<RefittedPart> = weights.into_iter().map(part).collect();
            assert_eq!(judge_sign(&parts, 0), wanted);
        }
    }
}
