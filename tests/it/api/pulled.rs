//! Statements that the provider has: an application names the offer request, and the service pulls its statement.

use serde_json::{Value, json};

use super::{ApiService, STATEMENT, application};
use crate::fixtures::desk::Desk;
use crate::fixtures::scripted_server::{self, Server};

/// A service that pulls from a server, which answers each call so.
fn pulling(desk: &Desk, answer: impl Into<Vec<u8>>) -> (Server, ApiService) {
    let provider = Server::fixed(answer);
    desk.write("token", "canary-token");
    #[cfg(unix)]
    std::fs::set_permissions(desk.path().join("token"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    desk.write("provider.toml", "[limits]\nattempts_max = 1\n");
    let connection = ["--settings", "provider.toml", "--base-url", &provider.base_url, "--token-file", "token"];
    let api = ApiService::start(desk.path(), &[&["--policy", "rules/small.toml"], &connection[..]].concat());
    (provider, api)
}

#[test]
fn a_statement_is_pulled_by_its_reference_and_decided_on_as_one_that_is_sent() {
    let desk = Desk::new();
    let (provider, api) = pulling(&desk, scripted_server::json(desk.read(STATEMENT)));
    let named = r#"{"pull": "OR-77", "as_of": "2026-10-31", "request": {"amount": 5000000}}"#;
    let pulled = api.post_json("/v1/decisions", named);
    assert_eq!(pulled.status, 200, "{}", pulled.text());
    assert!(provider.heads()[0].contains("OR-77"), "{:?}", provider.heads());
    let sent = application(&desk, STATEMENT).replace(&format!("\"{STATEMENT}\""), "\"OR-77\"");
    let sent = format!("{}, \"request\": {{\"amount\": 5000000}}}}", sent.trim_end().strip_suffix('}').unwrap());
    assert_eq!(pulled.text(), api.post_json("/v1/decisions", &sent).text());
    // The other paths take it too, and a line of a batch.
    for path in ["/v1/explanations", "/v1/metrics", "/v1/records"] {
        assert_eq!(api.post_json(path, r#"{"pull": "OR-77"}"#).status, 200, "{path}");
    }
    let batch = api.ask("POST", "/v1/batches", &[("content-type", "application/x-ndjson")], named.as_bytes());
    assert_eq!(batch.text(), pulled.text());
    assert_eq!(provider.count(), 5);
    for body in [r#"{"pull": "OR-77", "metrics": {}}"#, r#"{"pull": "OR-77", "columns": "plaid"}"#, r#"{"pull": 7}"#] {
        assert_eq!(api.post_json("/v1/decisions", body).code(), "malformed-body", "{body}");
    }
    assert_eq!(provider.count(), 5);
}

#[test]
fn what_the_provider_does_not_give_is_a_problem_of_its_own() {
    let refusal: Value = json!({ "status": "error", "code": "14", "message": "canary: ADA OBI" });
    for (answer, code) in [
        (scripted_server::answer("404 Not Found", &[], refusal.to_string()), "pull-refused"),
        (scripted_server::json("{\"data\": "), "pull-refused"),
        (scripted_server::answer("401 Unauthorized", &[], "{}"), "provider-unavailable"),
        (scripted_server::answer("500 Broken", &[], "{}"), "provider-unavailable"),
    ] {
        let desk = Desk::new();
        let (_provider, api) = pulling(&desk, answer);
        let reply = api.post_json("/v1/decisions", r#"{"pull": "OR-77"}"#);
        assert_eq!(reply.code(), code, "{}", reply.text());
        let log = std::fs::read_to_string(desk.path().join("api.log")).unwrap();
        assert!(!reply.text().contains("canary") && !log.contains("canary"), "{}{log}", reply.text());
    }
    let desk = Desk::new();
    let api = super::start(&desk);
    assert_eq!(api.post_json("/v1/decisions", r#"{"pull": "OR-77"}"#).code(), "no-provider");
}
