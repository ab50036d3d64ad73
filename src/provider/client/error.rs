//! What can go wrong with a call, classified by what the caller may do next. Knows nothing of requests' contents: an
//! error never holds a token, an address with its query, or a body.

use std::fmt;
use std::time::Duration;

use super::tokens::TokenError;
use crate::provider::wire::{Call, Unusable};

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Nothing reached the provider.
    NotSent,
    /// The provider refused, with a code and a message.
    Rejected,
    /// A call that must not be retried was sent and has no usable answer: it may or may not have taken effect.
    Uncertain,
    /// Too many calls.
    RateLimited,
    /// The token is missing, wrong or expired, or does not allow this.
    Authentication,
    /// The answer to a read is damaged, or not in the interface's format.
    Malformed,
    /// The answer is larger than the limit.
    TooLarge,
    /// A read was not answered in time.
    Timeout,
    /// A read got no answer: the connection broke, or the provider failed (5xx).
    Unavailable,
    /// The settings or the call do not form a request that can be sent, or the address redirects elsewhere.
    Configuration,
}

impl Class {
    /// The class as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::NotSent => "not sent",
            Class::Rejected => "rejected",
            Class::Uncertain => "uncertain",
            Class::RateLimited => "rate limited",
            Class::Authentication => "authentication",
            Class::Malformed => "malformed",
            Class::TooLarge => "too large",
            Class::Timeout => "timeout",
            Class::Unavailable => "unavailable",
            Class::Configuration => "configuration",
        }
    }
}

/// A failed call. Branch on the predicates; [`Error::class`] is for counting and display.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", self.text())]
pub struct Error(Box<Parts>);

#[derive(Clone)]
struct Parts {
    class: Class,
    call: &'static str,
    problem: String,
    repeatable: bool,
    timed_out: bool,
    attempts: u32,
    status: Option<u16>,
    rejection: Option<(String, String)>,
    offset: Option<u64>,
    retry_after: Option<Duration>,
    acknowledged: Option<(usize, usize)>,
    transaction: Option<String>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Parts")
            .field("class", &self.class)
            .field("call", &self.call)
            .field("problem", &self.problem)
            .field("attempts", &self.attempts)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl Error {
    fn new(class: Class, call: &'static str, problem: impl Into<String>) -> Self {
        Error(Box::new(Parts {
            class,
            call,
            problem: problem.into(),
            repeatable: true,
            timed_out: false,
            attempts: 1,
            status: None,
            rejection: None,
            offset: None,
            retry_after: None,
            acknowledged: None,
            transaction: None,
        }))
    }

    fn for_call<C: Call>(class: Class, problem: impl Into<String>) -> Self {
        let mut error = Error::new(class, C::NAME, problem);
        error.0.repeatable = C::EFFECT.is_repeatable();
        error
    }

    /// A failure after sending. For a read it is just a bad answer. For any other call it makes the outcome unknown.
    fn after_sending<C: Call>(class: Class, problem: impl Into<String>) -> Self {
        Error::for_call::<C>(if C::EFFECT.is_repeatable() { class } else { Class::Uncertain }, problem)
    }

    pub(crate) fn configuration(call: &'static str, problem: impl Into<String>) -> Self {
        let mut error = Error::new(Class::Configuration, call, problem);
        error.0.attempts = 0;
        error
    }

    pub(crate) fn not_sent<C: Call>(problem: impl Into<String>, timed_out: bool) -> Self {
        let mut error = Error::for_call::<C>(Class::NotSent, problem);
        error.0.timed_out = timed_out;
        error
    }

    pub(crate) fn timeout<C: Call>(problem: impl Into<String>) -> Self {
        let mut error = Error::after_sending::<C>(Class::Timeout, problem);
        error.0.timed_out = true;
        error
    }

    pub(crate) fn lost<C: Call>(problem: impl Into<String>) -> Self {
        Error::after_sending::<C>(Class::Unavailable, problem)
    }

    pub(crate) fn malformed<C: Call>(offset: Option<u64>, problem: &str) -> Self {
        let at = offset.map(|at| format!(" (at byte {at})")).unwrap_or_default();
        let mut error = Error::after_sending::<C>(Class::Malformed, format!("the answer {problem}{at}"));
        error.0.offset = offset;
        error
    }

    pub(crate) fn too_large<C: Call>(problem: impl Into<String>) -> Self {
        Error::after_sending::<C>(Class::TooLarge, problem)
    }

    pub(crate) fn rejected<C: Call>(code: String, message: String) -> Self {
        let problem = match message.is_empty() {
            true => format!("the provider refused with code `{code}`"),
            false => format!("the provider refused with code `{code}`: {message}"),
        };
        let mut error = Error::for_call::<C>(Class::Rejected, problem);
        error.0.rejection = Some((code, message));
        error
    }

    fn unproven<C: Call>(code: String, message: String) -> Self {
        let message_after = if message.is_empty() { String::new() } else { format!(": {message}") };
        let problem = format!(
            "the provider answered with code `{code}`{message_after}, which does not prove that no money moved"
        );
        let mut error = Error::lost::<C>(problem);
        error.0.rejection = Some((code, message));
        error
    }

    pub(crate) fn unusable<C: Call>(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Malformed { offset, problem } => Error::malformed::<C>(offset, &problem),
            Unusable::Rejected { code, message } => Error::rejected::<C>(code, message),
            Unusable::Unproven { code, message } => Error::unproven::<C>(code, message),
            Unusable::Unfinished { code, .. } => {
                Error::lost::<C>(format!("the provider is not done yet (code `{code}`)"))
            }
        }
    }

    pub(crate) fn refused_for_now<C: Call>(retry_after: Option<Duration>) -> Self {
        let problem = match retry_after {
            Some(wait) => format!("too many calls; the provider asks to wait {} s", wait.as_secs()),
            None => "too many calls; wait before the next one".to_owned(),
        };
        Error::for_call::<C>(Class::RateLimited, problem).with_retry_after(retry_after)
    }

    pub(crate) fn authentication<C: Call>() -> Self {
        Error::for_call::<C>(
            Class::Authentication,
            "the provider does not accept the access token; check where it is read from and whether it has expired",
        )
    }

    /// There was no token, so nothing was sent.
    pub(crate) fn no_token<C: Call>(cause: &TokenError) -> Self {
        let class = if cause.is_transient { Class::NotSent } else { Class::Authentication };
        Error::for_call::<C>(class, cause.to_string())
    }

    pub(crate) fn elsewhere<C: Call>(problem: impl Into<String>) -> Self {
        Error::for_call::<C>(Class::Configuration, problem)
    }

    pub(crate) fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.0.retry_after = wait;
        self
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    pub(crate) fn with_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn with_acknowledged(mut self, acknowledged: usize, calls: usize) -> Self {
        self.0.acknowledged = (calls > 1).then_some((acknowledged, calls));
        self
    }

    pub(crate) fn with_transaction(mut self, id: &str) -> Self {
        self.0.transaction = Some(id.to_owned());
        self
    }

    /// The kind of failure.
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// Whether a timeout expired, while connecting or later.
    pub fn is_timeout(&self) -> bool {
        self.0.timed_out
    }

    /// Whether the provider refused with a code of its own; see [`Error::rejection`].
    pub fn is_rejected(&self) -> bool {
        self.0.class == Class::Rejected
    }

    /// Whether the call may or may not have taken effect. Find out before sending it again.
    pub fn is_outcome_unknown(&self) -> bool {
        self.0.class == Class::Uncertain
    }

    /// The id of the transaction, for a call that moves money.
    pub fn transaction_id(&self) -> Option<&str> {
        self.0.transaction.as_deref()
    }

    /// Whether sending the same call again may help, and cannot do anything twice.
    pub fn is_safe_to_retry(&self) -> bool {
        let transient = matches!(
            self.0.class,
            Class::NotSent | Class::RateLimited | Class::Timeout | Class::Unavailable | Class::Malformed
        );
        // A call with an effect certainly had none only if it was never sent.
        let had_no_effect = self.0.repeatable || self.0.class == Class::NotSent;
        transient && had_no_effect && self.acknowledged() == 0
    }

    /// Whether nothing reached the provider.
    pub fn is_not_sent(&self) -> bool {
        let before = matches!(self.0.class, Class::Configuration | Class::Authentication) && self.0.status.is_none();
        (self.0.class == Class::NotSent || before) && self.acknowledged() == 0
    }

    /// Whether the provider asked for fewer calls.
    pub fn is_rate_limited(&self) -> bool {
        self.0.class == Class::RateLimited
    }

    /// Whether the access token was not accepted.
    pub fn is_authentication(&self) -> bool {
        self.0.class == Class::Authentication
    }

    /// Whether the answer to a read was damaged.
    pub fn is_malformed(&self) -> bool {
        self.0.class == Class::Malformed
    }

    /// Whether the answer passed the size limit.
    pub fn is_too_large(&self) -> bool {
        self.0.class == Class::TooLarge
    }

    /// Whether a setting must change first.
    pub fn is_configuration(&self) -> bool {
        self.0.class == Class::Configuration
    }

    /// The provider's code and message, if it refused the call, or answered a call that moves money with a code other
    /// than success.
    pub fn rejection(&self) -> Option<(&str, &str)> {
        self.0.rejection.as_ref().map(|(code, message)| (code.as_str(), message.as_str()))
    }

    /// The HTTP status, if an answer arrived.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// The byte of the decoded answer at which reading stopped, if known.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// How long the provider asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// How often the call was tried; 0 if it could not be formed.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// How many calls of a [`send`](super::Client::send) that takes several were acknowledged before this failure.
    pub fn acknowledged(&self) -> usize {
        self.0.acknowledged.map_or(0, |(done, _)| done)
    }

    fn text(&self) -> String {
        let mut text = format!("{}: {}", self.0.call, self.0.problem);
        match &self.0.transaction {
            Some(id) if self.is_outcome_unknown() => {
                text.push_str(&format!(
                    "; transaction `{id}` may or may not have happened: requery it, do not send another"
                ));
            }
            None if self.is_outcome_unknown() => {
                text.push_str("; it may or may not have happened, so it is not repeated");
            }
            _ => {}
        }
        if self.0.attempts > 1 {
            text.push_str(&format!(" (after {} attempts)", self.0.attempts));
        }
        if let Some((done, of)) = self.0.acknowledged {
            text.push_str(&format!("; {done} of {of} calls were acknowledged before"));
        }
        text
    }
}
