//! `[store]`: where the loan book is, and what encrypts the personal data in it. Knows nothing of databases.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::password::PasswordSource;
use super::sections::ConfigMistake;

/// `[store]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// The SQLite file, made by `lendwright serve --init`.
    pub path: Option<PathBuf>,
    /// The PostgreSQL database instead, `postgresql://user@host:port/database`, without a password.
    pub url: Option<String>,
    /// Where a URL with a password comes from: `{ file = "…" }`, `{ env = "…" }` or `{ command = […] }`.
    pub url_from: Option<PasswordSource>,
    /// A PEM file of certificates that a PostgreSQL server may have, in addition to the system's.
    pub root_certificates: Option<PathBuf>,
    /// The file that knows how far the loan book has come, by which an older copy is recognised. By default, next to a
    /// SQLite file, under its name with `.seen`; for PostgreSQL, none unless it is named here.
    pub seen_file: Option<PathBuf>,
    /// Whether personal data is encrypted.
    pub encryption: Encryption,
    /// The file with the keys.
    pub keys_file: Option<PathBuf>,
    /// A program that prints the keys, and its arguments.
    pub keys_command: Option<Vec<String>>,
}

/// Whether personal data is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encryption {
    /// By the keys of `keys_file` or `keys_command`.
    #[default]
    Keys,
    /// It is stored readable.
    None,
}

impl StoreSettings {
    pub(super) fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        let given = [self.path.is_some(), self.url.is_some(), self.url_from.is_some()];
        match given.into_iter().filter(|is_given| *is_given).count() {
            1 => {}
            0 => mistakes.push(ConfigMistake::new(
                "store.path",
                "is missing; name the SQLite file, or give `url` or `url_from` for PostgreSQL",
            )),
            _ => mistakes
                .push(ConfigMistake::new("store", "has more than one of `path`, `url` and `url_from`; keep one")),
        }
        if self.url.as_deref().is_some_and(has_password) {
            let problem = "has a password; give the whole URL by `url_from = { file = \"…\" }`, `env` or `command`";
            mistakes.push(ConfigMistake::new("store.url", problem));
        }
        if self.root_certificates.is_some() && self.path.is_some() {
            mistakes.push(ConfigMistake::new("store.root_certificates", "is for PostgreSQL alone; remove it"));
        }
        self.check_keys(mistakes);
    }

    fn check_keys(&self, mistakes: &mut Vec<ConfigMistake>) {
        match (self.encryption, &self.keys_file, &self.keys_command) {
            (Encryption::Keys, None, None) => mistakes.push(ConfigMistake::new(
                "store.keys_file",
                "is missing; name the file with the keys, give `keys_command`, or write `encryption = \"none\"` to \
                 store personal data readable",
            )),
            (Encryption::Keys, Some(_), Some(_)) => {
                mistakes.push(ConfigMistake::new("store", "has both `keys_file` and `keys_command`; keep one"));
            }
            (Encryption::Keys, _, Some(command)) if command.first().is_none_or(String::is_empty) => {
                mistakes.push(ConfigMistake::new(
                    "store.keys_command",
                    "names no program; write `[\"program\", \"argument\"]`",
                ));
            }
            (Encryption::None, Some(_), _) | (Encryption::None, _, Some(_)) => mistakes.push(ConfigMistake::new(
                "store.encryption",
                "is \"none\" although keys are given; remove it, or the keys",
            )),
            _ => {}
        }
    }

    pub(super) fn below(&mut self, folder: &Path) {
        let paths = [&mut self.path, &mut self.root_certificates, &mut self.seen_file, &mut self.keys_file];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&*path);
        }
        if let Some(source) = &mut self.url_from {
            source.below(folder);
        }
    }
}

/// Whether a URL has something between `:` and `@` of its authority, or a parameter of this name.
fn has_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    user.contains(':')
        || url.to_ascii_lowercase().contains("password=")
        || url.to_ascii_lowercase().contains("password =")
}
