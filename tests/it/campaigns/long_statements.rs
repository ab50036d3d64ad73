//! Statements of ten years and of a million records: decided, with every metric, in linear time.

use std::time::{Duration, Instant};

use lendwright::base::date::Day;
use lendwright::decision::{Outcome, Request, decide};
use lendwright::statement::Statements;
use serde_json::json;

use crate::engine::decision::extreme_statements::{decided, generated, on, reasons, record, starter};
use crate::fixtures::campaign;

#[test]
fn ten_years_of_records_are_decided() {
    let first = Day::parse_iso("2016-07-01").unwrap();
    let days = 3_652; // up to 2026-06-30
    let records: Vec<String> = (0..days)
        .map(|day| record(day, &Day::from_days(first.days() + day as i32).to_string(), "10000.10", "POS SETTLEMENT"))
        .collect();
    let decision = decided(&records.join(","), Some("2026-06-30"));
    // One amount every day is one sign of a made-up statement. Daily wages are one amount too, so it is not enough.
    assert_eq!((decision.outcome, reasons(&decision)), (Outcome::Offer, vec![]));
    assert_eq!(decision.metrics["tamper_signs"], 1);
    assert_eq!(decision.as_of.unwrap().to_string(), "2026-06-30");
    let known = [
        ("record_count", json!(3_652)),
        ("credit_total", json!(1_000_010_i64 * 3_652)),
        ("full_months", json!(120)),
        ("missing_months", json!(0)),
        ("inflow_365d", json!(1_000_010_i64 * 365)),
        ("longest_gap_days", json!(1)),
    ];
    for (name, value) in known {
        assert_eq!(decision.metrics[name], value, "{name}");
    }
}

#[test]
fn a_million_records_are_decided() {
    let (count, amount, minor) = campaign::size((20_000, "5000.50", 500_050), (1_000_000_u64, "100.01", 10_001_u64));
    let first = Day::parse_iso("2016-07-01").unwrap();
    let mut records = String::new();
    for id in 0..count {
        // Out of order, all over the ten years.
        let day = Day::from_days(first.days() + (id * 7_919 % 3_652) as i32);
        records.push_str(if id == 0 { "" } else { "," });
        records.push_str(&record(id, &day.to_string(), amount, "POS SETTLEMENT"));
    }
    let decision = decided(&records, Some("2026-06-30"));
    assert_eq!((decision.outcome, reasons(&decision)), (Outcome::Offer, vec![]));
    assert_eq!(decision.quality.records, count);
    let known = [
        ("record_count", json!(count)),
        ("credit_total", json!(minor * count)),
        ("credit_median", json!(minor as f64)),
        ("full_months", json!(120)),
        ("active_days", json!(3_652)),
    ];
    for (name, value) in known {
        assert_eq!(decision.metrics[name], value, "{name}");
    }
}

#[test]
fn a_million_records_give_every_metric() {
    let many = campaign::size(20_000, 1_000_000);
    let policy = starter();
    let decision = decide(&policy, &generated(&policy, many), &on("2026-10-31")).unwrap().remove(0);
    let count = |name: &str| decision.metrics[name].as_u64().unwrap();
    assert_eq!(count("record_count") + count("duplicate_count"), many);
    assert!(decision.metrics.len() >= policy.metrics().count());
    let unknown = decision.metrics.iter().filter(|(_, value)| value.is_null());
    let unknown: Vec<&str> = unknown.map(|(name, _)| name.as_str()).collect();
    // The table declares no order, and nobody pays by day.
    assert_eq!(unknown, ["day_sales", "drawn_share", "goods_share", "out_of_order_count", "pension_mean"]);
    assert_eq!(decision.unknown["pension_mean"], "no_records");
}

/// Ten times the records take about ten times as long; four times that would mean a cost that grows with their square.
#[test]
fn cost_grows_no_faster_than_the_records() {
    let policy = starter();
    let [few, many] = campaign::size([2_000, 20_000], [20_000, 200_000]).map(|records| generated(&policy, records));
    let time = |statements: &Statements| {
        let start = Instant::now();
        decide(&policy, statements, &Request::default()).unwrap();
        start.elapsed()
    };
    // The quickest of several runs, in turns: other work on the machine only slows them down.
    let mut best = [Duration::MAX; 2];
    for _ in 0..3 {
        best = [best[0].min(time(&few)), best[1].min(time(&many))];
    }
    let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
    println!("ten times the records took {ratio:.1} times as long");
    assert!(ratio < 40.0, "ten times the records took {ratio:.1} times as long");
}
