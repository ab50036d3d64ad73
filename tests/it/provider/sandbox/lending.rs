//! From an offer to a loan that is paid back, step by step, with each wrong step refused.

use lendwright::sandbox::{AcceptAnswer, SandboxLoanState, StoredOutcome};
use serde_json::{Value, json};

use crate::fixtures::sandbox::{Desk, changed, now, said};

#[tokio::test]
async fn an_offer_becomes_a_loan_that_is_funded_and_paid_back() {
    let desk = Desk::new().await;
    let loan = desk.loan("").await;
    assert_eq!((desk.only_loan().state, desk.only_loan().owed()), (SandboxLoanState::Accepted, 0));

    let (status, receipt) = desk.fund(&loan, desk.fund_body(&loan, "FUND-1")).await;
    assert_eq!((status, &receipt["responseCode"], &receipt["transactionId"]), (200, &json!("00"), &json!("FUND-1")));
    assert!(receipt["transactionRef"].as_str().unwrap().contains('|'));
    let open = desk.only_loan();
    assert_eq!((open.state, open.remaining), (SandboxLoanState::Open, 5_200_000));
    assert_eq!(open.due_date, now().checked_add_days(chrono::Days::new(30)));

    assert_eq!(desk.debit(&loan, "DEBIT-1", 1_200_000).await.0, 200);
    assert_eq!(desk.only_loan().remaining, 4_000_000);
    assert_eq!(desk.debit(&loan, "DEBIT-2", 4_000_000).await.0, 200);
    assert_eq!((desk.only_loan().state, desk.only_loan().remaining), (SandboxLoanState::Closed, 0));
    assert_eq!(said(&desk.debit(&loan, "DEBIT-3", 1).await), (409, "the loan has been paid back"));
    for (id, expected) in
        [("FUND-1", "SUCCESSFUL"), ("DEBIT-2", "SUCCESSFUL"), ("DEBIT-3", "FAILED"), ("NONE", "NOT_FOUND")]
    {
        assert_eq!(desk.requery(&loan, id).await, expected, "{id}");
    }
    assert_eq!(desk.requery("another", "FUND-1").await, "NOT_FOUND");

    let sms = json!({
        "providerCode": "SANDBOX", "msisdn": "2348000000000", "message": "Paid", "loanId": loan,
        "customerId": desk.person().customer_id,
    });
    let path = format!("/lending-service/api/v1/sms?providerCode=SANDBOX&customerId={}", desk.person().customer_id);
    assert_eq!(desk.post(&path, sms.clone()).await.0, 200);
    assert_eq!(desk.sandbox.state().messages().len(), 1);
    assert_eq!(desk.post(&path, changed(&sms, "loanId", json!("another"))).await.0, 404);
}

#[tokio::test]
async fn each_success_body_of_an_acceptance_is_there_on_request() {
    for (answer, has_loan, words) in [
        (AcceptAnswer::Loan, true, "accepted"),
        (AcceptAnswer::OffersWillBeSent, false, "ffers will be sent"),
        (AcceptAnswer::CustomerWillBeNotified, false, "notified"),
    ] {
        let desk = Desk::with(|config| config.behaviour.accept = answer).await;
        let offer = desk.offered("A", "").await;
        let (status, body) = desk.accept(&offer, desk.accept_body(&offer)).await;
        assert_eq!((status, body.get("loanId").is_some()), (200, has_loan));
        assert!(body["responseMessage"].as_str().unwrap().contains(words), "{body}");
        assert_eq!(desk.sandbox.state().loans().len(), 1);
    }
}

#[tokio::test]
async fn an_acceptance_counts_once() {
    let desk = Desk::new().await;
    let offer = desk.offered("A", "").await;
    let body = desk.accept_body(&offer);
    let first = desk.accept(&offer, body.clone()).await;
    assert_eq!(desk.accept(&offer, body.clone()).await, first, "the same call, the same loan");
    let cases = [
        (changed(&body, "destinationBankCode", json!("102")), 409, "`loanReferenceId` has been used with another body"),
        (
            changed(&body, "loanReferenceId", json!("B")),
            409,
            "the offer has been accepted under another `loanReferenceId`",
        ),
    ];
    for (body, status, words) in cases {
        assert_eq!(said(&desk.accept(&offer, body).await), (status, words));
    }
    assert_eq!(desk.sandbox.state().loans().len(), 1);
}

#[tokio::test]
async fn an_offer_that_is_not_the_customers_or_has_expired_is_not_accepted() {
    let desk = Desk::new().await;
    let offer = desk.offered("A", "").await;
    let late = desk.offered("LATE", "expiryDate=2026-06-30T12:00:00Z").await;
    let other = desk.sandbox.people()[1].customer_id.clone();
    let body = desk.accept_body(&offer);
    let foreign = "the offer was not made to a customer with this `customerId`";
    let no_account = "no account with this number at this bank";
    let others_account = desk.sandbox.people()[1].account_number.clone();
    let cases = [
        ("A", changed(&body, "destinationAccountNumber", json!("999")), 404, no_account),
        ("A", changed(&body, "destinationAccountNumber", json!(others_account)), 404, no_account),
        ("A", changed(&body, "destinationBankCode", json!("999")), 404, no_account),
        ("A", changed(&body, "token", json!("")), 400, "`token` is empty"),
        ("NONE", desk.accept_body("NONE"), 404, "no offer with this `offerId`"),
        ("A", changed(&body, "customerId", json!(other)), 404, foreign),
        ("A", changed(&body, "customerId", json!("nobody")), 404, foreign),
        ("A", desk.accept_body("LATE"), 400, "`offerId` differs from the path"),
        (&late, desk.accept_body(&late), 409, "the offer has expired"),
    ];
    for (offer, body, status, words) in cases {
        assert_eq!(said(&desk.accept(offer, body).await), (status, words));
    }
    assert!(desk.sandbox.state().loans().is_empty());
}

/// References of offer requests: of the first person by two channels, and of the second person.
async fn three_requests(desk: &Desk) -> Vec<String> {
    let people = desk.sandbox.people().to_vec();
    for (person, channel) in [(0, "WEB"), (0, "USSD"), (1, "WEB")] {
        desk.asked(&people[person], channel).await;
    }
    desk.sandbox.requests().into_iter().map(|request| request.reference).collect()
}

/// The request, its changes, and the expected status.
type Steps = &'static [(usize, &'static str, u16)];

#[tokio::test]
async fn an_offer_id_stands_for_one_offer() {
    const OTHER_TERMS: &str = "amountPayable=5300000";
    const WEB: usize = 0;
    const USSD: usize = 1;
    const SECOND: usize = 2;
    let taken = "an `offerId` belongs to another offer; the whole answer was discarded";
    let cases: [(&str, Steps); 5] = [
        ("another customer's request", &[(WEB, "", 200), (SECOND, "", 409)]),
        ("the same answer again, and other terms", &[(WEB, "", 200), (WEB, "", 200), (WEB, OTHER_TERMS, 200)]),
        ("the same customer's other request", &[(WEB, "", 200), (USSD, "", 200), (WEB, "", 200), (SECOND, "", 409)]),
        ("the same customer's, with other terms", &[(WEB, "", 200), (USSD, OTHER_TERMS, 409), (USSD, "", 200)]),
        ("other terms for one of two", &[(WEB, "", 200), (USSD, "", 200), (USSD, OTHER_TERMS, 409)]),
    ];
    for (name, steps) in cases {
        let desk = Desk::new().await;
        let references = three_requests(&desk).await;
        for (request, changes, status) in steps {
            let before = (desk.sandbox.requests(), desk.sandbox.received());
            let answer = desk.offer(&references[*request], "A", changes).await;
            assert_eq!(answer.0, *status, "{name}: {changes} {}", answer.1);
            if *status == 409 {
                assert_eq!(said(&answer), (409, taken));
                assert_eq!((desk.sandbox.requests(), desk.sandbox.received()), before, "{name}");
            }
        }
        assert_eq!(desk.accept("A", desk.accept_body("A")).await.0, 200, "{name}: it is the first person's");
    }
}

#[tokio::test]
async fn an_offer_for_nobody_in_particular_comes_again_with_the_same_content() {
    use lendwright::wire::Segment;
    let desk = Desk::with(|config| config.settings.send_offers.segment = Segment::Fixed("x".to_owned())).await;
    for (changes, status) in [("", 200), ("", 200), ("amountPayable=5300000", 409)] {
        assert_eq!(desk.offer("x", "A", changes).await.0, status, "{changes}");
    }
    assert_eq!(desk.sandbox.received().len(), 2);
}

#[tokio::test]
async fn only_offers_that_can_be_accepted_are_listed() {
    let desk = Desk::new().await;
    for (id, changes) in [("TAKEN", ""), ("LATE", "expiryDate=2026-06-30T12:00:00Z"), ("OPEN", "")] {
        desk.offered(id, changes).await;
    }
    assert_eq!(desk.accept("TAKEN", desk.accept_body("TAKEN")).await.0, 200);
    let listed = desk.asked(&desk.person(), "WEB").await;
    let ids: Vec<&str> =
        listed["offers"].as_array().unwrap().iter().map(|offer| offer["offerId"].as_str().unwrap()).collect();
    assert_eq!((ids, &listed["responseMessage"]), (vec!["OPEN"], &json!("Successful")));
    assert_eq!(desk.accept("OPEN", desk.accept_body("OPEN")).await.0, 200);
    let listed = desk.asked(&desk.person(), "WEB").await;
    assert_eq!((&listed["offers"], &listed["responseMessage"]), (&json!([]), &json!("No offer")));
    assert_eq!(desk.sandbox.requests()[0].offers.len(), 3, "the book knows them all");
}

#[tokio::test]
async fn every_field_of_a_body_is_checked() {
    let desk = Desk::new().await;
    let offer = desk.offered("A", "").await;
    let body = desk.accept_body(&offer);
    for field in body.as_object().unwrap().keys() {
        let missing = format!("`{field}` is missing");
        assert_eq!(said(&desk.accept(&offer, changed(&body, field, Value::Null)).await), (400, missing.as_str()));
        let number = format!("`{field}` is not a text");
        assert_eq!(said(&desk.accept(&offer, changed(&body, field, json!(1))).await), (400, number.as_str()));
    }
    let cases = [
        (
            changed(&body, "LoanReferenceID", json!("x")),
            "unknown field `LoanReferenceID`; its name is `loanReferenceId`",
        ),
        (
            changed(&body, "destinationAccountNumber", json!("12 34")),
            "`destinationAccountNumber` is not made of digits",
        ),
        (changed(&body, "customerId", json!("")), "`customerId` is empty"),
        (json!([]), "the body is JSON, but no object"),
    ];
    for (body, words) in cases {
        assert_eq!(said(&desk.accept(&offer, body).await), (400, words));
    }
    let path = "/lending-service/api/v1/offers/A/accept";
    let twice = r#"{"offerId":"A","token":"x","token":"y"}"#.to_owned();
    assert_eq!(said(&desk.call("POST", path, Some(twice)).await), (400, "`token` is given twice"));
    assert_eq!(said(&desk.call("POST", path, Some(String::new())).await).0, 400);
    assert_eq!(
        said(&desk.call("POST", path, Some("{".to_owned())).await),
        (400, "the body is not JSON (line 1, column 1)")
    );
    assert_eq!(desk.call("POST", path, None).await.0, 415);
    assert_eq!(desk.call("POST", path, Some(" ".repeat(1_000_001))).await.0, 413);
    let wrong = desk.send("GET", path, None).await.unwrap();
    assert_eq!((wrong.status().as_u16(), wrong.headers()["allow"].to_str().unwrap()), (405, "POST"));
}

#[tokio::test]
async fn an_account_is_verified_by_its_number_and_bank() {
    let desk = Desk::new().await;
    let person = desk.person();
    let path = "/lending-service/api/v1/accounts/verify";
    let body = json!({
        "customerId": person.customer_id, "destinationAccountNumber": person.account_number,
        "destinationBankCode": person.bank_code, "providerCode": "SANDBOX",
    });
    let (status, answer) = desk.post(path, body.clone()).await;
    assert_eq!((status, &answer["accountName"]), (200, &json!(person.name)));
    for field in ["destinationAccountNumber", "destinationBankCode"] {
        assert_eq!(desk.post(path, changed(&body, field, json!("999"))).await.0, 404);
    }
    let other = desk.sandbox.people()[1].customer_id.clone();
    for customer in [other.as_str(), "nobody"] {
        let answer = desk.post(path, changed(&body, "customerId", json!(customer))).await;
        assert_eq!(said(&answer), (404, "no account with this number at this bank"));
    }
}

/// E4 checks what E5 would: if E5 was not given the customer, any existing account will do.
#[tokio::test]
async fn an_offer_is_paid_to_an_account_that_verification_knows() {
    let desk = Desk::with(|config| config.settings.verify_account.customer_field.clear()).await;
    let offer = desk.offered("A", "").await;
    let other = desk.sandbox.people()[1].clone();
    let body = changed(&desk.accept_body(&offer), "destinationAccountNumber", json!(other.account_number));
    let body = changed(&body, "destinationBankCode", json!(other.bank_code));
    let nowhere = changed(&body, "destinationAccountNumber", json!("999"));
    assert_eq!(said(&desk.accept(&offer, nowhere).await), (404, "no account with this number at this bank"));
    assert_eq!(desk.accept(&offer, body).await.0, 200);
}

#[tokio::test]
async fn verification_and_requery_speak_what_the_settings_say() {
    use lendwright::wire::Method;
    let desk = Desk::with(|config| {
        config.settings.verify_account.method = Method::Get;
        config.settings.verify_account.path = "/a/names".to_owned();
        config.settings.verify_account.account_field = "nuban".to_owned();
        config.settings.verify_account.customer_field = String::new();
        config.settings.requery.method = Method::Post;
        config.settings.requery.path = "b/status".to_owned();
        config.settings.requery.transaction_field = "id".to_owned();
        config.settings.requery.loan_field = String::new();
        config.settings.requery.status_field = "state".to_owned();
        config.settings.requery.not_found_codes = vec!["25".to_owned()];
    })
    .await;
    let person = desk.person();
    let path = format!(
        "/a/names?nuban={}&destinationBankCode={}&providerCode=SANDBOX",
        person.account_number, person.bank_code
    );
    assert_eq!(desk.get(&path).await.0, 200);
    let (status, body) = desk.post("/b/status", json!({ "id": "T", "providerCode": "SANDBOX" })).await;
    assert_eq!((status, &body["responseCode"], &body["state"]), (200, &json!("25"), &json!("NOT_FOUND")));
}

#[tokio::test]
async fn late_outcomes_are_told_late() {
    let desk = Desk::with(|config| {
        config.behaviour.requery_not_found = 1;
        config.behaviour.requery_pending = 2;
        config.behaviour.debits_refused = 1;
        config.settings.money.unfinished_codes = vec!["09".to_owned()];
    })
    .await;
    let loan = desk.loan("").await;
    let (status, body) = desk.fund(&loan, desk.fund_body(&loan, "F")).await;
    assert_eq!((status, &body["responseCode"]), (200, &json!("09")));
    for expected in ["NOT_FOUND", "PENDING", "PENDING", "SUCCESSFUL", "SUCCESSFUL"] {
        assert_eq!(desk.requery(&loan, "F").await, expected);
    }
    let poor = "the customer's account holds too little";
    for _ in 0..2 {
        assert_eq!(said(&desk.debit(&loan, "D", 100).await), (409, poor), "the same id, the same answer");
    }
    assert_eq!(desk.debit(&loan, "E", 100).await.0, 200);
    let failed = desk.sandbox.state().transactions().into_iter().find(|known| known.transaction_id == "D").unwrap();
    assert_eq!(failed.outcome, StoredOutcome::Failed { message: poor.to_owned() });
}

#[tokio::test]
async fn the_same_seed_and_calls_give_the_same_ids() {
    let mut seen = Vec::new();
    for (seed, days) in [(7, 0), (7, 0), (7, 1), (8, 0)] {
        let desk = Desk::with(|config| {
            config.seed = seed;
            config.clock = std::sync::Arc::new(move || now() + chrono::TimeDelta::days(days));
        })
        .await;
        let loan = desk.funded().await;
        desk.debit(&loan, "DEBIT-1", 100).await;
        seen.push((desk.sandbox.requests(), desk.only_loan(), desk.sandbox.state().transactions()));
    }
    assert_eq!(seen[0], seen[1]);
    let references = |at: usize| -> Vec<&str> {
        let transactions = seen[at].2.iter().map(|transaction| transaction.transaction_ref.as_str());
        transactions.chain([seen[at].0[0].reference.as_str(), seen[at].1.loan_id.as_str()]).collect()
    };
    assert_eq!(references(0), references(2), "on another day");
    assert!(references(0).iter().zip(references(3)).all(|(one, other)| *one != other), "with another seed");
    let segments: Vec<usize> = seen[0].2.iter().map(|one| one.transaction_ref.split('|').count()).collect();
    assert_eq!(segments, [3, 3]);
}

#[tokio::test]
async fn requests_that_differ_have_references_that_differ() {
    let desk = Desk::new().await;
    let person = desk.person();
    // Joined with a space, both are the same text.
    for (channel, service) in [("A%201%20B", "C"), ("A", "B%201%20C")] {
        let path = format!(
            "/lending-service/api/v3/offers?customerId={}&channelCode={channel}&amount=1\
             &serviceType={service}&dateOfBirth={}&providerCode=SANDBOX",
            person.customer_id, person.date_of_birth
        );
        assert_eq!(desk.get(&path).await.0, 200);
    }
    assert_eq!(desk.sandbox.requests().len(), 2);
}
