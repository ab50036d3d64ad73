//! Proposes a scorecard from metrics and outcomes: bins of the highest information value, a screening that names what
//! failed and why, logistic regression with cross-validation, whole points, and a section of a rule file that an
//! analyst edits. Knows nothing of rules, files or Polars: columns of numbers come in, a [`Proposal`] comes out.
//!
//! [`learn_scorecard`] does it all. The parts are public, so that each can be checked against another program:
//! `tests/learning` compares them with `optbinning`, `scikit-learn` and `statsmodels`.

mod auc;
mod binning;
mod categories;
mod choices;
mod chosen_bins;
mod comparison;
mod counting;
mod cuts;
mod folds;
mod input;
mod lasso;
mod linear;
mod logistic;
mod mistake;
mod optimum;
mod penalty;
mod points;
mod proposal;
mod recipe;
mod redundancy;
mod refit;
mod rule_cell;
mod rule_text;
mod screening;
mod settings;
mod sorted;
mod stability;
mod table;
#[cfg(test)]
mod tests;
mod validation;
mod weighted_calibration;

pub use auc::{Auc, MeasuredRows, auc_with_interval};
pub use binning::{Bin, Binning, Holds};
pub use choices::{ChosenBins, MetricChoice, Sign};
pub use comparison::{BesidePresent, LaterTest};
pub use counting::Count;
pub use cuts::cut_between_values;
pub use input::{MetricColumn, Needs, Sample, Values};
pub use logistic::{Certainty, Fit, Penalty, certainty_of_weights, fit_regression, variance_inflation};
pub use mistake::LearnError;
pub use optimum::{Limits, Merged, Trend, information_of_bin, merge_prebins, weight_of_evidence};
pub use penalty::Tried;
pub use points::PointsRow;
pub use proposal::{Item, Proposal, bins_of_item, learn_scorecard};
pub use refit::{RefittedWeight, refit_weights};
pub use rule_cell::bin_as_rule_cell;
pub use screening::{Screened, ScreeningResult};
pub use settings::{
    BinSettings, BinShape, Direction, FitSettings, Method, PointSettings, Rule, ScreenSettings, Settings,
};
pub use stability::{Stability, first_month_of_later_half, psi_of_bin_weights};
pub use validation::{HeldOutRow, Validation};
pub use weighted_calibration::calibrate_weighted_rows;

/// Bins and screens all columns, without a regression: the first half of [`learn_scorecard`].
///
/// # Errors
/// If the input does not fit together, or a setting is out of range.
pub fn screen_metrics(
    sample: &Sample,
    columns: &[MetricColumn],
    settings: &Settings,
) -> Result<Vec<Screened>, LearnError> {
    settings.check()?;
    sample.check(columns)?;
    choices::check_all_choices(columns, settings)?;
    let table = table::Table::new(sample, columns);
    Ok(screening::screen_all_columns(&table, &sample.rows(), None, settings))
}
