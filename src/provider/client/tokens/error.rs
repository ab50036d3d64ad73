//! Why there is no access token. Knows nothing of sources and calls.

/// Why a source has no token.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot get the access token: {problem}")]
pub struct TokenError {
    /// What is wrong; never the token, nor a source's own message.
    pub problem: String,
    /// Whether retrying soon may help.
    pub is_transient: bool,
}

impl TokenError {
    /// A failure that lasts until something is changed.
    pub fn lasting(problem: impl Into<String>) -> Self {
        TokenError { problem: problem.into(), is_transient: false }
    }

    /// A failure that may pass soon.
    pub fn transient(problem: impl Into<String>) -> Self {
        TokenError { problem: problem.into(), is_transient: true }
    }
}
