//! From rows to a model: screening, choice of items, weights. The same recipe makes the proposal from all rows, and the
//! models that cross-validation tests from parts of them.

use super::binning::Binning;
use super::input::{Column, Sample};
use super::linear::{Cholesky, dot};
use super::logistic::{EXACT, Fit, Penalty, bend, chance, fit_from};
use super::mistake::LearnError;
use super::penalty::{Design, NEAR, Tried, choose};
use super::screening::{Screened, Verdict, screen};
use super::settings::Settings;

/// The gain in twice the log-likelihood that an item must bring: what Akaike's criterion asks of a weight.
const LEAST_GAIN: f64 = 2.0;

/// A model, and how it came about.
pub(super) struct Model {
    /// All metrics with their verdicts.
    pub screened: Vec<Screened>,
    /// The columns that are items, the best alone first.
    pub items: Vec<usize>,
    /// Their weights.
    pub fit: Fit,
    /// What held them back.
    pub penalty: Penalty,
    /// The strengths tried.
    pub tried: Vec<Tried>,
}

impl Model {
    /// The bins of an item.
    pub fn binning(&self, item: usize) -> &Binning {
        &self.screened[self.items[item]].binning
    }

    /// The log-odds of being good.
    pub fn log_odds(&self, columns: &[Column], rows: &[u32]) -> Vec<f64> {
        let design: Vec<Vec<f64>> = (0..self.items.len())
            .map(|item| self.binning(item).column(&columns[self.items[item]].values, rows))
            .collect();
        self.fit.log_odds(&design, rows.len())
    }
}

/// # Errors
/// If nothing passes the screening, or the regression has no single answer.
pub(super) fn model(
    sample: &Sample, columns: &[Column], rows: &[u32], settings: &Settings,
) -> Result<Model, LearnError> {
    let mut screened = screen(sample, columns, rows, settings);
    let mut items: Vec<usize> =
        screened.iter().filter(|one| one.verdict == Verdict::Kept).map(|one| one.column).collect();
    items.sort_by(|a, b| screened[*b].binning.iv.total_cmp(&screened[*a].binning.iv).then(a.cmp(b)));
    if items.is_empty() {
        return Err(LearnError::NothingKept(columns.len()));
    }
    let mut design = design(sample, columns, rows, &screened, &items);
    let (mut penalty, mut tried) = choose(sample, columns, rows, &items, &design, settings);
    let kept = match settings.fit.most_items {
        Some(most) if items.len() > 1 => forward(&design, penalty, most)?,
        _ => (0..items.len()).collect(),
    };
    narrow(&mut design, &mut items, &kept, &mut screened, Verdict::NotNeeded, "others say what it says");
    if kept.len() < design.columns.len() || settings.fit.most_items.is_some() {
        (penalty, tried) = choose(sample, columns, rows, &items, &design, settings);
    }
    let fit = explainable(&mut design, &mut items, &mut screened, penalty)?;
    if items.is_empty() {
        return Err(LearnError::NothingKept(columns.len()));
    }
    Ok(Model { screened, items, fit, penalty, tried })
}

/// The columns of items, and the outcomes.
pub(super) fn design(
    sample: &Sample, columns: &[Column], rows: &[u32], screened: &[Screened], items: &[usize],
) -> Design {
    let column = |item: &usize| screened[*item].binning.column(&columns[*item].values, rows);
    Design {
        columns: items.iter().map(column).collect(),
        good: rows.iter().map(|row| !sample.is_bad(*row)).collect(),
    }
}

/// Keeps the items at some places, and says of the others why not.
fn narrow(
    design: &mut Design, items: &mut Vec<usize>, kept: &[usize], screened: &mut [Screened], verdict: Verdict, why: &str,
) {
    for (_, item) in items.iter().enumerate().filter(|(place, _)| !kept.contains(place)) {
        screened[*item].verdict = verdict;
        screened[*item].why = why.into();
        screened[*item].warning = None;
    }
    *items = kept.iter().map(|place| items[*place]).collect();
    design.columns = kept.iter().map(|place| std::mem::take(&mut design.columns[*place])).collect();
}

/// Adds items one by one, each time the one whose addition raises the likelihood most, as its score test says. All
/// weights stay positive.
fn forward(design: &Design, penalty: Penalty, most: usize) -> Result<Vec<usize>, LearnError> {
    let hold = if let Penalty::L1(_) = penalty { Penalty::None } else { penalty };
    let mut left: Vec<usize> = (0..design.columns.len()).collect();
    let mut chosen: Vec<usize> = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut fit = fit_from(&columns, &design.good, hold, None, NEAR)?;
    while chosen.len() < most {
        let test = ScoreTest::new(&columns, &design.good, &fit, hold.ridge());
        let mut best: Option<(f64, usize)> = None;
        for place in &left {
            let gain = test.gain(&design.columns[*place]);
            if gain >= LEAST_GAIN && best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, *place));
            }
        }
        let Some((_, place)) = best else { break };
        left.retain(|other| *other != place);
        columns.push(design.columns[place].clone());
        match fit_from(&columns, &design.good, hold, None, NEAR) {
            Ok(found) if found.weights.iter().all(|weight| *weight > 0.0) => {
                fit = found;
                chosen.push(place);
            }
            _ => drop(columns.pop()),
        }
    }
    Ok(if chosen.is_empty() { vec![0] } else { chosen })
}

/// Rao's score test of one more column: `slope^2 / bend`, the bend less what the items so far explain of it.
struct ScoreTest<'a> {
    columns: &'a [Vec<f64>],
    misses: Vec<f64>,
    importance: Vec<f64>,
    information: Option<Cholesky>,
    ridge: f64,
}

impl<'a> ScoreTest<'a> {
    fn new(columns: &'a [Vec<f64>], good: &[bool], fit: &Fit, ridge: f64) -> Self {
        let log_odds = fit.log_odds(columns, good.len());
        let mut bend = bend(columns, good, &log_odds);
        let size = columns.len() + 1;
        (0..columns.len()).for_each(|at| bend.matrix[at * size + at] += ridge);
        let chances: Vec<f64> = log_odds.into_iter().map(chance).collect();
        let misses = chances.iter().zip(good).map(|(p, y)| f64::from(u8::from(*y)) - p).collect();
        let importance = chances.iter().map(|p| p * (1.0 - p)).collect();
        ScoreTest { columns, misses, importance, information: Cholesky::new(&bend.matrix, size), ridge }
    }

    /// The gain in twice the log-likelihood, about; 0 if the weight would be negative.
    fn gain(&self, column: &[f64]) -> f64 {
        let slope = dot(column, &self.misses);
        let Some(information) = self.information.as_ref().filter(|_| slope > 0.0) else { return 0.0 };
        let weighed: Vec<f64> = column.iter().zip(&self.importance).map(|(value, part)| value * part).collect();
        let mut beside: Vec<f64> = self.columns.iter().map(|other| dot(other, &weighed)).collect();
        beside.push(weighed.iter().sum());
        let own = dot(&weighed, column) + self.ridge;
        let bend = own - dot(&beside, &information.solve(&beside));
        if bend > own * 1e-9 { slope * slope / bend } else { 0.0 }
    }
}

/// Fits the weights; while one has the wrong sign, the most negative item goes. Those that L1 set to 0 go too.
fn explainable(
    design: &mut Design, items: &mut Vec<usize>, screened: &mut [Screened], penalty: Penalty,
) -> Result<Fit, LearnError> {
    let (mut exact, mut start): (f64, Option<Fit>) = (NEAR, None);
    loop {
        let fit = fit_from(&design.columns, &design.good, penalty, start.as_ref(), exact)?;
        let worst = (0..items.len()).min_by(|a, b| fit.weights[*a].total_cmp(&fit.weights[*b]));
        match worst.filter(|worst| fit.weights[*worst] < 0.0) {
            Some(worst) => {
                let kept: Vec<usize> = (0..items.len()).filter(|place| *place != worst).collect();
                let why = format!("its weight was {:.3} beside the others: it would correct them", fit.weights[worst]);
                narrow(design, items, &kept, screened, Verdict::WrongSign, &why);
                let weights = kept.iter().map(|place| fit.weights[*place]).collect();
                start = Some(Fit { weights, ..fit });
            }
            None if exact > EXACT => (exact, start) = (EXACT, Some(fit)),
            None => {
                let kept: Vec<usize> = (0..items.len()).filter(|place| fit.weights[*place] > 0.0).collect();
                let weights = kept.iter().map(|place| fit.weights[*place]).collect();
                narrow(design, items, &kept, screened, Verdict::NotNeeded, "the penalty left it no weight");
                return Ok(Fit { weights, ..fit });
            }
        }
    }
}
