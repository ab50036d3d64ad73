//! The service on real sockets: slow and endless senders, bounds, and a stop that loses nothing.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{Bench, PASSWORD, PAYMENT, STATUS, bench, bench_with, settings};
use lendwright::lender::config::{Config, LimitSettings};
use lendwright::lender::hosted::{Condition, Running as ServiceRunning, serve_connections, with_operations};
use lendwright::wire::Settings;

pub struct Running {
    pub bench: Bench,
    pub address: String,
    pub stop: watch::Sender<bool>,
    pub server: JoinHandle<()>,
}

async fn start(limits: LimitSettings) -> Running {
    start_with(settings(), limits).await
}

pub async fn start_with(settings: Settings, limits: LimitSettings) -> Running {
    let bench = bench_with(settings, limits.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (stop, stopped) = watch::channel(false);
    let router = with_operations(&bench.hosted, bench.registry.clone());
    let server = tokio::spawn(serve_connections(listener, router, limits, bench.metrics.clone(), stopped));
    Running { bench, address, stop, server }
}

fn head(method: &str, uri: &str, further: &str) -> String {
    format!("{method} {uri} HTTP/1.1\r\nhost: x\r\nusername: provider\r\npassword: {PASSWORD}\r\n{further}\r\n")
}

fn notification(length: usize) -> String {
    head("POST", "/payment-notification", &format!("content-type: application/json\r\ncontent-length: {length}\r\n"))
}

/// All that comes until the end of the connection.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset ends it too.
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8(bytes).unwrap()
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).await.unwrap()
    }

    async fn ask(&self, text: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(text.as_bytes()).await.unwrap();
        rest(&mut stream).await
    }

    async fn get(&self, uri: &str) -> String {
        self.ask(&head("GET", uri, "connection: close\r\n")).await
    }
}

fn limits() -> LimitSettings {
    LimitSettings {
        header_timeout_ms: 150,
        idle_timeout_ms: 400,
        body_timeout_ms: 150,
        header_bytes_max: 8_192,
        body_bytes_max: 2_000,
        ..LimitSettings::default()
    }
}

#[tokio::test]
async fn a_connection_serves_several_requests_until_it_is_silent_for_too_long() {
    let running = start(limits()).await;
    let mut stream = running.connect().await;
    let from = Instant::now();
    for _ in 0..3 {
        stream.write_all(head("GET", STATUS, "").as_bytes()).await.unwrap();
        let mut answer = [0; 2_000];
        let count = stream.read(&mut answer).await.unwrap();
        assert!(answer[..count].starts_with(b"HTTP/1.1 200"));
        // Longer than headers may take: between requests that does not count.
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(rest(&mut stream).await, "");
    assert!(from.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn slow_headers_are_closed_also_where_each_byte_comes_soon() {
    let running = start(limits()).await;
    let mut stream = running.connect().await;
    let from = Instant::now();
    let mut is_open = true;
    while is_open && from.elapsed() < Duration::from_secs(5) {
        is_open = stream.write_all(b"G").await.is_ok();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!is_open && from.elapsed() >= Duration::from_millis(150));
    // Silence from the start is closed too, and somebody else is served meanwhile.
    let mut silent = running.connect().await;
    assert!(running.get(STATUS).await.starts_with("HTTP/1.1 200"));
    assert_eq!(rest(&mut silent).await, "");
}

#[tokio::test]
async fn slow_oversized_and_endless_bodies_are_refused_and_closed() {
    let running = start(limits()).await;
    let mut slow = running.connect().await;
    slow.write_all(notification(PAYMENT.len()).as_bytes()).await.unwrap();
    slow.write_all(&PAYMENT.as_bytes()[..10]).await.unwrap();
    let answer = rest(&mut slow).await;
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("the body came too slowly"), "{answer}");

    let declared = running.ask(&notification(2_001)).await;
    assert!(declared.starts_with("HTTP/1.1 413"), "{declared}");

    let mut endless = running.connect().await;
    let chunked = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
    endless.write_all(head("POST", "/payment-notification", chunked).as_bytes()).await.unwrap();
    let mut sent = 0;
    while sent < 50_000_000 && endless.write_all(b"400\r\n").await.is_ok() {
        if endless.write_all(&[b' '; 0x400]).await.is_err() || endless.write_all(b"\r\n").await.is_err() {
            break;
        }
        sent += 0x400;
    }
    assert!(sent < 50_000_000);

    let long = running.ask(&head("GET", STATUS, &format!("x: {}\r\n", "x".repeat(20_000)))).await;
    assert!(long.is_empty() || long.starts_with("HTTP/1.1 431"), "{long}");
    assert!(running.bench.lender.seen.lock().unwrap().is_empty());
    assert!(running.get("/metrics").await.contains("lendwright_http_refused_total{reason=\"body_too_slow\"} 1"));
}

#[tokio::test]
async fn a_request_of_http_1_1_has_one_host() {
    let running = start(limits()).await;
    let good = head("GET", STATUS, "connection: close\r\n");
    for (wrong, status) in [
        (good.replace("host: x\r\n", ""), "HTTP/1.1 400"),
        (good.replace("host: x\r\n", "host: x\r\nhost: y\r\n"), "HTTP/1.1 400"),
        (good.replace("host: x\r\n", "").replace("HTTP/1.1", "HTTP/1.0"), "HTTP/1.0 200"),
        (good, "HTTP/1.1 200"),
    ] {
        let answer = running.ask(&wrong).await;
        assert!(answer.starts_with(status), "{status}: {answer}");
    }
    assert_eq!(running.bench.lender.seen.lock().unwrap().len(), 2);
    // Operations too.
    let health = "GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n";
    assert!(running.ask(health).await.starts_with("HTTP/1.1 400"));
    assert!(running.get("/metrics").await.contains("lendwright_http_refused_total{reason=\"host\"} 3"));
}

#[tokio::test]
async fn a_connection_beyond_the_bound_is_closed_and_counted() {
    let running = start(LimitSettings { connections_max: 2, ..LimitSettings::default() }).await;
    let (first, second) = (running.connect().await, running.connect().await);
    // Both are accepted before the third.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mut third = running.connect().await;
    assert_eq!(rest(&mut third).await, "");
    drop((first, second));
    let mut metrics = String::new();
    for _ in 0..500 {
        metrics = running.get("/metrics").await;
        if !metrics.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert!(metrics.contains("lendwright_http_refused_total{reason=\"connections\"}"), "{metrics}");
}

#[tokio::test]
async fn fifty_equal_notifications_at_once_are_all_answered() {
    let running = start(limits()).await;
    let text = format!("{}{PAYMENT}", notification(PAYMENT.len()).replace("host: x", "host: x\r\nconnection: close"));
    let answers = futures_util::future::join_all((0..50).map(|_| running.ask(&text))).await;
    let bodies: Vec<_> = answers.iter().map(|answer| answer.split("\r\n\r\n").nth(1).unwrap()).collect();
    assert!(answers.iter().all(|answer| answer.starts_with("HTTP/1.1 200")));
    assert!(
        bodies
            .iter()
            .all(|body| *body == r#"{"responseCode":"00","responseMessage":"Successful","loanStatus":"CLOSED"}"#)
    );
}

#[tokio::test]
async fn a_stop_lets_a_running_request_end_and_closes_the_rest() {
    let running = start(LimitSettings::default()).await;
    let mut idle = running.connect().await;
    let mut busy = running.connect().await;
    busy.write_all(head("GET", &STATUS.replace("C-1", "waits"), "").as_bytes()).await.unwrap();
    while running.bench.lender.seen.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert!(running.get("/health/ready").await.contains(r#"{"conditions":[],"ready":true}"#));
    running.bench.hosted.stop();
    assert!(running.get("/health/ready").await.starts_with("HTTP/1.1 503"));
    running.stop.send(true).unwrap();
    assert_eq!(rest(&mut idle).await, "");
    let mut refused = false;
    for _ in 0..500 {
        refused = TcpStream::connect(&running.address).await.is_err();
        if refused {
            break;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert!(refused && !running.server.is_finished());
    running.bench.lender.gate.add_permits(1);
    assert!(rest(&mut busy).await.starts_with("HTTP/1.1 200"));
    tokio::time::timeout(Duration::from_secs(5), running.server).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever() {
    let running = start(LimitSettings { shutdown_timeout_ms: 50, ..LimitSettings::default() }).await;
    let mut busy = running.connect().await;
    busy.write_all(head("GET", &STATUS.replace("C-1", "waits"), "").as_bytes()).await.unwrap();
    while running.bench.lender.seen.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    running.stop.send(true).unwrap();
    tokio::time::timeout(Duration::from_secs(5), running.server).await.unwrap().unwrap();
    assert_eq!(rest(&mut busy).await, "");
}

#[tokio::test]
async fn operations_need_no_password_and_name_the_conditions_of_the_lender() {
    let running = start(LimitSettings::default()).await;
    let get = |uri: &str| format!("GET {uri} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert!(running.ask(&get("/health/live")).await.ends_with(r#"{"live":true}"#));
    assert!(running.ask(&get("/health/ready")).await.ends_with(r#"{"conditions":[],"ready":true}"#));
    let conditions = running.bench.hosted.conditions().clone();
    // One under which requests are still served, then one under which they are not.
    conditions.raise(Condition::PolicyRefused);
    let ready = running.ask(&get("/health/ready")).await;
    let body =
        |ready: &str| -> serde_json::Value { serde_json::from_str(ready.split("\r\n\r\n").nth(1).unwrap()).unwrap() };
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    assert_eq!(body(&ready)["ready"], true);
    let named = &body(&ready)["conditions"][0];
    assert_eq!((&named["name"], &named["fatal"]), (&"policy_refused".into(), &false.into()));
    assert!(named["seconds"].is_u64() && named["means"].as_str().unwrap().contains("policy"), "{named}");
    conditions.raise(Condition::WritesFail);
    let ready = running.ask(&get("/health/ready")).await;
    assert!(ready.starts_with("HTTP/1.1 503"), "{ready}");
    let names: Vec<_> = body(&ready)["conditions"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!((&body(&ready)["ready"], names.len()), (&false.into(), 2));
    assert!(names.contains(&"writes_fail".into()), "{names:?}");
    conditions.clear(Condition::WritesFail);
    assert!(running.ask(&get("/health/ready")).await.starts_with("HTTP/1.1 200"));
    let document = running.ask(&get("/openapi.json")).await;
    let document: serde_json::Value = serde_json::from_str(document.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(document["info"]["title"], "The endpoints that the lender hosts");
    let metrics = running.ask(&get("/metrics")).await;
    assert!(metrics.contains("application/openmetrics-text") && metrics.ends_with("# EOF\n"), "{metrics}");
    // Everything else needs one.
    assert!(running.ask(&get(STATUS)).await.starts_with("HTTP/1.1 401"));
    // On another listener, the endpoints alone have none of these.
    let alone = bench();
    assert_eq!(alone.ask("GET", "/metrics", &super::known(), "").await.status, 404);
}

#[tokio::test]
async fn whoever_asks_before_sending_the_body_may_wait_for_the_answer() {
    let running = start(limits()).await;
    let body = PAYMENT.replace("C-1", "waits");
    let mut stream = running.connect().await;
    let head = notification(body.len()).replace("host: x", "host: x\r\nexpect: 100-continue\r\nconnection: close");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut go = [0; 25];
    stream.read_exact(&mut go).await.unwrap();
    assert_eq!(&go, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).await.unwrap();
    // Longer than headers, a body or silence may take.
    tokio::time::sleep(Duration::from_millis(600)).await;
    running.bench.lender.gate.add_permits(1);
    assert!(rest(&mut stream).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn whoever_reads_no_answers_is_closed() {
    let running = start(limits()).await;
    let mut stream = running.connect().await;
    let from = Instant::now();
    let asked = "GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(100);
    // Until the answers fill all buffers, and with them the questions.
    let sent = async { while stream.write_all(asked.as_bytes()).await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(20), sent).await.expect("the connection is closed");
    assert!(from.elapsed() >= Duration::from_millis(400));
}

#[tokio::test]
async fn healthy_requests_are_served_beside_many_slow_ones() {
    let running = start(LimitSettings::default()).await;
    let mut slow = Vec::new();
    for index in 0..300 {
        let mut stream = running.connect().await;
        let text = if index % 2 == 0 { "GET / HT".to_owned() } else { notification(100) };
        stream.write_all(text.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let mut longest = Duration::ZERO;
    for _ in 0..50 {
        let from = Instant::now();
        assert!(running.get(STATUS).await.starts_with("HTTP/1.1 200"));
        longest = longest.max(from.elapsed());
    }
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

#[tokio::test]
async fn the_endpoints_and_operations_have_an_address_each() {
    let text = format!(
        "{}[listen]\naddress = \"127.0.0.1:0\"\n[operations]\naddress = \"127.0.0.1:0\"\n",
        crate::lender::config::file::GOOD
    );
    for on_listen_address in [false, true] {
        let bench = bench();
        let mut config = Config::read(&text).unwrap();
        config.operations.on_listen_address = on_listen_address;
        let (hosted, metrics) = (bench.hosted.clone(), bench.metrics.clone());
        let running = ServiceRunning::start(&config, hosted, metrics, bench.registry.clone()).await.unwrap();
        let (address, operations) = (running.address(), running.operations_address());
        assert_eq!(address == operations, on_listen_address);
        let ask = |address: std::net::SocketAddr, uri: &'static str| async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(head("GET", uri, "connection: close\r\n").as_bytes()).await.unwrap();
            rest(&mut stream).await.split(' ').nth(1).unwrap().to_owned()
        };
        assert_eq!(ask(address, STATUS).await, "200");
        assert_eq!(ask(operations, "/health/ready").await, "200");
        assert_eq!(ask(operations, "/metrics").await, "200");
        assert_eq!(ask(address, "/metrics").await, if on_listen_address { "200" } else { "404" });
        assert_eq!(ask(operations, STATUS).await, if on_listen_address { "200" } else { "404" });
        // A second service on the same address does not start.
        config.listen.address = address;
        let again = ServiceRunning::start(&config, bench.hosted.clone(), bench.metrics.clone(), bench.registry.clone());
        assert!(again.await.err().unwrap().to_string().starts_with(&format!("cannot listen on `{address}`")));
        running.shutdown().await;
        assert!(TcpStream::connect(address).await.is_err() && TcpStream::connect(operations).await.is_err());
    }
}
