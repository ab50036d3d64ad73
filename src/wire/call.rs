//! What every endpoint says about itself. Knows nothing of how a call is sent.

use super::Settings;

/// The HTTP method of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads something.
    Get,
    /// Does something.
    Post,
}

impl Method {
    /// The method's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
        }
    }
}

/// One call of an endpoint: a value that knows its request and how to read its answer.
///
/// Whether a call is retried follows from [`Call::REPEATABLE`], the call's own word, never from the transport.
pub trait Call: Send + Sync {
    /// What the call is called in errors, such as `send offers (E3)`.
    const NAME: &'static str;
    /// The HTTP method.
    const METHOD: Method;
    /// Whether sending the same call again cannot make anything happen twice.
    const REPEATABLE: bool;
    /// What a good answer becomes.
    type Reply: Send;

    /// The path below the base address, segment by segment and not yet encoded.
    fn path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable>;

    /// The query parameters in the order they are sent, not yet encoded.
    fn query(&self, settings: &Settings) -> Result<Vec<(String, String)>, Unsendable>;

    /// The JSON body, where there is one.
    fn body(&self) -> Option<Vec<u8>> {
        None
    }

    /// The query parameters whose values are personal data: masked wherever a request is shown.
    fn personal(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads the body of an answer that came with a success status.
    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<Self::Reply, Unusable>;
}

/// A call that cannot be sent as it is; nothing has been sent.
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

/// An answer that is not the good answer of its call. Neither form carries the answer's body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The answer is not what the interface shows.
    #[error("the answer {problem}{}", offset.map(|at| format!(" (at byte {at})")).unwrap_or_default())]
    Malformed {
        /// The byte of the decoded body at which reading stopped, where known.
        offset: Option<u64>,
        /// What is wrong, to be read after "the answer".
        problem: String,
    },
    /// The provider refused, in its own words.
    #[error("refused with code `{code}`: {message}")]
    Rejected {
        /// The response code, or the envelope's status.
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

/// Splits a constant path and adds what varies.
pub(crate) fn segments(constant: &str, varying: &[&str]) -> Vec<String> {
    constant.split('/').chain(varying.iter().copied()).map(str::to_owned).collect()
}

/// Refuses what would not be one path segment: nothing at all, dots that walk the path, control characters.
pub(crate) fn check_segment(what: &str, text: &str) -> Result<(), Unsendable> {
    if text.trim().is_empty() {
        return Err(Unsendable::new(format!("{what} is empty")));
    }
    if matches!(text, "." | "..") || text.chars().any(char::is_control) {
        return Err(Unsendable::new(format!("{what} cannot be part of a path")));
    }
    Ok(())
}
