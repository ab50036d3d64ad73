//! What a source of access tokens is. Knows nothing of any particular source but a token that never changes.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::error::TokenError;
use crate::base::secret::Secret;
use crate::provider::client::{Error, transport};

/// A token from a source.
#[derive(Debug, Clone)]
pub struct Token {
    /// The text after `Bearer`.
    pub secret: Secret,
    /// How long it is valid from now on; `None` means until the provider refuses it.
    pub lifetime: Option<Duration>,
}

/// What [`TokenSource::fetch`] returns.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Token, TokenError>> + Send + 'a>>;

/// Where access tokens come from. A [`Secret`] is a source that always returns itself.
///
/// ```
/// use lendwright::client::{Fetching, Token, TokenSource};
/// use lendwright::base::secret::Secret;
///
/// struct FromVault;
/// impl TokenSource for FromVault {
///     fn fetch(&self) -> Fetching<'_> {
///         Box::pin(async { Ok(Token { secret: Secret::new("…"), lifetime: None }) })
///     }
/// }
/// ```
pub trait TokenSource: Send + Sync {
    /// Fetches a token.
    fn fetch(&self) -> Fetching<'_>;

    /// Checks, without fetching a token, whether the source can work.
    ///
    /// # Errors
    /// `configuration`.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl TokenSource for Secret {
    fn fetch(&self) -> Fetching<'_> {
        let token = Token { secret: self.clone(), lifetime: None };
        Box::pin(std::future::ready(Ok(token)))
    }

    fn check(&self) -> Result<(), Error> {
        transport::authorization_header(self).map(drop)
    }
}

impl<T: TokenSource + ?Sized> TokenSource for Box<T> {
    fn fetch(&self) -> Fetching<'_> {
        (**self).fetch()
    }

    fn check(&self) -> Result<(), Error> {
        (**self).check()
    }
}

impl<T: TokenSource + ?Sized> TokenSource for Arc<T> {
    fn fetch(&self) -> Fetching<'_> {
        (**self).fetch()
    }

    fn check(&self) -> Result<(), Error> {
        (**self).check()
    }
}
