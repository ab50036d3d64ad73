//! Confidence levels, and intervals of one proportion and of the difference of two.

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;
use crate::portfolio::statistics::special::normal_quantile;

/// A confidence level strictly between 0 and 1, such as 0.95.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Level(f64);

impl Level {
    /// The usual level, 95%.
    pub const NINETY_FIVE: Level = Level(0.95);

    /// A level from its share: 0.95 is 95%.
    ///
    /// # Errors
    /// [`StatisticsError::OutOfRange`] unless 0 < share < 1.
    pub fn new(share: f64) -> Result<Level, StatisticsError> {
        if share > 0.0 && share < 1.0 {
            return Ok(Level(share));
        }
        Err(StatisticsError::OutOfRange { what: "level", value: share.to_string(), range: "0 to 1, both excluded" })
    }

    /// The level as a share.
    pub fn share(self) -> f64 {
        self.0
    }

    /// The standard normal z with this share between -z and z: 1.959964 for 95%.
    pub fn z(self) -> f64 {
        -normal_quantile((1.0 - self.0) / 2.0)
    }
}

/// A confidence interval, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// `middle` ± `reach`, clipped to `least..=most`.
    pub(crate) fn around(middle: f64, reach: f64, (least, most): (f64, f64)) -> Interval {
        Interval { low: (middle - reach).clamp(least, most), high: (middle + reach).clamp(least, most) }
    }
}

/// A number of hits among a number of trials.
///
/// ```
/// use lendwright::portfolio::statistics::{Level, Proportion};
/// let bad = Proportion::new(4, 40)?;
/// let interval = bad.wilson(Level::NINETY_FIVE).unwrap();
/// assert_eq!(format!("{:.4} {:.4}", interval.low, interval.high), "0.0396 0.2305");
/// # Ok::<(), lendwright::portfolio::statistics::StatisticsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Proportion {
    hits: u64,
    n: u64,
}

impl Proportion {
    /// `hits` of `n`.
    ///
    /// # Errors
    /// [`StatisticsError::MoreHitsThanTrials`] if `hits` exceeds `n`.
    pub fn new(hits: u64, n: u64) -> Result<Proportion, StatisticsError> {
        if hits > n {
            return Err(StatisticsError::MoreHitsThanTrials { hits, n });
        }
        Ok(Proportion { hits, n })
    }

    /// The number of hits.
    pub fn hits(self) -> u64 {
        self.hits
    }

    /// The number of trials.
    pub fn n(self) -> u64 {
        self.n
    }

    /// hits / n, or `None` without trials.
    pub fn rate(self) -> Option<f64> {
        (self.n > 0).then(|| self.hits as f64 / self.n as f64)
    }

    /// Wilson's score interval, without continuity correction; `None` without trials.
    ///
    /// ```text
    /// (p + z²/2n ± z √(p (1 - p)/n + z²/4n²)) / (1 + z²/n)
    /// ```
    ///
    /// The ends are exactly 0 without hits and exactly 1 where all are hits. Wilson 1927, "Probable inference, the law
    /// of succession, and statistical inference", JASA 22.
    pub fn wilson(self, level: Level) -> Option<Interval> {
        wilson_interval_of_rate(self.rate()?, self.n as f64, level)
    }
}

/// Wilson's interval of a rate among so many trials, which need not be a whole number, as the effective number of rows
/// that have weights; `None` without trials.
pub(crate) fn wilson_interval_of_rate(rate: f64, trials: f64, level: Level) -> Option<Interval> {
    if !(trials > 0.0 && (0.0..=1.0).contains(&rate)) {
        return None;
    }
    let (n, z) = (trials, level.z());
    let divisor = 1.0 + z * z / n;
    let centre = (rate + z * z / (2.0 * n)) / divisor;
    let reach = z * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt() / divisor;
    let found = Interval::around(centre, reach, (0.0, 1.0));
    Some(Interval { low: if rate == 0.0 { 0.0 } else { found.low }, high: if rate == 1.0 { 1.0 } else { found.high } })
}

/// The difference of two independent proportions, made by [`difference_of_rates`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The first rate minus the second.
    pub difference: f64,
    /// Newcombe's interval of the difference.
    pub interval: Interval,
    /// The level of the interval.
    pub level: Level,
}

/// The first rate minus the second, with Newcombe's hybrid score interval; `None` if either has no trials.
///
/// With the Wilson interval l..u of each rate p:
///
/// ```text
/// low  = d - √((p1 - l1)² + (u2 - p2)²)
/// high = d + √((u1 - p1)² + (p2 - l2)²)
/// ```
///
/// Newcombe 1998, "Interval estimation for the difference between independent proportions: comparison of eleven
/// methods", Statistics in Medicine 17, method 10.
pub fn difference_of_rates(first: Proportion, second: Proportion, level: Level) -> Option<Difference> {
    let (first_rate, second_rate) = (first.rate()?, second.rate()?);
    let (first, second) = (first.wilson(level)?, second.wilson(level)?);
    let difference = first_rate - second_rate;
    let root = |left: f64, right: f64| (left * left + right * right).sqrt();
    let low = difference - root(first_rate - first.low, second.high - second_rate);
    let high = difference + root(first.high - first_rate, second_rate - second.low);
    Some(Difference { difference, interval: Interval { low: low.max(-1.0), high: high.min(1.0) }, level })
}

#[cfg(test)]
mod tests;
