//! The account of an acceptance: a wrong one is refused in the reply if the provider says so in time (E5), and told by
//! message otherwise.

use std::time::{Duration, Instant};

use lendwright::sandbox::Fault;
use serde_json::{Value, json};

use crate::fixtures::lender_service::{Bench, until};
use crate::fixtures::sandbox::changed;

const NOW: &str = "[answers]\noffers = \"now\"\n";

/// An acceptance as the provider sends it, to an account that does not exist.
fn wrong_account(bench: &Bench, offer: &str) -> Value {
    changed(&right_account(bench, offer), "destinationAccountNumber", json!("0000000000"))
}

fn right_account(bench: &Bench, offer: &str) -> Value {
    changed(&bench.sandbox.accept_body(offer), "msisdn", json!("2348030000000"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_account_is_refused_in_the_reply() {
    let bench = Bench::new(NOW).await;
    let _service = bench.serve();
    let offer = bench.offer().await;
    let path = format!("offers/{offer}/accept");
    let wrong = wrong_account(&bench, &offer);
    let (status, body) = bench.call(&path, Some(&wrong)).await;
    let said = "the account could not be verified; accept the offer with another account";
    assert_eq!((status, &body["responseMessage"]), (409, &json!(said)), "{body}");
    // However often it comes, and however many at once.
    let replies = futures_util::future::join_all((0..20).map(|_| bench.call(&path, Some(&wrong)))).await;
    assert!(replies.iter().all(|reply| reply.0 == 409), "{replies:?}");
    // The right account follows, under the same reference.
    let loan = bench.accept(&offer).await;
    bench.until_status(&loan, "OPEN").await;
    until("the message", || !bench.sandbox.sandbox.state().messages().is_empty()).await;
    let messages = bench.sandbox.sandbox.state().messages();
    assert_eq!(messages.len(), 1, "only the payout is told: {messages:?}");
    assert_eq!(bench.payouts(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_account_is_told_later_where_the_provider_takes_too_long() {
    let deadline = "[answers]\noffers = \"now\"\n[acceptance]\ndeadline_ms = 50\n";
    let slow = Fault { latency_ms: 2_000, ..Fault::default() };
    let bench = Bench::with(deadline, |config| config.faults.verify_account = Some(slow)).await;
    let _service = bench.serve();
    let offer = bench.offer().await;
    let (status, body) = bench.call(&format!("offers/{offer}/accept"), Some(&wrong_account(&bench, &offer))).await;
    assert_eq!(status, 200, "{body}");
    // The sandbox knows no such loan, because the acceptance did not come through it, and so refuses the message.
    bench.until_metrics("lendwright_provider_call_seconds_count{call=\"send SMS (E7)\",outcome=\"rejected\"} 1").await;
    bench.until_metrics("lendwright_loans{state=\"account_wrong\"} 1").await;
    assert_eq!(bench.payouts(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_acceptance_does_not_wait_where_the_configuration_says_so() {
    let later = "[answers]\noffers = \"now\"\n[acceptance]\nverify_account = \"later\"\n";
    let takes = Duration::from_secs(25);
    let slow = Fault { latency_ms: 25_000, ..Fault::default() };
    let bench = Bench::with(later, |config| config.faults.verify_account = Some(slow)).await;
    let _service = bench.serve();
    let offer = bench.offer().await;
    let began = Instant::now();
    let (status, body) = bench.call(&format!("offers/{offer}/accept"), Some(&right_account(&bench, &offer))).await;
    assert_eq!(status, 200, "{body}");
    assert!(began.elapsed() < takes, "it waited for the verification");
}
