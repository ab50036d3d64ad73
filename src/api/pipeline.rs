//! A request from its headers to its answer: who asks, for what, how large, how often, and what is counted and logged.
//! Knows nothing of sockets, nor of how a decision comes about.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Response, header};
use bytes::Bytes;
use futures_util::StreamExt;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::answers::{Answer, ColumnsByName, JSON, LINES};
use super::application::{BodyKind, ReceivedApplication, media_type};
use super::batches::{BatchBounds, BatchSender, answer_batch};
use super::idempotency::{IDEMPOTENCY_KEY, IdempotentAnswers, IdempotentStart, digest_key};
use super::kept_decisions::KeptDecisions;
use super::keys::ApiKeys;
use super::openapi::{Served, describe_api};
use super::policy_list::list_policies;
use super::problem::Problem;
use super::reported_outcome::read_reported_outcome;
use super::route::{Route, decision_id};
use super::shadows::{Shadow, ShadowParts, Shadows};
use crate::base::digest::Digest;
use crate::decision_book::{DecisionBook, RequestMark};
use crate::engine::decision::Outcome;
use crate::lender::config::LimitSettings;
use crate::lender::hosted::{HttpMetrics, Peer, REQUEST_ID_HEADER, Registry, RequestIds, read_body};
use crate::lender::sources::Sources;
use crate::provider::client::Client;
use crate::provider::tls::is_host_this_machine;
use crate::rules::Policies;
use crate::run::decision_pool::{Bounds, Decider, Workers, count_threads};
use crate::run::live_policy::LivePolicy;

/// The header with the digest of the policy that decided.
pub(super) const POLICY_HEADER: &str = "x-lendwright-policy";

/// The header with the id of a decision that is kept.
pub(super) const DECISION_HEADER: &str = "x-lendwright-decision";

/// The header that says that an answer was kept under an idempotency key.
const REPLAYED_HEADER: &str = "idempotency-replayed";

/// How many bytes all bodies together may have that wait or are decided; a single one may have its own limit.
const BODIES_BYTES_MAX: usize = 512 << 20;

/// How long the body of a refused request is taken.
const DISCARD_TIME: Duration = Duration::from_millis(250);

/// What the service is made of.
pub(crate) struct ApiParts {
    /// The policy, which may be replaced while the service runs.
    pub(crate) live: Arc<LivePolicy>,
    /// The keys; without any, only callers on this machine are answered.
    pub(crate) keys: Option<ApiKeys>,
    /// The columns files that requests may name.
    pub(crate) columns: ColumnsByName,
    /// The threads that decide, and how many requests wait for them.
    pub(crate) bounds: Bounds,
    /// The bounds of connections and bodies.
    pub(crate) limits: LimitSettings,
    /// Where decisions are kept, if they are.
    pub(crate) book: Option<DecisionBook>,
    /// The policies that decide in the shadow; they need a book.
    pub(crate) shadows: Vec<Shadow>,
    /// Where inputs come from that requests lack.
    pub(crate) sources: Option<Sources>,
    /// Where statements are pulled, for applications that name an offer request.
    pub(crate) provider: Option<Arc<Client>>,
}

/// The service; clones share one state.
#[derive(Clone)]
pub(crate) struct Api(Arc<ApiState>);

struct ApiState {
    decider: Decider,
    keys: Option<ApiKeys>,
    columns: ColumnsByName,
    bounds: Bounds,
    limits: LimitSettings,
    answered: IdempotentAnswers,
    kept: Option<KeptDecisions>,
    shadows: Option<Shadows>,
    sources: Option<Sources>,
    provider: Option<Arc<Client>>,
    ids: RequestIds,
    http: HttpMetrics,
    outcomes: Family<OutcomeLabels, Counter>,
    registry: Registry,
    /// What the paths are, as of the policies that its examples are of.
    described: tokio::sync::Mutex<Option<(Arc<Policies>, String)>>,
    /// Kilobytes of bodies that may still come in.
    room: Semaphore,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

impl Api {
    /// Starts the threads.
    ///
    /// # Errors
    /// If they cannot be started.
    pub(crate) fn new(parts: ApiParts) -> Result<Api, String> {
        let ApiParts { live, keys, columns, bounds, limits, book, shadows, sources, provider } = parts;
        let mut registry = Registry::default();
        let http = HttpMetrics::register(&mut registry);
        let outcomes = Family::default();
        registry.register("lendwright_api_decisions", "Decisions by outcome", outcomes.clone());
        let decider = Decider::new(live, bounds).map_err(|error| error.to_string())?;
        let kept = book.map(KeptDecisions::new);
        let shadows = match &kept {
            Some(kept) if !shadows.is_empty() => {
                let (kept, workers) = (kept.clone(), decider.workers().clone());
                let parts = ShadowParts { list: shadows, kept, workers };
                Some(Shadows::start(parts, &mut registry)?)
            }
            _ => None,
        };
        sources.iter().for_each(|sources| sources.register(&mut registry));
        let room = Semaphore::new((limits.body_bytes_max.max(BODIES_BYTES_MAX)).div_ceil(1024));
        Ok(Api(Arc::new(ApiState {
            decider,
            keys,
            columns,
            bounds,
            limits,
            answered: IdempotentAnswers::default(),
            kept,
            shadows,
            sources,
            provider,
            ids: RequestIds::new(),
            http,
            outcomes,
            registry,
            described: Default::default(),
            room,
        })))
    }

    pub(super) fn router(&self) -> Router {
        Router::new().fallback(respond_to_request).with_state(self.clone())
    }

    pub(super) fn http_metrics(&self) -> &HttpMetrics {
        &self.0.http
    }

    pub(super) fn limits(&self) -> &LimitSettings {
        &self.0.limits
    }

    pub(super) fn workers(&self) -> &Workers {
        self.0.decider.workers()
    }

    pub(super) fn policies(&self) -> Arc<Policies> {
        self.0.decider.live().current()
    }

    pub(super) fn columns(&self) -> &ColumnsByName {
        &self.0.columns
    }

    pub(super) fn kept_decisions(&self) -> Option<&KeptDecisions> {
        self.0.kept.as_ref()
    }

    pub(super) fn shadows(&self) -> Option<&Shadows> {
        self.0.shadows.as_ref()
    }

    pub(super) fn sources(&self) -> Option<&Sources> {
        self.0.sources.as_ref()
    }

    pub(super) fn provider(&self) -> Option<&Client> {
        self.0.provider.as_deref()
    }

    /// The policies that decide in the shadow.
    pub(super) fn shadow_policies(&self) -> Vec<Arc<Policies>> {
        self.shadows().map_or_else(Vec::new, Shadows::policies)
    }

    pub(super) fn count_outcome(&self, outcome: Outcome) {
        self.0.outcomes.get_or_create(&OutcomeLabels { outcome: outcome.word() }).inc();
    }

    /// Answers one request.
    async fn respond(&self, request: Request) -> Response<Body> {
        let id = given_request_id(request.headers()).map_or_else(|| self.0.ids.next_id(), str::to_owned);
        let route = Route::find(request.uri().path());
        let name = route.map_or("unknown", Route::name);
        let mut seen = SeenRequest { http: &self.0.http, name, id: &id, from: Instant::now(), end: None };
        let _in_flight = self.0.http.work_begins();
        let answered = self.answer(request, route, &id).await;
        let code = answered.as_ref().err().map(Problem::code);
        let mut response = answered.unwrap_or_else(|problem| problem.to_response(&id));
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID_HEADER, value);
        }
        seen.end = Some((response.status().as_u16(), code));
        drop(seen);
        response
    }

    async fn answer(&self, request: Request, route: Option<Route>, id: &str) -> Result<Response<Body>, Problem> {
        let (parts, body) = request.into_parts();
        let peer = parts.extensions.get::<Peer>().cloned();
        peer.as_ref().inspect(|peer| peer.headers_arrived());
        let (route, caller) = match self.admit(&parts, route) {
            Ok(admitted) => admitted,
            Err(problem) => {
                discard_body(body).await;
                return Err(problem);
            }
        };
        match route {
            Route::Health => Ok(bytes_response(JSON, "{\"status\":\"ok\"}\n")),
            Route::Policies => Ok(bytes_response(JSON, format!("{}\n", list_policies(&self.policies())))),
            Route::Counters => Ok(self.show_counters()),
            Route::OpenApi => Ok(bytes_response(JSON, self.describe().await?)),
            Route::Batches => Ok(self.answer_batch(ReceivedRequest { parts, body, peer }, id, caller)),
            Route::KeptDecision => {
                let kept = self.kept_decisions().ok_or_else(Problem::no_book)?;
                let shown = kept.show(decision_id(parts.uri.path()).unwrap_or_default()).await?;
                Ok(bytes_response(JSON, shown))
            }
            Route::Outcomes => self.record_outcome(ReceivedRequest { parts, body, peer }).await,
            Route::Decisions | Route::Explanations | Route::Metrics | Route::Records => {
                self.answer_one(route, ReceivedRequest { parts, body, peer }, caller).await
            }
        }
    }

    /// The path and the name of the caller's key, if the request may come in. Its body is not looked at.
    fn admit(&self, parts: &Parts, route: Option<Route>) -> Result<(Route, &str), Problem> {
        self.refuse_foreign_host(parts)?;
        let unknown = || Problem::new("unknown-path", "/v1/openapi.json lists the paths");
        let route = route.ok_or_else(unknown)?;
        let is_head = parts.method == Method::HEAD && route.method() == "GET";
        if parts.method.as_str() != route.method() && !is_head {
            return Err(Problem::wrong_method(route.method()));
        }
        let caller = match (&self.0.keys, route.scope()) {
            (Some(keys), Some(scope)) => keys.admit(&parts.headers, scope)?,
            _ => "",
        };
        if route.needs_book() && self.kept_decisions().is_none() {
            return Err(Problem::no_book());
        }
        if route.method() == "POST" {
            refuse_foreign_body(route, &parts.headers)?;
            self.refuse_if_full()?;
        }
        Ok((route, caller))
    }

    /// The description of the paths. Its examples are decisions, so it is made once for each policy in force.
    async fn describe(&self) -> Result<String, Problem> {
        let mut described = self.0.described.lock().await;
        let policies = self.policies();
        if let Some((_, text)) = described.as_ref().filter(|(of, _)| Arc::ptr_eq(of, &policies)) {
            return Ok(text.clone());
        }
        let of = Arc::clone(&policies);
        let served = Served { has_keys: self.0.keys.is_some(), has_book: self.kept_decisions().is_some() };
        let described_now = self.workers().run(move || describe_api(&policies, served));
        let text = format!("{}\n", described_now.await?);
        *described = Some((of, text.clone()));
        Ok(text)
    }

    /// Without keys the service is for this machine. A page in a browser could point a name of its own at it.
    fn refuse_foreign_host(&self, parts: &Parts) -> Result<(), Problem> {
        if self.0.keys.is_some() {
            return Ok(());
        }
        let host = parts.headers.get(header::HOST).and_then(|value| value.to_str().ok());
        let host = host.or_else(|| parts.uri.authority().map(|authority| authority.as_str()));
        match host.is_some_and(is_host_this_machine) {
            true => Ok(()),
            false => Err(Problem::new("foreign-host", "call it by 127.0.0.1 or localhost, or start it with `--keys`")),
        }
    }

    /// Before a body is read, so that a refusal does not wait for it.
    fn refuse_if_full(&self) -> Result<(), Problem> {
        match self.workers().load().waiting >= self.0.bounds.waiting_max.max(1) {
            true => Err(Problem::busy()),
            false => Ok(()),
        }
    }

    async fn answer_one(
        &self,
        route: Route,
        received: ReceivedRequest,
        caller: &str,
    ) -> Result<Response<Body>, Problem> {
        let kind = BodyKind::from_headers(&received.parts.headers)?;
        let _room = self.reserve_room(&received.parts.headers)?;
        let (parts, body) = self.read_whole_body(received).await?;
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let mark = match parts.headers.get(IDEMPOTENCY_KEY) {
            None => None,
            Some(key) => {
                let request = digest_request(media_type(&parts.headers), &query, &body);
                Some(RequestMark { key: digest_key(key.as_bytes(), [caller, route.path()])?, request })
            }
        };
        let reservation = match mark.as_ref().map(|mark| self.0.answered.begin(mark)).transpose()? {
            Some(IdempotentStart::Again(answer)) => return Ok(replayed_response(&answer)),
            Some(IdempotentStart::First(reservation)) => Some(reservation),
            None => None,
        };
        // The book remembers longer than this process. Only decisions are in it.
        if let (Some(kept), Some(mark), Route::Decisions) = (self.kept_decisions(), &mark, route)
            && let Some(answer) = kept.find_answer(mark.clone()).await?
        {
            return Ok(replayed_response(&answer));
        }
        let mark = mark.filter(|_| route == Route::Decisions);
        let (query, caller) = (query.into(), caller.into());
        let received = ReceivedApplication { route, kind, body, query, caller, mark, pulled: None };
        let allowed = Duration::from_millis(self.0.limits.answer_timeout_ms);
        let answered = tokio::time::timeout(allowed, self.answer_received(received)).await;
        let answer = answered.map_err(|_| Problem::too_slow())??;
        // What is in the book is answered from there, so that an erased decision is answered no more.
        if let (Some(reservation), None) = (reservation, &answer.id) {
            reservation.keep(&answer);
        }
        Ok(answer_response(&answer))
    }

    /// Room for a body in memory, until this is dropped. All bodies together have a bound.
    fn reserve_room(&self, headers: &HeaderMap) -> Result<SemaphorePermit<'_>, Problem> {
        let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        let most = self.0.limits.body_bytes_max;
        // A body without a length may be as long as any.
        let kilobytes = declared.map_or(most, |length| length.min(most)).div_ceil(1024);
        let room = u32::try_from(kilobytes).map(|kilobytes| self.0.room.try_acquire_many(kilobytes));
        room.ok().and_then(Result::ok).ok_or_else(Problem::busy)
    }

    /// The whole body.
    async fn read_whole_body(&self, received: ReceivedRequest) -> Result<(Parts, Bytes), Problem> {
        let ReceivedRequest { parts, body, peer } = received;
        let limits = &self.0.limits;
        let allowed = Duration::from_millis(limits.body_timeout_ms);
        let body = read_body(&parts.headers, body, limits.body_bytes_max, allowed).await?;
        // `100 Continue` was an answer too.
        peer.inspect(|peer| peer.headers_arrived());
        Ok((parts, body.into()))
    }

    async fn record_outcome(&self, received: ReceivedRequest) -> Result<Response<Body>, Problem> {
        let kept = self.kept_decisions().ok_or_else(Problem::no_book)?;
        let (_, body) = self.read_whole_body(received).await?;
        let (name, loan) = read_reported_outcome(&body)?;
        Ok(bytes_response(JSON, kept.record_outcome(name, loan).await?))
    }

    fn answer_batch(&self, received: ReceivedRequest, id: &str, caller: &str) -> Response<Body> {
        let ReceivedRequest { body, peer, .. } = received;
        let bounds = BatchBounds {
            line_bytes_max: self.0.limits.body_bytes_max,
            allowed: Duration::from_millis(self.0.limits.body_timeout_ms),
            at_once: count_threads(self.0.bounds.threads).get(),
        };
        let sender = BatchSender { caller: caller.into(), request_id: id.into(), peer };
        let answers = answer_batch(self.clone(), body, sender, bounds);
        let mut response = bytes_response(LINES, "");
        *response.body_mut() = Body::from_stream(answers);
        response
    }

    fn show_counters(&self) -> Response<Body> {
        let mut text = String::new();
        // Writing into a text cannot fail.
        let _ = encode(&mut text, &self.0.registry);
        bytes_response("application/openmetrics-text; version=1.0.0; charset=utf-8", text)
    }
}

/// Refuses by the headers a body that the path does not take.
fn refuse_foreign_body(route: Route, headers: &HeaderMap) -> Result<(), Problem> {
    let encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    if encodings.into_iter().any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(Problem::new("content-encoding", "send the body as it is, without `Content-Encoding`"));
    }
    let given = media_type(headers);
    match route {
        Route::Batches if !given.eq_ignore_ascii_case(LINES) => {
            return Err(Problem::new("content-type", format!("send {LINES}: an application a line")));
        }
        Route::Outcomes if !given.eq_ignore_ascii_case(JSON) => {
            return Err(Problem::new("content-type", format!("send {JSON}")));
        }
        Route::Batches | Route::Outcomes => {}
        _ => drop(BodyKind::from_headers(headers)?),
    }
    match (route, headers.get_all(IDEMPOTENCY_KEY).iter().count()) {
        (_, 0) | (Route::Decisions | Route::Explanations | Route::Metrics | Route::Records, 1) => Ok(()),
        (Route::Batches | Route::Outcomes, _) => {
            let detail = "this path has none; send applications to /v1/decisions with a key each";
            Err(Problem::new("invalid-idempotency-key", detail))
        }
        _ => Err(Problem::new("invalid-idempotency-key", "send one key, and not several")),
    }
}

/// Takes and forgets a body for a moment: a caller that is still sending would find the connection closed before it
/// reads the refusal.
async fn discard_body(body: Body) {
    let mut pieces = body.into_data_stream();
    let rest = async { while let Some(Ok(_)) = pieces.next().await {} };
    // What comes later than that is cut off.
    let _ = tokio::time::timeout(DISCARD_TIME, rest).await;
}

async fn respond_to_request(State(api): State<Api>, request: Request) -> Response<Body> {
    api.respond(request).await
}

/// The caller's own id of a request, if it is a word that fits a line of the log.
fn given_request_id(headers: &HeaderMap) -> Option<&str> {
    let id = headers.get(REQUEST_ID_HEADER)?.to_str().ok()?;
    let is_sane = |letter: u8| letter.is_ascii_alphanumeric() || b"-_.:".contains(&letter);
    (!id.is_empty() && id.len() <= 128 && id.bytes().all(is_sane)).then_some(id)
}

/// Everything that an answer depends on, of a request.
fn digest_request(media_type: &str, query: &str, body: &[u8]) -> Digest {
    let mut all = Vec::with_capacity(96);
    for part in [media_type.as_bytes(), query.as_bytes(), body] {
        all.extend_from_slice(Digest::compute(part).as_bytes());
    }
    Digest::compute(&all)
}

fn replayed_response(answer: &Answer) -> Response<Body> {
    let mut response = answer_response(answer);
    response.headers_mut().insert(REPLAYED_HEADER, HeaderValue::from_static("true"));
    response
}

fn answer_response(answer: &Answer) -> Response<Body> {
    let mut response = bytes_response(answer.content_type, answer.bytes.clone());
    if let Some(value) = answer.policy.and_then(|digest| HeaderValue::from_str(&digest.to_string()).ok()) {
        response.headers_mut().insert(POLICY_HEADER, value);
    }
    if let Some(value) = answer.id.as_deref().and_then(|id| HeaderValue::from_str(id).ok()) {
        response.headers_mut().insert(DECISION_HEADER, value);
    }
    response
}

/// A response that no cache may keep.
fn bytes_response(content_type: &'static str, bytes: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(bytes.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A request before its body is read, and who sends it.
struct ReceivedRequest {
    parts: Parts,
    body: Body,
    peer: Option<Peer>,
}

/// A request that is being answered. Counted and logged once it ends, also if the caller goes away before.
struct SeenRequest<'a> {
    http: &'a HttpMetrics,
    name: &'static str,
    id: &'a str,
    from: Instant,
    end: Option<(u16, Option<&'static str>)>,
}

impl Drop for SeenRequest<'_> {
    fn drop(&mut self) {
        let (path, request_id, took) = (self.name, self.id, self.from.elapsed());
        let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        match self.end {
            None => {
                self.http.count_abandoned(path, took);
                tracing::info!(path, request_id, took_us, "the caller went away before the answer");
            }
            Some((status, code)) => {
                self.http.count_answer(path, status, took);
                if let Some(code) = code {
                    self.http.count_refusal(code);
                }
                tracing::info!(path, request_id, status, took_us, code = code.unwrap_or("none"), "answered");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_are_taken_as_ids_of_requests() {
        let taken = |id: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID_HEADER, HeaderValue::from_str(id).expect("a header"));
            given_request_id(&headers).is_some()
        };
        assert!(taken("01J-a_b.c:7"));
        assert!(!taken("") && !taken("a b") && !taken("a\"b") && !taken(&"x".repeat(129)));
    }
}
