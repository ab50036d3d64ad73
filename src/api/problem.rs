//! Refusals as RFC 9457 problems: a code, what is wrong, where, and what to do. What a caller sent is not repeated, so
//! that answers and logs hold no narration, name or amount.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use super::keys::KeyFault;
use crate::engine::decision::{Error as DecisionError, RequestError, VerdictsError};
use crate::lender::hosted::BodyFault;
use crate::lender::store::error::StoreError;
use crate::provider::client::{Class, Error as PullError};
use crate::run::decision_pool;
use crate::statement::Error as StatementError;

/// The media type of a problem.
pub(super) const PROBLEM_JSON: &str = "application/problem+json";

/// Every code with its status and title.
pub(super) const CODES: [(&str, u16, &str); 43] = [
    ("malformed-body", 400, "The body is not what this path takes"),
    ("invalid-request", 400, "The request does not fit the policy"),
    ("invalid-metrics", 400, "The metrics do not fit the policy"),
    ("invalid-query", 400, "The query does not fit this path"),
    ("unknown-columns", 400, "No columns file has this name"),
    ("no-provider", 400, "The service pulls no statements"),
    ("invalid-outcome", 400, "What became of the loan contradicts itself"),
    ("body-broken", 400, "The body broke off"),
    ("invalid-idempotency-key", 400, "The idempotency key cannot be used"),
    ("key-missing", 401, "A key is needed"),
    ("key-unknown", 401, "The key is not known"),
    ("key-scope", 403, "The key may not be used for this"),
    ("foreign-host", 403, "This service is for its own machine"),
    ("unknown-path", 404, "No path has this name"),
    ("unknown-decision", 404, "The decision is unknown"),
    ("no-book", 404, "The service keeps no decisions"),
    ("method", 405, "The path has another method"),
    ("body-too-slow", 408, "The body came too slowly"),
    ("idempotency-key-reused", 409, "The idempotency key belongs to another body"),
    ("idempotency-key-in-use", 409, "The first request with this key is still being answered"),
    ("declined", 409, "The application was declined"),
    ("decision-erased", 410, "The decision was erased"),
    ("body-too-large", 413, "The body is too large"),
    ("content-type", 415, "The content type is not read"),
    ("content-encoding", 415, "The body is encoded"),
    ("statement-malformed", 422, "The statement is damaged"),
    ("statement-refused", 422, "The statement has no single meaning"),
    ("not-a-statement", 422, "The bytes are not a statement"),
    ("statement-status", 422, "The provider says that it has no statement"),
    ("statement-incomplete", 422, "Records are missing"),
    ("statement-value", 422, "A value of the statement is wrong or missing"),
    ("statement-duplicate", 422, "Two different records have the same id"),
    ("statement-columns", 422, "The columns do not fit the statement"),
    ("statement-signs", 422, "The rule for negative amounts does not fit"),
    ("statement-period", 422, "The period contradicts the records"),
    ("statement-table", 422, "The table cannot be read"),
    ("pull-refused", 422, "The provider gives no statement for this reference"),
    ("several-customers", 422, "The statement is not of one customer"),
    ("busy", 503, "Too much is waiting"),
    ("provider-unavailable", 503, "The provider cannot be reached now"),
    ("book-unavailable", 503, "The book of decisions cannot be used now"),
    ("too-slow", 503, "The statement takes too long"),
    ("internal", 500, "The service failed"),
];

/// Words that are quoted in messages and are the program's own.
const OWN_WORDS: [&str; 28] = [
    "code",
    "branch",
    "bank",
    "env",
    "reference",
    "desc",
    "topics",
    "customer",
    "account",
    "id",
    "trans_date",
    "unformatted_trans_date",
    "cleared_date",
    "credit",
    "debit",
    "balance",
    "data",
    "transactions",
    "status",
    "notes",
    "records",
    "amount",
    "day-first",
    "month-first",
    "negative",
    "empty",
    "as_of",
    "given",
];

/// Why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    code: &'static str,
    detail: String,
    place: Option<String>,
    /// The number of the line of a batch.
    line: Option<u64>,
    retry_after: Option<Duration>,
    /// The method that the path has.
    allow: Option<&'static str>,
}

impl Problem {
    pub(super) fn new(code: &'static str, detail: impl Into<String>) -> Problem {
        Problem { code, detail: detail.into(), place: None, line: None, retry_after: None, allow: None }
    }

    pub(super) fn at(self, place: impl Into<String>) -> Problem {
        Problem { place: Some(place.into()), ..self }
    }

    pub(super) fn in_line(self, line: u64) -> Problem {
        Problem { line: Some(line), ..self }
    }

    pub(super) fn wrong_method(method: &'static str) -> Problem {
        let problem = Problem::new("method", format!("send {method}"));
        Problem { allow: Some(method), ..problem }
    }

    pub(super) fn retried_after(self, wait: Duration) -> Problem {
        Problem { retry_after: Some(wait), ..self }
    }

    pub(super) fn busy() -> Problem {
        Problem::new("busy", "as many requests wait as may; send it again in a moment")
            .retried_after(Duration::from_secs(1))
    }

    /// Whether the same request may be answered a moment later.
    pub(super) fn is_busy(&self) -> bool {
        self.code == "busy"
    }

    /// The work goes on: sending it again would only add to it.
    pub(super) fn too_slow() -> Problem {
        Problem::new(
            "too-slow",
            "the statement takes too long to decide here; send fewer records, or use the command line",
        )
    }

    pub(super) fn internal() -> Problem {
        Problem::new("internal", "this is a fault of the service; its log has the request's id")
    }

    pub(super) fn code(&self) -> &'static str {
        self.code
    }

    fn known(&self) -> (u16, &'static str) {
        let found = CODES.iter().find(|(code, ..)| *code == self.code);
        found.map_or((500, "The service failed"), |(_, status, title)| (*status, *title))
    }

    pub(super) fn as_json(&self, request_id: &str) -> Value {
        let (status, title) = self.known();
        let mut fields = Map::new();
        fields.insert("type".to_owned(), json!(format!("urn:lendwright:problem:{}", self.code)));
        fields.insert("title".to_owned(), json!(title));
        fields.insert("status".to_owned(), json!(status));
        fields.insert("code".to_owned(), json!(self.code));
        fields.insert("detail".to_owned(), json!(self.detail));
        if let Some(place) = &self.place {
            fields.insert("where".to_owned(), json!(place));
        }
        if let Some(line) = self.line {
            fields.insert("line".to_owned(), json!(line));
        }
        fields.insert("request_id".to_owned(), json!(request_id));
        Value::Object(fields)
    }

    pub(super) fn to_response(&self, request_id: &str) -> Response<Body> {
        let mut response = Response::new(Body::from(format!("{}\n", self.as_json(request_id))));
        *response.status_mut() = StatusCode::from_u16(self.known().0).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(wait) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
        }
        if let Some(method) = self.allow {
            headers.insert(header::ALLOW, HeaderValue::from_static(method));
        }
        if matches!(self.known().0, 401) {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // The rest of a body that is not read would pass for the next request.
        if matches!(self.code, "body-too-large" | "body-too-slow" | "body-broken") {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// The service keeps no decisions.
    pub(super) fn no_book() -> Problem {
        Problem::new("no-book", "it was started without `--book`, so it keeps no decisions")
    }

    /// The service was given no provider.
    pub(super) fn no_provider() -> Problem {
        Problem::new("no-provider", "it was started without the provider's address; send the statement itself")
            .at("pull")
    }

    /// The provider gave no statement. What it said may be personal.
    pub(super) fn from_pull(error: &PullError) -> Problem {
        match error.class() {
            Class::Rejected => Problem::new("pull-refused", "it has none, or refuses it to this lender").at("pull"),
            Class::Malformed | Class::TooLarge => {
                Problem::new("pull-refused", "what it gave is damaged, or larger than the limit").at("pull")
            }
            class => {
                tracing::error!(class = class.as_str(), "the provider gives no statements");
                Problem::new("provider-unavailable", "nothing was decided; send it again in a moment")
                    .retried_after(Duration::from_secs(1))
            }
        }
    }

    /// The book failed. Its message is for the log: it names files and hosts.
    pub(super) fn from_store(error: &StoreError) -> Problem {
        tracing::error!("the book of decisions: {error}");
        Problem::new("book-unavailable", "nothing was decided; send it again in a moment")
            .retried_after(Duration::from_secs(1))
    }

    /// What is wrong with a statement, without what it says.
    pub(super) fn from_statement(error: &StatementError) -> Problem {
        let (place, what) = error.parts();
        let code = match error {
            StatementError::Malformed { .. } => "statement-malformed",
            StatementError::Refused { .. } => "statement-refused",
            StatementError::NotAStatement { .. } => "not-a-statement",
            StatementError::Status { .. } => {
                return Problem::new("statement-status", "the envelope reports a failure; pull the statement again");
            }
            StatementError::Incomplete { .. } => "statement-incomplete",
            StatementError::Value { .. } => "statement-value",
            StatementError::Duplicate { column, .. } => {
                let column = keep_own_words(&format!("`{column}`"), &[]);
                let detail = format!("they differ in {column}; send each record once");
                return Problem::new("statement-duplicate", detail);
            }
            StatementError::Columns { .. } => "statement-columns",
            // Its message names the customer.
            StatementError::Signs { .. } => {
                let detail = "the balances contradict it; declare `negative` in the columns file, or in the policy";
                return Problem::new("statement-signs", detail);
            }
            StatementError::Merge { .. } | StatementError::Memory { .. } | StatementError::Table { .. } => {
                "statement-table"
            }
            StatementError::Period { .. } => "statement-period",
        };
        let problem = Problem::new(code, keep_own_words(&what, &[]));
        match place {
            Some(place) => problem.at(keep_places(&place)),
            None => problem,
        }
    }

    /// What is wrong with a request. `declared` are the names of the policy's inputs.
    pub(super) fn from_request(error: &RequestError, declared: &[&str]) -> Problem {
        match error {
            RequestError::Json(wrong) => {
                let detail = "`request` is not one JSON object with each field once";
                Problem::new("invalid-request", detail).at(place_in_json("request", wrong))
            }
            RequestError::Toml(_) => Problem::new("invalid-request", "the request is not JSON"),
            RequestError::Field { field, problem } => {
                let problem = Problem::new("invalid-request", keep_own_words(problem, declared));
                problem.at(format!("request.{}", keep_own_words(&format!("`{field}`"), declared).replace('`', "")))
            }
        }
    }

    pub(super) fn from_decision(error: &DecisionError, declared: &[&str]) -> Problem {
        match error {
            DecisionError::SeveralCustomers { .. } => Problem::several_customers(),
            DecisionError::Ready(wrong) => Problem::new("invalid-metrics", keep_own_words(&wrong.problem, declared))
                .at(format!("metrics.{}", keep_own_words(&format!("`{}`", wrong.name), declared).replace('`', ""))),
            DecisionError::Metrics(_) => Problem::internal(),
        }
    }

    pub(super) fn from_verdicts(error: &VerdictsError) -> Problem {
        match error {
            VerdictsError::Decision(wrong) => Problem::from_decision(wrong, &[]),
            _ => Problem::internal(),
        }
    }

    pub(super) fn several_customers() -> Problem {
        let detail = "send the statement of one customer; several go as lines to /v1/batches";
        Problem::new("several-customers", detail)
    }
}

impl From<KeyFault> for Problem {
    fn from(fault: KeyFault) -> Problem {
        match fault {
            KeyFault::Missing => Problem::new("key-missing", "send `Authorization: Bearer KEY`, once"),
            KeyFault::Unknown => Problem::new("key-unknown", "the file of keys has no line for it"),
            KeyFault::Scope(scope) => {
                Problem::new("key-scope", format!("its line in the file of keys lacks `{}`", scope.word()))
            }
        }
    }
}

impl From<BodyFault> for Problem {
    fn from(fault: BodyFault) -> Problem {
        match fault {
            BodyFault::TooLong => {
                Problem::new("body-too-large", "`--body-limit` of the service says how large it may be")
            }
            BodyFault::TooSlow => Problem::new("body-too-slow", "send it faster, or in parts"),
            BodyFault::Broken => Problem::new("body-broken", "send it again, whole"),
        }
    }
}

impl From<decision_pool::Error> for Problem {
    fn from(error: decision_pool::Error) -> Problem {
        match error {
            decision_pool::Error::Busy { .. } | decision_pool::Error::Closed => Problem::busy(),
            _ => Problem::internal(),
        }
    }
}

/// Where JSON is wrong, without what it says.
pub(super) fn place_in_json(what: &str, error: &serde_json::Error) -> String {
    format!("{what}, line {}, column {}", error.line(), error.column())
}

/// A message without its quoted texts that are not the program's own. A text may itself have a mark that quotes, so all
/// is left out from the first that is not known to the last mark.
fn keep_own_words(text: &str, declared: &[&str]) -> String {
    let is_own = |word: &str| {
        OWN_WORDS.contains(&word)
            || declared.contains(&word)
            || (word.chars().count() == 1 && !word.contains(char::is_alphanumeric))
    };
    let parts: Vec<&str> = text.split('`').collect();
    let first_unknown = (1..parts.len()).step_by(2).find(|at| !is_own(parts[*at]));
    let shown = |parts: &[&str]| parts.iter().map(|part| hide_values(part)).collect::<Vec<_>>().join("`");
    match first_unknown {
        None => shown(&parts),
        Some(first) => {
            let end = parts.last().filter(|_| first + 1 < parts.len()).map_or(String::new(), |end| hide_values(end));
            format!("{}`…`{end}", shown(&parts[..first]))
        }
    }
}

/// Leaves out texts in double quotes, and numbers with decimals.
fn hide_values(text: &str) -> String {
    let is_decimal = |word: &str| {
        let inner = word.trim_matches(|letter: char| !letter.is_ascii_digit());
        inner.contains(['.', ',']) && inner.chars().all(|letter| letter.is_ascii_digit() || ".,".contains(letter))
    };
    let outside = |part: &str| -> String {
        part.split_inclusive(' ').map(|word| if is_decimal(word) { "… " } else { word }).collect()
    };
    let parts = text.split('"').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { outside(part) } else { "…".to_owned() });
    parts.collect::<Vec<_>>().join("\"")
}

/// A place: a path, a row, a byte. A record's id stays, because by it the record is found.
fn keep_places(place: &str) -> String {
    place.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::keep_own_words;

    #[test]
    fn a_quoted_text_is_left_out_whatever_marks_it_has() {
        let said = |text: &str| keep_own_words(text, &["fico"]);
        assert_eq!(said("`fico` has `ADA OBI` in `bank`"), "`fico` has `…`");
        for value in ["x` ADA `y", "` ADA", "``ADA``", "`"] {
            let shown = said(&format!("`{value}` is not a number"));
            assert_eq!(shown, "`…` is not a number", "{value}");
        }
        assert_eq!(said("`ADA"), "`…`");
    }
}
