//! How the commands reach the provider: settings, provider code, token. The one place that reads the token from the
//! environment.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::client::blocking::Client;
use crate::wire::Settings;
use crate::words::secret::Secret;

/// The environment variable that holds the access token.
pub const TOKEN_VARIABLE: &str = "LENDWRIGHT_TOKEN";

/// Options of all commands that call the provider.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionArgs {
    /// The provider's address; takes the place of `base_url` in the settings
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The lender's provider code; takes the place of `provider_code` in the settings
    #[arg(long, value_name = "CODE")]
    pub provider_code: Option<String>,
    /// A file that holds the access token; without it the environment variable LENDWRIGHT_TOKEN is read
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A TOML file with the connection's settings: addresses, layouts, timeouts, limits
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

impl ConnectionArgs {
    /// The settings of the file with the options over them.
    pub fn settings(&self) -> Result<Settings, String> {
        let mut settings = match &self.settings {
            Some(path) => read_settings(path)?,
            None => Settings::default(),
        };
        if let Some(base_url) = &self.base_url {
            settings.base_url.clone_from(base_url);
        }
        if let Some(provider_code) = &self.provider_code {
            settings.provider_code.clone_from(provider_code);
        }
        if settings.base_url.is_empty() {
            return Err(
                "no provider to call; give `--base-url URL`, or `base_url` in the file of `--settings`".to_owned()
            );
        }
        Ok(settings)
    }

    /// A client for the provider.
    pub fn client(&self) -> Result<Client, String> {
        // The token last: a wrong file of settings should not look like a missing token.
        let settings = self.settings()?;
        Client::new(settings, self.token()?).map_err(|error| error.to_string())
    }

    /// A client that will not send anything, for showing requests.
    pub fn dry_client(&self) -> Result<Client, String> {
        Client::new(self.settings()?, Secret::new("dry-run")).map_err(|error| error.to_string())
    }

    fn token(&self) -> Result<Secret, String> {
        let (text, place) = match &self.token_file {
            Some(path) => (read(path)?, format!("`{}`", path.display())),
            None => match std::env::var(TOKEN_VARIABLE) {
                Ok(text) => (text, format!("the environment variable `{TOKEN_VARIABLE}`")),
                Err(_) => {
                    return Err(format!("no access token; set `{TOKEN_VARIABLE}`, or give `--token-file FILE`"));
                }
            },
        };
        match text.trim() {
            "" => Err(format!("the access token in {place} is empty")),
            token => Ok(Secret::new(token)),
        }
    }
}

/// Reads a file of settings.
pub fn read_settings(path: &Path) -> Result<Settings, String> {
    parse_toml(path)
}

/// Reads a TOML file into a value; an error names the file, the place and the problem.
pub(crate) fn parse_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = read(path)?;
    toml::from_str(&text).map_err(|error| {
        // The parser's long form quotes the line, which may hold a secret such as a proxy's password.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{line}:{column}: {}", path.display(), error.message())
    })
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}
