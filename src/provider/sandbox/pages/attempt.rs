//! Pages to try each endpoint: its fields, a button, the answer. Made from the same table as the OpenAPI document. A
//! request is handled like any other, faults included, with the sandbox's own token. Knows nothing of what an endpoint
//! does.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Form, Path, State as Shared};
use axum::http::{Request, Response as Answered, header};
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::actions::{Fields, form_field_text};
use super::examples::Examples;
use super::frame::{frame_sandbox_page, sandbox_refusal_page};
use crate::provider::sandbox::contract::{BodyShape, ContractField, FieldKind, Route, form_fields};
use crate::provider::sandbox::interface::answer_interface_request;
use crate::provider::sandbox::store::{Refusal, SandboxState};
use crate::provider::wire::varying_segment;

const ANSWER_BYTES: usize = 200_000;
const WAIT: Duration = Duration::from_secs(10);

/// All endpoints.
pub(super) async fn list_endpoints_page(Shared(state): Shared<SandboxState>) -> Response {
    let content = html! {
        h1 { "Try an endpoint" }
        p .quiet {
            "From top to bottom these calls tell one story. Each page is filled in with results of the calls before it."
        }
        ul {
            @for route in state.routes() {
                li {
                    a href={ "/sandbox/try/" (route.endpoint.name()) } { (route.endpoint.about()) }
                    " " code { (route.method.as_str()) " /" (route.template) }
                }
            }
        }
    };
    frame_sandbox_page("Try it", 0, &content)
}

/// One endpoint.
pub(super) async fn endpoint_form_page(Shared(state): Shared<SandboxState>, Path(name): Path<String>) -> Response {
    match find_route_by_name(&state, &name) {
        Some(route) => frame_sandbox_page(
            route.endpoint.about(),
            0,
            &render_request_form(route, &Examples::from_state(&state), &[], None),
        ),
        None => sandbox_refusal_page(&Refusal::unknown("no such endpoint")),
    }
}

/// Calls one endpoint and shows the answer.
pub(super) async fn call_endpoint_page(
    Shared(state): Shared<SandboxState>,
    Path(name): Path<String>,
    Form(fields): Fields,
) -> Response {
    let Some(route) = find_route_by_name(&state, &name) else {
        return sandbox_refusal_page(&Refusal::unknown("no such endpoint"));
    };
    let answer = match build_form_request(&state, route, &fields) {
        Ok(request) => match tokio::time::timeout(WAIT, answer_interface_request(Shared(state.clone()), request)).await
        {
            Ok(answered) => as_text(answered).await,
            Err(_) => "no answer within 10 seconds".to_owned(),
        },
        Err(problem) => problem,
    };
    frame_sandbox_page(
        route.endpoint.about(),
        0,
        &render_request_form(route, &Examples::from_state(&state), &fields, Some(&answer)),
    )
}

fn find_route_by_name<'a>(state: &'a SandboxState, name: &str) -> Option<&'a Route> {
    state.routes().iter().find(|route| route.endpoint.name() == name)
}

/// The fields of a request, each with its place; both forms of a body that has two.
fn placed_request_fields(route: &Route) -> Vec<(&'static str, &ContractField)> {
    let mut all: Vec<(&str, &ContractField)> = route.path.iter().map(|field| ("path", field)).collect();
    all.extend(route.query.iter().map(|field| ("query", field)));
    let body: Vec<&ContractField> = match &route.body {
        BodyShape::None => Vec::new(),
        BodyShape::Fields(fields) => fields.iter().collect(),
        BodyShape::ByField { with, without, .. } => {
            let more = with.iter().filter(|field| !without.iter().any(|other| other.name == field.name));
            without.iter().chain(more).collect()
        }
    };
    all.extend(body.into_iter().map(|field| ("body", field)));
    all
}

/// The fields with examples, or with what was entered before. A secret that was entered is not shown again.
fn render_request_form(
    route: &Route,
    examples: &Examples<'_>,
    given: &[(String, String)],
    answer: Option<&str>,
) -> Markup {
    let shown = |one: &ContractField, name: &str| match given.is_empty() || one.holds_secret() {
        true => examples.value(route.endpoint, one),
        false => form_field_text(given, name).to_owned(),
    };
    html! {
        h1 { (route.endpoint.about()) }
        p { code { (route.method.as_str()) " /" (route.template) } }
        form .long method="post" {
            @for (place, one) in placed_request_fields(route) {
                @let name = format!("{place}.{}", one.name);
                label for=(name) {
                    (one.name) @if !one.required { " " small { "optional" } }
                    br; small { (place) ", " (one.about) }
                }
                input .secret[one.secret] #(name) name=(name) value=(shown(one, &name)) autocomplete="off";
            }
            button { "Send" }
        }
        @if let Some(answer) = answer { h2 { "Answer" } pre { (answer) } }
    }
}

fn build_form_request(
    state: &SandboxState,
    route: &Route,
    given: &[(String, String)],
) -> Result<Request<Body>, String> {
    let text = |place: &str, name: &str| form_field_text(given, &format!("{place}.{name}"));
    let mut url = reqwest::Url::parse("http://sandbox").map_err(|_| "no address".to_owned())?;
    {
        let mut segments = url.path_segments_mut().map_err(|()| "no address".to_owned())?;
        segments.pop_if_empty();
        segments.extend(route.template.split('/').map(|part| match varying_segment(part) {
            Some((before, name, behind)) => format!("{before}{}{behind}", text("path", name)),
            None => part.to_owned(),
        }));
    }
    for one in route.query.iter().filter(|one| !text("query", &one.name).is_empty()) {
        url.query_pairs_mut().append_pair(&one.name, text("query", &one.name));
    }
    let body = match &route.body {
        BodyShape::None => Body::empty(),
        shape => {
            let has = |name: &str| !text("body", name).is_empty();
            let fields = form_fields(shape, has);
            let all = fields.iter().filter(|one| has(&one.name));
            let object: Map<String, Value> =
                all.map(|one| (one.name.clone(), form_text_as_value(&one.kind, text("body", &one.name)))).collect();
            Body::from(Value::Object(object).to_string())
        }
    };
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    Request::builder()
        .method(route.method.as_str())
        .uri(path)
        .header(header::AUTHORIZATION, format!("Bearer {}", state.config().token.expose()))
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/json")
        .body(body)
        .map_err(|_| "these fields do not form a valid request".to_owned())
}

/// A text from a form as a value of the field's type. Any other text is sent as it is, for the endpoint to refuse.
fn form_text_as_value(kind: &FieldKind, text: &str) -> Value {
    match kind {
        FieldKind::Text { .. } | FieldKind::OneOf(_) | FieldKind::TextOrWhole => Value::from(text),
        _ => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    }
}

/// An answer as the page shows it.
async fn as_text(answered: Answered<Body>) -> String {
    let (parts, body) = answered.into_parts();
    let mut text = format!("HTTP {}\n", parts.status);
    for (name, value) in &parts.headers {
        text.push_str(&format!("{name}: {}\n", value.to_str().unwrap_or_default()));
    }
    text.push('\n');
    match tokio::time::timeout(WAIT, to_bytes(body, ANSWER_BYTES)).await {
        Ok(Ok(bytes)) => match serde_json::from_slice::<Value>(&bytes) {
            Ok(value) => text.push_str(&serde_json::to_string_pretty(&value).unwrap_or_default()),
            Err(_) => text.push_str(&String::from_utf8_lossy(&bytes)),
        },
        Ok(Err(_)) => text.push_str("[broken off, or longer than 200 kB]"),
        Err(_) => text.push_str("[not complete within 10 seconds]"),
    }
    text
}
