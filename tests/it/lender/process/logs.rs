//! The service's log: each level has what it promises, and none has anything personal.

use serde_json::Value;

use lendwright::sandbox::Fault;

use crate::fixtures::lender_service::{Bench, PASSWORD};

const NOW: &str = "[answers]\noffers = \"now\"\n";

/// A whole life of a loan, of which the first payout is refused, at this level of the log. Returns the log's events.
async fn log_of_a_life(arguments: &[&str]) -> (Vec<Value>, String) {
    let refused = Fault { times: Some(1), status: Some(503), after_commit: true, ..Fault::default() };
    let bench = Bench::with(NOW, |config| config.faults.fund_loan = Some(refused)).await;
    let arguments = [arguments, &["--log-format", "json"]].concat();
    let service = bench.serve_with(&arguments);
    let offer = bench.offer().await;
    let loan = bench.accept(&offer).await;
    bench.until_status(&loan, "OPEN").await;
    bench.sandbox.press("/sandbox/repay", &format!("loan={loan}&amount=1200000")).await;
    bench.until_remaining(&loan, "40000.00").await;
    assert_eq!(service.stop("TERM"), Some(0));
    bench.move_clock(NOW, "P33D");
    let service = bench.serve_with(&arguments);
    bench.until_status(&loan, "CLOSED").await;
    assert_eq!(service.stop("TERM"), Some(0));
    let log = bench.log();
    let person = bench.sandbox.person();
    let orders: Vec<String> =
        bench.sandbox.sandbox.state().transactions().iter().map(|one| one.transaction_id.clone()).collect();
    assert_eq!(orders.len(), 2, "{orders:?}");
    let phone = format!("234{}", person.account_number);
    let token = bench.sandbox.sandbox.token().expose().to_owned();
    let secrets = [PASSWORD, "customer-token-canary", &token, &"ab".repeat(32), "CANARY"].map(str::to_owned);
    let request = bench.sandbox.sandbox.requests()[0].reference.clone();
    let (reference, quoted_bank) = (format!("REF-{offer}"), format!("\"{}\"", person.bank_code));
    let personal = [person.customer_id, person.name, person.date_of_birth, person.account_number, phone, quoted_bank];
    let names = [offer, loan, request, reference];
    for canary in secrets.iter().chain(&personal).chain(&names).chain(&orders) {
        assert!(!canary.is_empty() && !log.contains(canary), "{canary} is in the log at {arguments:?}\n{log}");
    }
    let events = log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")));
    (events.collect(), log)
}

/// The fields of all events with this message, and their levels.
fn events_of<'e>(events: &'e [Value], message: &str) -> Vec<(&'e str, &'e Value)> {
    let said = events.iter().filter(|event| event["fields"]["message"] == message);
    said.map(|event| (event["level"].as_str().unwrap(), &event["fields"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn payouts_and_debits_are_logged_without_any_option() {
    let (events, log) = log_of_a_life(&[]).await;
    let money = events_of(&events, "money");
    assert!(money.iter().all(|(level, _)| *level == "INFO"), "{log}");
    let rows: Vec<String> = money
        .iter()
        .map(|(_, fields)| {
            let shown = |name: &str| fields[name].to_string().trim_matches('"').to_owned();
            let names = ["loan", "kind", "instalment", "attempt", "amount_minor", "currency", "outcome"];
            names.map(shown).join(" ")
        })
        .collect();
    let expected = [
        "1 fund 0 1 5000000 NGN sending",
        "1 fund 0 1 5000000 NGN unknown",
        "1 fund 0 1 5000000 NGN moved",
        "1 debit 1 1 4000000 NGN sending",
        "1 debit 1 1 4000000 NGN moved",
    ];
    assert_eq!(rows, expected, "{log}");
    // Calls and steps are for `-vv`.
    assert!(events.iter().all(|event| event["level"] != "DEBUG"), "{log}");
    assert!(events_of(&events, "called the provider").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_call_and_each_step_is_logged_at_debug() {
    for arguments in [["-vv"].as_slice(), &["-vvv"]] {
        let (events, log) = log_of_a_life(arguments).await;
        let calls = events_of(&events, "called the provider");
        assert!(calls.iter().all(|(level, _)| *level == "DEBUG"), "{log}");
        for (name, outcome, status) in [
            ("get customer transaction records (E2)", "answered", 200),
            ("verify account number (E5)", "answered", 200),
            ("fund loan (E6)", "uncertain", 503),
            ("requery (E9)", "answered", 200),
            ("send SMS (E7)", "answered", 200),
            ("debit customer (E8)", "answered", 200),
        ] {
            let found = calls.iter().find(|(_, fields)| fields["call"] == name && fields["outcome"] == outcome);
            let (_, fields) = found.unwrap_or_else(|| panic!("{name} {outcome} is not in\n{log}"));
            assert_eq!((&fields["status"], &fields["attempt"]), (&status.into(), &1.into()), "{fields}");
            assert!(
                fields["took_us"].as_u64().unwrap() > 0 && fields["host"].as_str().unwrap().starts_with("127.0.0.1"),
                "{fields}"
            );
        }
        let steps = events_of(&events, "a loan made a step");
        let steps = steps.iter().map(|(level, fields)| {
            assert_eq!((*level, &fields["loan"]), ("DEBUG", &1.into()), "{fields}");
            let word = |name: &str| fields[name].as_str().unwrap_or("-").to_owned();
            format!("{} {} {}", word("from"), word("event"), word("to"))
        });
        let steps: Vec<String> = steps.collect();
        for step in [
            "- requested requested",
            "requested decided_offer offered",
            "offered accepted verifying",
            "verifying account_verified funding",
            "funding sending funding",
            "funding unknown funding_unknown",
            "funding_unknown moved open",
            "open due collecting",
            "collecting sending collecting",
            "collecting moved closed",
        ] {
            assert!(steps.iter().any(|found| found == step), "{step} is not in {steps:?}");
        }
        assert!(!events_of(&events, "a payment was recorded").is_empty(), "{log}");
        // A span says its end and how long it took.
        let decided =
            events.iter().find(|event| event["fields"]["message"] == "close" && event["span"]["name"] == "decide");
        assert!(decided.is_some_and(|event| event["fields"]["time.busy"].is_string()), "{log}");
        assert!(!events_of(&events, "money").is_empty());
    }
}
