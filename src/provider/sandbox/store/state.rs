//! The state of a sandbox: its configuration, its people, and what it has stored, behind one lock. Knows nothing of how
//! any of it changes.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::Notify;

use super::bills::Bills;
use super::callbacks::Callbacks;
use super::exchanges::Exchanges;
use super::iqrs::Iqrs;
use super::loans::Loans;
use super::offers::Offers;
use super::transactions::Transactions;
use crate::provider::sandbox::config::Config;
use crate::provider::sandbox::contract::{Endpoint, Route, list_interface_routes};
use crate::provider::sandbox::faults::{Counters, Fault, Faults};
use crate::provider::sandbox::people::{Person, people};

/// The state of a sandbox; clones share it.
#[derive(Clone)]
pub struct SandboxState(Arc<SandboxParts>);

struct SandboxParts {
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

/// Everything that was stored.
#[derive(Default)]
pub(super) struct Store {
    pub(super) offers: Offers,
    pub(super) loans: Loans,
    pub(super) transactions: Transactions,
    pub(super) iqrs: Iqrs,
    pub(super) bills: Bills,
    pub(super) callbacks: Callbacks,
    pub(super) exchanges: Exchanges,
    /// Increases with every change that a page may show.
    version: u64,
}

impl SandboxState {
    /// A fresh sandbox.
    pub fn new(config: Config) -> SandboxState {
        SandboxState(Arc::new(SandboxParts {
            people: people(config.seed),
            routes: list_interface_routes(&config.settings),
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

    /// Replaces all faults and restarts the counting of calls.
    pub(crate) fn set_faults(&self, faults: Faults) {
        {
            let mut known = self.0.faults.lock().unwrap_or_else(PoisonError::into_inner);
            *known = Arc::new(faults);
            self.0.counters.clear();
        }
        self.store().version += 1;
    }

    /// Replaces the fault of one endpoint and restarts the counting of its calls. The other endpoints keep theirs.
    pub(crate) fn set_fault(&self, endpoint: Endpoint, fault: Option<Fault>) {
        {
            let mut faults = self.0.faults.lock().unwrap_or_else(PoisonError::into_inner);
            *Arc::make_mut(&mut *faults).slot(endpoint) = fault;
            self.0.counters.clear_one(endpoint);
        }
        self.store().version += 1;
    }

    pub(crate) fn set_base_url(&self, url: String) {
        // A state listens once; a second address is ignored.
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
    pub(super) fn id(&self, prefix: &str, parts: &[&str]) -> String {
        format!("{prefix}-{}", self.digits(parts))
    }

    pub(super) fn digits(&self, parts: &[&str]) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.config().seed.to_le_bytes());
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().chars().take(16).collect()
    }

    /// The store, for reading, and for changes that no page shows.
    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        // Each change is whole before the lock is released, so a panic elsewhere does no harm here.
        self.0.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store, for changes: pages that show it reload.
    pub(super) fn store_to_change(&self) -> MutexGuard<'_, Store> {
        let mut store = self.store();
        store.version += 1;
        store
    }

    /// Wakes the senders when a callback is ready.
    pub(super) fn deliveries(&self) -> &Notify {
        &self.0.deliveries
    }
}

/// A moment as the interface writes it.
pub(crate) fn format_rfc3339_moment(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
