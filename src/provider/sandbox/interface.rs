//! One request of the interface: finds its endpoint, checks its token, applies its fault, and records the exchange.
//! Knows nothing of sockets, nor of what an endpoint does.

use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Query, Request, State as Shared};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header, request::Parts};

use super::connection::Peer;
use super::contract::{Accept, RefusalShape, Route, find_route_of_path, read_route_request};
use super::corrupt::{corrupt_answer, reset_connection};
use super::endpoints::{EndpointAnswer, EndpointRequest, carry_out, refusal_answer};
use super::faults::Fault;
use super::headers::{accepts_json, is_json};
use super::redact;
use super::store::{Refusal, SandboxState, Seen};

/// The largest body that is read.
const BODY_BYTES: usize = 1_000_000;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Shown in place of an answer that was not sent.
const RESET: &str = "[the connection was reset]";

/// A call as it came, with its endpoint.
struct Call<'a> {
    route: &'a Route,
    path: Vec<(String, String)>,
    parts: Parts,
    pairs: Vec<(String, String)>,
    body: Bytes,
}

/// Answers any request that is not for one of the sandbox's own pages.
pub(crate) async fn answer_interface_request(Shared(state): Shared<SandboxState>, request: Request) -> Response<Body> {
    let from = Instant::now();
    let (parts, body) = request.into_parts();
    let peer = parts.extensions.get::<ConnectInfo<Peer>>().map(|info| info.0.clone());
    let mut seen = Seen { method: parts.method.to_string(), path: parts.uri.path().to_owned(), ..Seen::default() };
    let Some((route, path)) = find_route_of_path(state.routes(), parts.method.as_str(), parts.uri.path()) else {
        let none = plain_refusal_answer(&Refusal::unknown("no such endpoint in the sandbox"));
        return record_and_respond(&state, seen, from, none);
    };
    seen.endpoint = route.endpoint.name().to_owned();
    if route.method.as_str() != parts.method.as_str() {
        let method = route.method.as_str();
        let words = Refusal { status: 405, message: format!("this endpoint takes {method}") };
        let wrong =
            EndpointAnswer { header: Some(("allow", method.to_owned())), ..refusal_answer(&route.refusal, &words) };
        return record_and_respond(&state, seen, from, wrong);
    }
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).map(|query| query.0).unwrap_or_default();
    let body = to_bytes(body, BODY_BYTES).await;
    if let Some(peer) = &peer {
        peer.has_arrived();
    }
    let Ok(body) = body else {
        let words = Refusal { status: 413, message: "the body is larger than 1 MB, or broke off".to_owned() };
        return record_and_respond(&state, seen, from, refusal_answer(&route.refusal, &words));
    };
    let shown = redact::redact_query(route, &pairs);
    if !shown.is_empty() {
        seen.path = format!("{}?{shown}", seen.path);
    }
    seen.request = redact::redact_request_body(route, &body);
    let call = Call { route, path, parts, pairs, body };
    if let Some(refusal) = refuse_wrong_token(&state, &call) {
        return record_and_respond(&state, seen, from, refusal);
    }
    let faults = state.faults();
    let fault = faults.for_endpoint(route.endpoint);
    match fault.filter(|_| state.counters().affects(route.endpoint, fault)) {
        None => {
            let answer = run_endpoint_call(&state, &call).await;
            record_and_respond(&state, seen, from, answer)
        }
        Some(fault) => {
            seen.fault = fault.in_words();
            run_with_fault(fault, &state, &call, peer.as_ref(), (seen, from)).await
        }
    }
}

/// Carries a call out under its fault.
async fn run_with_fault(
    fault: &Fault,
    state: &SandboxState,
    call: &Call<'_>,
    peer: Option<&Peer>,
    (mut seen, from): (Seen, Instant),
) -> Response<Body> {
    let latency = Duration::from_millis(fault.latency_ms);
    if !fault.after_commit {
        tokio::time::sleep(latency).await;
    }
    if fault.reset_before {
        RESET.clone_into(&mut seen.response);
        record_exchange(state, seen, from, None);
        return reset_connection(Response::new(Body::empty()), peer);
    }
    let is_in_place = fault.answers() && !fault.after_commit;
    if fault.duplicate && !is_in_place {
        run_endpoint_call(state, call).await;
    }
    let done = match is_in_place {
        true => None,
        false => Some(run_endpoint_call(state, call).await),
    };
    let answer = done.filter(|_| !fault.answers()).unwrap_or_else(|| own_answer(fault, call.route));
    let answer = with_wrong_status(fault, call.route, answer);
    let is_lost = fault.lost_after_commit && !is_in_place;
    let status = (!is_lost).then_some(answer.status);
    let body = answer.body.clone();
    let corrupted = corrupt_answer(fault, http_response_of(answer), body);
    seen.response = if is_lost { RESET.to_owned() } else { corrupted.shown };
    record_exchange(state, seen, from, status);
    if fault.after_commit {
        // The work is done and recorded, even if the caller is gone when this ends.
        tokio::time::sleep(latency).await;
    }
    match is_lost {
        true => reset_connection(corrupted.response, peer),
        false => with_retry_after(corrupted.response, fault),
    }
}

async fn run_endpoint_call(state: &SandboxState, call: &Call<'_>) -> EndpointAnswer {
    let route = call.route;
    let refuse =
        |status: u16, words: &str| refusal_answer(&route.refusal, &Refusal { status, message: words.to_owned() });
    if route.is_typed() && !is_json(&call.parts.headers) {
        return refuse(415, "the content type is not application/json");
    }
    let given = match read_route_request(route, call.path.clone(), &call.pairs, &call.body) {
        Ok(given) => given,
        Err(problem) => return refuse(400, &problem.0),
    };
    let is_accept_shown = match route.accept {
        Accept::NotShown => false,
        Accept::Shown => true,
        Accept::ShownWith(field) => given.has(field),
    };
    if is_accept_shown && !accepts_json(&call.parts.headers) {
        return refuse(406, "the header `accept` is missing, or does not allow application/json");
    }
    let raw_query = call.parts.uri.query().unwrap_or_default();
    carry_out(state, route, &EndpointRequest { given: &given, pairs: &call.pairs, raw_query }).await
}

fn refuse_wrong_token(state: &SandboxState, call: &Call<'_>) -> Option<EndpointAnswer> {
    let given = call.parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = given.and_then(|text| text.strip_prefix("Bearer "));
    if !call.route.bearer || token.is_some_and(|token| state.config().token.matches(token)) {
        return None;
    }
    let words = Refusal { status: 401, message: "the access token is missing or wrong".to_owned() };
    let shape = match &call.route.refusal {
        // The token is checked before the request is read.
        RefusalShape::Envelope => plain_refusal_answer(&words),
        shape => refusal_answer(shape, &words),
    };
    Some(EndpointAnswer { header: Some(("www-authenticate", "Bearer".to_owned())), ..shape })
}

/// A refusal that belongs to no endpoint.
fn plain_refusal_answer(words: &Refusal) -> EndpointAnswer {
    refusal_answer(&RefusalShape::lending(), words)
}

fn own_answer(fault: &Fault, route: &Route) -> EndpointAnswer {
    let header = fault.redirect_to.clone().map(|address| ("location", address));
    EndpointAnswer { status: fault.own_status(), header, ..requested_fault_answer(route) }
}

/// Replaces an answer by the endpoint's own refusal under status 200, or under the status that the fault sets.
fn with_wrong_status(fault: &Fault, route: &Route, answer: EndpointAnswer) -> EndpointAnswer {
    match (fault.wrong_status, fault.answers()) {
        (false, _) => answer,
        (true, is_own) => {
            let status = if is_own { answer.status } else { 200 };
            EndpointAnswer { status, header: answer.header, ..requested_fault_answer(route) }
        }
    }
}

fn requested_fault_answer(route: &Route) -> EndpointAnswer {
    refusal_answer(&route.refusal, &Refusal { status: 500, message: "a fault on request".to_owned() })
}

fn with_retry_after(mut response: Response<Body>, fault: &Fault) -> Response<Body> {
    if let Some(seconds) = fault.retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Records the exchange and turns the answer into HTTP.
fn record_and_respond(state: &SandboxState, mut seen: Seen, from: Instant, answer: EndpointAnswer) -> Response<Body> {
    seen.response = redact::excerpt_of_answer(&answer.body);
    record_exchange(state, seen, from, Some(answer.status));
    http_response_of(answer)
}

fn record_exchange(state: &SandboxState, seen: Seen, from: Instant, status: Option<u16>) {
    let took_us = u64::try_from(from.elapsed().as_micros()).unwrap_or(u64::MAX);
    state.note_exchange(Seen { status, took_us, ..seen });
}

fn http_response_of(answer: EndpointAnswer) -> Response<Body> {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    if let Some((name, value)) = answer.header
        && let Ok(value) = HeaderValue::from_str(&value)
    {
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
    response
}
