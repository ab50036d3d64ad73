//! `[decisions]`: where decisions are kept, which policies decide in the shadow, and the interface over HTTP for the
//! lender's own systems. Knows nothing of how decisions come about.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::sections::ConfigMistake;

/// `[decisions]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionSettings {
    /// The book of decisions: a SQLite file, made if it is missing, or `postgres`, with its address in the environment
    /// variable `LENDWRIGHT_BOOK_URL`. Its seal is that of the loan book.
    pub book: Option<PathBuf>,
    /// Policies that decide in the shadow, by name.
    pub shadows: BTreeMap<String, PathBuf>,
    /// After so many days the personal part of a decision is erased; 0 keeps it.
    pub keep_days: u32,
    /// A loan is bad once a payment is so many days past due.
    pub bad_after_days: u32,
    /// Only if that happens within so many days after it was paid out.
    pub bad_within_days: u32,
    /// The address of the interface of `lendwright api`, with the policy of this service.
    pub api_address: Option<SocketAddr>,
    /// The keys of those who call it; without them only this machine is answered.
    pub api_keys_file: Option<PathBuf>,
}

impl Default for DecisionSettings {
    fn default() -> Self {
        DecisionSettings {
            book: None,
            shadows: BTreeMap::new(),
            keep_days: 0,
            bad_after_days: 30,
            bad_within_days: 365,
            api_address: None,
            api_keys_file: None,
        }
    }
}

impl DecisionSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        let mut wrong = |key: &str, problem: &str| {
            mistakes.push(ConfigMistake::new(format!("decisions.{key}"), problem));
        };
        if self.book.is_none() && (!self.shadows.is_empty() || self.keep_days > 0) {
            wrong("book", "is missing; shadows and `keep_days` need a book of decisions");
        }
        if self.keep_days > 36_500 {
            wrong("keep_days", "is not from 0 to 36500");
        }
        if !(1..=3_650).contains(&self.bad_after_days) {
            wrong("bad_after_days", "is not from 1 to 3650");
        }
        if !(self.bad_after_days..=3_650).contains(&self.bad_within_days) {
            wrong("bad_within_days", "is not from `bad_after_days` to 3650");
        }
        if self.api_address.is_none() && self.api_keys_file.is_some() {
            wrong("api_address", "is missing; the keys are for it");
        }
        if self.api_address.is_some_and(|address| !address.ip().is_loopback()) && self.api_keys_file.is_none() {
            wrong("api_keys_file", "is missing; an address that other machines reach needs keys");
        }
    }

    pub(super) fn below(&mut self, folder: &Path) {
        let book = self.book.iter_mut().filter(|book| book.as_os_str() != "postgres");
        for path in book.chain(&mut self.api_keys_file).chain(self.shadows.values_mut()) {
            *path = folder.join(&*path);
        }
    }
}
