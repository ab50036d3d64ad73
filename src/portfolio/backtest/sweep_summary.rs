//! The result of a sweep: what a policy did at each place. Plain numbers, the same for text, JSON and pages.

use serde::Serialize;

/// The least and the greatest that a value may be.
pub type Bounds = (f64, f64);

/// What a policy does over the values of one or two of its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SweepSummary {
    /// The policy.
    pub policy: String,
    /// The parameters and their values, in order. One is a curve, two are a heat map; random search has as many as
    /// were named.
    pub parameters: Vec<(String, Vec<f64>)>,
    /// `grid` or `random`.
    pub search: String,
    /// The results, in the order of trial.
    pub points: Vec<SweepPoint>,
    /// The indices of the points that no other beats in approvals and bad rate (or profit) at once.
    pub frontier: Vec<usize>,
    /// The same where everybody without an outcome is bad: what is certain.
    pub worst_case_frontier: Vec<usize>,
    /// The index of the file's own values, if they were tried.
    pub present: Option<usize>,
    /// The most profitable point, under declared economics.
    pub best: Option<BestPoint>,
    /// What each parameter does alone, from its least to its greatest value; the greatest effect first.
    pub tornado: Vec<TornadoRow>,
    /// Parameters that the tornado leaves out: values over records depend on them.
    pub left_out: Vec<String>,
}

/// One combination of values.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SweepPoint {
    /// The value of each parameter.
    pub values: Vec<f64>,
    /// Customers with an offer.
    pub offers: u64,
    /// Their share of all.
    pub approval_rate: f64,
    /// The sum of greatest offers, in minor units.
    pub amount: i128,
    /// How many of those with an offer have an outcome.
    pub known: u64,
    /// How many of these are bad.
    pub bad: u64,
    /// The bad rate among those with an offer and an outcome.
    pub bad_rate: Option<f64>,
    /// The bad rate of all offers if everybody without an outcome is good, and if everybody without is bad.
    pub bad_rate_bounds: Option<Bounds>,
    /// The profit of those with an offer and an outcome, under declared economics, in minor units.
    pub profit: Option<f64>,
    /// The profit of all offers if everybody without an outcome is bad, and if everybody without is good.
    pub profit_bounds: Option<Bounds>,
}

/// The most profitable of many points, and what is left of its gain on customers that it was not chosen on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BestPoint {
    /// Its index.
    pub point: usize,
    /// By how much its profit exceeds that of the present values, in minor units. The best of many is best by chance
    /// too.
    pub gain: f64,
    /// The same, held out: customers are dealt into parts by their names; for each part the point is chosen that is
    /// most profitable on the others, and its gain is counted on that part.
    pub held_out_gain: f64,
    /// How many parts there are, and in how many of them the chosen point gains.
    pub parts: (usize, usize),
}

/// The effect of one parameter alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TornadoRow {
    /// The parameter.
    pub parameter: String,
    /// Its least and greatest value.
    pub range: (f64, f64),
    /// The approval rate at both.
    pub approval_rate: (f64, f64),
    /// The bad rate at both.
    pub bad_rate: (Option<f64>, Option<f64>),
    /// The bounds of the bad rate at both, as in a point.
    pub bad_rate_bounds: (Option<Bounds>, Option<Bounds>),
    /// The profit at both.
    pub profit: (Option<f64>, Option<f64>),
    /// The bounds of the profit at both, as in a point.
    pub profit_bounds: (Option<Bounds>, Option<Bounds>),
}
