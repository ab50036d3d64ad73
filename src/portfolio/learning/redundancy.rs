//! Which metrics say nearly the same as a better one, and which are too many for a regression.

use rayon::prelude::*;

use super::counting::Count;
use super::linear::{dot_product, standardize_column};
use super::screening::{Screened, ScreeningResult};
use super::settings::Settings;
use super::table::Table;

/// So many columns are compared with the better ones at once.
const AT_ONCE: usize = 32;

/// A column that is kept, so that products with others are correlations.
struct KeptColumn {
    place: usize,
    standard: Vec<f64>,
}

/// From the highest information value down: a metric that says nearly the same as one before it is redundant. Those
/// after the most that a regression takes are not needed, so its time does not grow by the square of the columns.
pub(super) fn mark_redundant_columns(found: &mut [Screened], table: &Table, rows: &[u32], settings: &Settings) {
    let limit = settings.screen.redundant;
    let weights = table.sample.weights_of(rows);
    let is_named = |name: &str| settings.screen.keep.iter().any(|keep| keep == name) || settings.is_forced(name);
    let order = columns_by_evidence(found, &is_named);
    let most = settings.fit.most_columns();
    let mut kept: Vec<KeptColumn> = Vec::new();
    for some in order.chunks(AT_ONCE) {
        if kept.len() >= most {
            break;
        }
        let standard = |place: &usize| {
            let standard = standardize_column(found[*place].binning.column(table.values(*place), rows), &weights);
            let near = nearest_before(&kept, &standard, limit);
            (KeptColumn { place: *place, standard }, near)
        };
        let compared: Vec<_> = some.par_iter().map(standard).collect();
        let before = kept.len();
        for (column, near) in compared {
            let is_forced = is_named(&found[column.place].name);
            let near = near.or_else(|| nearest_before(&kept[before..], &column.standard, limit));
            match near.filter(|_| !is_forced) {
                Some((better, correlation)) => {
                    let with = found[better].name.clone();
                    found[column.place].verdict = ScreeningResult::Redundant;
                    found[column.place].why =
                        format!("it says nearly the same as {with}, which is better: correlation {correlation:.2}");
                }
                None if is_forced || kept.len() < most => kept.push(column),
                None => {}
            }
        }
    }
    let is_kept = |place: &usize| kept.iter().any(|column| column.place == *place);
    for place in order.iter().filter(|place| !is_kept(place)) {
        let one = &mut found[*place];
        if one.verdict == ScreeningResult::Kept {
            one.verdict = ScreeningResult::NotNeeded;
            one.why = format!("{most} metrics say more alone, and a regression takes so many");
            one.warning = None;
        }
    }
}

/// The first of some columns that correlates with another one, either sign, and how much.
fn nearest_before(kept: &[KeptColumn], standard: &[f64], limit: f64) -> Option<(usize, f64)> {
    let correlations = kept.iter().map(|one| (one.place, dot_product(&one.standard, standard)));
    correlations.into_iter().find(|(_, correlation)| correlation.abs() >= limit)
}

/// The columns that passed so far: those kept on purpose, then the others by information. Of texts, what sorting gives
/// by chance does not count.
fn columns_by_evidence(found: &[Screened], is_named: &dyn Fn(&str) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..found.len()).filter(|place| found[*place].verdict == ScreeningResult::Kept).collect();
    let evidence = |one: &Screened| {
        let all = one.binning.bins.iter().fold(Count::default(), |sum, bin| sum.and(bin.count));
        one.binning.iv - one.binning.chance_information(all)
    };
    order.sort_by(|a, b| {
        let (left, right) = (&found[*a], &found[*b]);
        let is_forced = |one: &Screened| is_named(&one.name);
        let by_purpose = is_forced(right).cmp(&is_forced(left));
        by_purpose
            .then_with(|| evidence(right).total_cmp(&evidence(left)))
            .then_with(|| left.name.cmp(&right.name))
            .then(a.cmp(b))
    });
    order
}
