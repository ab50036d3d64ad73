//! `[pay_bill]`: the receiver of Pay Bill's webhooks. Knows nothing of what is done with them.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::sections::ConfigMistake;

/// `[pay_bill]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PayBillSettings {
    /// The path of webhooks at the address of `[listen]`, such as `/pay-bill/events`; empty if none are received.
    pub webhook_path: String,
    /// The folder of the bills that `bill create --store` wrote.
    pub bills: PathBuf,
    /// The folder that keeps events until they are checked.
    pub inbox: PathBuf,
    /// How many bytes the inbox may take.
    pub inbox_bytes_max: u64,
    /// How often waiting events are checked again, in milliseconds.
    pub check_every_ms: u64,
}

impl Default for PayBillSettings {
    fn default() -> Self {
        PayBillSettings {
            webhook_path: String::new(),
            bills: PathBuf::from("bills"),
            inbox: PathBuf::from("inbox"),
            inbox_bytes_max: 100_000_000,
            check_every_ms: 300_000,
        }
    }
}

/// Paths that the address of operations has.
const TAKEN: [&str; 3] = ["/health", "/metrics", "/openapi.json"];

impl PayBillSettings {
    /// Whether webhooks are received.
    pub fn is_on(&self) -> bool {
        !self.webhook_path.is_empty()
    }

    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        if self.is_on() {
            let is_plain = |part: &str| {
                !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
            };
            let is_path = self.webhook_path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_plain));
            if !is_path {
                let problem = "is not a path such as `/pay-bill/events`, of letters, digits, `-`, `_` and `.`";
                mistakes.push(ConfigMistake::new("pay_bill.webhook_path", problem));
            } else if TAKEN.iter().any(|taken| self.webhook_path.starts_with(taken)) {
                mistakes.push(ConfigMistake::new("pay_bill.webhook_path", "is a path of operations; give another"));
            }
        }
        if self.inbox_bytes_max < 100_000 {
            mistakes.push(ConfigMistake::new("pay_bill.inbox_bytes_max", "is below 100000"));
        }
        if !(100..=86_400_000).contains(&self.check_every_ms) {
            mistakes.push(ConfigMistake::new("pay_bill.check_every_ms", "is not from 100 to 86400000"));
        }
    }

    pub(super) fn below(&mut self, folder: &Path) {
        for path in [&mut self.bills, &mut self.inbox] {
            *path = folder.join(&*path);
        }
    }
}
