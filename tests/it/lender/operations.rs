//! What people do beside the running service: look, compare, back up and restore, export, erase, change the key.

use std::process::Command;

use crate::fixtures::lender_service::{Bench, PAYABLE, until};

const NOW: &str = "[answers]\noffers = \"now\"\n";

/// Status, standard output and standard error of a command beside the service.
fn run(bench: &Bench, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lendwright"))
        .args(arguments)
        .args(["--config", "lender.toml"])
        .current_dir(bench.folder.path())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Standard output of a command that succeeds.
fn out(bench: &Bench, arguments: &[&str]) -> String {
    let (status, out, err) = run(bench, arguments);
    assert_eq!(status, Some(0), "{arguments:?} {out} {err}");
    out
}

#[tokio::test(flavor = "multi_thread")]
async fn people_work_beside_the_service() {
    let bench = Bench::new(NOW).await;
    let service = bench.serve();
    let loan = bench.accept(&bench.offer().await).await;
    bench.until_status(&loan, "OPEN").await;
    until("the message", || !bench.sandbox.sandbox.state().messages().is_empty()).await;

    let listed = out(&bench, &["loans", "list", "--state", "open"]);
    assert!(listed.contains(&loan) && listed.contains("NGN 52,000.00"), "{listed}");
    assert_eq!(out(&bench, &["loans", "list", "--needs-person"]), "");
    let person = bench.sandbox.person();
    let shown = out(&bench, &["loans", "show", &loan]);
    assert!(shown.contains("account verified") && !shown.contains(&person.account_number), "{shown}");
    assert!(out(&bench, &["loans", "show", &loan, "--personal", "--by", "Ada Obi"]).contains(&person.account_number));

    // The provider is really asked, and a day without anything agrees.
    let today = chrono::Utc::now().date_naive();
    let days = [
        "--from".to_owned(),
        today.pred_opt().unwrap().to_string(),
        "--to".to_owned(),
        today.succ_opt().unwrap().to_string(),
    ];
    let days: Vec<&str> = days.iter().map(String::as_str).collect();
    let compared = out(&bench, &[&["reconcile"], &days[..]].concat());
    assert!(compared.contains(": 1 of 1 transactions agree"), "{compared}");

    let page = bench.page("loans/1").await;
    assert!(page.contains(&loan) && !page.contains(&person.account_number), "{page}");
    assert!(bench.page("loans").await.contains("Nothing waits for a person."));

    // Not at an end, so nothing is erased, and the audit has the name of nobody.
    let by = ["--note", "asked for by the customer", "--by", "Ada Obi"];
    let (status, _, err) = run(&bench, &[&["loans", "erase", &loan], &by[..]].concat());
    assert!(status == Some(1) && err.contains("not at an end"), "{err}");

    out(&bench, &["backup", "copy.sqlite"]);
    assert_eq!(run(&bench, &["backup", "copy.sqlite"]).0, Some(1));
    assert_eq!(bench.sandbox.press("/sandbox/repay", &format!("loan={loan}&amount={PAYABLE}")).await, 303);
    bench.until_status(&loan, "CLOSED").await;
    until("the last message", || bench.sandbox.sandbox.state().messages().len() == 2).await;
    assert_eq!(service.stop("TERM"), Some(0));

    let verified = out(&bench, &["audit", "verify"]);
    let hash = verified.lines().last().unwrap().rsplit(' ').next().unwrap().to_owned();
    out(&bench, &["audit", "verify", "--expect", &hash]);
    assert_eq!(run(&bench, &["audit", "verify", "--expect", "0"]).0, Some(1));

    changes_the_key(&bench, &loan, &person.account_number);
    out(&bench, &["export", "--out", "tables"]);
    let loans = std::fs::read_to_string(bench.path("tables/loans.csv")).unwrap();
    assert!(loans.contains(&loan) && !loans.contains(&person.account_number), "{loans}");
    let erased = out(&bench, &[&["loans", "erase", &loan], &by[..]].concat());
    assert!(erased.ends_with("personal data is erased, by Ada Obi\n"), "{erased}");
    let left = std::fs::read(bench.path("lender.sqlite")).unwrap();
    let customer = person.customer_id.as_bytes();
    assert!(!left.windows(customer.len()).any(|window| window == customer), "the customer's id is left");
    out(&bench, &["audit", "verify", "--expect", &hash]);

    the_backup_takes_its_place(&bench, &loan).await;
}

/// The loan is open again, and is not paid out again.
async fn the_backup_takes_its_place(bench: &Bench, loan: &str) {
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(bench.path(&format!("lender.sqlite{ending}")));
    }
    for ending in ["-wal", "-shm"] {
        assert!(!bench.path(&format!("copy.sqlite{ending}")).exists(), "a copy is one file");
    }
    std::fs::rename(bench.path("copy.sqlite"), bench.path("lender.sqlite")).unwrap();
    bench.write("keys", &keys(&[1, 2]));
    let refused = crate::fixtures::lender_service::command(bench.folder.path()).output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && why.contains("`lendwright service loans restored` first"), "{why}");
    let said = out(bench, &["loans", "restored", "--note", "the disk failed", "--by", "Ada Obi"]);
    assert!(said.starts_with("1 loan asks first"), "{said}");
    let service = bench.serve();
    bench.until_status(loan, "OPEN").await;
    assert_eq!(bench.payouts(), 1);
    assert_eq!(service.stop("TERM"), Some(0));
}

/// The lines of a file with these keys, of which 1 is the first and 2 the next.
fn keys(numbers: &[u8]) -> String {
    let line = |number: &u8| format!("{number}:{}\n", if *number == 1 { "ab" } else { "ef" }.repeat(32));
    format!("{}lookup:{}\n", numbers.iter().map(line).collect::<String>(), "cd".repeat(32))
}

/// A new key comes, and the old one goes.
fn changes_the_key(bench: &Bench, loan: &str, account: &str) {
    bench.write("keys", &keys(&[1, 2]));
    assert!(out(bench, &["loans", "reseal"]).ends_with(" had the current key\n"));
    assert!(out(bench, &["loans", "reseal"]).starts_with("0 values"));
    bench.write("keys", &keys(&[2]));
    assert!(out(bench, &["loans", "show", loan, "--personal", "--by", "Ada Obi"]).contains(account));
}

/// A policy that refers everybody, and prices by the amount.
const REFERS: &str = r#"
[policy]
name = "small"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[request]
amount = "money"

[metric]
records = "COUNT(*)"

[ask]
amount = "request.amount"

[[require]]
id = "R1"
when = "records >= 100"
else = "refer"
reason = "Only {records} records"

[[offer]]
id = "30d"
tenure = 30
amount = 50_000
floor = 1_000
interest = 4
fee = "0.01 * amount"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_referral_is_approved_with_less_and_paid_out() {
    let bench = Bench::new(NOW).await;
    bench.write("policy.toml", REFERS);
    let service = bench.serve();
    let (person, state) = (bench.sandbox.person(), bench.sandbox.sandbox.state());
    let answer = bench.sandbox.asked(&person, "WEB").await;
    assert_eq!(answer["offers"], serde_json::json!([]), "{answer}");
    let waits = || out(&bench, &["loans", "list", "--needs-person"]).contains("the policy asks a person");
    until("the referral", waits).await;

    let shut = out(&bench, &["loans", "show", "1"]);
    assert!(shut.contains("Offers, if approved") && !shut.contains("CANARY NARRATION"), "{shut}");
    let by = ["--by", "Ada Obi"];
    let opened = out(&bench, &[&["loans", "show", "1", "--personal"], &by[..]].concat());
    for part in ["Only 5 records", "CANARY NARRATION", "NGN 1,000.00", "NGN 50,000.00", "Explanation"] {
        assert!(opened.contains(part), "{part}: {opened}");
    }
    assert!(out(&bench, &["loans", "show", "1"]).contains("personal shown"));
    let review = |more: &[&str]| {
        let line = [&["loans", "review", "1", "--note", "salaried"], more, &by[..]].concat();
        run(&bench, &line)
    };
    let (status, _, err) = review(&["--approve", "--amount", "50000.01"]);
    assert!(status == Some(1) && err.contains("NGN 1,000.00 to NGN 50,000.00"), "{err}");
    let (status, _, err) = review(&["--decline", "--code", "R7"]);
    assert!(status == Some(1) && err.contains("the codes are R1"), "{err}");
    let (status, done, err) = review(&["--approve", "--amount", "20000"]);
    assert!(status == Some(0) && done.contains("offers NGN 20,000.00, NGN 21,000.00 payable"), "{done} {err}");

    let offered = || state.requests().iter().find_map(|request| request.offers.first().cloned());
    until("E3", || offered().is_some()).await;
    let offer = offered().unwrap().offer_id.clone();
    let loan = bench.accept(&offer).await;
    let standing = bench.until_status(&loan, "OPEN").await;
    assert_eq!(standing["remainingAmount"], "21000.00", "{standing}");
    let paid = state.transactions().iter().find(|paid| paid.transaction_id.starts_with("LW-FUND-")).unwrap().amount;
    assert_eq!(paid, Some(2_000_000));
    let story = out(&bench, &["loans", "show", "1"]);
    let said = "override approved; referred -> answering; small 1 had said refer (R1), up to NGN 50,000.00; offered \
                NGN 20,000.00; note: salaried";
    assert!(story.contains(said), "{story}");
    assert_eq!(service.stop("TERM"), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_makes_no_database() {
    let bench = Bench::new("").await;
    let (status, _, err) = run(&bench, &["loans", "list"]);
    assert!(status == Some(1) && err.contains("lender.sqlite` is missing"), "{err}");
    assert!(!bench.path("lender.sqlite").exists());
}

/// Each command's help fits a terminal, and has an example that begins with the command.
#[test]
fn every_command_of_people_has_help_with_examples() {
    let commands: [&[&str]; 17] = [
        &["loans"],
        &["loans", "list"],
        &["loans", "show"],
        &["loans", "review"],
        &["loans", "resolve"],
        &["loans", "payments"],
        &["loans", "post"],
        &["loans", "dismiss"],
        &["loans", "restored"],
        &["loans", "erase"],
        &["loans", "retain"],
        &["loans", "reseal"],
        &["reconcile"],
        &["audit"],
        &["audit", "verify"],
        &["backup"],
        &["export"],
    ];
    for command in commands {
        let output =
            Command::new(env!("CARGO_BIN_EXE_lendwright")).args(command).arg("--help").env("COLUMNS", "98").output();
        let help = String::from_utf8(output.unwrap().stdout).unwrap();
        let example = format!("\n  lendwright service {}", command.join(" "));
        assert!(help.contains("Examples:\n") && help.contains(&example), "{command:?}: {help}");
        // Usage stays on one line, whatever its length.
        let lines = help.lines().filter(|line| !line.starts_with("Usage:"));
        let wide: Vec<&str> = lines.filter(|line| line.chars().count() > 98).collect();
        assert_eq!(wide, [""; 0], "{command:?}");
    }
}
