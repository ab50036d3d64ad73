//! Batches: a line in, a line out, in order, while more comes.

use std::io::{Read, Write};

use super::{ApiService, STATEMENT, application, start};
use crate::fixtures::desk::Desk;

const LINES: (&str, &str) = ("content-type", "application/x-ndjson");

/// An application on one line.
fn line(desk: &Desk, file: &str) -> String {
    let application: serde_json::Value = serde_json::from_str(&application(desk, file)).unwrap();
    format!("{application}\n")
}

#[test]
fn each_line_is_answered_in_order_and_errors_are_lines() {
    let desk = Desk::new();
    let api = ApiService::start(desk.path(), &["--policy", "rules/small.toml", "--body-limit", "1"]);
    let files = [1, 2, 3].map(|number| format!("in/statement-00000{number}.json"));
    let mut body = String::new();
    for file in &files {
        body.push_str(&line(&desk, file));
        body.push_str("{\"statement\": {\"status\": \"failed\"}}\n\n");
    }
    body.push_str(&"x".repeat(1_000_001));
    body.push('\n');
    body.push_str(line(&desk, STATEMENT).trim_end());
    let reply = api.ask("POST", "/v1/batches", &[LINES], body.as_bytes());
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/x-ndjson")));
    let lines: Vec<&str> = reply.text().lines().collect();
    assert_eq!(lines.len(), 8, "{}", reply.text());
    for (at, file) in files.iter().enumerate() {
        let said = desk.run(&["decide", "--policy", "rules/small.toml", "--as-of", "2026-10-31", file]);
        // The order of keys in a statement is of no matter.
        assert_eq!(lines[2 * at], said.out.trim_end());
        let problem: serde_json::Value = serde_json::from_str(lines[2 * at + 1]).unwrap();
        assert_eq!((&problem["code"], &problem["line"]), (&"statement-status".into(), &(3 * at + 2).into()));
    }
    let problem: serde_json::Value = serde_json::from_str(lines[6]).unwrap();
    assert_eq!((&problem["code"], &problem["line"]), (&"body-too-large".into(), &10.into()));
    assert_eq!(lines[7], lines[0]);
    let counters = api.get("/metrics");
    let counted: u32 = counters
        .text()
        .lines()
        .filter(|line| line.starts_with("lendwright_api_decisions_total"))
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u32>().unwrap())
        .sum();
    assert_eq!(counted, 4);
}

#[test]
fn answers_come_while_more_is_sent() {
    let desk = Desk::new();
    let api = start(&desk);
    let mut stream = api.begin("POST", "/v1/batches", &[LINES, ("transfer-encoding", "chunked")], 0);
    let line = line(&desk, STATEMENT);
    let mut heard = String::new();
    for number in 1..=3 {
        stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).unwrap();
        while heard.matches("\"outcome\"").count() < number {
            let mut piece = [0; 4096];
            let read = stream.read(&mut piece).unwrap();
            assert!(read > 0, "it ended: {heard}");
            heard.push_str(std::str::from_utf8(&piece[..read]).unwrap());
        }
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    stream.read_to_string(&mut heard).unwrap();
    assert!(heard.ends_with("0\r\n\r\n"), "{heard}");
}

#[test]
fn a_batch_is_never_refused_for_want_of_a_place() {
    let desk = Desk::new();
    let api = ApiService::start(desk.path(), &["--policy", "rules/small.toml", "--threads", "1", "--queue", "1"]);
    let body = line(&desk, STATEMENT).repeat(40);
    std::thread::scope(|scope| {
        let batches = [0; 4].map(|_| scope.spawn(|| api.ask("POST", "/v1/batches", &[LINES], body.as_bytes())));
        for batch in batches {
            let reply = batch.join().unwrap();
            // A whole batch may be refused before it begins; one that has begun is answered line by line.
            if reply.status == 503 {
                continue;
            }
            assert_eq!(reply.text().matches("\"outcome\"").count(), 40, "{}", reply.text());
        }
    });
}
