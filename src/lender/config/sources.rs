//! `[source.NAME]`: where inputs come from that neither the statement nor the request has, such as a bureau's report.
//! Knows nothing of how a source is queried.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::password::PasswordSource;
use super::sections::{ConfigMistake, Sections};
use crate::provider::client::reqwest::Url;
use crate::provider::tls::is_this_machine;

/// The name of the sections.
pub(super) const SECTION: &str = "source";

/// `[source.NAME]`. It has a `url`, a `command` or a `file`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceSettings {
    /// The address of a service that answers in JSON; may have placeholders, such as `{request.bvn}`.
    pub url: String,
    /// How the service is called.
    pub method: SourceMethod,
    /// Headers of the call: a text, or where a secret comes from.
    pub headers: BTreeMap<String, HeaderSetting>,
    /// Own certificates, besides those of the system.
    pub root_certificates: Option<PathBuf>,
    /// Whether a service on another machine may be called without TLS.
    pub allow_plain_http: bool,
    /// A program that reads the question as JSON and prints the answer as JSON.
    pub command: Vec<String>,
    /// A table as CSV, with a row for each key.
    pub file: PathBuf,
    /// What the source is queried by: names, and texts with placeholders. Of a file: the column of keys, and the key.
    pub send: BTreeMap<String, String>,
    /// Where the inputs are in the answer.
    pub fields: BTreeMap<String, FieldSetting>,
    /// The unit of money in the answer.
    pub money: Option<MoneyUnit>,
    /// How long a decision waits for the source, in milliseconds.
    pub deadline_ms: u64,
    /// How often a question is queried within that time if the source fails.
    pub attempts: u32,
    /// How long an answer is used again for the same question, in seconds.
    pub remember_s: u64,
    /// How many questions are queried at once.
    pub at_once_max: usize,
    /// After so many failures one after the other the source is not queried for a while.
    pub pause_after_failures: u32,
    /// How long, in milliseconds.
    pub pause_ms: u64,
}

impl Default for SourceSettings {
    fn default() -> Self {
        SourceSettings {
            url: String::new(),
            method: SourceMethod::Post,
            headers: BTreeMap::new(),
            root_certificates: None,
            allow_plain_http: false,
            command: Vec::new(),
            file: PathBuf::new(),
            send: BTreeMap::new(),
            fields: BTreeMap::new(),
            money: None,
            deadline_ms: 2_000,
            attempts: 2,
            remember_s: 0,
            at_once_max: 16,
            pause_after_failures: 5,
            pause_ms: 30_000,
        }
    }
}

/// How a service is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceMethod {
    /// The question is the body, as JSON.
    Post,
    /// The question is the query.
    Get,
}

/// The value of a header.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum HeaderSetting {
    /// As it is.
    Plain(String),
    /// The whole value from elsewhere.
    Secret(PasswordSource),
}

/// Where an input is in an answer: a JSONPath, or the name of a column.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum FieldSetting {
    /// A value.
    Value(String),
    /// `entries` leads to the entries of a list, and the others to the fields within each.
    Entries(BTreeMap<String, String>),
}

/// The key of [`FieldSetting::Entries`] that leads to the entries.
pub(crate) const ENTRIES: &str = "entries";

/// The unit of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoneyUnit {
    /// Such as kobo.
    Minor,
    /// Such as naira.
    Major,
}

/// Reads a file that has sources and nothing else.
///
/// # Errors
/// All mistakes.
pub fn read_sources(text: &str) -> Result<BTreeMap<String, SourceSettings>, Vec<ConfigMistake>> {
    let mut sections = Sections::read(text).map_err(|mistake| vec![mistake])?;
    let sources: BTreeMap<String, SourceSettings> = sections.named(SECTION);
    let mut mistakes = sections.finish();
    sources.iter().for_each(|(name, source)| source.check(name, &mut mistakes));
    if sources.is_empty() && mistakes.is_empty() {
        mistakes.push(ConfigMistake::new(SECTION, "is missing; write `[source.bureau]` above the keys of a source"));
    }
    if mistakes.is_empty() { Ok(sources) } else { Err(mistakes) }
}

impl SourceSettings {
    pub(super) fn check(&self, name: &str, mistakes: &mut Vec<ConfigMistake>) {
        let mut wrong = |key: &str, problem: String| {
            mistakes.push(ConfigMistake::new(format!("{SECTION}.{name}.{key}"), problem));
        };
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if name.is_empty() || !is_plain(name) {
            wrong(
                "url",
                "belongs to a source with other signs in its name than letters, digits, `-` and `_`".to_owned(),
            );
        }
        let has_file = !self.file.as_os_str().is_empty();
        let kinds = [!self.url.is_empty(), !self.command.is_empty(), has_file];
        if kinds.into_iter().filter(|has| *has).count() != 1 {
            wrong("url", "is one way to ask, `command` and `file` are the others; give exactly one".to_owned());
        }
        if let Some(problem) = self.url_problem() {
            wrong("url", problem);
        }
        if has_file && self.send.len() != 1 {
            wrong(
                "send",
                "is `{ COLUMN = \"{request.NAME}\" }` for a file: the column of keys, and the key".to_owned(),
            );
        }
        if self.fields.is_empty() {
            wrong("fields", "is empty; name the inputs: `\"bureau.score\" = \"$.report.score\"`".to_owned());
        }
        if !(10..=60_000).contains(&self.deadline_ms) {
            wrong("deadline_ms", "is not from 10 to 60000".to_owned());
        }
        for (key, value, most) in [
            ("attempts", u64::from(self.attempts), 5),
            ("at_once_max", self.at_once_max as u64, 1_000),
            ("pause_after_failures", u64::from(self.pause_after_failures), 1_000),
        ] {
            if !(1..=most).contains(&value) {
                wrong(key, format!("is not from 1 to {most}"));
            }
        }
        if self.remember_s > 31 * 86_400 {
            wrong("remember_s", "is longer than 31 days".to_owned());
        }
        if !(100..=3_600_000).contains(&self.pause_ms) {
            wrong("pause_ms", "is not from 100 to 3600000".to_owned());
        }
    }

    fn url_problem(&self) -> Option<String> {
        if self.url.is_empty() {
            return None;
        }
        let fixed = self.url.split("://").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next());
        let has_fixed_host = fixed.is_some_and(|host| !host.contains(['{', '@']));
        let url = Url::parse(&self.url.replace(['{', '}'], "_")).ok();
        let url = url.filter(|url| has_fixed_host && matches!(url.scheme(), "http" | "https"));
        let Some((scheme, host)) = url.as_ref().and_then(|url| Some((url.scheme(), url.host_str()?))) else {
            return Some("is not an address such as `https://bureau.example/reports`, with a fixed host".to_owned());
        };
        (scheme == "http" && !is_this_machine(host) && !self.allow_plain_http).then(|| {
            "would send personal data unencrypted to another machine; use `https`, or set `allow_plain_http`".to_owned()
        })
    }

    /// Relative paths count from this folder, also of a program with a folder in its name.
    pub(crate) fn below(&mut self, folder: &Path) {
        if !self.file.as_os_str().is_empty() {
            self.file = folder.join(&self.file);
        }
        if let Some(path) = &mut self.root_certificates {
            *path = folder.join(&*path);
        }
        if let Some(program) = self.command.first_mut().filter(|program| program.contains('/')) {
            *program = folder.join(&*program).to_string_lossy().into_owned();
        }
        for header in self.headers.values_mut() {
            if let HeaderSetting::Secret(secret) = header {
                secret.below(folder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named_with_their_keys() {
        let good = "[source.crc]\nurl = 'https://crc.example/r'\nsend = { bvn = '{request.bvn}' }\n\
                    [source.crc.fields]\n'bureau.score' = '$.score'\n";
        assert!(read_sources(good).is_ok());
        for (from, to, wanted) in [
            ("https", "http", "`source.crc.url` would send personal data unencrypted"),
            ("https://crc.example", "https://{request.bvn}", "`source.crc.url` is not an address"),
            ("send", "deadline_ms = 5\nsend", "`source.crc.deadline_ms` is not from 10 to 60000"),
            ("send", "command = ['x']\nsend", "`source.crc.url` is one way to ask"),
            ("url", "file = 'x.csv'\n#", "`source.crc.send` is `{ COLUMN"),
            ("'bureau.score' = '$.score'", "", "`source.crc.fields` is empty"),
            ("send", "sent = 1\nsend", "`source.crc.sent` is unknown; expected"),
            ("[source.crc]\n", "[source]\n", "`source.url` is not a section"),
        ] {
            let text = match to.starts_with("file") {
                true => good.replace(from, to).replace("send = { bvn = '{request.bvn}' }", ""),
                false => good.replace(from, to),
            };
            let mistakes = read_sources(&text).expect_err(wanted);
            let told = mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
            assert!(told.contains(wanted), "{told}");
        }
    }
}
