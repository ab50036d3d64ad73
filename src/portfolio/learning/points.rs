//! Log-odds as whole points: a base, and for each item points of 0 and more by bin.

use serde::Serialize;

use super::binning::{Bin, Binning};
use super::settings::PointSettings;
use crate::portfolio::statistics::special::natural_logarithm;

/// A bin, and what it earns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointsRow {
    /// The bin.
    pub bin: Bin,
    /// Its points.
    pub points: i64,
}

/// The points of an item, from its bins and its weight: `to_double / ln 2 * weight * value` of each bin, less the least
/// of them, rounded. Also that least, which goes into the base.
pub fn points_rows_of_item(binning: &Binning, weight: f64, settings: &PointSettings) -> (Vec<PointsRow>, f64) {
    let unit = settings.to_double / std::f64::consts::LN_2;
    let raw = |bin: &Bin| unit * weight * bin.value;
    let least = binning.bins.iter().map(raw).fold(f64::INFINITY, f64::min);
    let row = |bin: &Bin| PointsRow { bin: bin.clone(), points: (raw(bin) - least).round() as i64 };
    (binning.bins.iter().map(row).collect(), least)
}

/// Where everybody begins: `points - to_double / ln 2 * (ln odds - intercept)`, and the least of every item, rounded.
pub fn base_points_of(intercept: f64, least: f64, settings: &PointSettings) -> i64 {
    let unit = settings.to_double / std::f64::consts::LN_2;
    (settings.points + unit * (intercept - natural_logarithm(settings.odds)) + least).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portfolio::learning::binning::{Holds, Places};
    use crate::portfolio::learning::counting::Count;
    use crate::portfolio::learning::optimum::Trend;

    /// The worked example of docs/reference/statistics/scorecard-points.md.
    #[test]
    fn the_example_by_hand() {
        let settings = PointSettings { points: 600.0, odds: 50.0, to_double: 20.0 };
        let bin = |woe: f64| Bin { holds: Holds::Unknown, count: Count::default(), woe, iv: 0.0, value: woe };
        let bins = [-1.386_294_361, 0.223_143_551, 0.916_290_732, 0.0].map(bin).to_vec();
        let binning = Binning {
            bins,
            trend: Trend::Descending,
            iv: 0.0,
            pure_bads: 0,
            worst_text: Count::default(),
            parts: 3,
            goes_anywhere: false,
            places: Places::Cuts { cuts: vec![1.0, 2.0], special: Vec::new() },
        };
        let (rows, least) = points_rows_of_item(&binning, 0.8, &settings);
        // 20 / ln 2 = 28.8539. Raw: -32.00, 5.15, 21.15, 0.
        assert_eq!(rows.iter().map(|row| row.points).collect::<Vec<_>>(), [0, 37, 53, 32]);
        assert!((least + 32.0).abs() < 1e-6);
        // 600 + 28.8539 * (1.386294 - 3.912023) - 32 = 495.12
        assert_eq!(base_points_of(natural_logarithm(4.0), least, &settings), 495);
    }
}
