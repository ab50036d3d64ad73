//! The OpenAPI document: the one that is served, the one that is committed, and what it says of every endpoint.

use std::path::Path;

use lendwright::sandbox::{Endpoint, sandbox_openapi_document};
use serde_json::Value;

use crate::fixtures::sandbox::Desk;

#[test]
fn the_committed_document_is_the_sandboxs() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/openapi.json");
    let made = format!("{}\n", sandbox_openapi_document(&super::config().settings).to_pretty_json().unwrap());
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&file, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == made, "docs/reference/openapi.json is old: INSTA_UPDATE=always cargo test --test it openapi");
}

#[tokio::test]
async fn it_is_served_and_names_every_endpoint() {
    let desk = Desk::new().await;
    let (status, served) = desk.get("/openapi.json").await;
    let made: Value =
        serde_json::from_str(&sandbox_openapi_document(&super::config().settings).to_json().unwrap()).unwrap();
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

#[test]
fn it_follows_the_settings() {
    use lendwright::wire::{Layout, Method};
    let mut settings = super::config().settings;
    settings.send_offers.layout = Layout::Indexed;
    settings.verify_account.method = Method::Get;
    settings.verify_account.path = "accounts/names".to_owned();
    settings.verify_account.account_field = "nuban".to_owned();
    settings.requery.method = Method::Post;
    settings.requery.path = "status/{transactionId}".to_owned();
    settings.iqr.code_field = "iqr code".to_owned();
    let made: Value = serde_json::from_str(&sandbox_openapi_document(&settings).to_json().unwrap()).unwrap();
    let names = |operation: &Value| -> Vec<String> {
        let parameters = operation["parameters"].as_array().unwrap().iter();
        parameters.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(names(&made["paths"]["/accounts/names"]["get"]).contains(&"nuban".to_owned()));
    assert_eq!(names(&made["paths"]["/status/{transactionId}"]["post"]), ["transactionId"]);
    let send = &made["paths"]["/lending-service/api/v1/offers/{segment}/send-offers"]["post"];
    assert!(names(send).contains(&"offers[0].amountOffered".to_owned()));
    let refusal = &made["components"]["schemas"]["refusal_iqr_code_responseMessage"];
    assert_eq!(refusal["required"], serde_json::json!(["iqr code", "responseMessage"]));
}

#[test]
fn it_declares_every_status_and_header() {
    let made: Value =
        serde_json::from_str(&sandbox_openapi_document(&super::config().settings).to_json().unwrap()).unwrap();
    let statuses = |path: &str, method: &str| -> Vec<u16> {
        let responses = made["paths"][path][method]["responses"].as_object().unwrap();
        responses.keys().map(|status| status.parse().unwrap()).collect()
    };
    let offers = "/lending-service/api/v3/offers";
    let records = "/lending-service-data-service/api/v1/customer-details/transactions/{offerRequestReference}";
    let send = "/lending-service/api/v1/offers/{segment}/send-offers";
    let fund = "/lending-service/api/v1/loans/{loanId}/fund";
    let bulk = "/api/v1/cqr/request";
    let paid = "/collections/api/v1/gettransaction.json";
    assert_eq!(statuses(offers, "get"), [200, 400, 401, 404, 405, 406, 413]);
    assert_eq!(statuses(records, "get"), [200, 400, 401, 404, 405, 406, 413, 500]);
    assert_eq!(statuses(send, "post"), [200, 400, 401, 404, 405, 406, 409, 413]);
    assert_eq!(statuses(fund, "post"), [200, 400, 401, 404, 405, 406, 409, 413, 415]);
    assert_eq!(statuses(bulk, "post"), [200, 400, 401, 405, 406, 409, 413, 415]);
    assert_eq!(statuses(paid, "get"), [200, 400, 404, 405, 409, 413, 415]);
    let headers = |status: &str| &made["paths"][offers]["get"]["responses"][status]["headers"];
    assert!(headers("200")[lendwright::sandbox::REFERENCE_HEADER].is_object() && headers("405")["allow"].is_object());
}

#[test]
fn it_has_the_calls_to_the_lender_as_webhooks() {
    let made: Value =
        serde_json::from_str(&sandbox_openapi_document(&super::config().settings).to_json().unwrap()).unwrap();
    assert!(made["openapi"].as_str().unwrap().starts_with("3.1"), "an older one knows no webhooks");
    let (asked, told) = (&made["webhooks"]["loan_status"]["get"], &made["webhooks"]["payment_notification"]["post"]);
    let names = |operation: &Value| -> Vec<String> {
        let parameters = operation["parameters"].as_array().unwrap().iter();
        parameters.map(|one| format!("{} {}", one["in"].as_str().unwrap(), one["name"].as_str().unwrap())).collect()
    };
    let credentials = ["header username", "header password"];
    let query = ["query customerId", "query loanId", "query providerCode", "query channelCode"];
    assert_eq!(names(asked), [query.as_slice(), &credentials].concat());
    assert_eq!(names(told), credentials);
    let properties =
        |schema: &Value| -> Vec<String> { schema["properties"].as_object().unwrap().keys().cloned().collect() };
    let json = |content: &Value| content["content"]["application/json"]["schema"].clone();
    let mut sent = properties(&json(&told["requestBody"]));
    sent.sort();
    assert_eq!(sent, ["Amount", "customerId", "loanId", "paymentRef"]);
    for (call, field) in [(asked, "loan"), (told, "loanStatus")] {
        assert!(properties(&json(&call["responses"]["200"])).contains(&field.to_owned()));
    }
}
