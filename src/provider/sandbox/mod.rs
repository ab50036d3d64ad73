//! The provider, simulated: a real server on a loopback port with seeded people. It serves every endpoint of
//! the interface, keeps loans, bills and iQRs consistent, calls the lender back, and fails on request. Knows nothing of
//! decisions, nor of how a statement is made: the caller passes that in.
//!
//! `contract` says what each call consists of, `endpoints` what it does, `store` what is remembered. `interface` joins
//! them, with `faults` and `corrupt` in between. `callbacks` calls the lender. `pages` are the sandbox's own and need
//! no token: `/sandbox` for people, and lists for scripts, such as `/sandbox/requests` and `/sandbox/loans`. E1 also
//! returns the reference in the response header [`REFERENCE_HEADER`].

mod address;
mod behaviour;
mod callbacks;
mod checked;
mod config;
mod connection;
mod contract;
mod corrupt;
mod endpoints;
mod faults;
mod forward;
mod headers;
mod interface;
mod openapi;
mod outgoing;
mod pages;
mod people;
mod redact;
mod router;
mod store;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub use behaviour::{AcceptAnswer, Behaviour, Lender, Notifications};
pub use config::{Clock, Config, Error, StatementSource};
pub use contract::Endpoint;
pub use endpoints::REFERENCE_HEADER;
pub use faults::{Fault, FaultBody, Faults};
#[doc(hidden)]
pub use openapi::sandbox_openapi_document;
pub use people::{Person, Story, people};
pub use router::router;
#[doc(hidden)]
pub use store::{
    Bill, Callback, CallbackKind, CallbackState, EntryKind, Exchange, Iqr, Loan, LoanLedgerEntry, NewBill,
    SandboxLoanState, SandboxState, Seen, Sms, StoredOutcome, Transaction, TransactionKind,
};
pub use store::{OfferRequest, Received};

use crate::base::secret::Secret;

/// A running sandbox; dropping it stops it.
pub struct Sandbox {
    address: SocketAddr,
    token: Secret,
    state: SandboxState,
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
        checked::check_sandbox_config(&config)?;
        let failed = |source| Error::Bind { address: asked, source };
        let listener = tokio::net::TcpListener::bind(asked).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (token, request_timeout) = (config.token.clone(), config.request_timeout);
        let state = SandboxState::new(config);
        state.set_base_url(format!("http://{address}"));
        let callbacks = tokio::spawn(callbacks::run_callback_lanes(state.clone()));
        let service = router(state.clone()).into_make_service_with_connect_info::<connection::Peer>();
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            let served = axum::serve(connection::Door { listener, request_timeout }, service);
            // Only the signal ends the server's loop, so there is no error to pass on.
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

    /// Its state.
    #[doc(hidden)]
    pub fn state(&self) -> &SandboxState {
        &self.state
    }

    /// The offer requests so far, with their references.
    pub fn requests(&self) -> Vec<OfferRequest> {
        self.state.requests()
    }

    /// The lender's answers so far.
    pub fn received(&self) -> Vec<Received> {
        self.state.received()
    }

    /// Stops listening, gives running answers a moment to finish, and returns.
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
