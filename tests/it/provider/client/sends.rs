//! An answer to an offer request is sent once: the client never repeats it, whatever happens.

use std::io::Write;
use std::time::Duration;

use lendwright::Secret;
use lendwright::client::{Class, Client, Error, reqwest};
use lendwright::wire::{Layout, SendOffers, Settings};

use super::{BODY, TOKEN, assert_silent, client, offer, settings};
use crate::fixtures::scripted_server::{Server, answer, json, nobody, short};

const DONE: &str = r#"{"responseCode":"00","responseMessage":"Offers will be sent to the customer"}"#;

async fn fails(settings: Settings, class: Class) -> Error {
    let error =
        client(settings).send(&SendOffers::new("REF-1", vec![offer("a")])).await.expect_err("this cannot succeed");
    assert_eq!(error.class(), class, "{error}");
    assert_eq!(error.attempts(), 1, "{error}");
    assert_silent(&error);
    error
}

#[tokio::test]
async fn an_acknowledgement_is_returned() {
    let server = Server::fixed(json(DONE));
    let acknowledgement =
        client(settings(&server.base_url)).send(&SendOffers::new("REF-1", vec![offer("a")])).await.unwrap();
    assert_eq!(acknowledgement.response_code, "00");
    assert_eq!(acknowledgement.response_message, "Offers will be sent to the customer");
    let head = server.heads().remove(0);
    assert!(head.starts_with("POST /lending-service/api/v1/offers/REF-1/send-offers?code=00&"), "{head}");
    assert!(head.contains("content-length: 0\r\n"), "{head}");
}

#[tokio::test]
async fn without_a_usable_answer_the_outcome_is_unknown_and_nothing_is_repeated() {
    let gzip = answer("200 OK", &[("content-type", "application/json"), ("content-encoding", "gzip")], "no gzip");
    let cases = [
        ("500", answer("500 Oops", &[], BODY)),
        ("503 with a time", answer("503 Service Unavailable", &[("retry-after", "0")], "")),
        ("408", answer("408 Request Timeout", &[], "")),
        ("303", answer("303 See Other", &[("location", "/elsewhere")], "")),
        ("nothing", json("")),
        ("html", answer("200 OK", &[("content-type", "text/html")], BODY)),
        ("garbled", json("{\"responseCode\":\"00\"")),
        ("no code", json("{}")),
        ("cut off", short(r#"{"responseCode""#, 80)),
        ("damaged compression", gzip),
        ("no http", b"hello canary-body-77c1\r\n\r\n".to_vec()),
        ("closed", Vec::new()),
    ];
    for (name, response) in cases {
        let server = Server::fixed(response);
        let error = fails(settings(&server.base_url), Class::Uncertain).await;
        assert!(error.is_outcome_unknown() && !error.is_safe_to_retry(), "{name}: {error}");
        assert!(error.to_string().contains("may or may not have happened"), "{name}: {error}");
        assert_eq!(server.count(), 1, "{name}");
    }
}

#[tokio::test]
async fn a_reset_leaves_the_outcome_unknown() {
    let server = Server::resetting();
    assert!(fails(settings(&server.base_url), Class::Uncertain).await.is_outcome_unknown());
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn an_answer_without_end_leaves_the_outcome_unknown() {
    let server = Server::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
        while stream.write_all(&[b' '; 10_000]).is_ok() {}
    });
    let mut settings = settings(&server.base_url);
    settings.limits.body_bytes_max = 100_000;
    assert!(fails(settings, Class::Uncertain).await.is_outcome_unknown());
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn a_timeout_says_that_it_may_have_happened() {
    for (total_timeout_ms, read_timeout_ms) in [(60, 10_000), (10_000, 60)] {
        let server = Server::start(|_, stream| {
            // Until the client disconnects.
            let _ = std::io::Read::read(stream, &mut [0]);
        });
        let mut settings = settings(&server.base_url);
        settings.limits.total_timeout_ms = total_timeout_ms;
        settings.limits.read_timeout_ms = read_timeout_ms;
        let error = fails(settings, Class::Uncertain).await;
        assert!(error.is_timeout() && error.is_outcome_unknown() && !error.is_safe_to_retry());
        assert!(error.to_string().contains("may or may not have happened"), "{error}");
        // A repetition would come within a few milliseconds.
        tokio::time::sleep(Duration::from_millis(30)).await;
        assert!(server.count() <= 1);
    }
}

#[tokio::test]
async fn a_refusal_is_an_outcome() {
    let kind = [("content-type", "application/json")];
    let refusal = r#"{"responseCode":"12","responseMessage":"unknown reference"}"#;
    for response in [json(refusal), answer("400 Bad Request", &kind, refusal), answer("409 Conflict", &kind, refusal)] {
        let server = Server::fixed(response);
        let error = fails(settings(&server.base_url), Class::Rejected).await;
        assert!(error.is_rejected() && !error.is_outcome_unknown() && !error.is_safe_to_retry());
        assert_eq!(error.rejection(), Some(("12", "unknown reference")));
        assert_eq!(server.count(), 1);
    }
}

#[tokio::test]
async fn refused_before_it_was_looked_at() {
    let server = Server::fixed(answer("401 Unauthorized", &[], TOKEN));
    assert!(!fails(settings(&server.base_url), Class::Authentication).await.is_outcome_unknown());

    let server = Server::fixed(answer("429 Too Many Requests", &[("retry-after", "0")], ""));
    let error = fails(settings(&server.base_url), Class::RateLimited).await;
    assert!(!error.is_outcome_unknown() && !error.is_safe_to_retry(), "only what was never sent surely had no effect");
    assert_eq!(server.count(), 1);

    let (_kept, nobody) = nobody();
    let error = fails(settings(&nobody), Class::NotSent).await;
    assert!(error.is_not_sent() && !error.is_outcome_unknown() && error.is_safe_to_retry());
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::fixed(json(DONE));
    let server = Server::fixed(answer("307 Temporary Redirect", &[("location", &elsewhere.base_url)], ""));
    let error = fails(settings(&server.base_url), Class::Configuration).await;
    assert!(!error.is_outcome_unknown());
    assert_eq!((server.count(), elsewhere.count()), (1, 0));
}

#[tokio::test]
async fn no_http_client_can_be_made_to_follow_redirects() {
    let elsewhere = Server::fixed(json(DONE));
    let server = Server::fixed(answer("307 Temporary Redirect", &[("location", &elsewhere.base_url)], ""));
    let client = Client::with_http(settings(&server.base_url), Secret::new(TOKEN), |http| {
        http.user_agent("a bank").redirect(reqwest::redirect::Policy::limited(5))
    });
    let error = client.expect("a client").send(&SendOffers::decline("REF-1")).await.expect_err("a redirect");
    assert_eq!((error.class(), server.count(), elsewhere.count()), (Class::Configuration, 1, 0));
    assert!(server.heads()[0].to_lowercase().contains("user-agent: a bank"), "the change of the caller holds");
}

#[tokio::test]
async fn one_call_each_tells_how_far_it_came() {
    let server = Server::sequence(vec![json(DONE), answer("429 Too Many Requests", &[], "")]);
    let mut settings = settings(&server.base_url);
    settings.send_offers.layout = Layout::OneCallEach;
    let client = client(settings);
    let error = client.send(&SendOffers::new("REF-1", vec![offer("a"), offer("b"), offer("c")])).await.unwrap_err();
    assert_eq!((error.class(), error.acknowledged(), server.count()), (Class::RateLimited, 1, 2));
    assert!(!error.is_safe_to_retry(), "the first offer would be sent twice");
    assert!(error.to_string().ends_with("; 1 of 3 calls were acknowledged before"), "{error}");

    // An acknowledged call was sent, whatever happened to the next one.
    let refused = [json(DONE), answer("307 Temporary Redirect", &[("location", "/elsewhere")], "")];
    let server = Server::sequence(refused.to_vec());
    let mut settings = self::settings(&server.base_url);
    settings.send_offers.layout = Layout::OneCallEach;
    let error = self::client(settings).send(&SendOffers::new("REF-1", vec![offer("a"), offer("b")])).await.unwrap_err();
    assert_eq!((error.acknowledged(), error.is_not_sent()), (1, false), "{error}");
}

#[tokio::test]
async fn what_cannot_be_sent_whole_is_not_begun() {
    let server = Server::fixed(json(DONE));
    let mut settings = settings(&server.base_url);
    settings.send_offers.layout = Layout::OneCallEach;
    let mut broken = offer("b");
    broken.interest = f64::NAN;
    let error = client(settings).send(&SendOffers::new("REF-1", vec![offer("a"), broken])).await.unwrap_err();
    assert_eq!(error.class(), Class::Configuration);
    assert!(error.is_not_sent());
    assert_eq!(error.to_string(), "send offers (E3): offer `b`: `interest` is not a number from zero up");
    assert_eq!(server.count(), 0);
}
