//! Calls of the sandbox to others, in the order in which they are sent: payment notifications (E11), questions for a
//! loan's status (E10), webhook events. Knows nothing of why or how one is sent.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

/// How many are kept. The earliest finished ones are dropped first; one that is still to be sent never is.
const KEPT: usize = 1_000;

#[derive(Default)]
pub(super) struct Callbacks {
    pub(super) all: BTreeMap<u64, Callback>,
    count: u64,
    /// Sent, given up or suppressed, in this order.
    finished: VecDeque<u64>,
    /// What waits to be sent to each receiver, in this order, and since when.
    queues: [VecDeque<(u64, Instant)>; Lane::ALL.len()],
    /// Held back until others arrive, to be sent in another order.
    held: Vec<u64>,
}

/// A call of the sandbox to a lender or a merchant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Callback {
    /// Counts from 1.
    pub number: u64,
    /// What it is.
    pub kind: CallbackKind,
    /// The loan or the bill it is about.
    pub about: String,
    /// How often it was tried.
    pub attempts: u32,
    /// Its state.
    pub state: CallbackState,
    /// What the receiver answered, or why the call failed.
    #[serde(rename = "said")]
    pub answer: String,
    #[serde(skip)]
    pub(super) body: Option<Value>,
}

/// The kinds of callbacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackKind {
    /// E11.
    PaymentNotification,
    /// E10.
    LoanStatus,
    /// A merchant's webhook.
    Webhook,
}

/// The receivers. Each is called independently of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// E10 and E11.
    Lender,
    /// Events of bills.
    Webhook,
}

impl Lane {
    const ALL: [Lane; 2] = [Lane::Lender, Lane::Webhook];

    fn for_kind(kind: CallbackKind) -> Self {
        match kind {
            CallbackKind::PaymentNotification | CallbackKind::LoanStatus => Lane::Lender,
            CallbackKind::Webhook => Lane::Webhook,
        }
    }
}

/// The state of a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackState {
    /// Held back until others arrive, to be sent in another order.
    Held,
    /// To be sent.
    Waiting,
    /// The receiver accepted it.
    Taken,
    /// The receiver did not accept it in any attempt.
    Failed,
    /// Not sent, on request.
    Suppressed,
}

/// A callback that is ready to be sent.
pub(crate) struct Delivery {
    pub number: u64,
    /// Since when it waits to be sent.
    pub due: Instant,
    pub kind: CallbackKind,
    pub about: String,
    /// The customer and the channel of the loan, for E10.
    pub customer_id: String,
    pub channel_code: String,
    pub body: Option<Value>,
}

impl Callbacks {
    pub(super) fn add(&mut self, kind: CallbackKind, about: &str, body: Option<Value>, state: CallbackState) {
        self.count += 1;
        let number = self.count;
        // Only a finished one is dropped: the others are still to be sent.
        if self.all.len() >= KEPT
            && let Some(oldest) = self.finished.pop_front()
        {
            self.all.remove(&oldest);
        }
        let answer = String::new();
        self.all.insert(number, Callback { number, kind, about: about.to_owned(), attempts: 0, state, answer, body });
        match state {
            CallbackState::Waiting => self.send(number, kind),
            CallbackState::Held => self.held.push(number),
            CallbackState::Taken | CallbackState::Failed | CallbackState::Suppressed => {
                self.finished.push_back(number);
            }
        }
    }

    /// How many are held back.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// Sends what is held back, last one first.
    pub(super) fn release(&mut self) {
        for number in std::mem::take(&mut self.held).into_iter().rev() {
            if let Some(callback) = self.all.get_mut(&number) {
                callback.state = CallbackState::Waiting;
                let kind = callback.kind;
                self.send(number, kind);
            }
        }
    }

    fn send(&mut self, number: u64, kind: CallbackKind) {
        self.queue(Lane::for_kind(kind)).push_back((number, Instant::now()));
    }

    fn queue(&mut self, lane: Lane) -> &mut VecDeque<(u64, Instant)> {
        // The array has the length of `Lane::ALL`.
        self.queues.get_mut(lane as usize).expect("INVARIANT: every lane has a queue")
    }

    /// Takes the next callback to send to a receiver, with the time since when it waits.
    pub(super) fn next(&mut self, lane: Lane) -> Option<(Callback, Instant)> {
        let (number, due) = self.queue(lane).pop_front()?;
        // Only finished callbacks are dropped, and one in a queue is not finished.
        let callback = self.all.get(&number).expect("INVARIANT: a waiting callback is kept");
        Some((callback.clone(), due))
    }

    /// Records the result of an attempt.
    pub(super) fn record_attempt(&mut self, number: u64, attempts: u32, state: CallbackState, answer: String) {
        let Some(known) = self.all.get_mut(&number) else { return };
        (known.attempts, known.state, known.answer) = (attempts, state, answer);
        if state != CallbackState::Waiting {
            self.finished.push_back(number);
        }
    }
}
