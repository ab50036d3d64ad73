//! Sends callbacks: E10 and E11 to the lender's endpoints, events to a webhook. Each receiver has a lane of its own, so
//! one that is down does not delay the other. Knows nothing of why a callback is sent.

use std::time::Duration;

use reqwest::Method;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::behaviour::ATTEMPTS_MAX;
use super::outgoing::{Outgoing, parse_outgoing_address};
use super::store::{CallbackKind, CallbackState, Delivery, Lane, SandboxLoanState, SandboxState};
use crate::provider::wire::lender::{LoanStatusReply, NotificationReply};

/// How long a callback waits for the answer to the previous one. After that both are in flight.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many may be in flight to one receiver.
const IN_FLIGHT_MAX: usize = 64;

/// Sends callbacks while the sandbox runs. Dropping this ends all that are in flight.
pub(crate) async fn run_callback_lanes(state: SandboxState) {
    tokio::join!(run_one_lane(&state, Lane::Lender), run_one_lane(&state, Lane::Webhook));
}

/// Calls one receiver. First attempts start in order, each once the previous one was answered or its wait is over.
/// Further attempts delay nothing.
async fn run_one_lane(state: &SandboxState, lane: Lane) {
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
        in_flight.spawn(deliver_callback(state.clone(), delivery, answered));
        // The next one starts, whether this one was answered or not.
        let _ = tokio::time::timeout(PATIENCE, first).await;
    }
}

/// Tries a callback until it is accepted or its attempts are used up. `answered` fires after the first attempt.
async fn deliver_callback(state: SandboxState, delivery: Delivery, answered: oneshot::Sender<()>) {
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
async fn attempt_once(state: &SandboxState, delivery: &Delivery) -> Result<(bool, String), String> {
    let name = match delivery.kind {
        CallbackKind::PaymentNotification => "E11 Payment Notification",
        CallbackKind::LoanStatus => "E10 Get Loan Status",
        CallbackKind::Webhook => "webhook",
    };
    let judged = |status: u16, body: &[u8]| {
        let judged = judge_callback_answer(state, delivery, status, body);
        (judged.clone(), judged.1)
    };
    prepare_callback(state, delivery)?.send(state, name, judged).await
}

fn prepare_callback(state: &SandboxState, delivery: &Delivery) -> Result<Outgoing, String> {
    let config = state.config();
    let names = &config.settings.lender;
    let (body, shown) = (delivery.body.clone(), delivery.body.clone());
    match delivery.kind {
        CallbackKind::Webhook => {
            let url = parse_outgoing_address(config.webhook_url.as_deref().unwrap_or_default())?;
            Ok(Outgoing { method: Method::POST, url, header: None, body, shown, lender: None })
        }
        CallbackKind::PaymentNotification => {
            let path = names.payment_notification_path.trim_matches('/').split('/');
            Ok(Outgoing { body, shown, ..Outgoing::to_lender(state, Method::POST, path)? })
        }
        CallbackKind::LoanStatus => {
            let path = names.loan_status_path.trim_matches('/').split('/').chain([delivery.about.as_str()]);
            let mut call = Outgoing::to_lender(state, Method::GET, path)?;
            call.url
                .query_pairs_mut()
                .append_pair("customerId", &delivery.customer_id)
                .append_pair("loanId", &delivery.about)
                .append_pair("providerCode", &config.settings.provider_code)
                .append_pair("channelCode", &delivery.channel_code);
            Ok(call)
        }
    }
}

/// Whether an answer accepts the call, and what it says in a few words.
fn judge_callback_answer(state: &SandboxState, delivery: &Delivery, status: u16, body: &[u8]) -> (bool, String) {
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
fn compare_status(state: &SandboxState, loan_id: &str, reply: &LoanStatusReply) -> String {
    let Some(lenders) = &reply.loan else { return format!("{} without a loan", reply.response_code) };
    let Some(loan) = state.loan(loan_id) else {
        return format!("{} {}, for a loan that the sandbox does not know", reply.response_code, lenders.status);
    };
    let remaining = state.lenders_amount(loan.remaining, &loan.currency);
    let status = if loan.state == SandboxLoanState::Closed { "CLOSED" } else { "OPEN" };
    let verdict = match lenders.remaining_amount == remaining && lenders.status == status {
        true => "as recorded".to_owned(),
        false => format!("recorded as {status}, {remaining}"),
    };
    format!("{} {}, {} remaining, {verdict}", reply.response_code, lenders.status, lenders.remaining_amount)
}
