//! Bills: created, paid on their page or by another amount, and reported as paid.

use serde_json::{Value, json};

use crate::fixtures::sandbox::{Desk, changed, client};

const CREATE: &str = "/collections/api/v1/pay-bill";

fn body() -> Value {
    json!({ "merchantCode": "M1", "payableCode": "P1", "amount": 150_000,
        "redirectUrl": "http://localhost/done?order=7",
        "customerId": "C", "currencyCode": 566, "transactionReference": "B-1" })
}

fn status(reference: &str, amount: i64) -> String {
    format!("/collections/api/v1/gettransaction.json?merchantcode=M1&transactionreference={reference}&amount={amount}")
}

#[tokio::test]
async fn a_bill_is_paid_on_its_page_and_told_so() {
    let desk = Desk::new().await;
    let (code, bill) = desk.post(CREATE, body()).await;
    assert_eq!((code, &bill["code"], &bill["currencyCode"]), (200, &json!("200"), &json!("566")), "{bill}");
    assert_eq!(desk.post(CREATE, body()).await.1, bill, "the same reference, the same bill");
    assert_eq!(desk.post(CREATE, changed(&body(), "amount", json!(1))).await.0, 409);
    let reference = bill["reference"].as_str().unwrap();
    for asked in [reference, "B-1"] {
        let (code, said) = desk.get(&status(asked, 150_000)).await;
        assert_eq!((code, &said["responseCode"], said.get("amount")), (200, &json!("01"), None));
        assert_eq!(said["transactionReference"], asked);
    }
    let url = bill["paymentUrl"].as_str().unwrap();
    let page = client().get(url).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("NGN 1,500.00") && page.contains("<button>Pay</button>"), "{page}");
    let paid = client().post(url).header("content-type", "application/x-www-form-urlencoded").body("amount=150000");
    let paid = paid.send().await.unwrap();
    assert_eq!(
        (paid.status().as_u16(), paid.headers()["location"].to_str().unwrap()),
        (303, "http://localhost/done?order=7")
    );
    assert_eq!(client().post(url).body("").send().await.unwrap().status().as_u16(), 415, "no form");
    assert_eq!(client().get(format!("{url}/now")).send().await.unwrap().status().as_u16(), 409, "once");
    let (_, said) = desk.get(&status(reference, 150_000)).await;
    assert_eq!(
        (&said["responseCode"], &said["amount"], &said["currencyCode"]),
        (&json!("00"), &json!(150_000), &json!("566"))
    );
}

#[tokio::test]
async fn an_underpaid_bill_tells_what_was_paid() {
    let desk = Desk::new().await;
    let (_, bill) = desk.post(CREATE, body()).await;
    let url = bill["paymentUrl"].as_str().unwrap();
    assert_eq!(client().get(format!("{url}/now?amount=0")).send().await.unwrap().status().as_u16(), 400);
    assert_eq!(client().get(format!("{url}/now?amount=100")).send().await.unwrap().status().as_u16(), 303);
    let (_, said) = desk.get(&status("B-1", 150_000)).await;
    assert_eq!((&said["responseCode"], &said["amount"]), (&json!("00"), &json!(100)));
    assert_eq!(desk.get(&status("B-1", 100)).await.0, 409, "the original amount is asked with");
    assert_eq!(desk.get(&status("B-2", 150_000)).await.0, 404);
}

#[tokio::test]
async fn bills_speak_what_the_settings_say() {
    use lendwright::base::money::AmountUnit;
    use lendwright::wire::Authentication;
    let desk = Desk::with(|config| {
        config.settings.bill.create.path = "bills/{merchantCode}".to_owned();
        config.settings.bill.status.authentication = Authentication::Bearer;
        config.settings.bill.status.code_field = "ResponseCode".to_owned();
        config.settings.bill.status.amount_field = "Amount".to_owned();
        config.settings.bill.status.amount_unit = AmountUnit::Major;
    })
    .await;
    let (code, bill) = desk.post("/bills/M1", body()).await;
    assert_eq!(code, 200, "{bill}");
    client().get(format!("{}/now", bill["paymentUrl"].as_str().unwrap())).send().await.unwrap();
    let (_, said) = desk.get(&status("B-1", 150_000)).await;
    assert_eq!((&said["ResponseCode"], &said["Amount"]), (&json!("00"), &json!(1500.0)));
    let stranger = client().get(format!("{}{}", desk.sandbox.base_url(), status("B-1", 150_000)));
    assert_eq!(stranger.send().await.unwrap().status().as_u16(), 401);
}

#[tokio::test]
async fn a_bill_that_cannot_be_paid_is_not_made() {
    let desk = Desk::new().await;
    let cases = [
        ("redirectUrl", json!("javascript:alert(1)"), "`redirectUrl` is not an http or https address"),
        ("amount", json!(0), "`amount` is not from 1 to 1000000000000000"),
        ("amount", json!(1.5), "`amount` is not a whole number"),
        ("currencyCode", json!("566"), "`currencyCode` is not a whole number"),
        ("customerId", Value::Null, "`customerId` is missing"),
    ];
    for (field, value, words) in cases {
        let (code, said) = desk.post(CREATE, changed(&body(), field, value)).await;
        assert_eq!((code, &said["code"], &said["message"]), (400, &json!("S400"), &json!(words)));
    }
}
