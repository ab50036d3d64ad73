//! How well a score tells bad loans from good ones: AUC, Gini, KS, the ROC curve and the gain table.
//!
//! A higher score is safer. A score that ranks the other way has an AUC below a half.

mod delong;
mod gain;
mod roc;

pub use delong::{AucComparison, Delong, delong_test};
pub use gain::GainBand;
pub use roc::RocPoint;

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;
use crate::portfolio::statistics::intervals::Level;
use crate::portfolio::statistics::ties::{Tie, group_tied_values};

/// Scores sorted once, with the outcome of each row: every statistic of this module reads them.
///
/// ```
/// use lendwright::portfolio::statistics::{Level, discrimination::Scored};
/// let scored = Scored::new(&[10.0, 20.0, 20.0, 30.0], &[true, true, false, false])?;
/// let found = scored.discrimination(Level::NINETY_FIVE).unwrap();
/// assert_eq!((found.auc, found.gini), (0.875, 0.75));
/// assert_eq!((found.ks.value, found.ks.score), (0.5, 10.0));
/// # Ok::<(), lendwright::portfolio::statistics::StatisticsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scored {
    ties: Vec<Tie>,
    bad: u64,
    good: u64,
}

/// How well a score separates bad from good.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Discrimination {
    /// Rows.
    pub n: u64,
    /// Rows that went bad.
    pub bad: u64,
    /// The chance that a random good row scores higher than a random bad one; ties count half. Mann & Whitney 1947;
    /// Hanley & McNeil 1982.
    pub auc: f64,
    /// 2 AUC - 1, also called the accuracy ratio or Somers' D.
    pub gini: f64,
    /// The largest distance between the distributions of bad and of good scores.
    pub ks: Ks,
    /// DeLong's variance and interval of the AUC; `None` with fewer than two bad or two good rows.
    pub delong: Option<Delong>,
}

/// The Kolmogorov-Smirnov statistic.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ks {
    /// max over s of |share of bad rows with score <= s - share of good rows with score <= s|.
    pub value: f64,
    /// The lowest score s that reaches it.
    pub score: f64,
}

impl Scored {
    /// Sorts rows by score; a higher score is safer. Costs O(n log n).
    ///
    /// # Errors
    /// [`StatisticsError::Lengths`] if the lists differ in length. [`StatisticsError::NotANumber`] if a score is NaN.
    pub fn new(scores: &[f64], bad: &[bool]) -> Result<Scored, StatisticsError> {
        let ties = group_tied_values("scores", scores, bad)?;
        let (bad, good) = ties.iter().fold((0, 0), |(bad, good), tie| (bad + tie.bad, good + tie.good));
        Ok(Scored { ties, bad, good })
    }

    /// Rows.
    pub fn n(&self) -> u64 {
        self.bad + self.good
    }

    /// Rows that went bad.
    pub fn bad(&self) -> u64 {
        self.bad
    }

    /// AUC, Gini, KS and DeLong's interval at this level; `None` unless there are both bad and good rows.
    pub fn discrimination(&self, level: Level) -> Option<Discrimination> {
        if self.bad == 0 || self.good == 0 {
            return None;
        }
        let pairs = u128::from(self.bad) * u128::from(self.good);
        let ordered = self.doubled_wins();
        Some(Discrimination {
            n: self.n(),
            bad: self.bad,
            auc: ordered as f64 / (2 * pairs) as f64,
            gini: (ordered as f64 - pairs as f64) / pairs as f64,
            ks: self.ks()?,
            delong: delong::of_one(&self.ties, (self.bad, self.good), level),
        })
    }

    /// Twice the number of pairs of a bad and a good row in which the good one scores higher; a tie adds 1.
    fn doubled_wins(&self) -> u128 {
        let mut bad_below = 0;
        let mut wins = 0;
        for tie in &self.ties {
            wins += u128::from(tie.good) * u128::from(2 * bad_below + tie.bad);
            bad_below += tie.bad;
        }
        wins
    }

    fn ks(&self) -> Option<Ks> {
        let (all_bad, all_good) = (u128::from(self.bad), u128::from(self.good));
        let (mut bad, mut good) = (0, 0);
        let mut best: Option<(u128, f64)> = None;
        for tie in &self.ties {
            bad += tie.bad;
            good += tie.good;
            let distance = (u128::from(bad) * all_good).abs_diff(u128::from(good) * all_bad);
            if best.is_none_or(|(largest, _)| distance > largest) {
                best = Some((distance, tie.value));
            }
        }
        best.map(|(distance, score)| Ks { value: distance as f64 / (all_bad * all_good) as f64, score })
    }

    /// The ROC curve, with at most `most` points; `None` unless there are both bad and good rows.
    ///
    /// The curve has one point per distinct score, and starts at (0, 0). A longer one is thinned to points evenly
    /// spaced by their place, which always include the first and the last.
    ///
    /// # Errors
    /// [`StatisticsError::OutOfRange`] if `most` is below 2.
    pub fn roc_curve(&self, most: usize) -> Result<Option<Vec<RocPoint>>, StatisticsError> {
        StatisticsError::at_least("points", most, 2, "2 or more")?;
        Ok(roc::build_roc_curve(&self.ties, (self.bad, self.good), most))
    }

    /// The gain table: rows from the riskiest score up, in `bands` bands of equal count.
    ///
    /// Rows with one score are never split: the middle row of the tie chooses the band of all of them. Where ties are
    /// large, bands are unequal, and a band without rows is omitted. No rows give no bands.
    ///
    /// # Errors
    /// [`StatisticsError::OutOfRange`] if `bands` is 0.
    pub fn gain_table(&self, bands: usize) -> Result<Vec<GainBand>, StatisticsError> {
        StatisticsError::at_least("bands", bands, 1, "1 or more")?;
        Ok(gain::build_gain_table(&self.ties, (self.bad, self.good), bands))
    }
}

#[cfg(test)]
mod tests;
