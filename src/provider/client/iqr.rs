//! The client of iQR issuing: I1 to I5. Knows nothing of the other hosts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::core::{self, Core};
use super::{CallCounts, Error, Prepared, TokenSource};
use crate::provider::wire::iqr::{
    GetReference, Iqr, IqrReply, Link, RequestForCustomer, RequestUnassigned, ValidateCard,
};
use crate::provider::wire::{Call, Settings};

/// A client of iQR issuing at `settings.iqr.base_url`. It never retries a call.
#[derive(Debug)]
pub struct Client {
    core: Core<Iqr>,
}

impl Client {
    /// A client with a source of access tokens, which every call carries.
    ///
    /// # Errors
    /// `configuration`: an address that cannot be used, or a token that no header can carry.
    pub fn new(settings: Settings, token: impl TokenSource + 'static) -> Result<Client, Error> {
        Client::with_http(settings, token, |http| http)
    }

    /// As [`Client::new`], with an HTTP client that `http` changes. [`crate::Client::with_http`] says what can change.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_http(
        settings: Settings,
        token: impl TokenSource + 'static,
        http: impl Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
    ) -> Result<Client, Error> {
        let tokens = core::cache_access_tokens(token)?;
        Ok(Client { core: Core::new(Arc::new(settings), tokens, &http)? })
    }

    /// The client's settings.
    pub fn settings(&self) -> &Settings {
        &self.core.settings
    }

    /// Counts of the calls so far, by kind of call.
    pub fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.core.counts()
    }

    /// I1: validates a customer's card, the step before an iQR for that customer.
    pub async fn validate_card(&self, request: &ValidateCard) -> Result<IqrReply, Error> {
        self.call(request).await
    }

    /// I2: asks for one iQR for the customer whose card was validated.
    pub async fn request_for_customer(&self, request: &RequestForCustomer) -> Result<IqrReply, Error> {
        self.call(request).await
    }

    /// I3: asks for unassigned iQRs.
    pub async fn request_unassigned(&self, request: &RequestUnassigned) -> Result<IqrReply, Error> {
        self.call(request).await
    }

    /// I4: links an unassigned iQR to a validated card.
    pub async fn link(&self, request: &Link) -> Result<IqrReply, Error> {
        self.call(request).await
    }

    /// I5: asks for an iQR's reference.
    pub async fn reference(&self, request: &GetReference) -> Result<IqrReply, Error> {
        self.call(request).await
    }

    /// Sends any call of iQR issuing and reads its reply.
    pub async fn call<C: Call<Host = Iqr>>(&self, call: &C) -> Result<C::Reply, Error> {
        self.core.call(call).await
    }

    /// The exact request of a call, without sending it. Its `Display` redacts secrets and personal data.
    pub fn prepare<C: Call<Host = Iqr>>(&self, call: &C) -> Result<Prepared, Error> {
        self.core.prepare(call)
    }
}
