//! What a source remembers: answers for a stated time, and how often it failed of late.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::answer::FoundField;
use crate::base::digest::Digest;
use crate::base::time::Timestamp;

/// The most answers that are remembered, and the most bytes of them.
const ANSWERS_MAX: usize = 10_000;
const BYTES_MAX: usize = 64 << 20;

/// Answers by the digests of their questions. They are personal and stay in memory.
#[derive(Default)]
pub(super) struct Answers {
    by_question: HashMap<Digest, Remembered>,
    /// The questions, oldest first; one that was queried again is there twice.
    order: VecDeque<(Instant, Digest)>,
    bytes: usize,
}

#[derive(Clone)]
pub(super) struct Remembered {
    pub(super) fields: Arc<[FoundField]>,
    /// When the source gave it.
    pub(super) at: Timestamp,
    since: Instant,
    bytes: usize,
}

impl Answers {
    /// The answer to a question, if it is not older than this.
    pub(super) fn find(&self, question: &Digest, lifetime: Duration) -> Option<Remembered> {
        self.by_question.get(question).filter(|known| known.since.elapsed() < lifetime).cloned()
    }

    /// Remembers an answer, and forgets those that are older than this, and the oldest for want of room.
    pub(super) fn keep(&mut self, question: Digest, fields: &Arc<[FoundField]>, at: Timestamp, lifetime: Duration) {
        let (since, bytes) = (Instant::now(), fields.iter().map(FoundField::bytes).sum());
        self.forget(&question);
        self.by_question.insert(question, Remembered { fields: Arc::clone(fields), at, since, bytes });
        self.bytes += bytes;
        self.order.push_back((since, question));
        while let Some((since, oldest)) = self.order.front().copied() {
            let is_full = self.by_question.len() > ANSWERS_MAX || self.bytes > BYTES_MAX;
            if !is_full && since.elapsed() < lifetime {
                break;
            }
            self.order.pop_front();
            if self.by_question.get(&oldest).is_some_and(|known| known.since == since) {
                self.forget(&oldest);
            }
        }
    }

    fn forget(&mut self, question: &Digest) {
        if let Some(known) = self.by_question.remove(question) {
            self.bytes -= known.bytes;
        }
    }
}

/// How often a source failed, one after the other. One that keeps failing is not queried for a while; then a single
/// question tries it.
#[derive(Default)]
pub(super) struct Failures {
    in_a_row: u32,
    paused_until: Option<Instant>,
}

impl Failures {
    /// Whether the source may be queried now.
    pub(super) fn admits(&mut self, pause: Duration) -> bool {
        match self.paused_until {
            None => true,
            Some(until) if Instant::now() < until => false,
            // This question tries it; others wait for what it finds.
            Some(_) => {
                self.paused_until = Some(Instant::now() + pause);
                true
            }
        }
    }

    /// Notes what became of a question. Returns whether the source is paused from now on.
    pub(super) fn note(&mut self, has_failed: bool, most: u32, pause: Duration) -> bool {
        if !has_failed {
            *self = Failures::default();
            return false;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        if self.in_a_row < most {
            return false;
        }
        let was_paused = self.paused_until.is_some();
        self.paused_until = Some(Instant::now() + pause);
        !was_paused
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused_until.is_some_and(|until| Instant::now() < until)
    }
}
