//! Faults on request, as the client reports them.

use lendwright::client::{Class, Client};
use lendwright::sandbox::{Fault, FaultBody, Faults};
use lendwright::wire::SendOffers;
use serde_json::json;

use super::{offer, reference, sandbox};
use crate::fixtures::sandbox::Desk;

/// What a pull meets under a fault.
async fn pull_under(fault: Fault, expect_timeout: bool) -> Result<u64, Class> {
    let (sandbox, patient) = sandbox(|config| config.faults.transaction_records = Some(fault)).await;
    let mut settings = patient.settings().clone();
    if expect_timeout {
        settings.limits.total_timeout_ms = 100;
    }
    settings.limits.attempts_max = 2;
    settings.limits.body_bytes_max = 1_500_000;
    let client = Client::new(settings, sandbox.token().clone()).unwrap();
    // A client in a hurry might miss even this on a slow machine.
    let reference = reference(&sandbox, &patient).await;
    client.pull(&reference).await.map(|pulled| pulled.records()).map_err(|error| error.class())
}

#[tokio::test]
async fn faults_happen_on_request() {
    let none = Fault::default;
    let cases = [
        (none(), Ok(5)),
        (Fault { latency_ms: 5, drip_bytes_per_second: Some(100_000), ..none() }, Ok(5)),
        (Fault { status: Some(503), times: Some(1), ..none() }, Ok(5)),
        (Fault { truncate_at: Some(40), times: Some(1), ..none() }, Ok(5)),
        (Fault { oversize_mb: 1, ..none() }, Ok(5)),
        (Fault { gzip_bomb_mb: 1, ..none() }, Ok(5)),
        (Fault { status: Some(503), ..none() }, Err(Class::Unavailable)),
        (Fault { status: Some(429), retry_after_s: Some(3_600), ..none() }, Err(Class::RateLimited)),
        (Fault { status: Some(401), ..none() }, Err(Class::Authentication)),
        (Fault { lost_after_commit: true, ..none() }, Err(Class::Unavailable)),
        (Fault { truncate_at: Some(40), ..none() }, Err(Class::Malformed)),
        (Fault { truncate_at: Some(0), ..none() }, Err(Class::Malformed)),
        (Fault { body: Some(FaultBody::Html), ..none() }, Err(Class::Malformed)),
        (Fault { body: Some(FaultBody::Empty), ..none() }, Err(Class::Malformed)),
        (Fault { body: Some(FaultBody::Garbled), ..none() }, Err(Class::Malformed)),
        (Fault { wrong_status: true, ..none() }, Err(Class::Rejected)),
        (Fault { oversize_mb: 500, ..none() }, Err(Class::TooLarge)),
        (Fault { gzip_bomb_mb: 500, ..none() }, Err(Class::TooLarge)),
        (Fault { latency_ms: 3_600_000, ..none() }, Err(Class::Timeout)),
        (Fault { drip_bytes_per_second: Some(1), ..none() }, Err(Class::Timeout)),
    ];
    for (fault, expected) in cases {
        let result = pull_under(fault.clone(), expected == Err(Class::Timeout)).await;
        assert_eq!(result, expected, "{fault:?}");
    }
}

#[tokio::test]
async fn an_answer_lost_after_the_work_and_one_refused_before_it() {
    let lost = |fault: Fault| Faults { send_offers: Some(fault), ..Faults::default() };
    let cases = [
        (Fault { lost_after_commit: true, ..Fault::default() }, 1),
        (Fault { truncate_at: Some(5), ..Fault::default() }, 1),
        (Fault { body: Some(FaultBody::Html), ..Fault::default() }, 1),
        (Fault { status: Some(500), ..Fault::default() }, 0),
    ];
    for (fault, arrived) in cases {
        let (sandbox, client) = sandbox(|config| config.faults = lost(fault.clone())).await;
        let reference = reference(&sandbox, &client).await;
        let error = client.send(&SendOffers::new(&reference, vec![offer("a")])).await.unwrap_err();
        assert_eq!(error.class(), Class::Uncertain, "{fault:?}");
        assert!(error.is_outcome_unknown());
        assert_eq!(sandbox.received().len(), arrived, "{fault:?}");
    }
}

#[test]
fn a_faults_file_is_read_strictly() {
    let faults: Faults =
        toml::from_str("[transaction_records]\ntimes = 2\nbody = \"html\"\n[send_offers]\nreset = true\n").unwrap();
    let fault = faults.transaction_records.unwrap();
    assert_eq!((fault.times, fault.body, faults.get_offers), (Some(2), Some(FaultBody::Html), None));
    for text in ["[e2]\nreset = true", "[send_offers]\nresets = true", "[send_offers]\nbody = \"pdf\""] {
        assert!(toml::from_str::<Faults>(text).is_err(), "{text}");
    }
}

/// A payout under a fault: the status, or none without an answer, and how often money has moved.
async fn payout_under(fault: Fault) -> (Option<u16>, usize) {
    let desk = Desk::with(|config| config.faults.fund_loan = Some(fault)).await;
    let loan = desk.loan("").await;
    let body = desk.fund_body(&loan, "FUND-1").to_string();
    let path = format!("/lending-service/api/v1/loans/{loan}/fund");
    let answered = desk.send("POST", &path, Some(body)).await;
    (answered.ok().map(|answered| answered.status().as_u16()), desk.only_loan().ledger.len())
}

#[tokio::test]
async fn money_has_moved_or_not_as_the_fault_says() {
    let none = Fault::default;
    let elsewhere = || Some("http://127.0.0.1:1/elsewhere".to_owned());
    let cases = [
        (none(), Some(200), 1),
        (Fault { lost_after_commit: true, ..none() }, None, 1),
        (Fault { reset_before: true, ..none() }, None, 0),
        (Fault { status: Some(503), ..none() }, Some(503), 0),
        (Fault { status: Some(503), after_commit: true, ..none() }, Some(503), 1),
        (Fault { redirect_to: elsewhere(), ..none() }, Some(302), 0),
        (Fault { redirect_to: elsewhere(), status: Some(307), after_commit: true, ..none() }, Some(307), 1),
        (Fault { duplicate: true, ..none() }, Some(200), 1),
        (Fault { wrong_status: true, ..none() }, Some(200), 1),
        (Fault { content_type: Some("text/html".to_owned()), ..none() }, Some(200), 1),
        (Fault { after: 1, status: Some(503), ..none() }, Some(200), 1),
    ];
    for (fault, status, moved) in cases {
        assert_eq!(payout_under(fault.clone()).await, (status, moved), "{fault:?}");
    }
}

#[tokio::test]
async fn a_wrong_status_is_the_endpoints_own_refusal_under_200() {
    let words = "a fault on request";
    let envelope = json!({ "_id": "", "status": "failed", "message": words, "data": null });
    let coded = |code: &str, message: &str| json!({ code: "S500", message: words });
    let records = "/lending-service-data-service/api/v1/customer-details/transactions/OR-1?offerRequestReference=OR-1";
    let cases = [
        ("transaction_records", "GET", records, envelope),
        ("send_sms", "POST", "/lending-service/api/v1/sms", coded("responseCode", "responseMessage")),
        ("create_bill", "POST", "/collections/api/v1/pay-bill", coded("code", "message")),
        ("request_iqr", "POST", "/api/v1/cqr/request", coded("iqrCode", "iqrMessage")),
    ];
    for (name, method, path, expected) in cases {
        let desk = Desk::with(|config| {
            config.faults = toml::from_str(&format!("[{name}]\nwrong_status = true\n")).unwrap();
            config.settings.iqr.code_field = "iqrCode".to_owned();
            config.settings.iqr.message_field = "iqrMessage".to_owned();
        })
        .await;
        let body = (method == "POST").then(|| "{}".to_owned());
        assert_eq!(desk.call(method, path, body).await, (200, expected), "{name}");
    }
}

#[tokio::test]
async fn an_exchange_shows_what_was_sent() {
    let none = Fault::default;
    let well = "{\n  \"responseCode\": \"00\",";
    let failed = "{\n  \"responseCode\": \"S500\",";
    let reset = "[the connection was reset]";
    let html = Some(FaultBody::Html);
    let cases = [
        (Fault { latency_ms: 1, ..none() }, Some(200), well),
        (Fault { body: html, ..none() }, Some(200), "<html><body>The service is being maintained.</body></html>"),
        (Fault { body: Some(FaultBody::Empty), ..none() }, Some(200), ""),
        (Fault { body: Some(FaultBody::Garbled), ..none() }, Some(200), "[120 bytes, garbled]"),
        (Fault { body: Some(FaultBody::Garbled), truncate_at: Some(40), ..none() }, Some(200), "[40 bytes, garbled]"),
        (Fault { truncate_at: Some(9), ..none() }, Some(200), "{\"respons\n[broken off after 9 of 120 bytes]"),
        (Fault { wrong_status: true, ..none() }, Some(200), failed),
        (Fault { status: Some(503), body: html, ..none() }, Some(503), "<html>"),
        (Fault { status: Some(503), after_commit: true, ..none() }, Some(503), failed),
        (Fault { oversize_mb: 1, ..none() }, Some(200), "[1 MB of spaces]\n{"),
        (Fault { gzip_bomb_mb: 1, ..none() }, Some(200), "[1 MB of spaces]\n{"),
        (Fault { reset_before: true, ..none() }, None, reset),
        (Fault { lost_after_commit: true, body: html, ..none() }, None, reset),
    ];
    for (fault, status, words) in cases {
        let desk = Desk::with(|config| config.faults.fund_loan = Some(fault.clone())).await;
        let loan = desk.loan("").await;
        let path = format!("/lending-service/api/v1/loans/{loan}/fund");
        if let Ok(answer) = desk.send("POST", &path, Some(desk.fund_body(&loan, "FUND-1").to_string())).await {
            // Nobody waits for an endless answer.
            let _ = answer.bytes().await;
        }
        let exchange = desk.sandbox.state().exchanges()[0].seen.clone();
        assert_eq!(exchange.status, status, "{fault:?}");
        assert!(exchange.response.starts_with(words), "{fault:?}: {}", exchange.response);
        assert_eq!(exchange.response.is_empty(), words.is_empty(), "{fault:?}: {}", exchange.response);
    }
}

#[tokio::test]
async fn a_lost_payout_is_found_by_asking() {
    for (fault, expected) in [
        (Fault { lost_after_commit: true, times: Some(1), ..Fault::default() }, "SUCCESSFUL"),
        (Fault { reset_before: true, times: Some(1), ..Fault::default() }, "NOT_FOUND"),
    ] {
        let desk = Desk::with(|config| config.faults.fund_loan = Some(fault)).await;
        let loan = desk.loan("").await;
        let body = desk.fund_body(&loan, "FUND-1");
        let path = format!("/lending-service/api/v1/loans/{loan}/fund");
        assert!(desk.send("POST", &path, Some(body.to_string())).await.is_err());
        assert_eq!(desk.requery(&loan, "FUND-1").await, expected);
        assert_eq!(desk.fund(&loan, body).await.0, 200, "the same call again");
        assert_eq!(desk.only_loan().ledger.len(), 1);
    }
}

#[tokio::test]
async fn a_schedule_begins_late_and_ends() {
    let fault = Fault { after: 2, times: Some(3), status: Some(503), ..Fault::default() };
    let desk = Desk::with(|config| config.faults.requery = Some(fault)).await;
    let mut seen = Vec::new();
    for _ in 0..7 {
        seen.push(desk.get("/lending-service/api/v1/transactions/T?loanId=L&providerCode=SANDBOX").await.0);
    }
    assert_eq!(seen, [200, 200, 503, 503, 503, 200, 200]);
}

#[tokio::test]
async fn a_request_that_comes_twice_makes_two_bills_unless_it_has_a_reference() {
    let body = |reference: &str| {
        format!(
            r#"{{"merchantCode":"M","payableCode":"P","amount":1,
                "redirectUrl":"http://localhost/","customerId":"C","currencyCode":566{reference}}}"#
        )
    };
    for (reference, made) in [("", 2), (r#","transactionReference":"B""#, 1)] {
        let desk =
            Desk::with(|config| config.faults.create_bill = Some(Fault { duplicate: true, ..Fault::default() })).await;
        assert_eq!(desk.call("POST", "/collections/api/v1/pay-bill", Some(body(reference))).await.0, 200);
        assert_eq!(desk.sandbox.state().bills().len(), made);
    }
}

#[tokio::test]
async fn faults_are_set_while_the_sandbox_runs() {
    let desk = Desk::new().await;
    let path = "/lending-service/api/v1/transactions/T?loanId=L&providerCode=SANDBOX";
    assert_eq!(desk.get(path).await.0, 200);
    assert_eq!(
        desk.call("POST", "/sandbox/faults", Some("[requery]\nstatus = 503\ntimes = 1\n".to_owned())).await.0,
        303
    );
    assert_eq!((desk.get(path).await.0, desk.get(path).await.0), (503, 200));
    assert_eq!(desk.press("/sandbox/fault", "endpoint=requery&fault=status+%3D+500").await, 303);
    assert_eq!(desk.get(path).await.0, 500);
    assert_eq!(desk.press("/sandbox/fault", "endpoint=requery&fault=").await, 303);
    assert_eq!(desk.get(path).await.0, 200);
    for form in [
        "endpoint=requery&fault=statuses+%3D+500",
        "endpoint=x&fault=",
        "endpoint=requery&fault=status+%3D+99",
        // A second table would be another endpoint's.
        "endpoint=requery&fault=status+%3D+500%0A%5Bsend_sms%5D%0Astatus+%3D+500",
    ] {
        assert_eq!(desk.press("/sandbox/fault", form).await, 400, "{form}");
    }
    for file in [
        "[nothing]",
        "[requery]\ndrip_bytes_per_second = 0",
        "[requery]\ntimes = 0",
        "[requery]\nstatus = 200\nredirect_to = \"http://elsewhere/\"",
        "[requery]\nafter_commit = true",
    ] {
        assert_eq!(desk.call("POST", "/sandbox/faults", Some(file.to_owned())).await.0, 400, "{file}");
    }
    assert_eq!(desk.get(path).await.0, 200, "what is refused changes nothing");
    let shown: Vec<String> = desk.sandbox.state().exchanges().into_iter().map(|one| one.seen.fault).collect();
    assert_eq!(shown, ["", "", "status", "", "status", ""]);
}

#[test]
fn every_endpoint_has_its_table() {
    use lendwright::sandbox::Endpoint;
    for endpoint in Endpoint::ALL {
        let text = format!("[{}]\nlost_after_commit = true\n", endpoint.name());
        let faults: Faults = toml::from_str(&text).unwrap();
        for other in Endpoint::ALL {
            assert_eq!(faults.for_endpoint(other).is_some(), other == endpoint, "{}", other.name());
        }
        assert!(faults.for_endpoint(endpoint).unwrap().lost_after_commit);
    }
}
