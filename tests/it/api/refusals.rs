//! Every refusal: its status, its code, and that it repeats nothing of what was sent.

use super::{ApiService, STATEMENT, application, start};
use crate::fixtures::desk::Desk;

const JSON: (&str, &str) = ("content-type", "application/json");

#[test]
fn bodies_that_are_no_application_are_400() {
    let desk = Desk::new();
    let api = start(&desk);
    for (body, code) in [
        ("", "malformed-body"),
        ("{", "malformed-body"),
        ("[]", "malformed-body"),
        ("{}", "malformed-body"),
        (r#"{"statement": [], "metrics": {}}"#, "malformed-body"),
        (r#"{"statement": [], "statement": []}"#, "malformed-body"),
        (r#"{"statement": [], "CANARY": 1}"#, "malformed-body"),
        (r#"{"statement": [], "as_of": "CANARY"}"#, "malformed-body"),
        (r#"{"statement": [], "as_of": 5}"#, "malformed-body"),
        (r#"{"statement": [], "customer": " "}"#, "malformed-body"),
        (r#"{"statement": [], "columns": "CANARY"}"#, "unknown-columns"),
        (r#"{"statement": [], "request": {"CANARY": 1}}"#, "invalid-request"),
        (r#"{"statement": [], "request": {"amount": "CANARY"}}"#, "invalid-request"),
        (r#"{"statement": [], "request": "CANARY"}"#, "invalid-request"),
        (r#"{"statement": [], "request": {"amount": 1, "amount": 2}}"#, "invalid-request"),
    ] {
        let reply = api.post_json("/v1/decisions", body);
        assert_eq!((reply.status, reply.code().as_str()), (400, code), "{body}");
        assert!(!reply.text().contains("CANARY"), "{}", reply.text());
    }
    let query = api.ask("POST", "/v1/decisions?as_of=2026-10-31", &[JSON], b"{}");
    assert_eq!((query.status, query.code().as_str()), (400, "invalid-query"));
    for query in ["day=1", "as_of=2026-10-31&as_of=2026-10-31"] {
        let csv = [("content-type", "text/csv")];
        let reply = api.ask("POST", &format!("/v1/decisions?{query}"), &csv, b"a");
        assert_eq!((reply.status, reply.code().as_str()), (400, "invalid-query"), "{query}");
    }
}

#[test]
fn statements_that_are_refused_are_422_with_their_place() {
    let desk = Desk::new();
    let api = start(&desk);
    let record = |more: &str| format!(r#"{{"statement": [{{"id": "1", {more}}}]}}"#);
    for (body, code) in [
        (r#"{"statement": {"status": "failed", "message": "CANARY"}}"#.to_owned(), "statement-status"),
        (r#"{"statement": "CANARY"}"#.to_owned(), "not-a-statement"),
        (r#"{"statement": {"data": "CANARY"}}"#.to_owned(), "not-a-statement"),
        (record(r#""credit": "CANARY", "trans_date": "2026-06-30""#), "statement-value"),
        (record(r#""credit": 8112233.123, "trans_date": "2026-06-30""#), "statement-value"),
        (record(r#""credit": 1, "trans_date": "CANARY""#), "statement-value"),
        (record(r#""credit": 1, "credit": 2, "trans_date": "2026-06-30""#), "statement-refused"),
    ] {
        let reply = api.post_json("/v1/decisions", &body);
        assert_eq!((reply.status, reply.code().as_str()), (422, code), "{body}: {}", reply.text());
        assert!(!reply.text().contains("CANARY") && !reply.text().contains("8112233"), "{}", reply.text());
        if code == "statement-value" {
            assert!(reply.json()["where"].as_str().unwrap().contains("record `1`"), "{}", reply.text());
        }
    }
    let csv = [("content-type", "text/csv")];
    let two = "customer,id,trans_date,credit\nCANARY,1,2026-09-30,1\nB,2,2026-10-01,10\n";
    let reply = api.ask("POST", "/v1/decisions", &csv, two.as_bytes());
    assert_eq!((reply.status, reply.code().as_str()), (422, "several-customers"));
    let none = api.ask("POST", "/v1/decisions", &csv, b"customer,id,trans_date,credit\n");
    assert_eq!((none.status, none.code().as_str()), (422, "several-customers"));
    let other = api.ask("POST", "/v1/decisions", &csv, b"a,b\n1,2\n");
    assert_eq!(other.status, 422, "{}", other.text());
    let empty = api.ask("POST", "/v1/decisions", &csv, b"");
    assert_eq!((empty.status, empty.code().as_str()), (422, "not-a-statement"));
}

#[test]
fn a_refusal_reaches_a_caller_that_is_still_sending() {
    let desk = Desk::new();
    let api = ApiService::start(desk.path(), &["--policy", "rules/small.toml"]);
    let large = vec![b' '; 4_000_000];
    for (method, path, kind, status) in [
        ("POST", "/v1/decision", "application/json", 404),
        ("PUT", "/v1/decisions", "application/json", 405),
        ("POST", "/v1/decisions", "text/plain", 415),
        ("POST", "/v1/outcomes", "application/json", 404),
    ] {
        let length = large.len().to_string();
        let mut headers = vec![("content-type", kind)];
        if method == "PUT" {
            headers.push(("content-length", &length));
        }
        let reply = api.ask(method, path, &headers, &large);
        assert_eq!(reply.status, status, "{path}");
    }
    let host = [("host", "evil.example"), JSON];
    assert_eq!(api.ask("POST", "/v1/decisions", &host, &large).code(), "foreign-host");
}

#[test]
fn headers_that_have_no_meaning_here_are_refused() {
    let desk = Desk::new();
    let api = ApiService::start(desk.path(), &["--policy", "rules/small.toml"]);
    let ask = |headers: &[(&str, &str)]| api.ask("POST", "/v1/decisions", headers, b"{}");
    let encoded = ask(&[JSON, ("content-encoding", "gzip")]);
    assert_eq!((encoded.status, encoded.code().as_str()), (415, "content-encoding"));
    assert_eq!(ask(&[JSON, ("content-encoding", "identity")]).code(), "malformed-body");
    let keys = ask(&[JSON, ("idempotency-key", "a"), ("idempotency-key", "b")]);
    assert_eq!(keys.code(), "invalid-idempotency-key");
    let twice = r#"{"metrics": {"records": 9, "records": 2}, "as_of": "2026-10-31"}"#;
    assert_eq!(api.post_json("/v1/decisions", twice).code(), "invalid-metrics");
    // A HEAD is a GET without its body.
    let head = api.ask("HEAD", "/v1/health", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    // The request that asks is the one in flight.
    assert!(api.get("/metrics").text().contains("lendwright_http_in_flight 1\n"));
}

#[test]
fn paths_methods_types_and_sizes_have_their_statuses() {
    let desk = Desk::new();
    let api = ApiService::start(desk.path(), &["--policy", "rules/small.toml", "--body-limit", "1"]);
    let unknown = api.get("/v1/decision");
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "unknown-path"));
    let method = api.get("/v1/decisions");
    assert_eq!((method.status, method.code().as_str(), method.header("allow")), (405, "method", Some("POST")));
    for kind in ["text/plain", "multipart/form-data; boundary=x", ""] {
        let reply = api.ask("POST", "/v1/decisions", &[("content-type", kind)], b"{}");
        assert_eq!((reply.status, reply.code().as_str()), (415, "content-type"), "{kind}");
    }
    let reply = api.ask("POST", "/v1/batches", &[JSON], b"{}");
    assert_eq!((reply.status, reply.code().as_str()), (415, "content-type"));
    let large = vec![b' '; 1_000_001];
    let reply = api.ask("POST", "/v1/decisions", &[JSON], &large);
    assert_eq!((reply.status, reply.code().as_str()), (413, "body-too-large"));
    let mut chunked = b"f4241\r\n".to_vec();
    chunked.extend_from_slice(&large);
    chunked.extend_from_slice(b"\r\n0\r\n\r\n");
    let reply = api.ask("POST", "/v1/decisions", &[JSON, ("transfer-encoding", "chunked")], &chunked);
    assert_eq!((reply.status, reply.code().as_str()), (413, "body-too-large"));
    // It still answers.
    assert_eq!(api.post_json("/v1/decisions", &application(&desk, STATEMENT)).status, 200);
}

#[test]
fn pages_of_other_hosts_are_kept_out() {
    let desk = Desk::new();
    let api = start(&desk);
    for (host, status) in [("evil.example", 403), ("127.0.0.1:80", 200), ("localhost", 200), ("[::1]:1", 200)] {
        assert_eq!(api.ask("GET", "/v1/policies", &[("host", host)], b"").status, status, "{host}");
    }
}

#[test]
fn an_address_for_others_needs_keys() {
    let desk = Desk::new();
    let said = desk.run(&["api", "--policy", "rules/small.toml", "--listen", "0.0.0.0:0"]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("--keys") && said.err.contains("--new-key"), "{}", said.err);
}
