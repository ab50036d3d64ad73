//! Decisions that are kept: found again, answered again after a restart, erased; and what becomes of their loans.

use super::{ApiService, STATEMENT, application};
use crate::fixtures::desk::Desk;

const BOOK: [&str; 4] = ["--book", "book.sqlite", "--book-keys", "book.keys"];

/// A desk with keys for a book.
pub fn desk_with_keys() -> Desk {
    let desk = Desk::new();
    let (key, lookup) = ("ab".repeat(32), "cd".repeat(32));
    desk.write("book.keys", &format!("1:{key}\nlookup:{lookup}\n"));
    let keys = desk.path().join("book.keys");
    std::fs::set_permissions(keys, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    desk
}

pub fn start_with_book(desk: &Desk, more: &[&str]) -> ApiService {
    ApiService::start(desk.path(), &[&["--policy", "rules/small.toml"], &BOOK[..], more].concat())
}

/// Runs a command on the book.
pub fn on_book(desk: &Desk, args: &[&str]) -> String {
    let said = desk.run(&[args, &BOOK[..]].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    said.out
}

#[test]
fn a_decision_is_found_by_its_id_until_it_is_erased() {
    let desk = desk_with_keys();
    let api = start_with_book(&desk, &[]);
    let answer = api.post_json("/v1/decisions", &application(&desk, STATEMENT));
    let id = answer.header("x-lendwright-decision").unwrap().to_owned();
    let shown = api.get(&format!("/v1/decisions/{id}"));
    assert_eq!(shown.status, 200, "{}", shown.text());
    assert!(shown.text().contains(answer.text().trim_end()), "{}", shown.text());
    assert_eq!((shown.json()["id"].as_str(), &shown.json()["loan"]), (Some(id.as_str()), &serde_json::Value::Null));
    assert_eq!(api.get("/v1/decisions/dec_0").code(), "unknown-decision");
    // Nothing personal is readable on the disk.
    let bytes = std::fs::read(desk.path().join("book.sqlite")).unwrap();
    let wal = std::fs::read(desk.path().join("book.sqlite-wal")).unwrap_or_default();
    let customer = answer.json()["customer"].as_str().unwrap().to_owned();
    for secret in [customer.as_bytes(), b"balance_verdict", STATEMENT.as_bytes()] {
        let is_in = |bytes: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
        assert!(!is_in(&bytes) && !is_in(&wal), "{}", String::from_utf8_lossy(secret));
    }
    assert_eq!(
        on_book(&desk, &["decisions", "erase", "--customer", &customer]),
        "1 decision erased; what is counted of it remains\n"
    );
    assert_eq!(api.get(&format!("/v1/decisions/{id}")).code(), "decision-erased");
    assert_eq!(api.stop(), Some(0));
}

#[test]
fn a_key_gets_the_same_answer_after_a_restart() {
    let desk = desk_with_keys();
    let body = application(&desk, STATEMENT);
    let ask = |api: &ApiService, body: &str| {
        let headers = [("content-type", "application/json"), ("idempotency-key", "k-1")];
        api.ask("POST", "/v1/decisions", &headers, body.as_bytes())
    };
    let api = start_with_book(&desk, &[]);
    let first = ask(&api, &body);
    assert_eq!(api.stop(), Some(0));
    // Another policy decides now; the answer stays.
    desk.write("rules/small.toml", &desk.read("rules/small.toml").replace("version = \"1\"", "version = \"2\""));
    let api = start_with_book(&desk, &[]);
    let again = ask(&api, &body);
    assert_eq!((again.text(), again.header("idempotency-replayed")), (first.text(), Some("true")));
    assert_eq!(again.header("x-lendwright-decision"), first.header("x-lendwright-decision"));
    assert_eq!(again.header("x-lendwright-policy"), first.header("x-lendwright-policy"));
    assert_eq!(ask(&api, &body.replace("2026-10-31", "2026-10-30")).code(), "idempotency-key-reused");
}

#[test]
fn what_became_of_a_loan_is_reported_by_id_or_reference() {
    let desk = desk_with_keys();
    let api = start_with_book(&desk, &[]);
    let answer = api.post_json("/v1/decisions", &application(&desk, STATEMENT));
    assert_ne!(answer.json()["outcome"], "decline", "{}", answer.text());
    let id = answer.header("x-lendwright-decision").unwrap();
    let report = |body: String| api.post_json("/v1/outcomes", &body);
    let told = report(format!("{{\"decision\": \"{id}\", \"bad\": false, \"loan_date\": \"2026-11-02\"}}"));
    assert_eq!(told.json(), serde_json::json!({ "decision": id, "replaced": false }));
    let told = report(format!("{{\"reference\": \"{STATEMENT}\", \"bad\": true, \"amount\": 5000000}}"));
    assert_eq!(told.json(), serde_json::json!({ "decision": id, "replaced": true }));
    let shown = api.get(&format!("/v1/decisions/{id}")).json();
    assert_eq!((&shown["loan"]["bad"], &shown["loan"]["amount"]), (&true.into(), &5_000_000.into()));
    assert_eq!(report("{\"decision\": \"dec_0\", \"bad\": true}".to_owned()).code(), "unknown-decision");
    assert_eq!(report("{\"decision\": \"dec_0\"}".to_owned()).code(), "malformed-body");
}

#[test]
fn without_a_book_nothing_is_kept_and_a_book_says_how_it_is_sealed() {
    let desk = desk_with_keys();
    let api = super::start(&desk);
    let answer = api.post_json("/v1/decisions", &application(&desk, STATEMENT));
    assert_eq!(answer.header("x-lendwright-decision"), None);
    assert_eq!(api.get("/v1/decisions/dec_0").code(), "no-book");
    assert_eq!(api.post_json("/v1/outcomes", "{}").code(), "no-book");
    let paths = api.get("/v1/openapi.json").json()["paths"].clone();
    assert!(paths["/v1/outcomes"].is_null() && paths["/v1/decisions/{id}"].is_null());
    let refused = |args: &[&str]| {
        let said = desk.run(&[&["api", "--policy", "rules/small.toml", "--listen", "127.0.0.1:0"], args].concat());
        assert_ne!(said.status, 0);
        said.err
    };
    assert!(refused(&["--book", "book.sqlite"]).contains("--book-keys"));
    assert!(refused(&["--shadow", "strict=rules/small.toml"]).contains("--book"));
    drop(start_with_book(&desk, &[]));
    let said = refused(&["--book", "book.sqlite", "--book-readable"]);
    assert!(said.contains("keys"), "{said}");
}

#[test]
fn the_paths_of_a_book_are_described() {
    let desk = desk_with_keys();
    let api = start_with_book(&desk, &[]);
    let document = api.get("/v1/openapi.json").json();
    let responses = |path: &str, method: &str| -> Vec<String> {
        document["paths"][path][method]["responses"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(responses("/v1/decisions/{id}", "get"), ["200", "403", "404", "405", "410", "500", "503"]);
    let of_outcomes = ["200", "400", "403", "404", "405", "408", "409", "413", "415", "500", "503"];
    assert_eq!(responses("/v1/outcomes", "post"), of_outcomes);
    let example = &document["paths"]["/v1/decisions/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
    assert!(example["example"]["decision"]["outcome"].is_string());
}
