//! Corrupts an answer: a wrong body, a huge size, an early end, slow bytes. Knows nothing of when a fault applies.

use std::io::Write;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, header};
use flate2::{Compression, write::GzEncoder};
use futures_util::{Stream, StreamExt, stream};

use super::connection::Peer;
use super::faults::{Fault, FaultBody};
use super::redact;

const MEGABYTE: usize = 1_000_000;

/// An answer after its fault.
pub(crate) struct Corrupted {
    pub response: Response<Body>,
    /// What the sandbox's pages show: what is sent, not what the answer would have been.
    pub shown: String,
}

/// Applies a fault to an answer.
pub(crate) fn corrupt_answer(fault: &Fault, response: Response<Body>, answer: Bytes) -> Corrupted {
    let (mut parts, _) = response.into_parts();
    let answer = replace_faulty_body(fault, answer, &mut parts.headers);
    let shown = describe_sent_answer(fault, &answer);
    if let Some(kind) = fault.content_type.as_deref().and_then(|kind| HeaderValue::from_str(kind).ok()) {
        parts.headers.insert(header::CONTENT_TYPE, kind);
    }
    let body = if fault.gzip_bomb_mb > 0 {
        parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        parts.headers.remove(header::CONTENT_LENGTH);
        gzip_bomb_body(fault.gzip_bomb_mb, answer)
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
    Corrupted { response: Response::from_parts(parts, body), shown }
}

fn describe_sent_answer(fault: &Fault, answer: &Bytes) -> String {
    let megabytes = if fault.gzip_bomb_mb > 0 { fault.gzip_bomb_mb } else { fault.oversize_mb };
    let short = fault.truncate_at.filter(|at| megabytes == 0 && *at < answer.len());
    let sent = short.map_or_else(|| answer.clone(), |at| answer.slice(..at));
    let mut text = match fault.body {
        // Garbled bytes cannot be redacted.
        Some(FaultBody::Garbled) => format!("[{} bytes, garbled]", sent.len()),
        None | Some(FaultBody::Html | FaultBody::Empty) => redact::excerpt_of_answer(&sent),
    };
    if megabytes > 0 {
        text = format!("[{megabytes} MB of spaces]\n{text}");
    }
    if short.is_some() {
        text.push_str(&format!("\n[broken off after {} of {} bytes]", sent.len(), answer.len()));
    }
    text
}

/// Resets the connection in place of the answer.
pub(crate) fn reset_connection(response: Response<Body>, peer: Option<&Peer>) -> Response<Body> {
    match peer {
        Some(peer) => {
            peer.reset();
            response
        }
        // Without a socket of ours, a body that breaks off is the nearest thing.
        None => response.map(|_| Body::from_stream(stream_then_break(Bytes::new()))),
    }
}

fn replace_faulty_body(fault: &Fault, answer: Bytes, headers: &mut HeaderMap) -> Bytes {
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
        (None, Some(short)) => Body::from_stream(stream_then_break(short)),
        (Some(rate), None) => Body::from_stream(stream_at_rate(answer, rate)),
        (Some(rate), Some(short)) => {
            Body::from_stream(stream_at_rate(short, rate).chain(stream_then_break(Bytes::new())))
        }
    }
}

/// Sends some bytes, then fails, so that the server closes the connection.
fn stream_then_break(bytes: Bytes) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
    let end = stream::once(async {
        // Lets the written bytes leave before the connection closes.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Err(std::io::ErrorKind::BrokenPipe.into())
    });
    stream::once(async move { Ok(bytes) }).chain(end)
}

fn stream_at_rate(bytes: Bytes, rate: u64) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
    // At most 20 pieces per second, of at least one byte each.
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

/// Compresses spaces piece by piece while sending, so that the sandbox needs no memory for them. Makes one gzip member,
/// because many clients read only the first.
fn gzip_bomb_body(megabytes: u64, answer: Bytes) -> Body {
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let spaces = Bytes::from(vec![b' '; MEGABYTE]);
    let pieces = stream::unfold((Some(encoder), megabytes), move |(encoder, left)| {
        let next = next_compressed_piece(encoder, left, &spaces, &answer);
        async move { next }
    });
    Body::from_stream(Box::pin(pieces))
}

type Squeezed = (std::io::Result<Bytes>, (Option<GzEncoder<Vec<u8>>>, u64));

/// The next compressed piece: spaces while any are left, then the answer and the end of the stream.
fn next_compressed_piece(
    encoder: Option<GzEncoder<Vec<u8>>>,
    left: u64,
    spaces: &[u8],
    answer: &[u8],
) -> Option<Squeezed> {
    let mut encoder = encoder?;
    if left == 0 {
        let end = encoder.write_all(answer).and_then(|()| encoder.finish());
        return Some((end.map(Bytes::from), (None, 0)));
    }
    let written = encoder.write_all(spaces);
    let piece = std::mem::take(encoder.get_mut());
    Some((written.map(|()| Bytes::from(piece)), (Some(encoder), left - 1)))
}
