//! The sandbox's own pages, beside the interface: its state for people and for scripts, and forms for the actions of a
//! customer or a tester. They need no token, so only this machine's browser may use them. Knows nothing of what an
//! endpoint does.

mod actions;
mod attempt;
mod bill;
mod examples;
mod frame;
mod home;

use axum::extract::{ConnectInfo, Query, Request, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;

use super::connection::Peer;
use super::openapi;
use super::store::{Newest, State};
use crate::provider::tls::is_host_this_machine;

/// How many entries a list for scripts has by default.
const LISTED: usize = 500;

/// All pages below `/sandbox`, and `/openapi.json`.
pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/", get(home::show))
        .route("/sandbox", get(home::show))
        .route("/sandbox/style.css", get(frame::style))
        .route("/sandbox/live.js", get(frame::script))
        .route("/sandbox/version", get(|Shared(state): Shared<State>| async move { state.version().to_string() }))
        .route("/sandbox/try", get(attempt::list))
        .route("/sandbox/try/{endpoint}", get(attempt::show).post(attempt::send))
        .route("/sandbox/pay/{reference}", get(bill::show).post(bill::pay))
        .route("/sandbox/pay/{reference}/now", get(bill::pay_now))
        .route("/sandbox/repay", post(actions::repay))
        .route("/sandbox/status", post(actions::ask_status))
        .route("/sandbox/again", post(actions::repeat))
        .route("/sandbox/release", post(actions::release))
        .route("/sandbox/fault", post(actions::set_fault))
        .route("/sandbox/faults", post(actions::set_faults))
        .route("/openapi.json", get(|Shared(state): Shared<State>| async move { document(&state) }))
        .route("/sandbox/people", get(|Shared(state): Shared<State>| async move { Json(state.people().to_vec()) }))
        .route("/sandbox/requests", list(State::newest_requests))
        .route("/sandbox/received", list(State::newest_received))
        .route("/sandbox/loans", list(State::newest_loans))
        .route("/sandbox/transactions", list(State::newest_transactions))
        .route("/sandbox/messages", list(State::newest_messages))
        .route("/sandbox/bills", list(State::newest_bills))
        .route("/sandbox/iqrs", list(State::newest_iqrs))
        .route("/sandbox/callbacks", list(State::newest_callbacks))
        .route("/sandbox/exchanges", list(State::newest_exchanges))
        .layer(from_fn(guard))
}

/// A list for scripts, as JSON: the newest entries, as many as `last` asks for.
fn list<T: Serialize + Send + 'static>(newest: fn(&State, usize) -> Newest<T>) -> axum::routing::MethodRouter<State> {
    get(move |Shared(state): Shared<State>, Query(fields): Query<Vec<(String, String)>>| async move {
        let most = match actions::field(&fields, "last") {
            "" => Ok(LISTED),
            text => text.parse(),
        };
        match most {
            Ok(most) => Json(newest(&state, most).rows).into_response(),
            Err(_) => (StatusCode::BAD_REQUEST, "`last` is not a whole number").into_response(),
        }
    })
}

fn document(state: &State) -> Response {
    Json(openapi::document(&state.config().settings)).into_response()
}

/// Keeps other web pages out. A foreign page could point a name of its own to this machine, or press the buttons of
/// these pages through the user's browser.
async fn guard(request: Request, next: Next) -> Response {
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<Peer>>() {
        peer.has_arrived();
    }
    let headers = request.headers();
    let host = text(headers, header::HOST.as_str()).or_else(|| request.uri().authority().map(|host| host.as_str()));
    if !host.is_some_and(is_host_this_machine) {
        return refused("these pages are for this machine alone; open them by `127.0.0.1` or `localhost`");
    }
    let does_something = request.method() != axum::http::Method::GET || request.uri().path().ends_with("/now");
    let origin = text(headers, "origin").map(|origin| origin.strip_prefix("http://").unwrap_or(origin));
    let site = text(headers, "sec-fetch-site").unwrap_or("none");
    if does_something && (origin.is_some_and(|origin| Some(origin) != host) || !matches!(site, "none" | "same-origin"))
    {
        return refused("a page from elsewhere cannot press the buttons of these pages");
    }
    next.run(request).await
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn refused(words: &'static str) -> Response {
    (StatusCode::FORBIDDEN, words).into_response()
}
