//! The reference page lists exactly what `/metrics` gives, and alerts, dashboard and runbook name only what exists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lendwright::sandbox::Fault;
use serde_json::json;

use crate::fixtures::lender_service::Bench;

const NOW: &str = "[answers]\noffers = \"now\"\n";

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// What is known of a metric: its kind and its labels.
type Metrics = BTreeMap<String, (String, BTreeSet<String>)>;

/// The metrics of the reference page, by name.
fn documented() -> Metrics {
    let page = read("docs/reference/service-metrics.md");
    let rows = page.lines().filter(|line| line.starts_with("| `lendwright_"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let labels = cells[3].split(", ").map(|label| label.trim_matches('`').to_owned());
        (
            cells[1].trim_matches('`').to_owned(),
            (cells[2].to_owned(), labels.filter(|label| !label.is_empty()).collect()),
        )
    };
    let metrics: Metrics = rows.map(row).collect();
    assert!(metrics.len() > 15);
    metrics
}

/// The metrics of an answer of `/metrics`, by the name of their samples.
fn served(text: &str) -> Metrics {
    let mut metrics = Metrics::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        let sample = if kind == "counter" { format!("{name}_total") } else { name.to_owned() };
        let found = text.lines().filter(|line| line.starts_with(name) && line.contains('{'));
        let labels = found.filter(|line| {
            let own = line.split('{').next().unwrap().strip_prefix(name).unwrap();
            ["", "_total", "_bucket", "_count", "_sum"].contains(&own)
        });
        let labels = labels.flat_map(|line| {
            let inner = &line[line.find('{').unwrap() + 1..line.rfind('}').unwrap()];
            inner.split("\",").map(|pair| pair.split('=').next().unwrap().to_owned()).collect::<Vec<_>>()
        });
        metrics.insert(sample, (kind.to_owned(), labels.filter(|label| label != "le").collect()));
    }
    metrics
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_lists_exactly_what_is_served() {
    let bench = Bench::new(NOW).await;
    let (_service, loan) = bench.lend().await;
    // A refused request, so that every metric has a sample.
    assert_eq!(bench.call("no-such-path", None).await.0, 404);
    bench.until_metrics("lendwright_provider_call_seconds_count{call=\"send SMS (E7)\",outcome=\"answered\"} 1").await;
    let text = bench.metrics().await;
    assert_eq!(served(&text), documented(), "{text}");
    assert!(!text.contains(&loan) && !text.contains(&bench.sandbox.person().customer_id));
    for line in [
        "lendwright_decisions_total{outcome=\"offer\"} 1",
        "lendwright_decisions_total{outcome=\"undecidable\"} 0",
        "lendwright_messages_total{outcome=\"sent\"} 1",
        "lendwright_messages_total{outcome=\"failed\"} 0",
        "lendwright_loans_waiting{cause=\"referred\"} 0",
        "lendwright_oldest_unknown_order_seconds 0",
        "lendwright_provider_call_seconds_count{call=\"fund loan (E6)\",outcome=\"answered\"} 1",
        "lendwright_provider_last_success_timestamp_seconds{call=\"fund loan (E6)\"} 1",
        &format!("lendwright_build_info{{version=\"{}", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

/// Trouble shows: a payout without an outcome, a payment that fits nothing, a message that failed, a loan that waits.
#[tokio::test(flavor = "multi_thread")]
async fn trouble_shows_within_seconds() {
    let silent = Fault { status: Some(503), ..Fault::default() };
    let refused = Fault { wrong_status: true, ..Fault::default() };
    let bench = Bench::with(NOW, |config| {
        config.faults.requery = Some(silent);
        config.faults.fund_loan = Some(Fault { times: Some(1), lost_after_commit: true, ..Fault::default() });
        config.faults.send_sms = Some(refused);
    })
    .await;
    let service = bench.serve();
    let offer = bench.offer().await;
    let loan = bench.accept(&offer).await;
    let payment = json!({
        "loanId": "another-loan", "paymentRef": "P-1", "Amount": "10.00",
        "customerId": bench.sandbox.person().customer_id,
    });
    assert_eq!(bench.call("payment-notification", Some(&payment)).await.0, 404);
    bench.until_metrics("lendwright_payments_parked 1").await;
    bench.until_metrics("lendwright_orders_unknown 1").await;
    bench.until_metrics("call=\"fund loan (E6)\",outcome=\"uncertain\"").await;
    bench.until_metrics("call=\"requery (E9)\",outcome=\"unavailable\"").await;
    let age = |text: &str| -> i64 {
        let line = text.lines().find_map(|line| line.strip_prefix("lendwright_oldest_unknown_order_seconds "));
        line.unwrap().parse().unwrap()
    };
    let from = std::time::Instant::now();
    while age(&bench.metrics().await) == 0 {
        assert!(from.elapsed().as_secs() < 20, "{}", bench.log());
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(service.stop("TERM"), Some(0));
    // A day later the service gives up asking, and a person decides.
    bench.move_clock(NOW, "PT30H");
    let service = bench.serve();
    bench.until_metrics("lendwright_loans_waiting{cause=\"unknown\"} 1").await;
    let text = bench.metrics().await;
    assert!(!text.contains("cause=\"review\"} 1") && age(&text) > 3_600, "{text}");
    // The cause has passed, and its count goes back to 0.
    let said = crate::fixtures::lender_service::command_of(bench.folder.path(), "loans")
        .args(["resolve", &loan, "--moved", "--note", "told", "--by", "Ada Obi", "--config", "lender.toml"])
        .output();
    assert!(said.unwrap().status.success());
    bench.until_metrics("lendwright_loans_waiting{cause=\"unknown\"} 0").await;
    bench.until_metrics("lendwright_messages_total{outcome=\"failed\"} 1").await;
    assert_eq!(service.stop("TERM"), Some(0));
}
