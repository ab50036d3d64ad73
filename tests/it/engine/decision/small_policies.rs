//! Policies of a few lines, decided on one statement, for the tests of single parts.

use lendwright::compile;
use lendwright::decision::{Decision, Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use serde_json::Value;

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    [request]\na = \"boolean\"\nb = \"boolean\"\nc = \"boolean\"\nn = \"number\"\nincome = \"money\"\n\
    amount = \"money\"\ntenure = \"days\"\nowed = \"money\"\n";

pub(crate) fn compiled(body: &str) -> Result<Policy, String> {
    compile("x.toml", &format!("{HEADER}{body}"), &mut |_| Err("none".into()), &[])
        .map_err(|refused| refused.to_string())
}

pub(crate) fn decided(body: &str, request: Value) -> Decision {
    let policy = compiled(body).unwrap_or_else(|error| panic!("{error}"));
    let record = br#"[{"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let statements = read_json(record, "inline", &reading(&policy)).unwrap();
    let request = Request::from_json(&policy, request.to_string().as_bytes()).unwrap();
    decide(&policy, &statements, &request).unwrap().remove(0)
}
