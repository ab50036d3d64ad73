//! Floor 2: what statements say. Runs a program over the columns of statements, at four grains. Knows no outcome and no offer.

mod aggregate;
mod alike;
mod among;
mod arithmetic;
mod bits;
mod cells;
mod codes;
mod column;
mod counterparties;
pub(crate) mod evaluate;
pub(crate) mod framed;
mod grains;
mod grouped;
pub(crate) mod groups;
pub(crate) mod hit;
pub(crate) mod judge;
mod leaf;
mod logic;
mod mentions;
mod picked;
mod pieces;
mod ready;
mod reason;
mod table;
mod texts;
mod values;
pub(crate) mod view;
mod waves;

pub(crate) use ready::{Plan, evaluate_columns, evaluate_ready};
pub use reason::Reason;
pub(crate) use table::morsels;
pub use table::{stack, table};

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
