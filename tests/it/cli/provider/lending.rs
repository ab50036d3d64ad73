//! Loans by commands: offers, acceptance, and what is said before anything is sent.

use std::fs;
use std::process::Command;

use lendwright::sandbox::Faults;
use serde_json::Value;

use super::{FUND, Scene};

#[test]
fn a_loan_from_asking_to_paying_back() {
    let scene = Scene::new(Faults::default());
    let named = scene.run("verify-account {account} --bank {bank} --customer {customer}").json();
    assert!(named["accountName"].is_string(), "{named}");
    let loan = scene.loan();
    let fund = format!("fund {loan} {FUND} --transaction FUND-1");
    let shown = scene.run(&format!("{fund} --dry-run"));
    assert!(
        shown.out.contains("\"customerId\": \"[personal]\"") && shown.out.contains("Bearer [secret]"),
        "{}",
        shown.out
    );
    assert!(scene.ledger("FUND-1").is_empty(), "a dry run orders nothing");

    assert_eq!(scene.run(&fund).json()["transactionId"], "FUND-1");
    let ledger = scene.ledger("FUND-1");
    assert_eq!((&ledger[0]["call"], &ledger[1]["outcome"]), (&"fund".into(), &"done".into()));
    let again = scene.run(&fund);
    assert_eq!(again.status, 1);
    assert!(
        again.err.contains("was ordered before") && again.err.contains("lendwright provider requery FUND-1"),
        "{}",
        again.err
    );
    assert_eq!(scene.run(&format!("requery FUND-1 --loan {loan}")).json()["status"], "succeeded");

    let paid = scene.run(&format!(
        "debit {loan} --customer {{customer}} --amount-minor 5200000 --transaction DEBIT-1 --ledger ledger"
    ));
    assert_eq!(paid.json()["transactionId"], "DEBIT-1");
    let without = scene.run(&format!("debit {loan} --customer {{customer}} --amount-minor 1 --transaction DEBIT-2"));
    assert!(without.status == 2 && without.err.contains("--ledger"), "{}", without.err);
    let more = scene
        .run(&format!("debit {loan} --customer {{customer}} --amount-minor 1 --transaction DEBIT-2 --ledger ledger"));
    assert_eq!((more.status, scene.ledger("DEBIT-2")[1]["outcome"].as_str()), (1, Some("uncertain")));
    assert!(more.err.contains("does not prove that no money moved"), "{}", more.err);
    scene.run(&format!("sms --customer {{customer}} --to 2348012345678 --loan {loan} Paid")).json();
}

#[test]
fn an_offer_that_has_run_out_is_sent_with_a_warning() {
    let scene = Scene::new(Faults::default());
    let asked = scene.run("offers --customer {customer} --born {born} --amount-minor 5000000");
    let list = format!("{}/sandbox/requests", scene.sandbox.base_url());
    assert!(asked.err.contains("x-offer-request-reference") && asked.err.contains(&list), "{}", asked.err);
    let reference = scene.sandbox.requests()[0].reference.clone();
    let offer = |id: &str, expiry: &str| {
        format!(
            r#"{{"offerId":"{id}","amountOffered":5000000,"interest":3.0,"amountPayable":5200000,"fee":0,
            "tenure":30,"terms":"","expiryDate":"{expiry}","currency":"566","isPartPaymentAllowed":true}}"#
        )
    };
    let old = [offer("OLD", "2020-02-29T00:00:00Z"), offer("NEW", "2099-01-01T00:00:00Z")].join(",");
    let decision = format!(r#"{{"outcome":"offer","offers":[{old}]}}"#);
    fs::write(scene.folder.path().join("decision.json"), decision).unwrap();
    for options in ["--dry-run", ""] {
        let said = scene.run(format!("send decision.json --reference {reference} {options}").trim_end());
        assert_eq!((said.status, said.err.lines().count()), (0, 1), "{}", said.err);
        for word in ["`OLD`", "2020-02-29", "decide --as-of"] {
            assert!(said.err.contains(word), "{}", said.err);
        }
    }
    assert_eq!(scene.sandbox.received().len(), 1, "sent all the same");
}

/// The offer request of a decision comes from the statement, never from a file's name.
#[test]
fn a_decision_answers_the_offer_request_of_its_statement() {
    let scene = Scene::new(Faults::default());
    scene.run("offers --customer {customer} --born {born} --amount-minor 5000000").json();
    let reference = scene.sandbox.requests()[0].reference.clone();
    let pulled = scene.run(&format!("pull {reference} --out OTHER.json"));
    assert_eq!(pulled.status, 0, "{}", pulled.err);
    let head = format!("{{\"offerRequestReference\":\"{reference}\",");
    assert!(fs::read_to_string(scene.folder.path().join("OTHER.json")).unwrap().starts_with(&head));
    let policy = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";
    fs::write(scene.folder.path().join("policy.toml"), policy).unwrap();
    let statement = "{\"offerRequestReference\":\"REF\",\"status\":\"success\",\"data\":{\"transactions\":[]}}";
    fs::write(scene.folder.path().join("S.json"), statement.replace("REF", &reference)).unwrap();
    fs::write(
        scene.folder.path().join(format!("{reference}.json")),
        statement.replace("\"offerRequestReference\":\"REF\",", ""),
    )
    .unwrap();
    let decide = |file: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .args(["decide", "--policy", "policy.toml", file])
            .current_dir(scene.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::write(scene.folder.path().join("d.json"), &output.stdout).unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["reference"].clone()
    };
    assert_eq!(decide("S.json"), Value::from(reference.clone()));
    let another = scene.run("send d.json --reference ANOTHER");
    assert!(another.status == 1 && another.err.contains("answers the offer request"), "{}", another.err);
    scene.run("send d.json").json();
    assert_eq!(decide(&format!("{reference}.json")), Value::Null);
    let nameless = scene.run("send d.json");
    assert!(nameless.status == 1 && nameless.err.contains("give --reference REF"), "{}", nameless.err);
}

#[test]
fn an_id_with_a_blank_is_refused_before_anything_is_sent() {
    let scene = Scene::new(Faults::default());
    let order = |call: &[&str], loan: &str, id: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .args(call)
            .args([loan, "--customer", "C-1", "--amount-minor", "5", "--transaction", id, "--ledger", "ledger"])
            .args(["--settings", "provider.toml"])
            .current_dir(scene.folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{loan:?} {id:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    for call in [&["debit"][..], &["fund", "--terminal", "T", "--loan-reference", "R"]] {
        for loan in ["LN1 ", " LN1", "LN 1", "LN1\n", "LN1\t", "LN1\u{a0}"] {
            let problem = order(call, loan, "T-1");
            assert!(problem.contains("`loanId`"), "{loan:?}: {problem}");
        }
        for id in ["T-1 ", "T 1", "T-1\n"] {
            assert!(order(call, "LN1", id).contains("transaction id"), "{id:?}");
        }
    }
    assert!(!scene.folder.path().join("ledger").exists(), "nothing was written down");
    assert_eq!(scene.sandbox.state().exchanges().len(), 0, "nothing was sent");
}

#[test]
fn what_is_missing_is_said_before_anything_is_sent() {
    let scene = Scene::new(Faults::default());
    fs::remove_file(scene.folder.path().join("token")).unwrap();
    let no_token = scene.run(&format!("fund L1 {FUND} --transaction T1"));
    assert!(no_token.status == 1 && no_token.err.contains("cannot read"), "{}", no_token.err);
    assert_eq!(scene.ledger("T1")[1]["outcome"], "not_done", "nothing happened, and the id may be sent again");
    for (line, problem) in [
        (format!("fund L1 {FUND} --transaction a/b"), "does not make a file name"),
        (format!("fund L1 {FUND} --transaction T1 --currency NGN"), "is not an ISO 4217 numeric code"),
        (
            format!("fund L1 {FUND} --transaction T1 --ledger provider.toml").replace(" --ledger ledger", ""),
            "is not a folder",
        ),
        (format!("fund L1 {FUND} --transaction T1 --provider-code="), "give `--provider-code CODE`"),
        (
            "offers --customer C --born 2000-01-01 --amount-minor 1 --provider-code=".to_owned(),
            "give `--provider-code CODE`",
        ),
        (format!("fund .. {FUND} --transaction T1"), "`loanId` cannot be part of a path"),
        ("iqr validate --ref R1 --auth-data-file none.enc".to_owned(), "cannot read `none.enc`"),
        ("bill confirm provider.toml".to_owned(), "is not a bill as `provider bill create` stores it"),
    ] {
        let said = scene.run(&line);
        assert!(said.status == 1 && said.err.contains(problem), "{line}: {}", said.err);
    }
}
