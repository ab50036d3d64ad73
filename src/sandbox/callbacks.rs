//! Sends callbacks: E10 and E11 to the lender's endpoints, events to a webhook. Each receiver has a lane of its own, so
//! one that is down does not delay the other. Knows nothing of why a callback is sent.

use std::time::{Duration, Instant};

use reqwest::{Client, Method, Url};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::behaviour::ATTEMPTS_MAX;
use super::store::{CallbackKind, CallbackState, Delivery, Lane, LoanState, Seen, State};
use crate::tls;
use crate::wire::lender::{LoanStatusReply, NotificationReply, PASSWORD_HEADER, USERNAME_HEADER};

const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest answer that is read. Answers are short.
const ANSWER_BYTES: usize = 64_000;
/// How long a callback waits for the answer to the previous one. After that both are in flight.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many may be in flight to one receiver.
const IN_FLIGHT_MAX: usize = 64;

/// A call that is ready to be sent.
struct Ready {
    method: Method,
    url: Url,
    body: Option<Value>,
    /// User name and password.
    credentials: Option<(String, String)>,
}

/// Sends callbacks while the sandbox runs. Dropping this ends all that are in flight.
pub(crate) async fn run(state: State) {
    tokio::join!(lane(&state, Lane::Lender), lane(&state, Lane::Webhook));
}

/// Calls one receiver. First attempts start in order, each once the previous one was answered or its wait is over.
/// Further attempts delay nothing.
async fn lane(state: &State, lane: Lane) {
    let mut in_flight = JoinSet::new();
    loop {
        let delivery = state.next_delivery(lane).await;
        while in_flight.try_join_next().is_some() {}
        if in_flight.len() >= IN_FLIGHT_MAX {
            in_flight.join_next().await;
        }
        if delivery.kind == CallbackKind::PaymentNotification {
            let delay = Duration::from_millis(state.config().behaviour.notifications.delay_ms);
            // Measured from when it became due, so that delays do not add up.
            tokio::time::sleep(delay.saturating_sub(delivery.due.elapsed())).await;
        }
        let (answered, first) = oneshot::channel();
        in_flight.spawn(deliver(state.clone(), delivery, answered));
        // The next one starts, whether this one was answered or not.
        let _ = tokio::time::timeout(PATIENCE, first).await;
    }
}

/// Tries a callback until it is accepted or its attempts are used up. `answered` fires after the first attempt.
async fn deliver(state: State, delivery: Delivery, answered: oneshot::Sender<()>) {
    let asked = &state.config().behaviour.notifications;
    let (attempts_max, mut wait_ms) = (asked.attempts_max.clamp(1, ATTEMPTS_MAX), asked.wait_ms);
    let mut answered = Some(answered);
    for attempt in 1..=attempts_max {
        let (taken, answer) = attempt_once(&state, &delivery).await.unwrap_or_else(|problem| (false, problem));
        let outcome = match (taken, attempt == attempts_max) {
            (true, _) => CallbackState::Taken,
            (false, true) => CallbackState::Failed,
            (false, false) => CallbackState::Waiting,
        };
        state.record_attempt(delivery.number, attempt, outcome, answer);
        if let Some(answered) = answered.take() {
            // Fails if the lane has stopped waiting.
            let _ = answered.send(());
        }
        if outcome != CallbackState::Waiting {
            return;
        }
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        wait_ms = wait_ms.saturating_mul(2).min(60_000);
    }
}

/// Makes one attempt. Returns whether the receiver accepted it, and its answer in words.
async fn attempt_once(state: &State, delivery: &Delivery) -> Result<(bool, String), String> {
    let ready = ready(state, delivery)?;
    let client = client(state, &ready.url)?;
    let from = Instant::now();
    let mut seen = Seen {
        endpoint: match delivery.kind {
            CallbackKind::PaymentNotification => "E11 Payment Notification",
            CallbackKind::LoanStatus => "E10 Get Loan Status",
            CallbackKind::Webhook => "webhook",
        }
        .to_owned(),
        outgoing: true,
        method: ready.method.to_string(),
        path: shown(&ready.url),
        request: ready.body.as_ref().and_then(|body| serde_json::to_string_pretty(body).ok()).unwrap_or_default(),
        ..Seen::default()
    };
    let mut request = client.request(ready.method, ready.url).header("accept", "application/json");
    if let Some((username, password)) = ready.credentials {
        request = request.header(USERNAME_HEADER, username).header(PASSWORD_HEADER, password);
    }
    if let Some(body) = ready.body {
        request = request.header("content-type", "application/json").body(body.to_string());
    }
    let answered = answer(request).await;
    seen.took_us = u64::try_from(from.elapsed().as_micros()).unwrap_or(u64::MAX);
    let result = match &answered {
        Ok((status, body)) => {
            seen.status = Some(*status);
            // Only what was understood: the receiver may echo what it was sent, including its password.
            let judged = judge(state, delivery, *status, body);
            seen.response = format!("{}\n[{} bytes]", judged.1, body.len());
            Ok(judged)
        }
        Err(problem) => {
            seen.response.clone_from(problem);
            Err(problem.clone())
        }
    };
    state.note_exchange(seen);
    result
}

/// An address without the parts that may be secret.
fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    // Both fail only for addresses that cannot have these parts.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_query(None);
    shown.to_string()
}

fn ready(state: &State, delivery: &Delivery) -> Result<Ready, String> {
    let config = state.config();
    let address = |text: &str| Url::parse(text).map_err(|_| "the address is not a URL".to_owned());
    let is_status = match delivery.kind {
        CallbackKind::Webhook => {
            let url = address(config.webhook_url.as_deref().unwrap_or_default())?;
            return Ok(Ready { method: Method::POST, url, body: delivery.body.clone(), credentials: None });
        }
        CallbackKind::LoanStatus => true,
        CallbackKind::PaymentNotification => false,
    };
    let lender = config.lender.as_ref().ok_or("the sandbox was started without a lender's address")?;
    let names = &config.settings.lender;
    let (path, method) = match is_status {
        true => (&names.loan_status_path, Method::GET),
        false => (&names.payment_notification_path, Method::POST),
    };
    let mut url = address(&lender.url)?;
    {
        let mut segments = url.path_segments_mut().map_err(|()| "the lender's address has no path".to_owned())?;
        segments.pop_if_empty().extend(path.trim_matches('/').split('/'));
        if is_status {
            segments.push(&delivery.about);
        }
    }
    if is_status {
        url.query_pairs_mut()
            .append_pair("customerId", &delivery.customer_id)
            .append_pair("loanId", &delivery.about)
            .append_pair("providerCode", &config.settings.provider_code)
            .append_pair("channelCode", &delivery.channel_code);
    }
    let credentials = Some((lender.username.clone(), lender.password.expose().to_owned()));
    Ok(Ready { method, url, body: delivery.body.clone(), credentials })
}

async fn answer(request: reqwest::RequestBuilder) -> Result<(u16, Vec<u8>), String> {
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

/// Whether an answer accepts the call, and what it says in a few words.
fn judge(state: &State, delivery: &Delivery, status: u16, body: &[u8]) -> (bool, String) {
    let success = &state.config().settings.success_code;
    let is_good = (200..300).contains(&status);
    match delivery.kind {
        CallbackKind::Webhook => (is_good, format!("HTTP {status}")),
        CallbackKind::PaymentNotification => match serde_json::from_slice::<NotificationReply>(body) {
            Ok(reply) if is_good => {
                (reply.response_code == *success, format!("{} {}", reply.response_code, reply.loan_status))
            }
            _ => (false, format!("HTTP {status}, not the answer of E11")),
        },
        CallbackKind::LoanStatus => match serde_json::from_slice::<LoanStatusReply>(body) {
            Ok(reply) if is_good => (reply.response_code == *success, compare_status(state, &delivery.about, &reply)),
            _ => (false, format!("HTTP {status}, not the answer of E10")),
        },
    }
}

/// The loan's status by the lender, compared with the sandbox's own.
fn compare_status(state: &State, loan_id: &str, reply: &LoanStatusReply) -> String {
    let Some(lenders) = &reply.loan else { return format!("{} without a loan", reply.response_code) };
    let Some(loan) = state.loan(loan_id) else {
        return format!("{} {}, for a loan that the sandbox does not know", reply.response_code, lenders.status);
    };
    let remaining = state.lenders_amount(loan.remaining, &loan.currency);
    let status = if loan.state == LoanState::Closed { "CLOSED" } else { "OPEN" };
    let verdict = match lenders.remaining_amount == remaining && lenders.status == status {
        true => "as recorded".to_owned(),
        false => format!("recorded as {status}, {remaining}"),
    };
    format!("{} {}, {} remaining, {verdict}", reply.response_code, lenders.status, lenders.remaining_amount)
}

fn client(state: &State, url: &Url) -> Result<Client, String> {
    let own_roots = state.config().settings.root_certificates.as_deref();
    let tls = tls::configuration(url.scheme() == "https", own_roots).map_err(|error| error.to_string())?;
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(TIMEOUT)
        .tls_backend_preconfigured(tls)
        .build()
        .map_err(|_| "no HTTP client can be made for this address".to_owned())
}
