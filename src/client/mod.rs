//! Floor 4: the door to the provider. Sends the calls of `wire` over HTTP with a bearer token, under timeouts, a size
//! cap and a retry budget, and tells failures apart. Knows nothing of statements, rules or decisions: what it pulls are
//! bytes, what it sends is given to it.
//!
//! ```no_run
//! # async fn example() -> Result<(), lendwright::client::Error> {
//! use lendwright::{client::Client, wire::Settings, words::secret::Secret};
//!
//! let settings = Settings {
//!     base_url: "https://provider.example".to_owned(),
//!     provider_code: "LENDER".to_owned(),
//!     ..Settings::default()
//! };
//! let client = Client::new(settings, Secret::new("the access token"))?;
//! let statement = client.pull("REF-1").await?.into_statement()?;
//! # Ok(())
//! # }
//! ```

pub mod blocking;
mod error;
mod exchange;
mod prepared;
mod pulled;
mod retry;
mod transport;

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

pub use error::{Class, Error};
pub use prepared::Prepared;
pub use pulled::Pulled;

use crate::wire::{Acknowledgement, Call, GetOffers, OffersReply, SendOffers, Settings, TransactionRecords};
use crate::words::secret::Secret;

/// A client of one provider. Connections are kept and shared: make one and use it everywhere.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    base: reqwest::Url,
    settings: Settings,
    token: Secret,
}

impl Client {
    /// A client for the provider at `settings.base_url`, with the access token that goes with every call.
    ///
    /// # Errors
    /// `configuration`: an address that cannot be used, or a token that cannot stand in a header.
    pub fn new(settings: Settings, token: Secret) -> Result<Client, Error> {
        let base = prepared::base_url(&settings)?;
        transport::authorization(&token)?;
        let http = transport::build(&settings, &base)?;
        Ok(Client { http, base, settings, token })
    }

    /// The settings the client was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// E1: asks for offers, as a customer does.
    pub async fn offers(&self, request: &GetOffers) -> Result<OffersReply, Error> {
        self.call(request).await
    }

    /// E2: pulls all pages of the statement behind an offer request. Each page has been checked to be whole JSON in an
    /// envelope that says success; a damaged one is fetched once more. Nothing is kept of a pull that fails.
    pub async fn pull(&self, reference: &str) -> Result<Pulled, Error> {
        let mut call = TransactionRecords::new(reference);
        let mut pages = Vec::new();
        let mut records = 0;
        let mut room = self.settings.limits.body_bytes_max;
        let mut seen = std::collections::HashSet::new();
        loop {
            let (body, page) = self.run(&call, room).await?;
            room = room.saturating_sub(body.len() as u64);
            records += page.records;
            pages.push(body);
            let Some(next) = page.next else {
                return Ok(Pulled::new(pages, records));
            };
            if !seen.insert(next.clone()) {
                return Err(Error::malformed::<TransactionRecords>(None, "names a next page that was read before"));
            }
            if pages.len() as u64 >= u64::from(self.settings.records.pages_max) {
                return Err(Error::too_large::<TransactionRecords>(format!(
                    "the statement has more than {} pages, the limit set by `records.pages_max`",
                    self.settings.records.pages_max
                )));
            }
            call.page = Some(next);
        }
    }

    /// E3: answers an offer request. Never repeated: when [`Error::is_outcome_unknown`] the provider may have the
    /// answer. With the layout `one_call_each` a failure says how many calls were acknowledged before it.
    pub async fn send(&self, answer: &SendOffers) -> Result<Acknowledgement, Error> {
        let calls = answer.calls(&self.settings);
        // All are prepared before the first is sent: what cannot be sent must not stop half way.
        for call in &calls {
            self.prepare(call)?;
        }
        let mut last = None;
        for (done, call) in calls.iter().enumerate() {
            last = Some(self.call(call).await.map_err(|error| error.after(done, calls.len()))?);
        }
        last.ok_or_else(|| Error::configuration(SendOffers::NAME, "there is nothing to send"))
    }

    /// Sends any call and reads its reply.
    pub async fn call<C: Call>(&self, call: &C) -> Result<C::Reply, Error> {
        self.run(call, self.settings.limits.body_bytes_max).await.map(|(_, reply)| reply)
    }

    /// The exact request a call becomes, without sending it; showing it masks what is secret or personal.
    pub fn prepare<C: Call>(&self, call: &C) -> Result<Prepared, Error> {
        Prepared::new(call, &self.settings, &self.base)
    }

    async fn run<C: Call>(&self, call: &C, room: u64) -> Result<(Bytes, C::Reply), Error> {
        let prepared = self.prepare(call)?;
        let limits = &self.settings.limits;
        let total = Duration::from_millis(limits.total_timeout_ms);
        if !C::EFFECT.is_repeatable() {
            return exchange::attempt(self, call, &prepared, Instant::now() + total, room).await;
        }
        let ends = Instant::now() + Duration::from_millis(limits.retry_budget_ms);
        retry::run(limits, ends, || exchange::attempt(self, call, &prepared, ends.min(Instant::now() + total), room))
            .await
    }
}
