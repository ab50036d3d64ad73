//! Why a call cannot be sent, and why its answer cannot be used. Knows nothing of any one call.

/// A call that cannot be sent as it is. Nothing has been sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Unsendable {
    problem: String,
}

impl Unsendable {
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Unsendable { problem: problem.into() }
    }
}

/// An answer that is not a success of its call. No variant holds the answer's body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The answer is not in the interface's format.
    #[error("the answer {problem}{}", offset.map(|at| format!(" (at byte {at})")).unwrap_or_default())]
    Malformed {
        /// The byte of the decoded body at which reading stopped, if known.
        offset: Option<u64>,
        /// What is wrong, as a phrase after "the answer".
        problem: String,
    },
    /// The provider refused.
    #[error("refused with code `{code}`: {message}")]
    Rejected {
        /// The response code, or the envelope's status.
        code: String,
        /// The message beside it.
        message: String,
    },
    /// The provider says that the call is not finished.
    #[error("not finished, code `{code}`: {message}")]
    Unfinished {
        /// The response code.
        code: String,
        /// The message beside it.
        message: String,
    },
    /// The provider answered a call that moves money with a code that does not prove that no money moved.
    #[error("code `{code}` does not prove that no money moved: {message}")]
    Unproven {
        /// The response code.
        code: String,
        /// The message beside it.
        message: String,
    },
}

impl Unusable {
    pub(crate) fn malformed(offset: impl Into<Option<u64>>, problem: impl Into<String>) -> Self {
        Unusable::Malformed { offset: offset.into(), problem: problem.into() }
    }
}
