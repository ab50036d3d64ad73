//! Everything that can go wrong on the way, for a call that reads and for those that move money: the exact class, how
//! often the provider was asked, what may be done next, and that no error or log shows a secret.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::time::Duration;

use lendwright::base::money::{Currency, Money};
use lendwright::client::{Class, Client, MoneyError};
use lendwright::wire::Settings;
use lendwright::wire::lending::{Debit, Fund, PersistedTransactionId, TransactionId};

use super::{BODY, STATEMENT, TOKEN, client, settings};
use crate::fixtures::log::Listening;
use crate::fixtures::scripted_server::{Server, answer, json, nobody, short};
use crate::provider::tls as encrypted;

const CUSTOMER: &str = "canary-customer-19d2";
pub(crate) const RECEIPT: &str =
    r#"{"responseCode":"00","responseMessage":"Successful","transactionRef":"A|B","transactionId":"T-1"}"#;

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Read(Class),
    NotDone(Class),
    Uncertain(Class),
}

use Outcome::{Done, NotDone, Read as Reads, Uncertain};

/// A provider in trouble: its address, its number of requests, and what else must be changed or kept alive.
pub(crate) struct Trouble {
    base_url: String,
    count: Box<dyn Fn() -> usize>,
    change: fn(&mut Settings),
    _kept: Box<dyn std::any::Any>,
}

impl Trouble {
    fn of(server: Server) -> Trouble {
        let base_url = server.base_url.clone();
        Trouble { base_url, count: Box::new(move || server.count()), change: |_| {}, _kept: Box::new(()) }
    }

    pub(crate) fn counted(base_url: String, count: impl Fn() -> usize + 'static) -> Trouble {
        Trouble { base_url, count: Box::new(count), change: |_| {}, _kept: Box::new(()) }
    }

    fn without_requests(base_url: String, kept: impl std::any::Any) -> Trouble {
        Trouble { base_url, count: Box::new(|| 0), change: |_| {}, _kept: Box::new(kept) }
    }

    pub(crate) fn with(mut self, change: fn(&mut Settings)) -> Trouble {
        self.change = change;
        self
    }
}

pub(crate) struct Case {
    name: &'static str,
    trouble: fn(&'static str) -> Trouble,
    /// The result of a read, and how often it is tried.
    read: (Outcome, u32),
    money: Outcome,
    /// How many requests reach the provider: for a read, and for a call that moves money.
    reach: (usize, usize),
}

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

fn fixed(status: &str, headers: &[(&str, &str)], body: &str) -> Trouble {
    Trouble::of(Server::fixed(answer(status, headers, body)))
}

/// Bound, with its queue of unaccepted connections full, so that the next one waits for ever.
fn full() -> Trouble {
    let runtime = tokio::runtime::Handle::current();
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let _entered = runtime.enter();
    let listener = socket.listen(1).unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
        waiting.push(stream);
    }
    let trouble = Trouble::without_requests(format!("http://{address}"), (listener, waiting));
    trouble.with(|settings| settings.limits.connect_timeout_ms = 100)
}

/// A whole answer after which the connection may be reused.
pub(crate) fn kept_open(body: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    format!("{head}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn bomb() -> Trouble {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..60 {
        encoder.write_all(&vec![b' '; 1_000_000]).unwrap();
    }
    let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
    Trouble::of(Server::fixed(answer("200 OK", &headers, encoder.finish().unwrap())))
}

/// The result of a lost call that moves money.
pub(crate) const LOST: Outcome = Uncertain(Class::Uncertain);

pub(crate) fn case(
    name: &'static str,
    trouble: fn(&'static str) -> Trouble,
    read: (Outcome, u32),
    money: Outcome,
    reach: (usize, usize),
) -> Case {
    Case { name, trouble, read, money, reach }
}

fn cases() -> Vec<Case> {
    [unreachable(), silent(), breaking(), refusing(), limiting(), damaged(), encrypted::cases()]
        .into_iter()
        .flatten()
        .collect()
}

/// Nothing reaches the provider.
fn unreachable() -> Vec<Case> {
    vec![
        case(
            "refused",
            |_| {
                let (kept, base_url) = nobody();
                Trouble::without_requests(base_url, kept)
            },
            (Reads(Class::NotSent), 4),
            NotDone(Class::NotSent),
            (0, 0),
        ),
        case(
            "DNS",
            // A label of more than 63 letters is refused before a name server is asked.
            |_| {
                let trouble = Trouble::without_requests(format!("http://{}.example", "a".repeat(64)), ());
                trouble.with(|settings| settings.allow_plain_http = true)
            },
            (Reads(Class::NotSent), 4),
            NotDone(Class::NotSent),
            (0, 0),
        ),
        case(
            "TLS",
            |body| {
                let server = Server::fixed(json(body));
                Trouble::without_requests(server.base_url.replace("http:", "https:"), server)
            },
            (Reads(Class::NotSent), 4),
            NotDone(Class::NotSent),
            (0, 0),
        ),
        case("connect timeout", |_| full(), (Reads(Class::NotSent), 4), NotDone(Class::NotSent), (0, 0)),
    ]
}

/// No whole answer comes.
fn silent() -> Vec<Case> {
    vec![
        case(
            "read timeout",
            |_| {
                let silent = Server::start(|_, stream| {
                    let _ = stream.read(&mut [0]);
                });
                Trouble::of(silent).with(|settings| settings.limits.read_timeout_ms = 80)
            },
            (Reads(Class::Timeout), 4),
            LOST,
            (4, 1),
        ),
        case(
            "no HTTP",
            |_| Trouble::of(Server::fixed(format!("{BODY}\r\n\r\n"))),
            (Reads(Class::Unavailable), 4),
            LOST,
            (4, 1),
        ),
        case(
            "slow drip",
            |_| {
                let drip = Server::start(|_, stream| {
                    let _ = stream.write_all(&short("", 1_000_000));
                    while stream.write_all(b" ").is_ok() {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                });
                Trouble::of(drip).with(|settings| settings.limits.total_timeout_ms = 150)
            },
            (Reads(Class::Timeout), 4),
            LOST,
            (4, 1),
        ),
    ]
}

/// The connection ends before, during or after the answer.
fn breaking() -> Vec<Case> {
    vec![
        case(
            "reset before the answer",
            |_| Trouble::of(Server::resetting()),
            (Reads(Class::Unavailable), 4),
            LOST,
            (4, 1),
        ),
        case(
            "closed during the answer",
            |body| Trouble::of(Server::fixed(short(&body[..40], body.len()))),
            (Reads(Class::Malformed), 2),
            LOST,
            (2, 1),
        ),
        case(
            "reset during the answer",
            |body| {
                let bytes = short(&body[..40], body.len());
                Trouble::of(Server::resetting_after(move |stream| {
                    let _ = stream.write_all(&bytes);
                    // A reset that overtakes them would count as one before the answer.
                    std::thread::sleep(Duration::from_millis(50));
                }))
            },
            (Reads(Class::Malformed), 2),
            LOST,
            (2, 1),
        ),
        case(
            "reset after the answer",
            |body| {
                let (keep, kept) = channel::<()>();
                let kept = std::sync::Mutex::new(kept);
                let bytes = kept_open(body);
                let server = Server::resetting_after(move |stream| {
                    let _ = stream.write_all(&bytes);
                    let _ = kept.lock().unwrap().recv();
                });
                Trouble { _kept: Box::new(keep), ..Trouble::of(server) }
            },
            (Done, 1),
            Done,
            (1, 1),
        ),
    ]
}

/// The provider answers with a status other than success.
fn refusing() -> Vec<Case> {
    vec![
        case(
            "400",
            |_| fixed("400 Bad Request", &JSON, r#"{"responseCode":"25","responseMessage":"no"}"#),
            (Reads(Class::Rejected), 1),
            LOST,
            (1, 1),
        ),
        case("401", |_| fixed("401 Unauthorized", &[], TOKEN), (Reads(Class::Authentication), 1), LOST, (1, 1)),
        case(
            "404",
            |_| fixed("404 Not Found", &[("content-type", "text/html")], BODY),
            (Reads(Class::Rejected), 1),
            LOST,
            (1, 1),
        ),
        case(
            "302",
            |_| fixed("302 Found", &[("location", "/done")], ""),
            (Reads(Class::Configuration), 1),
            LOST,
            (1, 1),
        ),
        case(
            "303",
            |_| fixed("303 See Other", &[("location", "/done")], ""),
            (Reads(Class::Configuration), 1),
            LOST,
            (1, 1),
        ),
        case(
            "403",
            |_| fixed("403 Forbidden", &JSON, r#"{"responseCode":51,"responseMessage":"no"}"#),
            (Reads(Class::Authentication), 1),
            LOST,
            (1, 1),
        ),
        case("500", |_| fixed("500 Oops", &[], BODY), (Reads(Class::Unavailable), 4), LOST, (4, 1)),
        case("503", |_| fixed("503 Busy", &[("retry-after", "0")], BODY), (Reads(Class::Unavailable), 4), LOST, (4, 1)),
        case(
            "redirect to another host",
            |body| {
                let elsewhere = Server::fixed(json(body));
                let location = elsewhere.base_url.replace("127.0.0.1", "localhost");
                let server = Server::fixed(answer("307 Elsewhere", &[("location", &location)], ""));
                let base_url = server.base_url.clone();
                let count = move || {
                    assert_eq!(elsewhere.count(), 0, "a redirect was followed");
                    server.count()
                };
                Trouble { base_url, count: Box::new(count), change: |_| {}, _kept: Box::new(()) }
            },
            (Reads(Class::Configuration), 1),
            LOST,
            (1, 1),
        ),
    ]
}

/// The provider asks for fewer calls.
fn limiting() -> Vec<Case> {
    vec![
        case(
            "429 with Retry-After",
            |_| fixed("429 Slow", &[("retry-after", "0")], ""),
            (Reads(Class::RateLimited), 4),
            LOST,
            (4, 1),
        ),
        case(
            "429 with a Retry-After beyond the bound",
            |_| fixed("429 Slow", &[("retry-after", "900")], ""),
            (Reads(Class::RateLimited), 1),
            LOST,
            (1, 1),
        ),
        case("429 without Retry-After", |_| fixed("429 Slow", &[], ""), (Reads(Class::RateLimited), 4), LOST, (4, 1)),
    ]
}

/// The answer claims success but is invalid.
fn damaged() -> Vec<Case> {
    vec![
        case(
            "truncated",
            |body| Trouble::of(Server::fixed(json(&body[..body.len() / 2]))),
            (Reads(Class::Malformed), 2),
            LOST,
            (2, 1),
        ),
        case(
            "oversized",
            |_| {
                Trouble::of(Server::fixed(json(vec![b' '; 300_000])))
                    .with(|settings| settings.limits.body_bytes_max = 100_000)
            },
            (Reads(Class::TooLarge), 1),
            LOST,
            (1, 1),
        ),
        case("gzip bomb", |_| bomb(), (Reads(Class::TooLarge), 1), LOST, (1, 1)),
        case(
            "HTML",
            |_| fixed("200 OK", &[("content-type", "text/html")], "<html>canary-body-77c1</html>"),
            (Reads(Class::Malformed), 2),
            LOST,
            (2, 1),
        ),
        case(
            "wrong content type",
            |body| fixed("200 OK", &[("content-type", "application/pdf")], body),
            (Reads(Class::Malformed), 2),
            LOST,
            (2, 1),
        ),
        case("nothing", |_| Trouble::of(Server::fixed(json(""))), (Reads(Class::Malformed), 2), LOST, (2, 1)),
    ]
}

fn client_for(trouble: &Trouble) -> Client {
    let mut settings = settings(&trouble.base_url);
    (trouble.change)(&mut settings);
    client(settings)
}

pub(crate) fn right() -> PersistedTransactionId {
    TransactionId::new("T-1").unwrap().persist(|_| Ok::<(), ()>(())).unwrap()
}

fn naira() -> Currency {
    Currency::from_numeric("566").unwrap()
}

pub(crate) fn fund() -> Fund {
    Fund {
        loan_id: "L-1".to_owned(),
        customer_id: CUSTOMER.to_owned(),
        amount: Money::from_minor(5_000_000),
        currency: naira(),
        channel_terminal_id: "3ABC".to_owned(),
        loan_reference_id: "REF-L-1".to_owned(),
    }
}

fn debit() -> Debit {
    let amount = Money::from_minor(5_200_000);
    Debit { loan_id: "L-1".to_owned(), customer_id: CUSTOMER.to_owned(), amount, currency: naira() }
}

fn assert_no_canary(name: &str, text: &str) {
    for canary in [TOKEN, BODY, CUSTOMER] {
        assert!(!text.contains(canary), "{name}: `{canary}` shows in {text}");
    }
}

/// Captures everything logged meanwhile, and asserts that it has no secrets.
async fn silently<T>(name: &str, call: impl Future<Output = T>) -> T {
    let listening = Listening::begin();
    let result = call.await;
    let text = listening.end();
    assert!(
        text.contains("lendwright::provider::client"),
        "{name}: nothing was logged, so that nothing is shown by this: {text}"
    );
    assert_no_canary(name, &text);
    result
}

#[tokio::test]
async fn reads() {
    for case in cases() {
        let name = case.name;
        let trouble = (case.trouble)(STATEMENT);
        let pulled = silently(name, client_for(&trouble).pull("REF-1")).await;
        let outcome = match &pulled {
            Ok(_) => (Done, 1),
            Err(error) => {
                assert_no_canary(name, &format!("{error} {error:?}"));
                assert!(!error.is_outcome_unknown(), "{name}: a read has no outcome");
                (Reads(error.class()), error.attempts())
            }
        };
        assert_eq!(outcome, case.read, "{name}: {pulled:?}");
        assert_eq!((trouble.count)(), case.reach.0, "{name}: requests");
    }
}

#[tokio::test]
async fn calls_that_move_money() {
    for case in cases() {
        for is_fund in [true, false] {
            let name = case.name;
            let trouble = (case.trouble)(RECEIPT);
            let client = client_for(&trouble);
            let sent = match is_fund {
                true => silently(name, client.fund(&fund(), right())).await,
                false => silently(name, client.debit(&debit(), right())).await,
            };
            let outcome = match &sent {
                Ok(_) => Done,
                Err(error) => {
                    assert_no_canary(name, &format!("{error} {error:?}"));
                    assert_eq!(error.transaction_id(), "T-1", "{name}");
                    assert_eq!(error.error().attempts(), 1, "{name}");
                    let class = error.error().class();
                    match error {
                        MoneyError::NotDone { .. } => NotDone(class),
                        MoneyError::Refused { .. } => panic!("{name}: no code guarantees it"),
                        MoneyError::Uncertain { error, .. } => {
                            assert!(error.is_outcome_unknown() && !error.is_safe_to_retry(), "{name}");
                            assert!(error.to_string().contains("requery"), "{name}: {error}");
                            Uncertain(class)
                        }
                    }
                }
            };
            assert_eq!(outcome, case.money, "{name}: {sent:?}");
            assert_eq!((trouble.count)(), case.reach.1, "{name}: requests");
        }
    }
}

/// A connection kept for the next call has died meanwhile, cleanly or by a reset. The next call succeeds or is
/// uncertain, and is never carried out twice.
#[tokio::test]
async fn a_kept_connection_that_died_carries_no_money_twice() {
    for round in 0..20 {
        let answer = move |stream: &mut TcpStream| {
            // Returning ends the connection while the client prepares its next call.
            let _ = stream.write_all(&kept_open(RECEIPT));
        };
        let server = match round % 2 == 0 {
            true => Server::start(move |_, stream| answer(stream)),
            false => Server::resetting_after(move |stream| {
                answer(stream);
                std::thread::sleep(Duration::from_millis(20));
            }),
        };
        let client = client(settings(&server.base_url));
        client.fund(&fund(), right()).await.unwrap();
        if round % 4 < 2 {
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
        match client.fund(&fund(), right()).await {
            Ok(_) | Err(MoneyError::Uncertain { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
        assert!(server.count() <= 2, "sent again");
    }
}
