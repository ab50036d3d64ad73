//! Proposes a scorecard from metrics and outcomes: bins of the highest information value, a screening that names what
//! failed and why, logistic regression with cross-validation, whole points, and a section of a rule file that an
//! analyst edits. Knows nothing of rules, files or Polars: columns of numbers come in, a [`Proposal`] comes out.
//!
//! [`learn`] does it all. The parts are public, so that each can be checked against another program:
//! `tests/learning` compares them with `optbinning`, `scikit-learn` and `statsmodels`.

mod auc;
mod binning;
mod categories;
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
mod rule_text;
mod screening;
mod settings;
mod sorted;
mod stability;
#[cfg(test)]
mod tests;
mod validation;

pub use auc::{Auc, auc};
pub use binning::{Bin, Binning, Holds};
pub use cuts::between;
pub use input::{Column, Needs, Sample, Values};
pub use logistic::{Certainty, Fit, Penalty, certainty, fit, inflation};
pub use mistake::LearnError;
pub use optimum::{Count, Limits, Merged, Trend, information, merge, woe};
pub use penalty::Tried;
pub use points::PointsRow;
pub use proposal::{Item, Proposal, learn};
pub use rule_text::cell;
pub use screening::{Screened, Verdict};
pub use settings::{BinSettings, Direction, FitSettings, Method, PointSettings, Rule, ScreenSettings, Settings, Shape};
pub use stability::{Stability, psi};
pub use validation::Validation;

/// Bins and screens all columns, without a regression: the first half of [`learn`].
///
/// # Errors
/// If the input does not fit together, or a setting is out of range.
pub fn screen(sample: &Sample, columns: &[Column], settings: &Settings) -> Result<Vec<Screened>, LearnError> {
    settings.check()?;
    sample.check(columns)?;
    Ok(screening::screen(sample, columns, &sample.rows(), settings))
}
