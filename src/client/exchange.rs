//! One attempt at a call: send, read the answer under the size cap and the deadline, and tell what happened. Knows
//! nothing of repeating.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use tokio::time::Instant;
use tracing::Instrument;

use super::core::Core;
use super::{Error, Prepared, retry, transport};
use crate::wire::lending::says_done;
use crate::wire::{Body, Call, Effect, Host, Method, PERSONAL, SECRET, Scalar, Skim, Unusable, tidy};
use crate::words::secret::Secret;

/// How much of a refusal's body is read for its code and message.
const REFUSAL_BYTES_MAX: u64 = 64 * 1024;
/// How long it is waited for where the status says enough.
const REFUSAL_TIME_MAX: Duration = Duration::from_secs(5);

/// What one attempt sends, and its bounds.
pub(crate) struct Attempt<'a, C> {
    pub(crate) call: &'a C,
    pub(crate) prepared: &'a Prepared,
    pub(crate) token: Option<&'a Secret>,
    /// Until when the whole answer must be there.
    pub(crate) deadline: Instant,
    /// How many decoded bytes are read, at most.
    pub(crate) room: u64,
}

/// Tries once, in a span that names the call, the host and what came of it: no reference, no body, no secret.
pub(crate) async fn attempt<H: Host, C: Call<Host = H>>(
    core: &Core<H>,
    attempt: &Attempt<'_, C>,
) -> Result<(Bytes, C::Reply), Error> {
    let span = tracing::debug_span!(
        "attempt",
        call = C::NAME,
        host = attempt.prepared.host(),
        status = tracing::field::Empty,
        outcome = tracing::field::Empty,
    );
    let exchange = exchange(core, attempt).instrument(span.clone());
    let result = match tokio::time::timeout_at(attempt.deadline, exchange).await {
        Ok(result) => result,
        Err(_) => Err(Error::timeout::<C>("no whole answer within the time allowed for it")),
    };
    span.record("outcome", result.as_ref().err().map_or("answered", |error| error.class().as_str()));
    result
}

async fn exchange<H: Host, C: Call<Host = H>>(
    core: &Core<H>,
    attempt: &Attempt<'_, C>,
) -> Result<(Bytes, C::Reply), Error> {
    let &Attempt { call, prepared, token, room, .. } = attempt;
    let method = match prepared.method() {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
    };
    let mut request = core.http.request(method, prepared.url().clone()).headers(core.headers.clone());
    request = request.header(ACCEPT, "application/json");
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, transport::authorization(token)?);
    }
    match (prepared.body(), prepared.method()) {
        (Some(body), _) => request = request.header(CONTENT_TYPE, "application/json").body(body.bytes()),
        // Some servers answer 411 to a POST that does not say how long its body is not.
        (None, Method::Post) => request = request.header(CONTENT_LENGTH, 0),
        (None, Method::Get) => {}
    }
    for (name, value) in call.headers() {
        request = request.header(*name, *value);
    }
    let response =
        request.send().await.map_err(|error| failed_to_send::<C>(&error, prepared, core.settings.proxy.is_some()))?;
    let status = response.status();
    tracing::Span::current().record("status", status.as_u16());
    if !status.is_success() {
        return refusal(core, attempt, response).await.map_err(|error| error.with_status(status.as_u16()));
    }
    if let Some(kind) = foreign_type(response.headers()) {
        return Err(Error::malformed::<C>(None, &format!("is {kind}, not JSON")).with_status(status.as_u16()));
    }
    let mut skim = call.skim();
    let body = read::<C>(response, room, &mut skim).await?;
    let reply = call.reply_skimmed(&core.settings, &body, skim).map_err(|unusable| told(core, attempt, unusable))?;
    Ok((body, reply))
}

/// Reads the decoded body chunk by chunk, so that memory never holds more than the cap and one chunk.
async fn read<C: Call>(mut response: Response, room: u64, skim: &mut Skim) -> Result<Bytes, Error> {
    let too_large = || {
        Error::too_large::<C>(format!(
            "the answer is larger than the {room} bytes left of the limit set by `limits.body_bytes_max`"
        ))
    };
    let announced = length(response.headers());
    if announced.is_some_and(|length| length > room) {
        return Err(too_large());
    }
    // What a header announces is not yet there: memory grows with what comes.
    let mut body = Vec::with_capacity(announced.unwrap_or_default().min(1 << 20) as usize);
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() as u64 + chunk.len() as u64 > room => {
                return Err(too_large());
            }
            Ok(Some(chunk)) => {
                body.extend_from_slice(&chunk);
                // Looked at while it is near: later it would have to come from memory again.
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
        return Error::configuration(C::NAME, "the call does not make a request that can be sent; it may be too long");
    }
    if error.is_connect() {
        return match error.is_timeout() {
            true => {
                Error::not_sent::<C>(format!("no connection to `{host}`{way} within the time allowed for it"), true)
            }
            false => Error::not_sent::<C>(format!("no connection to `{host}`{way}: {}", innermost(error)), false),
        };
    }
    if error.is_timeout() {
        return Error::timeout::<C>("no answer within the time allowed for it");
    }
    Error::lost::<C>(format!("the connection to `{host}` broke before an answer came"))
}

/// The last cause, which for a connection is the system's or TLS's own word and holds no address.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// What an answer with a status other than success means.
async fn refusal<H: Host, C: Call<Host = H>>(
    core: &Core<H>,
    attempt: &Attempt<'_, C>,
    mut response: Response,
) -> Result<(Bytes, C::Reply), Error> {
    let status = response.status();
    let wait = retry::retry_after(response.headers().get(RETRY_AFTER));
    if C::EFFECT == Effect::MovesMoney && (status.is_redirection() || matches!(status.as_u16(), 401 | 407 | 429)) {
        if !core.settings.money.not_done_statuses.contains(&status.as_u16()) {
            return Err(Error::lost::<C>(format!("the provider answered HTTP {}", status.as_u16())));
        }
        if contradicts(core, &mut response).await {
            let what = "does not say that nothing was done, as its status does";
            return Err(Error::lost::<C>(format!("the answer under HTTP {} {what}", status.as_u16())));
        }
    }
    if C::EFFECT == Effect::Acts
        && status == StatusCode::UNAUTHORIZED
        && may_have_acted(core, attempt.call, &mut response).await
    {
        return Err(Error::lost::<C>("the answer under HTTP 401 may say that the call was carried out"));
    }
    Err(match status {
        StatusCode::UNAUTHORIZED => Error::authentication::<C>(),
        // Without an effect nobody needs the words; with one they tell what was refused.
        StatusCode::FORBIDDEN if C::EFFECT.is_repeatable() => Error::authentication::<C>(),
        StatusCode::TOO_MANY_REQUESTS => Error::refused_for_now::<C>(wait),
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            Error::elsewhere::<C>("the proxy asks for a password; see the setting `proxy`")
        }
        StatusCode::REQUEST_TIMEOUT => Error::lost::<C>("the provider gave up waiting (HTTP 408)"),
        // 307 and 308 alone say that nothing was done; the others may point to the result of what was.
        _ if status.is_redirection() && !C::EFFECT.is_repeatable() && !matches!(status.as_u16(), 307 | 308) => {
            Error::lost::<C>(format!("the provider answers with a redirect (HTTP {})", status.as_u16()))
        }
        _ if status.is_redirection() => redirected::<C>(&response),
        _ if status.is_client_error() => {
            return words(core, attempt.call, response).await.map_err(|unusable| told(core, attempt, unusable));
        }
        _ => Error::lost::<C>(format!("the provider is in trouble (HTTP {})", status.as_u16())).with_retry_after(wait),
    })
}

/// How much of a refusal's body came.
enum Came {
    Whole,
    Broken,
    TooLong,
}

/// Reads the body of a refusal, as far as its words are looked for.
async fn little(response: &mut Response, body: &mut Vec<u8>) -> Came {
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Came::Whole,
            Err(_) => return Came::Broken,
        }
        if body.len() as u64 > REFUSAL_BYTES_MAX {
            return Came::TooLong;
        }
    }
}

/// What comes of a refusal's body in a short time, and whether that is all of it. What comes no further is as good as
/// broken off.
async fn soon(response: &mut Response) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    let read = little(response, &mut body);
    let is_whole = matches!(tokio::time::timeout(REFUSAL_TIME_MAX, read).await, Ok(Came::Whole));
    (body, is_whole)
}

/// [`says_done`] of an answer's body.
async fn contradicts<H: Host>(core: &Core<H>, response: &mut Response) -> bool {
    let (body, is_whole) = soon(response).await;
    says_done(&core.settings, &body, is_whole)
}

/// Whether the body of a 401 leaves open that the call was carried out: a success, what is not finished, or an answer
/// that broke off.
async fn may_have_acted<H: Host, C: Call<Host = H>>(core: &Core<H>, call: &C, response: &mut Response) -> bool {
    let (body, is_whole) = soon(response).await;
    if !is_whole {
        return true;
    }
    match call.refusal(&core.settings, &body) {
        Ok(_) | Err(Unusable::Unfinished { .. } | Unusable::Unproven { .. }) => true,
        Err(Unusable::Rejected { .. }) => false,
        Err(Unusable::Malformed { .. }) => says_done(&core.settings, &body, true),
    }
}

fn redirected<C: Call>(response: &Response) -> Error {
    let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let host =
        target.and_then(|target| response.url().join(target).ok()).and_then(|url| url.host_str().map(str::to_owned));
    let to = host.map(|host| format!(" to `{host}`")).unwrap_or_default();
    Error::elsewhere::<C>(format!(
        "the provider redirects{to}; redirects are not followed, so that the token stays with its host; check `base_url`"
    ))
}

/// What the body of a 4xx says: what the call itself reads in it, or the code and message as far as it has any. Where money may have
/// moved, the provider's own refusal alone says that it has not: whole, in the shape of the call's answers, and not of something between.
async fn words<H: Host, C: Call<Host = H>>(
    core: &Core<H>,
    call: &C,
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
    match little(&mut response, &mut body).await {
        Came::Broken if moves_money => {
            return Err(Unusable::malformed(body.len() as u64, format!("broke off under HTTP {status}")));
        }
        Came::Whole | Came::Broken => {}
        Came::TooLong if moves_money => {
            return Err(Unusable::malformed(None, format!("goes on and on under HTTP {status}")));
        }
        Came::TooLong => return Err(nameless(String::new())),
    }
    match call.refusal(&core.settings, &body) {
        Ok(Some(reply)) => return Ok((Bytes::from(body), reply)),
        // The two contradict each other.
        Ok(None) => return Err(Unusable::malformed(None, format!("says success under HTTP {status}"))),
        Err(Unusable::Malformed { .. }) if !moves_money => {}
        Err(said) => return Err(said),
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

/// Turns what the provider said into an error, without what it must not repeat of the request.
fn told<H: Host, C: Call<Host = H>>(core: &Core<H>, attempt: &Attempt<'_, C>, unusable: Unusable) -> Error {
    match unusable {
        Unusable::Rejected { .. } | Unusable::Unproven { .. } => {
            let call = attempt.call;
            let mut secrets: Vec<_> = attempt.token.iter().map(|token| (token.expose().to_owned(), SECRET)).collect();
            let pairs = call.query(&core.settings).unwrap_or_default();
            let personal = pairs.into_iter().filter(|(name, _)| call.is_personal(name));
            secrets.extend(personal.map(|(_, value)| (value, PERSONAL)));
            secrets.extend(attempt.prepared.body().map(Body::masked).unwrap_or_default());
            let tidy = |text: String| tidy(&masked(&text, &secrets));
            Error::unusable::<C>(match unusable {
                Unusable::Rejected { code, message } => Unusable::Rejected { code: tidy(code), message: tidy(message) },
                Unusable::Unproven { code, message } => Unusable::Unproven { code: tidy(code), message: tidy(message) },
                other => other,
            })
        }
        other => Error::unusable::<C>(other),
    }
}

/// A text with masks for the secrets in it. What is shorter than a few letters is no secret that a text could give away, and
/// would be found in every second word.
fn masked(text: &str, secrets: &[(String, &str)]) -> String {
    const CHARS_MIN: usize = 4;
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = secrets.iter().filter(|(secret, _)| secret.len() >= CHARS_MIN && rest.starts_with(secret.as_str()));
        // The longest: a short one may be a part of it.
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

fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The media type where it says clearly that this is no JSON. Providers do send JSON as plain text or with no type.
fn foreign_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let known =
        kind.is_empty() || kind.contains("json") || matches!(kind.as_str(), "text/plain" | "application/octet-stream");
    let tidy = |letter: char| letter.is_ascii_alphanumeric() || "/.+-".contains(letter);
    (!known).then(|| format!("`{}`", kind.chars().filter(|letter| tidy(*letter)).take(60).collect::<String>()))
}
