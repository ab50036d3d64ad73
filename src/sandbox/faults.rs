//! Faults on request: what an endpoint does wrong, how often, and how. Knows nothing of what the endpoint means.

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use flate2::{Compression, write::GzEncoder};
use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;

use super::connection::Peer;

/// The faults of each endpoint; nothing where there is no table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// E1.
    pub get_offers: Option<Fault>,
    /// E2.
    pub transaction_records: Option<Fault>,
    /// E3.
    pub send_offers: Option<Fault>,
}

/// What goes wrong with an endpoint's answers. Several faults may be combined. A `status` answers in place of the
/// endpoint, which then does nothing; all others damage the answer after the endpoint has done its work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fault {
    /// How many first calls are affected; all where it is not given.
    pub times: Option<u32>,
    /// Waits before answering.
    pub latency_ms: u64,
    /// Answers with this HTTP status.
    pub status: Option<u16>,
    /// The `Retry-After` beside `status`, in seconds.
    pub retry_after_s: Option<u64>,
    /// Answers with a body of another kind.
    pub body: Option<FaultBody>,
    /// Answers with an envelope and response code that do not say success, under HTTP status 200.
    pub wrong_status: bool,
    /// Puts that many megabytes of spaces before the answer.
    pub oversize_mb: u64,
    /// The same, compressed to about a thousandth.
    pub gzip_bomb_mb: u64,
    /// Breaks off after this many bytes, though the whole length was announced.
    pub truncate_at: Option<usize>,
    /// Resets the connection in place of the answer.
    pub reset: bool,
    /// Sends that many bytes a second.
    pub drip_bytes_per_second: Option<u64>,
}

/// A body that is not the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultBody {
    /// A web page.
    Html,
    /// Nothing.
    Empty,
    /// The answer with its second half scrambled.
    Garbled,
}

/// How many calls each endpoint has had.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub get_offers: AtomicU32,
    pub transaction_records: AtomicU32,
    pub send_offers: AtomicU32,
}

const MEGABYTE: usize = 1_000_000;
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Runs an endpoint under its fault.
pub(crate) async fn apply(fault: Option<&Fault>, calls: &AtomicU32, request: Request, next: Next) -> Response<Body> {
    let earlier = calls.fetch_add(1, Ordering::Relaxed);
    let Some(fault) = fault.filter(|fault| fault.times.is_none_or(|times| earlier < times)) else {
        return next.run(request).await;
    };
    tokio::time::sleep(Duration::from_millis(fault.latency_ms)).await;
    if let Some(status) = fault.status {
        return refused(status, fault.retry_after_s);
    }
    let peer = request.extensions().get::<ConnectInfo<Peer>>().map(|info| info.0.clone());
    let response = next.run(request).await;
    if fault.reset {
        return reset(response, peer);
    }
    let (mut parts, body) = response.into_parts();
    let answer = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let answer = replaced(fault, answer, &mut parts.headers);
    let body = if fault.gzip_bomb_mb > 0 {
        parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        parts.headers.remove(header::CONTENT_LENGTH);
        bomb(fault.gzip_bomb_mb, answer)
    } else if fault.oversize_mb > 0 {
        parts.headers.remove(header::CONTENT_LENGTH);
        let spaces = Bytes::from(vec![b' '; MEGABYTE]);
        let count = usize::try_from(fault.oversize_mb).unwrap_or(usize::MAX);
        Body::from_stream(
            stream::repeat(spaces).take(count).chain(stream::once(async { answer })).map(Ok::<_, std::io::Error>),
        )
    } else {
        parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(answer.len()));
        slow_or_short(fault, answer)
    };
    Response::from_parts(parts, body)
}

fn refused(status: u16, retry_after_s: Option<u64>) -> Response<Body> {
    let mut response = Response::new(Body::from(r#"{"responseCode":"S500","responseMessage":"a fault on request"}"#));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    if let Some(seconds) = retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn reset(response: Response<Body>, peer: Option<Peer>) -> Response<Body> {
    match peer {
        Some(peer) => {
            peer.reset();
            response
        }
        // Without a socket of ours, a body that breaks is the nearest.
        None => response.map(|_| Body::from_stream(broken(Bytes::new()))),
    }
}

fn replaced(fault: &Fault, answer: Bytes, headers: &mut axum::http::HeaderMap) -> Bytes {
    if fault.wrong_status {
        return Bytes::from_static(
            br#"{"_id":"","status":"failed","message":"a fault on request","data":null,"responseCode":"S500","responseMessage":"a fault on request"}"#,
        );
    }
    match fault.body {
        None => answer,
        Some(FaultBody::Empty) => Bytes::new(),
        Some(FaultBody::Html) => {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
            Bytes::from_static(b"<html><body>The service is being maintained.</body></html>")
        }
        Some(FaultBody::Garbled) => {
            let half = answer.len() / 2;
            answer.iter().enumerate().map(|(at, byte)| if at < half { *byte } else { byte ^ 0x15 }).collect()
        }
    }
}

fn slow_or_short(fault: &Fault, answer: Bytes) -> Body {
    let short = fault.truncate_at.map(|at| answer.slice(..at.min(answer.len())));
    match (fault.drip_bytes_per_second, short) {
        (None, None) => Body::from(answer),
        (None, Some(short)) => Body::from_stream(broken(short)),
        (Some(rate), None) => Body::from_stream(drip(answer, rate)),
        (Some(rate), Some(short)) => Body::from_stream(drip(short, rate).chain(broken(Bytes::new()))),
    }
}

/// Some bytes, then an error, at which the server closes the connection.
fn broken(bytes: Bytes) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
    let end = stream::once(async {
        // What was written must have left before the connection goes.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Err(std::io::ErrorKind::BrokenPipe.into())
    });
    stream::once(async move { Ok(bytes) }).chain(end)
}

fn drip(bytes: Bytes, rate: u64) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
    // At most twenty pieces a second, at least a byte each.
    let piece = usize::try_from(rate / 20).unwrap_or(usize::MAX).max(1);
    let wait = Duration::from_secs_f64(piece as f64 / rate.max(1) as f64);
    Box::pin(stream::unfold(bytes, move |mut rest| async move {
        if rest.is_empty() {
            return None;
        }
        let next = rest.split_to(piece.min(rest.len()));
        tokio::time::sleep(wait).await;
        Some((Ok(next), rest))
    }))
}

/// Compressed piece by piece while it is sent, so that the sandbox needs no memory for it. One gzip member: many
/// clients read only the first of several.
fn bomb(megabytes: u64, answer: Bytes) -> Body {
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let spaces = Bytes::from(vec![b' '; MEGABYTE]);
    let pieces = stream::unfold((Some(encoder), megabytes), move |(encoder, left)| {
        let next = squeeze(encoder, left, &spaces, &answer);
        async move { next }
    });
    Body::from_stream(Box::pin(pieces))
}

type Squeezed = (std::io::Result<Bytes>, (Option<GzEncoder<Vec<u8>>>, u64));

/// The next compressed piece: spaces while there are some left, then the answer and the end.
fn squeeze(encoder: Option<GzEncoder<Vec<u8>>>, left: u64, spaces: &[u8], answer: &[u8]) -> Option<Squeezed> {
    let mut encoder = encoder?;
    if left == 0 {
        let end = encoder.write_all(answer).and_then(|()| encoder.finish());
        return Some((end.map(Bytes::from), (None, 0)));
    }
    let written = encoder.write_all(spaces);
    let piece = std::mem::take(encoder.get_mut());
    Some((written.map(|()| Bytes::from(piece)), (Some(encoder), left - 1)))
}
