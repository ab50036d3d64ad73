//! The client for callers without an asynchronous runtime. Knows nothing more than [`super::Client`].

use tokio::runtime::{Handle, Runtime};

use super::{Error, Prepared, Pulled};
use crate::wire::{Acknowledgement, Call, GetOffers, OffersReply, SendOffers, Settings};
use crate::words::secret::Secret;

/// [`super::Client`] with calls that wait. Inside an asynchronous runtime use that one: here every call would fail
/// with `configuration`.
#[derive(Debug)]
pub struct Client {
    inner: super::Client,
    // Taken out on drop alone.
    runtime: Option<Runtime>,
}

impl Client {
    /// See [`super::Client::new`].
    pub fn new(settings: Settings, token: Secret) -> Result<Client, Error> {
        outside_of_runtime()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::configuration("settings", format!("no runtime for calls: {error}")))?;
        Ok(Client { inner: super::Client::new(settings, token)?, runtime: Some(runtime) })
    }

    /// See [`super::Client::offers`].
    pub fn offers(&self, request: &GetOffers) -> Result<OffersReply, Error> {
        self.wait(self.inner.offers(request))
    }

    /// See [`super::Client::pull`].
    pub fn pull(&self, reference: &str) -> Result<Pulled, Error> {
        self.wait(self.inner.pull(reference))
    }

    /// See [`super::Client::send`].
    pub fn send(&self, answer: &SendOffers) -> Result<Acknowledgement, Error> {
        self.wait(self.inner.send(answer))
    }

    /// See [`super::Client::call`].
    pub fn call<C: Call>(&self, call: &C) -> Result<C::Reply, Error> {
        self.wait(self.inner.call(call))
    }

    /// See [`super::Client::prepare`].
    pub fn prepare<C: Call>(&self, call: &C) -> Result<Prepared, Error> {
        self.inner.prepare(call)
    }

    fn wait<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        outside_of_runtime()?;
        match &self.runtime {
            Some(runtime) => runtime.block_on(call),
            None => Err(Error::configuration("settings", "the client has been closed")),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A runtime that waits for its threads may not be dropped inside another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waiting inside a runtime would panic; an error is kinder.
fn outside_of_runtime() -> Result<(), Error> {
    match Handle::try_current() {
        Ok(_) => Err(Error::configuration(
            "settings",
            "the blocking client is used inside an asynchronous runtime; use the other one there",
        )),
        Err(_) => Ok(()),
    }
}
