//! Two thousand statements pulled at once from the sandbox, compared with the same requests by plain `reqwest`. Knows
//! nothing of what is in a statement.

use std::sync::Arc;

use lendwright::sandbox::{Config, Sandbox};
use lendwright::wire::GetOffers;
use lendwright::{Client, Secret, Settings};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::{Found, put};
use lendwright_benches::turns::{alternate, quantile};
use lendwright_benches::work::Judge;

const PULLS: usize = 2_000;
const RECORDS: u64 = 1_000;

/// Both sides have as many requests in flight as the client's settings allow.
pub fn pulls(rounds: usize, found: &mut Found) {
    let statement = Judge::full().statement(RECORDS, 0.1);
    let bytes = statement.len();
    let provider = Runtime::new().expect("a runtime");
    let config = Config::new(1, Arc::new(move |_: &_| statement.clone()));
    let settings = config.settings.clone();
    let sandbox = provider.block_on(Sandbox::start(config)).expect("a free port");
    let settings = Settings { base_url: sandbox.base_url(), ..settings };
    let in_flight = settings.limits.in_flight_max;
    let client = Arc::new(Client::new(settings, sandbox.token().clone()).expect("a client"));
    let caller = Runtime::new().expect("a runtime");
    let reference: Arc<str> = caller.block_on(asked(&client, &sandbox)).into();
    let bare = Bare::new(&sandbox, &reference);

    // The client goes first: its memory must not hide in what the other side allocated.
    caller.block_on(all(&client, &reference));
    put(found, "pulls_peak_bytes", peak_bytes());
    let mut ours = || caller.block_on(all(&client, &reference));
    let mut theirs = || caller.block_on(bare.all(in_flight, false));
    let mut looked_through = || caller.block_on(bare.all(in_flight, true));
    let took = alternate(rounds, &mut [&mut ours, &mut theirs, &mut looked_through]);
    put(found, "pulls_bytes", (bytes * PULLS) as f64);
    put(found, "pulls_ours_s", quantile(&took[0], 0.5));
    put(found, "pulls_bare_s", quantile(&took[1], 0.5));
    put(found, "pulls_bare_json_s", quantile(&took[2], 0.5));
}

/// The reference of an offer request.
async fn asked(client: &Client, sandbox: &Sandbox) -> String {
    let person = &sandbox.people()[0];
    let request = GetOffers {
        customer_id: person.customer_id.clone(),
        channel_code: "WEB".to_owned(),
        amount: 5_000_000,
        service_type: "LOAN".to_owned(),
        date_of_birth: person.date_of_birth.clone(),
    };
    client.offers(&request).await.expect("an answer");
    sandbox.requests()[0].reference.clone()
}

/// All pulls at once; the client limits how many are in flight.
async fn all(client: &Arc<Client>, reference: &Arc<str>) {
    let mut pulls = JoinSet::new();
    for _ in 0..PULLS {
        let (client, reference) = (client.clone(), reference.clone());
        pulls.spawn(async move { client.pull(&reference).await.expect("a statement").records() });
    }
    while let Some(records) = pulls.join_next().await {
        assert_eq!(records.expect("no panic"), RECORDS);
    }
}

/// The same requests without our client. The body is read; at most it is checked to be JSON.
struct Bare {
    http: reqwest::Client,
    url: String,
    token: Secret,
}

impl Bare {
    fn new(sandbox: &Sandbox, reference: &str) -> Self {
        let url = format!(
            "{}/lending-service-data-service/api/v1/customer-details/transactions/{reference}\
             ?offerRequestReference={reference}",
            sandbox.base_url()
        );
        // This `reqwest` is built without its own cryptography. If another provider is installed, that one serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Bare { http, url, token: sandbox.token().clone() }
    }

    async fn all(&self, in_flight: usize, is_looked_through: bool) {
        let room = Arc::new(Semaphore::new(in_flight));
        let mut pulls = JoinSet::new();
        for _ in 0..PULLS {
            let request = self.http.get(&self.url).bearer_auth(self.token.expose());
            let room = room.clone();
            pulls.spawn(async move {
                let _turn = room.acquire().await;
                let response = request.send().await.expect("an answer");
                let body = response.bytes().await.expect("a body");
                if is_looked_through {
                    serde_json::from_slice::<serde::de::IgnoredAny>(&body).expect("JSON");
                }
                body.len()
            });
        }
        while let Some(length) = pulls.join_next().await {
            assert!(length.expect("no panic") > 100_000);
        }
    }
}

/// The peak memory of this process; zero if the system does not report it.
fn peak_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().map_or(0.0, |kilobytes| kilobytes * 1024.0)
}
