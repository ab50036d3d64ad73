//! Which metrics can be used, and why the others cannot. Nothing is dropped silently.

use rayon::prelude::*;
use serde::Serialize;

use super::binning::{Bin, Binning, Ground, Holds, bin_metric_values};
use super::choices::{MetricChoice, Sign};
use super::counting::Count;
use super::input::{Needs, Values};
use super::optimum::Trend;
use super::redundancy::mark_redundant_columns;
use super::rule_cell::bin_as_rule_cell;
use super::settings::{BinShape, Direction, ScreenSettings, Settings};
use super::sorted;
use super::stability::{Halves, Stability, over_time, split_by_half_time};
use super::table::Table;
use crate::portfolio::statistics::Level;
use crate::portfolio::statistics::intervals::wilson_interval_of_rate;
use crate::portfolio::statistics::special::{normal_quantile, two_sided_p};

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
    let ground = Ground::new(table, rows, settings);
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
    let (binning, ordered) = bin_metric_values(ground, place);
    let auc = sorted::auc_of_sorted_runs(ordered.iter().copied());
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
        _ => judge_screened_column(&found, sorted::error_of_auc_by_chance(&ordered), ground, settings),
    };
    keep_on_purpose(&mut found, ground, settings);
    found
}

/// Keeps what was named by hand, with a warning that says why the screening would not. A leak must be named as kept: to
/// force it is not enough.
fn keep_on_purpose(found: &mut Screened, ground: &Ground, settings: &ScreenSettings) {
    let choice = ground.choice(&found.name);
    let mut warnings = Vec::new();
    if found.verdict != ScreeningResult::Kept && found.binning.known() > 1 {
        let is_kept = settings.keep.contains(&found.name);
        let is_forced = choice.force && found.verdict != ScreeningResult::Leaking;
        if is_kept || is_forced {
            let how = if is_kept { "kept on purpose" } else { "forced" };
            warnings.push(format!("{how}, though {}: {}", found.verdict.words(), found.why));
            found.verdict = ScreeningResult::Kept;
        }
    } else if found.verdict == ScreeningResult::Kept && found.binning.iv > settings.strong_iv {
        warnings.push(format!(
            "an information value of {:.2} is above {}: check that it is known before the loan",
            found.binning.iv, settings.strong_iv
        ));
    }
    if found.verdict == ScreeningResult::Kept {
        warnings.extend(remarks_on_choice(&found.binning, choice, ground.settings.shape));
    }
    found.warning = (!warnings.is_empty()).then(|| warnings.join("; "));
}

/// What an analyst should know of the bins that a choice led to.
fn remarks_on_choice(binning: &Binning, choice: &MetricChoice, shape: BinShape) -> Vec<String> {
    let mut remarks = Vec::new();
    let cell = |bin: &Bin| bin_as_rule_cell(&bin.holds);
    let known = &binning.bins[..binning.bins.len() - 1];
    let is_other = |bin: &&Bin| bin.holds == Holds::Other;
    let empty: Vec<String> = known.iter().filter(|bin| bin.count.rows() == 0 && !is_other(bin)).map(cell).collect();
    if !empty.is_empty() && *choice != MetricChoice::default() {
        remarks.push(format!("no row is in {}", empty.join(" and ")));
    }
    let is_pooled = |bin: &&Bin| bin.count.rows() > 0 && bin.value != bin.woe;
    let pooled: Vec<String> = known.iter().filter(is_pooled).map(cell).collect();
    if shape == BinShape::Evidence && !pooled.is_empty() {
        let sign = choice.sign.map_or("", Sign::word);
        remarks
            .push(format!("{} go against the sign `{sign}`, and count as one with neighbours", pooled.join(" and ")));
    }
    remarks
}

/// `error` is the standard error of AUC by chance.
fn judge_screened_column(
    found: &Screened,
    error: f64,
    ground: &Ground,
    settings: &ScreenSettings,
) -> (ScreeningResult, String) {
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
    let choice = ground.choice(&found.name);
    if let Some(sign) = choice.sign.filter(|sign| sign.more_is_better().is_some() && has_one_value(&found.binning)) {
        let why = format!("its bad rates do not go as the sign `{}` says", sign.word());
        return (ScreeningResult::WrongSign, why);
    }
    if found.binning.known() < 2 {
        return (ScreeningResult::TooFewEvents, reason_of_one_bin(found, ground));
    }
    if iv < settings.least_iv {
        return (ScreeningResult::NoTrend, format!("an information value of {iv:.4} is below {}", settings.least_iv));
    }
    if let Some(why) = sorted_by_chance(&found.binning, ground.all, settings.chance_errors) {
        return (ScreeningResult::NoTrend, why);
    }
    let has_direction = [Trend::Ascending, Trend::Descending].contains(&found.binning.trend);
    let is_by_chance = has_direction && auc - 0.5 < settings.chance_errors * error;
    let tells_more = || {
        tells_more_than_a_merging(found, ground, settings.chance_errors)
            || special_values_tell(&found.binning, ground.all, settings.chance_errors)
    };
    if is_by_chance && !tells_more() {
        let why = format!("AUC {auc:.3} alone is less than {} standard errors from 0.5", settings.chance_errors);
        return (ScreeningResult::NoTrend, why);
    }
    over_time_verdict(found, settings)
}

/// Why a metric has one bin, and what to do.
fn reason_of_one_bin(found: &Screened, ground: &Ground) -> String {
    let values = ground.table.values(found.column);
    let key = |row: &u32| values.number(*row).or(values.code(*row).map(f64::from));
    let mut known = ground.rows.iter().filter_map(key);
    let first = known.next();
    if known.all(|value| Some(value) == first) {
        return "all known values are the same".to_owned();
    }
    if ground.choice(&found.name).bins.is_some() {
        return "all known values are in one of its chosen bins".to_owned();
    }
    let is_number = matches!(values, Values::Number(_));
    if is_number && ground.settings.shape == BinShape::Even {
        return "its percentiles do not part its values: most are the same, or differ after two digits".to_owned();
    }
    let is_sorted = !is_number && found.binning.goes_anywhere;
    let rows = if is_sorted { ground.least_rows_of_texts() } else { ground.limits.rows };
    let outcomes = if ground.limits.bads + ground.limits.goods > 0 { " with enough of both outcomes" } else { "" };
    if let Direction::Only(trend) = ground.settings.direction {
        return format!("no two bins of {rows} rows{outcomes} follow the direction of the settings, {}", trend.words());
    }
    let advice = match rows == ground.limits.rows {
        true => format!("; a smaller `--least-share` than {} allows fewer rows", ground.settings.least_share),
        false => String::new(),
    };
    format!("no two bins of {rows} rows{outcomes} follow a trend{advice}")
}

/// Whether bins along a trend have more information than merging gives by chance: AUC sees little where only the ends
/// differ. With `k` prebins that say nothing, chi-squared along a trend has the mean `H(k) - 1` and the variance
/// `2 (H(k) - 1) + H(k) - H2(k)`, with the sums of `1 / i` and `1 / i^2` (the chi-bar-squared distribution: Robertson,
/// Wright and Dykstra 1988). Each special value adds 1 to the mean and 2 to the variance, as to those of chi-squared.
/// The limit is one error higher, because the better of two directions was taken.
fn tells_more_than_a_merging(found: &Screened, ground: &Ground, errors: f64) -> bool {
    if ground.settings.shape != BinShape::Evidence {
        return false;
    }
    let known = &found.binning.bins[..found.binning.bins.len() - 1];
    let information: f64 = known.iter().map(|bin| bin.iv).sum();
    let (bads, goods) = (ground.all.bads as f64, ground.all.goods as f64);
    let special = found.binning.bins.iter().filter(is_special).filter(|bin| bin.count.rows() > 0).count();
    let parts = 1..=found.binning.parts;
    let sum: f64 = parts.clone().map(|at| 1.0 / at as f64).sum();
    let squares: f64 = parts.map(|at| 1.0 / (at * at) as f64).sum();
    let freedom = special as f64;
    let (mean, variance) = (sum - 1.0 + freedom, 2.0 * (sum - 1.0) + sum - squares + 2.0 * freedom);
    information * bads * goods / (bads + goods) >= mean + (errors + 1.0) * variance.sqrt()
}

/// Whether all known values count the same.
fn has_one_value(binning: &Binning) -> bool {
    let known = &binning.bins[..binning.bins.len() - 1];
    let mut values = known.iter().filter(|bin| bin.count.rows() > 0).map(|bin| bin.value);
    let first = values.next();
    values.all(|value| Some(value) == first)
}

fn is_special(bin: &&Bin) -> bool {
    matches!(bin.holds, Holds::Special(_))
}

/// Whether special values have more information than by chance: near chi-squared, with as many degrees of freedom as
/// there are special values.
fn special_values_tell(binning: &Binning, all: Count, errors: f64) -> bool {
    let special = || binning.bins.iter().filter(is_special).filter(|bin| bin.count.rows() > 0);
    let (freedom, information): (f64, f64) = (special().count() as f64, special().map(|bin| bin.iv).sum());
    let (bads, goods) = (all.bads as f64, all.goods as f64);
    freedom > 0.0 && information * bads * goods / (bads + goods) >= freedom + errors * (2.0 * freedom).sqrt()
}

/// Texts are sorted by their rates, which gives information even if they say nothing: so far above its mean, in
/// standard errors of chi-squared, it must be.
fn sorted_by_chance(binning: &Binning, all: Count, errors: f64) -> Option<String> {
    let freedom = binning.free_parts().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let surely = binning.chance_information(all) * (1.0 + errors * (2.0 / freedom as f64).sqrt());
    let (iv, parts) = (binning.iv, binning.parts);
    let what = if binning.holds_texts() { "sorted texts" } else { "bins in any order" };
    (iv < surely).then(|| {
        format!("an information value of {iv:.3} is below {surely:.3}, which {parts} {what} may give by chance")
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
    if pure >= PURE_ROWS && all.rate() < 0.5 {
        return Some(format!("all {pure} rows of one value or bin are bad"));
    }
    // Of a text, and of what is known at all, fewer rows can tell, because no cut was searched for.
    let unknown = bins_unknown(&found.binning);
    let known = all.without(unknown);
    let parts = [(found.binning.worst_text, "of one text"), (unknown, "without a value"), (known, "with a value")];
    parts.into_iter().find_map(|(part, what)| {
        let ratio = surely_multiplied_odds(part, all)?;
        (all.rate() < 0.5 && ratio >= odds_ratio_of_auc(settings.leaking_auc)?).then(|| {
            format!(
                "{} of {} rows {what} are bad: their odds are surely {ratio:.0} times those of the others, as at \
                 AUC {}",
                part.bads,
                part.rows(),
                settings.leaking_auc
            )
        })
    })
}

/// The rows without a value.
fn bins_unknown(binning: &Binning) -> Count {
    binning.bins.last().map_or_else(Count::default, |bin| bin.count)
}

/// With fewer rows a text does not stand alone, and an interval is too wide.
const LEAST_OF_LEAK: u64 = 20;

/// How many times the odds to go bad of a part are those of the others, at the lower end of Wilson's 95% interval of
/// its bad rate. `None` of few rows.
fn surely_multiplied_odds(part: Count, all: Count) -> Option<f64> {
    let rest = all.without(part);
    if part.rows() < LEAST_OF_LEAK || rest.rows() < LEAST_OF_LEAK {
        return None;
    }
    let low = wilson_interval_of_rate(part.rate(), part.rows() as f64, Level::NINETY_FIVE)?.low;
    // Half a row of both kinds keeps the odds of the others finite.
    Some(low / (1.0 - low) * (rest.good_weight + 0.5) / (rest.bad_weight + 0.5))
}

/// The odds ratio at the middle cut of two normal distributions of like variance with an AUC: `(p / (1 - p))^2`, where
/// `p` is the normal distribution at half their distance, `sqrt(2)` times the quantile of the AUC (Hanley and McNeil
/// 1982). It is 51 at 0.95. `None` of an AUC that no metric reaches.
fn odds_ratio_of_auc(auc: f64) -> Option<f64> {
    let half = (auc < 1.0).then(|| normal_quantile(auc) * std::f64::consts::FRAC_1_SQRT_2)?;
    let share = 1.0 - two_sided_p(half) / 2.0;
    Some((share / (1.0 - share)) * (share / (1.0 - share)))
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
