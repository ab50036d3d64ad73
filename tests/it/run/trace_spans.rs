//! What a service sees of the engine in its traces, and what it must never see.

use lendwright::{Request, compile, decide, metrics, read_json, reading};

use crate::fixtures::log::Listening;

#[test]
fn the_engine_has_spans_and_no_span_has_a_person() {
    let listening = Listening::begin();
    let policy =
        compile("live.toml", &super::rules("7"), &mut |_| Err("no other files".into()), &[]).expect("a policy");
    let body = br#"[{"id": "secret-id", "customer": "ADA-OBI", "credit": 77.25, "trans_date": "2026-06-30",
        "notes": {"desc": "SALARY"}}]"#;
    let statements = read_json(body, "ada.json", &reading(&policy)).expect("a statement");
    metrics::table(&policy, &statements, None).expect("metrics");
    decide(&policy, &statements, &Request::default()).expect("a decision");
    let traced = listening.end();
    for span in ["compile", "read_json", "metrics", "decide"] {
        let target = traced.lines().find(|line| line.split(' ').nth(1) == Some(span)).unwrap_or_default();
        assert!(target.starts_with("lendwright::"), "{span}: {traced}");
    }
    for personal in ["ADA", "ada", "secret-id", "77", "SALARY"] {
        assert!(!traced.contains(personal), "{personal}: {traced}");
    }
}
