//! A loan's life through the running service: offers, acceptance, payout, payments, collection.

use std::time::{Duration, Instant};

use lendwright::sandbox::{CallbackState, Fault, SandboxState};
use serde_json::{Value, json};

use crate::fixtures::lender_service::{Bench, PAYABLE, until};

const NOW: &str = "[answers]\noffers = \"now\"\n";

fn changed(body: &Value, field: &str, value: &str) -> Value {
    let mut body = body.clone();
    body[field] = Value::from(value);
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loan_goes_from_the_request_to_the_last_payment() {
    let bench = Bench::new(NOW).await;
    let _service = bench.serve();
    let (person, state) = (bench.sandbox.person(), bench.sandbox.sandbox.state());
    let offer = bench.offer().await;
    let loan = bench.accept(&offer).await;
    let standing = bench.until_status(&loan, "OPEN").await;
    assert_eq!(standing["remainingAmount"], "52000.00", "{standing}");
    assert!(standing["dueDate"].as_str().unwrap().ends_with("T08:00:00Z"), "{standing}");
    assert_eq!(bench.status(&loan, "C000000").await.0, 404);
    assert_eq!(bench.status("LN-none", &person.customer_id).await.0, 404);
    until("the message", || !state.messages().is_empty()).await;
    assert_eq!(bench.payouts(), 1);

    // The same acceptance again is the same loan; another one under its reference is refused.
    let seen = bench.sandbox.accept_body(&offer);
    let mut own = seen.clone();
    own["msisdn"] = Value::from(format!("234{}", person.account_number));
    let path = format!("offers/{offer}/accept");
    let (status, body) = bench.call(&path, Some(&own)).await;
    assert_eq!((status, &body["loanId"]), (200, &json!(loan)), "{body}");
    assert_eq!(bench.call(&path, Some(&changed(&own, "destinationAccountNumber", "0000000000"))).await.0, 409);

    assert_eq!(bench.sandbox.press("/sandbox/repay", &format!("loan={loan}&amount=1200000")).await, 303);
    until("the notification", || state.callbacks().iter().any(|callback| callback.state == CallbackState::Taken)).await;
    assert_eq!(bench.until_status(&loan, "OPEN").await["remainingAmount"], "40000.00");
    let rest = PAYABLE - 1_200_000;
    assert_eq!(bench.sandbox.press("/sandbox/repay", &format!("loan={loan}&amount={rest}")).await, 303);
    assert_eq!(bench.until_status(&loan, "CLOSED").await["remainingAmount"], "0.00");
    until("the last message", || state.messages().len() == 2).await;
    let metrics = bench.metrics().await;
    for line in ["lendwright_loan_steps_total{outcome=\"moved\"} 1", "lendwright_orders_unknown 0"] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_come_later_where_the_configuration_says_so() {
    let bench = Bench::new("").await;
    let _service = bench.serve();
    let person = bench.sandbox.person();
    let answer = bench.sandbox.asked(&person, "WEB").await;
    assert_eq!(answer["offers"], json!([]), "{answer}");
    // The sandbox notes an answer before it lists its offers.
    let is_answered = |state: &SandboxState| state.requests().iter().any(|request| !request.offers.is_empty());
    until("E3", || is_answered(bench.sandbox.sandbox.state())).await;
    let offer = bench.offer().await;
    let loan = bench.accept(&offer).await;
    bench.until_status(&loan, "OPEN").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_later_does_not_wait_for_the_decision() {
    let statement_takes = Duration::from_secs(25);
    let slow = Fault { latency_ms: 25_000, ..Fault::default() };
    let bench = Bench::with("", |config| config.faults.transaction_records = Some(slow)).await;
    let _service = bench.serve();
    let asked = Instant::now();
    let answer = bench.sandbox.asked(&bench.sandbox.person(), "WEB").await;
    assert_eq!(answer["offers"], json!([]), "{answer}");
    assert!(asked.elapsed() < statement_takes, "it waited for the statement");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_acceptance_that_comes_fifty_times_at_once_is_one_loan() {
    let bench = Bench::new(NOW).await;
    let _service = bench.serve();
    let offer = bench.offer().await;
    let (path, body) = (format!("offers/{offer}/accept"), bench.sandbox.accept_body(&offer));
    let replies = futures_util::future::join_all((0..50).map(|_| bench.call(&path, Some(&body)))).await;
    let (_, first) = &replies[0];
    assert!(first["loanId"].as_str().is_some_and(|loan| !loan.is_empty()), "{first}");
    assert!(replies.iter().all(|reply| reply == &(200, first.clone())), "{replies:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_comes_due_is_collected() {
    let bench = Bench::new(NOW).await;
    let (service, loan) = bench.lend().await;
    assert_eq!(service.stop("TERM"), Some(0));
    // The due date has come.
    bench.move_clock(NOW, "P31D");
    let _service = bench.serve();
    assert_eq!(bench.until_status(&loan, "CLOSED").await["remainingAmount"], "0.00");
    assert_eq!(bench.debits(), [PAYABLE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_about_a_paid_bill_is_recorded() {
    let bench = Bench::with("[pay_bill]\nwebhook_path = \"/pay-bill/events\"\n", |config| {
        let lender = config.lender.as_ref().unwrap();
        config.webhook_url = Some(format!("{}/pay-bill/events", lender.url));
    })
    .await;
    let base = bench.sandbox.sandbox.base_url();
    bench.write("provider.toml", &format!("[bill]\nbase_url = \"{base}\"\n"));
    let text = std::fs::read_to_string(bench.path("lender.toml")).unwrap();
    bench.write("lender.toml", &text.replace("[provider]\n", "[provider]\nsettings = \"provider.toml\"\n"));
    // The folder of bills is missing.
    let said = crate::fixtures::lender_service::command(bench.folder.path()).arg("--check").output().unwrap();
    assert!(String::from_utf8(said.stderr).unwrap().contains("`pay_bill.bills` is not a folder"));
    std::fs::create_dir(bench.path("bills")).unwrap();
    let service = bench.serve();
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_lendwright"))
        .args(["bill", "create", "--merchant", "M1", "--payable", "P1", "--amount-minor", "150000", "--customer", "C1"])
        .args(["--redirect-url", "http://localhost/done", "--store", "bills/one.json", "--settings", "provider.toml"])
        .args(["--token-file", "token"])
        .current_dir(bench.folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    let reference = made["reference"].as_str().unwrap();
    bench.sandbox.get(&format!("/sandbox/pay/{reference}/now")).await;
    until("the record", || bench.log().contains("a bill has been paid")).await;
    assert_eq!(service.stop("TERM"), Some(0));
    let database = rusqlite::Connection::open(bench.path("lender.sqlite")).unwrap();
    let sql = "SELECT detail FROM audit WHERE event = 'bill_paid'";
    let detail: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(detail.contains(reference) && detail.contains("150000"), "{detail}");
}
