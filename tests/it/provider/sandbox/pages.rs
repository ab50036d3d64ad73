//! The sandbox's own pages: they show its state and no secret, and do nothing for a web page from elsewhere.

use serde_json::{Value, json};

use crate::fixtures::sandbox::{Desk, client};

async fn text(desk: &Desk, path: &str) -> String {
    client().get(format!("{}{path}", desk.sandbox.base_url())).send().await.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn everything_that_happened_is_shown() {
    let desk = Desk::new().await;
    let loan = desk.funded().await;
    desk.debit(&loan, "DEBIT-1", 1_200_000).await;
    let page = text(&desk, "/sandbox").await;
    let expected = [
        loan.as_str(),
        "NGN 52,000.00",
        "NGN 40,000.00",
        "FUND-1",
        "OFFER-1",
        "debit_customer",
        "0123456789",
        &desk.person().name,
    ];
    for words in expected {
        let is_account = words == "0123456789";
        assert_eq!(page.contains(words), !is_account, "{words}");
    }
    assert!(!page.contains("out of balance"));
    let found = text(&desk, "/sandbox?find=fund_loan").await;
    assert!(found.contains("exchange-4") && !found.contains("exchange-5"), "{found}");
    let lists = [
        "people",
        "requests",
        "received",
        "loans",
        "transactions",
        "messages",
        "bills",
        "iqrs",
        "callbacks",
        "exchanges",
    ];
    for list in lists {
        let body: Value = serde_json::from_str(&text(&desk, &format!("/sandbox/{list}")).await).unwrap();
        assert!(body.is_array(), "{list}");
    }
}

#[tokio::test]
async fn no_secret_is_shown() {
    let desk = Desk::new().await;
    let iqr = json!({ "aggregatorID": "A", "transactionRef": "T", "authData": "authdata-canary", "otp": "otp-canary",
        "user": { "bvn": "bvn-canary", "nin": "nin-canary", "firstName": "Ada" } });
    let misspelt =
        json!({ "aggregatorID": "A", "transactionRef": "T2", "authdata": "authdata-canary", "OTP": "otp-canary" });
    for body in [iqr, misspelt, json!(["authdata-canary"])] {
        desk.post("/api/v1/cqr/request", body).await;
    }
    desk.post("/nowhere?token=query-canary", json!({ "token": "customer-token-canary" })).await;
    desk.get("/lending-service/api/v3/offers?tokken=query-canary").await;
    desk.loan("").await;
    let token = desk.sandbox.token().expose().to_owned();
    for path in ["/sandbox", "/sandbox/exchanges", "/sandbox/try/request_iqr"] {
        let shown = text(&desk, path).await;
        for canary in
            ["authdata-canary", "otp-canary", "bvn-canary", "nin-canary", "query-canary", "customer-token", &token]
        {
            assert!(!shown.contains(canary), "{path}: {canary}");
        }
    }
    assert!(text(&desk, "/sandbox/exchanges").await.contains("Ada"));
}

#[tokio::test]
async fn no_telephone_number_is_shown() {
    let desk = Desk::new().await;
    let calls = [
        ("/api/v1/cqr/card/validate", json!({ "mobileNumber": "phone-canary" })),
        ("/api/v1/cqr/request", json!({ "mobileNumber": "phone-canary" })),
        ("/api/v1/cqr/linkref", json!({ "mobileNumber": "phone-canary" })),
        ("/api/v1/cqr/reference", json!({ "mobileNumber": "phone-canary", "panLast4Digits": "pan-canary" })),
        ("/lending-service/api/v1/sms", json!({ "msisdn": "phone-canary", "message": "message-canary" })),
        ("/lending-service/api/v1/offers/A/accept", json!({ "destinationAccountNumber": "account-canary" })),
        ("/lending-service/api/v1/accounts/verify", json!({ "destinationAccountNumber": "account-canary" })),
    ];
    for (path, body) in calls {
        assert_eq!(desk.post(path, body).await.0, 400);
        let shown = desk.sandbox.state().exchanges()[0].seen.request.clone();
        assert!(shown.contains("[secret]") && !shown.contains("canary"), "{path}: {shown}");
    }
}

#[tokio::test]
async fn a_secret_that_was_typed_is_not_shown_again() {
    let desk = Desk::new().await;
    let (page, fields) = ("/sandbox/try/request_iqr", ["authData", "mobileNumber", "otp", "user"]);
    let mut form = "body.aggregatorID=AGG-7&body.transactionRef=T".to_owned();
    for name in fields {
        form.push_str(&format!("&body.{name}=%7B%22bvn%22%3A%22canary%22%7D"));
    }
    let request = client().post(format!("{}{page}", desk.sandbox.base_url())).body(form);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = request.send().await.unwrap().text().await.unwrap();
    assert!(answer.contains("HTTP 200") && answer.contains("AGG-7") && !answer.contains("canary"), "{answer}");
    for (name, is_hidden) in [("authData", true), ("mobileNumber", true), ("otp", true), ("channel", false)] {
        let hidden = format!("<input class=\"secret\" id=\"body.{name}\"");
        assert_eq!(text(&desk, page).await.contains(&hidden), is_hidden, "{name}");
    }
}

#[tokio::test]
async fn a_page_from_elsewhere_reads_and_presses_nothing() {
    let desk = Desk::new().await;
    let loan = desk.funded().await;
    let base = desk.sandbox.base_url();
    let port = desk.sandbox.addr().port();
    let form = format!("loan={loan}&amount=100");
    let press = |header: &str, value: &str| {
        let request = client().post(format!("{base}/sandbox/repay")).body(form.clone());
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.header(header, value).send()
    };
    let foreign = [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("host", "evil.example"),
        ("host", &format!("evil.example:{port}")),
        ("host", &format!("127.0.0.1.evil.example:{port}")),
    ];
    for (header, value) in foreign {
        assert_eq!(press(header, value).await.unwrap().status().as_u16(), 403, "{header}: {value}");
    }
    assert_eq!(desk.only_loan().ledger.len(), 1);
    for value in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")] {
        assert_eq!(press("host", &value).await.unwrap().status().as_u16(), 303, "{value}");
    }
    let read = client().get(format!("{base}/sandbox/exchanges")).header("host", "evil.example").send().await.unwrap();
    assert_eq!(read.status().as_u16(), 403);
    let page = client().get(format!("{base}/sandbox")).send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
}

#[tokio::test]
async fn texts_of_callers_are_escaped() {
    let desk = Desk::new().await;
    let body = json!({ "merchantCode": "<script>", "payableCode": "<img>", "amount": 1,
        "redirectUrl": "http://localhost/",
        "customerId": "<b>", "currencyCode": 566 });
    let (_, bill) = desk.post("/collections/api/v1/pay-bill", body).await;
    for path in ["/sandbox", &format!("/sandbox/pay/{}", bill["reference"].as_str().unwrap()), "/sandbox?find=<script>"]
    {
        let page = text(&desk, path).await;
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script>") && !page.contains("<img>"), "{path}");
    }
}

#[tokio::test]
async fn each_endpoint_has_a_page_to_try_it() {
    let desk = Desk::new().await;
    let list = text(&desk, "/sandbox/try").await;
    for endpoint in lendwright::sandbox::Endpoint::ALL {
        assert!(list.contains(&format!("/sandbox/try/{}", endpoint.name())));
        assert!(text(&desk, &format!("/sandbox/try/{}", endpoint.name())).await.contains("<button>Send</button>"));
    }
    let request = client().post(format!("{}/sandbox/try/request_iqr", desk.sandbox.base_url()));
    let form = "body.aggregatorID=A&body.transactionRef=T&body.quantity=2";
    let request = request.header("content-type", "application/x-www-form-urlencoded").body(form);
    let answer = request.send().await.unwrap().text().await.unwrap();
    assert!(answer.contains("HTTP 200 OK") && answer.contains("iqrs"), "{answer}");
    assert_eq!(desk.sandbox.state().iqrs().len(), 2);
    assert!(text(&desk, "/sandbox/try/nothing").await.contains("no such endpoint"));
}

#[tokio::test]
async fn what_happened_long_ago_is_forgotten() {
    let desk = Desk::new().await;
    for _ in 0..510 {
        desk.get("/nowhere").await;
    }
    let exchanges = desk.sandbox.state().exchanges();
    assert_eq!((exchanges.len(), exchanges[0].number), (500, 510));
}

#[tokio::test]
async fn lists_and_pages_show_the_newest() {
    let desk = Desk::new().await;
    let person = desk.person();
    let ask = |amount: u64| {
        format!(
            "/lending-service/api/v3/offers?customerId={}&channelCode=WEB&amount={amount}\
             &serviceType=LOAN&dateOfBirth={}&providerCode=SANDBOX",
            person.customer_id, person.date_of_birth
        )
    };
    for amount in 1..=600 {
        assert_eq!(desk.get(&ask(amount)).await.0, 200);
    }
    let amounts = |list: Value| -> Vec<u64> {
        list.as_array().unwrap().iter().map(|request| request["amount"].as_u64().unwrap()).collect()
    };
    assert_eq!(amounts(desk.get("/sandbox/requests").await.1), (101..=600).collect::<Vec<_>>());
    assert_eq!(amounts(desk.get("/sandbox/requests?last=2").await.1), [599, 600]);
    assert_eq!(amounts(desk.get("/sandbox/requests?last=1000").await.1).len(), 600);
    assert_eq!(desk.get("/sandbox/requests?last=few").await.0, 400);
    let page = text(&desk, "/sandbox").await;
    assert!(page.contains("Offer requests <small>600</small>"), "{page}");
    assert!(page.contains(">NGN 5.01</td>") && !page.contains(">NGN 5.00</td>"));
}

#[tokio::test]
async fn a_long_ledger_is_shown_by_its_last_lines() {
    let desk = Desk::new().await;
    let loan = desk.funded().await;
    for number in 1..=25 {
        assert_eq!(desk.debit(&loan, &format!("D-{number}-END"), 100).await.0, 200);
    }
    let page = text(&desk, "/sandbox").await;
    let loans = page.split("<h2>Loans").nth(1).unwrap().split("<h2>Transactions").next().unwrap();
    assert!(loans.contains("6 earlier") && loans.contains("D-25-END") && !loans.contains("D-5-END"), "{loans}");
}

/// The fields of a page's form with their values.
fn filled_in(page: &str) -> Vec<(String, String)> {
    let attribute = |input: &str, name: &str| {
        let (_, rest) = input.split_once(&format!(" {name}=\""))?;
        let (value, _) = rest.split_once('"')?;
        Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    };
    let inputs = page.split("<input").skip(1).filter_map(|input| input.split('>').next());
    inputs.filter_map(|input| Some((attribute(input, "name")?, attribute(input, "value")?))).collect()
}

/// Sending each page's form as filled in, in the order of the list, tells a whole story, and each answer is a success.
#[tokio::test]
async fn the_pages_to_try_tell_one_story() {
    let desk = Desk::new().await;
    let base = desk.sandbox.base_url().to_owned();
    let list = text(&desk, "/sandbox/try").await;
    let links = list.split("href=\"/sandbox/try/").skip(1).filter_map(|link| link.split('"').next());
    let names: Vec<&str> = links.collect();
    assert_eq!(names.len(), lendwright::sandbox::Endpoint::ALL.len());
    for round in 1..=2 {
        for name in &names {
            let path = format!("/sandbox/try/{name}");
            let fields = filled_in(&text(&desk, &path).await);
            let mut form = reqwest::Url::parse("http://form").unwrap();
            form.query_pairs_mut().extend_pairs(&fields);
            let request = client().post(format!("{base}{path}")).body(form.query().unwrap_or_default().to_owned());
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            let page = request.send().await.unwrap().text().await.unwrap();
            let answer = page.split("<h2>Answer</h2>").nth(1).unwrap_or(&page);
            assert!(answer.contains("HTTP 200"), "{name}, round {round}: {fields:?}\n{answer}");
        }
    }
    let state = desk.sandbox.state();
    assert_eq!(state.loans().len(), 2);
    assert!(state.loans().iter().all(|loan| loan.remaining == 0), "{:?}", state.loans());
}

#[tokio::test]
async fn amounts_on_the_pages_are_in_one_unit() {
    let desk = Desk::new().await;
    let loan = desk.funded().await;
    let body = json!({ "merchantCode": "M1", "payableCode": "P1", "amount": 150_050, "redirectUrl": "http://localhost/",
        "customerId": "C1", "currencyCode": 566 });
    let (_, bill) = desk.post("/collections/api/v1/pay-bill", body).await;
    let page = text(&desk, "/sandbox").await;
    assert!(page.contains("NGN 1,500.50") && !page.contains("minor units"), "{page}");
    let remaining = desk.sandbox.state().loans()[0].remaining;
    let typed = format!("{}.{:02}", remaining / 100, remaining % 100);
    assert_eq!(filled_in(&page).iter().find(|(name, _)| name == "major").map(|(_, value)| value), Some(&typed));
    assert_eq!(desk.press("/sandbox/repay", &format!("loan={loan}&currency=566&major=1.5")).await, 303);
    assert_eq!(desk.sandbox.state().loans()[0].remaining, remaining - 150);
    for wrong in ["1.505", "1,50", "", "-1"] {
        let form = format!("loan={loan}&currency=566&major={wrong}");
        assert!(desk.press("/sandbox/repay", &form).await >= 400, "{wrong}");
    }
    let pay = format!("/sandbox/pay/{}", bill["reference"].as_str().unwrap());
    assert!(text(&desk, &pay).await.contains("Amount in NGN"), "{pay}");
    assert_eq!(desk.press(&pay, "currency=566&major=1500.50").await, 303);
    assert_eq!(desk.sandbox.state().bills()[0].paid, Some(150_050));
}
