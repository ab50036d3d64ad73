//! The OpenAPI document beside what is served.

use serde_json::Value;

use super::{OFFERS, bench, bench_with, known, settings};
use lendwright::lender::config::LimitSettings;
use lendwright::lender::hosted::{Endpoint, hosted_openapi_document};

#[tokio::test]
async fn every_documented_path_is_served_and_every_endpoint_documented() {
    let mut moved = settings();
    moved.lender.accept_offer_path = "a/accept-{offerId}.json".to_owned();
    moved.lender.get_offers_path = "b".to_owned();
    moved.lender.reference_header = "x-reference".to_owned();
    for settings in [settings(), moved] {
        let bench = bench_with(settings, LimitSettings::default());
        let document =
            serde_json::to_value(hosted_openapi_document(bench.hosted.paths(), bench.hosted.settings())).unwrap();
        let mut documented = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                documented.push(operation["operationId"].as_str().unwrap().to_owned());
                let uri = path.replace("{offerId}", "OF-1").replace("{loanId}", "LN-1");
                let answer = bench.ask(&method.to_uppercase(), &uri, &known(), "").await;
                // Found, and refused for what it lacks.
                assert!(matches!(answer.status, 400 | 415), "{method} {uri}: {} {}", answer.status, answer.body);
                assert!(operation["responses"][answer.status.to_string()].is_object());
                let required = operation["parameters"].as_array().cloned().unwrap_or_default();
                check_required(&bench, &uri, &required).await;
            }
        }
        documented.sort();
        let mut names = Endpoint::ALL.map(|endpoint| endpoint.name().to_owned());
        names.sort();
        assert_eq!(documented, names);
    }
}

/// Without any one of the required parameters of a query, the request is refused for that one.
async fn check_required(bench: &super::Bench, uri: &str, parameters: &[Value]) {
    let of_query = |parameter: &&Value| parameter["in"] == "query" && parameter["required"] == true;
    let names: Vec<&str> =
        parameters.iter().filter(of_query).map(|parameter| parameter["name"].as_str().unwrap()).collect();
    let value = |name: &str| match name {
        "amount" => "5",
        "dateOfBirth" => "1990-02-28",
        "providerCode" => "LENDER",
        "loanId" => "LN-1",
        _ => "x",
    };
    for missing in &names {
        let given = names.iter().filter(|name| *name != missing);
        let query = given.map(|name| format!("{name}={}", value(name))).collect::<Vec<_>>().join("&");
        let query = if names.contains(&"amount") { format!("{query}&offerRequestReference=x") } else { query };
        let query = match *missing {
            "offerRequestReference" => query.replace("&offerRequestReference=x", ""),
            _ if names.contains(&"offerRequestReference") => query.replacen("&offerRequestReference=x", "", 1),
            _ => query,
        };
        let answer = bench.get(&format!("{uri}?{query}")).await;
        assert_eq!(answer.status, 400, "{uri} without {missing}: {}", answer.body);
        assert!(answer.body.contains(&format!("`{missing}` is missing")), "{missing}: {}", answer.body);
    }
}

#[tokio::test]
async fn answers_match_their_schema() {
    let bench = bench();
    let document =
        serde_json::to_value(hosted_openapi_document(bench.hosted.paths(), bench.hosted.settings())).unwrap();
    let schema = &document["paths"]["/offers"]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
    let answer: Value = serde_json::from_str(&bench.get(OFFERS).await.body).unwrap();
    let fields = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut documented = fields(&schema["properties"]);
    documented.sort();
    assert_eq!(fields(&answer), documented);
    let mut of_offer = fields(&schema["properties"]["offers"]["items"]["properties"]);
    of_offer.sort();
    assert_eq!(fields(&answer["offers"][0]), of_offer);
}
