//! Answers about money that must not be taken as final, and settings that would allow that.

use lendwright::base::money::{Currency, Money};
use lendwright::base::secret::Secret;
use lendwright::client::bill::{NotPaid, StoredBill};
use lendwright::client::{Class, Client, bill, blocking};
use lendwright::wire::Settings;
use lendwright::wire::lending::{Requery, SentTransactionId, TransactionStatus};

use super::failure_matrix::{RECEIPT, fund, kept_open, right};
use super::{STATEMENT, TOKEN, golden, settings};
use crate::fixtures::scripted_server::{Server, answer, json};

fn requery() -> Requery {
    Requery { transaction_id: SentTransactionId::recall("T-1").unwrap(), loan_id: "L-1".to_owned(), sent: None }
}

fn bill() -> StoredBill {
    StoredBill {
        merchant_code: "M".to_owned(),
        reference: "BL-1".to_owned(),
        transaction_reference: Some("ORD-1".to_owned()),
        amount: Money::from_minor(250_000),
        currency: Currency::from_numeric("566").unwrap(),
    }
}

fn bills(server: &Server) -> bill::Client {
    let mut settings = golden::settings();
    settings.bill.base_url.clone_from(&server.base_url);
    settings.bill.create.base_url.clear();
    bill::Client::new(settings, Secret::new(TOKEN)).unwrap()
}

/// An answer that says two things of one field says neither; a wrong type where text is expected is not ignored.
#[tokio::test]
async fn an_answer_that_says_two_things_is_none() {
    for body in [
        r#"{"responseCode":"00","status":"SUCCESSFUL","status":"FAILED"}"#,
        r#"{"responseCode":"00","status":"FAILED","transactionId":"T-1","transactionId":"T-2"}"#,
        r#"{"responseCode":"00","status":"FAILED","transactionId":["T-2"]}"#,
        r#"{"responseCode":"00","status":{"is":"FAILED"}}"#,
        r#"{"responseCode":["00"],"status":"FAILED"}"#,
    ] {
        let client = Client::new(settings(&Server::fixed(json(body)).base_url), Secret::new(TOKEN)).unwrap();
        assert!(client.requery(&requery()).await.unwrap_err().is_malformed(), "{body}");
    }
    for body in [
        r#"{"responseCode":"01","responseCode":"00","amount":250000}"#,
        r#"{"responseCode":"00","amount":1,"amount":250000}"#,
        r#"{"responseCode":"00","amount":250000,"currencyCode":{"x":1}}"#,
        r#"{"responseCode":"00","amount":250000,"transactionReference":{"other":"BL-2"}}"#,
        r#"{"responseCode":"00","amount":[250000]}"#,
    ] {
        match bills(&Server::fixed(json(body))).confirm_payment(&bill()).await {
            Err(NotPaid::Unknown(error)) => assert!(error.is_malformed(), "{body}: {error}"),
            other => panic!("{body}: {other:?}"),
        }
    }
    assert!(
        bills(&Server::fixed(json(r#"{"responseCode":"00","amount":250000}"#))).confirm_payment(&bill()).await.is_ok()
    );
}

/// A refusal under its natural status is reported in the provider's words; success under such a status is not an
/// answer.
#[tokio::test]
async fn a_status_of_4xx_may_say_what_is_not_and_never_what_is() {
    let json_type = [("content-type", "application/json")];
    let said = async |status: &str, body: &str| {
        bills(&Server::fixed(answer(status, &json_type, body))).confirm_payment(&bill()).await
    };
    let refused = r#"{"responseCode":"S404","responseMessage":"no bill with this reference"}"#;
    match said("404 Not Found", refused).await {
        Err(NotPaid::Refused { code, message, is_final: false }) => {
            assert_eq!((code.as_str(), message.as_str()), ("S404", "no bill with this reference"));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(said("409 Conflict", r#"{"responseCode":"01"}"#).await, Err(NotPaid::Pending { .. })));
    match said("409 Conflict", r#"{"responseCode":"00","amount":250000}"#).await {
        Err(NotPaid::Unknown(error)) => assert!(error.is_malformed()),
        other => panic!("{other:?}"),
    }

    let asked = async |body: &str| {
        let server = Server::fixed(answer("404 Not Found", &json_type, body));
        let mut settings = settings(&server.base_url);
        settings.requery.not_found_codes = vec!["25".to_owned()];
        Client::new(settings, Secret::new(TOKEN)).unwrap().requery(&requery()).await
    };
    assert_eq!(asked(r#"{"responseCode":"25"}"#).await.unwrap(), TransactionStatus::NotFound);
    assert_eq!(asked(r#"{"responseCode":"00","status":"PENDING"}"#).await.unwrap(), TransactionStatus::Pending);
    for word in ["SUCCESSFUL", "FAILED"] {
        let body = format!(r#"{{"responseCode":"00","status":"{word}"}}"#);
        assert!(asked(&body).await.unwrap_err().is_malformed(), "{word} under HTTP 404 is no last word");
    }
    assert!(asked(r#"{"responseCode":"77","responseMessage":"no"}"#).await.unwrap_err().is_rejected());
}

/// The provider's words are shown as such, and reveal nothing of the request.
#[tokio::test]
async fn a_providers_words_neither_steer_a_terminal_nor_repeat_a_secret() {
    let words = "no\u{202e}sey\u{200b}\u{2066}\u{2028}\\u0007";
    let body = format!(r#"{{"responseCode":"{TOKEN}","responseMessage":"{words}"}}"#);
    let client = Client::new(settings(&Server::fixed(json(body)).base_url), Secret::new(TOKEN)).unwrap();
    let error = client.requery(&requery()).await.unwrap_err();
    let shown = format!("{error} {error:?} {:?}", error.rejection());
    assert!(error.is_rejected() && !shown.contains(TOKEN), "{shown}");
    assert!(shown.contains("no sey"), "{shown}");
    for unseen in ['\u{202e}', '\u{200b}', '\u{2066}', '\u{2028}', '\u{7}'] {
        assert!(!shown.contains(unseen), "{unseen:?} in {shown:?}");
    }
}

/// A change of settings.
type Change = fn(&mut Settings);

#[test]
fn settings_that_nobody_can_mean_are_refused_before_anything_is_sent() {
    let changes: [(&str, Change); 11] = [
        ("connect", |settings| settings.limits.connect_timeout_ms = 0),
        ("read", |settings| settings.limits.read_timeout_ms = 0),
        ("total", |settings| settings.limits.total_timeout_ms = 0),
        ("bytes", |settings| settings.limits.body_bytes_max = 0),
        ("attempts", |settings| settings.limits.attempts_max = 0),
        ("turns", |settings| settings.limits.in_flight_max = 0),
        ("success", |settings| settings.success_code.clear()),
        ("paid and pending", |settings| settings.bill.status.pending_codes = vec!["00".to_owned()]),
        ("paid and not found", |settings| settings.bill.status.not_found_codes = vec!["00".to_owned()]),
        ("failed and pending", |settings| settings.requery.pending = vec!["failed".to_owned()]),
        ("not found and success", |settings| settings.requery.not_found_codes = vec!["00".to_owned()]),
    ];
    let mut told = String::new();
    for (name, change) in changes {
        let mut settings = settings("https://provider.example");
        change(&mut settings);
        let error = Client::new(settings, Secret::new(TOKEN)).unwrap_err();
        assert_eq!(error.class(), Class::Configuration, "{name}");
        told += &format!("{name}: {error}\n");
    }
    insta::assert_snapshot!(told);
}

/// A placeholder may be anywhere in a part of the path; one that is not filled would ask about something else.
#[test]
fn the_transaction_stands_where_the_path_says() {
    let shown = |path: &str| {
        let mut settings = settings("https://provider.example");
        settings.requery.path = path.to_owned();
        settings.requery.transaction_field.clear();
        let client = Client::new(settings, Secret::new(TOKEN)).unwrap();
        client
            .prepare(&requery())
            .map(|prepared| prepared.to_string().lines().next().unwrap_or_default().to_owned())
            .map_err(|error| error.to_string())
    };
    let paths = [
        "tx/{transactionId}",
        "tx/{transactionId}.json",
        "tx/{loanId}-{transactionId}/status",
        "tx/{transactionId",
        "tx/transactionId}",
        "tx/{transactionid}/{transactionId}",
        "tx/{transactionId}}",
        "tx/{}{transactionId}",
        "tx",
    ];
    let told: Vec<String> = paths.iter().map(|path| format!("{path}: {:?}", shown(path))).collect();
    insta::assert_snapshot!(told.join("\n"));
}

/// Without a runtime nothing happens between calls, so a connection that the provider closed meanwhile goes unnoticed:
/// the next call checks first.
#[test]
fn a_blocking_client_sees_that_a_connection_was_closed_meanwhile() {
    use std::io::{Read, Write};
    for _ in 0..100 {
        let (told, closed) = std::sync::mpsc::channel();
        let told = std::sync::Mutex::new(told);
        let server = Server::start(move |number, stream| {
            let body = if number == 0 { STATEMENT } else { RECEIPT };
            let _ = stream.write_all(&kept_open(body));
            if number == 0 {
                let _ = stream.shutdown(std::net::Shutdown::Both);
                let _ = told.lock().unwrap().send(());
            }
            // Unread bytes would turn the end into a reset.
            while stream.read(&mut [0; 512]).is_ok_and(|read| read > 0) {}
        });
        let client = blocking::Client::new(settings(&server.base_url), Secret::new(TOKEN)).unwrap();
        client.pull("REF-1").unwrap();
        closed.recv().unwrap();
        client.fund(&fund(), right()).unwrap();
        assert_eq!(server.count(), 2);
    }
}
