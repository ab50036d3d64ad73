//! Batches: an application a line in, a decision a line out, in order, while the rest still comes. A line that cannot
//! be decided is answered by its problem. Memory holds only the lines that are being decided.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};

use super::answers::answer_application;
use super::application::ApiApplication;
use super::pipeline::Api;
use super::problem::Problem;
use super::route::Route;
use crate::lender::hosted::Peer;
use crate::run::decision_pool;

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

/// The answers to a batch.
pub(super) fn answer_batch(
    api: Api,
    body: Body,
    peer: Option<Peer>,
    bounds: BatchBounds,
    request_id: String,
) -> impl Stream<Item = Result<Vec<u8>, Infallible>> + Send + 'static {
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
    let request_id = Arc::<str>::from(request_id);
    let answers = lines.map(move |line| answer_line(api.clone(), line, Arc::clone(&request_id))).buffered(at_once);
    answers.map(move |bytes| {
        // An answer ends the patience of the connection with the rest of the body: this one goes on.
        peer.as_ref().inspect(|peer| peer.headers_arrived());
        Ok(bytes)
    })
}

async fn answer_line(api: Api, line: BatchLine, request_id: Arc<str>) -> Vec<u8> {
    let answered = match line {
        BatchLine::Fault(problem) => Err(problem),
        BatchLine::Whole(number, bytes) => decide_line(&api, bytes).await.map_err(|problem| problem.in_line(number)),
    };
    answered.unwrap_or_else(|problem| format!("{}\n", problem.as_json(&request_id)).into_bytes())
}

async fn decide_line(api: &Api, line: Bytes) -> Result<Vec<u8>, Problem> {
    loop {
        let (shared, line) = (api.clone(), line.clone());
        let worked = api.workers().run(move || {
            let application = ApiApplication::from_json(&line)?;
            answer_application(Route::Batches, &shared.policies(), shared.columns(), application)
        });
        match worked.await {
            // A batch takes the places that are left; it is never refused for want of one.
            Err(decision_pool::Error::Busy { .. }) => tokio::time::sleep(PAUSE).await,
            Err(error) => return Err(error.into()),
            Ok(answered) => {
                let answer = answered?;
                api.count_outcome(answer.outcome);
                return Ok(answer.bytes);
            }
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
