//! An application and the policy in force become the bytes that the command line prints for them. Pure: no clock, no
//! socket.

use std::collections::BTreeMap;

use super::application::{ApiApplication, Source};
use super::problem::Problem;
use super::route::Route;
use crate::base::digest::Digest;
use crate::engine::decision::{self, Decision, Outcome, ReadyPlan, Request, VerdictsAsked};
use crate::engine::metrics;
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
    pub outcome: Option<Outcome>,
}

/// The media type of one JSON object.
pub(super) const JSON: &str = "application/json";
/// The media type of one JSON object a line.
pub(super) const LINES: &str = "application/x-ndjson";

/// The columns files by name.
pub(super) type ColumnsByName = BTreeMap<String, Columns>;

/// Answers one application.
pub(super) fn answer_application(
    route: Route,
    policies: &Policies,
    columns: &ColumnsByName,
    application: ApiApplication<'_>,
) -> Result<Answer, Problem> {
    let request = application.request(policies)?;
    let given = find_columns(&application, columns)?;
    let (bytes, ending) = match application.source {
        Source::Statement(bytes, ending) => (bytes, ending),
        Source::Metrics(metrics) => {
            let customer = application.customer.as_deref();
            let given = GivenMetrics { label: &application.reference, customer, metrics: &metrics };
            return decide_on_metrics(route, policies, &request, &given);
        }
    };
    let reading = decision::reading(policies);
    let statements = read_statement_bytes(bytes.into_owned(), ending, &application.reference, &reading, given.as_ref())
        .map_err(|wrong| Problem::from_statement(&wrong))?;
    if statements.len() != 1 {
        return Err(Problem::several_customers());
    }
    match route {
        Route::Explanations => explain(policies, &statements, &request),
        Route::Metrics => {
            let table = metrics::table(policies, &statements, request.as_of).map_err(|_| Problem::internal())?;
            let bytes = frame_as_ndjson(&table).map_err(|_| Problem::internal())?;
            Ok(Answer { bytes, content_type: JSON, policy: only_policy(policies), outcome: None })
        }
        Route::Records => flag_records(policies, &statements, &request),
        _ => decide(policies, &statements, &request),
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

fn decide(policies: &Policies, statements: &Statements, request: &Request) -> Result<Answer, Problem> {
    let decided =
        decision::decide(policies, statements, request).map_err(|wrong| Problem::from_decision(&wrong, &[]))?;
    match &decided[..] {
        [decision] => Ok(answer_with(decision)),
        _ => Err(Problem::several_customers()),
    }
}

fn answer_with(decision: &Decision) -> Answer {
    let bytes = format!("{}\n", decision.to_line()).into_bytes();
    let (policy, outcome) = (Some(decision.policy.digest), Some(decision.outcome));
    Answer { bytes, content_type: JSON, policy, outcome }
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
) -> Result<Answer, Problem> {
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
    decided.first().map(answer_with).ok_or_else(Problem::internal)
}

fn explain(policies: &Policies, statements: &Statements, request: &Request) -> Result<Answer, Problem> {
    let explained =
        decision::explain(policies, statements, request).map_err(|wrong| Problem::from_decision(&wrong, &[]))?;
    let [explanation] = &explained[..] else { return Err(Problem::several_customers()) };
    let mut bytes = serde_json::to_vec(explanation).map_err(|_| Problem::internal())?;
    bytes.push(b'\n');
    let policy = Some(explanation.decision.policy.digest);
    Ok(Answer { bytes, content_type: JSON, policy, outcome: None })
}

fn flag_records(policies: &Policies, statements: &Statements, request: &Request) -> Result<Answer, Problem> {
    let asked = VerdictsAsked { as_of: request.as_of, ..VerdictsAsked::default() };
    let verdicts = decision::verdicts(policies, statements, &asked).map_err(|wrong| Problem::from_verdicts(&wrong))?;
    let table = verdicts.table().map_err(|_| Problem::internal())?;
    let bytes = frame_as_ndjson(&table).map_err(|_| Problem::internal())?;
    Ok(Answer { bytes, content_type: LINES, policy: only_policy(policies), outcome: None })
}

/// The policy, if only one may decide.
fn only_policy(policies: &Policies) -> Option<Digest> {
    match policies.policies()[..] {
        [policy] => Some(policy.digest()),
        _ => None,
    }
}
