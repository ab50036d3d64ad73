//! What all pages of the sandbox share: the frame, its style, and the script that polls for changes. Nothing is fetched
//! from other hosts. Knows nothing of a page's content.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::provider::sandbox::store::Refusal;

/// Allows scripts and styles from this address only. A form may lead to other addresses: a bill's page does, after the
/// payment.
const POLICY: HeaderValue = HeaderValue::from_static(concat!(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; ",
    "frame-ancestors 'none'"
));

/// A page. The script replaces `content` when something has changed.
pub(super) fn frame_sandbox_page(title: &str, version: u64, content: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="stylesheet" href="/sandbox/style.css";
                script src="/sandbox/live.js" defer {}
            }
            body data-version=(version) {
                nav {
                    a href="/sandbox" { "Sandbox" } " "
                    a href="/sandbox/try" { "Try it" } " "
                    a href="/openapi.json" { "OpenAPI" }
                }
                main #live { (content) }
            }
        }
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ];
    (headers, page.into_string()).into_response()
}

/// A page that says why something was not done.
pub(super) fn sandbox_refusal_page(refusal: &Refusal) -> Response {
    let content = html! {
        h1 { "Not done" }
        p { (refusal.message) }
        p { a href="/sandbox" { "Back" } }
    };
    let mut response = frame_sandbox_page("Not done", 0, &content);
    *response.status_mut() = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
    response
}

/// Redirects the browser after an action.
pub(super) fn redirect_after_action(address: &str) -> Response {
    match HeaderValue::from_str(address) {
        Ok(address) => (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response(),
        Err(_) => sandbox_refusal_page(&Refusal::bad("the address to redirect to is invalid")),
    }
}

pub(super) async fn serve_sandbox_style() -> Response {
    ([(header::CONTENT_TYPE, "text/css")], include_str!("style.css")).into_response()
}

pub(super) async fn serve_sandbox_script() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript")], include_str!("live.js")).into_response()
}
