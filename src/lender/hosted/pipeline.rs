//! The hosted endpoints: who calls, how often, with which request, and the lender's answer. Knows nothing of sockets.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response};
use tokio::sync::Semaphore;

use super::answer::Failure;
use super::body::{is_json, read_body};
use super::conditions::{Condition, Conditions};
use super::connection::Peer;
use super::credentials::Credentials;
use super::endpoint::{Endpoint, Paths};
use super::exchange::{LenderRequest, answer_request};
use super::failed_logins::{FailedLogins, LoginAttempt};
use super::lender::Lender;
use super::metrics::HttpMetrics;
use super::rate::{Meter, Rate};
use super::request_id::{REQUEST_ID_HEADER, RequestIds};
use crate::base::money::Currency;
use crate::lender::config::{CREDENTIALS_MAX, LimitSettings};
use crate::provider::wire::Settings;

/// What the hosted endpoints are made of.
pub struct Options {
    /// The settings of the connection: provider code, paths, codes, fields.
    pub settings: Settings,
    /// The currency of the lender's loans, which says how many decimals a payment may have.
    pub currency: Currency,
    /// The bounds of requests.
    pub limits: LimitSettings,
    /// What the provider's calls must carry.
    pub credentials: Credentials,
    /// What readiness says.
    pub conditions: Conditions,
}

/// The hosted endpoints; clones share one state.
#[derive(Clone)]
pub struct Hosted(Arc<PipelineParts>);

struct PipelineParts {
    options: Options,
    paths: Paths,
    lender: Arc<dyn Lender>,
    metrics: HttpMetrics,
    ids: RequestIds,
    started: Instant,
    rate: Rate,
    meters: Mutex<[Meter; CREDENTIALS_MAX]>,
    /// `None` if they are not limited.
    failed_logins: Option<FailedLogins>,
    in_flight: Arc<Semaphore>,
}

impl Hosted {
    /// Makes the endpoints.
    ///
    /// # Errors
    /// A setting by which the endpoints cannot be served.
    pub fn new(options: Options, lender: Arc<dyn Lender>, metrics: HttpMetrics) -> Result<Self, String> {
        check_settings(&options.settings)?;
        let paths = Paths::new(&options.settings.lender)?;
        let limits = &options.limits;
        let failed = limits.failed_logins_per_minute;
        Ok(Hosted(Arc::new(PipelineParts {
            paths,
            lender,
            metrics,
            ids: RequestIds::new(),
            started: Instant::now(),
            rate: Rate::new(limits.requests_per_second, Duration::from_secs(1), limits.requests_burst),
            meters: Mutex::default(),
            failed_logins: (failed > 0).then(|| FailedLogins::new(failed)),
            in_flight: Arc::new(Semaphore::new(limits.in_flight_max)),
            options,
        })))
    }

    /// The endpoints as a service: any path that is no endpoint is refused.
    pub fn router(&self) -> Router {
        Router::new().fallback(respond_to_request).with_state(self.clone())
    }

    /// The endpoints' paths.
    pub fn paths(&self) -> &Paths {
        &self.0.paths
    }

    /// The settings of the connection.
    pub fn settings(&self) -> &Settings {
        &self.0.options.settings
    }

    /// From now on the service is not ready. Requests are still answered.
    pub fn stop(&self) {
        self.0.options.conditions.raise(Condition::Stopping);
    }

    /// What keeps the service from working as it should.
    pub fn conditions(&self) -> &Conditions {
        &self.0.options.conditions
    }

    /// Answers one request.
    pub async fn respond(&self, request: Request) -> Response<Body> {
        let inner = &self.0;
        let id = inner.ids.next_id();
        let found = inner.paths.find(request.method().as_str(), request.uri().path());
        let endpoint = found.as_ref().map_or("unknown", |(endpoint, _)| endpoint.name());
        let mut seen = Seen { metrics: &inner.metrics, endpoint, id: &id, from: Instant::now(), answer: None };
        let answered = self.answer(request, found).await;
        let reason = answered.as_ref().err().map(Failure::reason);
        let codes = &inner.options.settings.lender.codes;
        let mut response = answered.unwrap_or_else(|failure| failure.to_response(codes));
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID_HEADER, value);
        }
        seen.answer = Some((response.status().as_u16(), reason));
        drop(seen);
        response
    }

    async fn answer(
        &self,
        request: Request,
        found: Option<(Endpoint, Option<String>)>,
    ) -> Result<Response<Body>, Failure> {
        let inner = &self.0;
        let limits = &inner.options.limits;
        let (parts, body) = request.into_parts();
        let peer = parts.extensions.get::<Peer>();
        // Of a request without an address, as in tests, nothing but the address is unknown.
        let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), Peer::address);
        if let Some(peer) = peer {
            peer.headers_arrived();
        }
        self.admit(&parts.headers, read_address(&parts.headers, &limits.address_header).unwrap_or(address))?;
        let (endpoint, in_path) = found.ok_or(Failure::UnknownPath)?;
        let method = endpoint.method().as_str();
        if parts.method.as_str() != method {
            return Err(Failure::WrongMethod(method));
        }
        let permit = inner.in_flight.clone().try_acquire_owned().map_err(|_| Failure::TooManyAtOnce)?;
        let counted = inner.metrics.work_begins();
        let body = match method {
            "POST" if !is_json(&parts.headers) => return Err(Failure::NotJson),
            "POST" => {
                let allowed = Duration::from_millis(limits.body_timeout_ms);
                let read = read_body(&parts.headers, body, limits.body_bytes_max, allowed).await?;
                // `100 Continue` was an answer too.
                peer.inspect(|peer| peer.headers_arrived());
                read
            }
            _ => Vec::new(),
        };
        let (settings, currency) = (&inner.options.settings, inner.options.currency);
        let request = LenderRequest::read(endpoint, in_path.as_deref(), &parts, &body, settings, currency)?;
        let (lender, shared) = (inner.lender.clone(), self.clone());
        // A task of its own: what has begun ends, also if the provider goes away.
        let work = tokio::spawn(async move {
            let answered = answer_request(lender.as_ref(), request, shared.settings()).await;
            drop((permit, counted));
            answered
        });
        match tokio::time::timeout(Duration::from_millis(limits.answer_timeout_ms), work).await {
            Ok(Ok(answered)) => answered,
            Ok(Err(_)) => {
                tracing::error!(endpoint = endpoint.name(), "the work on a request ended without an answer");
                Err(Failure::Lender(super::lender::Refusal::Unavailable))
            }
            Err(_) => Err(Failure::TookTooLong),
        }
    }

    /// Whether the caller may call now.
    fn admit(&self, headers: &HeaderMap, address: IpAddr) -> Result<(), Failure> {
        let inner = &self.0;
        let credentials = &inner.options.credentials;
        let now_ns = u64::try_from(inner.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let who = match &inner.failed_logins {
            Some(failed_logins) => {
                let attempt = LoginAttempt { name: credentials.find_name(headers), address, now_ns };
                failed_logins.judge(attempt, || credentials.identify(headers))?
            }
            None => credentials.identify(headers).ok_or(Failure::Unauthorized)?,
        };
        let mut meters = inner.meters.lock().unwrap_or_else(PoisonError::into_inner);
        match meters.get_mut(who) {
            Some(meter) => meter.admit(inner.rate, now_ns).map_err(Failure::TooOften),
            None => Err(Failure::Unauthorized),
        }
    }
}

/// The caller's address as a proxy names it: the last value of the header, which the proxy itself added.
fn read_address(headers: &HeaderMap, name: &str) -> Option<IpAddr> {
    if name.is_empty() {
        return None;
    }
    let last = headers.get_all(name).iter().next_back()?.to_str().ok()?.rsplit(',').next()?.trim();
    let bare = last.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(last);
    bare.parse().ok().or_else(|| last.parse().ok().map(|address: SocketAddr| address.ip()))
}

/// Refuses settings by which no call would be served, or answers could not be distinguished.
///
/// # Errors
/// The setting, and what to do.
pub fn check_settings(settings: &Settings) -> Result<(), String> {
    Paths::new(&settings.lender)?;
    if settings.provider_code.is_empty() {
        return Err("the setting `provider_code` is empty; the provider's requests name the lender by it".to_owned());
    }
    let names = &settings.lender;
    if names.reference_parameter.is_empty() && names.reference_header.is_empty() {
        return Err("`lender.reference_parameter` and `lender.reference_header` are both empty; name one of them, by \
                    which the offer request's reference comes"
            .to_owned());
    }
    if names.codes.no_offer == names.codes.later || names.codes.no_offer == settings.success_code {
        return Err("`lender.codes.no_offer` is the code of another answer; give it one of its own".to_owned());
    }
    let codes = &names.codes;
    let refusals = [
        ("invalid", &codes.invalid),
        ("unauthorized", &codes.unauthorized),
        ("not_found", &codes.not_found),
        ("conflict", &codes.conflict),
        ("busy", &codes.busy),
        ("unavailable", &codes.unavailable),
    ];
    match refusals.iter().find(|(_, code)| **code == settings.success_code || **code == codes.later) {
        Some((name, _)) => Err(format!("`lender.codes.{name}` is the code of a success; give it another")),
        None => Ok(()),
    }
}

async fn respond_to_request(State(hosted): State<Hosted>, request: Request) -> Response<Body> {
    hosted.respond(request).await
}

/// A request that is being answered. Counted and logged once it ends, also if the provider goes away before.
struct Seen<'a> {
    metrics: &'a HttpMetrics,
    endpoint: &'static str,
    id: &'a str,
    from: Instant,
    answer: Option<(u16, Option<&'static str>)>,
}

impl Drop for Seen<'_> {
    fn drop(&mut self) {
        let (endpoint, request_id, took) = (self.endpoint, self.id, self.from.elapsed());
        let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        match self.answer {
            None => {
                self.metrics.count_abandoned(endpoint, took);
                tracing::info!(endpoint, request_id, took_us, "the provider went away before the answer");
            }
            Some((status, reason)) => {
                self.metrics.count_answer(endpoint, status, took);
                if let Some(reason) = reason {
                    self.metrics.count_refusal(reason);
                }
                tracing::info!(endpoint, request_id, status, took_us, reason = reason.unwrap_or("none"), "answered");
            }
        }
    }
}
