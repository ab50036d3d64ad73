//! Floor 4: the provider, simulated: a real server on a loopback port with seeded people. It speaks every endpoint of the interface,
//! keeps loans, bills and iQRs consistent, calls the lender back, and fails on request. Knows nothing of decisions, and nothing of how a
//! statement is made: that is handed in.
//!
//! `contract` says what each call consists of, `endpoints` what it does, `store` what is remembered; `router` joins them, with `faults` and
//! `corrupt` between. `callbacks` calls the lender. `pages` are the sandbox's own, without a token: `/sandbox` for people, and lists for
//! scripts such as `/sandbox/requests` and `/sandbox/loans`. E1 also names the reference in the response header [`REFERENCE_HEADER`].

mod address;
mod behaviour;
mod store;
mod callbacks;
mod checked;
mod connection;
mod corrupt;
mod endpoints;
mod faults;
mod headers;
mod redact;
mod openapi;
mod pages;
mod people;
mod router;
mod contract;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub use behaviour::{AcceptAnswer, Behaviour, Lender, Notifications};
pub use store::{
    Bill, Callback, CallbackKind, CallbackState, Entry, EntryKind, Exchange, Iqr, Loan, LoanState, NewBill,
    OfferRequest, Outcome, Received, Seen, Sms, State, Transaction, TransactionKind,
};
pub use endpoints::REFERENCE_HEADER;
pub use faults::{Fault, FaultBody, Faults};
pub use openapi::document;
pub use people::{Person, Story, people};
pub use router::router;
pub use contract::Endpoint;

use crate::wire::Settings;
use crate::words::secret::Secret;

/// Makes a person's statement: the bytes of an E2 answer.
pub type StatementSource = Arc<dyn Fn(&Person) -> Vec<u8> + Send + Sync>;

/// Tells what time it is.
pub type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// What a sandbox is started with.
#[derive(Clone)]
pub struct Config {
    /// Where to listen: a loopback address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The seed of people and references: the same seed, the same sandbox.
    pub seed: u64,
    /// The token that calls must carry.
    pub token: Secret,
    /// How the lender speaks: provider code, layout and segment of E3, codes, the page parameter.
    pub settings: Settings,
    /// Faults on request.
    pub faults: Faults,
    /// What it does where there is a choice, on request.
    pub behaviour: Behaviour,
    /// The lender's endpoints, which it calls back: by `https`, or on this machine.
    pub lender: Option<Lender>,
    /// Where events of bills go: by `https`, or on this machine.
    pub webhook_url: Option<String>,
    /// What time it is: the same clock, the same sandbox.
    pub clock: Clock,
    /// How long a request may take to arrive, from its first byte on; then the connection is closed.
    pub request_timeout: Duration,
    /// How many records a page of E2 holds; without it there is one page.
    pub page_records: Option<usize>,
    /// Makes the statements.
    pub statements: StatementSource,
}

impl Config {
    /// A sandbox on a free port, without faults, with the provider code `SANDBOX` and a token of its own.
    pub fn new(seed: u64, statements: StatementSource) -> Self {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            seed,
            token: Secret::new(format!("sandbox-token-{seed}")),
            settings: Settings { provider_code: "SANDBOX".to_owned(), ..Settings::default() },
            faults: Faults::default(),
            behaviour: Behaviour::default(),
            lender: None,
            webhook_url: None,
            clock: Arc::new(Utc::now),
            request_timeout: Duration::from_secs(10),
            page_records: None,
            statements,
        }
    }
}

/// Why a sandbox did not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The sandbox has no defences and serves this machine alone.
    #[error("`{0}` is not a loopback address; the sandbox listens on this machine alone, such as on `127.0.0.1:8080`")]
    NotLoopback(SocketAddr),
    /// It was asked to do what cannot be done: an address that is none, a secret that cannot stand in a header, a fault that would be no
    /// fault. Values are not repeated; they may be secret.
    #[error("`{setting}` {problem}")]
    Setting {
        /// Which, such as `lender.url` or `faults.fund_loan.status`.
        setting: String,
        /// What is wrong, and what to do.
        problem: &'static str,
    },
    /// The address cannot be had.
    #[error("cannot listen on `{address}`: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's word.
        source: std::io::Error,
    },
}

/// A running sandbox; dropping it stops it.
pub struct Sandbox {
    address: SocketAddr,
    token: Secret,
    state: State,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<()>,
    callbacks: JoinHandle<()>,
}

impl Sandbox {
    /// Starts a sandbox. Must be called inside a tokio runtime.
    pub async fn start(config: Config) -> Result<Sandbox, Error> {
        let asked = config.listen;
        if !asked.ip().is_loopback() {
            return Err(Error::NotLoopback(asked));
        }
        checked::check(&config)?;
        let failed = |source| Error::Bind { address: asked, source };
        let listener = tokio::net::TcpListener::bind(asked).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (token, request_timeout) = (config.token.clone(), config.request_timeout);
        let state = State::new(config);
        state.set_base_url(format!("http://{address}"));
        let callbacks = tokio::spawn(callbacks::run(state.clone()));
        let service = router(state.clone()).into_make_service_with_connect_info::<connection::Peer>();
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            let served = axum::serve(connection::Door { listener, request_timeout }, service);
            // The server's loop ends by the signal alone; there is no error to pass on.
            let _ = served.with_graceful_shutdown(async move { drop(stopped.await) }).await;
        });
        Ok(Sandbox { address, token, state, stop: Some(stop), server, callbacks })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The address for the client's settings.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The token it accepts.
    pub fn token(&self) -> &Secret {
        &self.token
    }

    /// The people it knows.
    pub fn people(&self) -> &[Person] {
        self.state.people()
    }

    /// What it remembers.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The offer requests so far, with their references.
    pub fn requests(&self) -> Vec<OfferRequest> {
        self.state.requests()
    }

    /// The answers received so far.
    pub fn received(&self) -> Vec<Received> {
        self.state.received()
    }

    /// Stops listening, lets running answers end for a moment, and returns.
    pub async fn shutdown(mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        // A dripping answer may take hours.
        let _ = tokio::time::timeout(Duration::from_millis(500), &mut self.server).await;
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.server.abort();
        self.callbacks.abort();
    }
}
