//! The HTTP core of every client: one host, its connections, its access token, its counts. Knows nothing of what a call
//! means, apart from what its type declares.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::Url;
use reqwest::header::HeaderMap;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::counts::{CallCounts, Counts};
use super::exchange::{self, Attempt};
use super::observer::{CallObserver, FinishedAttempt, Observer};
use super::tokens::{TokenSource, Tokens};
use super::transport::Customize;
use super::{Error, Prepared, address, checked, retry, transport};
use crate::base::secret::Secret;
use crate::provider::wire::{Authentication, Call, Effect, Host, Settings};

/// Everything needed to call one host. Calls to another host do not compile.
pub(crate) struct Core<H> {
    http: reqwest::Client,
    pub(crate) settings: Arc<Settings>,
    base: Url,
    /// The settings' headers of this host.
    headers: HeaderMap,
    tokens: Arc<Tokens>,
    counts: Counts,
    observer: Observer,
    permits: Semaphore,
    host: PhantomData<fn() -> H>,
}

impl<H: Host> Core<H> {
    pub(crate) fn new(settings: Arc<Settings>, tokens: Arc<Tokens>, http: &Customize<'_>) -> Result<Self, Error> {
        checked::check_client_settings(&settings)?;
        let base = address::parse_host_address(H::SETTING, H::base_url(&settings), settings.allow_plain_http)?;
        let http = transport::build_http_client(&settings, &base, http)?;
        let permits = call_permits_of(&settings)?;
        let headers = transport::build_host_headers(H::headers(&settings), H::authentication(&settings), H::SETTING)?;
        let (counts, observer) = (Counts::default(), Observer::default());
        Ok(Core { http, settings, base, headers, tokens, counts, observer, permits, host: PhantomData })
    }

    /// Tells this observer of all calls from now on.
    pub(crate) fn set_observer(&mut self, observer: Arc<dyn CallObserver>) {
        self.observer = Observer(Some(observer));
    }

    pub(crate) fn prepare<C: Call<Host = H>>(&self, call: &C) -> Result<Prepared, Error> {
        Prepared::new(call, &self.settings, &self.base)
    }

    /// Sends a call and reads its reply. A call that only reads is retried within the budget.
    pub(crate) async fn call<C: Call<Host = H>>(&self, call: &C) -> Result<C::Reply, Error> {
        self.run(call, self.settings.limits.body_bytes_max).await.map(|(_, reply)| reply)
    }

    /// The same, with the bytes of the answer. Reads at most `bytes_max` bytes.
    pub(crate) async fn run<C: Call<Host = H>>(&self, call: &C, bytes_max: u64) -> Result<(Bytes, C::Reply), Error> {
        let prepared = self.prepare(call)?;
        let limits = &self.settings.limits;
        let ends = Instant::now() + Duration::from_millis(limits.retry_budget_ms);
        let ends = C::EFFECT.is_repeatable().then_some(ends);
        let sent = SentCall { call, prepared: &prepared, ends, bytes_max, attempts: AtomicU32::new(0) };
        let result = match ends {
            None => self.try_once(&sent).await,
            Some(ends) => retry::retry_until_done(limits, ends, || self.try_once(&sent)).await,
        };
        let failure = result.as_ref().err();
        self.counts.called(C::NAME, failure.map(Error::class));
        self.observer.call_ended(C::NAME, failure);
        result
    }

    /// One attempt, and a second one with a fresh token if the first token was refused. A call that moves money is
    /// never sent again. One that acts is not sent again if it may already have acted. Other retries are in `retry`.
    async fn try_once<C: Call<Host = H>>(&self, sent: &SentCall<'_, C>) -> Result<(Bytes, C::Reply), Error> {
        if H::authentication(&self.settings) == Authentication::None {
            return self.attempt(sent, None).await;
        }
        let began = Instant::now();
        let token = match self.tokens.current::<C>(self.deadline(sent.ends)).await {
            Ok(token) => token,
            Err(error) => {
                self.note_missing_token(sent, &error, began.elapsed());
                return Err(error);
            }
        };
        let first = self.attempt(sent, Some(&token.secret)).await;
        let Err(error) = first else { return first };
        // A 401 settles the question of the token, even if the call's outcome is uncertain.
        if error.status() != Some(401) {
            return Err(error);
        }
        self.tokens.refused(&token).await;
        if C::EFFECT == Effect::MovesMoney || error.is_outcome_unknown() {
            return Err(error);
        }
        match self.tokens.current::<C>(self.deadline(sent.ends)).await {
            Ok(fresh) if !fresh.is_same(&token) => {
                let second = self.attempt(sent, Some(&fresh.secret)).await;
                second.map_err(|error| error.with_attempts(2))
            }
            _ => Err(error),
        }
    }

    /// An attempt that ended before it was sent, for lack of a token.
    fn note_missing_token<C: Call>(&self, sent: &SentCall<'_, C>, error: &Error, took: Duration) {
        self.observer.attempt_ended(&FinishedAttempt {
            call: C::NAME,
            host: &sent.prepared.host(),
            attempt: sent.next_attempt(),
            status: None,
            failure: Some(error.class()),
            took,
        });
    }

    /// The clock of an attempt starts once it has a token and a permit: a waiting call has not been sent.
    async fn attempt<C: Call<Host = H>>(
        &self,
        sent: &SentCall<'_, C>,
        token: Option<&Secret>,
    ) -> Result<(Bytes, C::Reply), Error> {
        // Calls that move money do not wait. The semaphore is never closed.
        let _permit = match C::EFFECT {
            Effect::MovesMoney => None,
            Effect::Reads | Effect::Acts => self.permits.acquire().await.ok(),
        };
        let began = Instant::now();
        let attempt = Attempt {
            http: &self.http,
            settings: &self.settings,
            headers: &self.headers,
            call: sent.call,
            prepared: sent.prepared,
            token,
            deadline: self.deadline(sent.ends),
            bytes_max: sent.bytes_max,
            number: sent.next_attempt(),
            observer: &self.observer,
        };
        let result = exchange::attempt_call(&attempt).await;
        self.counts.attempted(C::NAME, began.elapsed());
        result
    }

    fn deadline(&self, ends: Option<Instant>) -> Instant {
        let total = Instant::now() + Duration::from_millis(self.settings.limits.total_timeout_ms);
        ends.map_or(total, |ends| ends.min(total))
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.counts.snapshot()
    }
}

/// A call that is being sent, once or several times.
struct SentCall<'a, C> {
    call: &'a C,
    prepared: &'a Prepared,
    /// When the time for retries ends.
    ends: Option<Instant>,
    bytes_max: u64,
    /// How many attempts were made.
    attempts: AtomicU32,
}

impl<C> SentCall<'_, C> {
    /// The number of the attempt that begins now.
    fn next_attempt(&self) -> u32 {
        self.attempts.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }
}

impl<H: Host> std::fmt::Debug for Core<H> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Core({})", self.base.host_str().unwrap_or_default())
    }
}

/// Permits for the calls that may be in flight together.
pub(crate) fn call_permits_of(settings: &Settings) -> Result<Semaphore, Error> {
    match settings.limits.in_flight_max {
        count @ 1..=Semaphore::MAX_PERMITS => Ok(Semaphore::new(count)),
        _ => Err(Error::configuration("settings", "`limits.in_flight_max` must be at least 1")),
    }
}

/// A client's cache of tokens from a source.
pub(crate) fn cache_access_tokens(source: impl TokenSource + 'static) -> Result<Arc<Tokens>, Error> {
    source.check()?;
    Ok(Arc::new(Tokens::new(Box::new(source))))
}
