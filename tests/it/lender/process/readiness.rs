//! Readiness tells the truth, and names what is wrong: failed writes, a refused policy, a refused token, late work.

use std::path::{Path, PathBuf};
use std::process::Command;

use lendwright::sandbox::{Fault, Person};
use serde_json::json;

use crate::fixtures::lender_service::{Bench, POLICY};

const NOW: &str = "[answers]\noffers = \"now\"\n";

/// A file system of a few megabytes, until it is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where it may not be mounted.
    fn mount(path: &Path) -> Option<SmallDisk> {
        std::fs::create_dir(path).unwrap();
        let mut command = Command::new("mount");
        let mounted = command.args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).arg(path).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| SmallDisk(path.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_full_disk_no_probe_says_ready_until_there_is_room_again() {
    let bench = Bench::new(NOW).await;
    let Some(disk) = SmallDisk::mount(&bench.path("disk")) else {
        eprintln!("SKIPPED: no file system can be mounted here, so no disk can be full");
        return;
    };
    let config = std::fs::read_to_string(bench.path("lender.toml")).unwrap();
    bench.write("lender.toml", &config.replace("lender.sqlite", "disk/lender.sqlite"));
    let service = bench.serve();
    bench.until_ready(200, &[]).await;
    let offer = bench.offer().await;
    let filler = disk.0.join("filler");
    // Until not a byte more fits.
    let mut file = std::fs::File::create(&filler).unwrap();
    while std::io::Write::write_all(&mut file, &[0; 512]).is_ok() {}
    let (path, body) = (format!("offers/{offer}/accept"), bench.sandbox.accept_body(&offer));
    for _ in 0..12 {
        let (status, said) = bench.call(&path, Some(&body)).await;
        assert_eq!(status, 503, "{said}");
        // Looks at the book that find nothing to do write nothing, and prove nothing.
        for _ in 0..2 {
            let (status, said) = bench.readiness().await;
            // A slow look at the book may be a condition, too.
            let conditions = said["conditions"].as_array().unwrap();
            let is_told = conditions.iter().any(|condition| condition["name"] == "writes_fail");
            assert!(status == 503 && is_told, "{said}");
            tokio::time::sleep(std::time::Duration::from_millis(60)).await;
        }
    }
    let metrics = bench.metrics().await;
    assert!(metrics.contains("lendwright_condition{condition=\"writes_fail\"} 1"), "{metrics}");
    assert!(!metrics.contains("lendwright_writes_failed_total 0"), "{metrics}");
    assert!(bench.log().contains("a write of the loan book failed"), "{}", bench.log());
    // With room again it recovers by itself: a service that is not ready gets no requests.
    drop(file);
    std::fs::remove_file(&filler).unwrap();
    bench.until_ready(200, &[]).await;
    let loan = bench.accept(&offer).await;
    bench.until_status(&loan, "OPEN").await;
    assert_eq!(bench.payouts(), 1);
    assert_eq!(service.stop("TERM"), Some(0));
    let database = rusqlite::Connection::open(bench.path("disk/lender.sqlite")).unwrap();
    let sql = "SELECT COUNT(*) FROM audit WHERE event = 'writes_resumed'";
    let resumed: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(resumed, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_policy_is_a_condition_until_the_files_are_right_again() {
    let bench = Bench::new(NOW).await;
    let _service = bench.serve();
    bench.write("policy.toml", &POLICY.replace("COUNT(*)", "COUNT(nothing)"));
    // The last good policy decides, so requests are still served.
    bench.until_ready(200, &["policy_refused"]).await;
    bench.offer().await;
    bench.write("policy.toml", POLICY);
    bench.until_ready(200, &[]).await;
    bench.write("policy.toml", &POLICY.replace("Africa/Lagos", "UTC"));
    bench.until_ready(200, &["policy_refused"]).await;
    bench.write("policy.toml", &POLICY.replace("version = \"1\"", "version = \"2\""));
    bench.until_ready(200, &[]).await;
    assert!(bench.log().contains("degraded: the edit of the policy is refused"), "{}", bench.log());
    assert!(bench.log().contains("passed: the edit of the policy is refused"), "{}", bench.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_a_condition_until_the_provider_accepts_one() {
    let bench = Bench::new("").await;
    bench.write("token", "not-the-token");
    let _service = bench.serve();
    bench.sandbox.asked(&bench.sandbox.person(), "WEB").await;
    bench.until_ready(200, &["token_refused"]).await;
    bench.until_metrics("call=\"get customer transaction records (E2)\",outcome=\"authentication\"").await;
    bench.write("token", bench.sandbox.sandbox.token().expose());
    bench.until_ready(200, &[]).await;
}

/// Lends to another person than the first.
async fn lend_to(bench: &Bench, person: &Person) {
    let answer = bench.sandbox.asked(person, "WEB").await;
    let offer = answer["offers"][0]["offerId"].as_str().unwrap();
    let body = json!({
        "customerId": person.customer_id, "offerId": offer, "destinationAccountNumber": person.account_number,
        "destinationBankCode": person.bank_code, "token": "customer-token-canary",
        "loanReferenceId": format!("REF-{offer}"),
    });
    let (status, accepted) = bench.sandbox.accept(offer, body).await;
    assert_eq!(status, 200, "{accepted}");
    let loan = accepted["loanId"].as_str().unwrap();
    while bench.status(loan, &person.customer_id).await.1["loan"]["status"] != "OPEN" {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn loans_that_are_due_and_not_begun_are_a_condition() {
    // The keys belong to `[calls]`, the last section of the bench's configuration.
    let one_at_a_time = format!("in_flight_max = 1\n{NOW}");
    let slow = Fault { times: Some(1), latency_ms: 4_000, ..Fault::default() };
    let bench = Bench::with(&one_at_a_time, |config| config.faults.debit_customer = Some(slow)).await;
    let (service, first) = bench.lend().await;
    for other in &bench.sandbox.sandbox.people()[1..4] {
        lend_to(&bench, other).await;
    }
    assert_eq!(service.stop("TERM"), Some(0));
    // All are due. The first debit takes long, one more may be claimed meanwhile, and the others wait for their turn.
    bench.move_clock(&one_at_a_time, "P33D");
    let _service = bench.serve();
    bench.until_ready(200, &["queue_full"]).await;
    bench.until_ready(200, &[]).await;
    bench.until_status(&first, "CLOSED").await;
}
