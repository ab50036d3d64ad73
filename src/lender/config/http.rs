//! The sections about HTTP, with their defaults and checks. Knows nothing of sockets.

use std::net::SocketAddr;

use serde::Deserialize;

use super::password::PasswordSource;
use super::sections::ConfigMistake;

/// `[listen]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListenSettings {
    /// The address of the endpoints that the provider calls. TLS ends before it, at a proxy.
    pub address: SocketAddr,
    /// Allows an address that other machines reach. Passwords then come to it unencrypted, unless the network is one
    /// that the proxy and this service have for themselves.
    pub allow_other_machines: bool,
}

impl Default for ListenSettings {
    fn default() -> Self {
        ListenSettings { address: SocketAddr::from(([127, 0, 0, 1], 8_080)), allow_other_machines: false }
    }
}

/// `[operations]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OperationsSettings {
    /// The address of health, metrics and the OpenAPI document, which need no password.
    pub address: SocketAddr,
    /// Serves them at the address of `[listen]` instead, for platforms that reach one port only.
    pub on_listen_address: bool,
    /// Allows an address that other machines reach.
    pub allow_other_machines: bool,
    /// Allows decisions on the pages of loans. They need no password, so any user of a browser on this machine may
    /// then decide.
    pub actions: bool,
    /// Codes with which a person may decline a referral, next to the reasons of its policy.
    pub decline_codes: Vec<String>,
}

impl Default for OperationsSettings {
    fn default() -> Self {
        OperationsSettings {
            address: SocketAddr::from(([127, 0, 0, 1], 8_081)),
            on_listen_address: false,
            allow_other_machines: false,
            actions: false,
            decline_codes: Vec::new(),
        }
    }
}

/// One of `[[credentials]]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CredentialSettings {
    /// The user name.
    pub username: String,
    /// Where the password comes from: `{ file = "…" }`, `{ env = "…" }` or `{ command = […] }`.
    pub password: Option<PasswordSource>,
}

/// `[limits]`. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// How many connections may be open. Further ones are closed at once.
    pub connections_max: usize,
    /// How long a connection may stay open. Its running request is finished first.
    pub connection_time_ms: u64,
    /// How long a connection may be silent between two requests.
    pub idle_timeout_ms: u64,
    /// How long the headers of a request may take to arrive, from their first byte on.
    pub header_timeout_ms: u64,
    /// How many bytes headers may take.
    pub header_bytes_max: usize,
    /// How long a body may take to arrive.
    pub body_timeout_ms: u64,
    /// How many bytes a body may have.
    pub body_bytes_max: usize,
    /// How long the provider waits for an answer. Work that takes longer goes on, and is answered when the provider
    /// asks again.
    pub answer_timeout_ms: u64,
    /// How many requests may be worked on at once. Further ones are refused with 503.
    pub in_flight_max: usize,
    /// How many requests a second each credential may make in the long run. Further ones are refused with 429.
    pub requests_per_second: u32,
    /// How many of them may come at once.
    pub requests_burst: u32,
    /// How many failed logins a minute an address may make, and a user name may have; 0 sets no limit. Beyond them no
    /// password is compared for a moment, the right one neither.
    pub failed_logins_per_minute: u32,
    /// The header in which a proxy names the caller's address, such as `x-forwarded-for`; its last value counts. Empty
    /// if the address of the connection is the caller's. Without it, all callers behind a proxy share one address, and
    /// the failed logins of one make the others wait.
    pub address_header: String,
    /// How long running requests may take once the service stops.
    pub shutdown_timeout_ms: u64,
}

impl Default for LimitSettings {
    fn default() -> Self {
        LimitSettings {
            connections_max: 1_024,
            connection_time_ms: 3_600_000,
            idle_timeout_ms: 75_000,
            header_timeout_ms: 10_000,
            header_bytes_max: 16_384,
            body_timeout_ms: 10_000,
            body_bytes_max: 65_536,
            answer_timeout_ms: 30_000,
            in_flight_max: 256,
            requests_per_second: 100,
            requests_burst: 200,
            failed_logins_per_minute: 30,
            address_header: String::new(),
            shutdown_timeout_ms: 30_000,
        }
    }
}

/// `[answers]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerSettings {
    /// Whether an offer request is answered at once, or later by E3.
    pub offers: Answers,
    /// How long a decision may take before the answer is `later`.
    pub deadline_ms: u64,
}

impl Default for AnswerSettings {
    fn default() -> Self {
        AnswerSettings { offers: Answers::Later, deadline_ms: 5_000 }
    }
}

/// When offer requests are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// In the answer itself, if the decision is there before the deadline; else later.
    Now,
    /// Later, by E3.
    Later,
}

impl ListenSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        check_loopback("listen", self.address, self.allow_other_machines, mistakes);
    }
}

impl OperationsSettings {
    pub(super) fn check(&self, listen: &ListenSettings, mistakes: &mut Vec<ConfigMistake>) {
        for (index, code) in self.decline_codes.iter().enumerate() {
            let is_fit = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
            if !(1..=40).contains(&code.len()) || !code.chars().all(is_fit) {
                let problem = "is not a code; use 1 to 40 letters, digits, `_` and `-`";
                mistakes.push(ConfigMistake::new(format!("operations.decline_codes[{index}]"), problem));
            }
        }
        if self.on_listen_address {
            return;
        }
        check_loopback("operations", self.address, self.allow_other_machines, mistakes);
        if self.address == listen.address && self.address.port() != 0 {
            let problem = "is the address of `[listen]`; give another, or `on_listen_address = true`";
            mistakes.push(ConfigMistake::new("operations.address", problem));
        }
    }
}

fn check_loopback(section: &str, address: SocketAddr, is_allowed: bool, mistakes: &mut Vec<ConfigMistake>) {
    if !address.ip().is_loopback() && !is_allowed {
        let problem = format!(
            "is reached by other machines, without encryption; give a loopback address and let a proxy end TLS, or \
             set `{section}.allow_other_machines = true`"
        );
        mistakes.push(ConfigMistake::new(format!("{section}.address"), problem));
    }
}

/// The most live credentials: the one in use, and the next.
pub const CREDENTIALS_MAX: usize = 2;

pub(super) fn check_credentials(credentials: &[CredentialSettings], mistakes: &mut Vec<ConfigMistake>) {
    if !(1..=CREDENTIALS_MAX).contains(&credentials.len()) {
        let problem = "needs one entry, or two while a password is replaced: `[[credentials]]` with `username` and \
                       `password`";
        mistakes.push(ConfigMistake::new("credentials", problem));
    }
    for (index, credential) in credentials.iter().enumerate() {
        let path = |key: &str| format!("credentials[{index}].{key}");
        if !fits_header(&credential.username) {
            let problem = "must be ASCII letters, digits and punctuation, without a blank at its ends";
            mistakes.push(ConfigMistake::new(path("username"), problem));
        }
        if credential.password.is_none() && !mistakes.iter().any(|mistake| mistake.path == path("password")) {
            let problem = "is missing; give `{ file = \"…\" }`, `{ env = \"…\" }` or `{ command = [\"…\"] }`";
            mistakes.push(ConfigMistake::new(path("password"), problem));
        }
    }
}

/// Whether a header carries the text unchanged.
pub(crate) fn fits_header(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

impl LimitSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        const HOUR: u64 = 3_600_000;
        let bounds = [
            ("connections_max", self.connections_max as u64, 1, 100_000),
            ("connection_time_ms", self.connection_time_ms, 1_000, 24 * HOUR),
            ("idle_timeout_ms", self.idle_timeout_ms, 10, HOUR),
            ("header_timeout_ms", self.header_timeout_ms, 10, HOUR),
            ("header_bytes_max", self.header_bytes_max as u64, 8_192, 1_048_576),
            ("body_timeout_ms", self.body_timeout_ms, 10, HOUR),
            ("body_bytes_max", self.body_bytes_max as u64, 1_024, 10_485_760),
            ("answer_timeout_ms", self.answer_timeout_ms, 10, HOUR),
            ("in_flight_max", self.in_flight_max as u64, 1, 100_000),
            ("requests_per_second", self.requests_per_second.into(), 1, 1_000_000),
            ("requests_burst", self.requests_burst.into(), 1, 1_000_000),
            ("failed_logins_per_minute", self.failed_logins_per_minute.into(), 0, 1_000_000),
            ("shutdown_timeout_ms", self.shutdown_timeout_ms, 0, HOUR),
        ];
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !self.address_header.bytes().all(is_name) {
            let problem = "is not the name of a header; give one such as \"x-forwarded-for\", or leave it empty";
            mistakes.push(ConfigMistake::new("limits.address_header", problem));
        }
        for (key, value, least, most) in bounds {
            if !(least..=most).contains(&value) {
                mistakes.push(ConfigMistake::new(format!("limits.{key}"), format!("is not from {least} to {most}")));
            }
        }
    }
}

impl AnswerSettings {
    pub(super) fn check(&self, limits: &LimitSettings, mistakes: &mut Vec<ConfigMistake>) {
        limits.check_deadline("answers.deadline_ms", self.deadline_ms, mistakes);
    }
}

impl LimitSettings {
    /// Whatever a reply waits for ends before the reply is given up.
    pub(super) fn check_deadline(&self, key: &str, deadline_ms: u64, mistakes: &mut Vec<ConfigMistake>) {
        if deadline_ms == 0 || deadline_ms >= self.answer_timeout_ms {
            let problem = "is not above zero and below `limits.answer_timeout_ms`";
            mistakes.push(ConfigMistake::new(key, problem));
        }
    }
}
