//! The sandbox drives the lender's endpoints: offers at once or later, acceptances, and what the lender refuses.

use lendwright::base::secret::Secret;
use lendwright::lender::config::LimitSettings;
use lendwright::sandbox::Lender;
use serde_json::{Value, json};

use super::sockets::{Running, start_with};
use super::{PASSWORD, settings};
use crate::fixtures::sandbox::Desk;

/// A sandbox that forwards to a lender.
async fn pair(password: &str) -> (Desk, Running) {
    let mut settings = settings();
    settings.provider_code = "SANDBOX".to_owned();
    let running = start_with(settings, LimitSettings::default()).await;
    let url = format!("http://{}", running.address);
    let desk = Desk::with(|config| {
        config.lender = Some(Lender { url, username: "provider".to_owned(), password: Secret::new(password) });
        config.behaviour.forwards_to_lender = true;
    })
    .await;
    (desk, running)
}

impl Running {
    fn everybody_is(&self, customer: &str) {
        *self.bench.lender.everybody_is.lock().unwrap() = Some(customer.to_owned());
    }

    fn seen(&self) -> Vec<String> {
        self.bench.lender.seen.lock().unwrap().clone()
    }
}

fn changed(body: &Value, field: &str, value: &str) -> Value {
    let mut body = body.clone();
    body[field] = Value::from(value);
    body
}

#[tokio::test]
async fn a_loan_goes_from_the_request_to_the_last_payment() {
    let (desk, running) = pair(PASSWORD).await;
    let person = desk.person();
    let answer = desk.asked(&person, "WEB").await;
    assert_eq!((&answer["responseMessage"], &answer["offers"][0]["offerId"]), (&json!("Successful"), &json!("OF-1")));
    let reference = desk.sandbox.requests()[0].reference.clone();
    assert_eq!(desk.asked(&person, "WEB").await, answer);
    let expected = format!("offers {reference} {} 5000000 {} LOAN", person.customer_id, person.date_of_birth);
    // Answered: it is not asked again.
    assert_eq!(running.seen(), [expected]);

    let (status, body) = desk.accept("OF-1", desk.accept_body("OF-1")).await;
    assert_eq!((status, &body["loanId"]), (200, &json!("LN-1")), "{body}");
    let accepted = running.seen()[1].clone();
    let phone = format!("Some(\"234{}\") None", person.account_number);
    assert!(accepted.starts_with("accept OF-1") && accepted.contains("customer-token-canary REF-OF-1"), "{accepted}");
    assert!(accepted.ends_with(&phone), "{accepted}");
    assert_eq!(desk.accept("OF-1", desk.accept_body("OF-1")).await, (200, body));
    assert_eq!(running.seen().len(), 2);

    let fund = changed(&desk.fund_body("LN-1", "FUND-1"), "loanReferenceId", "REF-OF-1");
    assert_eq!(desk.fund("LN-1", fund).await.0, 200);
    assert_eq!(desk.debit("LN-1", "DEBIT-1", 5_175_000).await.0, 200);
    assert_eq!(desk.requery("LN-1", "DEBIT-1").await, "SUCCESSFUL");
    while running.seen().len() < 3 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert!(running.seen()[2].starts_with("payment LN-1 ") && running.seen()[2].contains(" 5175000 "));

    let exchanges = serde_json::to_string(&desk.sandbox.state().exchanges()).unwrap();
    assert!(exchanges.contains("lender: Get Offers") && exchanges.contains("lender: Accept Offers"));
    for secret in ["customer-token-canary", PASSWORD, &person.account_number] {
        assert!(!exchanges.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn without_offers_at_once_they_follow_or_there_are_none() {
    let (desk, running) = pair(PASSWORD).await;
    let person = desk.person();
    running.everybody_is("later");
    for asked in 1..=2 {
        let answer = desk.asked(&person, "WEB").await;
        assert_eq!(answer["responseMessage"], "Offers will be sent to the customer");
        assert_eq!(running.seen().len(), asked);
    }
    let reference = desk.sandbox.requests()[0].reference.clone();
    assert_eq!(desk.offer(&reference, "OF-7", "").await.0, 200);
    assert_eq!(desk.asked(&person, "WEB").await["offers"][0]["offerId"], "OF-7");
    assert_eq!(running.seen().len(), 2);

    running.everybody_is("none");
    for _ in 0..2 {
        let answer = desk.asked(&person, "USSD").await;
        assert_eq!((&answer["responseMessage"], &answer["offers"]), (&json!("No offer"), &json!([])));
    }
    assert_eq!(running.seen().len(), 3);
}

#[tokio::test]
async fn what_the_lender_refuses_makes_no_loan() {
    let (desk, running) = pair(PASSWORD).await;
    desk.asked(&desk.person(), "WEB").await;
    let mut shown = String::new();
    for customer in ["invalid", "unknown", "conflict", "busy", "down", "panics"] {
        running.everybody_is(customer);
        let (status, body) = desk.accept("OF-1", desk.accept_body("OF-1")).await;
        shown += &format!("{customer}: {status} {body}\n");
    }
    assert!(desk.sandbox.state().loans().is_empty());
    running.everybody_is("fine");
    assert_eq!(desk.accept("OF-1", desk.accept_body("OF-1")).await.0, 200);

    // The second loan has the first one's id.
    running.everybody_is("later");
    desk.asked(&desk.person(), "USSD").await;
    let reference =
        desk.sandbox.requests().iter().find(|request| request.channel_code == "USSD").unwrap().reference.clone();
    assert_eq!(desk.offer(&reference, "OF-2", "").await.0, 200);
    let (status, body) = desk.accept("OF-2", desk.accept_body("OF-2")).await;
    shown += &format!("the id of another loan: {status} {body}\n");

    let ask = |desk: Desk| async move {
        let person = desk.person();
        let path = format!(
            "/lending-service/api/v3/offers?customerId={}&channelCode=WEB&amount=5&serviceType=LOAN&dateOfBirth={}\
             &providerCode=SANDBOX",
            person.customer_id, person.date_of_birth
        );
        desk.get(&path).await
    };
    let (wrong, _running) = pair("another").await;
    let (status, body) = ask(wrong).await;
    shown += &format!("a wrong password: {status} {body}\n");
    let (gone, running) = pair(PASSWORD).await;
    running.stop.send(true).unwrap();
    running.server.await.unwrap();
    let (status, body) = ask(gone).await;
    shown += &format!("nobody there: {status} {body}\n");
    insta::assert_snapshot!(shown);
}

#[tokio::test]
async fn equal_acceptances_at_once_make_one_loan() {
    let (desk, _running) = pair(PASSWORD).await;
    desk.asked(&desk.person(), "WEB").await;
    let body = desk.accept_body("OF-1");
    let answers = futures_util::future::join_all((0..20).map(|_| desk.accept("OF-1", body.clone()))).await;
    assert!(answers.iter().all(|answer| answer.0 == 200 && answer.1["loanId"] == "LN-1"), "{answers:?}");
    assert_eq!(desk.sandbox.state().loans().len(), 1);
}

#[tokio::test]
async fn without_a_lender_nothing_can_be_forwarded() {
    let source = std::sync::Arc::new(|_: &lendwright::sandbox::Person| Vec::new());
    let mut config = lendwright::sandbox::Config::new(1, source);
    config.behaviour.forwards_to_lender = true;
    let error = lendwright::sandbox::Sandbox::start(config).await.err().unwrap();
    assert!(error.to_string().starts_with("`behaviour.forwards_to_lender` needs the address of a lender"), "{error}");
}
