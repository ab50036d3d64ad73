//! What all pages share: the frame, its style, and a script that shows what has changed. Without the script the pages
//! work as well. Nothing is fetched from other hosts. Knows nothing of a page's content.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

const POLICY: HeaderValue = HeaderValue::from_static(concat!(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; ",
    "base-uri 'none'; frame-ancestors 'none'"
));

/// A page.
pub(super) fn render_page(title: &str, content: &Markup) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, frame_html_document(title, content).into_string()).into_response()
}

fn frame_html_document(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="stylesheet" href="/loans/style.css";
                script src="/loans/live.js" defer {}
            }
            body {
                nav aria-label="Pages" {
                    a href="/loans" { "Loans" }
                    form .search method="get" action="/loans" role="search" {
                        label for="find" { "Find" }
                        input #find name="find" size="22" placeholder="number, id or reference";
                        button { "Show" }
                    }
                }
                main #live { (content) }
            }
        }
    }
}

/// A page that says why something was not done.
pub(super) fn render_refusal(status: StatusCode, why: &str) -> Response {
    let content = html! {
        h1 { "Not done" }
        p { (why) }
        p { a href="/loans" { "Back to the loans" } }
    };
    let mut response = render_page("Not done", &content);
    *response.status_mut() = status;
    response
}

/// Redirects the browser.
pub(super) fn redirect_to(address: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, address.to_owned())]).into_response()
}

/// A table that scrolls by itself where the window is narrow.
pub(super) fn render_table(title: &str, columns: &[&str], rows: &[Markup]) -> Markup {
    html! {
        @if !rows.is_empty() {
            div .wide tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr { @for column in columns { th scope="col" { (column) } } } }
                    tbody { @for row in rows { tr { (row) } } }
                }
            }
        }
    }
}

pub(super) async fn serve_style() -> Response {
    ([(header::CONTENT_TYPE, "text/css")], include_str!("style.css")).into_response()
}

pub(super) async fn serve_script() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript")], include_str!("live.js")).into_response()
}
