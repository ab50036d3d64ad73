//! Why there is no decision.

/// Why there is no decision at all. A statement that cannot be judged is a decision to refer, never an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The metrics could not be computed.
    #[error(transparent)]
    Metrics(#[from] crate::engine::metrics::Error),
    /// The request names one customer, but the statements are of several. All would be decided as that customer's.
    #[error(
        "the request is about the customer `{asked}`, but there are statements of several customers; give only the \
         statements of that customer, or omit `customer` from the request"
    )]
    SeveralCustomers {
        /// The customer in the request.
        asked: String,
    },
    /// Precomputed metrics do not match the plan.
    #[error(transparent)]
    Ready(#[from] ReadyError),
}

/// Why precomputed metrics cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("metric `{name}`: {problem}")]
pub struct ReadyError {
    /// The metric.
    pub name: String,
    /// What is wrong, and what to do.
    pub problem: String,
}

pub(super) fn wrong_metric<T>(name: &str, problem: impl Into<String>) -> Result<T, ReadyError> {
    Err(ReadyError { name: name.to_owned(), problem: problem.into() })
}
