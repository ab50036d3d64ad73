//! Bins for stability: quantiles of the base period, or the values of a category. Unknown has a bin of its own.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;
use crate::portfolio::statistics::ties::{band_of, order_key, value_of};

/// How many bins the index of a score or a metric has, wherever it is shown.
pub(crate) const STABILITY_BINS: usize = 10;

/// Bins of about equal count in the base period, and one more for unknown values.
///
/// A bin holds the values above the edge before it, up to its own edge. The first has no lower end and the last no
/// upper one, so that every value has a bin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuantileBins {
    edges: Vec<f64>,
}

impl QuantileBins {
    /// At most `bins` bins of the known values of the base period. Equal values are never split: the middle one of the
    /// tie chooses the bin of all of them, so that large ties make fewer bins.
    ///
    /// # Errors
    /// [`StatisticsError::OutOfRange`] if `bins` is 0. [`StatisticsError::NotANumber`] if a value is NaN: pass unknown
    /// values as `None`.
    pub fn new(base: &[Option<f64>], bins: usize) -> Result<QuantileBins, StatisticsError> {
        StatisticsError::at_least("bins", bins, 1, "1 or more")?;
        refuse_nan("base", base)?;
        let mut keys: Vec<u64> = base.iter().flatten().map(|value| order_key(*value)).collect();
        keys.sort_unstable();
        let n = keys.len() as u64;
        let mut below = 0;
        let mut tops: Vec<(usize, f64)> = Vec::new();
        for tie in keys.chunk_by(|left, right| left == right) {
            let bin = band_of(below, tie.len() as u64, n, bins);
            below += tie.len() as u64;
            let value = value_of(tie.first().copied().unwrap_or_default());
            match tops.last_mut() {
                Some(top) if top.0 == bin => top.1 = value,
                _ => tops.push((bin, value)),
            }
        }
        tops.pop();
        Ok(QuantileBins { edges: tops.into_iter().map(|(_, value)| value).collect() })
    }

    /// The upper ends of all bins but the last and the unknown one, ascending.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// Rows per bin, the unknown one last: one count more than bins of values.
    ///
    /// # Errors
    /// [`StatisticsError::NotANumber`] if a value is NaN.
    pub fn count(&self, values: &[Option<f64>]) -> Result<Vec<u64>, StatisticsError> {
        refuse_nan("values", values)?;
        let mut counts = vec![0; self.cells()];
        values.iter().for_each(|value| counts[self.cell_of(*value)] += 1);
        Ok(counts)
    }

    /// How many bins there are, with the unknown one.
    pub(crate) fn cells(&self) -> usize {
        self.edges.len() + 2
    }

    /// The bin of a value.
    pub(crate) fn cell_of(&self, value: Option<f64>) -> usize {
        value.map_or(self.edges.len() + 1, |value| self.edges.partition_point(|edge| *edge < value))
    }

    /// The bins in words, in the order of [`QuantileBins::count`]: `<= 10`, `10 to 20`, `> 20`, `unknown`.
    pub fn labels(&self) -> Vec<String> {
        let mut labels: Vec<String> = match (self.edges.first(), self.edges.last()) {
            (Some(first), Some(last)) => {
                let between = self.edges.iter().zip(self.edges.iter().skip(1));
                let between = between.map(|(low, high)| format!("{low} to {high}"));
                let start = std::iter::once(format!("<= {first}"));
                start.chain(between).chain(std::iter::once(format!("> {last}"))).collect()
            }
            _ => vec!["any".to_owned()],
        };
        labels.push("unknown".to_owned());
        labels
    }
}

fn refuse_nan(what: &'static str, values: &[Option<f64>]) -> Result<(), StatisticsError> {
    match values.iter().position(|value| value.is_some_and(f64::is_nan)) {
        Some(row) => Err(StatisticsError::NotANumber { what, row }),
        None => Ok(()),
    }
}

/// Rows per category in two periods, made by [`count_categories`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CategoryCounts {
    /// The categories of either period in the order of their bytes; the last is `None`, for unknown.
    pub categories: Vec<Option<String>>,
    /// Rows of the base period.
    pub base: Vec<u64>,
    /// Rows of the recent period.
    pub recent: Vec<u64>,
}

/// Counts the rows of each category in both periods. A category of one period counts 0 in the other, and unknown has a
/// cell of its own even if it is empty.
pub fn count_categories(base: &[Option<&str>], recent: &[Option<&str>]) -> CategoryCounts {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut unknown = (0, 0);
    for value in base {
        value.map_or(&mut unknown, |value| counts.entry(value).or_default()).0 += 1;
    }
    for value in recent {
        value.map_or(&mut unknown, |value| counts.entry(value).or_default()).1 += 1;
    }
    let known = counts.into_iter().map(|(category, counts)| (Some(category.to_owned()), counts));
    let (categories, counts): (_, Vec<_>) = known.chain(std::iter::once((None, unknown))).unzip();
    let (base, recent) = counts.into_iter().unzip();
    CategoryCounts { categories, base, recent }
}
