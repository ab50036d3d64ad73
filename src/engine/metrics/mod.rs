//! Evaluates a program over the columns of statements, at four grains. Knows neither outcomes nor offers.

mod chunks;
mod column;
mod eval;
mod ops;
mod output;
mod source;

pub(crate) use self::column::{Bits, CowColumn, Data, RowIndices, Texts, ValueColumn, from_values, gather_rows};
pub use self::column::{InputGap, Reason};
pub(crate) use self::eval::{
    Evaluated, Plan, evaluate_columns, evaluate_keeping, evaluate_program, evaluate_ready, evaluate_scheduled,
    needs_records,
};
pub(crate) use self::ops::{decision_table, scoring};
pub(crate) use self::output::node_table;
pub(crate) use self::output::polars_convert;
pub use self::output::{StatementMetrics, stack, table, values};
#[doc(hidden)]
pub use self::source::reading;
pub(crate) use self::source::{CoveredPeriod, GivenInputs, Grouping, Groups, StatementSlice, cut_into_morsels};

use crate::statement::ReadingMismatch;

/// Why metrics cannot be computed. No content of a statement or rule file causes this: both are checked before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The statement reader did not make this frame.
    #[error("the frame of statements cannot be read: {0}")]
    Frame(#[from] polars::error::PolarsError),
    /// The statements were read for another policy.
    #[error(transparent)]
    Reading(#[from] ReadingMismatch),
    /// Versions of the policy give one metric different types, which one column cannot hold.
    #[error("versions of the policy give the metric `{0}` different types; name a day, or one version's file")]
    Types(String),
    /// A mistake in lendwright itself.
    #[error("internal error, please report it: {0}")]
    Internal(&'static str),
}
