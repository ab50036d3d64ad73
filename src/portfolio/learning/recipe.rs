//! From rows to a model: screening, choice of items, weights. The same recipe makes the proposal from all rows, and the
//! models that cross-validation tests from parts of them.

use super::binning::Binning;
use super::linear::{dot_product, standardize_column};
use super::logistic::{EXACT, Fit, KeptBend, Penalty, fit_from};
use super::mistake::LearnError;
use super::penalty::{Design, NEAR, Tried, bin_inner_folds, choose_penalty};
use super::points::points_rows_of_item;
use super::screening::{Screened, ScreeningResult, screen_all_columns};
use super::settings::Settings;
use super::table::Table;

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
    pub fn log_odds(&self, table: &Table, rows: &[u32]) -> Vec<f64> {
        let design: Vec<Vec<f64>> =
            (0..self.items.len()).map(|item| self.binning(item).column(table.values(self.items[item]), rows)).collect();
        self.fit.log_odds(&design, rows.len())
    }
}

/// # Errors
/// If nothing passes the screening, or the regression has no single answer.
pub(super) fn build_score_model(
    table: &Table,
    rows: &[u32],
    leaking: Option<&[bool]>,
    settings: &Settings,
) -> Result<Model, LearnError> {
    let mut screened = screen_all_columns(table, rows, leaking, settings);
    let mut items: Vec<usize> =
        screened.iter().filter(|one| one.verdict == ScreeningResult::Kept).map(|one| one.column).collect();
    items.sort_by(|a, b| screened[*b].binning.iv.total_cmp(&screened[*a].binning.iv).then(a.cmp(b)));
    if items.is_empty() {
        return Err(LearnError::NothingKept(reasons_of_refusal(&screened)));
    }
    let mut design = build_design_matrix(table, rows, &screened, &items);
    let folds = bin_inner_folds(table, rows, &items, settings);
    let (mut penalty, mut tried) = choose_penalty(table, &folds, &items, &design, settings);
    if let Some(most) = settings.fit.most_items.filter(|most| *most < items.len()) {
        let first = fit_with_right_signs(&mut design, &mut items, &mut screened, penalty, settings)?;
        let is_forced = |place: usize| settings.is_forced(&screened[items[place]].name);
        let kept = heaviest_items_of(&design, &first, most, &is_forced);
        let why = "others count more, and only so many items are asked for";
        narrow_to_kept_items(&mut design, &mut items, &kept, &mut screened, ScreeningResult::NotNeeded, why);
        (penalty, tried) = choose_penalty(table, &folds, &items, &design, settings);
    }
    let mut fit = fit_with_right_signs(&mut design, &mut items, &mut screened, penalty, settings)?;
    // An item that gives everybody the same points would be read as one that matters.
    let earns = |place: &usize, fit: &Fit, items: &[usize]| {
        let one = &screened[items[*place]];
        let rows = points_rows_of_item(&one.binning, fit.weights[*place], &settings.points).0;
        settings.is_forced(&one.name) || rows.iter().any(|row| row.points > 0)
    };
    let earning: Vec<usize> = (0..items.len()).filter(|place| earns(place, &fit, &items)).collect();
    if earning.len() < items.len() {
        let why = "its points round to the same for everybody";
        narrow_to_kept_items(&mut design, &mut items, &earning, &mut screened, ScreeningResult::NotNeeded, why);
        fit = fit_with_right_signs(&mut design, &mut items, &mut screened, penalty, settings)?;
    }
    if items.is_empty() {
        return Err(LearnError::NothingKept(reasons_of_refusal(&screened)));
    }
    Ok(Model { screened, items, fit, penalty, tried })
}

/// Each metric, and why it was not kept.
fn reasons_of_refusal(screened: &[Screened]) -> Vec<(String, String)> {
    screened.iter().map(|one| (one.name.clone(), format!("{}; {}", one.verdict.words(), one.why))).collect()
}

/// The columns of items, and the outcomes.
pub(super) fn build_design_matrix(table: &Table, rows: &[u32], screened: &[Screened], items: &[usize]) -> Design {
    let column = |item: &usize| screened[*item].binning.column(table.values(*item), rows);
    Design {
        columns: items.iter().map(column).collect(),
        good: rows.iter().map(|row| !table.sample.is_bad(*row)).collect(),
        weights: table.sample.weights_of(rows),
    }
}

/// Keeps the items at some places, and says of the others why not.
fn narrow_to_kept_items(
    design: &mut Design,
    items: &mut Vec<usize>,
    kept: &[usize],
    screened: &mut [Screened],
    verdict: ScreeningResult,
    why: &str,
) {
    for (_, item) in items.iter().enumerate().filter(|(place, _)| !kept.contains(place)) {
        screened[*item].verdict = verdict;
        screened[*item].why = why.into();
        screened[*item].warning = None;
    }
    *items = kept.iter().map(|place| items[*place]).collect();
    design.columns = kept.iter().map(|place| std::mem::take(&mut design.columns[*place])).collect();
}

/// The places of the items that move log-odds most, weight times standard deviation, in their order. Those that are
/// forced come first, and stay even if they are more.
fn heaviest_items_of(design: &Design, fit: &Fit, most: usize, is_forced: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let moves = |place: &usize| {
        let column = &design.columns[*place];
        let count = column.len().max(1) as f64;
        let mean = column.iter().sum::<f64>() / count;
        let squares: f64 = column.iter().map(|value| (value - mean) * (value - mean)).sum();
        fit.weights[*place] * (squares / count).sqrt()
    };
    let mut places: Vec<usize> = (0..design.columns.len()).collect();
    places.sort_by(|a, b| is_forced(*b).cmp(&is_forced(*a)).then_with(|| moves(b).total_cmp(&moves(a))).then(a.cmp(b)));
    let forced = places.iter().filter(|place| is_forced(**place)).count();
    places.truncate(most.max(forced));
    places.sort_unstable();
    places
}

/// Fits the weights; while one has the wrong sign, the most negative item goes. Those that L1 set to 0 go too. In the
/// place of a forced item, the one that correlates most with it goes, as long as one is left that is not forced.
fn fit_with_right_signs(
    design: &mut Design,
    items: &mut Vec<usize>,
    screened: &mut [Screened],
    penalty: Penalty,
    settings: &Settings,
) -> Result<Fit, LearnError> {
    let (mut exact, mut start): (f64, Option<Fit>) = (NEAR, None);
    let mut bend = KeptBend::default();
    loop {
        let fit = fit_from(&design.columns, design.outcomes(), penalty, start.as_ref(), exact, &mut bend)?;
        let worst = (0..items.len()).min_by(|a, b| fit.weights[*a].total_cmp(&fit.weights[*b]));
        match worst.filter(|worst| fit.weights[*worst] < 0.0) {
            Some(worst) => {
                let is_forced = |place: usize| settings.is_forced(&screened[items[place]].name);
                let rival = if is_forced(worst) { rival_of_item(design, worst, &is_forced) } else { None };
                let (out, why) = match rival {
                    Some(rival) => {
                        let name = screened[items[worst]].name.clone();
                        (rival, format!("with it the forced `{name}` would have the wrong sign"))
                    }
                    None => {
                        let weight = fit.weights[worst];
                        (worst, format!("its weight was {weight:.3} next to the others: it would correct them"))
                    }
                };
                let kept: Vec<usize> = (0..items.len()).filter(|place| *place != out).collect();
                narrow_to_kept_items(design, items, &kept, screened, ScreeningResult::WrongSign, &why);
                bend.drop_column(out);
                let weights = kept.iter().map(|place| fit.weights[*place]).collect();
                start = Some(Fit { weights, ..fit });
            }
            None if exact > EXACT => (exact, start) = (EXACT, Some(fit)),
            None => {
                let kept: Vec<usize> = (0..items.len()).filter(|place| fit.weights[*place] > 0.0).collect();
                let weights = kept.iter().map(|place| fit.weights[*place]).collect();
                narrow_to_kept_items(
                    design,
                    items,
                    &kept,
                    screened,
                    ScreeningResult::NotNeeded,
                    "the penalty left it no weight",
                );
                return Ok(Fit { weights, ..fit });
            }
        }
    }
}

/// The item that correlates most with another one, of those that are not forced.
fn rival_of_item(design: &Design, item: usize, is_forced: &dyn Fn(usize) -> bool) -> Option<usize> {
    let weights = design.outcomes().weights;
    let standard: Vec<Vec<f64>> =
        design.columns.iter().map(|column| standardize_column(column.clone(), weights)).collect();
    let correlation = |place: &usize| dot_product(&standard[*place], &standard[item]).abs();
    let others = (0..standard.len()).filter(|place| *place != item && !is_forced(*place));
    others.max_by(|a, b| correlation(a).total_cmp(&correlation(b)))
}
