//! The receiver of Pay Bill's webhooks: stores the raw event, answers, then asks the provider itself whether the bill has been
//! paid. Knows nothing of what is given for a payment; believes nothing that an event says but which bill to ask about.

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
use super::keyed_mutex::Turns;
use super::{Inbox, InboxError};
use crate::client::bill::{Client, NotPaid, Paid, StoredBill};

/// The longest event.
const EVENT_BYTES_MAX: usize = 64 * 1024;
/// How long one may take to come.
const EVENT_TIME_MAX: Duration = Duration::from_secs(10);
/// Bytes of events that are still coming: whoever sends little and then waits keeps nobody out.
const COMING_BYTES_MAX: usize = 1024 * EVENT_BYTES_MAX;
/// How many may be stored together, and how many that are stored may wait in memory to be looked at; further ones wait in
/// the inbox.
const TOGETHER_MAX: usize = 256;
/// How many are looked at together.
const CHECKS_MAX: usize = 8;
/// How long the caller may take over what came of one.
const TELL_TIME_MAX: Duration = Duration::from_secs(60);
/// When to send an event again that could not be taken, in seconds.
const AGAIN_S: &str = "30";

/// Why it cannot be told whether there is a bill: any error of whoever keeps them.
pub type BillsError = Box<dyn std::error::Error + Send + Sync>;

/// Where the merchant keeps the bills it made.
pub trait Bills: Send + Sync {
    /// The bill with this reference, as it was stored when it was made; `None` where there surely is none. It is called where
    /// waiting is allowed.
    ///
    /// # Errors
    /// Whatever keeps it from telling, such as a database that is down: the event waits and is looked at again. The error is
    /// not logged, for it may name a customer.
    fn find(&self, reference: &str) -> Result<Option<StoredBill>, BillsError>;
}

impl<F: Fn(&str) -> Result<Option<StoredBill>, BillsError> + Send + Sync> Bills for F {
    fn find(&self, reference: &str) -> Result<Option<StoredBill>, BillsError> {
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
    /// The event names no bill that is known. It stays in the inbox, for someone to look at; when it comes again, the bill is
    /// looked for again.
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
    /// A permit a byte.
    coming: Semaphore,
    storing: Semaphore,
    waiting: Arc<Semaphore>,
    /// An event is looked at once at a time: what was seen first must not be noted last.
    turns: Turns,
    checks: Semaphore,
    /// The event that waits for a bill, by the bill's reference. Whoever sees a reference can send any number of events that name it;
    /// one of them waits.
    for_bill: Mutex<HashMap<String, String>>,
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
        Receiver(Arc::new(Inner {
            inbox,
            client,
            bills: Box::new(bills),
            tell: Box::new(move |checked| Box::pin(tell(checked))),
            coming: Semaphore::new(COMING_BYTES_MAX),
            storing: Semaphore::new(TOGETHER_MAX),
            turns: Turns::default(),
            waiting: Arc::new(Semaphore::new(TOGETHER_MAX)),
            checks: Semaphore::new(CHECKS_MAX),
            for_bill: Mutex::default(),
        }))
    }

    /// The route to give to the provider: `POST /`, to be nested where it belongs.
    pub fn router(&self) -> Router {
        Router::new().route("/", post(receive)).with_state(self.clone())
    }

    /// Looks at all events that wait: those that an earlier process stored and did not get to, those whose bill may still be
    /// paid, those whose bill could not be looked up, those about which the provider could not be asked. Returns how many there were. Call it at the start and every
    /// few minutes, beside the route and not before it.
    ///
    /// # Errors
    /// An inbox that cannot be read.
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
        let Some(mut turn) = self.0.turns.take(&name) else { return };
        loop {
            // The semaphore is never closed.
            let permit = self.0.checks.acquire().await;
            turn.begins();
            let standing = self.looked_at(&name, event.clone()).await;
            drop(permit);
            let is_over = standing == Some(Standing::Done);
            // What comes again waits until it was looked at again; the last word is the last.
            if let Some(standing) = standing.filter(|_| is_over || !turn.is_asked_again()) {
                self.note(&name, standing, &event).await;
            }
            if is_over || !turn.goes_again() {
                return;
            }
        }
    }

    /// How an event stands now; nothing where that could not be told.
    async fn looked_at(&self, name: &str, event: Bytes) -> Option<Standing> {
        let inner = &self.0;
        let receiver = self.clone();
        let found = tokio::task::spawn_blocking(move || {
            let field = &receiver.0.client.settings().bill.webhook.reference_field;
            reference(&event, field).map_or(Ok(None), |reference| receiver.0.bills.find(&reference))
        });
        // Neither an error nor a panic says that there is no such bill.
        let Ok(Ok(found)) = found.await else {
            tracing::warn!("the bill of an event cannot be looked up; the event waits");
            return Some(Standing::Waiting);
        };
        let (standing, checked) = match found {
            None => (self.names_none(name), Checked::NoBill),
            Some(bill) => match inner.client.confirm_payment(&bill).await {
                Ok(paid) => (self.over(name, paid.bill()), Checked::Paid(paid)),
                Err(why) if why.may_change() => (self.waits(name, &bill), Checked::NotPaid { bill, why }),
                Err(why) => (self.over(name, &bill), Checked::NotPaid { bill, why }),
            },
        };
        if tokio::time::timeout(TELL_TIME_MAX, (inner.tell)(checked)).await.is_err() {
            tracing::warn!("what came of an event was not taken in time; it is told again");
            return None;
        }
        Some(standing)
    }

    /// How an event stands whose bill may still be paid: the first one waits.
    fn waits(&self, name: &str, bill: &StoredBill) -> Standing {
        let mut for_bill = self.0.for_bill.lock().unwrap_or_else(PoisonError::into_inner);
        match for_bill.entry(bill.reference.clone()).or_insert_with(|| name.to_owned()) == name {
            true => Standing::Waiting,
            false => Standing::Aside,
        }
    }

    /// How it stands where there is no such bill; one that waited for it gives its place up.
    fn names_none(&self, name: &str) -> Standing {
        let mut for_bill = self.0.for_bill.lock().unwrap_or_else(PoisonError::into_inner);
        for_bill.retain(|_, waits| waits != name);
        Standing::Unknown
    }

    /// How it stands after the last word on its bill. Where another one waits for that, it will be told the same.
    fn over(&self, name: &str, bill: &StoredBill) -> Standing {
        let mut for_bill = self.0.for_bill.lock().unwrap_or_else(PoisonError::into_inner);
        if for_bill.get(&bill.reference).is_some_and(|waits| waits == name) {
            for_bill.remove(&bill.reference);
        }
        Standing::Done
    }

    async fn note(&self, name: &str, standing: Standing, event: &Bytes) {
        let (receiver, named) = (self.clone(), name.to_owned());
        let noted = tokio::task::spawn_blocking(move || receiver.0.inbox.note(&named, standing)).await;
        if matches!(noted, Ok(Ok(()))) {
            return;
        }
        tracing::warn!("how an event stands cannot be noted");
        if standing == Standing::Waiting {
            let (receiver, event) = (self.clone(), event.clone());
            let stored = tokio::task::spawn_blocking(move || receiver.0.inbox.store(&event)).await;
            if !matches!(stored, Ok(Ok(_))) {
                // It holds no place for its bill that nobody would ever give up.
                self.names_none(name);
            }
        }
    }
}

async fn receive(State(receiver): State<Receiver>, request: Request) -> Response<Body> {
    let whole = whole(&receiver.0.coming, request.into_body());
    let (event, _room) = match tokio::time::timeout(EVENT_TIME_MAX, whole).await {
        Ok(Ok(whole)) => whole,
        Ok(Err(refused)) => return refused,
        Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the event came too slowly").into_response(),
    };
    let Ok(_turn) = receiver.0.storing.try_acquire() else {
        return later("too many events at once");
    };
    let stored = {
        let (receiver, event) = (receiver.clone(), event.clone());
        tokio::task::spawn_blocking(move || receiver.0.inbox.store(&event)).await
    };
    let Ok(Ok((name, standing))) = stored else {
        return later("the event cannot be stored");
    };
    // What came before and is over is not asked about again: repeating an event must not cost calls. A bill that was not
    // known then may be by now.
    if standing != Standing::Done
        && let Ok(place) = receiver.0.waiting.clone().try_acquire_owned()
    {
        let receiver = receiver.clone();
        tokio::spawn(async move {
            receiver.check(name, event).await;
            drop(place);
        });
    }
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], r#"{"received":true}"#).into_response()
}

/// An event when all of it is there, and the room that it takes.
async fn whole(coming: &Semaphore, body: Body) -> Result<(Bytes, Option<SemaphorePermit<'_>>), Response<Body>> {
    let (mut event, mut room) = (Vec::new(), None::<SemaphorePermit<'_>>);
    let mut body = body.into_data_stream();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|_| (StatusCode::BAD_REQUEST, "the event broke off").into_response())?;
        if event.len() + piece.len() > EVENT_BYTES_MAX {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, "an event is no longer than 64 KiB").into_response());
        }
        let more = u32::try_from(piece.len()).ok().and_then(|bytes| coming.try_acquire_many(bytes).ok());
        let more = more.ok_or_else(|| later("too many events at once"))?;
        match &mut room {
            Some(room) => room.merge(more),
            None => room = Some(more),
        }
        event.extend_from_slice(&piece);
    }
    match event.is_empty() {
        true => Err((StatusCode::BAD_REQUEST, "an event has a body").into_response()),
        false => Ok((event.into(), room)),
    }
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
