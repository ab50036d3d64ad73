//! When a repeatable call is retried, and after how long. Knows nothing of what a call does. Calls that must not be
//! retried never get here. The second attempt with a fresh token is not a retry: see `Core::try_once`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use backon::Retryable;
use tokio::time::Instant;

use super::{Class, Error};
use crate::provider::wire::Limits;

/// Runs `attempt` until it succeeds, fails for good, or attempts or time run out.
pub(crate) async fn retry_until_done<T, F, A>(limits: &Limits, ends: Instant, mut attempt: A) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
    A: FnMut() -> F,
{
    let attempts = AtomicU32::new(0);
    let longest = Duration::from_millis(limits.retry_after_ms_max);
    let mut refetched = false;
    let counted = || {
        attempts.fetch_add(1, Ordering::Relaxed);
        attempt()
    };
    counted
        .retry(FullJitter::new(limits))
        .sleep(tokio::time::sleep)
        .when(|error: &Error| match error.class() {
            // One damaged answer may be the network's fault. Two are the provider's.
            Class::Malformed => !std::mem::replace(&mut refetched, true),
            Class::NotSent | Class::RateLimited | Class::Timeout | Class::Unavailable => true,
            Class::Rejected | Class::Uncertain | Class::Authentication | Class::TooLarge | Class::Configuration => {
                false
            }
        })
        .adjust(|error: &Error, wait| {
            let asked = error.retry_after().unwrap_or_default();
            // No wait without an attempt left, nor one that would exceed the budget.
            wait.filter(|_| asked <= longest).map(|wait| wait.max(asked)).filter(|wait| Instant::now() + *wait < ends)
        })
        .await
        .map_err(|error| error.with_attempts(attempts.load(Ordering::Relaxed)))
}

/// Random waits between 0 and a bound that doubles, so that callers that failed together do not retry together.
#[derive(Debug, Clone)]
struct FullJitter {
    left: u32,
    bound_ms: u64,
    bound_ms_max: u64,
}

impl FullJitter {
    fn new(limits: &Limits) -> Self {
        FullJitter {
            left: limits.attempts_max.saturating_sub(1),
            bound_ms: limits.retry_wait_ms.min(limits.retry_wait_ms_max),
            bound_ms_max: limits.retry_wait_ms_max,
        }
    }
}

impl Iterator for FullJitter {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        let wait = fastrand::u64(0..=self.bound_ms);
        self.bound_ms = self.bound_ms.saturating_mul(2).min(self.bound_ms_max);
        Some(Duration::from_millis(wait))
    }
}

/// Reads a `Retry-After` header: seconds, or a date in one of the three forms of HTTP. A date with a zone in digits is
/// read too, because some servers send it.
pub(crate) fn retry_after(header: Option<&reqwest::header::HeaderValue>) -> Option<Duration> {
    let text = header?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More seconds than fit are a wait without end.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let with_zone = || chrono::DateTime::parse_from_rfc2822(text).ok().map(SystemTime::from);
    let date = httpdate::parse_http_date(text).ok().or_else(with_zone)?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn waits_are_bounded_and_counted() {
        let limits = Limits { attempts_max: 6, retry_wait_ms: 100, retry_wait_ms_max: 300, ..Limits::default() };
        for _ in 0..200 {
            let waits: Vec<u128> = FullJitter::new(&limits).map(|wait| wait.as_millis()).collect();
            assert_eq!(waits.len(), 5);
            assert!(waits.iter().zip([100, 200, 300, 300, 300]).all(|(wait, bound)| *wait <= bound), "{waits:?}");
        }
    }

    #[test]
    fn one_attempt_waits_never() {
        for attempts_max in [0, 1] {
            assert_eq!(FullJitter::new(&Limits { attempts_max, ..Limits::default() }).next(), None);
        }
    }

    #[test]
    fn retry_after_reads_seconds_and_dates() {
        let read = |text: &str| retry_after(HeaderValue::from_str(text).ok().as_ref());
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        // A server may send each of the three (RFC 9110, 5.6.7), and some send a zone in digits.
        for past in [
            "Wed, 21 Oct 2015 07:28:00 GMT",
            "Wednesday, 21-Oct-15 07:28:00 GMT",
            "Wed Oct 21 07:28:00 2015",
            "Sun Nov  6 08:49:37 1994",
            "Wed, 21 Oct 2015 07:28:00 +0000",
        ] {
            assert_eq!(read(past), Some(Duration::ZERO), "{past}");
        }
        assert!(read("Fri, 21 Oct 2196 07:28:00 GMT").is_some_and(|wait| wait > Duration::from_secs(1_000_000)));
        assert_eq!(read("soon"), None);
        assert_eq!(read("-1"), None);
        assert_eq!(read("+1"), None);
        assert_eq!(read(""), None);
        assert_eq!(read("18446744073709551616"), Some(Duration::from_secs(u64::MAX)));
    }
}
