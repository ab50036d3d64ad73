//! What each of the provider's answers counts as, byte for byte on a socket: money that may have moved must never count
//! as moved or as not moved.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use super::{LiveProvider, Provider};
use crate::base::secret::Secret;
use crate::base::time::Timestamp;
use crate::lender::loan::OrderKind;
use crate::lender::loan_book::{LoanBook, MIGRATIONS};
use crate::lender::runner::call::{Call, TransactionQuery, Transfer};
use crate::lender::runner::decide::Decisions;
use crate::lender::runner::private::Vault;
use crate::lender::store::sqlite;
use crate::provider::client::Client;
use crate::provider::wire::Settings;
use crate::provider::wire::lending::VerifyAccount;
use crate::rules::compile;
use crate::run::decision_pool::{Bounds, Workers};
use crate::run::live_policy::LivePolicy;

struct NoVault;

impl Vault for NoVault {
    fn seal(&self, _: &str, plain: &[u8]) -> Result<Vec<u8>, String> {
        Ok(plain.to_vec())
    }

    fn open(&self, _: &str, sealed: &[u8]) -> Result<Vec<u8>, String> {
        Ok(sealed.to_vec())
    }
}

/// The provider's answer to every request; an empty one is a connection that ends.
fn answering(bytes: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            read_request(&mut stream);
            let _ = stream.write_all(bytes.as_bytes());
        }
    });
    format!("http://{address}")
}

fn read_request(stream: &mut TcpStream) {
    let (mut request, mut piece) = (Vec::new(), [0; 4_096]);
    while let Ok(count @ 1..) = stream.read(&mut piece) {
        request.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return;
        }
    }
}

fn empty_book() -> LoanBook {
    let database = sqlite::open_memory_database(MIGRATIONS, 0).unwrap();
    LoanBook::open(Arc::new(database), "chance", Timestamp::from_milliseconds(0).unwrap()).unwrap()
}

fn provider(base_url: String, refusal_codes: &[&str]) -> LiveProvider {
    let mut settings = Settings { base_url, provider_code: "LENDER".to_owned(), ..Settings::default() };
    settings.verify_account.refusal_codes = refusal_codes.iter().map(|code| (*code).to_owned()).collect();
    settings.money.refused_codes = vec!["51".to_owned()];
    // What may be tried again is, once and soon.
    settings.limits.attempts_max = 2;
    settings.limits.retry_budget_ms = 200;
    let policy = "[policy]\nname = 'p'\nversion = '1'\ncurrency = '566'\ntime_zone = 'Africa/Lagos'\n";
    let policy = compile("p.toml", policy, &mut |_| Err("no other files".into()), &[]).unwrap();
    let workers = Workers::new(Bounds { threads: Some(1.try_into().unwrap()), ..Bounds::default() }).unwrap();
    LiveProvider {
        client: Client::new(settings, Secret::new("a-token")).unwrap(),
        decisions: Decisions::new(Arc::new(LivePolicy::new(policy)), workers),
        vault: Arc::new(NoVault),
        book: empty_book(),
        clock: Arc::new(|| Timestamp::from_milliseconds(1_790_000_000_000).unwrap()),
        keeper: None,
        sources: None,
        channel_terminal_id: "TERM1".to_owned(),
    }
}

/// What comes of a call that is answered so, as the event's word.
fn outcome(call: &Call, answer: &'static str, refusal_codes: &[&str]) -> &'static str {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(provider(answering(answer), refusal_codes).make_call(call)).event.word()
}

fn money(kind: OrderKind) -> Call {
    Call::Move(Transfer {
        kind,
        transaction_id: "LW-1".to_owned(),
        loan_id: "L1".to_owned(),
        customer_id: "C1".to_owned(),
        loan_reference_id: "R1".to_owned(),
        amount_minor: 500_000,
        currency: "566".to_owned(),
    })
}

fn verify() -> Call {
    Call::Verify(VerifyAccount {
        customer_id: "C1".to_owned(),
        account_number: "0123456789".to_owned(),
        bank_code: "044".to_owned(),
    })
}

macro_rules! http {
    ($status:literal, $body:literal) => {
        concat!("HTTP/1.1 ", $status, "\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n", $body)
    };
}

#[test]
fn money_moves_or_not_only_by_a_clear_answer() {
    let cases = [
        (http!("200 OK", r#"{"responseCode":"00","transactionRef":"A|1","transactionId":"LW-1"}"#), "moved"),
        (http!("200 OK", r#"{"responseCode":"51","responseMessage":"no funds"}"#), "not_moved"),
        (http!("422 Unprocessable", r#"{"responseCode":"51","responseMessage":"no funds"}"#), "not_moved"),
        // A code for which the provider guarantees nothing.
        (http!("200 OK", r#"{"responseCode":"61","responseMessage":"no funds"}"#), "unknown"),
        (http!("422 Unprocessable", r#"{"responseCode":"61","responseMessage":"no funds"}"#), "unknown"),
        // Another transaction's answer, half an answer, none, and answers of what lies between.
        (http!("200 OK", r#"{"responseCode":"00","transactionRef":"A|1","transactionId":"LW-2"}"#), "unknown"),
        (http!("200 OK", r#"{"responseCode":"00","tra"#), "unknown"),
        (http!("200 OK", "<html>welcome</html>"), "unknown"),
        (http!("200 OK", ""), "unknown"),
        (http!("202 Accepted", r#"{"responseCode":"09"}"#), "unknown"),
        (http!("500 Internal Server Error", r#"{"responseCode":"51","responseMessage":"no funds"}"#), "unknown"),
        (http!("502 Bad Gateway", "bad gateway"), "unknown"),
        (http!("404 Not Found", "<html>nothing here</html>"), "unknown"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{\"responseCode\":\"51\"}", "unknown"),
        ("", "unknown"),
    ];
    for kind in [OrderKind::Fund, OrderKind::Debit] {
        for (answer, event) in cases {
            assert_eq!(outcome(&money(kind), answer, &[]), event, "{kind}: {answer}");
        }
    }
}

#[test]
fn an_outcome_is_queried_and_never_guessed() {
    let query = TransactionQuery {
        transaction_id: "LW-1".to_owned(),
        loan_id: "L1".to_owned(),
        amount_minor: 10_000,
        currency: "566".to_owned(),
    };
    for (answer, event) in [
        (http!("200 OK", r#"{"responseCode":"00","status":"SUCCESSFUL","transactionRef":"A|1"}"#), "moved"),
        (http!("200 OK", r#"{"responseCode":"00","status":"FAILED"}"#), "reported_failed"),
        (http!("200 OK", r#"{"responseCode":"00","status":"PENDING"}"#), "pending"),
        (http!("200 OK", r#"{"responseCode":"00","status":"NOT_FOUND"}"#), "not_found"),
        (http!("200 OK", r#"{"responseCode":"00","status":"SUCCESSFUL","amount":10000}"#), "moved"),
        // Another amount is about another transaction, whatever its id.
        (http!("200 OK", r#"{"responseCode":"00","status":"SUCCESSFUL","amount":"9999"}"#), "no_answer"),
        (http!("200 OK", r#"{"responseCode":"00","status":"FAILED","amount":"a lot"}"#), "no_answer"),
        (http!("200 OK", r#"{"responseCode":"00","status":"PERHAPS"}"#), "no_answer"),
        (http!("200 OK", r#"{"responseCode":"00"}"#), "no_answer"),
        (http!("404 Not Found", "<html>nothing here</html>"), "no_answer"),
        (http!("500 Internal Server Error", ""), "no_answer"),
        ("", "no_answer"),
    ] {
        assert_eq!(outcome(&Call::Query(query.clone()), answer, &[]), event, "{answer}");
        let about_failed = match event {
            "moved" => "failed_moved",
            "reported_failed" | "not_found" => "still_failed",
            other => other,
        };
        assert_eq!(outcome(&Call::QueryFailed(query.clone()), answer, &[]), about_failed, "{answer}");
    }
}

#[test]
fn an_account_is_refused_by_the_endpoint_and_by_no_gateway() {
    let codes: &[&str] = &["25", "14"];
    for (answer, without_codes, with_codes) in [
        (http!("200 OK", r#"{"responseCode":"00","accountName":"A B"}"#), "account_verified", "account_verified"),
        (http!("200 OK", r#"{"responseCode":"25","responseMessage":"no"}"#), "account_refused", "account_refused"),
        (http!("200 OK", r#"{"responseCode":"91","responseMessage":"no"}"#), "account_refused", "no_answer"),
        (http!("400 Bad Request", r#"{"responseCode":"14","responseMessage":"no"}"#), "no_answer", "account_refused"),
        (
            http!("422 Unprocessable", r#"{"responseCode":"14","responseMessage":"no"}"#),
            "account_refused",
            "account_refused",
        ),
        (http!("404 Not Found", r#"{"responseCode":"25"}"#), "account_refused", "account_refused"),
        (http!("404 Not Found", "<html>nothing here</html>"), "no_answer", "no_answer"),
        (http!("403 Forbidden", "<html>a firewall</html>"), "no_answer", "no_answer"),
        (http!("503 Service Unavailable", r#"{"responseCode":"25"}"#), "no_answer", "no_answer"),
        ("", "no_answer", "no_answer"),
    ] {
        assert_eq!(outcome(&verify(), answer, &[]), without_codes, "{answer}");
        assert_eq!(outcome(&verify(), answer, codes), with_codes, "{answer}");
    }
}
