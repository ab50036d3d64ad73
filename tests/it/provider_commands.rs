//! The commands for all of the provider's interface, run as a person runs them, against a sandbox.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use lendwright::sandbox::{Config, Fault, Faults, Sandbox};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A sandbox, a folder with settings for it, and the program.
struct Scene {
    // Before the runtime, which it needs to stop.
    sandbox: Sandbox,
    runtime: Runtime,
    folder: TempDir,
}

struct Said {
    status: i32,
    out: String,
    err: String,
}

impl Said {
    fn json(&self) -> Value {
        assert_eq!(self.status, 0, "{}", self.err);
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{}", self.out))
    }
}

impl Scene {
    fn new(faults: Faults) -> Scene {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let statement = |_: &_| br#"{"status":"success","data":{"transactions":[{"id":"1"}]}}"#.to_vec();
        let mut config = Config::new(1, Arc::new(statement));
        config.faults = faults;
        let sandbox = runtime.block_on(Sandbox::start(config)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let url = sandbox.base_url();
        let settings = format!(
            "base_url = \"{url}\"\nprovider_code = \"SANDBOX\"\niqr = {{ base_url = \"{url}\", aggregator_id = \"AGG\" }}\n\
             bill = {{ base_url = \"{url}\" }}\ntoken = {{ file = {{ path = \"{}\" }} }}\n",
            folder.path().join("token").display()
        );
        fs::write(folder.path().join("provider.toml"), settings).unwrap();
        fs::write(folder.path().join("token"), sandbox.token().expose()).unwrap();
        fs::write(folder.path().join("card.enc"), "ENCRYPTED-CARD\n").unwrap();
        Scene { sandbox, runtime, folder }
    }

    fn run(&self, line: &str) -> Said {
        let person = &self.sandbox.people()[0];
        let line = line
            .replace("{customer}", &person.customer_id)
            .replace("{born}", &person.date_of_birth)
            .replace("{account}", &person.account_number)
            .replace("{bank}", &person.bank_code);
        let output = Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .args(line.split(' '))
            .args(["--settings", "provider.toml"])
            .current_dir(self.folder.path())
            .env_remove("LENDWRIGHT_TOKEN")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { status: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// A loan of 50,000.00, from the customer's question to the acceptance.
    fn loan(&self) -> String {
        let asked = self.run("offers --customer {customer} --born {born} --amount-minor 5000000");
        assert_eq!(asked.json()["responseCode"], "00");
        let reference = self.sandbox.requests()[0].reference.clone();
        let decision = r#"{"outcome":"offer","offers":[{"offerId":"O1","amountOffered":5000000,"interest":3.0,"amountPayable":5200000,"fee":0,
            "tenure":30,"terms":"","expiryDate":"2099-01-01T00:00:00Z","currency":"566","isPartPaymentAllowed":true}]}"#;
        fs::write(self.folder.path().join("decision.json"), decision).unwrap();
        self.run(&format!("send decision.json --reference {reference}")).json();
        let accepted =
            self.run("accept O1 --customer {customer} --account {account} --bank {bank} --loan-reference R1").json();
        assert_eq!(accepted["answer"], "loan");
        accepted["loanId"].as_str().unwrap().to_owned()
    }

    fn ledger(&self, id: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join(format!("ledger/{id}.ndjson")));
        text.unwrap_or_default().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

const FUND: &str = "--customer {customer} --amount-minor 5000000 --terminal 3ABC --loan-reference R1 --ledger ledger";

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
        again.err.contains("was ordered before") && again.err.contains("lendwright requery FUND-1"),
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
    assert_eq!((more.status, scene.ledger("DEBIT-2")[1]["outcome"].as_str()), (1, Some("refused")));
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
            r#"{{"offerId":"{id}","amountOffered":5000000,"interest":3.0,"amountPayable":5200000,"fee":0,"tenure":30,"terms":"",
            "expiryDate":"{expiry}","currency":"566","isPartPaymentAllowed":true}}"#
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

#[test]
fn money_whose_answer_is_lost_is_requeried_and_not_sent_again() {
    let lost = Fault { lost_after_commit: true, times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(lost), ..Faults::default() });
    let loan = scene.loan();
    let fund = format!("fund {loan} {FUND} --transaction FUND-1");
    let said = scene.run(&fund);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.contains("may or may not have happened: requery it"), "{}", said.err);
    assert!(said.err.ends_with(&format!("\n  lendwright requery FUND-1 --loan {loan}\n")), "{}", said.err);
    assert_eq!(scene.ledger("FUND-1")[1]["outcome"], "uncertain");
    assert_eq!(scene.run(&fund).status, 1);
    assert_eq!(scene.run(&format!("requery FUND-1 --loan {loan}")).json()["status"], "succeeded");
    assert_eq!(scene.sandbox.state().transactions().len(), 1);
}

#[test]
fn money_that_surely_did_not_move_may_be_sent_again() {
    let busy = Fault { status: Some(429), times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(busy), ..Faults::default() });
    let loan = scene.loan();
    let fund = format!("fund {loan} {FUND} --transaction FUND-1");
    let said = scene.run(&fund);
    assert!(said.status == 1 && said.err.contains("may be sent again"), "{}", said.err);
    assert!(scene.ledger("FUND-1").is_empty());
    assert_eq!(scene.run(&fund).json()["responseCode"], "00");
}

#[test]
fn iqr_codes_from_card_to_reference() {
    let scene = Scene::new(Faults::default());
    let card = "--auth-data-file card.enc --mobile 2348012345678";
    scene.run(&format!("iqr validate --ref R1 {card} --location 3.38 6.52")).json();
    let one = scene.run(&format!("iqr request --ref R2 {card}")).json();
    assert!(one["qrId"].is_string(), "{one}");
    let many = scene.run("iqr bulk --ref R3 --quantity 3").json();
    let unassigned = &many["iqrs"][0];
    let (id, reference) = (unassigned["qrId"].as_str().unwrap(), unassigned["qrRef"].as_str().unwrap());
    scene.run(&format!("iqr link --ref R4 --qr-id {id} --qr-ref {reference} --mobile 2348012345678")).json();
    assert_eq!(scene.run(&format!("iqr reference --ref R5 --qr-id {id} --pan-last-4 4242")).json()["qrRef"], reference);
    let shown = scene.run(&format!("iqr request --ref R2 {card} --dry-run"));
    assert!(!shown.out.contains("ENCRYPTED-CARD") && shown.out.contains("\"aggregatorID\": \"AGG\""), "{}", shown.out);
    assert_eq!(scene.run("iqr bulk --ref R3 --quantity 0").status, 2);
}

#[test]
fn a_bill_is_confirmed_for_its_own_amount_alone() {
    let scene = Scene::new(Faults::default());
    let create = "bill create --merchant M1 --payable P1 --amount-minor 250000 --customer C1 --redirect-url http://localhost/paid";
    for (store, paid, expected) in [
        ("a.json", None, Err("has not been paid yet")),
        ("b.json", Some(""), Ok(())),
        ("c.json", Some("?amount=100"), Err("100 minor units were returned, 250000 were asked for")),
    ] {
        let bill = scene.run(&format!("{create} --store {store}")).json();
        if let Some(amount) = paid {
            let url = format!("{}/now{amount}", bill["paymentUrl"].as_str().unwrap());
            scene.runtime.block_on(crate::sandbox::desk::client().get(url).send()).unwrap();
        }
        let said = scene.run(&format!("bill confirm {store}"));
        match expected {
            Ok(()) => assert_eq!(said.json()["paid"], true),
            Err(problem) => {
                assert_eq!((said.status, said.out.as_str()), (1, ""));
                assert!(said.err.contains(problem), "{}", said.err);
            }
        }
    }
    let again = scene.run(&format!("{create} --store a.json"));
    assert!(again.status == 1 && again.err.contains("is there already"), "{}", again.err);
    let shown = scene.run("bill confirm a.json --dry-run");
    assert_eq!(shown.status, 1, "whoever goes on by the exit status must not take it for a payment");
    assert!(shown.out.contains("gettransaction.json?merchantcode=M1&transactionreference="), "{}", shown.out);
}

#[test]
fn what_is_missing_is_said_before_anything_is_sent() {
    let scene = Scene::new(Faults::default());
    fs::remove_file(scene.folder.path().join("token")).unwrap();
    let no_token = scene.run(&format!("fund L1 {FUND} --transaction T1"));
    assert!(no_token.status == 1 && no_token.err.contains("cannot read"), "{}", no_token.err);
    assert!(scene.ledger("T1").is_empty(), "nothing happened, and the id is free");
    for (line, problem) in [
        (format!("fund L1 {FUND} --transaction a/b"), "does not make a file name"),
        (format!("fund L1 {FUND} --transaction T1 --currency NGN"), "is not an ISO 4217 numeric code"),
        (
            format!("fund L1 {FUND} --transaction T1 --ledger provider.toml").replace(" --ledger ledger", ""),
            "is no folder",
        ),
        (format!("fund L1 {FUND} --transaction T1 --provider-code="), "give `--provider-code CODE`"),
        (
            "offers --customer C --born 2000-01-01 --amount-minor 1 --provider-code=".to_owned(),
            "give `--provider-code CODE`",
        ),
        (format!("fund .. {FUND} --transaction T1"), "`loanId` cannot be part of a path"),
        ("iqr validate --ref R1 --auth-data-file none.enc".to_owned(), "cannot read `none.enc`"),
        ("bill confirm provider.toml".to_owned(), "is not a bill as `bill create` stores it"),
    ] {
        let said = scene.run(&line);
        assert!(said.status == 1 && said.err.contains(problem), "{line}: {}", said.err);
    }
}
