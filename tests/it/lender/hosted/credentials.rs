//! User names and passwords: a wrong one is refused with 401, failed logins are limited.

use lendwright::base::secret::Secret;
use lendwright::lender::config::LimitSettings;
use lendwright::lender::hosted::Credentials;

use super::{Bench, NEXT_PASSWORD, PASSWORD, STATUS, bench, bench_with, settings};

#[tokio::test]
async fn every_failed_login_gets_the_same_bytes() {
    let bench = bench();
    let wrong: [&[(&str, &str)]; 9] = [
        &[],
        &[("username", "provider")],
        &[("password", PASSWORD)],
        &[("username", "provider"), ("password", "wrong")],
        &[("username", "other"), ("password", PASSWORD)],
        &[("username", "provider"), ("password", "")],
        // The two together are the same letters.
        &[("username", "providerc"), ("password", "orrect horse battery staple")],
        &[("username", "provider"), ("password", PASSWORD), ("password", PASSWORD)],
        &[("username", "provider"), ("password", "correct horse battery stapl")],
    ];
    let first = bench.ask("GET", STATUS, wrong[0], "").await;
    for headers in wrong {
        for (method, uri) in [("GET", STATUS), ("GET", "/no/such/path"), ("DELETE", "/offers")] {
            let answer = bench.ask(method, uri, headers, "").await;
            assert_eq!((answer.status, &answer.body), (401, &first.body), "{headers:?}");
            let named = |headers: &axum::http::HeaderMap| {
                let mut names: Vec<_> = headers.iter().filter(|(name, _)| name.as_str() != "x-request-id").collect();
                names.sort_by_key(|(name, _)| name.as_str());
                format!("{names:?}")
            };
            assert_eq!(named(&answer.headers), named(&first.headers));
        }
    }
    for password in [PASSWORD, NEXT_PASSWORD] {
        let answer = bench.ask("GET", STATUS, &[("username", "provider"), ("password", password)], "").await;
        assert_eq!(answer.status, 200);
    }
    assert_eq!(bench.lender.seen.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn each_credential_has_a_rate_of_its_own() {
    let limits = LimitSettings { requests_per_second: 1, requests_burst: 3, ..LimitSettings::default() };
    let bench = bench_with(settings(), limits);
    for _ in 0..3 {
        assert_eq!(bench.get(STATUS).await.status, 200);
    }
    let refused = bench.get(STATUS).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "1"));
    assert_eq!(refused.body, r#"{"responseCode":"91","responseMessage":"too many requests; try again later"}"#);
    let next = bench.ask("GET", STATUS, &[("username", "provider"), ("password", NEXT_PASSWORD)], "").await;
    assert_eq!(next.status, 200);
}

/// An attempt of a caller whom a proxy names.
async fn attempt(bench: &Bench, from: &str, password: &str) -> u16 {
    let headers = [("username", "provider"), ("password", password), ("x-forwarded-for", from)];
    bench.ask("GET", STATUS, &headers, "").await.status
}

/// Limits with so many failed logins a minute, behind a proxy that names callers.
fn behind_proxy(failed_logins_per_minute: u32) -> LimitSettings {
    LimitSettings {
        failed_logins_per_minute,
        address_header: "x-forwarded-for".to_owned(),
        requests_per_second: 1_000_000,
        requests_burst: 1_000_000,
        ..LimitSettings::default()
    }
}

#[tokio::test]
async fn by_default_ten_thousand_guesses_are_limited_and_the_next_right_password_waits() {
    let bench = bench();
    let mut compared = 0;
    for number in 0..10_000 {
        let headers = [("username", "provider"), ("password", &*format!("guess {number}"))];
        compared += u32::from(bench.ask("GET", STATUS, &headers, "").await.status == 401);
    }
    // Thirty at once, and one each two seconds.
    assert!((30..60).contains(&compared), "{compared} guesses were compared");
    let refused = bench.get(STATUS).await;
    assert_eq!((refused.status, refused.header("retry-after").parse::<u64>().unwrap() <= 2), (429, true));
    let unlimited = bench_with(settings(), LimitSettings { failed_logins_per_minute: 0, ..LimitSettings::default() });
    for _ in 0..100 {
        assert_eq!(attempt(&unlimited, "", "wrong").await, 401);
    }
}

#[tokio::test]
async fn failed_logins_of_others_lock_the_provider_out_neither_before_its_first_call_nor_after() {
    let bench = bench_with(settings(), behind_proxy(2));
    let attack = async |password: &str| {
        for number in 0..1_000 {
            attempt(&bench, &format!("10.0.{}.{}", number / 250, number % 250), password).await;
        }
    };
    // Each address has one attempt before what all did counts.
    attack("wrong").await;
    attack("again").await;
    assert_eq!(attempt(&bench, "10.0.0.1", PASSWORD).await, 429, "an address that failed waits with the user name");
    assert_eq!(attempt(&bench, "192.0.2.1", PASSWORD).await, 200);
    attack("once more").await;
    assert_eq!(attempt(&bench, "192.0.2.1", PASSWORD).await, 200);
    // What the caller says of itself comes before what the proxy adds.
    assert_eq!(attempt(&bench, "192.0.2.1, 10.0.0.1", PASSWORD).await, 429);
    // Its own mistakes are limited, too.
    for expected in [401, 401, 429] {
        assert_eq!(attempt(&bench, "192.0.2.1", "mistyped").await, expected);
    }
    assert_eq!(attempt(&bench, "192.0.2.1", PASSWORD).await, 429);
    assert_eq!(attempt(&bench, "[2001:db8::1]:443", "wrong").await, 401);
    assert_eq!(attempt(&bench, "2001:db8::2", PASSWORD).await, 429, "one network of IPv6 is one caller");
    // Each user name has a budget of its own.
    let headers = [("username", "other"), ("password", "wrong"), ("x-forwarded-for", "10.0.0.9")];
    assert_eq!(bench.ask("GET", STATUS, &headers, "").await.status, 401);
}

#[test]
fn credentials_that_no_header_carries_are_refused() {
    let pair = |name: &str, password: &str| (name.to_owned(), Secret::new(password));
    let wrong = [
        vec![],
        vec![pair("a", "b"), pair("c", "d"), pair("e", "f")],
        vec![pair("", "b")],
        vec![pair("a", "")],
        vec![pair("a", "b"), pair("a", "ünicode")],
        vec![pair("a", "line\nbreak")],
    ];
    for pairs in wrong {
        let problem = Credentials::new(&pairs).unwrap_err();
        assert!(!problem.contains("ünicode") && !problem.contains("break"), "{problem}");
    }
}
