//! Whether a population has moved between two periods: PSI, CSI, and the bins that they count.

mod bins;

pub(crate) use bins::STABILITY_BINS;
pub use bins::{CategoryCounts, QuantileBins, count_categories};

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;
use crate::portfolio::statistics::special::{Sum, natural_logarithm};

/// What is added to the count of every cell, so that an empty one has a finite logarithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Smoothing(f64);

impl Smoothing {
    /// Half a row per cell: the usual continuity correction (Haldane 1956, Anscombe 1956).
    pub const HALF: Smoothing = Smoothing(0.5);

    /// This many rows per cell.
    ///
    /// # Errors
    /// [`StatisticsError::OutOfRange`] unless 1e-9 <= rows <= 1000.
    pub fn new(rows: f64) -> Result<Smoothing, StatisticsError> {
        StatisticsError::within("smoothing", rows, (1e-9, 1_000.0), "1e-9 to 1000")?;
        Ok(Smoothing(rows))
    }

    /// Rows added per cell.
    pub fn rows(self) -> f64 {
        self.0
    }
}

/// How far a population has moved, in words. The limits 0.1 and 0.25 are the industry's rule of thumb: Lewis 1994, "An
/// Introduction to Credit Scoring"; Siddiqi 2006, "Credit Risk Scorecards".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stability {
    /// PSI < 0.1.
    Stable,
    /// 0.1 <= PSI < 0.25: look into it.
    Shifted,
    /// PSI >= 0.25: the population is another one.
    Unstable,
}

impl Stability {
    /// The word for this PSI.
    pub fn from_psi(psi: f64) -> Stability {
        match psi {
            psi if psi < 0.1 => Stability::Stable,
            psi if psi < 0.25 => Stability::Shifted,
            _ => Stability::Unstable,
        }
    }

    /// `stable`, `shifted` or `unstable`.
    pub fn word(self) -> &'static str {
        match self {
            Stability::Stable => "stable",
            Stability::Shifted => "shifted",
            Stability::Unstable => "unstable",
        }
    }
}

/// The population stability index of two periods, made by [`population_stability`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Psi {
    /// The index: always finite, never negative.
    pub value: f64,
    /// Its word.
    pub stability: Stability,
    /// Rows added to every cell.
    pub smoothing: Smoothing,
    /// Rows of the base period.
    pub base: u64,
    /// Rows of the recent period.
    pub recent: u64,
    /// About the index that chance alone gives two periods of this size: (cells - 1)(1/base + 1/recent). Yurdakul &
    /// Naranjo 2020, "Statistical properties of the population stability index", Journal of Risk Model Validation 14.
    pub by_chance: f64,
    /// The cells in the order given.
    pub cells: Vec<PsiCell>,
}

/// One cell of a [`Psi`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PsiCell {
    /// Rows of the base period.
    pub base: u64,
    /// Rows of the recent period.
    pub recent: u64,
    /// The smoothed share of the base period.
    pub base_share: f64,
    /// The smoothed share of the recent period.
    pub recent_share: f64,
    /// (recent share - base share) × ln(recent share / base share), never negative.
    pub contribution: f64,
}

/// The population stability index of two lists of counts, cell by cell; `None` if either period has no rows.
///
/// ```text
/// share = (count + smoothing) / (all counts + smoothing × cells)
/// psi   = Σ (recent share - base share) × ln(recent share / base share)
/// ```
///
/// This is Jeffreys' divergence of the two distributions (Jeffreys 1946; Kullback & Leibler 1951), as used in scoring
/// since Lewis 1994.
///
/// # Errors
/// [`StatisticsError::Lengths`] if the lists differ in length.
///
/// ```
/// use lendwright::portfolio::statistics::stability::{Smoothing, Stability, population_stability};
/// let found = population_stability(&[50, 50, 0], &[50, 30, 20], Smoothing::HALF)?.unwrap();
/// assert!(found.value.is_finite());
/// assert_eq!(found.stability, Stability::Unstable);
/// # Ok::<(), lendwright::portfolio::statistics::StatisticsError>(())
/// ```
pub fn population_stability(
    base: &[u64],
    recent: &[u64],
    smoothing: Smoothing,
) -> Result<Option<Psi>, StatisticsError> {
    StatisticsError::same_length(("base", base.len()), ("recent", recent.len()))?;
    let total = |counts: &[u64]| counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
    let (all_base, all_recent) = (total(base), total(recent));
    if all_base == 0 || all_recent == 0 {
        return Ok(None);
    }
    let share = |count: u64, all: u64| smoothed_share(count as f64, all as f64, base.len(), smoothing);
    let cells: Vec<PsiCell> = base
        .iter()
        .zip(recent)
        .map(|(base, recent)| {
            let (base_share, recent_share) = (share(*base, all_base), share(*recent, all_recent));
            let contribution = contribution_of_cell(base_share, recent_share);
            PsiCell { base: *base, recent: *recent, base_share, recent_share, contribution }
        })
        .collect();
    let mut value = Sum::default();
    cells.iter().for_each(|cell| value.add(cell.contribution));
    Ok(Some(Psi {
        value: value.value(),
        stability: Stability::from_psi(value.value()),
        smoothing,
        base: all_base,
        recent: all_recent,
        by_chance: (cells.len() - 1) as f64 * (1.0 / all_base as f64 + 1.0 / all_recent as f64),
        cells,
    }))
}

/// The index alone, of rows that have weights: cells hold sums of weights, which are 1 on average. `None` if either
/// period weighs nothing.
///
/// # Errors
/// [`StatisticsError::Lengths`] if the lists differ in length.
pub(crate) fn stability_by_weight(
    base: &[f64],
    recent: &[f64],
    smoothing: Smoothing,
) -> Result<Option<f64>, StatisticsError> {
    StatisticsError::same_length(("base", base.len()), ("recent", recent.len()))?;
    let (all_base, all_recent) = (base.iter().sum::<f64>(), recent.iter().sum::<f64>());
    if all_base <= 0.0 || all_recent <= 0.0 {
        return Ok(None);
    }
    let share = |weight: f64, all: f64| smoothed_share(weight, all, base.len(), smoothing);
    let mut value = Sum::default();
    let cells = base.iter().zip(recent);
    cells.for_each(|(base, recent)| {
        value.add(contribution_of_cell(share(*base, all_base), share(*recent, all_recent)));
    });
    Ok(Some(value.value()))
}

fn smoothed_share(count: f64, all: f64, cells: usize, smoothing: Smoothing) -> f64 {
    (count + smoothing.rows()) / (all + smoothing.rows() * cells as f64)
}

fn contribution_of_cell(base_share: f64, recent_share: f64) -> f64 {
    (recent_share - base_share) * natural_logarithm(recent_share / base_share)
}

/// The counts of one characteristic in two periods.
#[derive(Clone, Copy, Debug)]
pub struct Characteristic<'a> {
    /// Its name.
    pub name: &'a str,
    /// Rows of the base period by cell.
    pub base: &'a [u64],
    /// Rows of the recent period by cell.
    pub recent: &'a [u64],
}

/// The stability of one characteristic: a row of the CSI table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Csi {
    /// The name of the characteristic.
    pub name: String,
    /// Its index; `None` if either period has no rows.
    pub psi: Option<Psi>,
}

/// The characteristic stability index: [`population_stability`] of each characteristic, the least stable first.
/// Equal ones stay in the
/// order given; those without rows come last. Siddiqi 2006.
///
/// # Errors
/// [`StatisticsError::Lengths`] if the lists of a characteristic differ in length.
pub fn characteristic_stability(
    characteristics: &[Characteristic<'_>],
    smoothing: Smoothing,
) -> Result<Vec<Csi>, StatisticsError> {
    let row = |characteristic: &Characteristic<'_>| {
        let psi = population_stability(characteristic.base, characteristic.recent, smoothing)?;
        Ok(Csi { name: characteristic.name.to_owned(), psi })
    };
    let mut table = characteristics.iter().map(row).collect::<Result<Vec<_>, StatisticsError>>()?;
    let value = |row: &Csi| row.psi.as_ref().map_or(-1.0, |psi| psi.value);
    table.sort_by(|left, right| value(right).total_cmp(&value(left)));
    Ok(table)
}

#[cfg(test)]
mod tests;
