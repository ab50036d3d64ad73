//! What can be set. Every default is a declared assumption.

use std::collections::BTreeMap;

use serde::Serialize;

use super::choices::MetricChoice;
use super::mistake::LearnError;
use super::optimum::Trend;

/// How bins of numbers are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BinShape {
    /// Merged for the highest information value; a bin counts by its weight of evidence.
    Evidence,
    /// Cut at fixed percentiles; a bin counts by the middle rank of its rows, so points rise evenly. Outcomes only give
    /// the direction: the choice for few bad rows.
    Even,
}

/// The direction asked of bad rates along a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Rising or falling, whichever has more information value.
    Auto,
    /// Rising, falling, or with one turn, whichever has more.
    AutoWithTurn,
    /// This one.
    Only(Trend),
}

/// How bins are made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BinSettings {
    /// Evidence or even steps.
    pub shape: BinShape,
    /// Into how many prebins of equal size numbers are parted first: 2 to 50. A value that fills a prebin alone is one.
    pub prebins: usize,
    /// The least share of all rows in a bin.
    pub least_share: f64,
    /// The fewest bad rows in a bin. Without smoothing at least 1.
    pub least_bads: u64,
    /// The fewest good rows in a bin. Without smoothing at least 1.
    pub least_goods: u64,
    /// The most bins, without the one for unknown values: 2 to 50.
    pub most_bins: usize,
    /// The direction of bad rates.
    pub direction: Direction,
    /// How many rows of the average kind are added to each bin for its weight of evidence, so that few rows stay near
    /// the mean and many without a bad one are the best.
    pub smoothing: f64,
    /// A text with fewer rows than this does not stand for itself: all such texts are one. With smoothing it is also
    /// the least size of a bin of texts, if that is below `least_share`.
    pub least_text_rows: u64,
    /// Whether cuts are round numbers, else the middle between neighbours.
    pub round_cuts: bool,
    /// The order of a metric's texts: only neighbours are merged, and bad rates go one way along it.
    pub orders: BTreeMap<String, Vec<String>>,
}

impl Default for BinSettings {
    fn default() -> Self {
        BinSettings {
            shape: BinShape::Evidence,
            prebins: 20,
            least_share: 0.05,
            least_bads: 0,
            least_goods: 0,
            most_bins: 7,
            direction: Direction::Auto,
            smoothing: 20.0,
            least_text_rows: 20,
            round_cuts: true,
            orders: BTreeMap::new(),
        }
    }
}

/// When a metric is not used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScreenSettings {
    /// The least share of rows with a known value.
    pub least_known: f64,
    /// The fewest bad rows with a known value.
    pub least_known_bads: u64,
    /// The least information value.
    pub least_iv: f64,
    /// A metric whose bad rates rise or fall says too little if its AUC alone is less than so many standard errors from
    /// 0.5: so far it may be by chance.
    pub chance_errors: f64,
    /// From this information value on a metric is used, with a warning.
    pub strong_iv: f64,
    /// From this AUC on, alone and in either direction, a metric is leaking.
    pub leaking_auc: f64,
    /// From this population stability index between the halves of time on a metric is unstable.
    pub unstable_psi: f64,
    /// A trend is reversed if AUC in a half of time is so many standard errors below 0.5.
    pub reversal_errors: f64,
    /// From this correlation with a better metric on, either sign, a metric is redundant.
    pub redundant: f64,
    /// Metrics kept on purpose though the screening refuses them, with a warning that says why it would.
    pub keep: Vec<String>,
}

impl Default for ScreenSettings {
    fn default() -> Self {
        ScreenSettings {
            least_known: 0.1,
            least_known_bads: 5,
            least_iv: 0.02,
            chance_errors: 2.0,
            strong_iv: 0.5,
            leaking_auc: 0.95,
            unstable_psi: 0.25,
            reversal_errors: 1.0,
            redundant: 0.8,
            keep: Vec::new(),
        }
    }
}

/// What holds weights back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Nothing.
    Plain,
    /// L2, the sum of squares: all weights shrink.
    Ridge,
    /// L1, the sum of sizes: some weights are 0.
    Lasso,
}

/// Which penalty of those tried is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The strongest whose deviance is within one standard error of the least: with L1 it leaves fewer items. With L2
    /// it leaves as many, and makes odds too cautious.
    OneStandardError,
    /// The one of least deviance.
    Least,
}

/// How weights are found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitSettings {
    /// What holds weights back.
    pub method: Method,
    /// How strongly; without it cross-validation chooses.
    pub penalty: Option<f64>,
    /// How it chooses.
    pub rule: Rule,
    /// The most items: those that move log-odds most in a regression of all that passed the screening. Without it, all
    /// of them.
    pub most_items: Option<usize>,
    /// The most metrics in a regression, the best alone of those that passed the screening. With `most_items`, four
    /// times those at most. Time grows by the square of them, and by no more than the number of all metrics.
    pub most_candidates: usize,
    /// In how many folds rows are parted: 2 to 20.
    pub folds: usize,
    /// How often the folds are drawn anew: 1 to 20.
    pub repeats: usize,
    /// Where the draw begins.
    pub seed: u64,
}

impl Default for FitSettings {
    fn default() -> Self {
        FitSettings {
            method: Method::Ridge,
            penalty: None,
            rule: Rule::Least,
            most_items: None,
            most_candidates: 100,
            folds: 5,
            repeats: 1,
            seed: 1,
        }
    }
}

impl FitSettings {
    /// How many columns a regression takes.
    pub(super) fn most_columns(&self) -> usize {
        let by_items = self.most_items.map_or(usize::MAX, |most| most.saturating_mul(4));
        self.most_candidates.min(by_items)
    }
}

/// How log-odds become points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointSettings {
    /// The score that means `odds`.
    pub points: f64,
    /// Good ones for each bad one at that score.
    pub odds: f64,
    /// So many more points double the odds.
    pub to_double: f64,
}

impl Default for PointSettings {
    fn default() -> Self {
        PointSettings { points: 500.0, odds: 1.0, to_double: 40.0 }
    }
}

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Settings {
    /// How bins are made.
    pub bins: BinSettings,
    /// When a metric is not used.
    pub screen: ScreenSettings,
    /// How weights are found.
    pub fit: FitSettings,
    /// How log-odds become points.
    pub points: PointSettings,
    /// What an analyst chose for single metrics.
    pub chosen: BTreeMap<String, MetricChoice>,
}

/// With fewer bad rows than this, evidence of single bins is mostly chance.
const FEW_BADS: usize = 100;

impl Settings {
    /// Defaults for a number of bad rows. With fewer than 100: even steps, and 16 items at most. On the 344 loans of
    /// `docs/explanation/berka.md`, 40 of them bad, cross-validated AUC is 0.879 so, and 0.878 by evidence with 31
    /// items.
    pub fn suited_to(bads: usize) -> Self {
        let mut settings = Settings::default();
        if bads < FEW_BADS {
            settings.bins.shape = BinShape::Even;
            settings.fit.most_items = Some(16);
        }
        settings
    }

    /// Whether a metric is in the scorecard whatever the selection says.
    pub(super) fn is_forced(&self, metric: &str) -> bool {
        self.chosen.get(metric).is_some_and(|choice| choice.force)
    }

    /// # Errors
    /// If a setting is out of its range.
    pub fn check(&self) -> Result<(), LearnError> {
        let (bins, screen, fit, points) = (&self.bins, &self.screen, &self.fit, &self.points);
        let share = "from 0 to 1";
        let positive = "positive";
        let ranges: [(&'static str, f64, f64, f64, &'static str); 17] = [
            ("prebins", bins.prebins as f64, 2.0, 50.0, "from 2 to 50"),
            ("most_bins", bins.most_bins as f64, 2.0, 50.0, "from 2 to 50"),
            ("least_share", bins.least_share, 0.0, 0.5, "from 0 to 0.5"),
            ("smoothing", bins.smoothing, 0.0, 1e9, "0 or more"),
            ("least_known", screen.least_known, 0.0, 1.0, share),
            ("least_iv", screen.least_iv, 0.0, f64::MAX, "0 or more"),
            ("leaking_auc", screen.leaking_auc, 0.5, f64::MAX, "0.5 or more"),
            ("unstable_psi", screen.unstable_psi, 0.0, f64::MAX, "0 or more"),
            ("redundant", screen.redundant, 0.0, f64::MAX, "0 or more"),
            ("penalty", fit.penalty.unwrap_or(1.0), f64::MIN_POSITIVE, 1e12, positive),
            ("most_items", fit.most_items.unwrap_or(1) as f64, 1.0, 1000.0, "from 1 to 1000"),
            ("most_candidates", fit.most_candidates as f64, 1.0, 1000.0, "from 1 to 1000"),
            ("folds", fit.folds as f64, 2.0, 20.0, "from 2 to 20"),
            ("repeats", fit.repeats as f64, 1.0, 20.0, "from 1 to 20"),
            ("points", points.points, -1e9, 1e9, "a number"),
            ("odds", points.odds, f64::MIN_POSITIVE, 1e9, positive),
            ("to_double", points.to_double, f64::MIN_POSITIVE, 1e9, positive),
        ];
        match ranges.into_iter().find(|(_, value, low, high, _)| !(low..=high).contains(&value)) {
            Some((name, value, _, _, wanted)) => Err(LearnError::Setting { name, value, wanted }),
            None => Ok(()),
        }
    }
}
