//! Nothing secret or personal is in logs, metrics, or readable in the database.

use crate::fixtures::lender_service::{Bench, PASSWORD};

#[tokio::test(flavor = "multi_thread")]
async fn nothing_personal_is_logged_counted_or_stored_readable() {
    let bench = Bench::new("[answers]\noffers = \"now\"\n").await;
    let service = bench.serve_with(&["-vvv", "--log-format", "json"]);
    let person = bench.sandbox.person();
    let offer = bench.offer().await;
    let loan = bench.accept(&offer).await;
    bench.until_status(&loan, "OPEN").await;
    bench.sandbox.press("/sandbox/repay", &format!("loan={loan}&amount=1200000")).await;
    // Refused requests are logged, too.
    bench.call(&format!("offers/{offer}/accept"), Some(&serde_json::json!({ "customerId": person.customer_id }))).await;
    bench.status(&loan, "C-CANARY").await;
    let metrics = bench.metrics().await;
    assert_eq!(service.stop("TERM"), Some(0));
    let log = bench.log();
    assert!(log.lines().count() > 5, "{log}");
    for line in log.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|_| panic!("{line}"));
    }
    let phone = format!("234{}", person.account_number);
    let token = bench.sandbox.sandbox.token().expose().to_owned();
    let keys = ["ab".repeat(32), "cd".repeat(32)];
    let secrets = [PASSWORD, "customer-token-canary", &token, &keys[0], &keys[1], &person.account_number, &phone];
    let personal = [&person.customer_id, &person.name, &person.date_of_birth, "CANARY", "REF-OF"];
    for canary in secrets.iter().chain(&personal) {
        assert!(!log.contains(canary), "{canary} is in the log");
        assert!(!metrics.contains(canary), "{canary} is in the metrics");
    }
    for name in ["lender.sqlite", "lender.sqlite-wal"] {
        let Ok(bytes) = std::fs::read(bench.path(name)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for canary in secrets {
            assert!(!text.contains(canary), "{canary} is in {name}");
        }
        assert!(!text.contains("CANARY NARRATION"), "a narration is in {name}");
    }
}
