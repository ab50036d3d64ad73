//! Floor 2: what statements say. Runs a program over the columns of statements, at four grains. Knows no outcome and no offer.

mod chunks;
mod column;
mod eval;
mod ops;
mod output;
mod source;

pub use self::column::Reason;
pub(crate) use self::eval::{Evaluated, Plan, evaluate, evaluate_columns, evaluate_keeping, evaluate_ready};
pub(crate) use self::ops::{decision_table, scoring};
pub(crate) use self::output::polars_convert;
pub use self::output::{stack, table};
pub(crate) use self::source::{Grouping, Groups, View, morsels};

/// Why metrics cannot be computed. Nothing in a statement or a rule file leads here: both were checked before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The frame is not one that the statement reader made.
    #[error("the frame of statements cannot be read: {0}")]
    Frame(#[from] polars::error::PolarsError),
    /// One column cannot hold both.
    #[error(
        "versions of the policy have metrics of different types by the name `{0}`; name a day, or one version's file"
    )]
    Types(String),
    /// A mistake in lendwright itself.
    #[error("internal error, please report it: {0}")]
    Internal(&'static str),
}
