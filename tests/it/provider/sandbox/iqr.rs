//! iQRs: validated, issued, linked, found; with each call's own spelling of the names.

use serde_json::{Value, json};

use crate::fixtures::sandbox::{Desk, changed, said};

const REQUEST: &str = "/api/v1/cqr/request";

fn single() -> Value {
    json!({ "aggregatorID": "AGG", "transactionRef": "T-1", "authData": "auth-data-canary",
        "mobileNumber": "080", "otp": "otp-canary", "needImage": true, "channel": "API",
        "user": { "userID": "U", "bvn": "bvn-canary" },
        "riskControlData": { "operatorID": "O", "currentLocation": { "longitude": "3", "latitude": "6" } } })
}

fn bulk(quantity: i64) -> Value {
    json!({ "aggregatorID": "AGG", "transactionRef": "B-1", "quantity": quantity, "channel": "API" })
}

#[tokio::test]
async fn an_iqr_is_issued_for_a_validated_card() {
    let desk = Desk::new().await;
    let card = json!({ "aggregatorId": "AGG", "transactionRef": "V-1", "authData": "x", "channel": "USSD" });
    let (status, body) = desk.post("/api/v1/cqr/card/validate", card).await;
    assert_eq!((status, &body["responseCode"], &body["transactionRef"]), (200, &json!("00"), &json!("V-1")));
    let issued = desk.post(REQUEST, single()).await;
    assert_eq!(issued.0, 200, "{}", issued.1);
    assert!(issued.1["qrImage"].as_str().unwrap().starts_with("data:image/svg+xml"));
    assert_eq!(desk.post(REQUEST, single()).await, issued, "the same call, the same iQR");
    assert_eq!(desk.post(REQUEST, changed(&single(), "channel", json!("WEB"))).await.0, 409);
    assert_eq!(desk.sandbox.state().iqrs().len(), 1);

    let reference = json!({ "aggregatorId": "AGG", "transactionRef": "R-1", "mobileNumber": "080",
        "qrId": issued.1["qrId"], "panLast4Digits": "1234", "channel": "API" });
    let (status, body) = desk.post("/api/v1/cqr/reference", reference.clone()).await;
    assert_eq!((status, &body["qrRef"], &body["linked"]), (200, &issued.1["qrRef"], &json!(true)));
    for (field, value) in [("qrId", "QR-0"), ("mobileNumber", "081")] {
        assert_eq!(desk.post("/api/v1/cqr/reference", changed(&reference, field, json!(value))).await.0, 404);
    }
    assert_eq!(desk.post("/api/v1/cqr/reference", changed(&reference, "panLast4Digits", json!("12345"))).await.0, 400);
}

#[tokio::test]
async fn iqrs_in_bulk_belong_to_nobody_and_are_linked_once() {
    let desk = Desk::new().await;
    let (status, body) = desk.post(REQUEST, bulk(3)).await;
    let iqrs = body["iqrs"].as_array().unwrap();
    assert_eq!((status, iqrs.len()), (200, 3));
    let link = json!({ "aggregatorId": "AGG", "transactionRef": "L-1", "qrId": iqrs[1]["qrId"],
        "qrRef": iqrs[1]["qrRef"], "mobileNumber": "080", "operator": { "any": ["thing"] } });
    let first = desk.post("/api/v1/cqr/linkref", link.clone()).await;
    assert_eq!(first.0, 200, "{}", first.1);
    assert_eq!(desk.post("/api/v1/cqr/linkref", link.clone()).await, first);
    let second = changed(&link, "transactionRef", json!("L-2"));
    assert_eq!(said(&desk.post("/api/v1/cqr/linkref", second).await), (409, "the iQR belongs to a customer already"));
    let wrong = changed(&changed(&link, "transactionRef", json!("L-3")), "qrRef", iqrs[0]["qrRef"].clone());
    assert_eq!(desk.post("/api/v1/cqr/linkref", wrong).await.0, 404);
    let linked: Vec<bool> = desk.sandbox.state().iqrs().iter().map(|iqr| iqr.linked).collect();
    assert_eq!(linked, [false, true, false]);
}

#[tokio::test]
async fn single_and_bulk_are_told_apart_and_names_are_exact() {
    let desk = Desk::new().await;
    let neither = changed(&bulk(1), "quantity", Value::Null);
    let cases = [
        (
            REQUEST,
            changed(&single(), "quantity", json!(2)),
            "`quantity` and `authData` do not go together: one or the other",
        ),
        (REQUEST, neither, "`authData` is missing"),
        (REQUEST, bulk(0), "`quantity` is not from 1 to 1000"),
        (REQUEST, bulk(1_001), "`quantity` is not from 1 to 1000"),
        (
            REQUEST,
            changed(&bulk(1), "aggregatorId", json!("AGG")),
            "unknown field `aggregatorId`; its name is `aggregatorID`",
        ),
        (
            "/api/v1/cqr/card/validate",
            json!({ "aggregatorID": "AGG", "transactionRef": "V", "authData": "x" }),
            "unknown field `aggregatorID`; its name is `aggregatorId`",
        ),
        (
            REQUEST,
            changed(&single(), "user", json!({ "userId": "U" })),
            "unknown field `user.userId`; its name is `userID`",
        ),
    ];
    for (path, body, words) in cases {
        assert_eq!(said(&desk.post(path, body).await), (400, words));
    }
    assert!(desk.sandbox.state().iqrs().is_empty());
}

#[tokio::test]
async fn answers_speak_the_fields_and_codes_of_the_settings() {
    let desk = Desk::with(|config| {
        config.settings.iqr.code_field = "status".to_owned();
        config.settings.iqr.success_codes = vec!["OK".to_owned()];
        config.settings.iqr.aggregator_id = "AGG".to_owned();
    })
    .await;
    let (_, body) = desk.post(REQUEST, bulk(1)).await;
    assert_eq!(body["status"], "OK");
    let (status, body) = desk.post(REQUEST, changed(&bulk(1), "aggregatorID", json!("OTHER"))).await;
    assert_eq!((status, &body["status"]), (400, &json!("S400")));
}
