//! Calls back to the lender: notifications of payments, as often and in the order asked for, and requests for statuses;
//! and notifications of paid bills to merchants. The other side is a real server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::IntoResponse;
use axum::{Json, Router};
use lendwright::base::secret::Secret;
use lendwright::sandbox::{Callback, CallbackKind, CallbackState, Config, Lender};
use serde_json::{Value, json};

use crate::fixtures::sandbox::Desk;

/// The parts of a call: method, path with query, user name and password, `accept` and `content-type`, body.
#[derive(Debug, Clone, PartialEq)]
struct Came {
    path: String,
    credentials: String,
    types: [String; 2],
    body: Value,
}

#[derive(Clone, Default)]
struct Other {
    came: Arc<Mutex<Vec<Came>>>,
    /// This many calls are refused first.
    refuses: Arc<Mutex<u32>>,
    /// This many calls are never answered.
    ignores: Arc<Mutex<u32>>,
}

impl Other {
    fn ignored(&self) -> bool {
        let mut ignores = self.ignores.lock().unwrap();
        let ignored = *ignores > 0;
        *ignores = ignores.saturating_sub(1);
        ignored
    }

    /// Waits until this many calls have come.
    async fn has(&self, count: usize) {
        while self.came.lock().unwrap().len() < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn take(State(other): State<Other>, request: Request) -> axum::response::Response {
    let (parts, body) = request.into_parts();
    let text =
        |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let body = axum::body::to_bytes(body, 100_000).await.unwrap();
    other.came.lock().unwrap().push(Came {
        path: format!("{} {}", parts.method, parts.uri),
        credentials: format!("{}:{}", text("username"), text("password")),
        types: [text("accept"), text("content-type")],
        body: serde_json::from_slice(&body).unwrap_or_default(),
    });
    if other.ignored() {
        std::future::pending::<()>().await;
    }
    {
        let mut refuses = other.refuses.lock().unwrap();
        if *refuses > 0 {
            *refuses -= 1;
            return axum::http::StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
    }
    let loan = json!({ "status": "OPEN", "remainingAmount": "52000.00", "dueDate": "2026-07-30T12:00:00.000Z" });
    Json(json!({ "responseCode": "00", "responseMessage": "ok", "loanStatus": "OPEN", "loan": loan })).into_response()
}

/// A lender with a sandbox that calls it.
async fn desk(change: impl FnOnce(&mut Config)) -> (Desk, Other) {
    let other = Other::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().fallback(take).with_state(other.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let desk = Desk::with(|config| {
        let password = Secret::new("password-canary");
        config.lender =
            Some(Lender { url: format!("http://{address}/our/lender"), username: "provider".to_owned(), password });
        config.webhook_url = Some(format!("http://{address}/hook"));
        config.behaviour.notifications.wait_ms = 1;
        change(config);
    })
    .await;
    (desk, other)
}

/// The callbacks, once none of them is waiting.
async fn settled(desk: &Desk, count: usize) -> Vec<Callback> {
    loop {
        let callbacks = desk.sandbox.state().callbacks();
        let waits = callbacks.iter().any(|callback| callback.state == CallbackState::Waiting);
        if callbacks.len() >= count && !waits {
            return callbacks;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn amounts(other: &Other) -> Vec<String> {
    other.came.lock().unwrap().iter().map(|came| came.body["Amount"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_payment_is_notified_with_the_exact_names() {
    let (desk, other) = desk(|_| {}).await;
    let loan = desk.funded().await;
    desk.debit(&loan, "D-1", 150_050).await;
    assert_eq!(desk.press("/sandbox/repay", &format!("loan={loan}&amount=100")).await, 303);
    let callbacks = settled(&desk, 2).await;
    assert!(callbacks.iter().all(|one| one.state == CallbackState::Taken && one.attempts == 1), "{callbacks:?}");
    let came = other.came.lock().unwrap().clone();
    assert_eq!(came[0].path, "POST /our/lender/payment-notification");
    assert_eq!(came[0].credentials, "provider:password-canary");
    assert_eq!(came[0].types, ["application/json", "application/json"]);
    let reference = desk.sandbox.state().transactions()[1].transaction_ref.clone();
    let customer = &desk.person().customer_id;
    let expected = json!({ "loanId": loan, "paymentRef": reference, "Amount": "1500.50", "customerId": customer });
    assert_eq!(came[0].body, expected);
    assert_eq!(came[1].body["Amount"], "1.00");
    let shown = serde_json::to_string(&desk.sandbox.state().exchanges()).unwrap();
    assert!(shown.contains("/our/lender/payment-notification") && !shown.contains("password-canary"));
}

#[tokio::test]
async fn notifications_come_twice_and_out_of_order_on_request() {
    let (desk, other) = desk(|config| {
        config.behaviour.notifications.copies = 2;
        config.behaviour.notifications.reversed_in = 4;
    })
    .await;
    let loan = desk.funded().await;
    for (id, amount) in [("A", 100), ("B", 200), ("C", 300)] {
        assert_eq!(desk.debit(&loan, id, amount).await.0, 200);
    }
    settled(&desk, 6).await;
    assert_eq!(amounts(&other), ["2.00", "2.00", "1.00", "1.00"], "those of the third wait for more");
    assert_eq!(desk.press("/sandbox/release", "").await, 303);
    settled(&desk, 6).await;
    assert_eq!(amounts(&other)[4..], ["3.00", "3.00"]);
}

#[tokio::test]
async fn a_lender_that_is_down_is_called_again_but_not_for_ever() {
    let (desk, other) = desk(|_| {}).await;
    let loan = desk.funded().await;
    *other.refuses.lock().unwrap() = 2;
    desk.debit(&loan, "A", 100).await;
    let first = settled(&desk, 1).await[0].clone();
    assert_eq!((first.state, first.attempts), (CallbackState::Taken, 3));
    *other.refuses.lock().unwrap() = 3;
    desk.debit(&loan, "B", 100).await;
    let second = settled(&desk, 2).await[1].clone();
    assert_eq!((second.state, second.attempts), (CallbackState::Failed, 3));
    assert_eq!(second.answer, "HTTP 503, not the answer of E11");
    assert_eq!(desk.press("/sandbox/again", "number=2").await, 303);
    assert_eq!(settled(&desk, 3).await[2].state, CallbackState::Taken);
}

#[tokio::test]
async fn notifications_can_be_kept_from_the_lender() {
    let (desk, other) = desk(|config| config.behaviour.notifications.suppressed = true).await;
    let loan = desk.funded().await;
    desk.debit(&loan, "A", 100).await;
    assert_eq!(settled(&desk, 1).await[0].state, CallbackState::Suppressed);
    assert!(other.came.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_lender_is_asked_how_a_loan_stands() {
    let (desk, other) = desk(|_| {}).await;
    let loan = desk.funded().await;
    for (paid, verdict) in [(false, "as recorded"), (true, "recorded as OPEN, 51000.00")] {
        if paid {
            desk.debit(&loan, "A", 100_000).await;
            settled(&desk, 2).await;
        }
        assert_eq!(desk.press("/sandbox/status", &format!("loan={loan}")).await, 303);
        let count = if paid { 3 } else { 1 };
        let last = settled(&desk, count).await[count - 1].clone();
        assert_eq!((last.kind, last.state), (CallbackKind::LoanStatus, CallbackState::Taken));
        assert_eq!(last.answer, format!("00 OPEN, 52000.00 remaining, {verdict}"));
    }
    let customer = desk.person().customer_id;
    let expected = format!(
        "GET /our/lender/loan-status/{loan}?customerId={customer}&loanId={loan}&providerCode=SANDBOX&channelCode=WEB"
    );
    let asked = other.came.lock().unwrap()[0].clone();
    assert_eq!((asked.path, asked.types), (expected, ["application/json".to_owned(), String::new()]));
    assert_eq!(asked.credentials, "provider:password-canary");
    assert_eq!(desk.press("/sandbox/status", "loan=none").await, 404);
}

#[tokio::test]
async fn the_lender_is_asked_with_the_channel_of_the_offer_request() {
    use lendwright::wire::Segment;
    for (segment, expected) in [(Segment::OfferRequestReference, "USSD"), (Segment::Fixed("x".to_owned()), "WEB")] {
        let (desk, other) = desk(|config| config.settings.send_offers.segment = segment.clone()).await;
        desk.asked(&desk.person(), "USSD").await;
        let reference = desk.sandbox.requests()[0].reference.clone();
        let path = if segment == Segment::OfferRequestReference { &reference } else { "x" };
        assert_eq!(desk.offer(path, "A", "").await.0, 200);
        let (_, accepted) = desk.accept("A", desk.accept_body("A")).await;
        let loan = accepted["loanId"].as_str().unwrap();
        assert_eq!(desk.press("/sandbox/status", &format!("loan={loan}")).await, 303);
        other.has(1).await;
        let asked = other.came.lock().unwrap()[0].path.clone();
        assert!(asked.ends_with(&format!("&channelCode={expected}")), "{asked}");
    }
}

#[tokio::test]
async fn a_paid_bill_is_announced_where_the_settings_say() {
    let (desk, other) =
        desk(|config| config.settings.bill.webhook.reference_field = "data.bill.reference".to_owned()).await;
    let body = json!({ "merchantCode": "M1", "payableCode": "P1", "amount": 150_000, "redirectUrl": "http://localhost/",
        "customerId": "C", "currencyCode": 566 });
    let (_, bill) = desk.post("/collections/api/v1/pay-bill", body).await;
    let reference = bill["reference"].as_str().unwrap();
    assert_eq!(desk.press(&format!("/sandbox/pay/{reference}"), "amount=150000").await, 303);
    assert_eq!(settled(&desk, 1).await[0].state, CallbackState::Taken);
    let came = other.came.lock().unwrap()[0].clone();
    assert_eq!((came.path.as_str(), &came.body["data"]["bill"]["reference"]), ("POST /hook", &json!(reference)));
}

#[tokio::test]
async fn a_dead_webhook_delays_no_lender() {
    // The system accepts connections, and nobody ever answers.
    let dead = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hook = format!("http://{}/hook", dead.local_addr().unwrap());
    let (desk, other) = desk(|config| config.webhook_url = Some(hook)).await;
    let loan = desk.funded().await;
    for _ in 0..3 {
        let body = json!({ "merchantCode": "M1", "payableCode": "P1", "amount": 1, "redirectUrl": "http://localhost/",
            "customerId": "C", "currencyCode": 566 });
        let (_, bill) = desk.post("/collections/api/v1/pay-bill", body).await;
        let path = format!("/sandbox/pay/{}", bill["reference"].as_str().unwrap());
        assert_eq!(desk.press(&path, "amount=1").await, 303);
    }
    desk.debit(&loan, "A", 100).await;
    other.has(1).await;
    let states: Vec<CallbackState> = desk.sandbox.state().callbacks()[..3].iter().map(|one| one.state).collect();
    assert_eq!(states, [CallbackState::Waiting; 3], "still being tried while the lender was called");
}

#[tokio::test]
async fn a_notification_without_an_answer_delays_the_next_for_a_moment_only() {
    let (desk, other) = desk(|_| {}).await;
    let loan = desk.funded().await;
    *other.ignores.lock().unwrap() = 1;
    desk.debit(&loan, "A", 100).await;
    desk.debit(&loan, "B", 200).await;
    other.has(2).await;
    assert_eq!(amounts(&other)[..2], ["1.00", "2.00"], "first attempts begin in order");
    let first = desk.sandbox.state().callbacks()[0].clone();
    assert_eq!(first.state, CallbackState::Waiting, "still being tried while the next was sent");
}

#[tokio::test]
async fn a_refused_notification_is_tried_again_behind_the_next() {
    let (desk, other) = desk(|config| config.behaviour.notifications.wait_ms = 2_000).await;
    let loan = desk.funded().await;
    *other.refuses.lock().unwrap() = 1;
    desk.debit(&loan, "A", 100).await;
    desk.debit(&loan, "B", 200).await;
    settled(&desk, 2).await;
    assert_eq!(amounts(&other), ["1.00", "2.00", "1.00"]);
}

#[tokio::test]
async fn delays_do_not_add_up() {
    let (desk, other) = desk(|config| {
        config.behaviour.notifications.delay_ms = 500;
        config.behaviour.notifications.copies = 60;
    })
    .await;
    let loan = desk.funded().await;
    let from = std::time::Instant::now();
    desk.debit(&loan, "A", 100).await;
    other.has(60).await;
    let took = from.elapsed();
    assert!(took >= Duration::from_millis(500) && took < Duration::from_secs(30), "one delay, not sixty: {took:?}");
}

#[tokio::test]
async fn a_lender_that_refuses_everything_has_a_bounded_number_under_way() {
    let (desk, other) = desk(|config| {
        config.behaviour.notifications.copies = 66;
        config.behaviour.notifications.wait_ms = 60_000;
    })
    .await;
    let loan = desk.funded().await;
    *other.refuses.lock().unwrap() = u32::MAX;
    desk.debit(&loan, "A", 100).await;
    other.has(64).await;
    // Each waits for its second attempt; the others wait for one of them to end.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(other.came.lock().unwrap().len(), 64);
    let callbacks = desk.sandbox.state().callbacks();
    assert_eq!(callbacks.iter().filter(|callback| callback.attempts == 0).count(), 2);
}

#[tokio::test]
async fn what_is_under_way_ends_with_the_sandbox() {
    use tokio::io::AsyncReadExt;
    let lender = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = lender.local_addr().unwrap();
    let (desk, _) = desk(|config| config.lender.as_mut().unwrap().url = format!("http://{address}")).await;
    let loan = desk.funded().await;
    desk.debit(&loan, "A", 100).await;
    let (mut called, _) = lender.accept().await.unwrap();
    let mut bytes = vec![0];
    assert_eq!(called.read(&mut bytes).await.unwrap(), 1);
    drop(desk);
    // Ends when the caller disconnects, in any way.
    let _ = called.read_to_end(&mut bytes).await;
    assert!(bytes.starts_with(b"POST "), "{} bytes", bytes.len());
}
