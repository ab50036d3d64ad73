//! The receiver of Pay Bill's webhooks. It stores the raw event, answers, then checks with the provider whether the
//! bill is paid. Knows nothing of what is given for a payment. An event carries no signature and no password, so it is
//! trusted only for which bill to ask about.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::post;
use futures_util::StreamExt;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinSet;

use super::inbox::Standing;
use super::keyed_mutex::KeyedMutex;
use super::{Inbox, InboxError};
use crate::provider::client::bill::{Client, NotPaid, Paid, StoredBill};

/// The size of the largest event.
const EVENT_BYTES_MAX: usize = 64 * 1024;
/// How long receiving an event may take.
const EVENT_TIME_MAX: Duration = Duration::from_secs(10);
/// Bytes of all events that are being received. Bytes are counted as they arrive, so a slow sender blocks no other.
const RECEIVED_BYTES_MAX: usize = 1024 * EVENT_BYTES_MAX;
/// How many events may be stored at once, and how many stored events may wait in memory. Further ones wait in the
/// inbox.
const EVENTS_MAX: usize = 256;
/// How many events are checked at once.
const CHECKS_MAX: usize = 8;
/// How long the caller may take to handle an event.
const HANDLER_TIME_MAX: Duration = Duration::from_secs(60);
/// `Retry-After` for an event that is not accepted, in seconds.
const RETRY_AFTER_S: &str = "30";

/// Why a bill could not be looked up: any error of the merchant's own store.
pub type BillsError = Box<dyn std::error::Error + Send + Sync>;

/// Where the merchant keeps the bills it made.
pub trait Bills: Send + Sync {
    /// Finds the bill with this reference, as it was stored when it was made. `None` if there certainly is none. The
    /// call may block.
    ///
    /// # Errors
    /// If the lookup fails, for instance because a database is down. The event then waits and is checked again. The
    /// error is not logged, because it may name a customer.
    fn find(&self, reference: &str) -> Result<Option<StoredBill>, BillsError>;
}

impl<F: Fn(&str) -> Result<Option<StoredBill>, BillsError> + Send + Sync> Bills for F {
    fn find(&self, reference: &str) -> Result<Option<StoredBill>, BillsError> {
        self(reference)
    }
}

/// The result of checking an event.
#[derive(Debug)]
pub enum Checked {
    /// The provider confirms that the bill has been paid. The same bill may be reported more than once: give
    /// value for a reference once.
    Paid(Paid),
    /// The provider does not confirm that the bill has been paid.
    NotPaid {
        /// The bill.
        bill: StoredBill,
        /// What the provider says.
        why: NotPaid,
    },
    /// The event names no known bill. It stays in the inbox, for a person to look at. If it is received again, the bill
    /// is looked up again.
    NoBill,
}

type Handled = Pin<Box<dyn Future<Output = ()> + Send>>;
type Handler = Box<dyn Fn(Checked) -> Handled + Send + Sync>;

/// Receives events; clones share one inbox.
#[derive(Clone)]
pub struct Receiver(Arc<ReceiverParts>);

struct ReceiverParts {
    inbox: Inbox,
    client: Client,
    bills: Box<dyn Bills>,
    handler: Handler,
    /// One permit per byte.
    receiving: Semaphore,
    storing: Semaphore,
    waiting: Arc<Semaphore>,
    /// Only one check of an event at a time. Otherwise the older result could be recorded last.
    events: KeyedMutex,
    checks: Semaphore,
    /// The event that waits for a bill, by the bill's reference. Anybody who sees a reference can send any number of
    /// events that name it. Only one of them waits.
    waiting_for_bill: Mutex<HashMap<String, String>>,
}

impl Receiver {
    /// Creates a receiver. It stores events in `inbox`, looks bills up in `bills`, asks the provider through `client`,
    /// and passes each result to `handler`. An event counts as done once `handler` returns.
    pub fn new<T>(
        inbox: Inbox,
        client: Client,
        bills: impl Bills + 'static,
        handler: impl Fn(Checked) -> T + Send + Sync + 'static,
    ) -> Self
    where
        T: Future<Output = ()> + Send + 'static,
    {
        Receiver(Arc::new(ReceiverParts {
            inbox,
            client,
            bills: Box::new(bills),
            handler: Box::new(move |checked| Box::pin(handler(checked))),
            receiving: Semaphore::new(RECEIVED_BYTES_MAX),
            storing: Semaphore::new(EVENTS_MAX),
            events: KeyedMutex::default(),
            waiting: Arc::new(Semaphore::new(EVENTS_MAX)),
            checks: Semaphore::new(CHECKS_MAX),
            waiting_for_bill: Mutex::default(),
        }))
    }

    /// The route for the provider: `POST /`. Nest it where you want it.
    pub fn router(&self) -> Router {
        Router::new().route("/", post(receive_webhook_event)).with_state(self.clone())
    }

    /// Checks all waiting events, and returns how many there were. An event waits if an earlier process stored it
    /// without checking it, if its bill may still be paid, if its bill could not be looked up, or if the provider could
    /// not be reached. Call it at the start and every few minutes, while the route is being served and not before.
    ///
    /// # Errors
    /// If the inbox cannot be read.
    pub async fn resume(&self) -> Result<usize, InboxError> {
        let receiver = self.clone();
        let read = tokio::task::spawn_blocking(move || receiver.0.inbox.waiting()).await;
        let waiting = read.unwrap_or_else(|_| Ok(Vec::new()))?;
        let count = waiting.len();
        let mut checks = JoinSet::new();
        for (name, event) in waiting {
            let receiver = self.clone();
            checks.spawn(async move { receiver.check(name, event.into()).await });
        }
        while checks.join_next().await.is_some() {}
        Ok(count)
    }

    async fn check(&self, name: String, event: Bytes) {
        let Some(mut guard) = self.0.events.lock_or_rerun(&name) else { return };
        loop {
            // The semaphore is never closed.
            let permit = self.0.checks.acquire().await;
            guard.begin_run();
            let standing = self.check_once(&name, event.clone()).await;
            drop(permit);
            let is_done = standing == Some(Standing::Done);
            // An event that was received again waits until it is checked again, unless the result is final.
            if let Some(standing) = standing.filter(|_| is_done || !guard.is_rerun_requested()) {
                self.note(&name, standing, &event).await;
            }
            if is_done || !guard.rerun_or_unlock() {
                return;
            }
        }
    }

    /// Checks an event and passes the result to the handler. Returns the event's state, or `None` if the handler took
    /// too long.
    async fn check_once(&self, name: &str, event: Bytes) -> Option<Standing> {
        let inner = &self.0;
        let receiver = self.clone();
        let found = tokio::task::spawn_blocking(move || {
            let field = &receiver.0.client.settings().bill.webhook.reference_field;
            reference_of_event(&event, field)
                .map_or(Ok(None), |reference_of_event| receiver.0.bills.find(&reference_of_event))
        });
        // Neither an error nor a panic proves that there is no such bill.
        let Ok(Ok(found)) = found.await else {
            tracing::warn!("the bill of an event cannot be looked up; the event waits");
            return Some(Standing::Waiting);
        };
        let (standing, checked) = match found {
            None => (self.without_bill(name), Checked::NoBill),
            Some(bill) => match inner.client.confirm_payment(&bill).await {
                Ok(paid) => (self.finish(name, paid.bill()), Checked::Paid(paid)),
                Err(why) if why.may_change() => (self.wait_for_bill(name, &bill), Checked::NotPaid { bill, why }),
                Err(why) => (self.finish(name, &bill), Checked::NotPaid { bill, why }),
            },
        };
        if tokio::time::timeout(HANDLER_TIME_MAX, (inner.handler)(checked)).await.is_err() {
            tracing::warn!("the event was not handled in time and will be retried");
            return None;
        }
        Some(standing)
    }

    /// The state of an event of a bill that may still be paid. The first event of a bill waits.
    fn wait_for_bill(&self, name: &str, bill: &StoredBill) -> Standing {
        let mut waiting = self.0.waiting_for_bill.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.entry(bill.reference.clone()).or_insert_with(|| name.to_owned()) == name {
            true => Standing::Waiting,
            false => Standing::Aside,
        }
    }

    /// The state of an event without a known bill. If it waited for a bill, another event may wait in its place.
    fn without_bill(&self, name: &str) -> Standing {
        let mut waiting = self.0.waiting_for_bill.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, event| event != name);
        Standing::Unknown
    }

    /// The state of an event after the final result of its bill. If another event waits for the bill, its check gives
    /// the same result.
    fn finish(&self, name: &str, bill: &StoredBill) -> Standing {
        let mut waiting = self.0.waiting_for_bill.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.get(&bill.reference).is_some_and(|event| event == name) {
            waiting.remove(&bill.reference);
        }
        Standing::Done
    }

    async fn note(&self, name: &str, standing: Standing, event: &Bytes) {
        let (receiver, named) = (self.clone(), name.to_owned());
        let noted = tokio::task::spawn_blocking(move || receiver.0.inbox.note(&named, standing)).await;
        if matches!(noted, Ok(Ok(()))) {
            return;
        }
        tracing::warn!("the state of an event cannot be recorded");
        if standing == Standing::Waiting {
            let (receiver, event) = (self.clone(), event.clone());
            let stored = tokio::task::spawn_blocking(move || receiver.0.inbox.store(&event)).await;
            if !matches!(stored, Ok(Ok(_))) {
                // The event is lost, so it must not block other events of its bill.
                self.without_bill(name);
            }
        }
    }
}

async fn receive_webhook_event(State(receiver): State<Receiver>, request: Request) -> Response<Body> {
    let read = read_event(&receiver.0.receiving, request.into_body());
    let (event, _permits) = match tokio::time::timeout(EVENT_TIME_MAX, read).await {
        Ok(Ok(read)) => read,
        Ok(Err(refused)) => return refused,
        Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the event came too slowly").into_response(),
    };
    let Ok(_permit) = receiver.0.storing.try_acquire() else {
        return retry_later("too many events at once");
    };
    let stored = {
        let (receiver, event) = (receiver.clone(), event.clone());
        tokio::task::spawn_blocking(move || receiver.0.inbox.store(&event)).await
    };
    let Ok(Ok((name, standing))) = stored else {
        return retry_later("the event cannot be stored");
    };
    // An event that is done is not checked again: repeating an event must not cost calls. A bill that was unknown
    // before may be known by now.
    if standing != Standing::Done
        && let Ok(permit) = receiver.0.waiting.clone().try_acquire_owned()
    {
        let receiver = receiver.clone();
        tokio::spawn(async move {
            receiver.check(name, event).await;
            drop(permit);
        });
    }
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], r#"{"received":true}"#).into_response()
}

/// Reads a whole event. The permits count its bytes until they are dropped.
async fn read_event(receiving: &Semaphore, body: Body) -> Result<(Bytes, Option<SemaphorePermit<'_>>), Response<Body>> {
    let (mut event, mut permits) = (Vec::new(), None::<SemaphorePermit<'_>>);
    let mut body = body.into_data_stream();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|_| (StatusCode::BAD_REQUEST, "the event broke off").into_response())?;
        if event.len() + piece.len() > EVENT_BYTES_MAX {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, "an event is no longer than 64 KiB").into_response());
        }
        let more = u32::try_from(piece.len()).ok().and_then(|bytes| receiving.try_acquire_many(bytes).ok());
        let more = more.ok_or_else(|| retry_later("too many events at once"))?;
        match &mut permits {
            Some(permits) => permits.merge(more),
            None => permits = Some(more),
        }
        event.extend_from_slice(&piece);
    }
    match event.is_empty() {
        true => Err((StatusCode::BAD_REQUEST, "an event has a body").into_response()),
        false => Ok((event.into(), permits)),
    }
}

fn retry_later(problem: &'static str) -> Response<Body> {
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, RETRY_AFTER_S)], problem).into_response()
}

/// The reference of the bill that the event names, if it names one.
fn reference_of_event(event: &[u8], field: &str) -> Option<String> {
    let event: serde_json::Value = serde_json::from_slice(event).ok()?;
    match field.split('.').try_fold(&event, |value, name| value.get(name))? {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
