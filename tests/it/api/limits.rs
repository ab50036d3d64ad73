//! What happens when there is too much, or the same again: the queue, idempotency keys, and the end.

use std::io::Write;
use std::time::{Duration, Instant};

use super::{ApiService, STATEMENT, application, read_reply, start};
use crate::fixtures::desk::Desk;

const JSON: (&str, &str) = ("content-type", "application/json");

/// A statement that takes a while.
fn long_application(desk: &Desk) -> String {
    let made = desk.run(&["generate", "--statements", "1", "--records", "30000", "--out", "long"]);
    assert_eq!(made.status, 0, "{}", made.err);
    application(desk, "long/statement-000001.json")
}

#[test]
fn a_full_queue_refuses_at_once_and_answers_what_it_took() {
    let desk = Desk::new();
    let args = ["--policy", "starter", "--threads", "1", "--queue", "1", "--body-limit", "64"];
    let api = ApiService::start(desk.path(), &args);
    let body = long_application(&desk);
    // One runs, one waits: each is sent whole before the next.
    let mut taken = Vec::new();
    for _ in 0..2 {
        let mut stream = api.begin("POST", "/v1/decisions", &[JSON], body.len());
        stream.write_all(body.as_bytes()).unwrap();
        taken.push(stream);
        std::thread::sleep(Duration::from_millis(300));
    }
    let small = application(&desk, STATEMENT);
    let from = Instant::now();
    let refused = api.post_json("/v1/decisions", &small);
    let took = from.elapsed();
    assert_eq!((refused.status, refused.code().as_str()), (503, "busy"), "{}", refused.text());
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(took < Duration::from_millis(500), "{took:?}");
    // Nothing else waits behind the queue.
    assert_eq!(api.get("/v1/health").status, 200);
    for mut stream in taken {
        let reply = read_reply(&mut stream);
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    assert_eq!(api.post_json("/v1/decisions", &small).status, 200);
}

#[test]
fn what_runs_ends_before_the_service() {
    let desk = Desk::new();
    let api = ApiService::start(desk.path(), &["--policy", "starter", "--body-limit", "64"]);
    let body = long_application(&desk);
    let mut stream = api.begin("POST", "/v1/decisions", &[JSON], body.len());
    stream.write_all(body.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    api.terminate();
    assert_eq!(read_reply(&mut stream).status, 200);
    assert_eq!(api.stop_ended(), Some(0));
}

#[test]
fn the_same_key_gives_the_same_answer_and_another_body_is_refused() {
    let desk = Desk::new();
    let api = start(&desk);
    let body = application(&desk, STATEMENT);
    let key = ("idempotency-key", "a-1");
    let first = api.ask("POST", "/v1/decisions", &[JSON, key], body.as_bytes());
    assert_eq!((first.status, first.header("idempotency-replayed")), (200, None));
    let again = api.ask("POST", "/v1/decisions", &[JSON, key], body.as_bytes());
    assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")));
    assert_eq!((again.body, again.head.contains("x-lendwright-policy")), (first.body, true));
    let other = application(&desk, "in/statement-000002.json");
    let refused = api.ask("POST", "/v1/decisions", &[JSON, key], other.as_bytes());
    assert_eq!((refused.status, refused.code().as_str()), (409, "idempotency-key-reused"));
    // Another path is another matter, and what failed may be sent again.
    assert_eq!(api.ask("POST", "/v1/metrics", &[JSON, key], body.as_bytes()).status, 200);
    let failed = ("idempotency-key", "a-2");
    assert_eq!(api.ask("POST", "/v1/decisions", &[JSON, failed], b"{").status, 400);
    assert_eq!(api.ask("POST", "/v1/decisions", &[JSON, failed], body.as_bytes()).status, 200);
    let empty = api.ask("POST", "/v1/decisions", &[JSON, ("idempotency-key", "")], body.as_bytes());
    assert_eq!((empty.status, empty.code().as_str()), (400, "invalid-idempotency-key"));
    let lines = ("content-type", "application/x-ndjson");
    let batch = api.ask("POST", "/v1/batches", &[lines, key], b"");
    assert_eq!((batch.status, batch.code().as_str()), (400, "invalid-idempotency-key"));
}
