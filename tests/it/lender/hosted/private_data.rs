//! Nothing of a request is in logs, metrics or refusals: neither secrets nor personal values, wherever they stand.

use prometheus_client::encoding::text::encode;

use super::{ACCEPT, OFFERS, PASSWORD, PAYMENT, STATUS, bench, settings};
use crate::fixtures::log::Listening;

/// Put into every place of a request that has room for a text.
const CANARY: &str = "canary-7f3a";

#[tokio::test]
async fn logs_metrics_and_refusals_repeat_nothing_of_a_request() {
    let bench = bench();
    let listening = Listening::begin();
    let mut answers = String::new();
    let right = [("username", "provider"), ("password", PASSWORD), ("content-type", "application/json")];
    let wrong = [("username", CANARY), ("password", CANARY), ("content-type", "application/json")];
    // Each value in turn is the canary, in a request that is read, and in one that is refused for another field.
    let values = [
        "C-1",
        "OF-1",
        "0123456789",
        "058",
        "tok-en",
        "LR-1",
        "LN-1",
        "P-1",
        "1250.50",
        "WEB",
        "LOAN",
        "OR-1",
        "1990-02-28",
        "5000000",
        "LENDER",
        "customerId",
        "Amount",
        "paymentRef",
        "offerRequestReference",
    ];
    for value in values {
        for canary in [CANARY.to_owned(), format!("{CANARY}\\u0000"), format!("{CANARY}{}", "x".repeat(200))] {
            let requests = [
                ("POST", "/offers/OF-1/accept".replace(value, CANARY), ACCEPT.replace(value, &canary)),
                ("POST", "/payment-notification".to_owned(), PAYMENT.replace(value, &canary)),
                ("POST", "/payment-notification".to_owned(), format!("{}{canary}", PAYMENT.replace(value, &canary))),
                ("GET", OFFERS.replace(value, &canary.replace('\\', "%00")), String::new()),
                ("GET", STATUS.replace(value, &canary.replace('\\', "%00")), String::new()),
                ("GET", format!("/{CANARY}?{CANARY}={CANARY}"), String::new()),
                ("PUT", format!("/offers?{CANARY}"), CANARY.to_owned()),
            ];
            for (method, uri, body) in requests {
                for headers in [right, wrong] {
                    let mut headers = headers.to_vec();
                    headers.extend([("x-request-id", CANARY), ("authorization", CANARY), ("cookie", CANARY)]);
                    let answer = bench.ask(method, &uri, &headers, body.clone()).await;
                    answers += &format!("{:?} {}\n", answer.headers, answer.body);
                }
            }
        }
    }
    let mut metrics = String::new();
    encode(&mut metrics, &bench.registry).unwrap();
    let logged = listening.end();
    for (place, text) in [("log", &logged), ("metrics", &metrics), ("answers", &answers)] {
        assert!(!text.contains(CANARY), "{place}");
        assert!(!text.contains(PASSWORD), "{place}");
    }
    // They were there to be found.
    assert!(bench.lender.seen.lock().unwrap().iter().any(|seen| seen.contains(CANARY)));
    for word in ["endpoint=\"accept_offer\"", "status=200", "status=400", "status=401", "request_id="] {
        assert!(logged.contains(word), "{word}");
    }
    for word in [
        "endpoint=\"payment_notification\",status=\"4xx\"",
        "reason=\"unauthorized\"",
        "reason=\"invalid\"",
        "lendwright_http_in_flight 0",
    ] {
        assert!(metrics.contains(word), "{word}\n{metrics}");
    }
}

#[tokio::test]
async fn an_answer_of_the_provider_gone_away_is_counted() {
    let bench = bench();
    {
        let asked = bench.get("/loan-status/LN-1?customerId=waits&loanId=LN-1&providerCode=LENDER&channelCode=WEB");
        let _ = tokio::time::timeout(std::time::Duration::from_millis(20), asked).await;
    }
    let mut metrics = String::new();
    encode(&mut metrics, &bench.registry).unwrap();
    assert!(metrics.contains("endpoint=\"loan_status\",status=\"none\""), "{metrics}");
    // The work goes on.
    assert!(metrics.contains("lendwright_http_in_flight 1"), "{metrics}");
    bench.lender.gate.add_permits(1);
    while bench.lender.done.lock().unwrap().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

#[test]
fn debug_texts_show_no_values() {
    let mut settings = settings();
    settings.provider_code = "L".to_owned();
    let pairs = [
        ("customerId", CANARY),
        ("channelCode", "WEB"),
        ("amount", "7"),
        ("serviceType", "LOAN"),
        ("dateOfBirth", "1990-02-28"),
        ("providerCode", "L"),
        ("offerRequestReference", "OR-1"),
    ];
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let request = lendwright::wire::lender::OfferRequest::read(&pairs, &[], &settings).unwrap();
    let body = ACCEPT.replace("C-1", CANARY).replace("0123456789", CANARY).replace("tok-en", CANARY);
    let accepted = lendwright::wire::lender::OfferAcceptance::read(None, body.as_bytes(), &settings).unwrap();
    let shown = format!("{request:?} {accepted:?}");
    assert!(!shown.contains(CANARY) && !shown.contains("1990"), "{shown}");
}
