//! Access tokens: where they come from, and how long one is used. Knows nothing of the calls that carry them.
//!
//! A source fetches a token. The cache keeps it until shortly before it expires, or until the provider refuses it.
//! Calls that need a new one wait for the same fetch.

mod cache;
mod command;
mod credentials;
mod error;
mod file;
mod source;

use std::time::Duration;

pub use command::Command;
pub use credentials::ClientCredentials;
pub use error::TokenError;
pub use file::File;
pub use source::{Fetching, Token, TokenSource};

pub(super) use cache::Tokens;

use super::Error;
use crate::provider::wire::{Settings, TokenSettings};

/// The source that the settings name under `token`, if any.
///
/// # Errors
/// `configuration`: an address or a command that cannot be used.
pub fn from_settings(settings: &Settings) -> Result<Option<Box<dyn TokenSource>>, Error> {
    Ok(match &settings.token {
        None => None,
        Some(TokenSettings::File { path }) => Some(Box::new(File::new(path))),
        Some(TokenSettings::Command { command, lifetime_s }) => {
            Some(Box::new(Command::new(command, lifetime_s.map(Duration::from_secs))?))
        }
        Some(TokenSettings::ClientCredentials { url, client_id, client_secret, scope, authentication, parameters }) => {
            let source = ClientCredentials::new(settings, url, client_id, client_secret.clone(), scope.as_deref())?;
            Some(Box::new(source.with_authentication(*authentication).with_parameters(parameters.clone())))
        }
    })
}
