//! The work that benches and guards measure, defined once: from a statement's bytes to what is sent. Knows nothing of
//! how it is measured.

use std::path::Path;

use lendwright::generate::{Options, statement_json};
use lendwright::statement::{Reading, Statements};
use lendwright::wire::Call;
use lendwright::{Day, Decision, Policy, Request, SendOffers, Settings, compile, decide, read_json, reading};

/// The offers that `policies/full.toml` makes to a customer who meets its requirements.
pub const OFFERS: usize = 4;

/// A rule file of this repository with the files it uses, embedded in the program: benches and guards start in other
/// folders.
pub fn policy(name: &str, text: &str) -> Policy {
    let mut used = |file: &str| match Path::new(file).file_name().and_then(|name| name.to_str()) {
        Some("metrics.toml") => Ok(include_str!("../rules/metrics.toml").to_owned()),
        Some("words.toml") => Ok(include_str!("../rules/words.toml").to_owned()),
        _ => Err("the benches do not carry it".to_owned()),
    };
    compile(name, text, &mut used, &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

/// A call of E3, as it would be sent.
pub struct Sent {
    /// The path, segment by segment.
    pub path: Vec<String>,
    /// The parameters.
    pub parameters: Vec<(String, String)>,
}

/// A policy and everything else needed to judge a statement.
pub struct Judge {
    policy: Policy,
    reading: Reading,
    request: Request,
    settings: Settings,
}

impl Judge {
    /// The whole catalogue, requirements, a score, two tables and four offers.
    pub fn full() -> Self {
        let policy = policy("full.toml", include_str!("policies/full.toml"));
        Self {
            reading: reading(&policy),
            policy,
            request: Day::parse_iso("2026-10-31").map_or_else(Request::default, Request::on),
            settings: Settings { provider_code: "bench".to_owned(), ..Settings::default() },
        }
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The day and the other fields of the request.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Bytes of E2 to columns.
    pub fn decode(&self, bytes: &[u8]) -> Statements {
        read_json(bytes, "statement", &self.reading).expect("a statement")
    }

    /// Columns to decisions.
    pub fn decide(&self, statements: &Statements) -> Vec<Decision> {
        decide(&self.policy, statements, &self.request).expect("decisions")
    }

    /// Bytes of E2 to what is sent by E3.
    pub fn payload(&self, bytes: &[u8]) -> Vec<Sent> {
        let decision = self.decide(&self.decode(bytes)).pop().expect("a decision");
        assert_eq!(decision.offers.len(), OFFERS, "the work is that of four offers");
        let answer = SendOffers::new("reference", decision.offers);
        let prepare = |call: SendOffers| Sent {
            path: call.path(&self.settings).expect("a path"),
            parameters: call.query(&self.settings).expect("parameters"),
        };
        answer.calls(&self.settings).into_iter().map(prepare).collect()
    }

    /// The statement of the first generated person who gets all four offers, with debits and balances.
    pub fn statement(&self, records: u64, noise: f64) -> Vec<u8> {
        let options = Options { records, debits: true, noise, ..Options::default() };
        (0..50)
            .map(|index| statement_json(42, index, &options).expect("a statement"))
            .find(|bytes| self.decide(&self.decode(bytes))[0].offers.len() == OFFERS)
            .expect("one of fifty people is offered something")
    }
}
