//! One call of the sandbox to others: sent, bounded, and recorded among the exchanges. Knows nothing of why it is made.

use std::time::{Duration, Instant};

use reqwest::{Client, Method, Url};
use serde_json::Value;

use super::behaviour::Lender;
use super::store::{SandboxState, Seen};
use crate::provider::tls;
use crate::provider::wire::lender::{PASSWORD_HEADER, USERNAME_HEADER};

const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest answer that is read. Answers are short.
const ANSWER_BYTES: usize = 64_000;

/// A call that is ready to be sent.
pub(super) struct Outgoing {
    pub method: Method,
    pub url: Url,
    /// A header beyond those that every call has.
    pub header: Option<(String, String)>,
    pub body: Option<Value>,
    /// What is shown of the body.
    pub shown: Option<Value>,
    pub lender: Option<Lender>,
}

impl Outgoing {
    /// A call of one of the lender's endpoints. `segments` follow the lender's own path.
    pub(super) fn to_lender<'a>(
        state: &SandboxState,
        method: Method,
        segments: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, String> {
        let lender = state.config().lender.clone().ok_or("the sandbox was started without a lender's address")?;
        let mut url = parse_outgoing_address(&lender.url)?;
        url.path_segments_mut()
            .map_err(|()| "the lender's address has no path".to_owned())?
            .pop_if_empty()
            .extend(segments);
        Ok(Outgoing { method, url, header: None, body: None, shown: None, lender: Some(lender) })
    }

    /// Sends the call and records it under a name. `judge` turns the answer into a result, and into words to show:
    /// only those are, because the receiver may echo what it was sent, including its password.
    pub(super) async fn send<T>(
        self,
        state: &SandboxState,
        name: &str,
        judge: impl FnOnce(u16, &[u8]) -> (T, String),
    ) -> Result<T, String> {
        let client = build_outgoing_client(state, &self.url)?;
        let from = Instant::now();
        let mut seen = Seen {
            endpoint: name.to_owned(),
            outgoing: true,
            method: self.method.to_string(),
            path: show_safe_address(&self.url),
            request: self.shown.and_then(|body| serde_json::to_string_pretty(&body).ok()).unwrap_or_default(),
            ..Seen::default()
        };
        let mut request = client.request(self.method, self.url).header("accept", "application/json");
        if let Some(lender) = self.lender {
            let password = lender.password.expose();
            request = request.header(USERNAME_HEADER, lender.username).header(PASSWORD_HEADER, password);
        }
        if let Some((name, value)) = self.header {
            request = request.header(name, value);
        }
        if let Some(body) = self.body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let answered = send_and_read_answer(request).await;
        seen.took_us = u64::try_from(from.elapsed().as_micros()).unwrap_or(u64::MAX);
        let result = answered.map(|(status, body)| {
            seen.status = Some(status);
            let (judged, words) = judge(status, &body);
            seen.response = format!("{words}\n[{} bytes]", body.len());
            judged
        });
        if let Err(problem) = &result {
            seen.response.clone_from(problem);
        }
        state.note_exchange(seen);
        result
    }
}

/// Reads an address of the configuration.
pub(super) fn parse_outgoing_address(text: &str) -> Result<Url, String> {
    Url::parse(text).map_err(|_| "the address is not a URL".to_owned())
}

/// An address without the parts that may be secret.
fn show_safe_address(url: &Url) -> String {
    let mut shown = url.clone();
    // Both fail only for addresses that cannot have these parts.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_query(None);
    shown.to_string()
}

async fn send_and_read_answer(request: reqwest::RequestBuilder) -> Result<(u16, Vec<u8>), String> {
    let failed = |error: reqwest::Error| match (error.is_timeout(), error.is_connect()) {
        (true, _) => "no answer in time".to_owned(),
        (false, true) => "no connection".to_owned(),
        (false, false) => "the call failed".to_owned(),
    };
    let mut response = request.send().await.map_err(failed)?;
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&piece);
        if body.len() > ANSWER_BYTES {
            return Err("the answer is longer than 64 kB".to_owned());
        }
    }
    Ok((response.status().as_u16(), body))
}

fn build_outgoing_client(state: &SandboxState, url: &Url) -> Result<Client, String> {
    let own_roots = state.config().settings.root_certificates.as_deref();
    let tls = tls::build_tls_configuration(url.scheme() == "https", own_roots).map_err(|error| error.to_string())?;
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(TIMEOUT)
        .tls_backend_preconfigured(tls)
        .build()
        .map_err(|_| "no HTTP client can be made for this address".to_owned())
}
