//! What a sandbox is started with, and why it may not start. Knows nothing of what is done with either.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::behaviour::{Behaviour, Lender};
use super::faults::Faults;
use super::people::Person;
use crate::base::secret::Secret;
use crate::provider::wire::Settings;

/// Makes a person's statement: the bytes of an E2 answer.
pub type StatementSource = Arc<dyn Fn(&Person) -> Vec<u8> + Send + Sync>;

/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// The configuration of a sandbox.
#[derive(Clone)]
pub struct Config {
    /// The address to listen on, a loopback address; port 0 takes a free port.
    pub listen: SocketAddr,
    /// The seed of people and references. The same seed gives the same sandbox.
    pub seed: u64,
    /// The token that calls must carry.
    pub token: Secret,
    /// What the lender's calls look like: provider code, layout and segment of E3, codes, the page parameter.
    pub settings: Settings,
    /// Faults on request.
    pub faults: Faults,
    /// What it does where the interface leaves a choice.
    pub behaviour: Behaviour,
    /// The lender's endpoints for callbacks: by `https`, or on this machine.
    pub lender: Option<Lender>,
    /// The address for events of bills: by `https`, or on this machine.
    pub webhook_url: Option<String>,
    /// The clock. The same clock gives the same sandbox.
    pub clock: Clock,
    /// How long a request may take to arrive, from its first byte on. After that the connection is closed.
    pub request_timeout: Duration,
    /// How many records a page of E2 holds; `None` puts all of them on one page.
    pub page_records: Option<usize>,
    /// Makes the statements.
    pub statements: StatementSource,
}

impl Config {
    /// A sandbox on a free port, without faults, with the provider code `SANDBOX` and a token derived from the seed.
    pub fn new(seed: u64, statements: StatementSource) -> Self {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            seed,
            token: Secret::new(format!("sandbox-token-{seed}")),
            settings: Settings { provider_code: "SANDBOX".to_owned(), ..Settings::default() },
            faults: Faults::default(),
            behaviour: Behaviour::default(),
            lender: None,
            webhook_url: None,
            clock: Arc::new(Utc::now),
            request_timeout: Duration::from_secs(10),
            page_records: None,
            statements,
        }
    }
}

/// Why a sandbox did not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The sandbox has no defences, so it serves this machine only.
    #[error("`{0}` is not a loopback address; the sandbox listens on this machine alone, such as on `127.0.0.1:8080`")]
    NotLoopback(SocketAddr),
    /// An invalid setting: an address that is none, a secret that no header can carry, an invalid fault configuration.
    /// Values are not repeated, because they may be secret.
    #[error("`{setting}` {problem}")]
    Setting {
        /// The setting, such as `lender.url` or `faults.fund_loan.status`.
        setting: String,
        /// What is wrong, and what to do.
        problem: &'static str,
    },
    /// The address cannot be bound.
    #[error("cannot listen on `{address}`: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
}
