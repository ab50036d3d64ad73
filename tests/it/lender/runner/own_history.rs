//! A policy reads what the book knows of the customer, at the moment of the decision.

use serde_json::json;

use crate::fixtures::lender_service::{Bench, PAYABLE, POLICY};

/// Whoever has a loan gets no other; whoever paid one back may.
const ONE_LOAN: &str = "\n[own]\nloans_open = \"count\"\nloans_repaid = \"count\"\nrequests_30d = \"count\"\n\
    exposure = \"money\"\n[input.own.loans]\nstate = \"text\"\namount = \"money\"\n[[require]]\nid = \"OWN\"\n\
    when = \"own.loans_open = 0 AND own.exposure = 0 AND COUNT(own.loans) = own.loans_repaid\"\n\
    reason = \"{own.loans_open} loans are open\"\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_with_a_loan_gets_no_other_until_it_is_paid_back() {
    let bench = Bench::new("[answers]\noffers = \"now\"\n").await;
    bench.write("policy.toml", &format!("{POLICY}{ONE_LOAN}"));
    let _service = bench.serve();
    let person = bench.sandbox.person();
    let offer = bench.offer().await;
    let loan = bench.accept(&offer).await;
    bench.until_status(&loan, "OPEN").await;
    // Another channel: the same request again would get the same answer.
    let answer = bench.sandbox.asked(&person, "USSD").await;
    assert_eq!(answer["offers"], json!([]), "{answer}");
    assert_eq!(bench.sandbox.press("/sandbox/repay", &format!("loan={loan}&amount={PAYABLE}")).await, 303);
    bench.until_status(&loan, "CLOSED").await;
    let answer = bench.sandbox.asked(&person, "APP").await;
    assert_eq!(answer["offers"].as_array().map(Vec::len), Some(1), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_reads_what_the_book_does_not_know_is_refused() {
    let bench = Bench::new("").await;
    for (own, why) in [
        ("loans_repayed = \"count\"", "did you mean `loans_repaid`?"),
        ("exposure = \"count\"", "`own.exposure` as count, and it is money"),
    ] {
        bench.write("policy.toml", &format!("{POLICY}\n[own]\n{own}\n"));
        let said = crate::fixtures::lender_service::command(bench.folder.path()).arg("--check").output().unwrap();
        let text = String::from_utf8(said.stderr).unwrap();
        assert!(said.status.code() == Some(1) && text.contains(why), "{text}");
    }
}
