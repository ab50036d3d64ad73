//! Access tokens: where they come from, and how long one is used. Knows nothing of the calls they go with.
//!
//! A source gets a token; the client keeps it until shortly before it runs out, or until the provider refuses it. Many calls
//! that need a new one wait for the same fetch.

mod command;
mod credentials;
mod file;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

pub use command::Command;
pub use credentials::ClientCredentials;
pub use file::File;

use super::{Error, transport};
use crate::wire::{Call, Settings, TokenSettings};
use crate::words::secret::Secret;

/// A token is renewed this long before it runs out, or a tenth of its life where that is shorter.
const MARGIN: Duration = Duration::from_secs(30);
/// How long a renewal may take while the old token is good.
const EARLY: Duration = Duration::from_secs(5);
/// How long a fetch that failed stands for others.
const FAILED: Duration = Duration::from_millis(200);
/// Longer than any token is good for without being looked at again.
const LIFE_MAX: Duration = Duration::from_secs(365 * 24 * 3_600);

/// A token as a source gives it.
#[derive(Debug, Clone)]
pub struct Token {
    /// The text after `Bearer`.
    pub secret: Secret,
    /// For how long it is good from now on; until the provider refuses it where that is not known.
    pub lifetime: Option<Duration>,
}

/// Why a source has no token.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the access token cannot be had: {problem}")]
pub struct TokenError {
    /// What is wrong; never the token, nor what a source said of it.
    pub problem: String,
    /// Whether asking again soon may help.
    pub is_transient: bool,
}

impl TokenError {
    /// A source that will not work until something is changed.
    pub fn lasting(problem: impl Into<String>) -> Self {
        TokenError { problem: problem.into(), is_transient: false }
    }

    /// A source that may work soon.
    pub fn transient(problem: impl Into<String>) -> Self {
        TokenError { problem: problem.into(), is_transient: true }
    }
}

/// What [`TokenSource::fetch`] returns.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Token, TokenError>> + Send + 'a>>;

/// Where access tokens come from. A [`Secret`] is a source: itself, for ever.
///
/// ```
/// use lendwright::client::{Fetching, Token, TokenSource};
/// use lendwright::words::secret::Secret;
///
/// struct FromVault;
/// impl TokenSource for FromVault {
///     fn fetch(&self) -> Fetching<'_> {
///         Box::pin(async { Ok(Token { secret: Secret::new("…"), lifetime: None }) })
///     }
/// }
/// ```
pub trait TokenSource: Send + Sync {
    /// Gets a token anew.
    fn fetch(&self) -> Fetching<'_>;

    /// Whether the source can work at all, as far as that shows without asking it.
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
        transport::authorization(self).map(drop)
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

/// The source that the settings name under `token`, where they name one.
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

/// A token in use.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) secret: Secret,
    renew_at: Option<Instant>,
    ends_at: Option<Instant>,
}

impl Kept {
    fn new(token: Token) -> Self {
        let now = Instant::now();
        let lifetime = token.lifetime.map(|lifetime| lifetime.min(LIFE_MAX));
        let margin = |lifetime: Duration| MARGIN.min(lifetime / 10);
        Kept {
            secret: token.secret,
            renew_at: lifetime.map(|lifetime| now + (lifetime - margin(lifetime))),
            ends_at: lifetime.map(|lifetime| now + lifetime),
        }
    }

    pub(crate) fn is_same(&self, other: &Kept) -> bool {
        self.secret.matches(other.secret.expose())
    }
}

/// A source with what it gave last.
pub(crate) struct Tokens {
    source: Box<dyn TokenSource>,
    // Held while a token is fetched, so that others wait for that one.
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    kept: Option<Kept>,
    /// A fetch that failed stands for all that wait, for a moment.
    failed: Option<(Instant, TokenError)>,
}

impl Tokens {
    pub(crate) fn new(source: Box<dyn TokenSource>) -> Self {
        Tokens { source, last: Mutex::default() }
    }

    /// The token to send now, for a call that must be done by `deadline`.
    pub(crate) async fn current<C: Call>(&self, deadline: Instant) -> Result<Kept, Error> {
        match tokio::time::timeout_at(deadline, self.renewed()).await {
            Ok(fetched) => fetched.map_err(|error| Error::no_token::<C>(&error)),
            Err(_) => Err(Error::no_token::<C>(&TokenError::transient("its source took too long"))),
        }
    }

    async fn renewed(&self) -> Result<Kept, TokenError> {
        let mut last = self.last.lock().await;
        let now = Instant::now();
        let old = last.kept.clone().filter(|kept| kept.ends_at.is_none_or(|at| now < at));
        if let Some(kept) = old.as_ref().filter(|kept| kept.renew_at.is_none_or(|at| now < at)) {
            return Ok(kept.clone());
        }
        if let Some((_, error)) = last.failed.as_ref().filter(|(until, _)| now < *until) {
            return old.ok_or_else(|| error.clone());
        }
        let fetched = match &old {
            None => self.source.fetch().await,
            // The old one is good for a while yet: nobody waits long for its successor.
            Some(_) => match tokio::time::timeout(EARLY, self.source.fetch()).await {
                Ok(fetched) => fetched,
                Err(_) => Err(TokenError::transient("its source took too long")),
            },
        };
        match fetched.and_then(usable) {
            Ok(token) => {
                let kept = Kept::new(token);
                *last = Last { kept: Some(kept.clone()), failed: None };
                Ok(kept)
            }
            Err(error) => {
                last.failed = Some((Instant::now() + FAILED, error.clone()));
                old.ok_or(error)
            }
        }
    }

    /// The provider does not take this token: the next call asks the source.
    pub(crate) async fn refused(&self, token: &Kept) {
        let mut last = self.last.lock().await;
        if last.kept.as_ref().is_some_and(|kept| kept.is_same(token)) {
            last.kept = None;
        }
    }
}

/// A token that cannot stand in a header is none, and is not kept.
fn usable(token: Token) -> Result<Token, TokenError> {
    match transport::authorization(&token.secret) {
        Ok(_) => Ok(token),
        Err(_) => Err(TokenError::lasting("what its source gives is empty, or cannot stand in a header")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Busy(AtomicUsize);
    impl TokenSource for Busy {
        fn fetch(&self) -> Fetching<'_> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { Err(TokenError::transient("it is busy")) })
        }
    }

    /// What a cache that holds a token with these ends gives, asked twice while its source is busy, and how often it asked.
    fn given(renews_in_s: i64, ends_in_s: i64) -> (Result<String, String>, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let at = |seconds: i64| {
            let now = Instant::now();
            let apart = Duration::from_secs(seconds.unsigned_abs());
            if seconds < 0 { now.checked_sub(apart) } else { Some(now + apart) }
        };
        let asked = Arc::new(Busy(AtomicUsize::new(0)));
        let tokens = Tokens::new(Box::new(asked.clone()));
        let given = runtime.map_err(|error| error.to_string()).and_then(|runtime| {
            runtime.block_on(async {
                let kept = Kept { secret: Secret::new("old"), renew_at: at(renews_in_s), ends_at: at(ends_in_s) };
                tokens.last.lock().await.kept = Some(kept);
                let _first = tokens.renewed().await;
                let second = tokens.renewed().await;
                second.map(|kept| kept.secret.expose().to_owned()).map_err(|error| error.to_string())
            })
        });
        (given, asked.0.load(Ordering::SeqCst))
    }

    #[test]
    fn an_old_token_serves_to_its_end_while_its_successor_is_late() {
        assert_eq!(given(1_000, 2_000), (Ok("old".to_owned()), 0));
        // The second call takes the first one's failure for its own.
        assert_eq!(given(-1, 2_000), (Ok("old".to_owned()), 1));
        assert_eq!(given(-2, -1), (Err("the access token cannot be had: it is busy".to_owned()), 1));
    }

    #[test]
    fn a_token_is_renewed_a_tenth_of_its_life_or_half_a_minute_early() {
        let renewed_early = |lifetime: Duration| {
            let kept = Kept::new(Token { secret: Secret::new("x"), lifetime: Some(lifetime) });
            kept.ends_at.zip(kept.renew_at).map(|(ends, renews)| ends - renews)
        };
        assert_eq!(renewed_early(Duration::from_secs(100)), Some(Duration::from_secs(10)));
        assert_eq!(renewed_early(Duration::from_secs(3_600)), Some(Duration::from_secs(30)));
        assert_eq!(renewed_early(Duration::MAX), Some(Duration::from_secs(30)));
        assert_eq!(renewed_early(Duration::ZERO), Some(Duration::ZERO));
    }
}
