//! Reads a file section by section and key by key, so that one mistake does not hide another. Knows nothing of what a
//! section means.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// Something wrong in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` {problem}")]
pub struct ConfigMistake {
    /// The key, such as `limits.body_bytes_max`.
    pub path: String,
    /// What is wrong, and what to do. Never a value, which may be secret.
    pub problem: String,
}

impl ConfigMistake {
    /// A mistake at a key.
    pub fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        ConfigMistake { path: path.into(), problem: problem.into() }
    }
}

/// The sections of a file that have not been read yet.
pub(super) struct Sections {
    table: Table,
    known: Vec<&'static str>,
    mistakes: Vec<ConfigMistake>,
}

impl Sections {
    pub(super) fn read(text: &str) -> Result<Self, ConfigMistake> {
        match toml::from_str::<Table>(text) {
            Ok(table) => Ok(Sections { table, known: Vec::new(), mistakes: Vec::new() }),
            Err(error) => {
                let line = error
                    .span()
                    .map_or(1, |span| text.get(..span.start).map_or(1, |before| before.matches('\n').count() + 1));
                Err(ConfigMistake::new(format!("line {line}"), format!("is not TOML: {}", first_line(&error))))
            }
        }
    }

    /// A section; its default where the file does not have it. Each of its keys must be readable alone.
    pub(super) fn section<T: DeserializeOwned + Default>(&mut self, name: &'static str) -> T {
        self.known.push(name);
        match self.table.remove(name) {
            None => T::default(),
            Some(Value::Table(table)) => self.keys(name, table),
            Some(_) => {
                self.mistakes
                    .push(ConfigMistake::new(name, format!("is not a section; write `[{name}]` above its keys")));
                T::default()
            }
        }
    }

    /// A list of sections of one name.
    pub(super) fn list<T: DeserializeOwned + Default>(&mut self, name: &'static str) -> Vec<T> {
        self.known.push(name);
        let Some(found) = self.table.remove(name) else { return Vec::new() };
        let Value::Array(values) = found else {
            self.mistakes
                .push(ConfigMistake::new(name, format!("is not a list; write `[[{name}]]` above each of them")));
            return Vec::new();
        };
        let mut read = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            let path = format!("{name}[{index}]");
            match value {
                Value::Table(table) => read.push(self.keys(&path, table)),
                _ => self.mistakes.push(ConfigMistake::new(path, format!("is not a section; write `[[{name}]]`"))),
            }
        }
        read
    }

    /// The sections below one name, such as `[source.bureau]`, by their own names.
    pub(super) fn named<T: DeserializeOwned + Default>(&mut self, name: &'static str) -> BTreeMap<String, T> {
        self.known.push(name);
        let Some(found) = self.table.remove(name) else { return BTreeMap::new() };
        let mut read = BTreeMap::new();
        for (own, value) in found.as_table().cloned().unwrap_or_default() {
            let path = format!("{name}.{own}");
            match value {
                Value::Table(table) => drop(read.insert(own, self.keys(&path, table))),
                _ => {
                    let problem = format!("is not a section; write `[{name}.NAME]` above the keys");
                    self.mistakes.push(ConfigMistake::new(path, problem));
                }
            }
        }
        read
    }

    /// What is left is unknown. Returns all mistakes so far.
    pub(super) fn finish(mut self) -> Vec<ConfigMistake> {
        let known = self.known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        for name in self.table.keys() {
            self.mistakes.push(ConfigMistake::new(name, format!("is unknown; there are {known}")));
        }
        self.mistakes
    }

    fn keys<T: DeserializeOwned + Default>(&mut self, path: &str, table: Table) -> T {
        let mut good = Table::new();
        for (key, value) in table {
            let alone = Table::from_iter([(key.clone(), value)]);
            match alone.clone().try_into::<T>() {
                Ok(_) => good.extend(alone),
                Err(error) => {
                    self.mistakes.push(ConfigMistake::new(format!("{path}.{key}"), plain_toml_message(&error)))
                }
            }
        }
        good.try_into::<T>().unwrap_or_default()
    }
}

fn first_line(error: &toml::de::Error) -> &str {
    error.message().lines().next().unwrap_or("cannot be read")
}

/// The reader's words, without the value, which may be a secret, and without the names of Rust's types.
fn plain_toml_message(error: &toml::de::Error) -> String {
    let message = first_line(error);
    match message.split_once(", expected ") {
        Some((_, expected)) if message.starts_with("unknown field") => format!("is unknown; expected {expected}"),
        Some((_, "usize" | "u64" | "u32")) => "is not a whole number from zero up".to_owned(),
        // The text before may be the value.
        Some((_, expected)) => format!("has a wrong value; expected {expected}"),
        None => format!("has a wrong value: {message}"),
    }
}
