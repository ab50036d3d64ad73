//! The OpenAPI document. Its examples are answers of this service by the policy in force, so they are never out of
//! date.

use serde_json::{Map, Value, json};

use super::answer_schemas::{describe_answer_schemas, refer_to};
use super::answers::{ColumnsByName, JSON, LINES, LookingPolicies, answer_application};
use super::application::{ApiApplication, STATEMENT_TYPES};
use super::idempotency::IDEMPOTENCY_KEY;
use super::pipeline::{DECISION_HEADER, POLICY_HEADER};
use super::problem::{CODES, PROBLEM_JSON};
use super::route::Route;
use crate::engine::decision::decision_schema;
use crate::lender::hosted::REQUEST_ID_HEADER;
use crate::lender::sources::FoundInputs;
use crate::rules::Policies;

/// A statement of three records, inline. By it the examples are made.
const APPLICATION: &str = r#"{"statement": [
  {"id": "1", "trans_date": "2026-08-28T09:00:00Z", "credit": 250000.5, "notes": {"desc": "SALARY AUGUST"}},
  {"id": "2", "trans_date": "2026-09-28T09:00:00Z", "credit": 250000.5, "notes": {"desc": "SALARY SEPTEMBER"}},
  {"id": "3", "trans_date": "2026-10-28T09:00:00Z", "credit": 250000.5, "notes": {"desc": "SALARY OCTOBER"}}],
 "as_of": "2026-10-31", "customer": "C-17"}"#;

/// An application that is refused.
const REFUSED: &str = r#"{"statement": {"status": "failed"}, "as_of": "2026-10-31"}"#;

/// The id that the example of a decision has.
const EXAMPLE_DECISION: &str = "dec_00000000000000000000000000000000";

/// The id that the example of a problem has.
const EXAMPLE_ID: &str = "example";

/// A report on a loan.
const OUTCOME: &str = r#"{"decision": "dec_00000000000000000000000000000000", "bad": false, "loan_date": "2026-11-02",
 "observed_until": "2027-02-01", "amount": 5000000}"#;

/// What the service has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Served {
    pub has_keys: bool,
    pub has_book: bool,
}

/// The document for these policies.
pub(super) fn describe_api(policies: &Policies, served: Served) -> Value {
    let mut paths = Map::new();
    for route in Route::ALL.into_iter().filter(|route| served.has_book || !route.needs_book()) {
        let operation = describe_route(route, policies, served);
        paths.insert(route.path().to_owned(), json!({ (route.method().to_ascii_lowercase()): operation }));
    }
    let mut schemas = describe_answer_schemas();
    schemas.insert("Application".to_owned(), application_schema());
    schemas.insert("Decision".to_owned(), decision_component());
    schemas.insert("Problem".to_owned(), problem_schema());
    if served.has_book {
        schemas.insert("KeptDecision".to_owned(), kept_decision_schema());
        schemas.insert("LoanOutcome".to_owned(), loan_outcome_schema());
        schemas.insert("OutcomeKept".to_owned(), outcome_kept_schema());
    }
    let mut components = json!({ "schemas": schemas });
    if served.has_keys {
        components["securitySchemes"] = json!({ "key": { "type": "http", "scheme": "bearer" } });
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "lendwright: decisions over HTTP",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Statements in, decisions out. The answer is the line that `lendwright decide` prints.",
        },
        "paths": paths,
        "components": components,
    })
}

fn describe_route(route: Route, policies: &Policies, served: Served) -> Value {
    let mut operation = json!({
        "operationId": route.name(),
        "summary": title_of_route(route),
        "responses": describe_responses(route, policies, served),
    });
    if route.method() == "POST" {
        operation["requestBody"] = describe_body(route);
        operation["parameters"] = describe_parameters(route);
    }
    if route == Route::KeptDecision {
        let about = format!("The header {DECISION_HEADER} of its answer");
        let mut id = describe_parameter("id", "path", &about);
        id["required"] = json!(true);
        operation["parameters"] = json!([id]);
    }
    if let (true, Some(scope)) = (served.has_keys, route.scope()) {
        operation["security"] = json!([{ "key": [] }]);
        operation["description"] = json!(format!("The key needs the scope `{}`.", scope.word()));
    }
    operation
}

fn title_of_route(route: Route) -> &'static str {
    match route {
        Route::Decisions => "Decide on one application",
        Route::Explanations => "Explain how a decision comes about, as `lendwright explain --format json`",
        Route::Metrics => "Compute the policy's metrics, as `lendwright metrics`",
        Route::Records => "Show what the policy finds in each record, as `lendwright records --format json`",
        Route::Batches => "Decide on many applications, one a line, as they come",
        Route::KeptDecision => "Show a decision that was made, and what became of its loan",
        Route::Outcomes => "Report what became of a loan",
        Route::Policies => "List the policies in force",
        Route::Health => "Say that the service is up",
        Route::Counters => "Show the counters of the service, as OpenMetrics",
        Route::OpenApi => "Show this document",
    }
}

fn describe_body(route: Route) -> Value {
    if route == Route::Outcomes {
        let example = serde_json::from_str::<Value>(OUTCOME).unwrap_or_default();
        let content = json!({ "schema": refer_to("LoanOutcome"), "example": example });
        return json!({ "required": true, "content": { (JSON): content } });
    }
    if route == Route::Batches {
        let lines = format!("{}\n{}\n", one_line(APPLICATION), one_line(REFUSED));
        let about = "An application a line, as /v1/decisions takes it";
        let schema = json!({ "type": "string", "description": about });
        return json!({ "required": true, "content": { (LINES): { "schema": schema, "example": lines } } });
    }
    let example = serde_json::from_str::<Value>(APPLICATION).unwrap_or_default();
    let mut content = Map::new();
    content.insert(JSON.to_owned(), json!({ "schema": refer_to("Application"), "example": example }));
    for (kind, _) in STATEMENT_TYPES {
        content.insert(kind.to_owned(), json!({ "schema": { "type": "string", "format": "binary" } }));
    }
    json!({ "required": true, "content": content })
}

fn describe_parameter(name: &str, place: &str, about: &str) -> Value {
    json!({ "name": name, "in": place, "description": about, "schema": { "type": "string" } })
}

fn describe_parameters(route: Route) -> Value {
    let text = describe_parameter;
    let id = text(REQUEST_ID_HEADER, "header", "Your id of the request, for the log; made if there is none");
    if matches!(route, Route::Batches | Route::Outcomes) {
        return json!([id]);
    }
    let mut day = text("as_of", "query", "The day of the decision; not with application/json, as all below");
    day["schema"]["format"] = json!("date");
    json!([
        id,
        text(IDEMPOTENCY_KEY, "header", "The same key and body get the same answer again, while the service keeps it"),
        day,
        text("customer", "query", "The customer of a statement that does not name one"),
        text("reference", "query", "What the decision calls the statement"),
        text("columns", "query", "The name of a columns file"),
    ])
}

fn describe_responses(route: Route, policies: &Policies, served: Served) -> Value {
    let mut responses = Map::new();
    let mut done = json!({ "description": "done", "content": describe_answer(route, policies) });
    if matches!(route, Route::Decisions | Route::Explanations) {
        let digest = json!({ "description": "The digest of the policy", "schema": { "type": "string" } });
        done["headers"] = json!({ (POLICY_HEADER): digest });
        if route == Route::Decisions && served.has_book {
            let id = json!({ "description": "The id of the decision", "schema": { "type": "string" } });
            done["headers"][DECISION_HEADER] = id;
        }
    }
    responses.insert("200".to_owned(), done);
    for (code, status, title) in CODES {
        if !may_refuse(route, code, status, served) {
            continue;
        }
        let entry = responses.entry(status.to_string()).or_insert_with(|| describe_problem(status, policies));
        let before = entry["description"].as_str().filter(|text| !text.is_empty()).map(|text| format!("{text}; "));
        entry["description"] = json!(format!("{}`{code}`: {title}", before.unwrap_or_default()));
    }
    Value::Object(responses)
}

/// Whether a path has this refusal.
fn may_refuse(route: Route, code: &str, status: u16, served: Served) -> bool {
    let has_body = route.method() == "POST";
    match (code, status) {
        ("no-book", _) => false,
        ("unknown-decision", _) => route.needs_book(),
        ("decision-erased", _) => route == Route::KeptDecision,
        ("declined" | "invalid-outcome", _) => route == Route::Outcomes,
        ("book-unavailable", _) => served.has_book && (route.needs_book() || route == Route::Decisions),
        (_, 401) => served.has_keys && route.scope().is_some(),
        (_, 404) => false,
        (_, 403 | 405 | 500) => true,
        ("busy", _) => has_body || route == Route::OpenApi,
        ("malformed-body" | "body-broken", _) | (_, 408 | 413 | 415) if route == Route::Outcomes => true,
        _ if route == Route::Outcomes => false,
        (_, 415 | 503) => has_body || (status == 503 && route == Route::OpenApi),
        // A batch says everything else in its lines.
        _ => has_body && (route != Route::Batches || status == 400),
    }
}

fn describe_problem(status: u16, policies: &Policies) -> Value {
    let mut content = json!({ "schema": refer_to("Problem") });
    if let (422, Err(example)) = (status, example_answer(Route::Decisions, REFUSED, policies)) {
        content["example"] = example;
    }
    json!({ "description": "", "content": { (PROBLEM_JSON): content } })
}

fn describe_answer(route: Route, policies: &Policies) -> Value {
    let (kind, schema) = match route {
        Route::Decisions => (JSON, refer_to("Decision")),
        Route::KeptDecision => (JSON, refer_to("KeptDecision")),
        Route::Outcomes => (JSON, refer_to("OutcomeKept")),
        Route::Explanations => (JSON, refer_to("Explanation")),
        Route::Metrics => (JSON, refer_to("Metrics")),
        Route::Policies => (JSON, refer_to("PolicyList")),
        Route::Health => (JSON, refer_to("Health")),
        Route::OpenApi => (JSON, json!({ "type": "object", "additionalProperties": true })),
        Route::Records | Route::Batches => (LINES, json!({ "type": "string" })),
        Route::Counters => ("application/openmetrics-text", json!({ "type": "string" })),
    };
    let mut content = json!({ "schema": schema });
    let example = match route {
        Route::Batches => {
            let lines = [APPLICATION, REFUSED].iter().zip(1..).map(|(application, line)| {
                match example_answer(Route::Batches, application, policies) {
                    Ok(answer) => answer.as_str().map_or_else(|| format!("{answer}\n"), str::to_owned),
                    Err(mut problem) => {
                        problem["line"] = json!(line);
                        format!("{problem}\n")
                    }
                }
            });
            Some(Value::String(lines.collect()))
        }
        Route::Health => Some(json!({ "status": "ok" })),
        Route::Policies => Some(super::policy_list::list_policies(policies)),
        Route::Outcomes => Some(json!({ "decision": EXAMPLE_DECISION, "replaced": false })),
        Route::KeptDecision => example_answer(Route::Decisions, APPLICATION, policies).ok().map(|decision| {
            let mut kept =
                json!({ "id": EXAMPLE_DECISION, "at": "2026-10-31T09:00:00Z", "caller": "till", "took_us": 900 });
            (kept["decision"], kept["loan"]) = (decision, Value::Null);
            kept
        }),
        Route::Counters | Route::OpenApi => None,
        _ => example_answer(route, APPLICATION, policies).ok(),
    };
    if let Some(example) = example {
        content["example"] = example;
    }
    json!({ (kind): content })
}

/// What the service answers to this application: JSON, or text if that has several lines.
fn example_answer(route: Route, application: &str, policies: &Policies) -> Result<Value, Value> {
    let looking = LookingPolicies { own: policies, others: &[], found: &FoundInputs::default() };
    let answered = ApiApplication::from_json(application.as_bytes())
        .and_then(|application| answer_application(route, looking, &ColumnsByName::new(), &application));
    let answer = answered.map_err(|problem| problem.as_json(EXAMPLE_ID))?.answer;
    let text = String::from_utf8(answer.bytes).unwrap_or_default();
    match answer.content_type == JSON && route != Route::Batches {
        true => Ok(serde_json::from_str(&text).unwrap_or_default()),
        false => Ok(Value::String(text)),
    }
}

/// JSON on one line, as a batch needs it. The texts of the examples hold no end of a line.
fn one_line(json: &str) -> String {
    json.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The schema that `lendwright schema --decision` prints, under the name that the document gives it: some generators
/// name a type by its title.
fn decision_component() -> Value {
    let mut schema = decision_schema();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("$schema");
        fields.remove("title");
    }
    schema
}

fn application_schema() -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    json!({
        "type": "object",
        "additionalProperties": false,
        "description": "`statement`, `pull` or `metrics`, and what belongs to it",
        "properties": {
            "statement": {
                "anyOf": [{ "type": "object", "additionalProperties": true }, { "type": "array", "items": {} }],
                "description": "The provider's envelope, or a list of its records; with `columns` JSON of any shape",
            },
            "pull": text("The reference of an offer request: its statement is pulled from the provider"),
            "metrics": {
                "type": "object",
                "additionalProperties": true,
                "description": "The policy's metrics, as a decision writes them",
            },
            "request": {
                "type": "object",
                "additionalProperties": true,
                "description": "The inputs that the policy declares; /v1/policies lists them. Money in minor units",
            },
            "as_of": { "type": "string", "format": "date", "description": "The day of the decision" },
            "customer": text("The customer of a statement that does not name one"),
            "reference": text("What the decision calls the statement"),
            "columns": text("The name of a columns file, such as `plaid`"),
        },
    })
}

fn kept_decision_schema() -> Value {
    json!({
        "type": "object",
        "required": ["id", "at", "caller", "took_us", "decision", "loan"],
        "properties": {
            "id": { "type": "string" },
            "at": { "type": "string", "format": "date-time", "description": "When it was made" },
            "caller": { "type": "string", "description": "The name of the caller's key; empty without keys" },
            "took_us": { "type": "integer", "description": "How long it took, in microseconds" },
            "decision": refer_to("Decision"),
            "sources": { "type": "array", "items": {
                "type": "object",
                "description": "How a source was queried",
                "required": ["source", "result", "at", "took_ms"],
                "properties": {
                    "source": { "type": "string" },
                    "result": { "type": "string", "description": "`answered`, `remembered`, or why nothing is known" },
                    "at": { "type": "string", "format": "date-time", "description": "When it answered" },
                    "took_ms": { "type": "integer" },
                },
            } },
            "loan": {
                "description": "What became of the loan, if it was reported",
                "anyOf": [refer_to("LoanOutcome"), { "type": "null" }],
            },
        },
    })
}

fn outcome_kept_schema() -> Value {
    json!({
        "type": "object",
        "required": ["decision", "replaced"],
        "properties": {
            "decision": { "type": "string", "description": "The id of the decision" },
            "replaced": { "type": "boolean", "description": "Whether an earlier report was another one" },
        },
    })
}

fn loan_outcome_schema() -> Value {
    let day = |about: &str| json!({ "type": ["string", "null"], "format": "date", "description": about });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["bad"],
        "description": "`decision` or `reference`, and what became of the loan",
        "properties": {
            "decision": { "type": "string", "description": "The id of the decision" },
            "reference": { "type": "string", "description": "That of its statement: the latest decision on it" },
            "bad": { "type": "boolean", "description": "Whether the loan went bad" },
            "loan_date": day("The day on which it was paid out"),
            "bad_date": day("The day on which it went bad"),
            "observed_until": day("The last day on which somebody looked"),
            "amount": { "type": ["integer", "null"], "description": "What was lent, in minor units" },
        },
    })
}

fn problem_schema() -> Value {
    let codes: Vec<&str> = CODES.iter().map(|(code, ..)| *code).collect();
    json!({
        "type": "object",
        "required": ["type", "title", "status", "code", "detail", "request_id"],
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "code": { "type": "string", "enum": codes },
            "detail": { "type": "string", "description": "What is wrong and what to do" },
            "where": { "type": "string", "description": "The place in the body" },
            "line": { "type": "integer", "description": "The line of a batch" },
            "request_id": { "type": "string" },
        },
    })
}
