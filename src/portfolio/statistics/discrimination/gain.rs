//! The gain table: bad rates, cumulative shares and lift by score band.

use serde::Serialize;

use crate::portfolio::statistics::ties::{Tie, band_of};

/// One band of the gain table. Bands go from the riskiest scores to the safest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GainBand {
    /// The number of the band, from 1; numbers of empty bands are skipped.
    pub band: usize,
    /// The lowest score in the band.
    pub low: f64,
    /// The highest score in the band.
    pub high: f64,
    /// Rows in the band.
    pub n: u64,
    /// Bad rows in the band.
    pub bad: u64,
    /// bad / n.
    pub bad_rate: f64,
    /// The share of all bad rows in this band and those before; `None` if no row is bad.
    pub cumulative_bad_share: Option<f64>,
    /// The bad rate of the band divided by the bad rate of all rows; `None` if no row is bad.
    pub lift: Option<f64>,
    /// The bad rate of this band and those before, divided by the bad rate of all rows; `None` if no row is bad.
    pub cumulative_lift: Option<f64>,
    /// The cumulative share of bad rows minus that of good rows, at the end of the band; negative where the score ranks
    /// the wrong way. `None` unless there are both classes. The largest is at most the KS of all scores.
    pub ks: Option<f64>,
}

/// The bands that have rows.
pub(super) fn build_gain_table(ties: &[Tie], (bad, good): (u64, u64), bands: usize) -> Vec<GainBand> {
    let mut below = Below { all_bad: bad, all_good: good, n: 0, bad: 0 };
    let mut table = Vec::new();
    let mut open: Option<BandRows> = None;
    let mut n_below = 0;
    for tie in ties {
        let number = band_of(n_below, tie.n(), bad + good, bands);
        n_below += tie.n();
        match &mut open {
            Some(rows) if rows.number == number => {
                rows.high = tie.value;
                rows.n += tie.n();
                rows.bad += tie.bad;
            }
            _ => {
                let next = BandRows { number, low: tie.value, high: tie.value, n: tie.n(), bad: tie.bad };
                table.extend(open.replace(next).map(|rows| below.band(&rows)));
            }
        }
    }
    table.extend(open.map(|rows| below.band(&rows)));
    table
}

/// The rows of one band.
struct BandRows {
    number: usize,
    low: f64,
    high: f64,
    n: u64,
    bad: u64,
}

/// The rows of all bands so far.
struct Below {
    all_bad: u64,
    all_good: u64,
    n: u64,
    bad: u64,
}

impl Below {
    /// Adds the rows to those so far.
    fn band(&mut self, rows: &BandRows) -> GainBand {
        self.n += rows.n;
        self.bad += rows.bad;
        let all = (self.all_bad + self.all_good) as f64;
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let lift = |bad: u64, n: u64| share(bad, self.all_bad).map(|share| share * (all / n as f64));
        let (bad_share, good_share) = (share(self.bad, self.all_bad), share(self.n - self.bad, self.all_good));
        GainBand {
            band: rows.number + 1,
            low: rows.low,
            high: rows.high,
            n: rows.n,
            bad: rows.bad,
            bad_rate: rows.bad as f64 / rows.n as f64,
            cumulative_bad_share: bad_share,
            lift: lift(rows.bad, rows.n),
            cumulative_lift: lift(self.bad, self.n),
            ks: bad_share.zip(good_share).map(|(bad, good)| bad - good),
        }
    }
}
