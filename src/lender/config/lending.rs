//! The sections about lending: the policy, the provider, and when things of a loan's life are done. Knows nothing of
//! who does them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::http::LimitSettings;
use super::password::PasswordSource;
use super::sections::ConfigMistake;
use crate::base::time::{Duration, TimeOfDay};

/// `[policy]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicySettings {
    /// The rule file, or a folder of versions.
    pub path: PathBuf,
    /// Values that replace those of the policy's parameters, as texts.
    pub parameters: BTreeMap<String, String>,
    /// How often the files are compared with the policy in force, in milliseconds.
    pub reload_ms: u64,
    /// How many threads decide; 0 is one per core.
    pub threads: usize,
    /// How many decisions may wait for a thread. Further ones are tried again.
    pub waiting_max: usize,
}

impl Default for PolicySettings {
    fn default() -> Self {
        PolicySettings {
            path: PathBuf::new(),
            parameters: BTreeMap::new(),
            reload_ms: 2_000,
            threads: 0,
            waiting_max: 256,
        }
    }
}

/// `[provider]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderSettings {
    /// The settings of the connection, as `provider pull` reads them.
    pub settings: Option<PathBuf>,
    /// The provider's address; overrides `base_url` of the settings.
    pub base_url: Option<String>,
    /// The lender's code; overrides `provider_code` of the settings.
    pub provider_code: Option<String>,
    /// Where the access token comes from: `{ file = "…" }`, `{ env = "…" }` or `{ command = […] }`; without it, `token`
    /// of the settings.
    pub token: Option<PasswordSource>,
    /// The terminal that E6 names.
    pub channel_terminal_id: String,
}

/// `[acceptance]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AcceptanceSettings {
    /// How many loans a customer may have at a time.
    pub open_loans_max: u32,
    /// When the account is verified (E5).
    pub verify_account: Verification,
    /// How long the reply may wait for the verification, in milliseconds.
    pub deadline_ms: u64,
    /// How long after a verification that the reply waited for the customer is credited, in milliseconds: the provider
    /// has to know the loan first.
    pub fund_after_ms: u64,
}

impl Default for AcceptanceSettings {
    fn default() -> Self {
        let verify_account = Verification::Now;
        AcceptanceSettings { open_loans_max: 1, verify_account, deadline_ms: 5_000, fund_after_ms: 1_000 }
    }
}

/// When the account of an acceptance is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// Before the reply, if that is possible within the deadline: the reply of a refused account is a refusal.
    Now,
    /// After the reply: a message tells the customer of a refused account.
    Later,
}

/// `[money]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransactionSettings {
    /// How long after sending an answer "not found" of E9 is not believed.
    pub settling_minutes: u32,
    /// After this long a transaction with an unknown outcome goes to a person.
    pub unknown_hours: u32,
    /// What follows if the provider does not know a transaction after the settling time.
    pub after_not_found: NotFound,
    /// How long a payment of the same amount as a debit may be the notification of that debit under a reference that
    /// we do not know. Within it a person decides; 0 posts it as the customer's.
    pub own_debit_hours: u32,
    /// The first wait before E9 queries an outcome, in milliseconds. It doubles.
    pub requery_first_ms: u64,
    /// The longest wait between two questions.
    pub requery_longest_ms: u64,
}

impl Default for TransactionSettings {
    fn default() -> Self {
        TransactionSettings {
            settling_minutes: 15,
            unknown_hours: 24,
            after_not_found: NotFound::Review,
            own_debit_hours: 72,
            requery_first_ms: 10_000,
            requery_longest_ms: 1_800_000,
        }
    }
}

/// What follows if the provider does not know a transaction after the settling time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotFound {
    /// A person decides.
    Review,
    /// It is sent again under the same id, for providers that carry out each id at most once.
    SendAgain,
}

/// `[collection]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectionSettings {
    /// The local time at which payments are collected on their due day.
    #[serde(deserialize_with = "time_of_day")]
    pub time_of_day: TimeOfDay,
    /// The further tries to collect a payment.
    pub retries: Vec<RetrySettings>,
}

impl Default for CollectionSettings {
    fn default() -> Self {
        // Nine hours are less than a day.
        let nine = TimeOfDay::from_milliseconds(9 * 3_600_000).expect("INVARIANT: a time of day");
        let day = |days: i64| RetrySettings { after: Duration::from_milliseconds(days * 86_400_000), percent: 100 };
        CollectionSettings { time_of_day: nine, retries: vec![day(1), day(3), day(7)] }
    }
}

/// One of `collection.retries`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrySettings {
    /// How long after the try before.
    #[serde(deserialize_with = "duration")]
    pub after: Duration,
    /// How much of what is owed of the payment, in percent. Below 100 only where part payment is allowed.
    #[serde(default = "all_of_it")]
    pub percent: u32,
}

fn all_of_it() -> u32 {
    100
}

fn time_of_day<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<TimeOfDay, D::Error> {
    let text = String::deserialize(deserializer)?;
    TimeOfDay::parse_iso(&text).ok_or_else(|| invalid_value_error("a time of day such as \"09:00\""))
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    Duration::parse_iso(&text).ok_or_else(|| invalid_value_error("a duration such as \"P1D\" or \"PT6H\""))
}

fn invalid_value_error<E: serde::de::Error>(expected: &str) -> E {
    E::custom(format!("invalid value, expected {expected}"))
}

/// `[messages]`: the texts that customers get. An empty text is not sent. Texts may show `{amount}`, `{owed}`, `{due}`
/// and `{loan}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessageSettings {
    /// The account was refused.
    pub account_refused: String,
    /// The loan was paid out.
    pub funded: String,
    /// A payment could not be collected.
    pub not_collected: String,
    /// The loan is paid back.
    pub closed: String,
}

impl Default for MessageSettings {
    fn default() -> Self {
        let text = str::to_owned;
        MessageSettings {
            account_refused: text("The account you gave for your loan could not be verified. Please give another one."),
            funded: text(
                "Your loan of {amount} has been paid to your account. {owed} is to be paid back, the next payment by \
                 {due}.",
            ),
            not_collected: text("A payment for your loan could not be collected. {owed} is still to be paid."),
            closed: text("Your loan has been paid back. Thank you."),
        }
    }
}

/// `[calls]`: the calls to the provider that a loan needs. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallSettings {
    /// How many loans are worked on at once.
    pub in_flight_max: usize,
    /// The longest pause between two looks for work that other instances stored.
    pub look_every_ms: u64,
    /// The first wait after a call that did not go out. It doubles.
    pub first_wait_ms: u64,
    /// The longest wait between two tries.
    pub longest_wait_ms: u64,
    /// After this long without success a call is given up, and a person decides.
    pub give_up_hours: u32,
}

impl Default for CallSettings {
    fn default() -> Self {
        CallSettings {
            in_flight_max: 32,
            look_every_ms: 500,
            first_wait_ms: 5_000,
            longest_wait_ms: 600_000,
            give_up_hours: 24,
        }
    }
}

/// `[testing]`: for trying the service out against a provider on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TestingSettings {
    /// How far the service's clock is ahead of the system's, so that payments come due.
    #[serde(deserialize_with = "some_duration")]
    pub clock_ahead: Option<Duration>,
}

fn some_duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}

impl TestingSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        let most = Duration::from_milliseconds(10 * 366 * 86_400_000);
        let none = Duration::from_milliseconds(0);
        if self.clock_ahead.is_some_and(|ahead| !(none..=most).contains(&ahead)) {
            mistakes.push(ConfigMistake::new("testing.clock_ahead", "is not from zero to ten years"));
        }
    }
}

const HOUR_MS: u64 = 3_600_000;

/// Mistakes of numbers outside their bounds: key, value, least and most.
fn check_bounds(section: &str, bounds: &[(&str, u64, u64, u64)], mistakes: &mut Vec<ConfigMistake>) {
    for (key, value, least, most) in bounds {
        if !(least..=most).contains(&value) {
            mistakes.push(ConfigMistake::new(format!("{section}.{key}"), format!("is not from {least} to {most}")));
        }
    }
}

/// A wait in milliseconds, and its key.
struct Wait {
    key: &'static str,
    ms: u64,
}

fn check_waits(section: &str, first: &Wait, longest: &Wait, mistakes: &mut Vec<ConfigMistake>) {
    let bounds = [first, longest].map(|wait| (wait.key, wait.ms, 1, 24 * HOUR_MS));
    check_bounds(section, &bounds, mistakes);
    if first.ms > longest.ms {
        mistakes
            .push(ConfigMistake::new(format!("{section}.{}", first.key), format!("is more than `{}`", longest.key)));
    }
}

impl PolicySettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        if self.path.as_os_str().is_empty() && !mistakes.iter().any(|mistake| mistake.path == "policy.path") {
            mistakes.push(ConfigMistake::new("policy.path", "is missing; name a rule file, or a folder of versions"));
        }
        let bounds = [
            ("reload_ms", self.reload_ms, 100, HOUR_MS),
            ("threads", self.threads as u64, 0, 1_024),
            ("waiting_max", self.waiting_max as u64, 1, 100_000),
        ];
        check_bounds("policy", &bounds, mistakes);
    }

    pub(super) fn below(&mut self, folder: &Path) {
        self.path = folder.join(&self.path);
    }
}

impl ProviderSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        if self.settings.is_none() && self.base_url.is_none() {
            let problem = "is missing; name the file with the settings of the connection, or give `base_url`";
            mistakes.push(ConfigMistake::new("provider.settings", problem));
        }
        if self.channel_terminal_id.trim().is_empty() {
            let problem = "is missing; give the terminal that the provider expects in E6";
            mistakes.push(ConfigMistake::new("provider.channel_terminal_id", problem));
        }
    }

    pub(super) fn below(&mut self, folder: &Path) {
        if let Some(path) = &mut self.settings {
            *path = folder.join(&*path);
        }
        if let Some(source) = &mut self.token {
            source.below(folder);
        }
    }
}

impl AcceptanceSettings {
    pub(super) fn check(&self, limits: &LimitSettings, mistakes: &mut Vec<ConfigMistake>) {
        let bounds = [
            ("open_loans_max", self.open_loans_max.into(), 1, 1_000),
            ("fund_after_ms", self.fund_after_ms, 0, HOUR_MS),
        ];
        check_bounds("acceptance", &bounds, mistakes);
        if self.verify_account == Verification::Now {
            limits.check_deadline("acceptance.deadline_ms", self.deadline_ms, mistakes);
        }
    }
}

impl TransactionSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        let bounds = [
            ("settling_minutes", self.settling_minutes.into(), 0, 7 * 24 * 60),
            ("unknown_hours", self.unknown_hours.into(), 1, 90 * 24),
            ("own_debit_hours", self.own_debit_hours.into(), 0, 90 * 24),
        ];
        check_bounds("money", &bounds, mistakes);
        if u64::from(self.settling_minutes) >= u64::from(self.unknown_hours) * 60 {
            mistakes.push(ConfigMistake::new("money.settling_minutes", "is not below `unknown_hours`"));
        }
        let first = Wait { key: "requery_first_ms", ms: self.requery_first_ms };
        let longest = Wait { key: "requery_longest_ms", ms: self.requery_longest_ms };
        check_waits("money", &first, &longest, mistakes);
    }
}

impl CollectionSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        for (index, retry) in self.retries.iter().enumerate() {
            let path = |key: &str| format!("collection.retries[{index}].{key}");
            if !(1..=365 * 86_400_000).contains(&retry.after.milliseconds()) {
                mistakes.push(ConfigMistake::new(path("after"), "is not above zero and at most 365 days"));
            }
            if !(1..=100).contains(&retry.percent) {
                mistakes.push(ConfigMistake::new(path("percent"), "is not from 1 to 100"));
            }
        }
    }
}

impl MessageSettings {
    /// The texts by name.
    pub fn texts(&self) -> [(&'static str, &str); 4] {
        [
            ("account_refused", &self.account_refused),
            ("funded", &self.funded),
            ("not_collected", &self.not_collected),
            ("closed", &self.closed),
        ]
    }

    /// `placeholders` may be shown, with their braces.
    pub(super) fn check(&self, placeholders: &[&str], mistakes: &mut Vec<ConfigMistake>) {
        for (name, text) in self.texts() {
            let rest = placeholders.iter().fold(text.to_owned(), |rest, known| rest.replace(known, ""));
            if rest.contains(['{', '}']) {
                let problem = format!("has a brace that belongs to none of {}", placeholders.join(", "));
                mistakes.push(ConfigMistake::new(format!("messages.{name}"), problem));
            }
        }
    }
}

impl CallSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        let bounds = [
            ("in_flight_max", self.in_flight_max as u64, 1, 10_000),
            ("look_every_ms", self.look_every_ms, 10, 60_000),
            ("give_up_hours", self.give_up_hours.into(), 1, 90 * 24),
        ];
        check_bounds("calls", &bounds, mistakes);
        let first = Wait { key: "first_wait_ms", ms: self.first_wait_ms };
        let longest = Wait { key: "longest_wait_ms", ms: self.longest_wait_ms };
        check_waits("calls", &first, &longest, mistakes);
    }
}
