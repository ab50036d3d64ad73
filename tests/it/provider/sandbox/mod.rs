//! The sandbox as an integrator meets it: over its socket, through the client and by hand.

mod bills;
mod callbacks;
mod faults;
mod guide;
mod headers;
mod iqr;
mod lending;
mod money;
mod openapi;
mod pages;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use lendwright::base::secret::Secret;
use lendwright::client::{Class, Client};
use lendwright::sandbox::{
    Config, Error, Fault, Lender, Notifications, Person, REFERENCE_HEADER, Sandbox, Story, people,
};
use lendwright::wire::{GetOffers, Layout, Limits, Offer, Segment, SendOffers, Settings};
use serde_json::Value;

/// Five records that name their customer.
fn statement(person: &Person) -> Vec<u8> {
    let record = |number: u64| format!(r#"{{"id":"{}-{number}","credit":{number}.50}}"#, person.customer_id);
    let records: Vec<String> = (1..=5).map(record).collect();
    format!(r#"{{"_id":"x","status":"success","message":"ok","data":{{"transactions":[{}]}}}}"#, records.join(", "))
        .into_bytes()
}

pub(crate) fn config() -> Config {
    Config { clock: Arc::new(crate::fixtures::sandbox::now), ..Config::new(7, Arc::new(statement)) }
}

async fn sandbox(change: impl FnOnce(&mut Config)) -> (Sandbox, Client) {
    let mut config = config();
    change(&mut config);
    let mut settings = config.settings.clone();
    let sandbox = Sandbox::start(config).await.unwrap();
    settings.base_url = sandbox.base_url();
    settings.limits = Limits { retry_wait_ms: 1, retry_wait_ms_max: 2, ..Limits::default() };
    let client = Client::new(settings, sandbox.token().clone()).unwrap();
    (sandbox, client)
}

fn ask(person: &Person) -> GetOffers {
    GetOffers {
        customer_id: person.customer_id.clone(),
        channel_code: "WEB".to_owned(),
        amount: 5_000_000,
        service_type: "LOAN".to_owned(),
        date_of_birth: person.date_of_birth.clone(),
    }
}

/// Asks for offers as the sandbox's first person does; returns the reference of the request.
async fn reference(sandbox: &Sandbox, client: &Client) -> String {
    client.offers(&ask(&sandbox.people()[0])).await.unwrap();
    sandbox.requests().last().unwrap().reference.clone()
}

fn offer(id: &str) -> Offer {
    Offer {
        offer_id: id.to_owned(),
        amount_offered: 5_000_000,
        interest: 3.0,
        amount_payable: 5_200_000,
        fee: 50_000,
        tenure: 30,
        terms: "Single repayment".to_owned(),
        expiry_date: "2026-07-07T00:00:00Z".to_owned(),
        currency: "566".to_owned(),
        is_part_payment_allowed: true,
    }
}

async fn page(sandbox: &Sandbox, path: &str) -> Value {
    let text = reqwest::get(format!("{}{path}", sandbox.base_url())).await;
    serde_json::from_str(&text.unwrap().text().await.unwrap()).unwrap()
}

// An independent client, so that the sandbox is not only tested with ours.
mod reqwest {
    pub use ::reqwest::{Response, StatusCode};

    fn client() -> ::reqwest::Client {
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        ::reqwest::Client::builder().no_proxy().tls_backend_preconfigured(tls).build().unwrap()
    }

    pub async fn get(url: String) -> Result<Response, ::reqwest::Error> {
        client().get(url).send().await
    }

    pub async fn call(method: &str, url: String, token: &str) -> Response {
        let method = ::reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        client().request(method, url).header("authorization", token).send().await.unwrap()
    }
}

#[tokio::test]
async fn an_offer_request_runs_from_asking_to_the_customers_offers() {
    let (sandbox, client) = sandbox(|_| {}).await;
    let person = sandbox.people()[2].clone();
    let first = client.offers(&ask(&person)).await.unwrap();
    assert_eq!((first.response_code.as_str(), first.offers.len()), ("00", 0));

    let reference = sandbox.requests()[0].reference.clone();
    let pulled = client.pull(&reference).await.unwrap();
    assert_eq!(pulled.into_statement().unwrap(), statement(&person));

    let answer = SendOffers::new(&reference, vec![offer("a"), offer("b")]);
    assert_eq!(client.send(&answer).await.unwrap().response_code, "00");
    let received = sandbox.received();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].answer.offers, answer.offers);
    assert_eq!((received[0].answer.code.as_str(), received[0].answer.segment.as_str()), ("00", reference.as_str()));
    assert_eq!(received[0].query, client.prepare(&answer).unwrap().query());

    let again = client.offers(&ask(&person)).await.unwrap();
    let ids: Vec<&str> = again.offers.iter().map(|offer| offer.offer_id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(sandbox.requests().len(), 1, "asking is a read");
    sandbox.shutdown().await;
}

#[tokio::test]
async fn a_decline_reaches_the_customer() {
    let (sandbox, client) = sandbox(|_| {}).await;
    let reference = reference(&sandbox, &client).await;
    client.send(&SendOffers::decline(&reference)).await.unwrap();
    assert_eq!(sandbox.received()[0].answer.code, "01");
    let again = client.offers(&ask(&sandbox.people()[0])).await.unwrap();
    assert_eq!((again.response_message.as_str(), again.offers.len()), ("No offer", 0));
}

#[tokio::test]
async fn its_own_pages_show_people_requests_and_answers() {
    let (sandbox, client) = sandbox(|_| {}).await;
    let reference = reference(&sandbox, &client).await;
    client.send(&SendOffers::new(&reference, vec![offer("a")])).await.unwrap();
    let people = page(&sandbox, "/sandbox/people").await;
    assert_eq!(people.as_array().unwrap().len(), Story::ALL.len());
    assert_eq!(people[0]["story"], "steady_salary");
    let requests = page(&sandbox, "/sandbox/requests").await;
    assert_eq!((&requests[0]["reference"], &requests[0]["answered"]), (&Value::from(reference), &Value::from(true)));
    let received = page(&sandbox, "/sandbox/received").await;
    assert_eq!((&received[0]["number"], &received[0]["offers"][0]["offerId"]), (&Value::from(1), &Value::from("a")));
}

#[tokio::test]
async fn the_reference_is_named_in_a_header() {
    let (sandbox, client) = sandbox(|_| {}).await;
    let prepared = client.prepare(&ask(&sandbox.people()[0])).unwrap();
    let url = format!("{}{}?{}", sandbox.base_url(), prepared.path(), prepared.query());
    let reply = reqwest::call("GET", url, &format!("Bearer {}", sandbox.token().expose())).await;
    let header = reply.headers()[REFERENCE_HEADER].to_str().unwrap().to_owned();
    assert_eq!(header, sandbox.requests()[0].reference);
}

#[test]
fn a_seed_makes_its_people_again_and_each_has_a_story() {
    assert_eq!(people(7), people(7));
    assert_ne!(people(7), people(8));
    for seed in 0..200 {
        let people = people(seed);
        let ids: HashSet<&str> = people.iter().map(|person| person.customer_id.as_str()).collect();
        let stories: HashSet<Story> = people.iter().map(|person| person.story).collect();
        assert!(ids.len() == people.len() && stories.len() >= 6, "seed {seed}");
        assert!(
            people
                .iter()
                .all(|person| { chrono::NaiveDate::parse_from_str(&person.date_of_birth, "%Y-%m-%d").is_ok() })
        );
    }
}

#[tokio::test]
async fn references_are_the_same_for_the_same_seed() {
    let (first, client) = sandbox(|_| {}).await;
    let one = reference(&first, &client).await;
    let (second, client) = sandbox(|_| {}).await;
    assert_eq!(reference(&second, &client).await, one);
    let (third, client) = sandbox(|config| config.seed = 8).await;
    assert_ne!(reference(&third, &client).await, one);
}

#[tokio::test]
async fn without_the_token_nothing_of_the_interface_answers() {
    let (sandbox, client) = sandbox(|_| {}).await;
    let reference = reference(&sandbox, &client).await;
    let base = sandbox.base_url();
    let calls = [
        ("GET", format!("{base}/lending-service/api/v3/offers")),
        ("GET", format!("{base}/lending-service-data-service/api/v1/customer-details/transactions/{reference}")),
        ("POST", format!("{base}/lending-service/api/v1/offers/{reference}/send-offers")),
    ];
    for (method, url) in calls {
        for token in ["", "Bearer", "Bearer ", "Bearer wrong", "bearer sandbox-token-7", "sandbox-token-7"] {
            let reply = reqwest::call(method, url.clone(), token).await;
            assert_eq!(reply.status(), reqwest::StatusCode::UNAUTHORIZED, "{method} {token}");
            assert!(reply.text().await.unwrap().contains(r#""responseCode":"S401""#));
        }
    }
    let mut settings = client.settings().clone();
    settings.limits.attempts_max = 1;
    let stranger = Client::new(settings, Secret::new("wrong")).unwrap();
    assert_eq!(stranger.pull(&reference).await.unwrap_err().class(), Class::Authentication);
}

#[tokio::test]
async fn wrong_questions_are_refused() {
    let (sandbox, client) = sandbox(|_| {}).await;
    let person = &sandbox.people()[0];
    let strangers = [
        GetOffers { customer_id: "nobody".to_owned(), ..ask(person) },
        GetOffers { date_of_birth: "1900-01-01".to_owned(), ..ask(person) },
    ];
    for stranger in strangers {
        let error = client.offers(&stranger).await.unwrap_err();
        assert_eq!((error.class(), error.status()), (Class::Rejected, Some(404)));
    }
    let error = client.offers(&GetOffers { channel_code: String::new(), ..ask(person) }).await.unwrap_err();
    assert_eq!(error.rejection(), Some(("S400", "`channelCode` is empty")));
    let error = client.pull("OR-unknown").await.unwrap_err();
    assert_eq!(error.rejection(), Some(("failed", "no offer request with this reference")));
    let error = client.send(&SendOffers::decline("OR-unknown")).await.unwrap_err();
    assert_eq!((error.class(), error.status()), (Class::Rejected, Some(404)));
    assert!(sandbox.received().is_empty());
}

#[tokio::test]
async fn every_parameter_of_an_answer_is_checked() {
    let (sandbox, client) = sandbox(|_| {}).await;
    let reference = reference(&sandbox, &client).await;
    let good = client.prepare(&SendOffers::new(&reference, vec![offer("a"), offer("b")])).unwrap();
    let cases = [
        ("code=00&", "", "`code` is missing"),
        ("code=00&", "code=&", "`code` is missing"),
        ("code=00&", "code=00&code=00&", "`code` is given twice"),
        ("message=Successful&", "", "`message` is missing"),
        ("providerCode=SANDBOX", "providerCode=OTHER", "`providerCode` is not the lender's"),
        ("offers=2", "offers=3", "`offers` is not the number of offers that follow"),
        ("offers=2", "offers=two", "`offers` is not a number"),
        ("offers=2&", "", "`offers` must come before the first offer's parameters"),
        ("interest=3", "rate=3", "unknown parameter `rate`"),
        ("interest=3", "interest=NaN", "offer `a`: `interest` is not a number from zero up"),
        ("interest=3", "interest=high", "`interest` is not of its type"),
        ("amountOffered=5000000", "amountOffered=5000000.5", "`amountOffered` is not of its type"),
        ("amountOffered=5000000", "amountOffered=0", "offer `a`: `amountOffered` is not above zero"),
        ("tenure=30", "tenure=-1", "`tenure` is not of its type"),
        ("isPartPaymentAllowed=true", "isPartPaymentAllowed=yes", "`isPartPaymentAllowed` is not of its type"),
        ("currency=566", "currency=NGN", "offer `a`: `currency` is not an ISO 4217 numeric code"),
        ("offerId=b", "offerId=a", "offer `a` is given twice"),
        ("2026-07-07T00%3A00%3A00Z", "tomorrow", "offer `a`: `expiryDate` is not an ISO 8601 timestamp in UTC"),
    ];
    let token = format!("Bearer {}", sandbox.token().expose());
    for (from, to, expected) in cases {
        assert!(good.query().contains(from), "{from}");
        let url = format!("{}{}?{}", sandbox.base_url(), good.path(), good.query().replacen(from, to, 1));
        let reply = reqwest::call("POST", url, &token).await;
        assert_eq!(reply.status(), reqwest::StatusCode::BAD_REQUEST, "{to}");
        let body: Value = serde_json::from_str(&reply.text().await.unwrap()).unwrap();
        assert_eq!((&body["responseCode"], &body["responseMessage"]), (&Value::from("S400"), &Value::from(expected)));
    }
    assert!(sandbox.received().is_empty());
}

#[tokio::test]
async fn it_speaks_every_layout_and_segment() {
    let layouts = [Layout::Repeated, Layout::Indexed, Layout::Json, Layout::OneCallEach];
    let segments =
        [Segment::OfferRequestReference, Segment::OfferId, Segment::ProviderCode, Segment::Fixed("x".to_owned())];
    for layout in layouts {
        for segment in &segments {
            let (sandbox, client) = sandbox(|config| {
                config.settings.send_offers.layout = layout;
                config.settings.send_offers.segment = segment.clone();
            })
            .await;
            let reference = reference(&sandbox, &client).await;
            client.send(&SendOffers::new(&reference, vec![offer("a"), offer("b")])).await.unwrap();
            let offers: Vec<Offer> =
                sandbox.received().into_iter().flat_map(|received| received.answer.offers).collect();
            assert_eq!(offers, [offer("a"), offer("b")], "{layout:?} {segment:?}");
        }
    }
}

#[tokio::test]
async fn statements_come_in_pages_on_request() {
    let (sandbox, client) = sandbox(|config| config.page_records = Some(2)).await;
    let reference = reference(&sandbox, &client).await;
    let pulled = client.pull(&reference).await.unwrap();
    assert_eq!((pulled.pages().len(), pulled.records()), (3, 5));
    let merged: Value = serde_json::from_slice(&pulled.into_statement().unwrap()).unwrap();
    let whole: Value = serde_json::from_slice(&statement(&sandbox.people()[0])).unwrap();
    assert_eq!(merged["data"]["transactions"], whole["data"]["transactions"]);
}

#[tokio::test]
async fn it_serves_this_machine_alone() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let config = Config { listen: address.parse().unwrap(), ..config() };
        assert!(matches!(Sandbox::start(config).await, Err(Error::NotLoopback(_))), "{address}");
    }
}

#[tokio::test]
async fn it_calls_back_by_https_or_on_this_machine() {
    let lender = |url: &str| {
        let (url, username, password) = (url.to_owned(), "provider".to_owned(), Secret::new("password"));
        Some(Lender { url, username, password })
    };
    let plain = "is plain `http` to another machine";
    let none = "is not an address that begins with";
    let cases = [
        ("http://127.0.0.1:9000/lender", None),
        ("http://[::1]:9000/", None),
        ("http://LOCALHOST:9000", None),
        ("https://lender.example/path", None),
        ("https://user:canary@lender.example/?token=canary", None),
        ("http://lender.example/", Some(plain)),
        ("HTTP://user:canary@192.0.2.1/?token=canary", Some(plain)),
        ("http://localhost.canary.example/", Some(plain)),
        ("http://0.0.0.0:9000/", Some(plain)),
        ("http://127.0.0.1.canary.example/", Some(plain)),
        ("", Some(none)),
        ("canary", Some(none)),
        ("https://", Some(none)),
        ("ftp://127.0.0.1/canary", Some(none)),
        ("javascript:canary", Some(none)),
    ];
    for (url, expected) in cases {
        let to_lender = Config { lender: lender(url), ..config() };
        let to_webhook = Config { webhook_url: Some(url.to_owned()), ..config() };
        for (config, setting) in [(to_lender, "`lender.url`"), (to_webhook, "`webhook_url`")] {
            let problem = Sandbox::start(config).await.err().map(|error| error.to_string());
            assert_eq!(problem.is_some(), expected.is_some(), "{url}: {problem:?}");
            if let (Some(problem), Some(words)) = (problem, expected) {
                assert!(problem.starts_with(setting) && problem.contains(words), "{url}: {problem}");
                assert!(!problem.contains("canary") && !problem.contains("192.0.2.1"), "{problem}");
            }
        }
    }
}

#[tokio::test]
async fn what_cannot_be_done_as_it_is_asked_for_does_not_start() {
    let of_fault = |fault: Fault| {
        let mut config = config();
        config.faults.fund_loan = Some(fault);
        config
    };
    let of_notifications = |notifications: Notifications| {
        let mut config = config();
        config.behaviour.notifications = notifications;
        config
    };
    let of_lender = |username: &str, password: &str| {
        let url = "http://127.0.0.1:9000".to_owned();
        let lender = Lender { url, username: username.to_owned(), password: Secret::new(password) };
        Config { lender: Some(lender), ..config() }
    };
    let fault = Fault::default;
    let usual = Notifications::default;
    let cases = [
        (of_fault(Fault { status: Some(99), ..fault() }), "`faults.fund_loan.status` is not the status of an answer"),
        (of_fault(Fault { status: Some(100), ..fault() }), "`faults.fund_loan.status`"),
        (of_fault(Fault { status: Some(600), ..fault() }), "`faults.fund_loan.status`"),
        (
            of_fault(Fault { content_type: Some("text/canary\r\nx: y".to_owned()), ..fault() }),
            "`faults.fund_loan.content_type` is not a valid header value",
        ),
        (
            of_fault(Fault { redirect_to: Some("http://canary\n".to_owned()), ..fault() }),
            "`faults.fund_loan.redirect_to`",
        ),
        (
            of_fault(Fault { drip_bytes_per_second: Some(0), ..fault() }),
            "`faults.fund_loan.drip_bytes_per_second` is 0",
        ),
        (of_fault(Fault { times: Some(0), ..fault() }), "`faults.fund_loan.times` is 0"),
        (of_notifications(Notifications { copies: 0, ..usual() }), "`behaviour.notifications.copies` is 0"),
        (of_notifications(Notifications { copies: 101, ..usual() }), "`behaviour.notifications.copies` is more than"),
        (of_notifications(Notifications { attempts_max: 0, ..usual() }), "`behaviour.notifications.attempts_max`"),
        (of_notifications(Notifications { attempts_max: 21, ..usual() }), "`behaviour.notifications.attempts_max`"),
        (Config { token: Secret::new("canary\ntoken"), ..config() }, "`token` is not a valid header value"),
        (Config { token: Secret::new("canäry"), ..config() }, "`token` is not a valid header value"),
        (Config { token: Secret::new(""), ..config() }, "`token` is empty"),
        (of_lender("canary\u{7}", "p"), "`lender.username` is not a valid header value"),
        (of_lender("name", " canary"), "`lender.password` is not a valid header value"),
    ];
    for (config, words) in cases {
        let problem = Sandbox::start(config).await.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(problem.starts_with(words) && !problem.contains("canary"), "{words}: {problem}");
    }
    for config in [
        of_fault(Fault { status: Some(599), drip_bytes_per_second: Some(1), times: Some(1), ..fault() }),
        of_notifications(Notifications { copies: 0, suppressed: true, ..usual() }),
        of_lender("name of two words", ""),
    ] {
        Sandbox::start(config).await.unwrap();
    }
}

#[tokio::test]
async fn stopping_ends_it_even_in_the_middle_of_an_answer() {
    let (sandbox, client) = sandbox(|config| {
        config.faults.transaction_records = Some(Fault { drip_bytes_per_second: Some(1), ..Fault::default() });
    })
    .await;
    let reference = reference(&sandbox, &client).await;
    let settings = Settings { limits: Limits { attempts_max: 1, ..Limits::default() }, ..client.settings().clone() };
    let address = sandbox.addr();
    let client = Client::new(settings, sandbox.token().clone()).unwrap();
    let pull = tokio::spawn(async move { client.pull(&reference).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    sandbox.shutdown().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "nobody listens any more");
    pull.abort();
}

#[tokio::test]
async fn a_request_that_does_not_arrive_ends_its_connection_and_a_slow_answer_does_not() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let slow = Fault { latency_ms: 600, ..Fault::default() };
    let (sandbox, client) = sandbox(|config| {
        config.request_timeout = Duration::from_millis(200);
        config.faults.get_offers = Some(slow);
    })
    .await;
    let waits = "POST /x HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n";
    for begun in ["GET /sand", "POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab", waits] {
        let mut stream = tokio::net::TcpStream::connect(sandbox.addr()).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // It ends: with an orderly close or a reset.
        let ended = tokio::time::timeout(Duration::from_secs(60), stream.read_to_end(&mut answer)).await;
        assert!(ended.is_ok(), "{begun}");
    }
    // Three times as long as a request may take.
    client.offers(&ask(&sandbox.people()[0])).await.unwrap();
    client.offers(&ask(&sandbox.people()[0])).await.unwrap();
}

#[tokio::test]
async fn the_root_is_a_page() {
    let (sandbox, _) = sandbox(|_| {}).await;
    let answer = reqwest::get(format!("{}/", sandbox.base_url())).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(answer.text().await.unwrap().contains("<html"), "a page for people");
}
