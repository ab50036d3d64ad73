//! Why the sandbox refuses. Knows nothing of how a refusal is worded in an answer.

/// Why the sandbox does not do what a caller asks: an HTTP status and a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub status: u16,
    pub message: String,
}

impl Refusal {
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Refusal { status: 400, message: message.into() }
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Self {
        Refusal { status: 404, message: message.into() }
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Refusal { status: 409, message: message.into() }
    }

    /// The lender, whom the sandbox asked, did not do its part.
    pub(crate) fn lender(problem: &str) -> Self {
        Refusal { status: 502, message: format!("the lender's answer cannot be used: {problem}") }
    }
}
