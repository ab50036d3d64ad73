//! Keeps other web pages out: one could point a name of its own at this machine, or press the buttons of these pages
//! through the user's browser. Knows nothing of the pages.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::frame::render_refusal;
use crate::provider::tls::is_host_this_machine;

/// Lets a request through if it is for this machine, and if a change comes from these pages.
pub(super) async fn guard_request(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host =
        header_text_of(headers, header::HOST.as_str()).or_else(|| request.uri().authority().map(|host| host.as_str()));
    let Some(host) = host.filter(|host| is_host_this_machine(host)) else {
        let why = "these pages are for this machine alone; open them by `127.0.0.1` or `localhost`";
        return render_refusal(StatusCode::FORBIDDEN, why);
    };
    if request.method() != Method::GET && request.method() != Method::HEAD && !is_own(headers, host) {
        return render_refusal(StatusCode::FORBIDDEN, "a page from elsewhere cannot press the buttons of these pages");
    }
    next.run(request).await
}

/// A browser says where a form comes from, by one of two headers at least.
fn is_own(headers: &HeaderMap, host: &str) -> bool {
    let origin = header_text_of(headers, "origin").map(|origin| origin.strip_prefix("http://") == Some(host));
    let site = header_text_of(headers, "sec-fetch-site").map(|site| site == "same-origin");
    (origin.is_some() || site.is_some()) && origin.unwrap_or(true) && site.unwrap_or(true)
}

fn header_text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
