//! Why tables give no result: what, where, what to do. A customer that cannot be decided is no error: it is listed.

use crate::engine::{decision, metrics};
use crate::run::batch;
use crate::statement;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table cannot be read: a column is missing or has another type, or a row has no customer.
    #[error(transparent)]
    Statement(#[from] statement::Error),
    /// The engine failed.
    #[error(transparent)]
    Decision(#[from] decision::Error),
    /// The flags that were asked for cannot be had.
    #[error(transparent)]
    Verdicts(#[from] decision::VerdictsError),
    /// The columns of the results cannot be had.
    #[error(transparent)]
    Columns(#[from] batch::Error),
    /// A result cannot be made into a table.
    #[error("the results cannot be made into a table: {0}")]
    Frame(#[from] polars::error::PolarsError),
    /// A customer has rows after it was decided: the rows neither came in the order of customers nor fitted into memory
    /// before the first decision.
    #[error(
        "customer `{0}` has rows again after it was decided: the rows do not come in the order of customers, and more \
         of them came than the memory for sorting holds; sort them by customer, or allow more memory"
    )]
    Again(String),
    /// A declared order of rows means nothing where rows come in any order.
    #[error(
        "the columns file declares the `order` of rows, but rows come here in any order; name a column \
         with the order within a day (`seq`) instead"
    )]
    Order,
    /// Statements were read in another way than the policy reads them.
    #[error("{0}: `lendwright.read(path, policy=policy)`")]
    Reading(#[from] statement::ReadingMismatch),
    /// A request cannot be read.
    #[error("requests: {0}")]
    Request(String),
    /// Nothing is there of a customer.
    #[error("there is no statement of the customer `{0}`")]
    NoCustomer(String),
    /// What is known of customers cannot be read, or belongs to others.
    #[error("outcomes: {0}")]
    Outcomes(String),
    /// Rows cannot be sorted on disk.
    #[error("cannot sort rows on disk: {0}; name another folder for temporary files (TMPDIR)")]
    Sorting(#[from] std::io::Error),
    /// The work was asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A mistake in lendwright itself.
    #[error("internal error, please report it: {0}")]
    Internal(&'static str),
}

impl From<metrics::Error> for Error {
    fn from(error: metrics::Error) -> Error {
        Error::Decision(error.into())
    }
}
