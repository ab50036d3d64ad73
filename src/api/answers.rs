//! An application and the policy in force become the bytes that the command line prints for them. Pure: no clock, no
//! socket.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::application::{ApiApplication, Source};
use super::problem::Problem;
use super::route::Route;
use crate::base::digest::Digest;
use crate::engine::decision::{self, Decision, ReadyPlan, Request, VerdictsAsked};
use crate::engine::metrics;
use crate::lender::sources::FoundInputs;
use crate::rules::{Policies, PolicySet};
use crate::run::files::{frame_as_ndjson, read_statement_bytes};
use crate::statement::{Columns, Statements};

/// What is answered.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub bytes: Vec<u8>,
    pub content_type: &'static str,
    /// The policy that decided.
    pub policy: Option<Digest>,
    /// The id of the decision, if it is kept.
    pub id: Option<String>,
}

/// An answer, and the decision in it, if it is one.
pub(super) struct Answered {
    pub answer: Answer,
    pub decision: Option<Box<Decision>>,
}

impl Answered {
    /// An answer without a decision.
    fn told(bytes: Vec<u8>, content_type: &'static str, policy: Option<Digest>) -> Answered {
        Answered { answer: Answer { bytes, content_type, policy, id: None }, decision: None }
    }
}

/// The media type of one JSON object.
pub(super) const JSON: &str = "application/json";
/// The media type of one JSON object a line.
pub(super) const LINES: &str = "application/x-ndjson";

/// The columns files by name.
pub(super) type ColumnsByName = BTreeMap<String, Columns>;

/// The policies that look at an application.
#[derive(Clone, Copy)]
pub(super) struct LookingPolicies<'a> {
    /// Those that decide now.
    pub own: &'a Policies,
    /// The others: its request may have their fields too.
    pub others: &'a [Arc<Policies>],
    /// What sources gave besides.
    pub found: &'a FoundInputs,
}

impl LookingPolicies<'_> {
    /// Whether a request may have fields that are not for these policies.
    pub(super) fn has_foreign_fields(&self) -> bool {
        !self.others.is_empty() || self.found.is_queried_by_any()
    }
}

/// Reads the statement of an application; `None` if it has metrics instead.
pub(super) fn read_statement(
    policies: &Policies,
    columns: &ColumnsByName,
    application: &ApiApplication<'_>,
) -> Result<Option<Statements>, Problem> {
    let given = find_columns(application, columns)?;
    let (bytes, ending) = match &application.source {
        Source::Statement(bytes, ending) => (bytes, ending),
        Source::Pulled(_) => return Err(Problem::no_provider()),
        Source::Metrics(_) => return Ok(None),
    };
    let (label, reading) = (&application.reference, decision::reading(policies));
    let statements = read_statement_bytes(bytes.to_vec(), ending, label, &reading, given.as_ref())
        .map_err(|wrong| Problem::from_statement(&wrong))?;
    match statements.len() {
        1 => Ok(Some(statements)),
        _ => Err(Problem::several_customers()),
    }
}

/// Answers one application.
pub(super) fn answer_application(
    route: Route,
    looking: LookingPolicies<'_>,
    columns: &ColumnsByName,
    application: &ApiApplication<'_>,
) -> Result<Answered, Problem> {
    let request = application.request(looking)?;
    let statements = read_statement(looking.own, columns, application)?;
    answer_on_statement(route, looking, application, Read { request, statements: statements.as_ref() })
}

/// What was read of an application.
pub(super) struct Read<'s> {
    pub request: Request,
    pub statements: Option<&'s Statements>,
}

/// Answers an application that was read by the same policies.
pub(super) fn answer_on_statement(
    route: Route,
    looking: LookingPolicies<'_>,
    application: &ApiApplication<'_>,
    read: Read<'_>,
) -> Result<Answered, Problem> {
    let LookingPolicies { own: policies, others: _, found } = looking;
    let Read { mut request, statements } = read;
    found.add_to(&mut request, policies);
    let statements = match (&application.source, statements) {
        (_, Some(statements)) => statements,
        (Source::Metrics(metrics), None) => {
            let customer = application.customer.as_deref();
            let given = GivenMetrics { label: &application.reference, customer, metrics };
            return decide_on_metrics(route, policies, &request, &given);
        }
        (Source::Statement(..) | Source::Pulled(_), None) => return Err(Problem::internal()),
    };
    match route {
        Route::Explanations => explain(policies, statements, &request),
        Route::Metrics => {
            let table = metrics::table(policies, statements, request.as_of).map_err(|_| Problem::internal())?;
            let bytes = frame_as_ndjson(&table).map_err(|_| Problem::internal())?;
            Ok(Answered::told(bytes, JSON, only_policy(policies)))
        }
        Route::Records => flag_records(policies, statements, &request),
        _ => decide(policies, statements, &request),
    }
}

/// The columns file that is named, with the customer, if one is given.
fn find_columns(application: &ApiApplication<'_>, columns: &ColumnsByName) -> Result<Option<Columns>, Problem> {
    let named = match &application.columns {
        None => None,
        Some(name) => Some(columns.get(name).cloned().ok_or_else(|| {
            let known: Vec<&str> = columns.keys().map(String::as_str).collect();
            Problem::new(
                "unknown-columns",
                format!("known are {}; `--columns` of the service adds one", known.join(", ")),
            )
            .at("columns")
        })?),
    };
    Ok(match &application.customer {
        Some(customer) => Some(named.unwrap_or_default().with_customer(customer)),
        None => named,
    })
}

fn decide(policies: &Policies, statements: &Statements, request: &Request) -> Result<Answered, Problem> {
    let decided =
        decision::decide(policies, statements, request).map_err(|wrong| Problem::from_decision(&wrong, &[]))?;
    match <[Decision; 1]>::try_from(decided) {
        Ok([decision]) => Ok(answer_with(decision)),
        Err(_) => Err(Problem::several_customers()),
    }
}

fn answer_with(decision: Decision) -> Answered {
    let bytes = format!("{}\n", decision.to_line()).into_bytes();
    let answered = Answered::told(bytes, JSON, Some(decision.policy.digest));
    Answered { decision: Some(Box::new(decision)), ..answered }
}

/// Metrics that the caller has already.
struct GivenMetrics<'a> {
    label: &'a str,
    customer: Option<&'a str>,
    metrics: &'a serde_json::Map<String, serde_json::Value>,
}

fn decide_on_metrics(
    route: Route,
    policies: &Policies,
    request: &Request,
    given: &GivenMetrics<'_>,
) -> Result<Answered, Problem> {
    let GivenMetrics { label, customer, metrics } = *given;
    if !matches!(route, Route::Decisions | Route::Batches) {
        let detail = "`metrics` can be decided on; everything else is found in a statement";
        return Err(Problem::new("malformed-body", detail).at("metrics"));
    }
    let (policy, _) = policies.policy_for(request.as_of, customer.or(request.customer.as_deref()));
    let names: Vec<&str> = metrics.keys().map(String::as_str).collect();
    let known: Vec<&str> = policy.metrics().map(|(name, _)| name).collect();
    let refused = |wrong: decision::Error| Problem::from_decision(&wrong, &known);
    let plan = ReadyPlan::new(policy, &names).map_err(|wrong| refused(wrong.into()))?;
    let mut rows = plan.rows();
    rows.push_json(label, customer, metrics).map_err(|wrong| refused(wrong.into()))?;
    let decided = plan.decide(rows, request).map_err(refused)?;
    decided.into_iter().next().map(answer_with).ok_or_else(Problem::internal)
}

fn explain(policies: &Policies, statements: &Statements, request: &Request) -> Result<Answered, Problem> {
    let explained =
        decision::explain(policies, statements, request).map_err(|wrong| Problem::from_decision(&wrong, &[]))?;
    let [explanation] = &explained[..] else { return Err(Problem::several_customers()) };
    let mut bytes = serde_json::to_vec(explanation).map_err(|_| Problem::internal())?;
    bytes.push(b'\n');
    Ok(Answered::told(bytes, JSON, Some(explanation.decision.policy.digest)))
}

fn flag_records(policies: &Policies, statements: &Statements, request: &Request) -> Result<Answered, Problem> {
    let asked = VerdictsAsked { as_of: request.as_of, ..VerdictsAsked::default() };
    let verdicts = decision::verdicts(policies, statements, &asked).map_err(|wrong| Problem::from_verdicts(&wrong))?;
    let table = verdicts.table().map_err(|_| Problem::internal())?;
    let bytes = frame_as_ndjson(&table).map_err(|_| Problem::internal())?;
    Ok(Answered::told(bytes, LINES, only_policy(policies)))
}

/// The policy, if only one may decide.
fn only_policy(policies: &Policies) -> Option<Digest> {
    match policies.policies()[..] {
        [policy] => Some(policy.digest()),
        _ => None,
    }
}
