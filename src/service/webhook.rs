//! The receiver of Pay Bill's webhooks: stores the raw event, answers, then asks the provider itself whether the bill has been
//! paid. Knows nothing of what is given for a payment; believes nothing that an event says but which bill to ask about.

use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::post;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Inbox, InboxError};
use crate::client::bill::{Client, NotPaid, Paid, StoredBill};

/// The longest event.
const EVENT_BYTES_MAX: usize = 64 * 1024;
/// How many events are looked at together.
const CHECKS_MAX: usize = 8;
/// When to send an event again that could not be taken, in seconds.
const AGAIN_S: &str = "30";

/// Where the merchant keeps the bills it made.
pub trait Bills: Send + Sync {
    /// The bill with this reference, as it was stored when it was made.
    fn find(&self, reference: &str) -> Option<StoredBill>;
}

impl<F: Fn(&str) -> Option<StoredBill> + Send + Sync> Bills for F {
    fn find(&self, reference: &str) -> Option<StoredBill> {
        self(reference)
    }
}

/// What came of an event.
#[derive(Debug)]
pub enum Checked {
    /// The provider was asked and says that the bill has been paid. The same bill may be told more than once: give value for
    /// a reference once.
    Paid(Paid),
    /// The provider was asked and does not say so.
    NotPaid {
        /// The bill.
        bill: StoredBill,
        /// What the provider says.
        why: NotPaid,
    },
    /// The event names no bill that is known. It stays in the inbox, for someone to look at.
    NoBill,
}

type Told = Pin<Box<dyn Future<Output = ()> + Send>>;
type Tell = Box<dyn Fn(Checked) -> Told + Send + Sync>;

/// Receives events; clones share one inbox.
#[derive(Clone)]
pub struct Receiver(Arc<Inner>);

struct Inner {
    inbox: Inbox,
    client: Client,
    bills: Box<dyn Bills>,
    tell: Tell,
    room: Arc<Semaphore>,
}

impl Receiver {
    /// A receiver that stores in `inbox`, knows `bills`, asks by `client`, and tells `tell` what came of each event. An event
    /// counts as done once `tell` returns.
    pub fn new<T>(
        inbox: Inbox,
        client: Client,
        bills: impl Bills + 'static,
        tell: impl Fn(Checked) -> T + Send + Sync + 'static,
    ) -> Self
    where
        T: Future<Output = ()> + Send + 'static,
    {
        let tell: Tell = Box::new(move |checked| Box::pin(tell(checked)));
        let room = Arc::new(Semaphore::new(CHECKS_MAX));
        Receiver(Arc::new(Inner { inbox, client, bills: Box::new(bills), tell, room }))
    }

    /// The route to give to the provider: `POST /`, to be nested where it belongs.
    pub fn router(&self) -> Router {
        Router::new().route("/", post(receive)).with_state(self.clone())
    }

    /// Looks at the events that an earlier process stored and did not get to. Returns how many there were.
    ///
    /// # Errors
    /// An inbox that cannot be read.
    pub async fn resume(&self) -> Result<usize, InboxError> {
        let waiting = self.0.inbox.waiting()?;
        let count = waiting.len();
        for (name, event) in waiting {
            self.check(&name, &event).await;
        }
        Ok(count)
    }

    async fn check(&self, name: &str, event: &[u8]) {
        let inner = &self.0;
        let reference = reference(event, &inner.client.settings().bill.webhook.reference_field);
        let Some(bill) = reference.and_then(|reference| inner.bills.find(&reference)) else {
            (inner.tell)(Checked::NoBill).await;
            return;
        };
        let checked = match inner.client.confirm_payment(&bill).await {
            Ok(paid) => Checked::Paid(paid),
            Err(why) => Checked::NotPaid { bill, why },
        };
        let is_over = !matches!(&checked, Checked::NotPaid { why, .. } if why.may_change());
        (inner.tell)(checked).await;
        // What cannot be noted as done is looked at once more, which does no harm.
        if is_over && inner.inbox.done(name).is_err() {
            tracing::warn!("an event was looked at and cannot be noted as done");
        }
    }
}

async fn receive(State(receiver): State<Receiver>, request: Request) -> Response<Body> {
    let Ok(event) = axum::body::to_bytes(request.into_body(), EVENT_BYTES_MAX).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "an event is no longer than 64 KiB").into_response();
    };
    if event.is_empty() {
        return (StatusCode::BAD_REQUEST, "an event has a body").into_response();
    }
    let Ok(permit) = receiver.0.room.clone().try_acquire_owned() else {
        return later("too many events at once");
    };
    let stored = {
        let (receiver, event) = (receiver.clone(), event.clone());
        tokio::task::spawn_blocking(move || receiver.0.inbox.store(&event)).await
    };
    let Ok(Ok(name)) = stored else {
        return later("the event cannot be stored");
    };
    tokio::spawn(looked_at(receiver, name, event.to_vec(), permit));
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], r#"{"received":true}"#).into_response()
}

async fn looked_at(receiver: Receiver, name: String, event: Vec<u8>, permit: OwnedSemaphorePermit) {
    receiver.check(&name, &event).await;
    drop(permit);
}

fn later(problem: &'static str) -> Response<Body> {
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, AGAIN_S)], problem).into_response()
}

/// Where the event names a bill, if it does.
fn reference(event: &[u8], field: &str) -> Option<String> {
    let event: serde_json::Value = serde_json::from_slice(event).ok()?;
    match field.split('.').try_fold(&event, |value, name| value.get(name))? {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
