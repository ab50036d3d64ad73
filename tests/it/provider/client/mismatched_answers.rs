//! What an answer is about: one about another loan, transaction, bill or merchant says nothing about this one, wherever
//! the answer names it. And what a request carries is sent as given.

use lendwright::base::money::{Currency, Money};
use lendwright::base::secret::Secret;
use lendwright::client::bill::{Difference, NotPaid, StoredBill};
use lendwright::client::{Client, Error, bill, iqr};
use lendwright::wire::Settings;
use lendwright::wire::iqr::{Link, Operator};
use lendwright::wire::lending::{AcceptOffer, Requery, SentTransactionId, TransactionStatus};

use super::{TOKEN, golden, settings};
use crate::fixtures::scripted_server::{Server, answer, json};

/// A change of settings.
type Change = fn(&mut Settings);

async fn requeried(body: &str, change: Change) -> Result<TransactionStatus, Error> {
    let mut settings = settings(&Server::fixed(json(body)).base_url);
    change(&mut settings);
    let request =
        Requery { transaction_id: SentTransactionId::recall("T-1").unwrap(), loan_id: "L-1".to_owned(), sent: None };
    Client::new(settings, Secret::new(TOKEN)).unwrap().requery(&request).await
}

/// The names of a provider with nested answers.
fn nested(settings: &mut Settings) {
    let names = &mut settings.requery;
    names.code_field = "result.code".to_owned();
    names.message_field = "result.text".to_owned();
    names.status_field = "data.transfer.state".to_owned();
    names.answer_reference_field = "data.transfer.ref".to_owned();
}

/// The code alone says what happened to the money.
fn by_code(settings: &mut Settings) {
    let names = &mut settings.requery;
    names.status_field.clear();
    names.succeeded_codes = vec!["00".to_owned()];
    names.failed_codes = vec!["51".to_owned(), "61".to_owned()];
    names.pending_codes = vec!["09".to_owned()];
    names.not_found_codes = vec!["25".to_owned()];
}

/// A code for each outcome, and a status with it.
fn by_both(settings: &mut Settings) {
    by_code(settings);
    settings.requery.status_field = "status".to_owned();
}

fn succeeded(reference: Option<&str>) -> TransactionStatus {
    TransactionStatus::Succeeded { transaction_ref: reference.map(str::to_owned) }
}

#[tokio::test]
async fn a_requery_is_read_by_the_names_of_its_settings_and_by_its_code() {
    let failed = |message: &str| TransactionStatus::Failed { message: message.to_owned() };
    let cases: [(Change, &str, TransactionStatus); 10] = [
        (
            nested,
            r#"{"result":{"code":"00"},"data":{"transfer":{"state":"successful","ref":"A|1"}}}"#,
            succeeded(Some("A|1")),
        ),
        (
            nested,
            r#"{"result":{"code":"00","text":"no funds"},"data":{"loanId":"L-1","transfer":{"state":"FAILED"}}}"#,
            failed("no funds"),
        ),
        (nested, r#"{"result.code":"00","data.transfer.state":"PENDING"}"#, TransactionStatus::Pending),
        (by_code, r#"{"responseCode":"00","transactionRef":"A|2","status":"whatever"}"#, succeeded(Some("A|2"))),
        (by_code, r#"{"responseCode":"61","responseMessage":"limit"}"#, failed("limit")),
        (by_code, r#"{"responseCode":"09"}"#, TransactionStatus::Pending),
        (by_code, r#"{"responseCode":"25","loanId":"L-1"}"#, TransactionStatus::NotFound),
        (by_both, r#"{"responseCode":"00","status":"SUCCESSFUL"}"#, succeeded(None)),
        (by_both, r#"{"responseCode":"51","status":"FAILED"}"#, failed("")),
        (by_both, r#"{"responseCode":"25","status":"no such thing"}"#, TransactionStatus::NotFound),
    ];
    for (change, body, expected) in cases {
        assert_eq!(requeried(body, change).await.unwrap(), expected, "{body}");
    }
    let none: [(Change, &str); 9] = [
        (nested, r#"{"result":{"code":"00"},"data":{"transfer":"SUCCESSFUL"}}"#),
        (nested, r#"{"result":{"code":"00"},"data":{"transfer":{"state":"SUCCESSFUL","state":"FAILED"}}}"#),
        (nested, r#"{"result":{"code":"00"},"data":null}"#),
        (nested, r#"{"responseCode":"00","status":"SUCCESSFUL"}"#),
        (by_both, r#"{"responseCode":"00","status":"FAILED"}"#),
        (by_both, r#"{"responseCode":"09","status":"SUCCESSFUL"}"#),
        (by_both, r#"{"responseCode":"25","status":"SUCCESSFUL"}"#),
        (by_both, r#"{"responseCode":"00","status":"REVERSED"}"#),
        (by_both, r#"{"responseCode":"51","status":"REVERSED"}"#),
    ];
    for (change, body) in none {
        assert!(requeried(body, change).await.unwrap_err().is_malformed(), "{body}");
    }
    for body in [r#"{"responseCode":"77"}"#, r#"{"responseCode":"77","status":"SUCCESSFUL"}"#] {
        assert!(requeried(body, by_both).await.unwrap_err().is_rejected(), "{body}");
    }
}

#[tokio::test]
async fn a_requery_about_another_loan_or_transaction_is_no_answer() {
    let good = r#"{"responseCode":"00","status":"SUCCESSFUL","loanId":"L-1","transactionId":"T-1"}"#;
    assert_eq!(requeried(good, |_| {}).await.unwrap(), succeeded(None));
    let cases: [(Change, &str); 9] = [
        (|_| {}, r#"{"responseCode":"00","status":"SUCCESSFUL","loanId":"L-2","transactionId":"T-1"}"#),
        (|_| {}, r#"{"responseCode":"00","status":"FAILED","loanId":"L-2"}"#),
        (|_| {}, r#"{"responseCode":"00","status":"NOT_FOUND","loanId":"L-2"}"#),
        (|_| {}, r#"{"responseCode":"00","status":"SUCCESSFUL","loanId":["L-1"]}"#),
        (nested, r#"{"result":{"code":"00"},"data":{"transfer":{"state":"SUCCESSFUL","loanId":"L-2"}}}"#),
        (nested, r#"{"result":{"code":"00"},"data":{"loanId":"L-2","transfer":{"state":"SUCCESSFUL"}}}"#),
        (nested, r#"{"result":{"code":"00"},"data":{"transactionId":"T-2","transfer":{"state":"FAILED"}}}"#),
        (by_code, r#"{"responseCode":"00","loanId":"L-2"}"#),
        (
            |settings| settings.requery.answer_loan_field = "loan.id".to_owned(),
            r#"{"responseCode":"00","status":"SUCCESSFUL","loan":{"id":"L-2"}}"#,
        ),
    ];
    for (change, body) in cases {
        assert!(requeried(body, change).await.unwrap_err().is_malformed(), "{body}");
    }
}

fn stored() -> StoredBill {
    StoredBill {
        merchant_code: "M".to_owned(),
        reference: "BL-1".to_owned(),
        transaction_reference: None,
        amount: Money::from_minor(250_000),
        currency: Currency::from_numeric("566").unwrap(),
    }
}

fn bill_settings(server: &Server) -> Settings {
    let mut settings = golden::settings();
    settings.bill.base_url.clone_from(&server.base_url);
    settings.bill.create.base_url.clear();
    settings
}

#[tokio::test]
async fn a_payment_of_another_merchant_is_not_this_bills() {
    let confirmed = async |body: &str, change: Change| {
        let mut settings = bill_settings(&Server::fixed(json(body)));
        change(&mut settings);
        bill::Client::new(settings, Secret::new(TOKEN)).unwrap().confirm_payment(&stored()).await
    };
    let inner: Change = |settings| {
        settings.bill.status.code_field = "data.code".to_owned();
        settings.bill.status.amount_field = "data.payment.paid".to_owned();
    };
    for (body, change) in [
        (
            r#"{"responseCode":"00","amount":250000,"merchantCode":"M","transactionReference":"BL-1"}"#,
            (|_| {}) as Change,
        ),
        (r#"{"data":{"code":"00","merchantCode":"M","payment":{"paid":250000,"transactionReference":"BL-1"}}}"#, inner),
    ] {
        assert!(confirmed(body, change).await.is_ok(), "{body}");
    }
    for (body, change, expected) in [
        (r#"{"responseCode":"00","amount":250000,"merchantCode":"N"}"#, (|_| {}) as Change, Difference::Merchant),
        // A statement about another bill says nothing about this one.
        (r#"{"responseCode":"01","merchantCode":"N"}"#, |_| {}, Difference::Merchant),
        (r#"{"responseCode":"Z6","transactionReference":"BL-2"}"#, |_| {}, Difference::Reference),
        (r#"{"data":{"code":"00","merchantCode":"N","payment":{"paid":250000}}}"#, inner, Difference::Merchant),
        (r#"{"data":{"code":"00","payment":{"paid":250000,"merchantCode":"N"}}}"#, inner, Difference::Merchant),
        (
            r#"{"transactionReference":"BL-1",
                "data":{"code":"00","payment":{"paid":250000,"transactionReference":"BL-2"}}}"#,
            inner,
            Difference::Reference,
        ),
        (
            r#"{"responseCode":"00","amount":250000,"merchant":{"id":"N"}}"#,
            |settings| settings.bill.status.merchant_field = "merchant.id".to_owned(),
            Difference::Merchant,
        ),
    ] {
        match confirmed(body, change).await {
            Err(NotPaid::Differs(difference)) => assert_eq!(difference, expected, "{body}"),
            other => panic!("{body}: {other:?}"),
        }
    }
}

/// P1 echoes whom the bill is for: a link that would pay another merchant must not reach the customer.
#[tokio::test]
async fn a_bill_for_another_merchant_item_or_customer_is_not_the_one_that_was_asked_for() {
    let made = async |more: &str| {
        let body =
            format!(r#"{{"id":1,"amount":250000,"reference":"BL-1","paymentUrl":"https://pay.example/1"{more}}}"#);
        let client = bill::Client::new(bill_settings(&Server::fixed(json(&body))), Secret::new(TOKEN)).unwrap();
        client.create(&golden::create()).await
    };
    assert!(made("").await.is_ok());
    assert!(made(r#","merchantCode":"M-1","payableCode":"ITEM-1","customerId":"CUSTOMER-1""#).await.is_ok());
    for more in [r#","merchantCode":"M-2""#, r#","payableCode":"ITEM-2""#, r#","customerId":"CUSTOMER-2""#] {
        let error = made(more).await.unwrap_err();
        assert!(error.is_outcome_unknown(), "{more}: a bill has been made: {error}");
        assert!(!error.to_string().contains("-2"), "{error}");
    }
}

/// Spaces, order, zeros of a number, a repeated name, escapes, a line end: a signature of an operator covers its bytes.
#[tokio::test]
async fn an_operator_goes_out_byte_for_byte_and_is_not_told_again() {
    let text =
        " {\"b\": 6.50,  \"a\":1e400, \"b\":[ \"SHIFT-LEAD\\/7\", {\"pin\" : 9917.0} ],\"n\":\"\\u0041da\\\"9\"}\r\n";
    let words = r#"{"responseCode":"51","responseMessage":"SHIFT-LEAD/7 with 9917.0, Ada\"9 is not known"}"#;
    let server = Server::fixed(answer("400 Bad Request", &[("content-type", "application/json")], words));
    let mut settings = golden::settings();
    settings.iqr.base_url.clone_from(&server.base_url);
    let request = Link {
        transaction_ref: "R-4".to_owned(),
        qr_id: "Q-1".to_owned(),
        qr_ref: "QR-1".to_owned(),
        operator: Some(Operator::new(text).unwrap()),
        ..Link::default()
    };
    let client = iqr::Client::new(settings, Secret::new(TOKEN)).unwrap();
    let prepared = client.prepare(&request).unwrap();
    let sent = String::from_utf8(prepared.body().unwrap().bytes()).unwrap();
    assert!(sent.contains(&format!("\"operator\":{text}")), "{sent}");
    let error = client.link(&request).await.unwrap_err();
    assert_eq!(error.rejection(), Some(("51", "[personal] with [personal], [personal] is not known")));
    let shown = format!("{request:?} {:?} {prepared} {prepared:?} {error:?}", request.operator);
    for value in ["SHIFT", "9917", "Ada", "6.50", "1e400"] {
        assert!(!shown.contains(value), "`{value}` in {shown}");
    }
    for wrong in ["", "[]", "{", "{}{}", "null", "\u{feff}{}", "\"{}\""] {
        assert!(Operator::new(wrong).is_err(), "{wrong:?}");
    }
}

/// The interface shows the token as a field of E4: an acceptance without it is not sent.
#[tokio::test]
async fn an_acceptance_without_a_token_is_not_sent() {
    let server = Server::fixed(json(r#"{"responseCode":"00","loanId":"L-1"}"#));
    let client = Client::new(settings(&server.base_url), Secret::new(TOKEN)).unwrap();
    for token in ["", " \n"] {
        let request = AcceptOffer { token: Secret::new(token), ..golden::accept() };
        let error = client.accept(&request).await.unwrap_err();
        assert_eq!(error.to_string(), "accept offer (E4): `token` is empty");
    }
    assert!(server.heads().is_empty());
}
