//! Reads a request's body within bounds of size and time. Knows nothing of its content.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyFault {
    TooLong,
    TooSlow,
    Broken,
}

/// Reads a whole body of at most `bytes_max` bytes, within `allowed`.
pub(crate) async fn read_body(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    allowed: Duration,
) -> Result<Vec<u8>, BodyFault> {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > bytes_max as u64) {
        return Err(BodyFault::TooLong);
    }
    let read = async {
        let mut bytes = Vec::new();
        let mut pieces = body.into_data_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| BodyFault::Broken)?;
            if bytes.len() + piece.len() > bytes_max {
                return Err(BodyFault::TooLong);
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    };
    tokio::time::timeout(allowed, read).await.unwrap_or(Err(BodyFault::TooSlow))
}

/// Whether a body is JSON by its content type.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}
