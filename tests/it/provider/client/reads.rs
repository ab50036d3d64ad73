//! Reads that go wrong: the exact class, what was repeated, and that nothing secret shows.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lendwright::base::secret::Secret;
use lendwright::client::{Class, Client, Error};
use lendwright::wire::Settings;

use super::{BODY, STATEMENT, TOKEN, assert_silent, client, settings};
use crate::fixtures::scripted_server::{Server, answer, json, nobody, short};

/// Pulls, expects an error of this class, and that it keeps its secrets.
async fn fails(settings: Settings, class: Class) -> Error {
    let error = client(settings).pull("REF-1").await.expect_err("this pull cannot succeed");
    assert_eq!(error.class(), class, "{error}");
    assert!(!error.is_outcome_unknown(), "a read has no outcome: {error}");
    assert_silent(&error);
    error
}

#[tokio::test]
async fn a_statement_comes_unchanged() {
    let server = Server::fixed(json(STATEMENT));
    let pulled = client(settings(&server.base_url)).pull("REF 1/ä").await.unwrap();
    assert_eq!(pulled.records(), 2);
    assert_eq!(pulled.into_statement().unwrap(), STATEMENT.as_bytes());
    let head = server.heads().remove(0).to_ascii_lowercase();
    assert!(
        head.starts_with(
            "get /lending-service-data-service/api/v1/customer-details/transactions/ref%201%2f%c3%a4\
             ?offerrequestreference=ref%201%2f%c3%a4 http/1.1\r\n"
        ),
        "{head}"
    );
    assert!(head.contains(&format!("\r\nauthorization: bearer {TOKEN}\r\n")), "{head}");
    assert!(head.contains("\r\naccept: application/json\r\n"), "{head}");
}

#[tokio::test]
async fn a_short_content_length_is_malformed_at_its_byte_after_one_refetch() {
    let part = &STATEMENT[..100];
    let server = Server::fixed(short(part, STATEMENT.len()));
    let error = fails(settings(&server.base_url), Class::Malformed).await;
    assert_eq!((error.offset(), error.attempts(), server.count()), (Some(100), 2, 2));
    assert_eq!(
        error.to_string(),
        "get customer transaction records (E2): the answer broke off (at byte 100) (after 2 attempts)"
    );
}

#[tokio::test]
async fn truncated_json_is_malformed_at_its_end_after_one_refetch() {
    let server = Server::fixed(json(&STATEMENT[..120]));
    let error = fails(settings(&server.base_url), Class::Malformed).await;
    assert_eq!((error.offset(), server.count()), (Some(120), 2));
}

#[tokio::test]
async fn broken_json_is_malformed_at_the_byte() {
    let at = STATEMENT.find("{\"id\":\"b\"").unwrap();
    let mut broken = STATEMENT.to_owned();
    broken.replace_range(at..=at, "?");
    let server = Server::fixed(json(broken));
    assert_eq!(fails(settings(&server.base_url), Class::Malformed).await.offset(), Some(at as u64));
}

#[tokio::test]
async fn a_line_that_breaks_once_is_mended_by_the_refetch() {
    let server = Server::sequence(vec![short(&STATEMENT[..50], STATEMENT.len()), json(STATEMENT)]);
    let pulled = client(settings(&server.base_url)).pull("REF-1").await.unwrap();
    assert_eq!(pulled.into_statement().unwrap(), STATEMENT.as_bytes());
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn what_is_no_statement_is_never_an_empty_one() {
    let html = "<html>canary-body-77c1</html>";
    let typed = |kind: &str, body: &str| answer("200 OK", &[("content-type", kind)], body);
    let cases = [
        ("html", typed("text/html; charset=utf-8", html)),
        ("html that claims to be json", json(html)),
        ("a pdf", typed("application/pdf", STATEMENT)),
        ("xml", typed("text/xml", STATEMENT)),
        ("nothing", json("")),
        ("spaces", json("  \n ")),
        ("no content", answer("204 No Content", &[], "")),
        ("an empty object", json("{}")),
        ("a bare list", json("[]")),
        ("null", json("null")),
        ("no data", json(r#"{"status":"success"}"#)),
        ("null data", json(r#"{"status":"success","data":null}"#)),
        ("data as a list", json(r#"{"status":"success","data":[]}"#)),
        ("no list", json(r#"{"status":"success","data":{}}"#)),
        ("an object for the list", json(r#"{"status":"success","data":{"transactions":{}}}"#)),
        ("two lists", json(r#"{"status":"success","data":{"transactions":[],"trans":[]}}"#)),
        ("no status", json(r#"{"data":{"transactions":[]}}"#)),
        ("a second document", json(format!("{STATEMENT}{STATEMENT}"))),
    ];
    for (name, response) in cases {
        let server = Server::fixed(response);
        let error = client(settings(&server.base_url)).pull("REF-1").await.expect_err(name);
        assert_eq!(error.class(), Class::Malformed, "{name}: {error}");
        assert_eq!(server.count(), 2, "{name}");
        assert_silent(&error);
    }
}

#[tokio::test]
async fn an_empty_statement_that_says_success_is_one() {
    for name in ["transactions", "transaction", "trans"] {
        let server = Server::fixed(json(format!(r#"{{"status":"SUCCESS","data":{{"{name}":[]}}}}"#)));
        assert_eq!(client(settings(&server.base_url)).pull("REF-1").await.unwrap().records(), 0);
    }
}

#[tokio::test]
async fn an_envelope_without_success_is_the_providers_refusal_and_is_not_repeated() {
    let cases = [
        (
            r#"{"status":"failed","message":"no such customer","data":{"transactions":[]}}"#,
            ("failed", "no such customer"),
        ),
        (r#"{"responseCode":"25","responseMessage":"not found"}"#, ("25", "not found")),
        (r#"{"status":false,"data":{"transactions":[]}}"#, ("false", "")),
    ];
    for (body, expected) in cases {
        let server = Server::fixed(json(body));
        let error = fails(settings(&server.base_url), Class::Rejected).await;
        assert_eq!(error.rejection(), Some(expected));
        assert_eq!(server.count(), 1);
    }
}

#[tokio::test]
async fn a_refusal_keeps_the_token_to_itself() {
    let body = format!(r#"{{"responseCode":"40","responseMessage":"bad token {TOKEN}\u0007"}}"#);
    let server = Server::fixed(answer("400 Bad Request", &[("content-type", "application/json")], body));
    let error = fails(settings(&server.base_url), Class::Rejected).await;
    assert_eq!((error.status(), error.rejection()), (Some(400), Some(("40", "bad token [secret] "))));
}

#[tokio::test]
async fn a_refusal_without_words_is_known_by_its_status() {
    let server =
        Server::fixed(answer("404 Not Found", &[("content-type", "text/html")], "<html>canary-body-77c1</html>"));
    let error = fails(settings(&server.base_url), Class::Rejected).await;
    assert_eq!(error.rejection(), Some(("HTTP 404", "")));
}

#[tokio::test]
async fn the_total_deadline_holds_against_a_drip() {
    let server = Server::start(|_, stream| {
        let _ = stream.write_all(&short("", 1_000_000));
        while stream.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let mut settings = settings(&server.base_url);
    settings.limits.total_timeout_ms = 150;
    settings.limits.attempts_max = 2;
    let started = Instant::now();
    let error = fails(settings, Class::Timeout).await;
    assert!(error.is_timeout() && error.is_safe_to_retry());
    assert_eq!(error.attempts(), 2);
    // The drip itself would take hours.
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn the_budget_bounds_all_attempts_together() {
    let server = Server::start(|_, stream| {
        let _ = stream.write_all(&short("", 1_000_000));
        while stream.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let mut settings = settings(&server.base_url);
    settings.limits.total_timeout_ms = 40;
    settings.limits.retry_budget_ms = 300;
    settings.limits.attempts_max = u32::MAX;
    let error = fails(settings, Class::Timeout).await;
    assert!(error.attempts() <= 10, "{error}");
}

#[tokio::test]
async fn silence_is_a_timeout_before_and_within_the_answer() {
    for begun in [false, true] {
        let server = Server::start(move |_, stream| {
            if begun {
                let _ = stream.write_all(&short("{", 1_000));
            }
            // Until the client disconnects.
            let _ = std::io::Read::read(stream, &mut [0]);
        });
        let mut settings = settings(&server.base_url);
        settings.limits.read_timeout_ms = 60;
        settings.limits.attempts_max = 1;
        assert!(fails(settings, Class::Timeout).await.is_timeout());
    }
}

#[tokio::test]
async fn a_body_over_the_limit_stops_at_the_limit() {
    const BODY_BYTES: u64 = 500_000_000;
    for announced in [true, false] {
        let written = Arc::new(AtomicU64::new(0));
        let counter = written.clone();
        let server = Server::start(move |_, stream| {
            let length = if announced { format!("content-length: {BODY_BYTES}\r\n") } else { String::new() };
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n{length}\r\n");
            let _ = stream.write_all(head.as_bytes());
            let spaces = vec![b' '; 1_000_000];
            while counter.load(Ordering::SeqCst) < BODY_BYTES && stream.write_all(&spaces).is_ok() {
                counter.fetch_add(spaces.len() as u64, Ordering::SeqCst);
            }
        });
        let error = fails(settings(&server.base_url), Class::TooLarge).await;
        assert!(error.is_too_large());
        assert_eq!(server.count(), 1, "asking again would bring the same");
        // The default limit is 50 MB; the rest of what was written stands in the sockets' buffers.
        let bound = if announced { 40_000_000 } else { 90_000_000 };
        assert!(written.load(Ordering::SeqCst) < bound, "announced: {announced}");
    }
}

fn gzip(pieces: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    pieces.for_each(|piece| encoder.write_all(&piece).unwrap());
    encoder.finish().unwrap()
}

fn compressed(body: Vec<u8>) -> Vec<u8> {
    answer("200 OK", &[("content-type", "application/json"), ("content-encoding", "gzip")], body)
}

#[tokio::test]
async fn a_compressed_statement_is_read_and_a_bomb_is_stopped_by_its_decoded_size() {
    let server = Server::fixed(compressed(gzip(std::iter::once(STATEMENT.into()))));
    let pulled = client(settings(&server.base_url)).pull("REF-1").await.unwrap();
    assert_eq!(pulled.into_statement().unwrap(), STATEMENT.as_bytes());

    let bomb = gzip(std::iter::repeat_n(vec![b' '; 1_000_000], 100));
    assert!(bomb.len() < 1_000_000);
    let server = Server::fixed(compressed(bomb));
    let mut settings = settings(&server.base_url);
    settings.limits.body_bytes_max = 2_000_000;
    fails(settings, Class::TooLarge).await;
}

#[tokio::test]
async fn damaged_compression_is_malformed() {
    let mut bytes = gzip(std::iter::once(STATEMENT.into()));
    let half = bytes.len() / 2;
    bytes.truncate(half);
    let server = Server::fixed(compressed(bytes));
    fails(settings(&server.base_url), Class::Malformed).await;
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn redirects_are_not_followed_and_the_token_stays() {
    for status in
        ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]
    {
        let elsewhere = Server::fixed(json(STATEMENT));
        let location = format!("{}/x?{BODY}", elsewhere.base_url.replace("127.0.0.1", "localhost"));
        let server = Server::fixed(answer(status, &[("location", &location)], ""));
        let error = fails(settings(&server.base_url), Class::Configuration).await;
        assert!(error.to_string().contains("redirects to `localhost`"), "{error}");
        assert_eq!((server.count(), elsewhere.count()), (1, 0));
    }
}

#[tokio::test]
async fn trouble_passes_or_is_told_after_the_attempts() {
    let server = Server::sequence(vec![
        answer("503 Service Unavailable", &[], ""),
        answer("500 Oops", &[], BODY),
        json(STATEMENT),
    ]);
    assert_eq!(client(settings(&server.base_url)).pull("REF-1").await.unwrap().records(), 2);
    assert_eq!(server.count(), 3);

    let server = Server::fixed(answer("502 Bad Gateway", &[("content-type", "text/html")], BODY));
    let error = fails(settings(&server.base_url), Class::Unavailable).await;
    assert!(error.is_safe_to_retry());
    assert_eq!((error.status(), error.attempts(), server.count()), (Some(502), 4, 4));
}

#[tokio::test]
async fn a_reset_before_the_answer_is_repeated() {
    let server = Server::resetting();
    let error = fails(settings(&server.base_url), Class::Unavailable).await;
    assert!(error.is_safe_to_retry());
    assert_eq!((error.attempts(), server.count()), (4, 4));
}

#[tokio::test]
async fn a_refused_connection_sent_nothing() {
    let (_kept, nobody) = nobody();
    let error = fails(settings(&nobody), Class::NotSent).await;
    assert!(error.is_not_sent() && error.is_safe_to_retry() && !error.is_timeout());
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_wrong_token_is_said_once() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let server = Server::fixed(answer(
            status,
            &[("content-type", "application/json")],
            format!(r#"{{"message":"{TOKEN}"}}"#),
        ));
        let error = fails(settings(&server.base_url), Class::Authentication).await;
        assert!(error.is_authentication() && !error.is_safe_to_retry());
        assert_eq!(server.count(), 1);
    }
}

#[tokio::test]
async fn too_many_calls_wait_as_long_as_asked_or_give_up() {
    let limited = |seconds: &str| answer("429 Too Many Requests", &[("retry-after", seconds)], "");
    let server =
        Server::sequence(vec![limited("0"), answer("429 Too Many Requests", &[], ""), limited("1"), json(STATEMENT)]);
    let started = Instant::now();
    assert_eq!(client(settings(&server.base_url)).pull("REF-1").await.unwrap().records(), 2);
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.count(), 4);

    let server = Server::fixed(limited("3600"));
    let error = fails(settings(&server.base_url), Class::RateLimited).await;
    assert!(error.is_rate_limited() && error.is_safe_to_retry());
    assert_eq!((error.retry_after(), server.count()), (Some(Duration::from_secs(3600)), 1));
}

fn page(ids: &str, next: &str) -> Vec<u8> {
    let pagination = format!(r#"{{"nextPage":{next},"totalPages":3,"totalDocs":3}}"#);
    json(format!(r#"{{"status":"success","data":{{"transactions":[{ids}],"pagination":{pagination}}}}}"#))
}

#[tokio::test]
async fn pages_are_followed_and_put_together() {
    let server = Server::sequence(vec![page("1.10, 2", "2"), page(" ", r#""c 3""#), page("3", "null")]);
    let pulled = client(settings(&server.base_url)).pull("REF-1").await.unwrap();
    assert_eq!((pulled.pages().len(), pulled.records()), (3, 3));
    assert_eq!(
        pulled.into_statement().unwrap(),
        concat!(
            r#"{"status":"success","data":{"transactions":[1.10, 2,3],"#,
            r#""pagination":{"nextPage":null,"totalPages":1,"totalDocs":3}}}"#
        )
    );
    let lines: Vec<String> = server.heads().iter().map(|head| head.lines().next().unwrap().to_owned()).collect();
    assert!(lines[0].ends_with("?offerRequestReference=REF-1 HTTP/1.1"), "{lines:?}");
    assert!(lines[1].ends_with("?offerRequestReference=REF-1&page=2 HTTP/1.1"), "{lines:?}");
    assert!(lines[2].ends_with("?offerRequestReference=REF-1&page=c%203 HTTP/1.1"), "{lines:?}");
}

#[tokio::test]
async fn pages_without_end_are_an_error() {
    let server = Server::sequence(vec![page("1", "2"), page("2", "2")]);
    let error = fails(settings(&server.base_url), Class::Malformed).await;
    assert!(error.to_string().contains("was read before"), "{error}");

    let server = Server::start(|number, stream| {
        let _ = stream.write_all(&page("1", &(number + 2).to_string()));
    });
    let mut few = settings(&server.base_url);
    few.records.pages_max = 5;
    fails(few, Class::TooLarge).await;
    assert_eq!(server.count(), 5);

    // The limit on size counts all pages together.
    let mut small = settings(&server.base_url);
    small.limits.body_bytes_max = 1_000;
    fails(small, Class::TooLarge).await;
}

#[tokio::test]
async fn no_more_are_under_way_than_allowed() {
    let (now, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let counted = (now.clone(), most.clone());
    let server = Server::start(move |_, stream| {
        let (now, most) = &counted;
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        now.fetch_sub(1, Ordering::SeqCst);
        let _ = stream.write_all(&json(STATEMENT));
    });
    let mut settings = settings(&server.base_url);
    settings.limits.in_flight_max = 7;
    let client = client(settings.clone());
    let pulls = futures_util::future::join_all((0..100).map(|_| client.pull("REF-1"))).await;
    assert!(pulls.iter().all(Result::is_ok));
    let most = most.load(Ordering::SeqCst);
    assert!((2..=7).contains(&most), "{most}");

    settings.limits.in_flight_max = 0;
    let error = Client::new(settings, Secret::new(TOKEN)).unwrap_err();
    assert!(error.is_configuration() && error.to_string().contains("in_flight_max"), "{error}");
}
