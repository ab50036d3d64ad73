//! Where a password comes from. It is never in the configuration itself, which is copied and printed. Knows nothing
//! of who checks it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::base::secret::Secret;
use crate::lender::store::error::StoreError;
use crate::lender::store::require_private_secret;
use crate::provider::client::{Command, Fetching, File, TokenError, TokenSource};

/// The source of a password.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PasswordSource {
    /// A file that holds it, with optional white space around it, and that only its owner can read.
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
            PasswordSource::File(path) => PrivateFile::new(path).fetch().await,
            PasswordSource::Command(command) => match Command::new(command, None) {
                Ok(command) => command.fetch().await,
                Err(_) => return Err("`command` names no program".to_owned()),
            },
        };
        fetched.map(|token| token.secret).map_err(|error| error.problem)
    }
}

/// A [`File`] that only its owner can read. Each reading looks again, because programs that renew a token replace the
/// file.
#[derive(Debug, Clone)]
pub(crate) struct PrivateFile {
    path: PathBuf,
    file: File,
}

impl PrivateFile {
    pub(crate) fn new(path: &Path) -> Self {
        PrivateFile { path: path.to_owned(), file: File::new(path) }
    }
}

impl TokenSource for PrivateFile {
    fn fetch(&self) -> Fetching<'_> {
        Box::pin(async {
            let path = self.path.clone();
            let looked = tokio::task::spawn_blocking(move || {
                // A file that cannot be opened is named by the reading.
                std::fs::File::open(&path).map_or(Ok(()), |file| require_private_secret(&file, &path))
            });
            match looked.await {
                Ok(Ok(())) => self.file.fetch().await,
                Ok(Err(StoreError::Unsuitable(why))) => Err(TokenError::lasting(why)),
                Ok(Err(error)) => Err(TokenError::lasting(error.to_string())),
                Err(_) => Err(TokenError::transient("reading its file was broken off")),
            }
        })
    }
}
