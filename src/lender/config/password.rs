//! Where a password comes from. It is never in the configuration itself, which is copied and printed. Knows nothing
//! of who checks it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::base::secret::Secret;
use crate::provider::client::{Command, File, TokenSource};

/// The source of a password.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PasswordSource {
    /// A file that holds it, with optional white space around it.
    File(PathBuf),
    /// An environment variable.
    Env(String),
    /// A program that prints it, and its arguments.
    Command(Vec<String>),
}

impl PasswordSource {
    /// A relative path counts from this folder.
    pub(super) fn below(&mut self, folder: &Path) {
        if let PasswordSource::File(path) = self {
            *path = folder.join(&*path);
        }
    }

    /// Gets the password. `variable` looks up an environment variable.
    ///
    /// # Errors
    /// What is wrong, in words without the password.
    pub async fn read(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Secret, String> {
        let fetched = match self {
            PasswordSource::Env(name) => {
                let found = variable(name).filter(|text| !text.trim().is_empty());
                let text = found.ok_or_else(|| format!("the environment variable `{name}` is not set, or empty"))?;
                return Ok(Secret::new(text.trim()));
            }
            PasswordSource::File(path) => File::new(path).fetch().await,
            PasswordSource::Command(command) => match Command::new(command, None) {
                Ok(command) => command.fetch().await,
                Err(_) => return Err("`command` names no program".to_owned()),
            },
        };
        fetched.map(|token| token.secret).map_err(|error| error.problem)
    }
}
