//! What the headers of a request say about JSON: whether it is sent, whether it is taken. Knows nothing of endpoints.

use axum::http::{HeaderMap, header};

/// Whether the body, or what would be one, is named JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// Whether the caller says that it takes JSON: by its name, by a range that it is in, or by `*/*`. Of several that fit the most exact
/// one holds, and a weight of zero refuses. Who says nothing has not said so.
pub(crate) fn accepts_json(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges = lines.flat_map(|line| line.split(','));
    ranges.filter_map(exactness).max().is_some_and(|(_, is_wanted)| is_wanted)
}

/// How exactly a range means JSON, and whether it is wanted; nothing where JSON is not in it.
fn exactness(range: &str) -> Option<(u8, bool)> {
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
