//! Applications: a statement's bytes and a request, each decided separately, many of them on all threads.

use rayon::prelude::*;

use super::decide::decide;
use super::error::Error;
use super::record::Decision;
use super::request::Request;
use crate::engine::metrics::reading;
use crate::rules::PolicySet;
use crate::statement::{self, read_json};

/// A statement and a request: the input of one decision.
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
    /// The statement's file or reference, which the decision names.
    pub label: &'a str,
    /// The provider's JSON or NDJSON, all of one customer.
    pub body: &'a [u8],
    /// The day, the customer, and other inputs of the policy.
    pub request: &'a Request,
}

/// Why an application has no decision.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplicationError {
    /// The bytes are not a sound statement.
    #[error(transparent)]
    Statement(#[from] statement::Error),
    /// The statements are of several customers.
    #[error(
        "the body holds statements of {0} customers, but an application is about one; read it with `read_json` and \
         decide each"
    )]
    Several(usize),
    /// The metrics could not be computed.
    #[error(transparent)]
    Decision(#[from] Error),
}

impl ApplicationError {
    /// Whether the bytes are damaged, so that fetching them again may help.
    pub fn is_malformed(&self) -> bool {
        matches!(self, ApplicationError::Statement(wrong) if wrong.is_malformed())
    }
}

/// Decides on one application.
///
/// # Errors
/// If its body is not the sound statement of one customer. What a policy cannot judge is a decision to refer, never an
/// error.
pub fn decide_one(policies: &dyn PolicySet, application: &Application<'_>) -> Result<Decision, ApplicationError> {
    let statements = read_json(application.body, application.label, &reading(policies))?;
    let customers = statements.len();
    let mut decisions = if customers == 1 { decide(policies, &statements, application.request)? } else { Vec::new() };
    decisions.pop().ok_or(ApplicationError::Several(customers))
}

/// Decides on each application, on all threads of the pool it is called in; results are in the order of the
/// applications. A failure stops no other application. Each result has the bytes that [`decide_one`] gives.
///
/// ```
/// use lendwright::{Application, Request, decide_many, load_policies};
///
/// let policies = load_policies("rules/starter.toml", &[])?;
/// let request = Request::default();
/// let body = br#"{"status": "success", "data": {"transactions": []}}"#;
/// let applications = ["reference 1", "reference 2"].map(|label| Application { label, body, request: &request });
/// for (application, decided) in applications.iter().zip(decide_many(&policies, &applications)) {
///     println!("{}: {:?}", application.label, decided?.outcome);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decide_many(
    policies: &dyn PolicySet,
    applications: &[Application<'_>],
) -> Vec<Result<Decision, ApplicationError>> {
    // One application per task, so that none waits behind a large one.
    applications.par_iter().with_max_len(1).map(|application| decide_one(policies, application)).collect()
}
