//! DeLong's variance of an AUC and test of two AUCs, in O(n log n).
//!
//! The *placement* of a good row is the share of bad rows that score lower (ties half), and of a bad row the share of
//! good rows that score higher. The AUC is the mean placement, and its variance comes from the variance of the
//! placements. Source: DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44; fast by ranks after Sun & Xu 2014, IEEE
//! Signal Processing Letters 21. All sums are exact whole numbers up to five billion rows, so that the order of rows
//! cannot matter.

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;
use crate::portfolio::statistics::intervals::{Interval, Level};
use crate::portfolio::statistics::special::two_sided_p;
use crate::portfolio::statistics::ties::{KeyedRow, Tie, order_key, refuse_nan};

/// The uncertainty of one AUC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Delong {
    /// Variance of placements of bad rows / bad rows + variance of placements of good rows / good rows.
    pub variance: f64,
    /// The root of the variance.
    pub standard_error: f64,
    /// Wald interval: AUC ± z × standard error, clipped to 0..1.
    pub interval: Interval,
    /// The level of the interval.
    pub level: Level,
}

/// Two scores of the same rows compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AucComparison {
    /// The AUC of the first score.
    pub first_auc: f64,
    /// The AUC of the second score.
    pub second_auc: f64,
    /// The first AUC minus the second.
    pub difference: f64,
    /// DeLong's standard error of the difference, which allows for their correlation.
    pub standard_error: f64,
    /// Wald interval of the difference, clipped to -1..1.
    pub interval: Interval,
    /// The level of the interval.
    pub level: Level,
    /// difference / standard error; `None` if the standard error is 0, as for scores that rank alike.
    pub z: Option<f64>,
    /// The two-sided p value of z under the standard normal distribution.
    pub p: Option<f64>,
}

/// The DeLong interval of the AUC of these ties; `None` with fewer than two bad or good rows.
pub(super) fn of_one(ties: &[Tie], (bad, good): (u64, u64), level: Level) -> Option<Delong> {
    let (mut bads, mut goods) = (Placements::default(), Placements::default());
    let (mut bad_below, mut good_below) = (0, 0);
    for tie in ties {
        goods.add(i128::from(2 * bad_below + tie.bad), tie.good);
        bads.add(i128::from(2 * (good - good_below) - tie.good), tie.bad);
        bad_below += tie.bad;
        good_below += tie.good;
    }
    let variance = bads.variance_of_mean(good)? + goods.variance_of_mean(bad)?;
    let standard_error = variance.sqrt();
    let auc = goods.mean(bad)?;
    let interval = Interval::around(auc, level.z() * standard_error, (0.0, 1.0));
    Some(Delong { variance, standard_error, interval, level })
}

/// DeLong's test of two scores of the same rows; a higher score is safer. `None` with fewer than two bad or two good
/// rows. Costs O(n log n).
///
/// # Errors
/// [`StatisticsError::Lengths`] if the lists differ in length. [`StatisticsError::NotANumber`] if a score is NaN.
///
/// ```
/// use lendwright::portfolio::statistics::{Level, discrimination::delong_test};
/// let bad = [true, true, false, false, false];
/// let found = delong_test(&[1.0, 3.0, 2.0, 4.0, 5.0], &[1.0, 2.0, 3.0, 4.0, 5.0], &bad, Level::NINETY_FIVE)?;
/// assert_eq!(format!("{:.4}", found.unwrap().difference), "-0.1667");
/// # Ok::<(), lendwright::portfolio::statistics::StatisticsError>(())
/// ```
pub fn delong_test(
    first: &[f64],
    second: &[f64],
    bad: &[bool],
    level: Level,
) -> Result<Option<AucComparison>, StatisticsError> {
    StatisticsError::same_length(("first", first.len()), ("bad", bad.len()))?;
    StatisticsError::same_length(("second", second.len()), ("bad", bad.len()))?;
    refuse_nan("first", first)?;
    refuse_nan("second", second)?;
    let (first, second) = (RowPlacements::new(first, bad), RowPlacements::new(second, bad));
    Ok(compare_aucs_by_delong(&first, &second, level))
}

fn compare_aucs_by_delong(first: &RowPlacements, second: &RowPlacements, level: Level) -> Option<AucComparison> {
    let (bad, good) = (first.bads.len() as u64, first.goods.len() as u64);
    let (first_auc, second_auc) = (mean_of(&first.goods, bad)?, mean_of(&second.goods, bad)?);
    let bads = Placements::of(first.bads.iter().zip(&second.bads).map(|(one, other)| one - other));
    let goods = Placements::of(first.goods.iter().zip(&second.goods).map(|(one, other)| one - other));
    let variance = bads.variance_of_mean(good)? + goods.variance_of_mean(bad)?;
    let difference = goods.mean(bad)?;
    let standard_error = variance.sqrt();
    let z = (standard_error > 0.0).then(|| difference / standard_error);
    Some(AucComparison {
        first_auc,
        second_auc,
        difference,
        standard_error,
        interval: Interval::around(difference, level.z() * standard_error, (-1.0, 1.0)),
        level,
        z,
        p: z.map(two_sided_p),
    })
}

fn mean_of(placements: &[i64], others: u64) -> Option<f64> {
    Placements::of(placements.iter().copied()).mean(others)
}

/// Of each row, twice its placement times the number of rows of the other class: a whole number.
struct RowPlacements {
    bads: Vec<i64>,
    goods: Vec<i64>,
}

impl RowPlacements {
    /// In one walk over the sorted rows. This equals the midrank of a row among all minus its midrank in its own class.
    fn new(scores: &[f64], bad: &[bool]) -> RowPlacements {
        let keys = scores.iter().map(|score| order_key(*score));
        let mut order: Vec<KeyedRow> = keys.zip(0..).map(|(key, row)| KeyedRow::new(key, row)).collect();
        order.sort_unstable();
        let is_bad = |row: &&KeyedRow| bad.get(row.row()).is_some_and(|bad| *bad);
        let good = bad.iter().filter(|bad| !**bad).count() as i64;
        let mut placements = vec![0_i64; scores.len()];
        let (mut bad_below, mut good_below) = (0, 0);
        for tied in order.chunk_by(|left, right| left.key() == right.key()) {
            let tied_bad = tied.iter().filter(is_bad).count() as i64;
            let tied_good = tied.len() as i64 - tied_bad;
            for row in tied {
                if let Some(placement) = placements.get_mut(row.row()) {
                    let of_bad = 2 * (good - good_below) - tied_good;
                    *placement = if is_bad(&row) { of_bad } else { 2 * bad_below + tied_bad };
                }
            }
            bad_below += tied_bad;
            good_below += tied_good;
        }
        let of_class = |wanted: bool| {
            let rows = placements.iter().zip(bad).filter(|(_, bad)| **bad == wanted);
            rows.map(|(placement, _)| *placement).collect()
        };
        RowPlacements { bads: of_class(true), goods: of_class(false) }
    }
}

/// Exact moments of whole-number placements, or of their differences.
#[derive(Clone, Copy, Debug, Default)]
struct Placements {
    n: u64,
    sum: i128,
    squares: u128,
}

impl Placements {
    fn of(placements: impl Iterator<Item = i64>) -> Placements {
        let mut moments = Placements::default();
        for placement in placements {
            moments.add(i128::from(placement), 1);
        }
        moments
    }

    fn add(&mut self, placement: i128, rows: u64) {
        self.n += rows;
        self.sum += placement * i128::from(rows);
        self.squares += placement.unsigned_abs() * placement.unsigned_abs() * u128::from(rows);
    }

    /// The mean, in shares of `others` rows of the other class.
    fn mean(self, others: u64) -> Option<f64> {
        let scale = 2.0 * others as f64 * self.n as f64;
        (scale > 0.0).then(|| self.sum as f64 / scale)
    }

    /// The sample variance, in squared shares of `others`, divided by the number of rows; `None` below two rows.
    fn variance_of_mean(self, others: u64) -> Option<f64> {
        if self.n < 2 || others == 0 {
            return None;
        }
        let n = u128::from(self.n);
        let spread = (n * self.squares).abs_diff(self.sum.unsigned_abs() * self.sum.unsigned_abs()) as f64;
        let (n, others) = (self.n as f64, others as f64);
        Some(spread / (n * n * (n - 1.0)) / (4.0 * others * others))
    }
}
