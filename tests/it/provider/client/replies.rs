//! What answers become, and which are not answers.

use lendwright::base::money::{Currency, Money};
use lendwright::base::secret::Secret;
use lendwright::client::bill::{Difference, NotPaid, StoredBill};
use lendwright::client::{Class, Client, MoneyError, bill, iqr};
use lendwright::wire::bill::{CreateBill, GetPaymentStatus};
use lendwright::wire::iqr::{Channel, RequestUnassigned};
use lendwright::wire::lender::{
    LoanStatusQuery, LoanStatusReply, NotificationReply, PASSWORD_HEADER, PaymentNotification, USERNAME_HEADER,
};
use lendwright::wire::lending::{
    AcceptOffer, Acceptance, Requery, SendSms, SentTransactionId, TransactionId, TransactionStatus, VerifyAccount,
};
use lendwright::wire::{GetOffers, ListedOffer, PaymentReference, Settings};

use super::{TOKEN, golden};
use crate::fixtures::scripted_server::{Server, answer, json};

fn settings(server: &Server) -> Settings {
    let mut settings = golden::settings();
    settings.base_url.clone_from(&server.base_url);
    settings.iqr.base_url.clone_from(&server.base_url);
    settings.bill.base_url.clone_from(&server.base_url);
    settings.bill.create.base_url.clear();
    settings
}

fn lending(body: &str) -> Client {
    Client::new(settings(&Server::fixed(json(body))), Secret::new(TOKEN)).unwrap()
}

fn accept() -> AcceptOffer {
    AcceptOffer {
        customer_id: "C".to_owned(),
        offer_id: "O".to_owned(),
        destination_account_number: "0123456789".to_owned(),
        destination_bank_code: "058".to_owned(),
        token: Secret::new("customer-token"),
        loan_reference_id: "R".to_owned(),
    }
}

#[tokio::test]
async fn an_acceptance_is_one_of_the_three_that_are_shown() {
    let accepted = async |body: &str| lending(body).accept(&accept()).await;
    let message = |text: &str| text.to_owned();
    let cases = [
        (
            r#"{"responseCode":"00","responseMessage":"Loan is created","loanId":"L-1"}"#,
            Acceptance::Loan { loan_id: "L-1".to_owned(), message: message("Loan is created") },
        ),
        (
            r#"{"responseCode":"00","responseMessage":"Offers WILL BE SENT to the customer"}"#,
            Acceptance::OffersWillBeSent { message: message("Offers WILL BE SENT to the customer") },
        ),
        (
            r#"{"responseCode":"00","responseMessage":"Customer will be notified","loanId":""}"#,
            Acceptance::CustomerWillBeNotified { message: message("Customer will be notified") },
        ),
        (
            r#"{"responseCode":"00","responseMessage":"Thank you","more":[1,{"a":2}]}"#,
            Acceptance::OtherWords { message: message("Thank you") },
        ),
        (r#"{"responseCode":"00","loanId":12}"#, Acceptance::Loan { loan_id: "12".to_owned(), message: message("") }),
    ];
    for (body, expected) in cases {
        assert_eq!(accepted(body).await.unwrap(), expected, "{body}");
    }
    let refused = accepted(r#"{"responseCode":"51","responseMessage":"customer-token 0123456789 is wrong"}"#).await;
    assert_eq!(refused.unwrap_err().rejection(), Some(("51", "[secret] [personal] is wrong")));
    assert_eq!(accepted(r#"{"responseMessage":"ok","loanId":"L-1"}"#).await.unwrap_err().class(), Class::Uncertain);
}

/// A loan funded under the id `T-1`.
async fn funded_by(settings: Settings) -> Result<lendwright::wire::lending::Receipt, MoneyError> {
    let client = Client::new(settings, Secret::new(TOKEN)).unwrap();
    let right = TransactionId::new("T-1").unwrap().persist(|_| Ok::<(), ()>(())).unwrap();
    client.fund(&golden::fund(), right).await
}

#[tokio::test]
async fn a_receipt_is_about_the_transaction_that_was_sent() {
    let funded = async |body: &str, change: fn(&mut Settings)| {
        let mut settings = settings(&Server::fixed(json(body)));
        change(&mut settings);
        funded_by(settings).await
    };
    let same = r#"{"responseCode":"00","responseMessage":"ok","transactionRef":"A|B||C","transactionId":"T-1"}"#;
    let receipt = funded(same, |_| {}).await.unwrap();
    assert_eq!(receipt.transaction_ref.segments().collect::<Vec<_>>(), ["A", "B", "", "C"]);
    assert_eq!(receipt.transaction_id.as_str(), "T-1");

    let other = same.replace("T-1", "T-2");
    assert!(matches!(funded(&other, |_| {}).await, Err(MoneyError::Uncertain { .. })));
    let receipt = funded(&other, |settings| settings.money.transaction_id_is_echoed = false).await.unwrap();
    assert_eq!(receipt.transaction_id.as_str(), "T-1", "the id that was sent is the one to ask about");

    for body in [
        r#"{"responseCode":"00","transactionRef":"A"}"#,
        r#"{"responseCode":"00","transactionId":"T-1"}"#,
        r#"{"transactionRef":"A","transactionId":"T-1"}"#,
        r#"["00"]"#,
    ] {
        assert!(matches!(funded(body, |_| {}).await, Err(MoneyError::Uncertain { .. })), "{body}");
    }
    let busy = r#"{"responseCode":"09","responseMessage":"in progress"}"#;
    assert!(matches!(funded(busy, |_| {}).await, Err(MoneyError::Uncertain { .. })));
    let unfinished = funded(busy, |settings| settings.money.unfinished_codes = vec!["09".to_owned()]).await;
    assert!(matches!(unfinished, Err(MoneyError::Uncertain { .. })));
}

/// A code without a guarantee may mean anything, whatever the status with it.
#[tokio::test]
async fn no_code_proves_that_no_money_moved() {
    let json = [("content-type", "application/json")];
    for status in ["200 OK", "202 Accepted", "400 No", "403 No", "404 No", "409 No", "422 No", "425 No"] {
        for code in ["09", "51", "94", "96", "90009", "S-404"] {
            let body = format!(r#"{{"responseCode":"{code}","responseMessage":"golden-customer words"}}"#);
            let settings = settings(&Server::fixed(answer(status, &json, &body)));
            match funded_by(settings).await {
                Err(MoneyError::Uncertain { error, .. }) => {
                    assert_eq!(error.rejection().map(|(said, _)| said), Some(code), "{status}");
                    assert!(error.to_string().contains("requery it") && error.to_string().contains(code), "{error}");
                }
                other => panic!("{status} {code}: {other:?}"),
            }
        }
    }
    let server = Server::fixed(answer("200 OK", &json, "{}"));
    for (refused, unfinished, problem) in [("00", "09", "means success"), ("09", "09", "it can mean only one of them")]
    {
        let mut settings = settings(&server);
        settings.money.refused_codes = vec![refused.to_owned()];
        settings.money.unfinished_codes = vec![unfinished.to_owned()];
        let error = Client::new(settings, Secret::new(TOKEN)).err().unwrap();
        assert!(error.to_string().contains(problem), "{error}");
    }
}

/// A reader who sees that a payment was refused makes another one: only whole words that the provider guarantees may
/// say so.
#[tokio::test]
async fn money_is_refused_by_whole_words_of_the_provider_alone() {
    let json = [("content-type", "application/json")];
    let long = format!(r#"{{"responseCode":"51","responseMessage":"{}"}}"#, "x".repeat(70_000));
    let whole = r#"{"responseCode":"51","responseMessage":"no"}"#;
    let mut broken = answer("409 Conflict", &json, whole);
    broken.truncate(broken.len() - 10);
    let cases = [
        (answer("409 Conflict", &json, whole), true),
        (answer("422 No", &json, r#"{"responseMessage":"no","responseCode":51}"#), true),
        (answer("409 Conflict", &json, r#"{"responseCode":"09","responseMessage":"in progress"}"#), false),
        (broken, false),
        (answer("409 Conflict", &json, &long), false),
        (answer("409 Conflict", &json, r#"{"responseCode":"51","responseCode":"00"}"#), false),
        (answer("409 Conflict", &json, r#"{"responseCode":"00","transactionRef":"A","transactionId":"T-1"}"#), false),
        (answer("409 Conflict", &json, r#"{"code":"09","message":"in progress"}"#), false),
        (answer("409 Conflict", &json, r#"{"status":"PROCESSING"}"#), false),
        (answer("404 Not Found", &[("content-type", "text/html")], "<html></html>"), false),
        (answer("425 Too Early", &[], ""), false),
        // None of these is about this payment.
        (answer("200 OK", &json, r#"{"responseCode":"51","transactionId":"T-2"}"#), false),
        (answer("409 Conflict", &json, r#"{"responseCode":"51","transactionId":"T-2"}"#), false),
        (answer("200 OK", &json, r#"{"responseCode":"51","transactionId":"T-1"}"#), true),
        (answer("200 OK", &json, r#"{"responseCode":" "}"#), false),
        (answer("200 OK", &json, r#"{"responseCode":false}"#), false),
    ];
    for (response, is_refused) in cases {
        let shown = String::from_utf8_lossy(&response).chars().take(160).collect::<String>();
        let server = Server::fixed(response);
        let mut settings = settings(&server);
        settings.money.unfinished_codes = vec!["09".to_owned()];
        settings.money.refused_codes = vec!["51".to_owned()];
        match funded_by(settings).await {
            Err(MoneyError::Refused { .. }) if is_refused => {}
            Err(MoneyError::Uncertain { .. }) if !is_refused => {}
            other => panic!("{shown}: {other:?}"),
        }
        assert_eq!(server.count(), 1, "{shown}");
    }
}

/// A status says that nothing was done; the provider's own success with it says more.
#[tokio::test]
async fn money_may_be_sent_again_only_where_the_answer_does_not_say_success() {
    let json = [("content-type", "application/json")];
    let success = r#"{"responseCode":"00","transactionRef":"A","transactionId":"T-1"}"#;
    for (body, is_done) in [
        (success, true),
        (r#"{"responseCode":"09"}"#, true),
        (r#"{"responseCode":"51","responseMessage":"no"}"#, false),
        (r#"{"responseCode":" 00"}"#, true),
        (r#"{"responseCode":"51","responseCode":"00"}"#, true),
        (r#"{"responseCode":"00","transactionRef":"A","#, true),
        (r#"{"error":"invalid_token"}"#, false),
        ("<html></html>", false),
        ("", false),
    ] {
        for status in ["401 Unauthorized", "429 Too Many Requests", "407 Proxy", "307 Temporary Redirect"] {
            let server = Server::fixed(answer(status, &json, body));
            let mut settings = settings(&server);
            settings.money.unfinished_codes = vec!["09".to_owned()];
            // Only the provider's guarantee makes a status mean that nothing was done.
            assert!(matches!(funded_by(settings.clone()).await, Err(MoneyError::Uncertain { .. })), "{status} {body}");
            settings.money.not_done_statuses = vec![307, 401, 407, 429];
            match funded_by(settings).await {
                Err(MoneyError::Uncertain { .. }) if is_done => {}
                Err(MoneyError::NotDone { .. }) if !is_done => {}
                other => panic!("{status} {body}: {other:?}"),
            }
            assert_eq!(server.count(), 2, "{status} {body}");
        }
    }
}

/// An answer that broke off before its first word may have been a success.
#[tokio::test]
async fn money_may_not_be_sent_again_where_the_answer_broke_off() {
    let success = r#"{"responseCode":"00","transactionRef":"A","transactionId":"T-1"}"#;
    for kept in [0, 1, 10] {
        let mut cut = answer("401 Unauthorized", &[("content-type", "application/json")], success);
        cut.truncate(cut.len() - success.len() + kept);
        let server = Server::fixed(cut);
        let mut settings = settings(&server);
        settings.money.not_done_statuses = vec![401];
        let error = funded_by(settings).await.unwrap_err();
        assert!(matches!(error, MoneyError::Uncertain { .. }), "{kept}: {error:?}");
    }
}

#[tokio::test]
async fn a_requery_tells_what_became_of_money_or_that_it_cannot() {
    let request =
        Requery { transaction_id: SentTransactionId::recall("T-1").unwrap(), loan_id: "L-1".to_owned(), sent: None };
    let asked = async |body: &str| lending(body).requery(&request).await;
    let status = |word: &str| format!(r#"{{"responseCode":"00","responseMessage":"no funds","status":"{word}"}}"#);
    assert_eq!(
        asked(r#"{"responseCode":"00","status":"successful","transactionRef":"A|B","transactionId":"T-1"}"#)
            .await
            .unwrap(),
        TransactionStatus::Succeeded { transaction_ref: Some("A|B".to_owned()) }
    );
    let failed = asked(&status("FAILED")).await.unwrap();
    assert_eq!(failed, TransactionStatus::Failed { message: "no funds".to_owned() });
    assert!(failed.is_final());
    assert_eq!(asked(&status("PENDING")).await.unwrap(), TransactionStatus::Pending);
    assert_eq!(asked(&status("NOT_FOUND")).await.unwrap(), TransactionStatus::NotFound);
    assert!(!TransactionStatus::NotFound.is_final(), "a late transaction may still appear");
    for body in [
        status("SETTLED"),
        r#"{"responseCode":"00"}"#.to_owned(),
        r#"{"responseCode":"00","status":null}"#.to_owned(),
        r#"{"responseCode":"00","status":"SUCCESSFUL","transactionId":"T-2"}"#.to_owned(),
        r#"{"status":"SUCCESSFUL"}"#.to_owned(),
    ] {
        assert!(asked(&body).await.unwrap_err().is_malformed(), "{body}");
    }
    assert!(asked(r#"{"responseCode":"25","responseMessage":"x"}"#).await.unwrap_err().is_rejected());
}

#[tokio::test]
async fn an_account_is_verified_with_its_name_where_there_is_one() {
    let request =
        VerifyAccount { customer_id: "C".to_owned(), account_number: "1".to_owned(), bank_code: "2".to_owned() };
    let named = lending(r#"{"responseCode":"00","responseMessage":"ok","accountName":"ADA OBI"}"#);
    let verified = named.verify_account(&request).await.unwrap();
    assert_eq!(verified.account_name.as_deref(), Some("ADA OBI"));
    assert!(!format!("{verified:?}").contains("ADA"));
    assert_eq!(lending(r#"{"responseCode":"00"}"#).verify_account(&request).await.unwrap().account_name, None);
    assert!(lending(r#"{"responseCode":"14"}"#).verify_account(&request).await.unwrap_err().is_rejected());
}

#[tokio::test]
async fn an_iqr_answer_is_passed_on_as_it_came() {
    let bulk =
        RequestUnassigned { transaction_ref: "R".to_owned(), quantity: 2.try_into().unwrap(), channel: Channel::Api };
    let asked = async |body: &str, change: fn(&mut Settings)| {
        let mut settings = settings(&Server::fixed(json(body)));
        change(&mut settings);
        iqr::Client::new(settings, Secret::new(TOKEN)).unwrap().request_unassigned(&bulk).await
    };
    let reply =
        asked(r#"{"responseCode":"00","responseMessage":"ok","qrIds":["a","b"],"count":2}"#, |_| {}).await.unwrap();
    assert_eq!((reply.code.as_str(), reply.text("count").as_deref()), ("00", Some("2")));
    assert_eq!(reply.fields()["qrIds"][1], "b");
    assert_eq!(format!("{reply:?}"), "IqrReply { code: \"00\", 4 fields }");
    let long =
        r#"{"responseCode":"00","iqrs":[{"qrId":123456789012345678901234,"n":12345678901234567}],"x":1.10,"y":1e400}"#;
    let reply = asked(long, |_| {}).await.unwrap();
    assert_eq!(
        serde_json::to_string(&reply.fields()).unwrap(),
        concat!(
            r#"{"iqrs":[{"n":12345678901234567,"qrId":"123456789012345678901234"}],"#,
            r#""responseCode":"00","x":1.1,"y":"1e400"}"#
        )
    );
    let other: fn(&mut Settings) = |settings| {
        settings.iqr.code_field = "code".to_owned();
        settings.iqr.success_codes = vec!["200".to_owned(), "201".to_owned()];
    };
    assert_eq!(asked(r#"{"code":201}"#, other).await.unwrap().code, "201");
    // An answer that says two things says neither.
    for body in [
        r#"{"responseCode":"99","responseCode":"00"}"#,
        r#"{"responseCode":"00","responseCode":"99"}"#,
        r#"{"responseCode":"00","iqrs":[{"q":1,"q":2}]}"#,
        &format!(r#"{{"responseCode":"00","x":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000)),
        &format!(r#"{{"responseCode":"00","x":{}1{}}}"#, r#"{"x":"#.repeat(100_000), "}".repeat(100_000)),
    ] {
        assert_eq!(asked(body, |_| {}).await.unwrap_err().class(), Class::Uncertain, "{body}");
    }
    assert!(asked(r#"{"code":"99"}"#, other).await.unwrap_err().is_rejected());
    assert_eq!(asked(r#"{"responseCode":"00"}"#, other).await.unwrap_err().class(), Class::Uncertain);
}

fn create() -> CreateBill {
    CreateBill {
        merchant_code: "M".to_owned(),
        payable_code: "I".to_owned(),
        amount: Money::from_minor(250_000),
        currency: Currency::from_numeric("036").unwrap(),
        redirect_url: "https://shop.example".to_owned(),
        customer_id: "C".to_owned(),
        customer_email: None,
        transaction_reference: None,
    }
}

#[tokio::test]
async fn a_bill_is_made_as_asked_with_its_currency_as_text_or_number() {
    let made = async |body: String| {
        let client = bill::Client::new(settings(&Server::fixed(json(body))), Secret::new(TOKEN)).unwrap();
        client.create(&create()).await
    };
    let body = |currency: &str| {
        format!(
            r#"{{"id":9007199254740993,"merchantCode":"M","payableCode":"I","amount":250000,"code":"200",
            "redirectUrl":"https://shop.example","customerId":"C","reference":"B-1","customerEmail":null,
            "currencyCode":{currency},"paymentUrl":"https://pay.example/B-1"}}"#
        )
    };
    assert_eq!(
        made(body("36").replace("9007199254740993", "\"12\"").replace("250000", "250000.0")).await.unwrap().id,
        12
    );
    for currency in ["36", "\"036\"", "\"36\""] {
        let bill = made(body(currency)).await.unwrap();
        assert_eq!((bill.id, bill.currency_code.as_str()), (9_007_199_254_740_993, "036"));
        assert_eq!(bill.payment_url, "https://pay.example/B-1");
        let stored = StoredBill::new(&create(), &bill);
        let text = serde_json::to_string(&stored).unwrap();
        assert_eq!(serde_json::from_str::<StoredBill>(&text).unwrap(), stored);
    }
    for (from, to) in [
        ("250000", "250001"),
        ("250000", "250000.5"),
        ("250000", "\"2,500\""),
        ("\"currencyCode\":36", "\"currencyCode\":566"),
        ("\"reference\":\"B-1\"", "\"reference\":\"\""),
        ("\"paymentUrl\"", "\"paymentURL\""),
        ("\"id\":", "\"ID\":"),
    ] {
        let error = made(body("36").replace(from, to)).await.unwrap_err();
        assert_eq!(error.class(), Class::Uncertain, "{to}: a bill may have been made");
    }
    assert!(made(body("36").replace("\"200\"", "\"400\"")).await.unwrap_err().is_rejected());
}

#[tokio::test]
async fn listed_offers_have_all_their_fields() {
    let body = r#"{"responseCode":"00","responseMessage":"ok","offers":[{"offerId":"a","amountOffered":5000000,
        "interest":3.5,"amountPayable":5200000.0,"tenure":30,"expiryDate":"2026-07-07T00:00:00Z",
        "currency":"566","more":1}]}"#;
    let request = GetOffers {
        customer_id: "C".to_owned(),
        channel_code: "WEB".to_owned(),
        amount: 1,
        service_type: "LOAN".to_owned(),
        date_of_birth: "1990-02-28".to_owned(),
    };
    let reply = lending(body).offers(&request).await.unwrap();
    let expected = ListedOffer {
        offer_id: "a".to_owned(),
        amount_offered: 5_000_000,
        interest: 3.5,
        amount_payable: 5_200_000,
        tenure: 30,
        expiry_date: "2026-07-07T00:00:00Z".to_owned(),
        currency: "566".to_owned(),
    };
    assert_eq!((reply.response_message.as_str(), reply.offers), ("ok", vec![expected]));
}

#[tokio::test]
async fn a_message_is_acknowledged() {
    let sms = SendSms {
        customer_id: "C".to_owned(),
        msisdn: "2348012345678".to_owned(),
        message: "hello".to_owned(),
        loan_id: "L".to_owned(),
    };
    let reply = lending(r#"{"responseCode":"00","responseMessage":"sent"}"#).sms(&sms).await.unwrap();
    assert_eq!((reply.response_code.as_str(), reply.response_message.as_str()), ("00", "sent"));
    assert!(lending(r#"{"responseCode":"96"}"#).sms(&sms).await.unwrap_err().is_rejected());
}

/// The rule that matters: value is given for a payment of exactly this bill, and for nothing else.
#[tokio::test]
async fn a_payment_counts_only_where_it_is_this_bills() {
    let stored = StoredBill {
        merchant_code: "M".to_owned(),
        reference: "B-1".to_owned(),
        transaction_reference: Some("ORDER-1".to_owned()),
        amount: Money::from_minor(250_000),
        currency: Currency::from_numeric("566").unwrap(),
    };
    let confirmed = async |body: &str| {
        let client = bill::Client::new(settings(&Server::fixed(json(body))), Secret::new(TOKEN)).unwrap();
        client.confirm_payment(&stored).await
    };
    for body in [
        r#"{"responseCode":"00","amount":250000}"#,
        r#"{"responseCode":"00","amount":"250000","transactionReference":"B-1","currencyCode":566}"#,
        r#"{"responseCode":"00","amount":250000.00,"currencyCode":"566"}"#,
    ] {
        assert_eq!(confirmed(body).await.unwrap().bill(), &stored, "{body}");
    }
    let differs = async |body: &str| match confirmed(body).await {
        Err(NotPaid::Differs(difference)) => difference,
        other => panic!("{body}: {other:?}"),
    };
    let amount = |returned| Difference::Amount { expected: stored.amount, returned: Money::from_minor(returned) };
    assert_eq!(differs(r#"{"responseCode":"00","amount":249999}"#).await, amount(249_999));
    assert_eq!(differs(r#"{"responseCode":"00","amount":2500}"#).await, amount(2_500));
    assert_eq!(differs(r#"{"responseCode":"00","amount":250001}"#).await, amount(250_001));
    assert_eq!(differs(r#"{"responseCode":"00","amount":-250000}"#).await, amount(-250_000));
    assert_eq!(differs(r#"{"responseCode":"00"}"#).await, Difference::NoAmount);
    assert_eq!(differs(r#"{"responseCode":"00","amount":null}"#).await, Difference::NoAmount);
    assert_eq!(
        differs(r#"{"responseCode":"00","amount":250000,"transactionReference":"B-2"}"#).await,
        Difference::Reference
    );
    assert_eq!(
        differs(r#"{"responseCode":"00","amount":250000,"currencyCode":"840"}"#).await,
        Difference::Currency { returned: "840".to_owned() }
    );
    let pending = confirmed(r#"{"responseCode":"01","amount":250000}"#).await.unwrap_err();
    assert!(matches!(pending, NotPaid::Pending { .. }) && pending.may_change());
    let refused = confirmed(r#"{"responseCode":"Z6","amount":250000}"#).await.unwrap_err();
    assert!(matches!(refused, NotPaid::Refused { is_final: false, .. }) && refused.may_change(), "codes are not shown");
    for body in [r#"{"amount":250000}"#, "", "<html>", r#"{"responseCode":"00","amount":"2,500"}"#] {
        let unknown = confirmed(body).await.unwrap_err();
        assert!(matches!(unknown, NotPaid::Unknown(_)) && unknown.may_change(), "{body}");
    }
    // As a float, this would be another amount.
    assert!(matches!(
        confirmed(r#"{"responseCode":"00","amount":250000.00000000000000001}"#).await,
        Err(NotPaid::Unknown(_))
    ));
}

/// An amount in major units has the decimals of the bill's own currency, and the merchant's reference can be used to
/// ask about the payment.
#[tokio::test]
async fn a_payment_is_compared_in_its_currency_and_by_the_reference_that_was_asked_with() {
    let stored = |currency: &str, minor| StoredBill {
        merchant_code: "M".to_owned(),
        reference: "B-1".to_owned(),
        transaction_reference: Some("ORDER-1".to_owned()),
        amount: Money::from_minor(minor),
        currency: Currency::from_numeric(currency).unwrap(),
    };
    let confirmed = async |bill: &StoredBill, body: &str| {
        let server = Server::fixed(json(body));
        let mut settings = settings(&server);
        settings.bill.status.amount_unit = lendwright::base::money::AmountUnit::Major;
        settings.bill.status.reference = PaymentReference::Transaction;
        settings.bill.status.not_paid_codes = vec!["Z6".to_owned()];
        let client = bill::Client::new(settings, Secret::new(TOKEN)).unwrap();
        let confirmed = client.confirm_payment(bill).await;
        assert!(server.heads().iter().all(|head| head.contains("transactionreference=ORDER-1&")));
        confirmed
    };
    let yen = stored("392", 1_000);
    confirmed(&yen, r#"{"responseCode":"00","amount":1000,"transactionReference":"ORDER-1"}"#).await.unwrap();
    let hundredth = confirmed(&yen, r#"{"responseCode":"00","amount":10}"#).await;
    assert!(matches!(hundredth, Err(NotPaid::Differs(Difference::Amount { .. }))), "{hundredth:?}");
    let naira = stored("566", 250_000);
    confirmed(&naira, r#"{"responseCode":"00","amount":"2500.00"}"#).await.unwrap();
    let other = confirmed(&naira, r#"{"responseCode":"00","amount":2500,"transactionReference":"B-1"}"#).await;
    assert!(matches!(other, Err(NotPaid::Differs(Difference::Reference))));
    let last = confirmed(&naira, r#"{"responseCode":"Z6"}"#).await.unwrap_err();
    assert!(matches!(last, NotPaid::Refused { is_final: true, .. }) && !last.may_change());
    let nameless = StoredBill { transaction_reference: None, ..naira };
    let unknown = confirmed(&nameless, r#"{"responseCode":"00","amount":2500}"#).await.unwrap_err();
    assert!(unknown.to_string().contains("made without one"), "{unknown}");
}

#[tokio::test]
async fn the_status_of_a_payment_is_read_by_the_names_of_the_settings() {
    let body = r#"{"ResponseCode":"T0","Amount":2500.5,"MerchantReference":"B-1"}"#;
    let mut settings = settings(&Server::fixed(json(body)));
    settings.bill.status.code_field = "ResponseCode".to_owned();
    settings.bill.status.amount_field = "Amount".to_owned();
    settings.bill.status.reference_field = "MerchantReference".to_owned();
    settings.bill.status.amount_unit = lendwright::base::money::AmountUnit::Major;
    let client = bill::Client::new(settings, Secret::new(TOKEN)).unwrap();
    let amount = Money::from_minor(250_050);
    let currency = Currency::from_numeric("566").unwrap();
    let request = GetPaymentStatus { merchant_code: "M".to_owned(), reference: "B-1".to_owned(), amount, currency };
    let status = client.status(&request).await.unwrap();
    assert_eq!((status.code.as_str(), status.amount, status.reference.as_deref()), ("T0", Some(amount), Some("B-1")));
    assert_eq!(client.counts()["get transaction status (P2)"].calls, 1);
}

/// E10 and E11 as both sides write them.
#[test]
fn what_the_lender_hosts_has_the_names_of_the_interface() {
    let query = r#"{"customerId":"C","loanId":"L","providerCode":"P","channelCode":"WEB"}"#;
    let read: LoanStatusQuery = serde_json::from_str(query).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), query);
    assert_eq!((USERNAME_HEADER, PASSWORD_HEADER), ("username", "password"));
    let notification = r#"{"loanId":"L","paymentRef":"P","Amount":"5200.00","customerId":"C"}"#;
    let read: PaymentNotification = serde_json::from_str(notification).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), notification);
    assert!(serde_json::from_str::<PaymentNotification>(&notification.replace("Amount", "amount")).is_err());
    assert!(!format!("{read:?}").contains("5200"));
    let status = concat!(
        r#"{"responseCode":"00","responseMessage":"ok","#,
        r#""loan":{"status":"OPEN","remainingAmount":"10.00","dueDate":"2026-07-07T00:00:00Z"}}"#
    );
    let read: LoanStatusReply = serde_json::from_str(status).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), status);
    let reply = r#"{"responseCode":"00","responseMessage":"ok","loanStatus":"CLOSED"}"#;
    let read: NotificationReply = serde_json::from_str(reply).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), reply);
}
