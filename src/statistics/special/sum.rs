//! Sums of floats that lose almost nothing: a million terms keep about 15 digits.

/// A running sum with Neumaier's correction term (Neumaier 1974, "Rundungsfehleranalyse einiger Verfahren zur
/// Summation endlicher Summen").
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    /// Adds one term.
    pub(crate) fn add(&mut self, term: f64) {
        let total = self.total + term;
        let (large, small) = if self.total.abs() >= term.abs() { (self.total, term) } else { (term, self.total) };
        self.lost += (large - total) + small;
        self.total = total;
    }

    /// The sum so far.
    pub(crate) fn value(self) -> f64 {
        self.total + self.lost
    }
}
