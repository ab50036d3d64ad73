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
