//! Reads a request's body within bounds of size and time. Knows nothing of its content.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;

use super::answer::Failure;

/// Reads a whole body of at most `bytes_max` bytes, within `allowed`.
pub(super) async fn read_body(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    allowed: Duration,
) -> Result<Vec<u8>, Failure> {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > bytes_max as u64) {
        return Err(Failure::BodyTooLong);
    }
    let read = async {
        let mut bytes = Vec::new();
        let mut pieces = body.into_data_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| Failure::BodyBroken)?;
            if bytes.len() + piece.len() > bytes_max {
                return Err(Failure::BodyTooLong);
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    };
    tokio::time::timeout(allowed, read).await.unwrap_or(Err(Failure::BodyTooSlow))
}

/// Whether a body is JSON by its content type.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}
