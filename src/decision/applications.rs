//! Applications: a statement's bytes and what is asked beside them, each decided by itself, many of them on all threads. Must not know where bytes
//! come from, nor keep anything from one to the next.

use rayon::prelude::*;

use super::decide::decide;
use super::error::Error;
use super::reading::reading;
use super::record::Decision;
use super::request::Request;
use crate::rules::PolicySet;
use crate::statement::{self, read_json};

/// What one decision is asked on: a statement and a request.
///
/// ```
/// use lendwright::decision::Application;
/// use lendwright::{Outcome, Request, decide_many, load_policy};
/// let policy = load_policy("rules/starter.toml", &[])?;
/// let request = Request::default();
/// let body = br#"{"status": "success", "data": {"transactions": []}}"#;
/// let sound = Application { label: "reference 1", body, request: &request };
/// let damaged = Application { label: "reference 2", body: &body[..40], ..sound };
/// let decided = decide_many(&policy, &[sound, damaged]);
/// assert_eq!(decided[0].as_ref().unwrap().outcome, Outcome::Decline);
/// assert!(decided[1].as_ref().unwrap_err().is_malformed());
/// # Ok::<(), lendwright::files::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Application<'a> {
    /// The statement's file or reference; the decision names it.
    pub label: &'a str,
    /// The provider's JSON, or records line by line, all of one customer.
    pub body: &'a [u8],
    /// The day, the customer, and what else the policy asks for.
    pub request: &'a Request,
}

/// Why an application has no decision.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplicationError {
    /// The bytes are no statement that can be relied on.
    #[error(transparent)]
    Statement(#[from] statement::Error),
    /// Whose decision would it be?
    #[error(
        "the body holds the statements of {0} customers, an application is about one: read them with `read_json` and decide on all"
    )]
    Several(usize),
    /// The metrics could not be computed.
    #[error(transparent)]
    Decision(#[from] Error),
}

impl ApplicationError {
    /// Whether the bytes are damaged, so that fetching them once more may help.
    pub fn is_malformed(&self) -> bool {
        matches!(self, ApplicationError::Statement(wrong) if wrong.is_malformed())
    }
}

/// Decides on one application.
///
/// # Errors
/// Where its body is not the sound statement of one customer. What a policy cannot judge is a decision to refer, never an error.
pub fn decide_one(policies: &dyn PolicySet, application: &Application<'_>) -> Result<Decision, ApplicationError> {
    let statements = read_json(application.body, application.label, &reading(policies))?;
    let customers = statements.len();
    let mut decisions = if customers == 1 { decide(policies, &statements, application.request)? } else { Vec::new() };
    decisions.pop().ok_or(ApplicationError::Several(customers))
}

/// Decides on each application, on all threads of the pool it is called in; results are in the order of the applications. One that fails stops no
/// other, and each has the bytes that [`decide_one`] gives it.
pub fn decide_many(
    policies: &dyn PolicySet,
    applications: &[Application<'_>],
) -> Vec<Result<Decision, ApplicationError>> {
    // An application is worth a thread's while, so that none waits behind a large one.
    applications.par_iter().with_max_len(1).map(|application| decide_one(policies, application)).collect()
}
