//! What the sandbox remembers, and how it stays consistent: each change is made whole under one lock. Knows nothing of HTTP.

mod acceptance;
mod bills;
mod callbacks;
mod exchanges;
mod iqrs;
mod keyed_list;
mod loans;
mod offers;
mod transactions;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::Notify;

pub use bills::{Bill, NewBill};
pub use callbacks::{Callback, CallbackKind, CallbackState};
pub use exchanges::{Exchange, Seen};
pub use iqrs::Iqr;
pub use loans::{Entry, EntryKind, Loan, LoanState};
pub use offers::{OfferRequest, Received};
pub use transactions::{Outcome, Sms, Transaction, TransactionKind};

pub(crate) use acceptance::{Accepting, Account};
pub(crate) use callbacks::{Delivery, Lane};
pub(crate) use iqrs::IqrCall;
pub(crate) use keyed_list::Newest;
pub(crate) use transactions::{Moving, Settled};

use super::faults::Counters;
use super::contract::{Endpoint, Route, routes};
use super::{Config, Fault, Faults, Person, people};

/// Why the sandbox does not do what it is asked: an HTTP status and words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub status: u16,
    pub message: String,
}

impl Refusal {
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Refusal { status: 400, message: message.into() }
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Self {
        Refusal { status: 404, message: message.into() }
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Refusal { status: 409, message: message.into() }
    }
}

/// The state of a sandbox; clones share it.
#[derive(Clone)]
pub struct State(Arc<Inner>);

struct Inner {
    config: Config,
    people: Vec<Person>,
    routes: Vec<Route>,
    faults: Mutex<Arc<Faults>>,
    counters: Counters,
    store: Mutex<Store>,
    deliveries: Notify,
    /// Known once the sandbox listens.
    base_url: OnceLock<String>,
}

#[derive(Default)]
struct Store {
    offers: offers::Offers,
    loans: loans::Loans,
    transactions: transactions::Transactions,
    iqrs: iqrs::Iqrs,
    bills: bills::Bills,
    callbacks: callbacks::Callbacks,
    exchanges: exchanges::Exchanges,
    /// Goes up with everything that a page may show.
    version: u64,
}

impl State {
    /// A sandbox at its beginning.
    pub fn new(config: Config) -> State {
        State(Arc::new(Inner {
            people: people(config.seed),
            routes: routes(&config.settings),
            faults: Mutex::new(Arc::new(config.faults.clone())),
            config,
            counters: Counters::default(),
            store: Mutex::default(),
            deliveries: Notify::new(),
            base_url: OnceLock::new(),
        }))
    }

    /// The people of the seed.
    pub fn people(&self) -> &[Person] {
        &self.0.people
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }

    pub(crate) fn routes(&self) -> &[Route] {
        &self.0.routes
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.0.counters
    }

    pub(crate) fn faults(&self) -> Arc<Faults> {
        self.0.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes other faults, and counts calls anew.
    pub(crate) fn set_faults(&self, faults: Faults) {
        {
            let mut known = self.0.faults.lock().unwrap_or_else(PoisonError::into_inner);
            *known = Arc::new(faults);
            self.0.counters.clear();
        }
        self.store().version += 1;
    }

    /// One endpoint takes another fault, and counts its calls anew; the others go on as they were.
    pub(crate) fn set_fault(&self, endpoint: Endpoint, fault: Option<Fault>) {
        {
            let mut faults = self.0.faults.lock().unwrap_or_else(PoisonError::into_inner);
            *Arc::make_mut(&mut *faults).slot(endpoint) = fault;
            self.0.counters.clear_one(endpoint);
        }
        self.store().version += 1;
    }

    pub(crate) fn set_base_url(&self, url: String) {
        // A state is listened to once; a second address would not be told to anyone.
        let _ = self.0.base_url.set(url);
    }

    pub(crate) fn base_url(&self) -> &str {
        self.0.base_url.get().map(String::as_str).unwrap_or_default()
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        (self.config().clock)()
    }

    pub(crate) fn version(&self) -> u64 {
        self.store().version
    }

    /// An id: the same for the same seed and the same parts.
    fn id(&self, prefix: &str, parts: &[&str]) -> String {
        format!("{prefix}-{}", self.digits(parts))
    }

    fn digits(&self, parts: &[&str]) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.config().seed.to_le_bytes());
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().chars().take(16).collect()
    }

    /// The store, to read or to change.
    fn store(&self) -> MutexGuard<'_, Store> {
        // Each change is whole before the lock is let go, so that a panic elsewhere harms nothing here.
        self.0.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store, to change: what shows it will look again.
    fn store_to_change(&self) -> MutexGuard<'_, Store> {
        let mut store = self.store();
        store.version += 1;
        store
    }
}

/// A moment as the interface writes it.
pub(crate) fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
