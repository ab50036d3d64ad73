//! What a request's headers say about JSON: whether it is sent, and whether it is accepted. Knows nothing of endpoints.

use axum::http::{HeaderMap, header};

/// Whether the content type is JSON, even if there is no body.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// Whether the caller accepts JSON: by its name, by a range that includes it, or by `*/*`. The most exact match counts,
/// and a weight of zero refuses. Without the header JSON is not accepted.
pub(crate) fn accepts_json(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges = lines.flat_map(|line| line.split(','));
    ranges.filter_map(exactness_of_json_range).max().is_some_and(|(_, is_wanted)| is_wanted)
}

/// How exactly a range matches JSON, and whether it is wanted; `None` if it does not match.
fn exactness_of_json_range(range: &str) -> Option<(u8, bool)> {
    let mut parts = range.split(';').map(str::trim);
    let exactness = match parts.next()?.to_ascii_lowercase().as_str() {
        "application/json" => 3,
        "application/*" => 2,
        "*/*" => 1,
        _ => return None,
    };
    let mut weights =
        parts.filter_map(|part| part.split_once('=')).filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    let is_zero =
        weights.next().is_some_and(|(_, weight)| weight.trim().parse::<f32>().is_ok_and(|weight| weight == 0.0));
    Some((exactness, !is_zero))
}
