//! The service keeps its decisions in a book, lets shadows decide them too, and reports what became of the loans.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::fixtures::lender_service::{Bench, PAYABLE, POLICY, free_port, until};
use crate::fixtures::sandbox::client;

const STRICT: &str = "\n[[require]]\nid = \"S01\"\nwhen = \"own.requests_30d > 99\"\nreason = \"none\"\n[own]\n\
    requests_30d = \"count\"\n";

fn settings(port: u16) -> String {
    format!(
        "[answers]\noffers = \"now\"\n[decisions]\nbook = \"decisions.sqlite\"\n\
         shadows = {{ strict = \"strict.toml\" }}\napi_address = \"127.0.0.1:{port}\"\n"
    )
}

/// Runs a command on the book of decisions.
fn on_book(bench: &Bench, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    command.args(args).args(["--book", "decisions.sqlite", "--book-keys", "keys"]);
    let said = command.current_dir(bench.folder.path()).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_of_the_service_are_kept_shadowed_and_joined_with_their_loans() {
    let port = free_port();
    let bench = Bench::new(&settings(port)).await;
    bench.write("strict.toml", &format!("{POLICY}{STRICT}"));
    let (service, loan) = bench.lend().await;
    // The interface of the lender's own systems has the same policy, and keeps into the same book.
    let url = format!("http://127.0.0.1:{port}/v1/decisions");
    let record = r#"[{"id": "1", "credit": 5.0, "trans_date": "2026-10-30"}]"#;
    let body = format!("{{\"customer\": \"C-9\", \"reference\": \"own-1\", \"statement\": {record}}}");
    let post = client().post(url).header("content-type", "application/json").body(body).send().await.unwrap();
    assert_eq!(post.status().as_u16(), 200);
    let decided: Value = serde_json::from_str(&post.text().await.unwrap()).unwrap();
    assert_eq!(decided["outcome"], "decline");
    assert_eq!(bench.sandbox.press("/sandbox/repay", &format!("loan={loan}&amount={PAYABLE}")).await, 303);
    bench.until_status(&loan, "CLOSED").await;
    assert_eq!(service.stop("TERM"), Some(0));
    // What became of loans is looked up at the start.
    let service = bench.serve();
    until("the report", || bench.log().contains("is reported to the book of decisions")).await;
    assert_eq!(service.stop("TERM"), Some(0));
    on_book(&bench, &["decisions", "export", "--out", "out"]);
    let read = |name: &str| std::fs::read_to_string(bench.path("out").join(name)).unwrap();
    let decisions = read("decisions.csv");
    assert_eq!(decisions.lines().count(), 3, "{decisions}");
    assert!(decisions.contains("provider") && decisions.contains(",offer,"), "{decisions}");
    let outcomes = read("outcomes.csv");
    assert!(outcomes.lines().count() == 2 && outcomes.contains(",0,"), "{outcomes}");
    // The shadow reads what the policy in force does not, and declines both.
    let compared: Value =
        serde_json::from_str(&on_book(&bench, &["decisions", "shadows", "--format", "json"])).unwrap();
    assert_eq!((&compared[0]["compared"], &compared[0]["failed"]), (&2.into(), &0.into()), "{compared}");
    assert_eq!(compared[0]["reasons"]["S01"], serde_json::json!([0, 2]), "{compared}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_that_cannot_be_kept_is_not_taken() {
    let bench = Bench::new(&settings(free_port())).await;
    bench.write("strict.toml", &format!("{POLICY}{STRICT}"));
    let service = bench.serve();
    // Somebody else holds the book.
    let book = rusqlite::Connection::open(bench.path("decisions.sqlite")).unwrap();
    book.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let answer = bench.sandbox.asked(&bench.sandbox.person(), "WEB").await;
    assert!(answer["offers"].as_array().is_none_or(Vec::is_empty), "{answer}");
    assert_eq!(bench.payouts(), 0);
    book.execute_batch("COMMIT").unwrap();
    drop(book);
    // It is decided once the book is free, and then there are offers.
    let from = std::time::Instant::now();
    while bench.sandbox.asked(&bench.sandbox.person(), "WEB").await["offers"].as_array().is_none_or(Vec::is_empty) {
        assert!(from.elapsed() < Duration::from_secs(60), "{}", bench.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(service.stop("TERM"), Some(0));
}
