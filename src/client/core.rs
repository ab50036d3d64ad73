//! The HTTP core of every client: one host, its connections, its access token, its counts. Knows nothing of what a call
//! means beyond what the call says of itself.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Url;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::counts::{CallCounts, Counts};
use super::exchange::{self, Attempt};
use super::tokens::{TokenSource, Tokens};
use super::{Class, Error, Prepared, address, retry, transport};
use crate::wire::{Authentication, Call, Effect, Host, Settings};

/// What is needed to call one host; calls of another one do not fit.
pub(crate) struct Core<H> {
    pub(crate) http: reqwest::Client,
    pub(crate) settings: Arc<Settings>,
    base: Url,
    tokens: Arc<Tokens>,
    counts: Counts,
    room: Semaphore,
    host: PhantomData<fn() -> H>,
}

impl<H: Host> Core<H> {
    pub(crate) fn new(settings: Arc<Settings>, tokens: Arc<Tokens>) -> Result<Self, Error> {
        let base = address::of(H::SETTING, H::base_url(&settings), settings.allow_plain_http)?;
        let http = transport::build(&settings, &base)?;
        let room = settings.limits.in_flight_max;
        if !(1..=Semaphore::MAX_PERMITS).contains(&room) {
            return Err(Error::configuration("settings", "`limits.in_flight_max` is not from 1 up"));
        }
        let (counts, room) = (Counts::default(), Semaphore::new(room));
        Ok(Core { http, settings, base, tokens, counts, room, host: PhantomData })
    }

    pub(crate) fn prepare<C: Call<Host = H>>(&self, call: &C) -> Result<Prepared, Error> {
        Prepared::new(call, &self.settings, &self.base)
    }

    /// Sends a call and reads its reply; a call that reads is tried again under the budget.
    pub(crate) async fn call<C: Call<Host = H>>(&self, call: &C) -> Result<C::Reply, Error> {
        self.run(call, self.settings.limits.body_bytes_max).await.map(|(_, reply)| reply)
    }

    /// The same with the answer's bytes, of which at most `room` are read.
    pub(crate) async fn run<C: Call<Host = H>>(&self, call: &C, room: u64) -> Result<(Bytes, C::Reply), Error> {
        let prepared = self.prepare(call)?;
        // Waiting for a turn is no part of any timeout: nothing has been sent. The semaphore is never closed.
        let _turn = self.room.acquire().await;
        let limits = &self.settings.limits;
        let total = Duration::from_millis(limits.total_timeout_ms);
        let result = match C::EFFECT.is_repeatable() {
            false => self.try_once(call, &prepared, Instant::now() + total, room).await,
            true => {
                let ends = Instant::now() + Duration::from_millis(limits.retry_budget_ms);
                let attempt = || self.try_once(call, &prepared, ends.min(Instant::now() + total), room);
                retry::run(limits, ends, attempt).await
            }
        };
        self.counts.called(C::NAME, result.as_ref().err().map(Error::class));
        result
    }

    /// One attempt; with a fresh token a second one where the first was not let in. A call that moves money is never sent
    /// again, whatever the answer was.
    async fn try_once<C: Call<Host = H>>(
        &self,
        call: &C,
        prepared: &Prepared,
        deadline: Instant,
        room: u64,
    ) -> Result<(Bytes, C::Reply), Error> {
        if H::authentication(&self.settings) == Authentication::None {
            return self.attempt(Attempt { call, prepared, token: None, deadline, room }).await;
        }
        let token = self.tokens.current::<C>(deadline).await?;
        let first = self.attempt(Attempt { call, prepared, token: Some(&token.secret), deadline, room }).await;
        let Err(error) = first else { return first };
        if error.class() != Class::Authentication {
            return Err(error);
        }
        self.tokens.refused(&token).await;
        if C::EFFECT == Effect::MovesMoney || error.status() != Some(401) {
            return Err(error);
        }
        match self.tokens.current::<C>(deadline).await {
            Ok(fresh) if !fresh.is_same(&token) => {
                self.attempt(Attempt { call, prepared, token: Some(&fresh.secret), deadline, room }).await
            }
            _ => Err(error),
        }
    }

    async fn attempt<C: Call<Host = H>>(&self, attempt: Attempt<'_, C>) -> Result<(Bytes, C::Reply), Error> {
        let began = Instant::now();
        let result = exchange::attempt(self, &attempt).await;
        self.counts.attempted(C::NAME, began.elapsed());
        result
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.counts.snapshot()
    }
}

impl<H: Host> std::fmt::Debug for Core<H> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Core({})", self.base.host_str().unwrap_or_default())
    }
}

/// The token's cache of a client that is given a source.
pub(crate) fn tokens(settings: &Settings, source: impl TokenSource + 'static) -> Result<Arc<Tokens>, Error> {
    source.check()?;
    let allowed = Duration::from_millis(settings.limits.total_timeout_ms);
    Ok(Arc::new(Tokens::new(Box::new(source), allowed)))
}
