//! Batches: an application a line in, a decision a line out, in order, while the rest still comes. A line that cannot
//! be decided is answered by its problem. Memory holds only the lines that are being decided.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};

use super::application::{BodyKind, ReceivedApplication};
use super::pipeline::Api;
use super::problem::Problem;
use super::route::Route;
use crate::lender::hosted::Peer;

/// How long a line waits before it asks again for a place in the queue.
const PAUSE: Duration = Duration::from_millis(5);

/// A line of a batch.
enum BatchLine {
    Whole(u64, Bytes),
    Fault(Problem),
}

/// The bounds of a batch.
pub(super) struct BatchBounds {
    /// The longest line.
    pub line_bytes_max: usize,
    /// How long the next bytes may take.
    pub allowed: Duration,
    /// How many lines are decided at once.
    pub at_once: usize,
}

/// Cuts a body into lines as it comes.
struct LineReader {
    pieces: BodyDataStream,
    buffer: BytesMut,
    /// How much of the buffer has no end of a line.
    scanned: usize,
    number: u64,
    /// Whether the line is too long, so that its rest is not kept.
    is_skipping: bool,
    has_ended: bool,
    bounds: BatchBounds,
    peer: Option<Peer>,
}

/// Who sends a batch.
pub(super) struct BatchSender {
    /// The name of the caller's key; empty without keys.
    pub caller: Arc<str>,
    pub request_id: Arc<str>,
    pub peer: Option<Peer>,
}

/// The answers to a batch.
pub(super) fn answer_batch(
    api: Api,
    body: Body,
    sender: BatchSender,
    bounds: BatchBounds,
) -> impl Stream<Item = Result<Vec<u8>, Infallible>> + Send + 'static {
    let BatchSender { caller, request_id, peer } = sender;
    let at_once = bounds.at_once;
    let reader = LineReader {
        pieces: body.into_data_stream(),
        buffer: BytesMut::new(),
        scanned: 0,
        number: 0,
        is_skipping: false,
        has_ended: false,
        bounds,
        peer: peer.clone(),
    };
    let lines = stream::unfold(reader, |mut reader| async move { Some((reader.next_line().await?, reader)) });
    let answers = lines.map(move |line| {
        let (api, caller, request_id) = (api.clone(), Arc::clone(&caller), Arc::clone(&request_id));
        async move { answer_line(&api, line, caller, &request_id).await }
    });
    answers.buffered(at_once).map(move |bytes| {
        // An answer ends the patience of the connection with the rest of the body: this one goes on.
        peer.as_ref().inspect(|peer| peer.headers_arrived());
        Ok(bytes)
    })
}

async fn answer_line(api: &Api, line: BatchLine, caller: Arc<str>, request_id: &str) -> Vec<u8> {
    let answered = match line {
        BatchLine::Fault(problem) => Err(problem),
        BatchLine::Whole(number, bytes) => {
            decide_line(api, bytes, caller).await.map_err(|problem| problem.in_line(number))
        }
    };
    answered.unwrap_or_else(|problem| format!("{}\n", problem.as_json(request_id)).into_bytes())
}

async fn decide_line(api: &Api, line: Bytes, caller: Arc<str>) -> Result<Vec<u8>, Problem> {
    let (route, kind, query) = (Route::Batches, BodyKind::Application, Arc::from(""));
    let received = ReceivedApplication { route, kind, body: line, query, caller, mark: None, pulled: None };
    loop {
        match api.answer_received(received.clone()).await {
            // A batch takes the places that are left; it is never refused for want of one.
            Err(problem) if problem.is_busy() => tokio::time::sleep(PAUSE).await,
            answered => return answered.map(|answer| answer.bytes),
        }
    }
}

impl LineReader {
    /// The next line that is not blank.
    async fn next_line(&mut self) -> Option<BatchLine> {
        loop {
            let found = memchr::memchr(b'\n', self.buffer.get(self.scanned..).unwrap_or_default());
            let end = match found {
                Some(at) => Some(self.scanned + at + 1),
                None => (self.has_ended && (self.is_skipping || !self.buffer.is_empty())).then_some(self.buffer.len()),
            };
            if let Some(end) = end {
                match self.take_line(end) {
                    Some(line) => return Some(line),
                    None => continue,
                }
            }
            if self.has_ended {
                return None;
            }
            self.scanned = self.buffer.len();
            if self.scanned > self.bounds.line_bytes_max {
                self.is_skipping = true;
                self.buffer.clear();
                self.scanned = 0;
            }
            if let Some(problem) = self.read_piece().await {
                return Some(BatchLine::Fault(problem));
            }
        }
    }

    /// The line up to `end`; `None` if it is blank.
    fn take_line(&mut self, end: usize) -> Option<BatchLine> {
        // The rest stays where it is: a body of short lines would be copied once for each.
        let line = self.buffer.split_to(end).freeze();
        self.scanned = 0;
        self.number += 1;
        if std::mem::take(&mut self.is_skipping) || line.len() > self.bounds.line_bytes_max {
            let problem = Problem::from(crate::lender::hosted::BodyFault::TooLong);
            return Some(BatchLine::Fault(problem.in_line(self.number)));
        }
        (!line.trim_ascii().is_empty()).then_some(BatchLine::Whole(self.number, line))
    }

    /// Takes the next piece of the body, or says why there is none.
    async fn read_piece(&mut self) -> Option<Problem> {
        use crate::lender::hosted::BodyFault;
        let piece = tokio::time::timeout(self.bounds.allowed, self.pieces.next()).await;
        self.peer.as_ref().inspect(|peer| peer.headers_arrived());
        let fault = match piece {
            Ok(Some(Ok(piece))) => {
                self.buffer.extend_from_slice(&piece);
                return None;
            }
            Ok(None) => {
                self.has_ended = true;
                return None;
            }
            Ok(Some(Err(_))) => BodyFault::Broken,
            Err(_) => BodyFault::TooSlow,
        };
        self.has_ended = true;
        self.is_skipping = false;
        self.buffer.clear();
        self.scanned = 0;
        Some(Problem::from(fault).in_line(self.number + 1))
    }
}
