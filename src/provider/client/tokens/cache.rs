//! The token in use: kept until shortly before it expires, or until the provider refuses it. Calls that need a new one
//! wait for the same fetch. Knows nothing of where tokens come from.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::error::TokenError;
use super::source::{Token, TokenSource};
use crate::base::secret::Secret;
use crate::provider::client::{Error, transport};
use crate::provider::wire::Call;

/// How long before its expiry a token is renewed; a tenth of its life if that is shorter.
const MARGIN: Duration = Duration::from_secs(30);
/// How long a renewal may take while the old token is valid.
const EARLY: Duration = Duration::from_secs(5);
/// How long the error of a failed fetch is reused.
const FAILED: Duration = Duration::from_millis(200);
/// The longest life of a token that is believed.
const LIFE_MAX: Duration = Duration::from_secs(365 * 24 * 3_600);

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

/// A source and its last token.
pub(crate) struct Tokens {
    source: Box<dyn TokenSource>,
    // Held during a fetch, so that other calls wait for its result.
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    kept: Option<Kept>,
    /// The error of a failed fetch, and until when it is reused.
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
            // The old token is still valid, so no call waits long for a new one.
            Some(_) => match tokio::time::timeout(EARLY, self.source.fetch()).await {
                Ok(fetched) => fetched,
                Err(_) => Err(TokenError::transient("its source took too long")),
            },
        };
        match fetched.and_then(require_usable_token) {
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

    /// Drops a token that the provider refused: the next call fetches a new one.
    pub(crate) async fn refused(&self, token: &Kept) {
        let mut last = self.last.lock().await;
        if last.kept.as_ref().is_some_and(|kept| kept.is_same(token)) {
            last.kept = None;
        }
    }
}

/// Refuses a token that no header can carry.
fn require_usable_token(token: Token) -> Result<Token, TokenError> {
    match transport::authorization_header(&token.secret) {
        Ok(_) => Ok(token),
        Err(_) => Err(TokenError::lasting("its source gives an empty value, or one that a header cannot contain")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::client::tokens::source::Fetching;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Busy(AtomicUsize);
    impl TokenSource for Busy {
        fn fetch(&self) -> Fetching<'_> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { Err(TokenError::transient("it is busy")) })
        }
    }

    /// What a cache with such a token returns when asked twice while its source is busy, and how often it asks the
    /// source.
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
        // The second call reuses the first one's failure.
        assert_eq!(given(-1, 2_000), (Ok("old".to_owned()), 1));
        assert_eq!(given(-2, -1), (Err("cannot get the access token: it is busy".to_owned()), 1));
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
