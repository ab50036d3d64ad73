//! The endpoints that the lender hosts: requests through the service as a value, and a few on real sockets.

mod credentials;
mod forwarded;
mod lender;
mod openapi;
mod private_data;
mod rate_limit;
mod requests;
mod sockets;

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use lendwright::base::money::Currency;
use lendwright::base::secret::Secret;
use lendwright::lender::config::LimitSettings;
use lendwright::lender::hosted::{Conditions, Credentials, Hosted, HttpMetrics, Options, Registry};
use lendwright::wire::Settings;

use lender::TestLender;

/// The endpoints with a lender that answers by the customer's id, and their registry of metrics.
struct Bench {
    hosted: Hosted,
    lender: Arc<TestLender>,
    metrics: HttpMetrics,
    registry: Arc<Registry>,
}

const PASSWORD: &str = "correct horse battery staple";
const NEXT_PASSWORD: &str = "the next one";

fn settings() -> Settings {
    Settings { provider_code: "LENDER".to_owned(), ..Settings::default() }
}

fn bench() -> Bench {
    bench_with(settings(), LimitSettings::default())
}

fn bench_with(settings: Settings, limits: LimitSettings) -> Bench {
    let pairs = [("provider", PASSWORD), ("provider", NEXT_PASSWORD)];
    let pairs = pairs.map(|(name, password)| (name.to_owned(), Secret::new(password)));
    let credentials = Credentials::new(&pairs).unwrap();
    let mut registry = Registry::default();
    let metrics = HttpMetrics::register(&mut registry);
    let lender = Arc::new(TestLender::default());
    let currency = Currency::from_numeric("566").unwrap();
    let conditions = Conditions::register(&mut registry);
    let options = Options { settings, currency, limits, credentials, conditions };
    let hosted = Hosted::new(options, lender.clone(), metrics.clone()).unwrap();
    Bench { hosted, lender, metrics, registry: Arc::new(registry) }
}

/// An answer: status, headers, body.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Bench {
    async fn ask(&self, method: &str, uri: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.hosted.respond(request.body(body.into()).unwrap()).await;
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 1_000_000).await.unwrap();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    async fn get(&self, uri: &str) -> Answer {
        self.ask("GET", uri, &known(), "").await
    }

    async fn post(&self, uri: &str, body: &str) -> Answer {
        let mut headers = known().to_vec();
        headers.push(("content-type", "application/json"));
        self.ask("POST", uri, &headers, body.to_owned()).await
    }
}

/// The headers of a caller whom the lender knows.
fn known() -> [(&'static str, &'static str); 2] {
    [("username", "provider"), ("password", PASSWORD)]
}

const OFFERS: &str = "/offers?customerId=C-1&channelCode=WEB&amount=5000000&serviceType=LOAN&dateOfBirth=1990-02-28\
                      &providerCode=LENDER&offerRequestReference=OR-1";
const STATUS: &str = "/loan-status/LN-1?customerId=C-1&loanId=LN-1&providerCode=LENDER&channelCode=WEB";
const ACCEPT: &str = r#"{"customerId":"C-1","offerId":"OF-1","destinationAccountNumber":"0123456789",
    "destinationBankCode":"058","token":"tok-en","loanReferenceId":"LR-1"}"#;
const PAYMENT: &str = r#"{"loanId":"LN-1","paymentRef":"P-1","Amount":"1250.50","customerId":"C-1"}"#;
