//! All commands of the provider's interface, run as a person runs them, against a sandbox.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use lendwright::sandbox::{Config, Fault, Faults, Sandbox};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A sandbox, a folder with settings for it, and the program.
struct Scene {
    // Before the runtime, which it needs in order to stop.
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
            "base_url = \"{url}\"\nprovider_code = \"SANDBOX\"\n\
             iqr = {{ base_url = \"{url}\", aggregator_id = \"AGG\" }}\n\
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
        let decision = r#"{"outcome":"offer","offers":[{"offerId":"O1","amountOffered":5000000,"interest":3.0,
            "amountPayable":5200000,"fee":0,"tenure":30,"terms":"","expiryDate":"2099-01-01T00:00:00Z",
            "currency":"566","isPartPaymentAllowed":true}]}"#;
        fs::write(self.folder.path().join("decision.json"), decision).unwrap();
        self.run(&format!("send decision.json --reference {reference}")).json();
        fs::write(self.folder.path().join("customer-token"), "customer-token").unwrap();
        let accept = "accept O1 --customer {customer} --account {account} --bank {bank} --loan-reference R1";
        let tokenless = self.run(accept);
        assert_eq!(tokenless.status, 2, "{}", tokenless.err);
        assert!(tokenless.err.contains("--customer-token-file"), "{}", tokenless.err);
        assert!(self.run(&format!("{accept} --dry-run")).out.contains("\"token\": \"[secret]\""));
        assert!(self.sandbox.state().loans().is_empty(), "nothing was sent");
        let accepted = self.run(&format!("{accept} --customer-token-file customer-token")).json();
        assert_eq!(accepted["answer"], "loan");
        accepted["loanId"].as_str().unwrap().to_owned()
    }

    fn add_settings(&self, lines: &str) {
        let path = self.folder.path().join("provider.toml");
        let before = fs::read_to_string(&path).unwrap();
        fs::write(path, before + lines).unwrap();
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

#[test]
fn money_whose_answer_is_lost_is_requeried_and_not_sent_again() {
    let lost = Fault { lost_after_commit: true, times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(lost), ..Faults::default() });
    let loan = scene.loan();
    let fund = format!("fund {loan} {FUND} --transaction FUND-1");
    let said = scene.run(&fund);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.contains("may or may not have happened: requery it"), "{}", said.err);
    assert!(said.err.ends_with("\n  lendwright provider requery FUND-1 --ledger ledger\n"), "{}", said.err);
    assert_eq!(scene.ledger("FUND-1")[1]["outcome"], "uncertain");
    assert_eq!(scene.run(&fund).status, 1);
    assert_eq!(scene.run("requery FUND-1 --ledger ledger").json()["status"], "succeeded");
    let last = scene.ledger("FUND-1").pop().unwrap();
    assert_eq!((&last["outcome"], &last["host"]), (&"succeeded".into(), &scene.ledger("FUND-1")[0]["host"]));
    assert!(last["at"].is_string() && last["detail"]["transactionRef"].is_string(), "{last}");
    assert_eq!(scene.sandbox.state().transactions().len(), 1);
}

#[test]
fn money_that_surely_did_not_move_may_be_sent_again() {
    let busy = Fault { status: Some(429), times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(busy), ..Faults::default() });
    let loan = scene.loan();
    scene.add_settings("money = { not_done_statuses = [429] }\n");
    let fund = format!("fund {loan} {FUND} --transaction FUND-1");
    let said = scene.run(&fund);
    assert!(said.status == 1 && said.err.contains("may be sent again"), "{}", said.err);
    assert_eq!(scene.ledger("FUND-1")[1]["outcome"], "not_done");
    let other = scene.run(&fund.replace("5000000", "5000001"));
    assert!(other.status == 1 && other.err.contains("as another order"), "{}", other.err);
    assert_eq!(scene.run(&fund).json()["responseCode"], "00");
    let outcomes: Vec<Value> = scene.ledger("FUND-1").iter().map(|line| line["outcome"].clone()).collect();
    assert_eq!(outcomes, [Value::Null, "not_done".into(), Value::Null, "done".into()], "nothing is taken out");
}

/// A status says nothing about money: the provider may have moved it before it answered.
#[test]
fn no_status_lets_the_same_money_be_sent_again() {
    for status in [307, 308, 401, 407, 429] {
        let after = Fault { status: Some(status), after_commit: true, times: Some(1), ..Fault::default() };
        let scene = Scene::new(Faults { fund_loan: Some(after), ..Faults::default() });
        let loan = scene.loan();
        let said = scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
        assert!(said.err.contains("lendwright provider requery FUND-1 --ledger ledger"), "{status}: {}", said.err);
        assert_eq!(scene.ledger("FUND-1")[1]["outcome"], "uncertain", "{status}");
        for id in ["FUND-1", "FUND-2"] {
            let again = scene.run(&format!("fund {loan} {FUND} --transaction {id}"));
            assert!(
                again.status == 1 && again.err.contains("lendwright provider requery FUND-1"),
                "{status}: {}",
                again.err
            );
        }
        assert_eq!(scene.run("requery FUND-1 --ledger ledger").json()["status"], "succeeded");
        assert_eq!(scene.sandbox.state().transactions().len(), 1, "{status}");
    }
}

/// A loan that is paid out, according to the receipt or a requery, is not paid out again.
#[test]
fn a_loan_is_paid_out_once() {
    let lost = Fault { lost_after_commit: true, times: Some(1), ..Fault::default() };
    for fault in [None, Some(lost)] {
        let scene = Scene::new(Faults { fund_loan: fault.clone(), ..Faults::default() });
        let loan = scene.loan();
        scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
        if fault.is_some() {
            scene.run("requery FUND-1 --ledger ledger").json();
        }
        let second = scene.run(&format!("fund {loan} {FUND} --transaction FUND-2"));
        assert_eq!(second.status, 1);
        for word in ["was paid out by transaction `FUND-1`", "Nothing has been sent", "accept another offer"] {
            assert!(second.err.contains(word), "{}", second.err);
        }
        // Instalments may repeat.
        for id in ["DEBIT-1", "DEBIT-2"] {
            let debit =
                format!("debit {loan} --customer {{customer}} --amount-minor 100 --transaction {id} --ledger ledger");
            assert_eq!(scene.run(&debit).json()["transactionId"], id);
        }
        assert_eq!(scene.sandbox.state().transactions().len(), 3);
    }
}

/// A payout that was given up, but did move, is not paid out again either.
#[test]
fn a_transaction_that_was_given_up_and_succeeded_counts() {
    let lost = Fault { status: Some(503), times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(lost), ..Faults::default() });
    let loan = scene.loan();
    scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
    scene.run("requery FUND-1 --ledger ledger --release").json();
    let path = scene.folder.path().join("ledger/FUND-1.ndjson");
    let known = fs::read_to_string(&path).unwrap() + "{\"outcome\":\"succeeded\"}\n";
    fs::write(&path, &known).unwrap();
    let second = scene.run(&format!("fund {loan} {FUND} --transaction FUND-2"));
    assert!(second.err.contains("was paid out by transaction `FUND-1`"), "{}", second.err);
    // The provider does not know it; the ledger does.
    let released = scene.run("requery FUND-1 --ledger ledger --release");
    assert!(released.status == 6 && released.err.contains("not given up"), "{}", released.err);
    let second = scene.run(&format!("fund {loan} {FUND} --transaction FUND-2"));
    assert!(second.err.contains("was paid out by transaction `FUND-1`"), "{}", second.err);
    assert!(scene.sandbox.state().transactions().is_empty());
}

#[test]
fn no_refusal_frees_the_loan_but_one_that_is_guaranteed() {
    for status in [400, 403, 404, 409, 425] {
        let after = Fault { status: Some(status), after_commit: true, times: Some(1), ..Fault::default() };
        let scene = Scene::new(Faults { fund_loan: Some(after), ..Faults::default() });
        let loan = scene.loan();
        scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
        assert_eq!(scene.ledger("FUND-1")[1]["outcome"], "uncertain", "{status}");
        let again = scene.run(&format!("fund {loan} {FUND} --transaction FUND-2"));
        assert!(
            again.status == 1 && again.err.contains("lendwright provider requery FUND-1"),
            "{status}: {}",
            again.err
        );
        assert_eq!(scene.sandbox.state().transactions().len(), 1, "{status}");
    }
    let refused = Fault { status: Some(409), times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(refused), ..Faults::default() });
    let loan = scene.loan();
    scene.add_settings("money = { refused_codes = [\"S500\"] }\n");
    let said = scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
    assert!(said.err.contains("money.refused_codes"), "{}", said.err);
    assert_eq!(scene.ledger("FUND-1")[1]["outcome"], "failed");
    scene.run(&format!("fund {loan} {FUND} --transaction FUND-2")).json();
}

/// Another host knows nothing of what was sent to the first.
#[test]
fn another_host_neither_releases_nor_settles() {
    let lost = Fault { lost_after_commit: true, times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(lost), ..Faults::default() });
    let other = Scene::new(Faults::default());
    let loan = scene.loan();
    scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
    let before = scene.ledger("FUND-1");
    let path = scene.folder.path().join("provider.toml");
    let own = fs::read_to_string(&path).unwrap();
    fs::copy(other.folder.path().join("provider.toml"), &path).unwrap();
    let released = scene.run("requery FUND-1 --ledger ledger --release");
    assert_eq!((released.status, released.out.as_str()), (1, ""));
    assert!(
        released.err.contains("was sent to `127.0.0.1:") && released.err.contains("nothing has been asked"),
        "{}",
        released.err
    );
    let asked = scene.run("requery FUND-1 --ledger ledger");
    assert_eq!((asked.status, asked.out.trim()), (1, r#"{"status":"not_found"}"#));
    assert!(asked.err.contains("its answer is not recorded"), "{}", asked.err);
    assert_eq!(scene.ledger("FUND-1"), before);
    fs::write(&path, own).unwrap();
    assert_eq!(scene.run("requery FUND-1 --ledger ledger").json()["status"], "succeeded");
}

#[test]
fn a_damaged_file_of_the_ledger_stops_all_orders() {
    let lost = Fault { lost_after_commit: true, times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(lost), ..Faults::default() });
    let loan = scene.loan();
    scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
    let path = scene.folder.path().join("ledger/FUND-1.ndjson");
    let whole = fs::read_to_string(&path).unwrap();
    for damaged in [whole.replace("\"fund\"", "\"fumd\""), String::new(), whole[..50].to_owned(), format!("\n{whole}")]
    {
        fs::write(&path, &damaged).unwrap();
        let second = scene.run(&format!("fund {loan} {FUND} --transaction FUND-2"));
        assert!(second.status == 1 && second.err.contains("FUND-1.ndjson` is damaged"), "{damaged}: {}", second.err);
    }
    assert_eq!(scene.sandbox.state().transactions().len(), 1);
}

#[test]
fn another_transaction_of_the_loan_waits_until_the_first_is_known_or_given_up() {
    // The first order never arrives, and nobody knows it.
    let lost = Fault { status: Some(503), times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { fund_loan: Some(lost), ..Faults::default() });
    let loan = scene.loan();
    scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
    let second = format!("fund {loan} {FUND} --transaction FUND-2");
    let refused = scene.run(&second);
    assert!(refused.err.contains("transaction `FUND-1` of the same loan is open"), "{}", refused.err);
    assert!(scene.ledger("FUND-2").is_empty());
    let asked = scene.run("requery FUND-1 --ledger ledger");
    assert_eq!((asked.status, asked.out.trim()), (6, r#"{"status":"not_found"}"#));
    // Not found is not final.
    assert_eq!(scene.run(&second).status, 1);
    let released = scene.run("requery FUND-1 --ledger ledger --release").json();
    assert_eq!((&released["status"], &released["released"]), (&"not_found".into(), &true.into()));
    assert_eq!(scene.run(&second).json()["transactionId"], "FUND-2");
    let known = scene.run("requery FUND-2 --ledger ledger --release");
    assert!(known.status == 0 && known.err.contains("not given up"), "{}", known.err);
    let again = scene.run(&format!("fund {loan} {FUND} --transaction FUND-1"));
    assert!(again.status == 1 && again.err.contains("was paid out by transaction `FUND-2`"), "{}", again.err);
    assert_eq!(scene.sandbox.state().transactions().len(), 1);
}

#[test]
fn a_requery_tells_by_its_exit_status() {
    let scene =
        Scene::new(Faults { requery: Some(Fault { status: Some(503), ..Fault::default() }), ..Faults::default() });
    let loan = scene.loan();
    scene.run(&format!("fund {loan} {FUND} --transaction FUND-1")).json();
    let silent = scene.run("requery FUND-1 --ledger ledger");
    assert_eq!((silent.status, silent.out.as_str()), (7, ""), "{}", silent.err);
    let quiet = scene.run("requery FUND-1 --ledger ledger --quiet");
    assert_eq!((quiet.status, quiet.err), (7, silent.err), "--quiet still prints errors");
    for (line, problem) in [
        ("requery NONE --ledger ledger", "has no transaction `NONE`"),
        ("requery FUND-1 --ledger ledger --loan OTHER", "was ordered for the loan"),
    ] {
        let said = scene.run(line);
        assert!(said.status == 1 && said.err.contains(problem), "{line}: {}", said.err);
    }
    assert_eq!(scene.run("requery FUND-1").status, 2);
    assert_eq!(scene.ledger("FUND-1").len(), 2, "an answer that did not come is no outcome");
}

#[test]
fn a_bill_whose_answer_is_lost_is_kept() {
    let lost = Fault { lost_after_commit: true, times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { create_bill: Some(lost), ..Faults::default() });
    let create = "bill create --merchant M1 --payable P1 --amount-minor 250000 --customer C1 --reference OWN-1 \
                  --redirect-url http://localhost/paid --store a.json"
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let said = scene.run(&create);
    assert!(said.status == 1 && said.err.contains("the request is kept in `a.json`"), "{}", said.err);
    let asked = scene.run("bill confirm a.json");
    assert!(asked.status == 1 && asked.err.contains("no answer came"), "{}", asked.err);
    // By the merchant's own reference it can be asked about.
    let settings = fs::read_to_string(scene.folder.path().join("provider.toml")).unwrap();
    let asks_by_own = ", status = { reference = \"transaction\" } }\ntoken";
    fs::write(scene.folder.path().join("provider.toml"), settings.replace(" }\ntoken", asks_by_own)).unwrap();
    let asked = scene.run("bill confirm a.json --dry-run");
    assert!(asked.out.contains("transactionreference=OWN-1"), "{} {}", asked.out, asked.err);
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
    let create = "bill create --merchant M1 --payable P1 --amount-minor 250000 --customer C1 \
        --redirect-url http://localhost/paid";
    for (store, paid, expected) in [
        ("a.json", None, Err((5, "has not been paid yet"))),
        ("b.json", Some(""), Ok(())),
        ("c.json", Some("?amount=100"), Err((1, "it is of 100 minor units, but 250000 were asked for"))),
    ] {
        let bill = scene.run(&format!("{create} --store {store}")).json();
        if let Some(amount) = paid {
            let url = format!("{}/now{amount}", bill["paymentUrl"].as_str().unwrap());
            scene.runtime.block_on(crate::sandbox::desk::client().get(url).send()).unwrap();
        }
        let said = scene.run(&format!("bill confirm {store}"));
        match expected {
            Ok(()) => assert_eq!(said.json()["paid"], true),
            Err((status, problem)) => {
                assert_eq!((said.status, said.out.as_str()), (status, ""));
                assert!(said.err.contains(problem), "{}", said.err);
            }
        }
    }
    let again = scene.run(&format!("{create} --store a.json"));
    assert!(again.status == 1 && again.err.contains("already exists"), "{}", again.err);
    let shown = scene.run("bill confirm a.json --dry-run");
    assert_eq!(shown.status, 1, "a script that checks the exit status must not see a payment");
    assert!(shown.out.contains("gettransaction.json?merchantcode=M1&transactionreference="), "{}", shown.out);
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
