//! One attempt at a call: sends it, reads the answer under the size cap and the deadline, and turns the result into a
//! reply or an error. Knows nothing of retries.

use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use tokio::time::Instant;

use super::observer::{FinishedAttempt, Observer};
use super::{Error, Prepared, retry, transport};
use crate::base::secret::Secret;
use crate::provider::wire::lending::says_done;
use crate::provider::wire::{
    Body, Call, Effect, Method, PERSONAL, SECRET, Scalar, Settings, Skim, Unusable, tidy_provider_message,
};

/// How much of a refusal's body is read for its code and message.
const REFUSAL_BYTES_MAX: u64 = 64 * 1024;
/// How long that body is waited for.
const REFUSAL_TIME_MAX: Duration = Duration::from_secs(5);

/// What one attempt sends, over what, and its bounds.
pub(crate) struct Attempt<'a, C> {
    pub(crate) http: &'a reqwest::Client,
    pub(crate) settings: &'a Settings,
    /// The settings' headers of the host.
    pub(crate) headers: &'a HeaderMap,
    pub(crate) call: &'a C,
    pub(crate) prepared: &'a Prepared,
    pub(crate) token: Option<&'a Secret>,
    /// When the whole answer must have arrived.
    pub(crate) deadline: Instant,
    /// How many decoded bytes are read at most.
    pub(crate) bytes_max: u64,
    /// Counted from 1 for each call.
    pub(crate) number: u32,
    pub(crate) observer: &'a Observer,
}

/// Tries once. Its end is logged and observed, with the call, the host and the outcome; never a reference, a body or a
/// secret.
pub(crate) async fn attempt_call<C: Call>(attempt: &Attempt<'_, C>) -> Result<(Bytes, C::Reply), Error> {
    let (began, status) = (Instant::now(), AtomicU16::new(NO_STATUS));
    let result = match tokio::time::timeout_at(attempt.deadline, send_and_read_reply(attempt, &status)).await {
        Ok(result) => result,
        Err(_) => Err(Error::timeout::<C>("no whole answer within the time allowed for it")),
    };
    attempt.observer.attempt_ended(&FinishedAttempt {
        call: C::NAME,
        host: &attempt.prepared.host(),
        attempt: attempt.number,
        status: Some(status.into_inner()).filter(|status| *status != NO_STATUS),
        failure: result.as_ref().err().map(Error::class),
        took: began.elapsed(),
    });
    result
}

/// No answer has this status.
const NO_STATUS: u16 = 0;

/// Sends and reads. `seen` gets the status as soon as it is known, so that it is known after a timeout, too.
async fn send_and_read_reply<C: Call>(attempt: &Attempt<'_, C>, seen: &AtomicU16) -> Result<(Bytes, C::Reply), Error> {
    let &Attempt { http, settings, headers, call, prepared, token, bytes_max, .. } = attempt;
    let method = match prepared.method() {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
    };
    let mut request = http.request(method, prepared.url().clone()).headers(headers.clone());
    request = request.header(ACCEPT, "application/json");
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, transport::authorization_header(token)?);
    }
    match (prepared.body(), prepared.method()) {
        (Some(body), _) => request = request.header(CONTENT_TYPE, "application/json").body(body.bytes()),
        // Some servers answer 411 to a POST without a length, even if it has no body.
        (None, Method::Post) => request = request.header(CONTENT_LENGTH, 0),
        (None, Method::Get) => {}
    }
    for (name, value) in call.headers() {
        request = request.header(*name, *value);
    }
    let response =
        request.send().await.map_err(|error| failed_to_send::<C>(&error, prepared, settings.proxy.is_some()))?;
    let status = response.status();
    seen.store(status.as_u16(), Ordering::Relaxed);
    if !status.is_success() {
        return meaning_of_refusal(attempt, response).await.map_err(|error| error.with_status(status.as_u16()));
    }
    if let Some(kind) = foreign_type(response.headers()) {
        return Err(Error::malformed::<C>(None, &format!("is {kind}, not JSON")).with_status(status.as_u16()));
    }
    let mut skim = call.skim();
    let body = read_capped_body::<C>(response, bytes_max, &mut skim).await?;
    let reply = call.reply_skimmed(settings, &body, skim).map_err(|unusable| into_error(attempt, unusable))?;
    Ok((body, reply))
}

/// Reads the decoded body chunk by chunk. Memory never holds more than the cap and one chunk.
async fn read_capped_body<C: Call>(mut response: Response, bytes_max: u64, skim: &mut Skim) -> Result<Bytes, Error> {
    let too_large = || {
        Error::too_large::<C>(format!(
            "the answer is larger than the {bytes_max} bytes left of the limit set by `limits.body_bytes_max`"
        ))
    };
    let announced = declared_content_length(response.headers());
    if announced.is_some_and(|length| length > bytes_max) {
        return Err(too_large());
    }
    // A header's length is only a claim: beyond 1 MB, memory grows with what arrives.
    let mut body = Vec::with_capacity(announced.unwrap_or_default().min(1 << 20) as usize);
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() as u64 + chunk.len() as u64 > bytes_max => {
                return Err(too_large());
            }
            Ok(Some(chunk)) => {
                body.extend_from_slice(&chunk);
                // Skimmed while the chunk is in the CPU's cache.
                skim.look(&body);
            }
            Ok(None) => return Ok(Bytes::from(body)),
            Err(error) if error.is_timeout() => {
                return Err(Error::timeout::<C>(format!("silence after {} bytes of the answer", body.len())));
            }
            Err(_) => return Err(Error::malformed::<C>(Some(body.len() as u64), "broke off")),
        }
    }
}

fn failed_to_send<C: Call>(error: &reqwest::Error, prepared: &Prepared, by_proxy: bool) -> Error {
    let host = prepared.host();
    let way = if by_proxy { " by way of the proxy" } else { "" };
    if error.is_builder() {
        return Error::configuration(C::NAME, "the call does not give a request that can be sent; it may be too long");
    }
    if error.is_connect() {
        return match error.is_timeout() {
            true => {
                Error::not_sent::<C>(format!("no connection to `{host}`{way} within the time allowed for it"), true)
            }
            false => Error::not_sent::<C>(format!("no connection to `{host}`{way}: {}", innermost_cause(error)), false),
        };
    }
    if error.is_timeout() {
        return Error::timeout::<C>("no answer within the time allowed for it");
    }
    Error::lost::<C>(format!("the connection to `{host}` broke before an answer came"))
}

/// The last cause. For a connection it is the system's or TLS's own message, and holds no address.
fn innermost_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// What an answer with a status other than success means.
async fn meaning_of_refusal<C: Call>(
    attempt: &Attempt<'_, C>,
    mut response: Response,
) -> Result<(Bytes, C::Reply), Error> {
    let status = response.status();
    let wait = retry::retry_after(response.headers().get(RETRY_AFTER));
    if C::EFFECT == Effect::MovesMoney && (status.is_redirection() || matches!(status.as_u16(), 401 | 407 | 429)) {
        if !attempt.settings.money.not_done_statuses.contains(&status.as_u16()) {
            return Err(Error::lost::<C>(format!("the provider answered HTTP {}", status.as_u16())));
        }
        if answer_says_done(attempt.settings, &mut response).await {
            let what = "does not say that nothing was done, as its status does";
            return Err(Error::lost::<C>(format!("the answer under HTTP {} {what}", status.as_u16())));
        }
    }
    if C::EFFECT == Effect::Acts && status == StatusCode::UNAUTHORIZED && may_have_acted(attempt, &mut response).await {
        return Err(Error::lost::<C>("the answer under HTTP 401 may say that the call was carried out"));
    }
    Err(match status {
        StatusCode::UNAUTHORIZED => Error::authentication::<C>(),
        // For a read the message does not matter. For other calls it says what was refused.
        StatusCode::FORBIDDEN if C::EFFECT.is_repeatable() => Error::authentication::<C>(),
        StatusCode::TOO_MANY_REQUESTS => Error::refused_for_now::<C>(wait),
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            Error::elsewhere::<C>("the proxy asks for a password; see the setting `proxy`")
        }
        StatusCode::REQUEST_TIMEOUT => Error::lost::<C>("the provider gave up waiting (HTTP 408)"),
        // Only 307 and 308 say that nothing was done. The others may point to a result.
        _ if status.is_redirection() && !C::EFFECT.is_repeatable() && !matches!(status.as_u16(), 307 | 308) => {
            Error::lost::<C>(format!("the provider answers with a redirect (HTTP {})", status.as_u16()))
        }
        _ if status.is_redirection() => redirect_refused_error::<C>(&response),
        _ if status.is_client_error() => {
            return read_refusal_words(attempt, response).await.map_err(|unusable| into_error(attempt, unusable));
        }
        _ => Error::lost::<C>(format!("the provider failed with HTTP {}", status.as_u16())).with_retry_after(wait),
    })
}

/// How much of a refusal's body arrived.
enum Arrived {
    Whole,
    Broken,
    TooLong,
}

/// Reads the body of a refusal, up to a limit.
async fn read_limited(response: &mut Response, body: &mut Vec<u8>) -> Arrived {
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Arrived::Whole,
            Err(_) => return Arrived::Broken,
        }
        if body.len() as u64 > REFUSAL_BYTES_MAX {
            return Arrived::TooLong;
        }
    }
}

/// What arrives of a refusal's body in a short time, and whether that is all of it. A body that stalls counts as broken
/// off.
async fn read_briefly(response: &mut Response) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    let read = read_limited(response, &mut body);
    let is_whole = matches!(tokio::time::timeout(REFUSAL_TIME_MAX, read).await, Ok(Arrived::Whole));
    (body, is_whole)
}

/// [`says_done`] of an answer's body.
async fn answer_says_done(settings: &Settings, response: &mut Response) -> bool {
    let (body, is_whole) = read_briefly(response).await;
    says_done(settings, &body, is_whole)
}

/// Whether, by the body of a 401, the call may have been carried out: it says success, or that the call is not
/// finished, or it broke off.
async fn may_have_acted<C: Call>(attempt: &Attempt<'_, C>, response: &mut Response) -> bool {
    let (body, is_whole) = read_briefly(response).await;
    if !is_whole {
        return true;
    }
    match attempt.call.refusal(attempt.settings, &body) {
        Ok(_) | Err(Unusable::Unfinished { .. } | Unusable::Unproven { .. }) => true,
        Err(Unusable::Rejected { .. }) => false,
        Err(Unusable::Malformed { .. }) => says_done(attempt.settings, &body, true),
    }
}

fn redirect_refused_error<C: Call>(response: &Response) -> Error {
    let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let host =
        target.and_then(|target| response.url().join(target).ok()).and_then(|url| url.host_str().map(str::to_owned));
    let to = host.map(|host| format!(" to `{host}`")).unwrap_or_default();
    Error::elsewhere::<C>(format!(
        "the provider redirects{to}; redirects are not followed, so that the token stays with its host; check \
         `base_url`"
    ))
}

/// What the body of a 4xx says: what the call itself reads in it, or any code and message. If money may have moved,
/// only the provider's own refusal proves that it has not: whole, and in the format of the call's answers, so that it
/// is not a proxy's.
async fn read_refusal_words<C: Call>(
    attempt: &Attempt<'_, C>,
    mut response: Response,
) -> Result<(Bytes, C::Reply), Unusable> {
    #[derive(Default, serde::Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Words {
        response_code: Option<Scalar>,
        response_message: Option<Scalar>,
        code: Option<Scalar>,
        status: Option<Scalar>,
        message: Option<Scalar>,
    }
    let status = response.status().as_u16();
    let nameless = |message| Unusable::Rejected { code: format!("HTTP {status}"), message };
    let moves_money = C::EFFECT == Effect::MovesMoney;
    let mut body = Vec::new();
    match read_limited(&mut response, &mut body).await {
        Arrived::Broken if moves_money => {
            return Err(Unusable::malformed(body.len() as u64, format!("broke off under HTTP {status}")));
        }
        Arrived::Whole | Arrived::Broken => {}
        Arrived::TooLong if moves_money => {
            return Err(Unusable::malformed(None, format!("is too long under HTTP {status}")));
        }
        Arrived::TooLong => return Err(nameless(String::new())),
    }
    match attempt.call.refusal(attempt.settings, &body) {
        Ok(Some(reply)) => return Ok((Bytes::from(body), reply)),
        // The body contradicts the status.
        Ok(None) => return Err(Unusable::malformed(None, format!("says success under HTTP {status}"))),
        Err(Unusable::Malformed { .. }) if !moves_money => {}
        Err(unusable) => return Err(unusable),
    }
    let words: Words = serde_json::from_slice(&body).unwrap_or_default();
    let text = |value: Option<Scalar>| value.and_then(|value| value.0);
    let code = text(words.response_code).or_else(|| text(words.code)).or_else(|| text(words.status));
    let message = text(words.response_message).or_else(|| text(words.message)).unwrap_or_default();
    Err(match code {
        Some(code) => Unusable::Rejected { code, message },
        None => nameless(message),
    })
}

/// Turns an unusable answer into an error, with the request's secrets redacted from the provider's message.
fn into_error<C: Call>(attempt: &Attempt<'_, C>, unusable: Unusable) -> Error {
    match unusable {
        Unusable::Rejected { .. } | Unusable::Unproven { .. } => {
            let call = attempt.call;
            let mut secrets: Vec<_> = attempt.token.iter().map(|token| (token.expose().to_owned(), SECRET)).collect();
            let pairs = call.query(attempt.settings).unwrap_or_default();
            let personal = pairs.into_iter().filter(|(name, _)| call.is_personal(name));
            secrets.extend(personal.map(|(_, value)| (value, PERSONAL)));
            secrets.extend(attempt.prepared.body().map(Body::redactions).unwrap_or_default());
            let tidy = |text: String| tidy_provider_message(&mask_secrets_in_text(&text, &secrets));
            Error::unusable::<C>(match unusable {
                Unusable::Rejected { code, message } => Unusable::Rejected { code: tidy(code), message: tidy(message) },
                Unusable::Unproven { code, message } => Unusable::Unproven { code: tidy(code), message: tidy(message) },
                other => other,
            })
        }
        other => Error::unusable::<C>(other),
    }
}

/// Replaces the secrets in a text by their masks, such as those of `wire/body.rs`. Very short ones are left: they are
/// too short to give anything away, and would match parts of ordinary words.
fn mask_secrets_in_text(text: &str, secrets: &[(String, &str)]) -> String {
    const CHARS_MIN: usize = 4;
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = secrets.iter().filter(|(secret, _)| secret.len() >= CHARS_MIN && rest.starts_with(secret.as_str()));
        // The longest match: a shorter one may be part of it.
        match found.max_by_key(|(secret, _)| secret.len()) {
            Some((secret, mask)) => {
                out.push_str(mask);
                rest = rest.get(secret.len()..).unwrap_or_default();
            }
            None => {
                out.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}

fn declared_content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The media type, if it clearly is not JSON. Some providers send JSON as plain text or without a type.
fn foreign_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let known =
        kind.is_empty() || kind.contains("json") || matches!(kind.as_str(), "text/plain" | "application/octet-stream");
    let tidy = |letter: char| letter.is_ascii_alphanumeric() || "/.+-".contains(letter);
    (!known).then(|| format!("`{}`", kind.chars().filter(|letter| tidy(*letter)).take(60).collect::<String>()))
}
