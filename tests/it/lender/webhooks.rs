//! The receiver of webhooks on a real socket: what it stores, what it asks, and what it never believes.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lendwright::base::money::{Currency, Money};
use lendwright::base::secret::Secret;
use lendwright::client::bill::{Client, NotPaid, StoredBill};
use lendwright::webhooks::{Bills, BillsError, Checked, Inbox, InboxError, Receiver, Standing};
use lendwright::wire::Settings;

use crate::fixtures::scripted_server::{Server, answer, json};

const PAID: &str = r#"{"responseCode":"00","amount":250000,"transactionReference":"B-1"}"#;

fn bill(reference: &str) -> Result<Option<StoredBill>, BillsError> {
    Ok((reference == "B-1").then(|| StoredBill {
        merchant_code: "M".to_owned(),
        reference: reference.to_owned(),
        transaction_reference: None,
        amount: Money::from_minor(250_000),
        currency: Currency::from_numeric("566").unwrap(),
    }))
}

/// What the receiver reported, in words.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    async fn wait_for(&self, count: usize) -> Vec<String> {
        loop {
            let told = self.0.lock().unwrap().clone();
            if told.len() >= count {
                return told;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

fn receiver(inbox: &Path, bytes_max: u64, provider: &Server, told: &Told) -> Receiver {
    receiver_of(bill, inbox, bytes_max, provider, told)
}

fn receiver_of(bills: impl Bills + 'static, inbox: &Path, bytes_max: u64, provider: &Server, told: &Told) -> Receiver {
    let mut settings = Settings::default();
    settings.bill.base_url.clone_from(&provider.base_url);
    settings.bill.webhook.reference_field = "data.reference".to_owned();
    settings.limits.attempts_max = 1;
    let client = Client::new(settings, Secret::new("token")).unwrap();
    let told = told.clone();
    Receiver::new(Inbox::open(inbox, bytes_max).unwrap(), client, bills, move |checked| {
        let words = match checked {
            Checked::Paid(paid) => format!("paid {}", paid.bill().reference),
            Checked::NotPaid { why: NotPaid::Pending { .. }, .. } => "pending".to_owned(),
            Checked::NotPaid { why, .. } => format!("not paid: {why}"),
            Checked::NoBill => "no bill".to_owned(),
        };
        told.0.lock().unwrap().push(words);
        std::future::ready(())
    })
}

async fn serve(receiver: &Receiver) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = receiver.router();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}/")
}

async fn post(url: &str, body: impl Into<Vec<u8>>) -> u16 {
    let (address, body) = (url.trim_start_matches("http://").trim_end_matches('/').to_owned(), body.into());
    let sent = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // A body refused for its length may not be read to its end.
        let _ = stream.write_all(&body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).split(' ').nth(1).map(str::to_owned)
    });
    sent.await.unwrap().unwrap().parse().unwrap()
}

/// The files of the inbox by their ending.
fn files(folder: &Path) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let ending = entry.unwrap().path().extension().unwrap().to_str().unwrap().to_owned();
        *found.entry(ending).or_default() += 1;
    }
    found
}

fn counts(pairs: &[(&str, usize)]) -> BTreeMap<String, usize> {
    pairs.iter().map(|(ending, count)| ((*ending).to_owned(), *count)).collect()
}

const EVENT: &str = r#"{"event":"paid","data":{"reference":"B-1","amount":1,"status":"SUCCESS"}}"#;

#[tokio::test]
async fn an_event_is_stored_and_the_provider_asked() {
    let (folder, told) = (tempfile::tempdir().unwrap(), Told::default());
    let provider = Server::fixed(json(PAID));
    let url = serve(&receiver(folder.path(), 1_000_000, &provider, &told)).await;
    assert_eq!(post(&url, EVENT).await, 200);
    assert_eq!(told.wait_for(1).await, ["paid B-1"]);
    let head = provider.heads().remove(0);
    assert!(
        head.starts_with(
            "GET /collections/api/v1/gettransaction.json?merchantcode=M&transactionreference=B-1&amount=250000 "
        ),
        "{head}"
    );
    while files(folder.path()) != counts(&[("done", 1)]) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    // The same event again is neither stored nor checked again.
    assert_eq!(post(&url, EVENT).await, 200);
    assert_eq!((files(folder.path()), provider.count()), (counts(&[("done", 1)]), 1));
}

#[tokio::test]
async fn an_event_alone_is_no_payment() {
    let refused = r#"{"responseCode":"Z6","amount":250000}"#;
    let other = r#"{"responseCode":"00","amount":100}"#;
    for (answer, expected) in [
        (refused, "not paid: the bill has not been paid (code `Z6`)"),
        (
            other,
            "not paid: the provider's answer does not match this bill: \
             the answer has another amount than the bill",
        ),
    ] {
        let (folder, told) = (tempfile::tempdir().unwrap(), Told::default());
        let provider = Server::fixed(json(answer));
        let url = serve(&receiver(folder.path(), 1_000_000, &provider, &told)).await;
        assert_eq!(post(&url, EVENT).await, 200);
        assert_eq!(told.wait_for(1).await, [expected]);
    }
}

#[tokio::test]
async fn what_names_no_bill_is_kept_for_someone_to_look_at() {
    let (folder, told) = (tempfile::tempdir().unwrap(), Told::default());
    let provider = Server::fixed(json(PAID));
    let url = serve(&receiver(folder.path(), 1_000_000, &provider, &told)).await;
    let events =
        ["no json", "[]", "{}", r#"{"data":{"reference":"B-2"}}"#, r#"{"data":{"reference":["B-1"]}}"#, "\u{0}"];
    for event in events {
        assert_eq!(post(&url, event).await, 200, "{event}");
    }
    assert_eq!(told.wait_for(events.len()).await, vec!["no bill"; events.len()]);
    assert_eq!(provider.count(), 0);
    while files(folder.path()) != counts(&[("unknown", events.len())]) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(post(&url, "").await, 400);
    assert_eq!(post(&url, vec![b'x'; 70_000]).await, 413);
}

#[tokio::test]
async fn what_was_stored_and_not_looked_at_is_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let inbox = Inbox::open(folder.path(), 1_000_000).unwrap();
    inbox.store(EVENT.as_bytes()).unwrap();
    // A process was killed here. Its successor finds the provider busy first, then available.
    let busy = Server::fixed(answer("503 Busy", &[], ""));
    let told = Told::default();
    assert_eq!(receiver(folder.path(), 1_000_000, &busy, &told).resume().await.unwrap(), 1);
    assert!(told.wait_for(1).await[0].contains("HTTP 503"));
    assert_eq!(files(folder.path()), counts(&[("event", 1)]), "what may change stays");
    let well = Server::fixed(json(PAID));
    let next = receiver(folder.path(), 1_000_000, &well, &told);
    assert_eq!(next.resume().await.unwrap(), 1);
    assert_eq!(told.wait_for(2).await[1], "paid B-1");
    assert_eq!(files(folder.path()), counts(&[("done", 1)]));
    assert_eq!(next.resume().await.unwrap(), 0);
}

#[tokio::test]
async fn a_bill_that_cannot_be_looked_up_is_not_taken_for_none() {
    let (folder, told) = (tempfile::tempdir().unwrap(), Told::default());
    let provider = Server::fixed(json(PAID));
    // The database is down, then its driver panics, then the bill is not there yet, then down again, then fine.
    let lookups = Arc::new(AtomicUsize::new(0));
    let counted = lookups.clone();
    let bills = move |reference: &str| match counted.fetch_add(1, Ordering::SeqCst) {
        0 | 3 => Err("the database is down".into()),
        1 => panic!("the database's driver is broken"),
        2 => Ok(None),
        _ => bill(reference),
    };
    let receiver = receiver_of(bills, folder.path(), 1_000_000, &provider, &told);
    let url = serve(&receiver).await;
    let stands = async |count: usize, ending: &str| {
        while lookups.load(Ordering::SeqCst) < count || files(folder.path()) != counts(&[(ending, 1)]) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    assert_eq!(post(&url, EVENT).await, 200);
    stands(1, "event").await;
    // The check before may still be running, and then checks once more itself.
    assert_eq!(receiver.resume().await.unwrap(), 1);
    stands(2, "event").await;
    assert!(told.0.lock().unwrap().is_empty(), "nothing is known of it");
    // It comes again and again: waiting events and those that named no bill are checked again.
    assert_eq!(post(&url, EVENT).await, 200);
    stands(3, "unknown").await;
    assert_eq!(told.wait_for(1).await, ["no bill"]);
    assert_eq!(post(&url, EVENT).await, 200);
    stands(4, "event").await;
    assert_eq!(provider.count(), 0);
    assert_eq!(receiver.resume().await.unwrap(), 1);
    assert_eq!(told.wait_for(2).await[1], "paid B-1");
    stands(5, "done").await;
    assert_eq!((provider.count(), lookups.load(Ordering::SeqCst)), (1, 5));
}

#[tokio::test]
async fn one_event_waits_for_a_bill_however_many_name_it() {
    let (folder, told) = (tempfile::tempdir().unwrap(), Told::default());
    let paid = Arc::new(AtomicBool::new(false));
    let says = paid.clone();
    let provider = Server::start(move |_, stream| {
        let pending = json(r#"{"responseCode":"01","amount":250000}"#);
        let _ = stream.write_all(if says.load(Ordering::SeqCst) { json(PAID) } else { pending }.as_slice());
    });
    let receiver = receiver(folder.path(), 1_000_000, &provider, &told);
    let url = serve(&receiver).await;
    let stand = async |pairs: &[(&str, usize)]| {
        while files(folder.path()) != counts(pairs) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    for number in 0..5 {
        assert_eq!(post(&url, format!(r#"{{"data":{{"reference":"B-1"}},"x":{number}}}"#)).await, 200);
        told.wait_for(number + 1).await;
    }
    stand(&[("event", 1), ("aside", 4)]).await;
    // Postponed events make room, and one of them that comes again is checked again.
    assert_eq!(receiver.resume().await.unwrap(), 1);
    paid.store(true, Ordering::SeqCst);
    assert_eq!(post(&url, r#"{"data":{"reference":"B-1"},"x":3}"#).await, 200);
    assert_eq!(told.wait_for(7).await[6], "paid B-1");
    stand(&[("event", 1), ("aside", 3), ("done", 1)]).await;
    assert_eq!(receiver.resume().await.unwrap(), 1);
    stand(&[("aside", 3), ("done", 2)]).await;
}

/// A first event must not be recorded last: it would wait for nothing, and block all others.
#[tokio::test]
async fn an_event_that_comes_again_while_it_is_looked_at_is_looked_at_once_more() {
    let (folder, told) = (tempfile::tempdir().unwrap(), Told::default());
    let provider = Server::fixed(json(r#"{"responseCode":"01","amount":250000}"#));
    let (is_known, goes_on) = (Arc::new(AtomicBool::new(false)), Arc::new(tokio::sync::Semaphore::new(0)));
    let (known, heard, gate) = (is_known.clone(), told.clone(), goes_on.clone());
    let mut settings = Settings::default();
    settings.bill.base_url.clone_from(&provider.base_url);
    settings.bill.webhook.reference_field = "data.reference".to_owned();
    let client = Client::new(settings, Secret::new("token")).unwrap();
    let find = move |reference: &str| if known.load(Ordering::SeqCst) { bill(reference) } else { Ok(None) };
    let receiver = Receiver::new(Inbox::open(folder.path(), 1_000_000).unwrap(), client, find, move |checked| {
        let (heard, gate) = (heard.clone(), gate.clone());
        async move {
            let is_unknown = matches!(checked, Checked::NoBill);
            heard.0.lock().unwrap().push(if is_unknown { "no bill" } else { "pending" }.to_owned());
            if is_unknown {
                gate.acquire().await.unwrap().forget();
            }
        }
    });
    let url = serve(&receiver).await;
    assert_eq!(post(&url, EVENT).await, 200);
    told.wait_for(1).await;
    is_known.store(true, Ordering::SeqCst);
    assert_eq!(post(&url, EVENT).await, 200);
    // Long enough for a second check beside the first.
    tokio::time::sleep(Duration::from_millis(100)).await;
    goes_on.add_permits(1);
    assert_eq!(told.wait_for(2).await, ["no bill", "pending"]);
    assert_eq!(files(folder.path()), counts(&[("event", 1)]));
    while receiver.resume().await.unwrap() == 0 || told.wait_for(2).await.len() < 3 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(files(folder.path()), counts(&[("event", 1)]));
}

#[tokio::test]
async fn who_sends_a_little_and_waits_keeps_nobody_out() {
    use tokio::io::AsyncWriteExt;
    let (folder, told) = (tempfile::tempdir().unwrap(), Told::default());
    let provider = Server::fixed(json(PAID));
    let url = serve(&receiver(folder.path(), 1_000_000, &provider, &told)).await;
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut idle = Vec::new();
    for _ in 0..300 {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{").await.unwrap();
        idle.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(post(&url, EVENT).await, 200);
    assert_eq!(told.wait_for(1).await, ["paid B-1"]);
    drop(idle);
}

#[test]
fn an_event_that_was_removed_is_not_noted() {
    let folder = tempfile::tempdir().unwrap();
    let inbox = Inbox::open(folder.path(), 10_000).unwrap();
    let (name, _) = inbox.store(b"event").unwrap();
    inbox.note(&name, Standing::Waiting).unwrap();
    std::fs::remove_file(folder.path().join(format!("{name}.event"))).unwrap();
    assert!(matches!(inbox.note(&name, Standing::Done), Err(InboxError::Disk { .. })));
}

/// An event that is being checked again may be the only one of its bill: until that is over it waits, and survives this
/// process.
#[test]
fn what_comes_again_waits_until_it_was_looked_at_again() {
    let folder = tempfile::tempdir().unwrap();
    let inbox = Inbox::open(folder.path(), 400_000).unwrap();
    for before in [Standing::Unknown, Standing::Aside] {
        let (name, _) = inbox.store(format!("{before:?}").as_bytes()).unwrap();
        inbox.note(&name, before).unwrap();
        assert!(inbox.waiting().unwrap().is_empty());
        assert_eq!(inbox.store(format!("{before:?}").as_bytes()).unwrap(), (name.clone(), before));
        assert_eq!(inbox.waiting().unwrap().len(), 1, "{before:?}");
        inbox.note(&name, Standing::Done).unwrap();
        assert_eq!(inbox.store(format!("{before:?}").as_bytes()).unwrap(), (name, Standing::Done));
        assert!(inbox.waiting().unwrap().is_empty());
    }
}

#[test]
fn what_another_check_renames_meanwhile_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".lendwright-x.part"), "killed while it was written").unwrap();
    let inbox = Inbox::open(folder.path(), 400_000).unwrap();
    assert_eq!(files(folder.path()), counts(&[]));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..300_u32 {
                let (name, _) = inbox.store(&number.to_le_bytes()).unwrap();
                inbox.note(&name, Standing::Done).unwrap();
            }
            is_over.store(true, Ordering::SeqCst);
        });
        while !is_over.load(Ordering::SeqCst) {
            inbox.waiting().unwrap();
        }
    });
}

#[test]
fn an_inbox_without_room_for_one_event_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = Inbox::open(folder.path(), 3_999).unwrap_err();
    assert!(matches!(error, InboxError::TooSmall { .. }));
    assert_eq!(
        error.to_string().replace(&folder.path().display().to_string(), "inbox"),
        "the inbox `inbox` may take 3999 bytes; it needs at least 4000 for a single event"
    );
    Inbox::open(folder.path(), 4_000).unwrap().store(b"event").unwrap();
}

#[test]
fn what_was_looked_at_gives_way_and_what_waits_does_not() {
    let folder = tempfile::tempdir().unwrap();
    // A small event counts as one disk block.
    let inbox = Inbox::open(folder.path(), 10_000).unwrap();
    let event = |number: u8| [number; 40];
    let (first, _) = inbox.store(&event(1)).unwrap();
    assert_eq!(inbox.store(&event(1)).unwrap(), (first.clone(), Standing::Waiting));
    inbox.store(&event(2)).unwrap();
    assert!(matches!(inbox.store(&event(3)), Err(InboxError::Full(_))), "both wait");
    // Anybody may send events without a bill: they must not keep out those with one.
    inbox.note(&first, Standing::Unknown).unwrap();
    assert_eq!(inbox.store(&event(3)).unwrap().1, Standing::Waiting);
    assert_eq!(files(folder.path()), counts(&[("event", 2)]));
    // Stored events count after a restart too.
    let again = Inbox::open(folder.path(), 10_000).unwrap();
    assert!(again.store(&event(4)).is_err());
    assert_eq!(again.waiting().unwrap().len(), 2);
    again.note(&again.store(&event(2)).unwrap().0, Standing::Done).unwrap();
    assert_eq!(again.store(&event(2)).unwrap().1, Standing::Done, "known, and over");
}
