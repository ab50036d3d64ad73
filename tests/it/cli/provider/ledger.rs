//! Orders of money by commands: at most one per loan, whatever answers are lost, by the ledger of files.

use std::fs;

use lendwright::sandbox::{Fault, Faults};
use serde_json::Value;

use super::{FUND, Scene};

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
