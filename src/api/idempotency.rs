//! Idempotency keys: the same key and the same body get the same answer again, for as long as this process keeps it.
//! Bounded in number and in bytes; the oldest goes first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::answers::Answer;
use super::problem::Problem;
use crate::base::digest::Digest;
use crate::decision_book::RequestMark;

/// The header with the key.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// How many answers are kept.
const ANSWERS_MAX: usize = 10_000;
/// How many bytes they may have in all.
const BYTES_MAX: usize = 64 << 20;
/// The longest key.
const KEY_BYTES_MAX: usize = 255;

enum KeptState {
    /// The first request is being answered.
    Running,
    Done(Arc<Answer>),
}

struct KeptAnswer {
    body: Digest,
    state: KeptState,
}

#[derive(Default)]
struct KeptAnswers {
    /// By a digest of caller, path and key, so that callers do not meet.
    by_key: HashMap<[u8; 32], KeptAnswer>,
    /// Those that are done, the oldest first.
    order: VecDeque<[u8; 32]>,
    bytes: usize,
}

/// The answers that are kept. Clones share them.
#[derive(Clone, Default)]
pub(super) struct IdempotentAnswers(Arc<Mutex<KeptAnswers>>);

/// What to do with a request that has a key.
pub(super) enum IdempotentStart {
    /// Answer it, and keep the answer by [`Reservation::keep`].
    First(Reservation),
    /// This was the answer.
    Again(Arc<Answer>),
}

/// A key with an answer that is being made. Dropped without an answer it is free again.
pub(super) struct Reservation {
    answers: IdempotentAnswers,
    key: [u8; 32],
}

impl IdempotentAnswers {
    /// Begins a request.
    pub(super) fn begin(&self, mark: &RequestMark) -> Result<IdempotentStart, Problem> {
        let RequestMark { key, request: body } = mark.clone();
        let mut kept = self.kept();
        match kept.by_key.get(&key) {
            Some(known) if known.body != body => {
                Err(Problem::new("idempotency-key-reused", "send another key with another body"))
            }
            Some(KeptAnswer { state: KeptState::Done(answer), .. }) => Ok(IdempotentStart::Again(Arc::clone(answer))),
            Some(_) => Err(Problem::new("idempotency-key-in-use", "send it again in a moment")
                .retried_after(std::time::Duration::from_secs(1))),
            None => {
                kept.by_key.insert(key, KeptAnswer { body, state: KeptState::Running });
                Ok(IdempotentStart::First(Reservation { answers: self.clone(), key }))
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, KeptAnswers> {
        // A poisoned lock is usable: at worst an answer is not found, and is made again.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// Keeps the answer.
    pub(super) fn keep(self, answer: &Answer) {
        let mut kept = self.answers.kept();
        let Some(own) = kept.by_key.get_mut(&self.key) else { return };
        own.state = KeptState::Done(Arc::new(answer.clone()));
        kept.bytes += answer.bytes.len();
        kept.order.push_back(self.key);
        while kept.order.len() > ANSWERS_MAX || kept.bytes > BYTES_MAX {
            let Some(oldest) = kept.order.pop_front() else { break };
            if let Some(KeptAnswer { state: KeptState::Done(answer), .. }) = kept.by_key.remove(&oldest) {
                kept.bytes -= answer.bytes.len();
            }
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut kept = self.answers.kept();
        if kept.by_key.get(&self.key).is_some_and(|own| matches!(own.state, KeptState::Running)) {
            kept.by_key.remove(&self.key);
        }
    }
}

/// A digest of who asks, which path, and the key.
pub(super) fn digest_key(key: &[u8], parts: [&str; 2]) -> Result<[u8; 32], Problem> {
    if key.is_empty() || key.len() > KEY_BYTES_MAX {
        return Err(Problem::new("invalid-idempotency-key", "it has 1 to 255 characters"));
    }
    let mut hasher = blake3::Hasher::new();
    for part in [parts[0].as_bytes(), parts[1].as_bytes(), key] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    Ok(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(length: usize) -> Answer {
        Answer { bytes: vec![b'a'; length], content_type: "application/json", policy: None, id: None }
    }

    fn begin(answers: &IdempotentAnswers, key: &str, body: &[u8]) -> Result<IdempotentStart, Problem> {
        let key = digest_key(key.as_bytes(), ["", "/v1/decisions"])?;
        answers.begin(&RequestMark { key, request: Digest::compute(body) })
    }

    fn first(answers: &IdempotentAnswers, key: &str) -> Reservation {
        match begin(answers, key, b"body") {
            Ok(IdempotentStart::First(reservation)) => reservation,
            _ => panic!("{key} is known"),
        }
    }

    fn code_of(answers: &IdempotentAnswers, key: &str, body: &[u8]) -> Option<&'static str> {
        begin(answers, key, body).err().map(|problem| problem.code())
    }

    #[test]
    fn a_key_is_in_use_until_its_answer_is_kept_and_free_if_there_is_none() {
        let answers = IdempotentAnswers::default();
        let reservation = first(&answers, "k");
        assert_eq!(code_of(&answers, "k", b"body"), Some("idempotency-key-in-use"));
        drop(reservation);
        first(&answers, "k").keep(&answer(3));
        assert_eq!(code_of(&answers, "k", b"body"), None);
        assert_eq!(code_of(&answers, "k", b"other"), Some("idempotency-key-reused"));
        assert_eq!(code_of(&answers, "", b"body"), Some("invalid-idempotency-key"));
    }

    #[test]
    fn the_oldest_answers_go_when_there_are_too_many_bytes() {
        let answers = IdempotentAnswers::default();
        for number in 0..5 {
            first(&answers, &format!("k{number}")).keep(&answer(BYTES_MAX / 4));
        }
        drop(first(&answers, "k0"));
        assert_eq!(code_of(&answers, "k4", b"other"), Some("idempotency-key-reused"));
        assert!(answers.kept().bytes <= BYTES_MAX);
    }
}
