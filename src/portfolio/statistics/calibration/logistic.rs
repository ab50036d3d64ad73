//! The logistic calibration: outcomes regressed on the log odds of the predictions, by Newton's method.

use serde::Serialize;

use crate::portfolio::statistics::special::{Sum, exponential_of, natural_logarithm};
use crate::portfolio::statistics::ties::Tie;

/// The line logit P(bad) = intercept + slope × logit(predicted). Cox 1958, "Two further applications of a model for
/// binary regression", Biometrika 45; read as in Van Calster et al. 2019, BMC Medicine 17:230.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LogisticCalibration {
    /// The intercept with the slope fixed at 1: 0 is right, above 0 the probabilities are too low overall.
    pub in_the_large: f64,
    /// The intercept of the line.
    pub intercept: f64,
    /// Its standard error.
    pub intercept_error: f64,
    /// The slope: 1 is right, below 1 the probabilities are too extreme.
    pub slope: f64,
    /// Its standard error.
    pub slope_error: f64,
    /// Rows whose probability was moved to within 1e-12 of 0 or 1, where log odds are finite.
    pub clipped: u64,
}

/// The logistic calibration, or why the data have none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogisticFit {
    /// The maximum of the likelihood.
    Fitted(LogisticCalibration),
    /// All rows are bad, or none is.
    OneClass,
    /// All rows have the same probability: no slope.
    OnePrediction,
    /// One probability separates bad from good, up to ties at it: no finite slope. Albert & Anderson 1984, Biometrika
    /// 71.
    Separated,
    /// Newton's method did not settle in 100 steps.
    NotConverged,
}

/// Probabilities are moved to within this of 0 and 1.
const CLIP: f64 = 1e-12;

/// More steps than any sound data need: 5 to 10 are usual.
const MOST_STEPS: u32 = 100;

/// A step this small, relative to where it starts, is the last: the next would be its square.
const SETTLED: f64 = 1e-9;

/// Rows with the same log odds.
struct Point {
    x: f64,
    n: f64,
    bad: f64,
}

/// Fits rows with these probabilities, lowest first.
pub(super) fn fit_logistic_calibration(ties: &[Tie]) -> LogisticFit {
    let total = |part: fn(&Tie) -> u64| ties.iter().map(part).sum::<u64>();
    if total(|tie| tie.bad) == 0 || total(|tie| tie.good) == 0 {
        return LogisticFit::OneClass;
    }
    if ties.len() < 2 {
        return LogisticFit::OnePrediction;
    }
    if are_outcomes_separated(ties) {
        return LogisticFit::Separated;
    }
    let clipped = ties.iter().filter(|tie| tie.value < CLIP || tie.value > 1.0 - CLIP).map(Tie::n).sum();
    match fit_calibration_lines(ties) {
        Some(line) => LogisticFit::Fitted(LogisticCalibration { clipped, ..line }),
        None => LogisticFit::NotConverged,
    }
}

/// Whether all bad rows are at or above all good ones, or at or below.
fn are_outcomes_separated(ties: &[Tie]) -> bool {
    let ends = |has: fn(&Tie) -> bool| (ties.iter().position(has), ties.iter().rposition(has));
    let (first_bad, last_bad) = ends(|tie| tie.bad > 0);
    let (first_good, last_good) = ends(|tie| tie.good > 0);
    last_good <= first_bad || last_bad <= first_good
}

/// The intercept at slope 1, and the free line. Log odds are standardized meanwhile, for a well-conditioned search.
fn fit_calibration_lines(ties: &[Tie]) -> Option<LogisticCalibration> {
    let log_odds = |p: f64| natural_logarithm(p.clamp(CLIP, 1.0 - CLIP) / (1.0 - p.clamp(CLIP, 1.0 - CLIP)));
    let mut points: Vec<Point> =
        ties.iter().map(|tie| Point { x: log_odds(tie.value), n: tie.n() as f64, bad: tie.bad as f64 }).collect();
    let n = weighted_sum_of(&points, |_| 1.0);
    let mean = weighted_sum_of(&points, |x| x) / n;
    let deviation = (weighted_sum_of(&points, |x| (x - mean) * (x - mean)) / n).sqrt();
    if deviation <= 0.0 {
        return None;
    }
    points.iter_mut().for_each(|point| point.x = (point.x - mean) / deviation);
    let rate = points.iter().map(|point| point.bad).sum::<f64>() / n;
    let shifted = fit_intercept_at_slope(&points, deviation, mean)?;
    let in_the_large = shifted - mean;
    // Slope 1 is near for any sensible probabilities; slope 0 is safe for the others.
    let line = find_likelihood_maximum(&points, (shifted, deviation))
        .or_else(|| find_likelihood_maximum(&points, (natural_logarithm(rate / (1.0 - rate)), 0.0)))?;
    let (intercept, slope) = (line.0 - line.1 * mean / deviation, line.1 / deviation);
    let information = likelihood_moments(&points, line);
    let determinant = information.aa * information.bb - information.ab * information.ab;
    // Variances of the standardized line, taken back: var(a - b m / s) and var(b) / s².
    let (var_a, var_b, cov) =
        (information.bb / determinant, information.aa / determinant, -information.ab / determinant);
    let ratio = mean / deviation;
    let line = LogisticCalibration {
        in_the_large,
        intercept,
        intercept_error: (var_a - 2.0 * ratio * cov + ratio * ratio * var_b).sqrt(),
        slope,
        slope_error: var_b.sqrt() / deviation,
        clipped: 0,
    };
    let finite = [line.intercept, line.intercept_error, line.slope, line.slope_error].iter().all(|x| x.is_finite());
    finite.then_some(line)
}

fn weighted_sum_of(points: &[Point], term: impl Fn(f64) -> f64) -> f64 {
    let mut sum = Sum::default();
    points.iter().for_each(|point| sum.add(point.n * term(point.x)));
    sum.value()
}

/// The intercept of the largest likelihood at this slope: the root of a falling gradient, by Newton's method inside a
/// bracket that is halved where a step would leave it.
fn fit_intercept_at_slope(points: &[Point], slope: f64, start: f64) -> Option<f64> {
    let reach = points.iter().map(|point| (slope * point.x).abs()).fold(0.0, f64::max) + 50.0;
    let (mut low, mut high) = (-reach, reach);
    let mut at = start.clamp(low, high);
    for _ in 0..MOST_STEPS {
        let here = likelihood_moments(points, (at, slope));
        if here.is_noise() {
            return Some(at);
        }
        if here.a > 0.0 {
            low = at
        } else {
            high = at
        }
        let newton = at + here.a / here.aa;
        let next = if newton >= low && newton <= high { newton } else { low + (high - low) / 2.0 };
        if (next - at).abs() <= SETTLED * (1.0 + at.abs()) {
            return Some(next);
        }
        at = next;
    }
    None
}

/// The line (intercept, slope) of the largest likelihood, by Newton's method from `at`. A step is halved until it
/// raises the likelihood by a quarter of what its gradient promises (Armijo 1966). A step that moves all log odds by at
/// most 0.5 always raises the likelihood, because the curvature changes by less than a factor of 2.
fn find_likelihood_maximum(points: &[Point], mut at: (f64, f64)) -> Option<(f64, f64)> {
    let farthest = points.iter().map(|point| point.x.abs()).fold(0.0, f64::max);
    for _ in 0..MOST_STEPS {
        let here = likelihood_moments(points, at);
        let step = here.newton_step()?;
        if step.0.abs().max(step.1.abs()) <= SETTLED * (1.0 + at.0.abs().max(at.1.abs())) {
            return Some((at.0 + step.0, at.1 + step.1));
        }
        let step = if step.0.abs() + step.1.abs() * farthest > 0.5 {
            halve_newton_step(points, at, (&here, step))?
        } else {
            step
        };
        at = (at.0 + step.0, at.1 + step.1);
    }
    None
}

/// The Newton step from `at`, halved until it raises the likelihood enough.
fn halve_newton_step(points: &[Point], at: (f64, f64), (here, full): (&Moments, (f64, f64))) -> Option<(f64, f64)> {
    let before = log_likelihood(points, at);
    let promised = here.a * full.0 + here.b * full.1;
    let shares = std::iter::successors(Some(1.0), |share| Some(share / 2.0)).take(60);
    shares
        .map(|share: f64| (share, (full.0 * share, full.1 * share)))
        .find(|(share, step)| {
            let after = log_likelihood(points, (at.0 + step.0, at.1 + step.1));
            after >= before + share * promised / 4.0
        })
        .map(|(_, step)| step)
}

/// Σ bad × η - n × ln(1 + e^η), with η = intercept + slope × x.
fn log_likelihood(points: &[Point], (intercept, slope): (f64, f64)) -> f64 {
    let mut sum = Sum::default();
    for point in points {
        let eta = intercept + slope * point.x;
        sum.add(point.bad * eta - point.n * (eta.max(0.0) + natural_logarithm(1.0 + exponential_of(-eta.abs()))));
    }
    sum.value()
}

/// The gradient of the log likelihood at a line, and the information matrix.
struct Moments {
    n: f64,
    a: f64,
    b: f64,
    aa: f64,
    ab: f64,
    bb: f64,
}

impl Moments {
    /// Whether the gradient of the intercept is no more than rounding.
    fn is_noise(&self) -> bool {
        self.a.abs() <= f64::EPSILON * self.n
    }

    /// The step to where a quadratic likelihood would be largest; `None` where the information vanishes.
    fn newton_step(&self) -> Option<(f64, f64)> {
        let determinant = self.aa * self.bb - self.ab * self.ab;
        let a = (self.bb * self.a - self.ab * self.b) / determinant;
        let b = (self.aa * self.b - self.ab * self.a) / determinant;
        (a.is_finite() && b.is_finite()).then_some((a, b))
    }
}

fn likelihood_moments(points: &[Point], (intercept, slope): (f64, f64)) -> Moments {
    let (mut a, mut b) = (Sum::default(), Sum::default());
    let (mut n, mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0, 0.0);
    for point in points {
        let probability = 1.0 / (1.0 + exponential_of(-(intercept + slope * point.x)));
        n += point.n;
        let residual = point.bad - point.n * probability;
        let weight = point.n * probability * (1.0 - probability);
        a.add(residual);
        b.add(residual * point.x);
        aa += weight;
        ab += weight * point.x;
        bb += weight * point.x * point.x;
    }
    Moments { n, a: a.value(), b: b.value(), aa, ab, bb }
}
