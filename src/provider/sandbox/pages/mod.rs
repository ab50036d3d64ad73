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
use super::store::{Newest, SandboxState};
use crate::provider::tls::is_host_this_machine;

/// How many entries a list for scripts has by default.
const LISTED: usize = 500;

/// All pages below `/sandbox`, and `/openapi.json`.
pub(super) fn sandbox_page_routes() -> Router<SandboxState> {
    Router::new()
        .route("/", get(home::show_home_page))
        .route("/sandbox", get(home::show_home_page))
        .route("/sandbox/style.css", get(frame::serve_sandbox_style))
        .route("/sandbox/live.js", get(frame::serve_sandbox_script))
        .route(
            "/sandbox/version",
            get(|Shared(state): Shared<SandboxState>| async move { state.version().to_string() }),
        )
        .route("/sandbox/try", get(attempt::list_endpoints_page))
        .route("/sandbox/try/{endpoint}", get(attempt::endpoint_form_page).post(attempt::call_endpoint_page))
        .route("/sandbox/pay/{reference}", get(bill::show_bill_page).post(bill::pay_bill_action))
        .route("/sandbox/pay/{reference}/now", get(bill::pay_now))
        .route("/sandbox/repay", post(actions::repay_loan_action))
        .route("/sandbox/status", post(actions::ask_status))
        .route("/sandbox/again", post(actions::repeat_callback_action))
        .route("/sandbox/release", post(actions::release_held_callbacks))
        .route("/sandbox/fault", post(actions::set_fault))
        .route("/sandbox/faults", post(actions::set_faults))
        .route(
            "/openapi.json",
            get(|Shared(state): Shared<SandboxState>| async move { serve_openapi_document(&state) }),
        )
        .route(
            "/sandbox/people",
            get(|Shared(state): Shared<SandboxState>| async move { Json(state.people().to_vec()) }),
        )
        .route("/sandbox/requests", serve_newest_as_json(SandboxState::newest_requests))
        .route("/sandbox/received", serve_newest_as_json(SandboxState::newest_received))
        .route("/sandbox/loans", serve_newest_as_json(SandboxState::newest_loans))
        .route("/sandbox/transactions", serve_newest_as_json(SandboxState::newest_transactions))
        .route("/sandbox/messages", serve_newest_as_json(SandboxState::newest_messages))
        .route("/sandbox/bills", serve_newest_as_json(SandboxState::newest_bills))
        .route("/sandbox/iqrs", serve_newest_as_json(SandboxState::newest_iqrs))
        .route("/sandbox/callbacks", serve_newest_as_json(SandboxState::newest_callbacks))
        .route("/sandbox/exchanges", serve_newest_as_json(SandboxState::newest_exchanges))
        .layer(from_fn(refuse_foreign_pages))
}

/// A list for scripts, as JSON: the newest entries, as many as `last` asks for.
fn serve_newest_as_json<T: Serialize + Send + 'static>(
    newest: fn(&SandboxState, usize) -> Newest<T>,
) -> axum::routing::MethodRouter<SandboxState> {
    get(move |Shared(state): Shared<SandboxState>, Query(fields): Query<Vec<(String, String)>>| async move {
        let most = match actions::form_field_text(&fields, "last") {
            "" => Ok(LISTED),
            header_as_text => header_as_text.parse(),
        };
        match most {
            Ok(most) => Json(newest(&state, most).rows).into_response(),
            Err(_) => (StatusCode::BAD_REQUEST, "`last` is not a whole number").into_response(),
        }
    })
}

fn serve_openapi_document(state: &SandboxState) -> Response {
    Json(openapi::sandbox_openapi_document(&state.config().settings)).into_response()
}

/// Keeps other web pages out. A foreign page could point a name of its own to this machine, or press the buttons of
/// these pages through the user's browser.
async fn refuse_foreign_pages(request: Request, next: Next) -> Response {
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<Peer>>() {
        peer.has_arrived();
    }
    let headers = request.headers();
    let host =
        header_as_text(headers, header::HOST.as_str()).or_else(|| request.uri().authority().map(|host| host.as_str()));
    if !host.is_some_and(is_host_this_machine) {
        return forbidden_response("these pages are for this machine alone; open them by `127.0.0.1` or `localhost`");
    }
    let does_something = request.method() != axum::http::Method::GET || request.uri().path().ends_with("/now");
    let origin = header_as_text(headers, "origin").map(|origin| origin.strip_prefix("http://").unwrap_or(origin));
    let site = header_as_text(headers, "sec-fetch-site").unwrap_or("none");
    if does_something && (origin.is_some_and(|origin| Some(origin) != host) || !matches!(site, "none" | "same-origin"))
    {
        return forbidden_response("a page from elsewhere cannot press the buttons of these pages");
    }
    next.run(request).await
}

fn header_as_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn forbidden_response(words: &'static str) -> Response {
    (StatusCode::FORBIDDEN, words).into_response()
}
