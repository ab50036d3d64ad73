//! Logistic regression: without a penalty and with L2 by Newton's method, with L1 by coordinate descent. Standard
//! errors.

use std::collections::BTreeMap;

use serde::Serialize;

use super::lasso;
use super::linear::{Cholesky, dot_product, standardize_column};
use super::mistake::LearnError;
use crate::portfolio::statistics::special::{exponential_of, logarithm_above_one, natural_logarithm, two_sided_p};

/// What holds weights back. The intercept is never held back. `scikit-learn`'s `C` is one over the strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Penalty {
    /// Nothing.
    None,
    /// Half the sum of squared weights, times this.
    L2(f64),
    /// The sum of the weights' sizes, times this.
    L1(f64),
}

impl Penalty {
    /// What it adds to the second derivative of each weight.
    pub(super) fn ridge(self) -> f64 {
        match self {
            Penalty::L2(strength) => strength,
            _ => 0.0,
        }
    }

    /// What it adds to the loss.
    pub(super) fn loss(self, weights: &[f64]) -> f64 {
        match self {
            Penalty::None => 0.0,
            Penalty::L2(strength) => strength / 2.0 * dot_product(weights, weights),
            Penalty::L1(strength) => strength * weights.iter().map(|weight| weight.abs()).sum::<f64>(),
        }
    }
}

/// A fitted regression: `ln(p / (1 - p)) = intercept + sum of weight * value`, `p` the chance of a true outcome.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The log-odds where all columns are 0.
    pub intercept: f64,
    /// The weight of each column.
    pub weights: Vec<f64>,
    /// How many steps it took.
    pub steps: usize,
    /// The logarithm of the likelihood, without the penalty.
    pub log_likelihood: f64,
}

impl Fit {
    /// The log-odds of each row.
    pub fn log_odds(&self, columns: &[Vec<f64>], rows: usize) -> Vec<f64> {
        let mut sum = vec![self.intercept; rows];
        for (block, sum) in sum.chunks_mut(BLOCK).enumerate() {
            for (column, weight) in columns.iter().zip(&self.weights).filter(|(_, weight)| **weight != 0.0) {
                let values = column.iter().skip(block * BLOCK);
                sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        sum
    }
}

/// How sure a weight is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Certainty {
    /// The standard error: the root of the diagonal of the inverse of the observed information.
    pub standard_error: f64,
    /// Wald's statistic: the weight, in standard errors.
    pub z: f64,
    /// How likely so large a `z` is by chance.
    pub p: f64,
}

/// `ln(1 + e^x)`, without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + logarithm_above_one(exponential_of(-x.abs()))
}

/// What rows came to, and what they weigh.
#[derive(Clone, Copy)]
pub(super) struct Outcomes<'a> {
    pub is_true: &'a [bool],
    /// Empty: every row weighs 1.
    pub weights: &'a [f64],
}

impl Outcomes<'_> {
    pub fn rows(&self) -> usize {
        self.is_true.len()
    }

    pub fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// The weight of all rows.
    pub fn total(&self) -> f64 {
        if self.weights.is_empty() { self.rows() as f64 } else { self.weights.iter().sum() }
    }
}

/// The logarithm of the likelihood of outcomes.
pub(super) fn log_likelihood(log_odds: &[f64], outcomes: Outcomes) -> f64 {
    let one =
        |(row, (x, y)): (usize, (&f64, &bool))| outcomes.weight(row) * if *y { -softplus(-x) } else { -softplus(*x) };
    log_odds.iter().zip(outcomes.is_true).enumerate().map(one).sum()
}

/// The loss around a point: its slope and its bend by weight, the intercept last.
pub(super) struct Bend {
    pub slope: Vec<f64>,
    pub matrix: Vec<f64>,
}

/// Minus the log-likelihood at a point, and of each row its chance less its outcome, times its weight, and how much it
/// bends the loss.
struct Misses {
    loss: f64,
    of_rows: Vec<f64>,
    bends: Vec<f64>,
}

fn misses_of(log_odds: &[f64], outcomes: Outcomes) -> Misses {
    let mut loss = 0.0;
    let mut bends = Vec::with_capacity(log_odds.len());
    let mut one = |(row, (x, is_true)): (usize, (&f64, &bool))| {
        let (odds, y, weight) = (exponential_of(-x.abs()), f64::from(u8::from(*is_true)), outcomes.weight(row));
        loss += weight * (x.max(0.0) - y * x + logarithm_above_one(odds));
        let miss = (if *x >= 0.0 { 1.0 } else { odds }) / (1.0 + odds) - y;
        bends.push(weight * (miss.abs() * (1.0 - miss.abs())));
        weight * miss
    };
    let of_rows = log_odds.iter().zip(outcomes.is_true).enumerate().map(&mut one).collect();
    Misses { loss, of_rows, bends }
}

/// The slope of minus the log-likelihood.
fn slope_of_misses(columns: &[Vec<f64>], misses: &[f64]) -> Vec<f64> {
    let slopes = columns.iter().map(|column| dot_product(column, misses));
    slopes.chain([misses.iter().sum()]).collect()
}

/// So many rows at once stay in the cache of a processor.
const BLOCK: usize = 512;

/// The sum over rows of the products of columns and a bend, the constant last: with those of misses, the bend of minus
/// the log-likelihood.
fn sum_of_products(columns: &[Vec<f64>], bends: &[f64]) -> Vec<f64> {
    let size = columns.len() + 1;
    let mut matrix = vec![0.0; size * size];
    let mut weighed = Vec::with_capacity(BLOCK);
    for (block, importance) in bends.chunks(BLOCK).enumerate() {
        let part = |column: &'_ [f64]| block * BLOCK..(block * BLOCK + importance.len()).min(column.len());
        for row in 0..size {
            weighed.clear();
            match columns.get(row) {
                Some(column) => {
                    weighed.extend(importance.iter().zip(&column[part(column)]).map(|(part, value)| part * value));
                }
                None => weighed.extend_from_slice(importance),
            }
            for other in row..size {
                let column = columns.get(other);
                matrix[row * size + other] +=
                    column.map_or_else(|| weighed.iter().sum(), |column| dot_product(&weighed, &column[part(column)]));
            }
        }
    }
    for row in 0..size {
        (row + 1..size).for_each(|other| matrix[other * size + row] = matrix[row * size + other]);
    }
    matrix
}

/// Fits a regression, to steps below 1e-10.
///
/// # Errors
/// If there is no single answer: columns tell the outcomes apart or repeat each other, and nothing holds them back; or
/// columns and outcomes differ in length, a value is not finite, or one outcome is missing.
pub fn fit_regression(columns: &[Vec<f64>], outcome: &[bool], penalty: Penalty) -> Result<Fit, LearnError> {
    fit_from(columns, Outcomes { is_true: outcome, weights: &[] }, penalty, None, EXACT, &mut KeptBend::default())
}

/// The same of rows that weigh something: each counts in the likelihood by its weight.
///
/// # Errors
/// As [`fit_regression`].
pub(super) fn fit_weighted_regression(
    columns: &[Vec<f64>],
    outcomes: Outcomes,
    penalty: Penalty,
) -> Result<Fit, LearnError> {
    fit_from(columns, outcomes, penalty, None, EXACT, &mut KeptBend::default())
}

/// How short the last step of an exact fit is, relative to the largest weight.
pub(super) const EXACT: f64 = 1e-10;

/// A bend that fits of the same columns share. One that was found elsewhere leads to the same answer, because the slope
/// is always that of the point; it is found anew where steps with it shrink slowly.
#[derive(Default)]
pub(super) struct KeptBend(Option<Vec<f64>>);

impl KeptBend {
    /// Leaves a column out.
    pub fn drop_column(&mut self, column: usize) {
        if let Some(matrix) = &mut self.0 {
            let size = matrix.len().isqrt();
            let mut at = 0;
            matrix.retain(|_| {
                at += 1;
                (at - 1) / size != column && (at - 1) % size != column
            });
        }
    }
}

/// The same, from an earlier answer, to steps below `exact`.
pub(super) fn fit_from(
    columns: &[Vec<f64>],
    outcomes: Outcomes,
    penalty: Penalty,
    start: Option<&Fit>,
    exact: f64,
    bend: &mut KeptBend,
) -> Result<Fit, LearnError> {
    let outcome = outcomes.is_true;
    for column in columns {
        if column.len() != outcome.len() {
            return Err(LearnError::Length { what: "a column".into(), found: column.len(), rows: outcome.len() });
        }
        if column.iter().any(|value| !value.is_finite()) {
            return Err(LearnError::NoAnswer);
        }
    }
    let yes = outcome.iter().filter(|outcome| **outcome).count();
    if yes == 0 || yes == outcome.len() {
        return Err(LearnError::OneOutcome { rows: outcome.len(), bads: outcome.len() - yes });
    }
    let odds = yes as f64 / (outcome.len() - yes) as f64;
    let empty =
        Fit { intercept: natural_logarithm(odds), weights: vec![0.0; columns.len()], steps: 0, log_likelihood: 0.0 };
    let start = start.filter(|start| start.weights.len() == columns.len()).cloned().unwrap_or(empty);
    descend_by_newton(columns, outcomes, penalty, start, exact, bend)
}

/// A step that shrinks by less than this says that the bend is that of another place.
const SHRINKS: f64 = 0.5;

/// Newton's steps, halved while they lead up.
fn descend_by_newton(
    columns: &[Vec<f64>],
    outcomes: Outcomes,
    penalty: Penalty,
    start: Fit,
    exact: f64,
    bend: &mut KeptBend,
) -> Result<Fit, LearnError> {
    let size = columns.len();
    let mut fit = start;
    let mut here = misses_of(&fit.log_odds(columns, outcomes.rows()), outcomes);
    let mut least = here.loss + penalty.loss(&fit.weights);
    // Steps of L1 are as exact as the last one was short: far from the answer, exact ones are a waste.
    let (mut exactness, mut before) = (1e-4, f64::INFINITY);
    for turn in 1..=200 {
        let slope = slope_of_misses(columns, &here.of_rows);
        let matrix = match bend.0.take().filter(|matrix| matrix.len() == slope.len() * slope.len()) {
            Some(matrix) => matrix,
            None => sum_of_products(columns, &here.bends),
        };
        let bent = Bend { slope, matrix };
        let step = match penalty {
            Penalty::L1(strength) => lasso::lasso_descent_step(&bent, &fit.weights, strength, exactness),
            _ => newton_step_with_ridge(&bent, &fit.weights, penalty.ridge())?,
        };
        let (mut part, mut next) = (1.0, fit.clone());
        loop {
            next.weights.iter_mut().enumerate().for_each(|(at, weight)| *weight = fit.weights[at] + part * step[at]);
            next.intercept = fit.intercept + part * step[size];
            here = misses_of(&next.log_odds(columns, outcomes.rows()), outcomes);
            let found = here.loss + penalty.loss(&next.weights);
            if found <= least + 1e-12 * least.abs() || part < 1e-6 {
                least = found;
                break;
            }
            part /= 2.0;
        }
        fit = next;
        fit.steps = turn;
        let far = fit.weights.iter().fold(fit.intercept.abs(), |far, weight| far.max(weight.abs()));
        if !far.is_finite() || far > 1e6 {
            return Err(LearnError::NoAnswer);
        }
        let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs() * part));
        exactness = (longest * 1e-3).clamp(1e-13, exactness);
        bend.0 = (part == 1.0 && longest < SHRINKS * before).then_some(bent.matrix);
        before = longest;
        if longest < exact * (1.0 + far) {
            fit.log_likelihood = -here.loss;
            return Ok(fit);
        }
    }
    Err(LearnError::NoAnswer)
}

fn newton_step_with_ridge(bend: &Bend, weights: &[f64], ridge: f64) -> Result<Vec<f64>, LearnError> {
    let (mut slope, mut matrix) = (bend.slope.clone(), bend.matrix.clone());
    let size = slope.len();
    for (at, weight) in weights.iter().enumerate() {
        slope[at] += ridge * weight;
        matrix[at * size + at] += ridge;
    }
    let solved = Cholesky::new(&matrix, size).ok_or(LearnError::NoAnswer)?;
    Ok(solved.solve(&slope).into_iter().map(|step| -step).collect())
}

/// How sure the weights of a fit without a penalty or with L2 are, by the observed information, the penalty included;
/// the intercept is last. Of L1, fit the chosen columns again without a penalty first.
///
/// # Errors
/// If the information cannot be inverted.
pub fn certainty_of_weights(
    columns: &[Vec<f64>],
    outcome: &[bool],
    fit: &Fit,
    penalty: Penalty,
) -> Result<Vec<Certainty>, LearnError> {
    let outcomes = Outcomes { is_true: outcome, weights: &[] };
    let solved = Cholesky::new(&information_of_fit(columns, outcomes, fit, penalty), columns.len() + 1);
    let variances = solved.ok_or(LearnError::NoAnswer)?.inverse_diagonal();
    Ok(certainties_of_fit(fit, variances))
}

fn certainties_of_fit(fit: &Fit, variances: Vec<f64>) -> Vec<Certainty> {
    let one = |(weight, variance): (&f64, f64)| {
        let (error, z) = (variance.sqrt(), weight / variance.sqrt());
        Certainty { standard_error: error, z, p: two_sided_p(z) }
    };
    fit.weights.iter().chain([&fit.intercept]).zip(variances).map(one).collect()
}

fn information_of_fit(columns: &[Vec<f64>], outcomes: Outcomes, fit: &Fit, penalty: Penalty) -> Vec<f64> {
    let size = columns.len() + 1;
    let misses = misses_of(&fit.log_odds(columns, outcomes.rows()), outcomes);
    let mut matrix = sum_of_products(columns, &misses.bends);
    (0..columns.len()).for_each(|at| matrix[at * size + at] += penalty.ridge());
    matrix
}

/// How sure weights are where rows have weights, or one customer has several rows: by the sandwich of White (1980) and
/// Huber (1967), with the slopes of a customer's rows added up (Liang and Zeger 1986), without a correction for few.
/// `customers` may be empty: every row is a customer of its own.
///
/// # Errors
/// If the information cannot be inverted.
pub(super) fn robust_certainty_of_weights(
    columns: &[Vec<f64>],
    outcomes: Outcomes,
    customers: &[u64],
    fit: &Fit,
    penalty: Penalty,
) -> Result<Vec<Certainty>, LearnError> {
    let size = columns.len() + 1;
    let solved =
        Cholesky::new(&information_of_fit(columns, outcomes, fit, penalty), size).ok_or(LearnError::NoAnswer)?;
    let misses = misses_of(&fit.log_odds(columns, outcomes.rows()), outcomes).of_rows;
    let mut slopes: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (row, miss) in misses.iter().enumerate() {
        let customer = customers.get(row).copied().unwrap_or(row as u64);
        let slope = slopes.entry(customer).or_insert_with(|| vec![0.0; size]);
        let values = columns.iter().map(|column| column[row]).chain([1.0]);
        slope.iter_mut().zip(values).for_each(|(sum, value)| *sum += miss * value);
    }
    let variance = |place: usize| {
        let unit: Vec<f64> = (0..size).map(|at| f64::from(u8::from(at == place))).collect();
        let along = solved.solve(&unit);
        slopes.values().map(|slope| dot_product(slope, &along)).map(|sum| sum * sum).sum::<f64>()
    };
    Ok(certainties_of_fit(fit, (0..size).map(variance).collect()))
}

/// Variance inflation factors: how many times larger the variance of each weight is than if the column were
/// uncorrelated with the others, `1 / (1 - R^2)`; with weights of rows, that of weighted least squares. Infinite where
/// columns repeat each other.
pub fn variance_inflation(columns: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let size = columns.len();
    let standards: Vec<Vec<f64>> = columns.iter().map(|column| standardize_column(column.clone(), weights)).collect();
    let matrix: Vec<f64> =
        (0..size * size).map(|at| dot_product(&standards[at / size], &standards[at % size])).collect();
    Cholesky::new(&matrix, size).map_or_else(|| vec![f64::INFINITY; size], |solved| solved.inverse_diagonal())
}
