//! Which metrics can be used, and why the others cannot. Nothing is dropped silently.

use rayon::prelude::*;
use serde::Serialize;

use super::binning::{Binning, Ground, bin_metric_values};
use super::input::Needs;
use super::optimum::{Count, Trend};
use super::redundancy::mark_redundant_columns;
use super::settings::{BinShape, ScreenSettings, Settings};
use super::sorted;
use super::stability::{Halves, Stability, over_time, split_by_half_time};
use super::table::Table;

/// What became of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScreeningResult {
    /// It is an item of the scorecard.
    Kept,
    /// It passed the screening, but adds too little to the others.
    NotNeeded,
    /// Its weight had the wrong sign beside the others: it would correct them, which nobody can explain.
    WrongSign,
    /// It says nearly the same as a better one.
    Redundant,
    /// It is not the same in both halves of time.
    Unstable,
    /// It is too good to be known before the loan.
    Leaking,
    /// It says too little.
    NoTrend,
    /// Too few rows went bad, or no two bins are large enough.
    TooFewEvents,
    /// Too few rows have a value.
    TooFewKnown,
}

impl ScreeningResult {
    /// In words, for reports.
    pub fn words(self) -> &'static str {
        match self {
            ScreeningResult::Kept => "kept",
            ScreeningResult::NotNeeded => "not needed",
            ScreeningResult::WrongSign => "wrong sign",
            ScreeningResult::Redundant => "redundant",
            ScreeningResult::Unstable => "unstable",
            ScreeningResult::Leaking => "leaking: check that it is known before the loan",
            ScreeningResult::NoTrend => "no trend",
            ScreeningResult::TooFewEvents => "too few events",
            ScreeningResult::TooFewKnown => "too few known",
        }
    }
}

/// A metric looked at alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Screened {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What it looks at.
    pub needs: Needs,
    /// How many rows have a value.
    pub known: u64,
    /// The share of rows without one.
    pub share_unknown: f64,
    /// AUC of its known values alone, in the direction of its trend: 0.5 or more.
    pub auc: f64,
    /// Its bins, and its information value.
    pub binning: Binning,
    /// The metric over time, if months are known.
    pub stability: Option<Stability>,
    /// What became of it.
    pub verdict: ScreeningResult,
    /// Why, in a sentence with the figures.
    pub why: String,
    /// What to look at, though it may be kept.
    pub warning: Option<String>,
    /// Its place among the columns.
    #[serde(skip)]
    pub(super) column: usize,
}

/// Screens all columns, each by itself, and then against better ones. The order is that of the columns. `leaking` says
/// which columns leak, if that was decided before on all rows: near the limit, folds would decide otherwise by chance.
pub(super) fn screen_all_columns(
    table: &Table,
    rows: &[u32],
    leaking: Option<&[bool]>,
    settings: &Settings,
) -> Vec<Screened> {
    let ground = Ground::new(table, rows, &settings.bins);
    let halves = split_by_half_time(table.sample, rows);
    let one = |place| {
        let leaks = leaking.map(|all| all.get(place).copied().unwrap_or(false));
        screen_one_column(&ground, halves.as_ref(), place, leaks, &settings.screen)
    };
    let mut found: Vec<Screened> = (0..table.columns.len()).into_par_iter().map(one).collect();
    mark_redundant_columns(&mut found, table, rows, settings);
    found
}

fn screen_one_column(
    ground: &Ground,
    halves: Option<&Halves>,
    place: usize,
    leaks: Option<bool>,
    settings: &ScreenSettings,
) -> Screened {
    let column = &ground.table.columns[place];
    let (binning, auc) = bin_metric_values(ground, place);
    let known = ground.rows.iter().filter(|row| column.values.is_known(**row)).count() as u64;
    let errors = settings.reversal_errors;
    let mut found = Screened {
        name: column.name.clone(),
        unit: column.unit.clone(),
        needs: column.needs,
        known,
        share_unknown: 1.0 - known as f64 / ground.all.rows().max(1) as f64,
        auc: auc.max(1.0 - auc),
        stability: halves.map(|halves| over_time(ground.table.sample, &column.values, &binning, halves, errors)),
        binning,
        verdict: ScreeningResult::Kept,
        why: String::new(),
        warning: None,
        column: place,
    };
    let leak = reason_of_leak(&found, settings);
    (found.verdict, found.why) = match (leaks, leak) {
        (Some(true), leak) => {
            (ScreeningResult::Leaking, leak.unwrap_or_else(|| "it leaks, by all rows together".to_owned()))
        }
        (None, Some(leak)) => (ScreeningResult::Leaking, leak),
        _ => judge_screened_column(&found, ground, settings),
    };
    let kept_on_purpose = settings.keep.contains(&found.name) && found.binning.known() > 1;
    if kept_on_purpose && found.verdict != ScreeningResult::Kept {
        found.warning = Some(format!("kept on purpose, though {}: {}", found.verdict.words(), found.why));
        found.verdict = ScreeningResult::Kept;
        return found;
    }
    if found.verdict == ScreeningResult::Kept && found.binning.iv > settings.strong_iv {
        found.warning = Some(format!(
            "an information value of {:.2} is above {}: check that it is known before the loan",
            found.binning.iv, settings.strong_iv
        ));
    }
    found
}

fn judge_screened_column(found: &Screened, ground: &Ground, settings: &ScreenSettings) -> (ScreeningResult, String) {
    let (iv, auc) = (found.binning.iv, found.auc);
    let unknown = found.binning.bins.last().map_or(0, |bin| bin.count.bads);
    let bads = ground.all.bads - unknown;
    if 1.0 - found.share_unknown < settings.least_known {
        let why = format!("{} of {} rows have a value, below {}", found.known, ground.all.rows(), settings.least_known);
        return (ScreeningResult::TooFewKnown, why);
    }
    if bads < settings.least_known_bads {
        let why = format!("{bads} bad rows have a value, {} are needed", settings.least_known_bads);
        return (ScreeningResult::TooFewEvents, why);
    }
    if found.binning.known() < 2 {
        let why = "no two bins have enough rows of both outcomes, or no order of them follows a trend".into();
        return (ScreeningResult::TooFewEvents, why);
    }
    if iv < settings.least_iv {
        return (ScreeningResult::NoTrend, format!("an information value of {iv:.4} is below {}", settings.least_iv));
    }
    if let Some(why) = sorted_by_chance(&found.binning, ground.all, settings.chance_errors) {
        return (ScreeningResult::NoTrend, why);
    }
    let error = error_by_chance(bads, found.known - bads);
    let has_direction = [Trend::Ascending, Trend::Descending].contains(&found.binning.trend);
    let is_by_chance = has_direction && auc - 0.5 < settings.chance_errors * error;
    if is_by_chance && !tells_more_than_a_merging(found, ground, settings.chance_errors) {
        let why = format!("AUC {auc:.3} alone is less than {} standard errors from 0.5", settings.chance_errors);
        return (ScreeningResult::NoTrend, why);
    }
    over_time_verdict(found, settings)
}

/// Whether bins along a trend have more information than merging gives by chance: AUC sees little where only the ends
/// differ. With `k` prebins that say nothing, chi-squared along a trend has the mean `H(k) - 1` and the variance
/// `2 (H(k) - 1) + H(k) - H2(k)`, with the sums of `1 / i` and `1 / i^2` (the chi-bar-squared distribution: Robertson,
/// Wright and Dykstra 1988). The limit is one error higher, because the better of two directions was taken.
fn tells_more_than_a_merging(found: &Screened, ground: &Ground, errors: f64) -> bool {
    if ground.settings.shape != BinShape::Evidence {
        return false;
    }
    let known = &found.binning.bins[..found.binning.bins.len() - 1];
    let information: f64 = known.iter().map(|bin| bin.iv).sum();
    let (bads, goods) = (ground.all.bads as f64, ground.all.goods as f64);
    let parts = 1..=ground.settings.prebins;
    let sum: f64 = parts.clone().map(|at| 1.0 / at as f64).sum();
    let squares: f64 = parts.map(|at| 1.0 / (at * at) as f64).sum();
    let (mean, variance) = (sum - 1.0, 2.0 * (sum - 1.0) + sum - squares);
    information * bads * goods / (bads + goods) >= mean + (errors + 1.0) * variance.sqrt()
}

/// Texts are sorted by their rates, which gives information even if they say nothing: so far above its mean, in
/// standard errors of chi-squared, it must be.
fn sorted_by_chance(binning: &Binning, all: Count, errors: f64) -> Option<String> {
    let freedom = binning.sorted_texts.checked_sub(1).filter(|freedom| *freedom > 0)?;
    let surely = binning.chance_information(all) * (1.0 + errors * (2.0 / freedom as f64).sqrt());
    let (iv, texts) = (binning.iv, binning.sorted_texts);
    (iv < surely).then(|| {
        format!("an information value of {iv:.3} is below {surely:.3}, which {texts} sorted texts may give by chance")
    })
}

/// With so many rows and no good one among them, the bad rate is above 95%, by the rule of three: 1 - 3 / rows.
const PURE_ROWS: u64 = 60;

/// Why a column seems to know the outcome. Unknown values count too: a date of default is unknown for good ones.
fn reason_of_leak(found: &Screened, settings: &ScreenSettings) -> Option<String> {
    let auc = found.auc;
    if auc >= settings.leaking_auc {
        return Some(format!("AUC {auc:.3} alone is {} or more", settings.leaking_auc));
    }
    let mut bins: Vec<(f64, Count)> = found.binning.bins.iter().map(|bin| (bin.woe, bin.count)).collect();
    bins.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole = sorted::auc_of_sorted_runs(bins.iter().map(|(_, count)| *count));
    if whole >= settings.leaking_auc {
        let why = format!("with its unknown values, AUC {whole:.3} alone is {} or more", settings.leaking_auc);
        return Some(why);
    }
    let all = bins.iter().fold(Count::default(), |sum, (_, count)| sum.and(*count));
    let of_bins = bins.iter().filter(|(_, count)| count.goods == 0).map(|(_, count)| count.bads);
    let pure = of_bins.max().unwrap_or(0).max(found.binning.pure_bads);
    (pure >= PURE_ROWS && all.rate() < 0.5).then(|| format!("all {pure} rows of one value or bin are bad"))
}

/// The standard error of AUC if a metric says nothing: `sqrt((bads + goods + 1) / (12 * bads * goods))`, of Mann and
/// Whitney (1947).
fn error_by_chance(bads: u64, goods: u64) -> f64 {
    ((bads + goods + 1) as f64 / (12.0 * bads as f64 * goods as f64)).sqrt()
}

fn over_time_verdict(found: &Screened, settings: &ScreenSettings) -> (ScreeningResult, String) {
    let (iv, auc) = (found.binning.iv, found.auc);
    match &found.stability {
        Some(over) if over.psi > settings.unstable_psi => {
            let why = format!("PSI {:.2} between the halves of time is above {}", over.psi, settings.unstable_psi);
            (ScreeningResult::Unstable, why)
        }
        Some(over) if over.is_reversed => {
            let [early, late] = over.auc_by_half;
            (
                ScreeningResult::Unstable,
                format!("its trend is reversed: AUC {early:.2} in the earlier half, {late:.2} in the later"),
            )
        }
        _ => (ScreeningResult::Kept, format!("an information value of {iv:.2}, AUC {auc:.2} alone")),
    }
}
