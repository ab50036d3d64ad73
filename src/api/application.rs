//! What a body asks for: a statement or metrics, a request, a day, a customer. The statement itself is read elsewhere.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::answers::LookingPolicies;
use super::own_fields::{own_fields, read_raw_fields};
use super::problem::{Problem, place_in_json};
use super::route::Route;
use crate::base::date::Day;
use crate::decision_book::RequestMark;
use crate::engine::decision::Request;
use crate::lender::sources::{Subject, read_exact_json};
use crate::rules::PolicySet;
use crate::statement::customer_name;

/// The label of a statement without a reference, which is what `decide` calls standard input.
const NO_REFERENCE: &str = "-";

/// The longest reference, and the longest name of a columns file.
const NAME_BYTES_MAX: usize = 256;

/// What a body holds, by its content type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// An application: the statement is in it.
    Application,
    /// The statement alone, in the format of files with this ending; the rest is in the query.
    Statement(&'static str),
}

/// The content types of statements, and the endings of files that are read so. Browsers ask before they send any of
/// them to a foreign machine, which they do not for `text/plain`.
pub(super) const STATEMENT_TYPES: [(&str, &str); 9] = [
    ("text/csv", "csv"),
    ("text/tab-separated-values", "tsv"),
    ("application/x-ndjson", "ndjson"),
    ("application/vnd.apache.parquet", "parquet"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/xml", "xml"),
    ("text/xml", "xml"),
    ("application/x-ofx", "ofx"),
    ("application/octet-stream", ""),
];

impl BodyKind {
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<BodyKind, Problem> {
        let kind = media_type(headers);
        if kind.eq_ignore_ascii_case("application/json") {
            return Ok(BodyKind::Application);
        }
        let found = STATEMENT_TYPES.iter().find(|(known, _)| kind.eq_ignore_ascii_case(known));
        found.map(|(_, ending)| BodyKind::Statement(ending)).ok_or_else(|| {
            let known: Vec<&str> = STATEMENT_TYPES.iter().map(|(known, _)| *known).collect();
            Problem::new("content-type", format!("send application/json, or a statement as {}", known.join(", ")))
        })
    }
}

/// The content type without its parameters.
pub(super) fn media_type(headers: &HeaderMap) -> &str {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim()
}

/// An application as it came in. Clones share the body.
#[derive(Clone)]
pub(super) struct ReceivedApplication {
    pub route: Route,
    pub kind: BodyKind,
    pub body: Bytes,
    pub query: Arc<str>,
    /// The name of the caller's key; empty without keys.
    pub caller: Arc<str>,
    /// By which the same request is recognised when it comes again.
    pub mark: Option<RequestMark>,
    /// The statement that the provider gave for it.
    pub pulled: Option<Bytes>,
}

impl ReceivedApplication {
    /// Reads it.
    pub(super) fn read(&self) -> Result<ApiApplication<'_>, Problem> {
        let mut application = ApiApplication::read(self.kind, &self.body, &self.query)?;
        if let (Source::Pulled(_), Some(pulled)) = (&application.source, &self.pulled) {
            application.source = Source::Statement(Cow::Borrowed(pulled), "json");
        }
        Ok(application)
    }
}

/// What is decided on.
#[derive(Debug)]
pub(super) enum Source<'b> {
    /// The bytes of a statement, in the format of files with this ending.
    Statement(Cow<'b, [u8]>, &'static str),
    /// The statement of the offer request with this reference, which the provider has.
    Pulled(String),
    /// The policy's metrics, as a decision writes them.
    Metrics(Map<String, Json>),
}

/// One application, before its statement is read.
#[derive(Debug)]
pub(super) struct ApiApplication<'b> {
    pub source: Source<'b>,
    request: Option<&'b str>,
    as_of: Option<Day>,
    /// The customer of a statement that does not name one.
    pub customer: Option<String>,
    /// What the decision calls the statement.
    pub reference: String,
    /// The name of a columns file.
    pub columns: Option<String>,
}

/// The fields of an application as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonApplication<'b> {
    #[serde(borrow, default)]
    statement: Option<&'b RawValue>,
    #[serde(default)]
    pull: Option<String>,
    #[serde(borrow, default)]
    metrics: Option<&'b RawValue>,
    #[serde(borrow, default)]
    request: Option<&'b RawValue>,
    #[serde(default)]
    as_of: Option<String>,
    #[serde(default)]
    customer: Option<String>,
    #[serde(default)]
    reference: Option<String>,
    #[serde(default)]
    columns: Option<String>,
}

impl<'b> ApiApplication<'b> {
    /// Reads an application: JSON, or the query of a body that is the statement itself.
    pub(super) fn read(kind: BodyKind, body: &'b [u8], query: &str) -> Result<ApiApplication<'b>, Problem> {
        match kind {
            BodyKind::Application if query.is_empty() => ApiApplication::from_json(body),
            BodyKind::Application => {
                Err(Problem::new("invalid-query", "with application/json everything is in the body; omit the query"))
            }
            BodyKind::Statement(ending) => ApiApplication::from_query(body, ending, query),
        }
    }

    /// Reads an application that is JSON.
    pub(super) fn from_json(body: &'b [u8]) -> Result<ApiApplication<'b>, Problem> {
        let fields: JsonApplication<'b> = serde_json::from_slice(body).map_err(|wrong| {
            let detail = match wrong.is_data() {
                false => "it is not JSON; it may be cut short",
                true => {
                    "it is one object with `statement`, `pull` or `metrics`, and `request`, `as_of`, `customer`, \
                     `reference`, `columns` as needed, each at most once; the last four are texts"
                }
            };
            Problem::new("malformed-body", detail).at(place_in_json("body", &wrong))
        })?;
        let source = match (fields.statement, fields.pull, fields.metrics) {
            (Some(statement), None, None) => Source::Statement(Cow::Borrowed(statement.get().as_bytes()), "json"),
            (None, Some(reference), None) => Source::Pulled(reference),
            (None, None, Some(metrics)) => Source::Metrics(read_metrics(metrics.get())?),
            _ => return Err(Problem::new("malformed-body", "give one of `statement`, `pull` and `metrics`")),
        };
        let of_offer_request = match &source {
            Source::Pulled(reference) => Some(reference.clone()),
            Source::Statement(..) | Source::Metrics(_) => None,
        };
        if !matches!(source, Source::Statement(..)) && fields.columns.is_some() {
            return Err(Problem::new("malformed-body", "`columns` is for statements").at("columns"));
        }
        let as_of = fields.as_of.as_deref().map(parse_day).transpose()?;
        ApiApplication {
            source,
            request: None,
            as_of,
            customer: fields.customer,
            reference: String::new(),
            columns: None,
        }
        .with_names(fields.reference.or(of_offer_request), fields.columns)
        .map(|application| ApiApplication { request: fields.request.map(RawValue::get), ..application })
    }

    fn from_query(body: &'b [u8], ending: &'static str, query: &str) -> Result<ApiApplication<'b>, Problem> {
        let source = Source::Statement(Cow::Borrowed(body), ending);
        let mut application = ApiApplication {
            source,
            request: None,
            as_of: None,
            customer: None,
            reference: String::new(),
            columns: None,
        };
        let (mut reference, mut columns) = (None, None);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let given_before = match &*name {
                "as_of" => application.as_of.replace(parse_day(&value)?).is_some(),
                "customer" => application.customer.replace(value.into_owned()).is_some(),
                "reference" => reference.replace(value.into_owned()).is_some(),
                "columns" => columns.replace(value.into_owned()).is_some(),
                _ => {
                    let detail = "the query has `as_of`, `customer`, `reference` and `columns`; a request with more \
                                  fields goes with the statement in application/json";
                    return Err(Problem::new("invalid-query", detail));
                }
            };
            if given_before {
                return Err(Problem::new("invalid-query", "each name comes once"));
            }
        }
        application.with_names(reference, columns)
    }

    fn with_names(self, reference: Option<String>, columns: Option<String>) -> Result<ApiApplication<'b>, Problem> {
        let is_long = |name: &Option<String>| name.as_ref().is_some_and(|name| name.len() > NAME_BYTES_MAX);
        if [&self.customer, &reference, &columns].into_iter().any(is_long) {
            return Err(Problem::new("malformed-body", "a name has at most 256 bytes"));
        }
        let customer = match self.customer {
            None => None,
            Some(name) => match customer_name(&name) {
                Some(name) => Some(name.into_owned()),
                None => return Err(Problem::new("malformed-body", "no name of a customer").at("customer")),
            },
        };
        Ok(ApiApplication { customer, reference: reference.unwrap_or(NO_REFERENCE.to_owned()), columns, ..self })
    }

    /// The person of whom sources are queried; `named` is the customer of the statement.
    pub(super) fn subject(&self, named: Option<&str>) -> Result<Subject, Problem> {
        let mut request = Map::new();
        for (name, value) in read_raw_fields(self.request.unwrap_or("{}")).unwrap_or_default() {
            let place = format!("request.{name}");
            let refused = |detail: &str| Problem::new("invalid-request", detail.to_owned()).at(place.clone());
            let value = read_exact_json(value.get()).map_err(|_| refused("it cannot be read as one JSON value"))?;
            if request.insert(name, value).is_some() {
                return Err(refused("it appears twice"));
            }
        }
        let given = self.customer.as_deref().or_else(|| request.get("customer").and_then(Json::as_str)).or(named);
        Ok(Subject { customer: given.map(str::to_owned), reference: self.reference.clone(), request })
    }

    /// The request as policies declare it, without fields that are for others. The day outside of it counts
    /// before that within, as for `decide`.
    pub(super) fn request(&self, looking: LookingPolicies<'_>) -> Result<Request, Problem> {
        let policies = looking.own;
        let mut request = match self.request {
            None => Request::default(),
            Some(json) => {
                let own = match looking.has_foreign_fields() {
                    false => Cow::Borrowed(json),
                    true => Cow::Owned(own_fields(json, looking)?),
                };
                Request::from_json(policies, own.as_bytes()).map_err(|wrong| {
                    let all = policies.policies();
                    let declared: Vec<&str> =
                        all.iter().flat_map(|policy| policy.inputs()).map(|input| input.name.as_str()).collect();
                    Problem::from_request(&wrong, &declared)
                })?
            }
        };
        request.as_of = self.as_of.or(request.as_of);
        Ok(request)
    }
}

/// Metrics by name, each at most once: of two values the policy would judge one, and the caller may mean the other.
fn read_metrics(json: &str) -> Result<Map<String, Json>, Problem> {
    let detail = "`metrics` is an object of the policy's metrics, as a decision writes them, each at most once";
    let wrong = |place: String| Problem::new("invalid-metrics", detail).at(place);
    let fields = read_raw_fields(json).map_err(|error| wrong(place_in_json("metrics", &error)))?;
    let mut metrics = Map::new();
    for (name, value) in fields {
        let value = serde_json::from_str(value.get()).map_err(|error| wrong(place_in_json("metrics", &error)))?;
        if metrics.insert(name, value).is_some() {
            return Err(wrong("metrics".to_owned()));
        }
    }
    Ok(metrics)
}

fn parse_day(text: &str) -> Result<Day, Problem> {
    let wrong = || Problem::new("malformed-body", "no such day; write it as 2026-10-31").at("as_of");
    Day::parse_iso(text).ok_or_else(wrong)
}
