//! The OpenAPI document: the one that is served, the one that is committed, and what it says of every endpoint.

use std::path::Path;

use lendwright::sandbox::{Endpoint, document};
use serde_json::Value;

use super::desk::Desk;

#[test]
fn the_committed_document_is_the_sandboxs() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json");
    let made = format!("{}\n", document(&super::config().settings).to_pretty_json().unwrap());
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&file, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == made, "docs/openapi.json is old: INSTA_UPDATE=always cargo test --test it openapi");
}

#[tokio::test]
async fn it_is_served_and_names_every_endpoint() {
    let desk = Desk::new().await;
    let (status, served) = desk.get("/openapi.json").await;
    let made: Value = serde_json::from_str(&document(&super::config().settings).to_json().unwrap()).unwrap();
    assert_eq!((status, &served), (200, &made));
    let mut names = Vec::new();
    for (path, item) in served["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            names.push(operation["operationId"].as_str().unwrap().to_owned());
            assert_eq!(
                operation["security"].is_array(),
                path != "/collections/api/v1/gettransaction.json",
                "{method} {path}"
            );
        }
    }
    names.sort();
    let mut all = Endpoint::ALL.map(|endpoint| endpoint.name().to_owned());
    all.sort();
    assert_eq!(names, all);
}
