//! The service as a process: lost answers, deaths, signals, a second process, a lost lease, another schema. Acceptances
//! are idempotent and money is sent at most once through all of them.

use std::time::Duration;

use lendwright::sandbox::Fault;

use crate::fixtures::lender_service::{Bench, command, until};

const NOW: &str = "[answers]\noffers = \"now\"\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_of_a_payout_is_asked_for_and_nothing_is_paid_twice() {
    let lost = Fault { times: Some(1), lost_after_commit: true, ..Fault::default() };
    let bench = Bench::with(NOW, |config| config.faults.fund_loan = Some(lost)).await;
    let _service = bench.serve();
    let loan = bench.accept(&bench.offer().await).await;
    bench.until_status(&loan, "OPEN").await;
    assert_eq!(bench.payouts(), 1);
    let metrics = bench.metrics().await;
    assert!(metrics.contains("lendwright_loan_steps_total{outcome=\"unknown\"} 1"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_killed_during_a_payout_leaves_one_payout() {
    let slow = Fault { times: Some(1), latency_ms: 20_000, after_commit: true, ..Fault::default() };
    let bench = Bench::with(NOW, |config| config.faults.fund_loan = Some(slow)).await;
    let service = bench.serve();
    let loan = bench.accept(&bench.offer().await).await;
    until("the payout", || bench.payouts() == 1).await;
    service.kill();
    let _service = bench.serve();
    bench.until_status(&loan, "OPEN").await;
    assert_eq!(bench.payouts(), 1);
    let metrics = bench.metrics().await;
    assert!(metrics.contains("lendwright_loan_steps_total{outcome=\"moved\"} 1"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_to_terminate_lets_a_running_payout_end() {
    let slow = Fault { times: Some(1), latency_ms: 700, after_commit: true, ..Fault::default() };
    let bench = Bench::with(NOW, |config| config.faults.fund_loan = Some(slow)).await;
    let mut service = bench.serve();
    let loan = bench.accept(&bench.offer().await).await;
    until("the payout", || bench.payouts() == 1).await;
    service.signal("TERM");
    // The end of the call is waited for, and nothing is accepted meanwhile.
    assert_eq!(service.wait(), Some(0), "{}", bench.log());
    assert!(bench.log().contains("stopped"), "{}", bench.log());
    let _service = bench.serve();
    bench.until_status(&loan, "OPEN").await;
    // Nothing had to be asked.
    assert!(!bench.metrics().await.contains("outcome=\"moved\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_serves_from_a_file_at_a_time() {
    let bench = Bench::new("").await;
    let first = bench.serve();
    let second = command(bench.folder.path()).output().unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("another process already serves from"), "{said}");
    assert_eq!(first.stop("INT"), Some(0));
    bench.serve().kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_lease_ends_the_process() {
    let bench = Bench::new("").await;
    let mut service = bench.serve();
    std::fs::remove_file(bench.path("lender.sqlite.serving")).unwrap();
    assert_eq!(service.wait(), Some(1));
    assert!(bench.log().contains("LEASE LOST"), "{}", bench.log());
}

/// The program without a service: exit status and standard error.
fn refuse(bench: &Bench, arguments: &[&str]) -> String {
    let said = command(bench.folder.path()).args(arguments).output().unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(1), "{arguments:?}: {text}");
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_made_on_purpose_only() {
    let bench = Bench::new("").await;
    for arguments in [&[][..], &["--check"]] {
        let text = refuse(&bench, arguments);
        assert!(text.contains("mount or restore it; `lendwright serve --init` makes a new one"), "{text}");
        assert!(!bench.path("lender.sqlite").exists());
    }
    // An empty file does not count as one.
    bench.write("lender.sqlite", "");
    for arguments in [&[][..], &["--check"]] {
        assert!(refuse(&bench, arguments).contains("holds no loan book"));
    }
    bench.init();
    assert!(refuse(&bench, &["--init"]).contains("already; start without `--init`"));
    assert_eq!(bench.serve().stop("TERM"), Some(0));
    // It is gone, as if its volume were not mounted.
    std::fs::remove_file(bench.path("lender.sqlite")).unwrap();
    assert!(refuse(&bench, &[]).contains("lender.sqlite` is missing"));
    assert!(refuse(&bench, &["--init"]).contains("is of a database that was here"));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_removed_while_it_serves_takes_no_acceptance_and_no_payout_along() {
    let bench = Bench::new(NOW).await;
    let mut service = bench.serve();
    let offer = bench.offer().await;
    let (path, body) = (format!("offers/{offer}/accept"), bench.sandbox.accept_body(&offer));
    let kept = bench.path("kept.sqlite");
    std::fs::rename(bench.path("lender.sqlite"), &kept).unwrap();
    // Another file in its place is not the one that is open.
    std::fs::copy(&kept, bench.path("lender.sqlite")).unwrap();
    let client = crate::fixtures::sandbox::client();
    let request = client.post(format!("http://127.0.0.1:{}/{path}", bench.port)).body(body.to_string());
    let request = request.header("username", "provider").header("password", crate::fixtures::lender_service::PASSWORD);
    // It may have ended already.
    if let Ok(reply) = request.header("content-type", "application/json").send().await {
        assert_eq!(reply.status().as_u16(), 503);
    }
    assert_eq!(service.wait(), Some(1));
    let log = bench.log();
    assert!(log.contains("DATABASE GONE") && log.contains("was removed or replaced while it was open"), "{log}");
    assert_eq!(bench.payouts(), 0);
    std::fs::rename(&kept, bench.path("lender.sqlite")).unwrap();
    let _service = bench.serve();
    let loan = bench.accept(&offer).await;
    bench.until_status(&loan, "OPEN").await;
    assert_eq!(bench.payouts(), 1);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_second_service_under_another_name_of_the_file_is_refused() {
    let bench = Bench::new("").await;
    let service = bench.serve();
    let text = std::fs::read_to_string(bench.path("lender.toml")).unwrap();
    let text = text
        .replace(&bench.port.to_string(), "0")
        .replace("[operations]\n", "[operations]\non_listen_address = true\n");
    std::fs::create_dir(bench.path("elsewhere")).unwrap();
    let link = bench.path("elsewhere/other.sqlite");
    std::os::unix::fs::symlink(bench.path("lender.sqlite"), &link).unwrap();
    let text = text.replace("\"lender.sqlite\"", "\"elsewhere/other.sqlite\"");
    bench.write("other.toml", &text);
    let other = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lendwright"));
        let said = command.args(["serve", "--config", "other.toml"]).current_dir(bench.folder.path()).output().unwrap();
        assert_eq!(said.status.code(), Some(1));
        String::from_utf8(said.stderr).unwrap()
    };
    let text = other();
    assert!(text.contains("another process already serves from"), "{text}");
    std::fs::remove_file(&link).unwrap();
    std::fs::hard_link(bench.path("lender.sqlite"), &link).unwrap();
    let text = other();
    assert!(text.contains("has 2 names (hard links)"), "{text}");
    std::fs::remove_file(&link).unwrap();
    assert_eq!(service.stop("TERM"), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_book_is_refused_until_a_person_says_that_it_was_restored() {
    let slow = Fault { times: Some(1), latency_ms: 20_000, after_commit: true, ..Fault::default() };
    let bench = Bench::with(NOW, |config| config.faults.fund_loan = Some(slow)).await;
    let service = bench.serve();
    let offer = bench.offer().await;
    assert_eq!(service.stop("TERM"), Some(0));
    // As a snapshot of the disk does it, and not `service backup`.
    std::fs::copy(bench.path("lender.sqlite"), bench.path("snapshot")).unwrap();
    let service = bench.serve();
    let loan = bench.accept(&offer).await;
    // The file was written before the money left.
    until("the payout", || bench.payouts() == 1).await;
    service.kill();
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(bench.path(&format!("lender.sqlite{ending}")));
    }
    std::fs::copy(bench.path("snapshot"), bench.path("lender.sqlite")).unwrap();
    let text = refuse(&bench, &[]);
    assert!(text.contains("and it had come to entry") && text.contains("service loans restored"), "{text}");
    assert_eq!(bench.payouts(), 1);
    let restored = |bench: &Bench| {
        let said = std::process::Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .args(["service", "loans", "restored", "--note", "snapshot", "--by", "Ada", "--config", "lender.toml"])
            .current_dir(bench.folder.path())
            .output()
            .unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    };
    restored(&bench);
    let service = bench.serve();
    let body = bench.sandbox.accept_body(&offer);
    let (status, accepted) = bench.call(&format!("offers/{offer}/accept"), Some(&body)).await;
    assert_eq!((status, accepted["loanId"].as_str()), (200, Some(loan.as_str())), "the same loan has the same id");
    bench.until_status(&loan, "OPEN").await;
    assert_eq!(bench.payouts(), 1);
    assert_eq!(service.stop("TERM"), Some(0));
    // Another book in its place is refused, too: this one has gone further.
    let other = Bench::new("").await;
    for _ in 0..9 {
        assert_eq!(other.serve().stop("TERM"), Some(0));
    }
    std::fs::copy(other.path("lender.sqlite"), bench.path("lender.sqlite")).unwrap();
    let text = refuse(&bench, &[]);
    assert!(text.contains("audit"), "{text}");
}

/// What the provider would see of a book that was lost: the ids of loans and of payouts.
#[tokio::test(flavor = "multi_thread")]
async fn a_book_that_was_lost_gives_the_same_loan_the_same_ids_and_nothing_is_paid_twice() {
    let bench = Bench::new(NOW).await;
    let service = bench.serve();
    let offer = bench.offer().await;
    let loan = bench.accept(&offer).await;
    bench.until_status(&loan, "OPEN").await;
    let paid = || -> Vec<String> {
        let all = bench.sandbox.sandbox.state().transactions();
        all.iter().map(|one| one.transaction_id.clone()).filter(|id| id.starts_with("LW-FUND-")).collect()
    };
    let before = paid();
    service.kill();
    for entry in std::fs::read_dir(bench.folder.path()).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().starts_with("lender.sqlite") {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    // The provider sends the same request and the same acceptance again.
    let reference = bench.sandbox.sandbox.state().requests()[0].reference.clone();
    let _service = bench.serve();
    let person = bench.sandbox.person();
    let query = format!(
        "offers?customerId={}&channelCode=WEB&amount=5000000&serviceType=LOAN&dateOfBirth={}&providerCode=SANDBOX\
         &offerRequestReference={reference}",
        person.customer_id, person.date_of_birth
    );
    let (status, offers) = bench.call(&query, None).await;
    assert_eq!(status, 200, "{offers}");
    let body = bench.sandbox.accept_body(&offer);
    let (status, accepted) = bench.call(&format!("offers/{offer}/accept"), Some(&body)).await;
    assert_eq!((status, accepted["loanId"].as_str()), (200, Some(loan.as_str())), "{accepted}");
    bench.until_status(&loan, "OPEN").await;
    assert_eq!(paid().last(), before.last(), "another id would pay again");
    assert_eq!(before.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_keys_are_found_at_the_start() {
    let bench = Bench::new(NOW).await;
    let (service, _) = bench.lend().await;
    assert_eq!(service.stop("TERM"), Some(0));
    bench.write("keys", &format!("1:{}\nlookup:{}\n", "ef".repeat(32), "cd".repeat(32)));
    let text = refuse(&bench, &[]);
    assert!(text.contains("the keys are not those of this loan book"), "{text}");
    assert!(text.contains("give the keys with which it was written"), "{text}");
    bench.write("keys", &format!("1:{}\nlookup:{}\n", "ab".repeat(32), "ef".repeat(32)));
    let text = refuse(&bench, &[]);
    assert!(text.contains("the line `lookup` is another one"), "{text}");
    bench.write("keys", &format!("1:{}\nlookup:{}\n", "ab".repeat(32), "cd".repeat(32)));
    assert_eq!(bench.serve().stop("TERM"), Some(0));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_password_and_a_token_that_others_can_read_are_refused() {
    let bench = Bench::new("").await;
    for name in ["password", "token"] {
        let mode = |mode| {
            std::fs::set_permissions(bench.path(name), std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        };
        mode(0o644);
        let text = refuse(&bench, &[]);
        assert!(text.contains(&format!("{name}` (mode 644): run `chmod 600` on it")), "{text}");
        mode(0o600);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_refused() {
    let bench = Bench::new("").await;
    bench.serve().kill();
    let database = rusqlite::Connection::open(bench.path("lender.sqlite")).unwrap();
    database.execute("INSERT INTO migrations (number, name, digest, at) VALUES (99, 'later', '', 0)", []).unwrap();
    drop(database);
    for arguments in [vec![], vec!["--check"]] {
        let said = command(bench.folder.path()).args(&arguments).output().unwrap();
        let text = String::from_utf8(said.stderr).unwrap();
        assert_eq!(said.status.code(), Some(1), "{text}");
        assert!(text.contains("is at migration 99") && text.contains("use a newer program"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_address_is_named() {
    let bench = Bench::new("").await;
    bench.init();
    let _taken = std::net::TcpListener::bind(("127.0.0.1", bench.port)).unwrap();
    let said = command(bench.folder.path()).output().unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    assert!(said.status.code() == Some(1) && text.contains("cannot listen on"), "{text}");
    // Nothing is held.
    drop(_taken);
    let service = bench.serve();
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(service.stop("TERM"), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_acceptance_that_comes_again_after_a_death_gets_its_first_answer() {
    let bench = Bench::new(NOW).await;
    let service = bench.serve();
    let offer = bench.offer().await;
    let (path, body) = (format!("offers/{offer}/accept"), bench.sandbox.accept_body(&offer));
    let first = bench.call(&path, Some(&body)).await;
    service.kill();
    let _service = bench.serve();
    assert_eq!(bench.call(&path, Some(&body)).await, first);
    let mut other = body.clone();
    other["destinationBankCode"] = "999".into();
    assert_eq!(bench.call(&path, Some(&other)).await.0, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_cannot_be_sent_hold_up_no_money() {
    let down = Fault { status: Some(503), latency_ms: 5_000, ..Fault::default() };
    let bench = Bench::with(NOW, |config| config.faults.send_sms = Some(down)).await;
    let (service, loan) = bench.lend().await;
    assert_eq!(service.stop("TERM"), Some(0));
    bench.move_clock(NOW, "P31D");
    let _service = bench.serve();
    bench.until_status(&loan, "CLOSED").await;
    assert_eq!(bench.sandbox.sandbox.state().messages().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_goes_ahead_and_back_collects_a_payment_once() {
    let bench = Bench::new(NOW).await;
    let (service, loan) = bench.lend().await;
    service.kill();
    // Down when the payment came due, and for three days after.
    for (ahead, status) in [("P33D", "CLOSED"), ("P29D", "CLOSED"), ("P34D", "CLOSED")] {
        bench.move_clock(NOW, ahead);
        let service = bench.serve();
        bench.until_status(&loan, status).await;
        service.kill();
    }
    assert_eq!(bench.debits().len(), 1);
}
