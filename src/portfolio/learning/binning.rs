//! A metric in bins: cuts or categories, what each bin holds and is worth. Finds them, and places values in them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::categories;
use super::choices::{ChosenBins, MetricChoice, Sign, choice_of};
use super::chosen_bins::{SpecialCounts, bin_at_chosen_cuts, hold_to_sign, split_off_special_values};
use super::counting::Count;
use super::cuts;
use super::input::Values;
use super::optimum::{Limits, Merged, Trend, information_of_bin, merge_prebins, weight_of_evidence};
use super::settings::{BinSettings, BinShape, Direction, Settings};
use super::sorted::{self, Prebin, Run};
use super::table::Table;

/// Where numbers are cut for even steps: tails finer than the middle, as in `tests/berka/find_bins.py`.
const EVEN_CUTS: [f64; 6] = [0.10, 0.20, 0.40, 0.60, 0.80, 0.90];

/// The least change of log-odds over all ranks, for the rank of unknown values. Otherwise, in a metric that says
/// nothing, they would be the worst or the best.
const LEAST_SLOPE: f64 = 1.0;

/// What a bin holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// Numbers from `low` to below `high`; without one, from or to the end.
    Range {
        /// The least number in it.
        low: Option<f64>,
        /// The first number beyond it.
        high: Option<f64>,
    },
    /// True, or false.
    Truth(bool),
    /// These texts.
    Words(Vec<String>),
    /// All other values: texts never seen, and rare ones if they are too many to list.
    Other,
    /// A number that means something else than a quantity.
    Special(f64),
    /// Unknown values.
    Unknown,
}

/// A bin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// What it holds.
    pub holds: Holds,
    /// Its rows.
    pub count: Count,
    /// Its weight of evidence.
    pub woe: f64,
    /// What it adds to the information value.
    pub iv: f64,
    /// What it counts in the regression, more is better: the weight of evidence, or the rank from -0.5 to 0.5.
    pub value: f64,
}

/// How a value finds its bin.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Places {
    /// By cuts: the bin is how many of them are at most the value. Special values have bins of their own behind these.
    Cuts {
        /// Ascending.
        cuts: Vec<f64>,
        /// The special values.
        special: Vec<f64>,
    },
    /// By category; those beyond the list are in the bin before the unknown one.
    Codes(Vec<usize>),
}

/// A metric in bins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Binning {
    /// The bins in order; the last holds unknown values.
    pub bins: Vec<Bin>,
    /// How the bad rate goes along them.
    pub trend: Trend,
    /// The information value: the sum over the bins.
    pub iv: f64,
    /// The most rows of a text that has bad rows only; merging hides them.
    #[serde(skip)]
    pub(super) pure_bads: u64,
    /// The text with the most bad rows for each row, of those that are frequent enough; empty if there is none.
    #[serde(skip)]
    pub(super) worst_text: Count,
    /// How many parts were merged, such as prebins, or were chosen.
    #[serde(skip)]
    pub(super) parts: usize,
    /// Whether parts went where their rates led, as texts that are sorted by their rates: that gives information by
    /// chance.
    #[serde(skip)]
    pub(super) goes_anywhere: bool,
    #[serde(skip)]
    pub(super) places: Places,
}

impl Binning {
    /// Bins of known values, and behind them that of the unknown ones.
    pub(super) fn new(ground: &Ground, known: Vec<Bin>, trend: Trend, places: Places) -> Self {
        let mut bins = known;
        let parts = bins.iter().filter(|bin| bin.count.rows() > 0).count();
        bins.push(ground.unknown(bins.iter().fold(Count::default(), |sum, bin| sum.and(bin.count))));
        let iv = bins.iter().map(|bin| bin.iv).sum();
        let worst_text = Count::default();
        Binning { bins, trend, iv, pure_bads: 0, worst_text, parts, goes_anywhere: false, places }
    }

    /// The bin of a row.
    pub(super) fn place(&self, values: &Values, row: u32) -> usize {
        let unknown = self.bins.len() - 1;
        match &self.places {
            Places::Cuts { cuts, special } => match values.number(row) {
                // Few cuts: counting them all is faster than a search that branches.
                Some(value) => match special.iter().position(|one| *one == value) {
                    None => cuts.iter().map(|cut| usize::from(*cut <= value)).sum(),
                    Some(at) => cuts.len() + 1 + at,
                },
                None => unknown,
            },
            Places::Codes(codes) => match values.code(row) {
                Some(code) => codes.get(code as usize).copied().unwrap_or(unknown.saturating_sub(1)),
                None => unknown,
            },
        }
    }

    /// What the rows count in the regression.
    pub(super) fn column(&self, values: &Values, rows: &[u32]) -> Vec<f64> {
        rows.iter().map(|row| self.bins[self.place(values, *row)].value).collect()
    }

    /// What sorting texts that say nothing gives in information, by chance: `(texts - 1) * (1 / bads + 1 / goods)`, as
    /// the information value is near chi-squared times the bracket (Kullback 1959), and the texts less 1 are its mean.
    pub(super) fn chance_information(&self, all: Count) -> f64 {
        let freedom = self.free_parts().saturating_sub(1) as f64;
        freedom * (1.0 / all.bads.max(1) as f64 + 1.0 / all.goods.max(1) as f64)
    }

    /// How many parts went where their rates led.
    pub(super) fn free_parts(&self) -> usize {
        if self.goes_anywhere { self.parts } else { 0 }
    }

    /// Whether it is of texts.
    pub(super) fn holds_texts(&self) -> bool {
        self.bins.iter().any(|bin| matches!(bin.holds, Holds::Words(_)))
    }

    /// How many bins hold known values that occurred.
    pub fn known(&self) -> usize {
        self.bins[..self.bins.len() - 1].iter().filter(|bin| bin.count.rows() > 0).count()
    }
}

/// Everything that bins of one sample share.
pub(super) struct Ground<'a> {
    pub table: &'a Table<'a>,
    pub rows: &'a [u32],
    /// The rows, by outcome.
    pub all: Count,
    pub limits: Limits,
    pub settings: &'a BinSettings,
    chosen: &'a BTreeMap<String, MetricChoice>,
}

impl<'a> Ground<'a> {
    pub fn new(table: &'a Table<'a>, rows: &'a [u32], settings: &'a Settings) -> Self {
        let (settings, chosen) = (&settings.bins, &settings.chosen);
        let all = table.sample.count_rows(rows);
        let least = (settings.least_share * all.rows() as f64).ceil() as u64;
        // Only smoothing makes evidence of one outcome finite.
        let each = u64::from(settings.smoothing == 0.0);
        let limits = Limits {
            rows: least.max(1),
            bads: settings.least_bads.max(each),
            goods: settings.least_goods.max(each),
            bins: settings.most_bins,
        };
        Ground { table, rows, all, limits, settings, chosen }
    }

    /// What was chosen for a metric.
    pub fn choice(&self, metric: &str) -> &'a MetricChoice {
        choice_of(self.chosen, metric)
    }

    /// A bin with its weight of evidence, also as its value.
    pub fn bin(&self, holds: Holds, count: Count) -> Bin {
        let smoothing = self.settings.smoothing;
        let woe = weight_of_evidence(count, self.all, smoothing);
        Bin { holds, count, woe, iv: information_of_bin(count, self.all, smoothing), value: woe }
    }

    /// A bin that did not have to be large enough. Smoothing keeps it near the mean if it has few rows; without
    /// smoothing it is then neutral.
    pub fn bin_of_any_size(&self, holds: Holds, count: Count) -> Bin {
        match self.settings.smoothing > 0.0 || self.limits.met_by(count) {
            true => self.bin(holds, count),
            false => Bin { holds, count, woe: 0.0, iv: 0.0, value: 0.0 },
        }
    }

    /// The rows with an unknown value.
    pub fn unknown(&self, known: Count) -> Bin {
        self.bin_of_any_size(Holds::Unknown, self.all.without(known))
    }

    /// Texts from the worst. Smoothing holds few rows back, so their bins may be smaller than those of numbers.
    pub fn merge_texts(&self, prebins: &[Count]) -> Option<Merged> {
        let limits = Limits { rows: self.least_rows_of_texts(), ..self.limits };
        merge_prebins(prebins, self.all, self.settings.smoothing, &limits, Trend::Descending)
    }

    pub fn least_rows_of_texts(&self) -> u64 {
        let least = self.settings.least_text_rows.max(1);
        if self.settings.smoothing > 0.0 { self.limits.rows.min(least) } else { self.limits.rows }
    }

    pub fn merge(&self, prebins: &[Count], trend: Trend) -> Option<Merged> {
        merge_prebins(prebins, self.all, self.settings.smoothing, &self.limits, trend)
    }
}

/// A metric in bins, and the rows of its known values in order, special values left out: AUC alone is theirs.
pub(super) fn bin_metric_values(ground: &Ground, column: usize) -> (Binning, Vec<Count>) {
    let name = &ground.table.columns[column].name;
    match ground.table.values(column) {
        Values::Number(_) => {
            let choice = ground.choice(name);
            let (special, runs) = split_off_special_values(ground.table.runs(column, ground.rows), &choice.special);
            let ordered: Vec<Count> = runs.iter().map(|run| run.count).collect();
            let auc = sorted::auc_of_sorted_runs(ordered.iter().copied());
            (bin_known_numbers(ground, &Numbers { runs, special, choice, auc }), ordered)
        }
        values => categories::bin_categories(ground, name, values),
    }
}

/// The known numbers of a metric, and what was chosen for it.
pub(super) struct Numbers<'c> {
    /// From the least, without special values.
    pub runs: Vec<Run>,
    pub special: SpecialCounts,
    pub choice: &'c MetricChoice,
    /// AUC of the runs.
    pub auc: f64,
}

impl Numbers<'_> {
    /// Whether points rise with the value: as was chosen, or else as the outcomes say.
    pub fn more_is_better(&self) -> bool {
        self.choice.sign.and_then(Sign::more_is_better).unwrap_or(self.auc >= 0.5)
    }
}

fn bin_known_numbers(ground: &Ground, numbers: &Numbers) -> Binning {
    match (&numbers.choice.bins, numbers.runs.as_slice(), ground.settings.shape) {
        (Some(ChosenBins::Cuts(cuts)), ..) => bin_at_chosen_cuts(ground, numbers, cuts),
        (_, [low, high], _) => bin_two_numbers(ground, numbers, [*low, *high]),
        (_, _, BinShape::Evidence) => bin_by_information(ground, numbers),
        (_, _, BinShape::Even) => bin_at_percentiles(ground, numbers),
    }
}

/// Two numbers, such as a flag of 0 and 1, are a truth value: a bin each, however few rows one has.
fn bin_two_numbers(ground: &Ground, numbers: &Numbers, [low, high]: [Run; 2]) -> Binning {
    let cut = cuts::cut_between_values(low.value, high.value, ground.settings.round_cuts);
    let range = |low, high, count| ground.bin_of_any_size(Holds::Range { low, high }, count);
    let bins = vec![range(None, cut, low.count), range(cut, None, high.count)];
    let trend = trend_of_two_bins(&bins);
    if let (None, Direction::Only(wanted)) = (numbers.choice.sign, ground.settings.direction)
        && opposes(trend, wanted)
    {
        return of_cuts(ground, Vec::new(), &[low.count.and(high.count)], Trend::None, &numbers.special);
    }
    let mut found = of_bins(ground, bins, Vec::from_iter(cut), trend, &numbers.special);
    found.parts = 2;
    hold_to_sign(ground, &mut found, 2, numbers.choice.sign);
    found
}

fn opposes(trend: Trend, wanted: Trend) -> bool {
    [(Trend::Ascending, Trend::Descending), (Trend::Descending, Trend::Ascending)].contains(&(trend, wanted))
}

/// How the bad rate goes from the first of two bins to the second.
pub(super) fn trend_of_two_bins(bins: &[Bin]) -> Trend {
    match bins {
        [first, second, ..] if first.woe < second.woe => Trend::Descending,
        [first, second, ..] if first.woe > second.woe => Trend::Ascending,
        _ => Trend::None,
    }
}

/// Bins of the highest information value, in the direction that was chosen, or else that of the settings.
fn bin_by_information(ground: &Ground, numbers: &Numbers) -> Binning {
    let prebins = &sorted::prebins_by_quantile(&numbers.runs, ground.settings.prebins);
    let counts: Vec<Count> = prebins.iter().map(|bin| bin.count).collect();
    let trends: &[Trend] = match (numbers.choice.sign, &ground.settings.direction) {
        (Some(Sign::Rising), _) => &[Trend::Descending],
        (Some(Sign::Falling), _) => &[Trend::Ascending],
        (Some(Sign::Any), _) => &[Trend::None],
        (None, Direction::Auto) => &[Trend::Ascending, Trend::Descending],
        (None, Direction::AutoWithTurn) => &[Trend::Ascending, Trend::Descending, Trend::Peak, Trend::Valley],
        (None, Direction::Only(trend)) => std::slice::from_ref(trend),
    };
    let mut best: Option<(Merged, Trend)> = None;
    for trend in trends {
        let Some(found) = ground.merge(&counts, *trend) else { continue };
        if best.as_ref().is_none_or(|(so_far, _)| found.iv > so_far.iv + 1e-12) {
            best = Some((found, *trend));
        }
    }
    let (starts, trend) = match best {
        Some((merged, trend)) if merged.starts.len() > 1 => (merged.starts, trend),
        _ => (vec![0], Trend::None),
    };
    let mut found = of_ranges(ground, prebins, &starts, trend, &numbers.special);
    found.parts = prebins.len();
    match numbers.choice.sign {
        Some(Sign::Any) => found.goes_anywhere = true,
        sign => {
            let ordered = found.bins.len() - 1 - numbers.special.len();
            hold_to_sign(ground, &mut found, ordered, sign);
        }
    }
    found
}

/// Bins from the first prebin of each, cut between neighbours.
fn of_ranges(ground: &Ground, prebins: &[Prebin], starts: &[usize], trend: Trend, special: &SpecialCounts) -> Binning {
    let cut = |start: &usize| {
        let (below, above) = (prebins.get(start.checked_sub(1)?)?.high, prebins.get(*start)?.low);
        cuts::cut_between_values(below, above, ground.settings.round_cuts)
    };
    let cuts: Vec<f64> = starts.iter().filter_map(cut).collect();
    let mut counts = vec![Count::default(); cuts.len() + 1];
    for prebin in prebins {
        let place = cuts.partition_point(|cut| *cut <= prebin.low);
        counts[place] = counts[place].and(prebin.count);
    }
    of_cuts(ground, cuts, &counts, trend, special)
}

/// Bins of ranges, then of special values, then of unknown ones.
pub(super) fn of_cuts(
    ground: &Ground,
    cuts: Vec<f64>,
    counts: &[Count],
    trend: Trend,
    special: &SpecialCounts,
) -> Binning {
    let range = |place: usize| Holds::Range {
        low: place.checked_sub(1).and_then(|before| cuts.get(before)).copied(),
        high: cuts.get(place).copied(),
    };
    let bins = counts.iter().enumerate().map(|(place, count)| ground.bin(range(place), *count)).collect();
    of_bins(ground, bins, cuts, trend, special)
}

/// Bins of ranges that were made already, then of special values, then of unknown ones.
fn of_bins(ground: &Ground, mut bins: Vec<Bin>, cuts: Vec<f64>, trend: Trend, special: &SpecialCounts) -> Binning {
    bins.extend(special.iter().map(|(value, count)| ground.bin_of_any_size(Holds::Special(*value), *count)));
    let special = special.iter().map(|(value, _)| *value).collect();
    Binning::new(ground, bins, trend, Places::Cuts { cuts, special })
}

/// Numbers counted by bin.
pub(super) fn count_runs_by_cut(runs: &[Run], cuts: &[f64]) -> Vec<Count> {
    let mut counts = vec![Count::default(); cuts.len() + 1];
    for run in runs {
        let place = cuts.partition_point(|cut| *cut <= run.value);
        counts[place] = counts[place].and(run.count);
    }
    counts
}

/// Bins at fixed percentiles that count by rank. Outcomes do not choose the cuts, so they may be rounded to two digits.
fn bin_at_percentiles(ground: &Ground, numbers: &Numbers) -> Binning {
    let runs = &numbers.runs;
    let prebins = sorted::part_runs_at_quantiles(runs, &EVEN_CUTS, |_| false);
    let mut cuts: Vec<f64> = prebins.iter().skip(1).map(|bin| bin.low).collect();
    if ground.settings.round_cuts {
        cuts.iter_mut().for_each(|cut| *cut = cuts::two_digits(*cut));
    }
    // Rounding may leave bins empty: their cuts go.
    let below = |cut: f64| runs.partition_point(|run| run.value < cut);
    cuts.retain(|cut| (1..runs.len()).contains(&below(*cut)));
    cuts.dedup_by_key(|cut| below(*cut));
    bin_by_rank(ground, numbers, cuts)
}

/// Bins at some cuts that count by the middle ranks of their rows.
pub(super) fn bin_by_rank(ground: &Ground, numbers: &Numbers, cuts: Vec<f64>) -> Binning {
    let counts = count_runs_by_cut(&numbers.runs, &cuts);
    let more_is_better = numbers.more_is_better();
    let trend = match (cuts.is_empty(), more_is_better) {
        (true, _) => Trend::None,
        (false, true) => Trend::Descending,
        (false, false) => Trend::Ascending,
    };
    let mut found = of_cuts(ground, cuts, &counts, trend, &numbers.special);
    set_rank_values(&mut found, counts.len(), more_is_better);
    found
}

/// Sets the values of the bins of ranges to the middle ranks of their rows. Those of special and of unknown values get
/// the rank where the slope of smoothed evidence along the ranks reaches their own evidence.
fn set_rank_values(binning: &mut Binning, ranges: usize, more_is_better: bool) {
    let (known, others) = binning.bins.split_at_mut(ranges);
    let rows: f64 = known.iter().map(|bin| bin.count.weight()).sum();
    let mut below = 0.0;
    for bin in known.iter_mut() {
        let middle = (below + bin.count.weight() / 2.0) / rows.max(f64::MIN_POSITIVE) - 0.5;
        bin.value = if more_is_better { middle } else { -middle };
        below += bin.count.weight();
    }
    let weight = |bin: &Bin| bin.count.weight();
    let along: f64 = known.iter().map(|bin| weight(bin) * bin.value * bin.woe).sum();
    let squares: f64 = known.iter().map(|bin| weight(bin) * bin.value * bin.value).sum();
    let slope = if squares > 0.0 { along / squares } else { 0.0 };
    others.iter_mut().for_each(|bin| bin.value = (bin.woe / slope.max(LEAST_SLOPE)).clamp(-0.5, 0.5));
}
