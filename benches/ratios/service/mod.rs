//! `lendwright serve` under load, as a process of its own on the cores that the generator shares: acceptances compared
//! with the store's bare commits, Get Loan Status as fast as it goes, and the same beside attackers. Knows nothing of
//! HTTP's bytes.

mod attack;
mod commits;
mod lender;
mod wire;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use lendwright::Day;
use lendwright::generate::{Options, statement_json};
use lendwright_benches::turns::quantile;
use serde_json::Value as Json;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use self::lender::Lender;
use self::wire::{Connection, get, post};
use crate::{Found, put};

/// How many calls are in flight.
const CONNECTIONS: usize = 64;

/// Measures SQLite, and PostgreSQL if there is a URL, with so many loans. Each timed phase takes `seconds` seconds.
pub fn service(program: &Path, postgres: Option<&str>, loans: usize, seconds: usize, found: &mut Found) {
    let time = Duration::from_secs(seconds as u64);
    // One thread for the generator and the provider: the other core is the service's alone.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let provider = runtime.block_on(provider());
    let mut measure = |name: &'static str, store: &str, commits: &dyn Fn(Duration) -> f64| {
        let lender = Lender::start(program, store, provider);
        Bench { name, runtime: &runtime, lender: &lender, found, time }.run(loans, commits);
    };
    measure("sqlite", "path = \"lender.sqlite\"", &commits::sqlite);
    if let Some(url) = postgres {
        measure("postgres", &format!("url = \"{url}\""), &|time| commits::postgres(url, time));
    }
}

async fn provider() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    // A statement that ends today, as one that was just asked for does.
    let today = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let options = Options { records: 60, end: Some(Day::from_days(today as i32)), ..Options::default() };
    tokio::spawn(wire::serve(listener, statement_json(7, 0, &options).expect("a statement")));
    address
}

struct Bench<'b> {
    name: &'static str,
    runtime: &'b Runtime,
    lender: &'b Lender,
    found: &'b mut Found,
    time: Duration,
}

impl Bench<'_> {
    fn run(&mut self, loans: usize, commits: &dyn Fn(Duration) -> f64) {
        let before = commits(self.time / 4);
        let offers = self.offers(loans);
        let accepted = self.accept(&offers);
        self.until_open(loans);
        // Around the acceptances, because a shared machine changes from minute to minute.
        let after = commits(self.time / 4);
        self.put("commits_per_s", f64::midpoint(before, after));
        self.status(&accepted);
    }

    fn put(&mut self, what: &str, value: f64) {
        put(self.found, &format!("service_{}_{what}", self.name), value);
    }

    fn put_times(&mut self, what: &str, times: &Times) {
        self.put(&format!("{what}_per_s"), times.sorted.len() as f64 / times.took);
        for (name, share) in [("p50_s", 0.5), ("p99_s", 0.99)] {
            self.put(&format!("{what}_{name}"), quantile(&times.sorted, share));
        }
    }

    /// An offer request of each customer, answered at once. Returns the offers' ids.
    fn offers(&mut self, loans: usize) -> Vec<String> {
        let requests = (0..loans).map(|number| {
            get(&format!(
                "/offers?customerId=C{number}&channelCode=WEB&amount=5000000&serviceType=LOAN&dateOfBirth=1990-01-01\
                 &providerCode=LENDER&offerRequestReference=OR{number}"
            ))
        });
        let (times, answers) = self.all(requests.collect());
        self.put_times("offers", &times);
        let id = |answer: &Json| answer["offers"][0]["offerId"].as_str().map(str::to_owned);
        answers.iter().map(|answer| id(answer).unwrap_or_else(|| panic!("an offer: {answer}"))).collect()
    }

    /// Every offer is accepted, while the service works on those accepted before. Returns requests of Get Loan Status.
    fn accept(&mut self, offers: &[String]) -> Vec<String> {
        let requests = offers.iter().enumerate().map(|(number, offer)| {
            let body = serde_json::json!({
                "customerId": format!("C{number}"), "offerId": offer, "destinationAccountNumber": "0123456789",
                "destinationBankCode": "044", "token": "t", "loanReferenceId": format!("LR{number}"),
                "msisdn": "2348012345678",
            });
            post(&format!("/offers/{offer}/accept"), &body.to_string())
        });
        let began = Instant::now();
        let (times, answers) = self.all(requests.collect());
        self.put_times("accepted", &times);
        self.until_open(offers.len());
        self.put("paid_out_per_s", offers.len() as f64 / began.elapsed().as_secs_f64());
        let status = |(number, answer): (usize, &Json)| {
            let loan = answer["loanId"].as_str().unwrap_or_else(|| panic!("a loan: {answer}"));
            get(&format!("/loan-status/{loan}?customerId=C{number}&loanId={loan}&providerCode=LENDER&channelCode=WEB"))
        };
        answers.iter().enumerate().map(status).collect()
    }

    fn until_open(&self, loans: usize) {
        let deadline = Instant::now() + Duration::from_secs(600);
        while self.lender.loans("open") < loans as u64 {
            assert!(Instant::now() < deadline, "{} of {loans} loans are open", self.lender.loans("open"));
            // The provider answers meanwhile.
            self.runtime.block_on(async { tokio::time::sleep(Duration::from_millis(50)).await });
        }
    }

    /// As fast as it goes; then half of that, at times of its own, alone and beside attackers in turn.
    fn status(&mut self, requests: &[String]) {
        let fastest = self.loops(requests, None);
        self.put_times("status", &fastest);
        let every = Duration::from_secs_f64(2.0 * fastest.took / fastest.sorted.len() as f64 * CONNECTIONS as f64);
        let (mut alone, mut attacked) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            alone.extend(self.loops(requests, Some(every)).sorted);
            let attackers = self.runtime.block_on(attack::begin(self.lender.address));
            attacked.extend(self.loops(requests, Some(every)).sorted);
            attackers.end();
        }
        for (what, times) in [("alone", &mut alone), ("attacked", &mut attacked)] {
            times.sort_by(f64::total_cmp);
            self.put(&format!("status_{what}_p99_s"), quantile(times, 0.99));
        }
    }

    /// Each request once, over all connections.
    fn all(&self, requests: Vec<String>) -> (Times, Vec<Json>) {
        let (requests, next) = (Arc::new(requests), Arc::new(AtomicUsize::new(0)));
        let (began, address) = (Instant::now(), self.lender.address);
        let mut callers = JoinSet::new();
        let _inside = self.runtime.enter();
        for _ in 0..CONNECTIONS {
            let (requests, next) = (Arc::clone(&requests), Arc::clone(&next));
            callers.spawn(async move {
                let mut connection = Connection::open(address).await.expect("a connection");
                let mut done = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(request) = requests.get(at) else { return done };
                    let asked = Instant::now();
                    let (status, body) = connection.call(request.as_bytes()).await.expect("an answer");
                    let took = asked.elapsed().as_secs_f64();
                    assert_eq!(status, 200, "{}", String::from_utf8_lossy(body));
                    done.push((at, took, serde_json::from_slice(body).expect("JSON")));
                }
            });
        }
        let mut done: Vec<(usize, f64, Json)> =
            self.runtime.block_on(callers.join_all()).into_iter().flatten().collect();
        let took = began.elapsed().as_secs_f64();
        done.sort_by_key(|(at, ..)| *at);
        let mut sorted: Vec<f64> = done.iter().map(|(_, took, _)| *took).collect();
        sorted.sort_by(f64::total_cmp);
        (Times { sorted, took }, done.into_iter().map(|(.., answer)| answer).collect())
    }

    /// The requests again and again, until the time is over. With `every`, each connection sends at fixed moments, and
    /// each request is timed from the moment it was due.
    fn loops(&self, requests: &[String], every: Option<Duration>) -> Times {
        let (began, address, time) = (Instant::now(), self.lender.address, self.time);
        let requests: Arc<[String]> = requests.into();
        let mut callers = JoinSet::new();
        let _inside = self.runtime.enter();
        for caller in 0..CONNECTIONS {
            let requests = Arc::clone(&requests);
            callers.spawn(async move {
                let mut connection = Connection::open(address).await.expect("a connection");
                let mut sorted = Vec::new();
                let mut due = began + every.unwrap_or_default().mul_f64(caller as f64 / CONNECTIONS as f64);
                while due.elapsed() < time && began.elapsed() < time {
                    tokio::time::sleep_until(due.into()).await;
                    let request = &requests[(caller + sorted.len() * CONNECTIONS) % requests.len()];
                    let (status, body) = connection.call(request.as_bytes()).await.expect("an answer");
                    assert_eq!(status, 200, "{}", String::from_utf8_lossy(body));
                    sorted.push(due.elapsed().as_secs_f64());
                    due = every.map_or_else(Instant::now, |every| due + every);
                }
                sorted
            });
        }
        let mut sorted = self.runtime.block_on(callers.join_all()).concat();
        sorted.sort_by(f64::total_cmp);
        Times { sorted, took: began.elapsed().as_secs_f64() }
    }
}

/// Seconds of each call, and of all together.
struct Times {
    sorted: Vec<f64>,
    took: f64,
}
