//! Extreme statements: all are decided, with the right unknowns, and none is approved for what it lacks.

use lendwright::base::date::Day;
use lendwright::decision::{Decision, Outcome, Request, decide, reading};
use lendwright::generate::{Options, Plan, csv_header};
use lendwright::load_policy;
use lendwright::rules::Policy;
use lendwright::statement::{Columns, Statements, read_csv, read_json};
use serde_json::{Value, json};

pub(crate) fn starter() -> Policy {
    load_policy(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml"), &[]).unwrap()
}

fn read(policy: &Policy, records: &str) -> Statements {
    let body = format!(r#"{{"status": "success", "data": {{"transactions": [{records}]}}}}"#);
    read_json(body.as_bytes(), "extreme", &reading(policy)).unwrap()
}

pub(crate) fn decided(records: &str, as_of: Option<&str>) -> Decision {
    let policy = starter();
    let request = as_of.map_or_else(Request::default, |day| Request::on(Day::parse_iso(day).unwrap()));
    decide(&policy, &read(&policy, records), &request).unwrap().remove(0)
}

pub(crate) fn on(day: &str) -> Request {
    Request::on(Day::parse_iso(day).unwrap())
}

pub(crate) fn record(id: u64, date: &str, credit: &str, desc: &str) -> String {
    format!(r#"{{"id": "{id:07}", "trans_date": "{date}", "credit": {credit}, "notes": {{"desc": "{desc}"}}}}"#)
}

pub(crate) fn reasons(decision: &Decision) -> Vec<&str> {
    decision.reasons.iter().map(|reason| reason.id.as_str()).collect()
}

/// Zero for a count or a sum of nothing; unknown with its reason where there is no value.
fn says_nothing(decision: &Decision) {
    assert_eq!((decision.outcome, decision.offers.len()), (Outcome::Decline, 0));
    assert_eq!(reasons(decision), ["R01", "R02", "R06", "R12", "R20"]);
    for (name, value) in
        [("record_count", json!(0)), ("credit_total", json!(0)), ("full_months", json!(0)), ("inflow_90d", json!(0))]
    {
        assert_eq!(decision.metrics[name], value, "{name}");
    }
    let unknown = [
        ("first_date", "no_records"),
        ("staleness_days", "no_records"),
        ("credit_mean", "no_records"),
        ("inflow_month_median", "no_records"),
        ("inflow_3m_mean", "needs_3_months"),
        ("debit_total", "needs_debit"),
        ("closing_balance", "needs_balance"),
        ("win_share", "zero_denominator"),
    ];
    for (name, reason) in unknown {
        assert_eq!((&decision.metrics[name], decision.unknown[name].as_str()), (&Value::Null, reason), "{name}");
    }
}

#[test]
fn an_empty_statement_is_decided() {
    let decision = decided("", Some("2026-06-30"));
    says_nothing(&decision);
    assert_eq!((decision.as_of.unwrap().to_string(), decision.quality.records), ("2026-06-30".to_owned(), 0));
}

#[test]
fn an_empty_statement_without_a_day_is_decided_without_one() {
    let decision = decided("", None);
    assert_eq!((decision.as_of, decision.outcome), (None, Outcome::Decline));
    // Metrics that need the day are unknown.
    assert_eq!(decision.unknown["inflow_90d"], "no_records");
}

#[test]
fn records_after_the_day_are_none() {
    let records =
        [record(1, "2026-07-01", "5000000", "SALARY"), record(2, "2027-01-01", "5000000", "SALARY")].join(",");
    let decision = decided(&records, Some("2026-06-30"));
    says_nothing(&decision);
    assert_eq!(decision.quality.records, 2);
}

#[test]
fn one_record_is_decided() {
    let decision = decided(&record(1, "2026-06-30", "250000.50", "SALARY JUNE"), Some("2026-06-30"));
    assert_eq!((decision.outcome, reasons(&decision)), (Outcome::Decline, vec!["R01"]));
    assert_eq!(decision.as_of.unwrap().to_string(), "2026-06-30");
    let known = [
        ("record_count", json!(1)),
        ("credit_total", json!(25_000_050)),
        ("credit_median", json!(25_000_050.0)),
        ("months_covered", json!(1)),
        ("full_months", json!(0)),
        ("span_days", json!(1)),
        ("staleness_days", json!(0)),
        ("salary_count", json!(1)),
    ];
    for (name, value) in known {
        assert_eq!(decision.metrics[name], value, "{name}");
    }
    for (name, reason) in
        [("credit_std", "needs_2_values"), ("longest_gap_days", "needs_2_values"), ("inflow_trend", "needs_2_values")]
    {
        assert_eq!(decision.unknown[name], reason, "{name}");
    }
}

/// A generated statement with debits and balances.
pub(crate) fn generated(policy: &Policy, records: u64) -> Statements {
    let options = Options { records, months: Some(24), debits: true, ..Options::default() };
    let mut table = csv_header(&options).into_bytes();
    Plan::new(9, 0, &options).unwrap().write_csv(&mut table).unwrap();
    read_csv(&table, "generated", &reading(policy), &Columns::default()).unwrap()
}

#[test]
fn one_record_gives_every_metric_or_says_why_not() {
    let policy = starter();
    let decision = decide(&policy, &generated(&policy, 1), &Request::default()).unwrap().remove(0);
    assert_eq!(decision.metrics["record_count"], json!(1));
    assert!(decision.metrics.len() >= policy.metrics().count());
    for (name, value) in &decision.metrics {
        let why = decision.unknown.get(name).map_or("", String::as_str);
        assert_eq!(value.is_null(), !why.is_empty(), "{name}: {value}, {why}");
    }
}

#[test]
fn amounts_too_large_to_add_up_are_unknown_and_approve_nobody() {
    let most = "92233720368547758.07";
    let records: Vec<String> =
        (1..=7).map(|month| record(month, &format!("2026-{month:02}-28"), most, "SALARY")).collect();
    let decision = decided(&records.join(","), None);
    assert_ne!(decision.outcome, Outcome::Offer);
    assert_eq!(decision.metrics["credit_max"], json!(i64::MAX));
    for name in ["credit_total", "inflow_90d", "win_share"] {
        assert_eq!((&decision.metrics[name], decision.unknown[name].as_str()), (&Value::Null, "overflow"), "{name}");
    }
}

#[test]
fn odd_text_decides_nothing_and_does_not_reach_the_terminal() {
    let plain = record(1, "2026-06-30", "100", "SALARY");
    let long = "x".repeat(1 << 20);
    for odd in [r"A\u0000B", r"\ud800 SALARY", r"\u202eYRALAS\u202c", r"\u001b[2J\u0007", long.as_str()] {
        let records = format!("{plain},{}", record(2, "2026-06-30", "7", odd));
        let (decision, again) = (decided(&records, None), decided(&records, None));
        assert_eq!(decision.to_line(), again.to_line());
        assert_eq!(decision.metrics["credit_total"], json!(10_700));
        let policy = starter();
        let statements = read(&policy, &records);
        // Read line by line it equals one list, to the last byte.
        let body: String = records.replace("},{", "}\n{");
        let lines = read_json(body.as_bytes(), "extreme", &reading(&policy)).unwrap();
        assert_eq!(decide(&policy, &lines, &Request::default()).unwrap()[0].to_line(), decision.to_line());
        let told = crate::report::explain::text(&policy, &statements, &Request::default());
        let shown = lendwright::decision::evidence(&policy, &statements, &Request::default(), "credit_total").unwrap();
        for text in [told, lendwright::report::render_evidence_text(&shown.unwrap()[0], 20)] {
            let steers =
                |letter: char| letter != '\n' && (letter.is_control() || ('\u{202a}'..='\u{202e}').contains(&letter));
            assert!(!text.contains(steers), "{}", text.escape_debug());
        }
    }
}
