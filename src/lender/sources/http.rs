//! Sources that are services: one call by HTTP for each question. No redirect is followed and no proxy of the
//! environment used, because a question is personal.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode, Url};
use serde_json::Value as Json;
use tokio::sync::Mutex;

use super::asker::{ANSWER_BYTES_MAX, SourceFault};
use super::question::{Question, plain_text};
use crate::engine::metrics::InputGap;
use crate::lender::config::{HeaderSetting, PasswordSource, SourceMethod, SourceSettings};
use crate::provider::tls::build_tls_configuration;

/// How long a secret is used before it is read again.
const SECRET_LIFETIME: Duration = Duration::from_secs(60);

/// A service.
pub(super) struct HttpAsker {
    client: reqwest::Client,
    method: SourceMethod,
    headers: Vec<Header>,
}

struct Header {
    name: HeaderName,
    value: Content,
}

enum Content {
    Plain(HeaderValue),
    Secret(PasswordSource, Mutex<Option<(Instant, HeaderValue)>>),
}

impl HttpAsker {
    pub(super) fn new(settings: &SourceSettings) -> Result<HttpAsker, (&'static str, String)> {
        let needs_tls = settings.url.starts_with("https");
        let tls = build_tls_configuration(needs_tls, settings.root_certificates.as_deref());
        let tls = tls.map_err(|error| ("root_certificates", error.to_string()))?;
        let client = reqwest::Client::builder()
            .user_agent(concat!("lendwright/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .connect_timeout(Duration::from_millis(settings.deadline_ms))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .tls_backend_preconfigured(tls)
            .build()
            .map_err(|_| ("url", "cannot be called: no HTTP client can be made".to_owned()))?;
        Ok(HttpAsker { client, method: settings.method, headers: read_headers(&settings.headers)? })
    }

    pub(super) async fn ask(&self, question: &Question) -> Result<Vec<u8>, SourceFault> {
        let mut url = Url::parse(&question.url)
            .map_err(|_| SourceFault::of_customer(InputGap::Refused, "has no address for this customer"))?;
        let (method, body) = match self.method {
            SourceMethod::Post => (Method::POST, Some(Json::Object(question.send.clone()).to_string())),
            SourceMethod::Get => {
                if !question.send.is_empty() {
                    let pairs = question.send.iter().map(|(name, value)| (name, plain_text(value)));
                    url.query_pairs_mut().extend_pairs(pairs);
                }
                (Method::GET, None)
            }
        };
        let mut call = self.client.request(method, url).headers(self.header_map(body.is_some()).await?);
        if let Some(body) = body {
            call = call.body(body);
        }
        // The error would repeat the address, which may name the customer.
        let answer = call.send().await.map_err(|error| {
            SourceFault::transient(if error.is_connect() { "cannot be reached" } else { "broke off the call" })
        })?;
        judge_status(answer.status())?;
        read_answer(answer).await
    }

    /// The own headers may replace these.
    async fn header_map(&self, has_body: bool) -> Result<HeaderMap, SourceFault> {
        let json = HeaderValue::from_static("application/json");
        let mut map = HeaderMap::from_iter([(ACCEPT, json.clone())]);
        if has_body {
            map.insert(CONTENT_TYPE, json);
        }
        for Header { name, value } in &self.headers {
            let value = match value {
                Content::Plain(value) => value.clone(),
                Content::Secret(secret, read) => {
                    let mut read = read.lock().await;
                    match &*read {
                        Some((at, value)) if at.elapsed() < SECRET_LIFETIME => value.clone(),
                        _ => {
                            let value = read_secret(secret).await?;
                            *read = Some((Instant::now(), value.clone()));
                            value
                        }
                    }
                }
            };
            map.insert(name.clone(), value);
        }
        Ok(map)
    }
}

async fn read_secret(secret: &PasswordSource) -> Result<HeaderValue, SourceFault> {
    let read = secret.read(|name| std::env::var(name).ok()).await;
    let text = read.map_err(|problem| SourceFault::transient(format!("has no secret: {problem}")))?;
    let mut value = HeaderValue::from_str(text.expose())
        .map_err(|_| SourceFault::failure(InputGap::Unavailable, "has a secret that no header can contain"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn read_headers(given: &BTreeMap<String, HeaderSetting>) -> Result<Vec<Header>, (&'static str, String)> {
    let header = |(name, value): (&String, &HeaderSetting)| {
        let wrong = |what: &str| ("headers", format!("has `{name}`, {what}"));
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("which cannot name a header"))?;
        let value = match value {
            HeaderSetting::Plain(text) => {
                let value = HeaderValue::from_str(text);
                Content::Plain(value.map_err(|_| wrong("with a value that no header can contain"))?)
            }
            HeaderSetting::Secret(source) => Content::Secret(source.clone(), Mutex::default()),
        };
        Ok(Header { name: known, value })
    };
    given.iter().map(header).collect()
}

fn judge_status(status: StatusCode) -> Result<(), SourceFault> {
    let problem = || format!("answered with HTTP {}", status.as_u16());
    match status.as_u16() {
        200..=299 => Ok(()),
        404 => Err(SourceFault::not_found()),
        401 | 403 => Err(SourceFault::failure(InputGap::Unavailable, problem())),
        408 | 425 | 429 | 500..=599 => Err(SourceFault::transient(problem())),
        400..=499 => Err(SourceFault::of_customer(InputGap::Refused, problem())),
        // A redirect would send the question elsewhere.
        _ => Err(SourceFault::failure(InputGap::Unavailable, problem())),
    }
}

async fn read_answer(mut answer: reqwest::Response) -> Result<Vec<u8>, SourceFault> {
    let mut bytes = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|_| SourceFault::transient("broke off its answer"))? {
        if bytes.len() + piece.len() > ANSWER_BYTES_MAX {
            return Err(SourceFault::too_long());
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}
