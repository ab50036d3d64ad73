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

async fn failed(bench: &Bench) -> u16 {
    bench.ask("GET", STATUS, &[("username", "provider"), ("password", "wrong")], "").await.status
}

#[tokio::test]
async fn failed_logins_are_limited_and_lock_nobody_out_of_a_shared_address() {
    for address_is_shared in [true, false] {
        let limits = LimitSettings { failed_logins_per_minute: 2, address_is_shared, ..LimitSettings::default() };
        let bench = bench_with(settings(), limits);
        assert_eq!([failed(&bench).await, failed(&bench).await, failed(&bench).await], [401, 401, 429]);
        let right = bench.get(STATUS).await;
        assert_eq!(right.status, if address_is_shared { 200 } else { 429 });
        let refused = bench.ask("GET", STATUS, &[], "").await;
        assert_eq!(refused.status, 429);
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=30).contains(&wait), "{wait}");
    }
    let unlimited = bench_with(settings(), LimitSettings { failed_logins_per_minute: 0, ..LimitSettings::default() });
    for _ in 0..100 {
        assert_eq!(failed(&unlimited).await, 401);
    }
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
