//! The OpenAPI document: every path is in it, and its examples are what the service answers.

use serde_json::Value;

use super::ApiService;
use crate::fixtures::desk::Desk;

const PATHS: [(&str, &str); 9] = [
    ("post", "/v1/decisions"),
    ("post", "/v1/explanations"),
    ("post", "/v1/metrics"),
    ("post", "/v1/records"),
    ("post", "/v1/batches"),
    ("get", "/v1/policies"),
    ("get", "/v1/health"),
    ("get", "/v1/openapi.json"),
    ("get", "/metrics"),
];

#[test]
fn every_path_is_described_and_each_example_is_an_answer() {
    let desk = Desk::new();
    let api = ApiService::start(desk.path(), &["--policy", "starter"]);
    let document = api.get("/v1/openapi.json").json();
    assert_eq!(document["paths"].as_object().unwrap().len(), PATHS.len());
    let mut compared = 0;
    for (method, path) in PATHS {
        let operation = &document["paths"][path][method];
        assert!(operation.is_object(), "{method} {path}");
        let unauthorized = operation["responses"].get("401");
        assert!(unauthorized.is_none(), "{path}: there are no keys");
        let (kind, answer) = operation["responses"]["200"]["content"].as_object().unwrap().iter().next().unwrap();
        let reply = match method {
            "get" => api.get(path),
            _ => {
                let (sent, body) = operation["requestBody"]["content"].as_object().unwrap().iter().next().unwrap();
                let example = &body["example"];
                let body = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
                let headers = [("content-type", sent.as_str()), ("x-request-id", "example")];
                api.ask("POST", path, &headers, body.as_bytes())
            }
        };
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert!(reply.header("content-type").unwrap().starts_with(kind.as_str()), "{path}");
        match &answer["example"] {
            Value::Null => assert!(["/metrics", "/v1/openapi.json"].contains(&path), "{path} has no example"),
            Value::String(text) => {
                assert_eq!(reply.text(), text, "{path}");
                compared += 1;
            }
            example => {
                assert_eq!(&reply.json(), example, "{path}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 7);
    let refused = &document["paths"]["/v1/decisions"]["post"]["responses"]["422"]["content"];
    let example = &refused["application/problem+json"]["example"];
    let headers = [("content-type", "application/json"), ("x-request-id", "example")];
    let reply = api.ask("POST", "/v1/decisions", &headers, br#"{"statement": {"status": "failed"}}"#);
    assert_eq!(&reply.json(), example);
}

#[test]
fn references_lead_somewhere_and_keys_are_described() {
    let desk = Desk::new();
    let said = desk.run(&["api", "--new-key", "till", "--scopes", "read"]);
    desk.write("keys.txt", &said.out);
    let key = format!("Bearer {}", said.err.trim().rsplit(' ').next().unwrap());
    let api = ApiService::start(desk.path(), &["--policy", "rules/small.toml", "--keys", "keys.txt"]);
    let document = api.ask("GET", "/v1/openapi.json", &[("authorization", &key)], b"").json();
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
    for (method, path) in PATHS {
        let is_open = path == "/v1/health";
        let operation = &document["paths"][path][method];
        assert_eq!(operation.get("security").is_none(), is_open, "{path}");
        assert_eq!(operation["responses"].get("401").is_none(), is_open, "{path}");
    }
}
