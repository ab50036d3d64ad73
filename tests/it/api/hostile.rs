//! Bodies that were made to harm: whatever comes, no answer is 5xx, none repeats it, and the service goes on.

use std::io::Write;

use proptest::prelude::*;

use super::{ApiService, STATEMENT, application, read_reply, start};
use crate::fixtures::desk::Desk;

const PATHS: [&str; 5] = ["/v1/decisions", "/v1/explanations", "/v1/metrics", "/v1/records", "/v1/batches"];

const TYPES: [&str; 10] = [
    "application/json",
    "text/csv",
    "text/tab-separated-values",
    "application/x-ndjson",
    "application/vnd.apache.parquet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/xml",
    "application/x-ofx",
    "application/octet-stream",
    "text/plain",
];

/// Asks at every path under every content type.
fn ask_everywhere(api: &ApiService, body: &[u8]) {
    for path in PATHS {
        for kind in TYPES {
            let reply = api.ask("POST", path, &[("content-type", kind)], body);
            assert!(reply.status < 500, "{path} {kind} {body:?}: {}", reply.text());
            assert!(!reply.text().contains("CANARY") || reply.status == 200, "{path} {kind}: {}", reply.text());
        }
    }
}

#[test]
fn made_up_bodies_are_refused_and_nothing_breaks() {
    let desk = Desk::new();
    let api = start(&desk);
    let valid = application(&desk, STATEMENT);
    let nested = |count: usize| format!("{{\"statement\": {}{}}}", "[".repeat(count), "]".repeat(count));
    let bodies: Vec<Vec<u8>> = vec![
        b"CANARY".to_vec(),
        b"\0\xff\xfe\0".to_vec(),
        b"PK\x03\x04CANARY".to_vec(),
        b"PAR1CANARYPAR1".to_vec(),
        b"<!DOCTYPE a [<!ENTITY b \"CANARY\">]><Document>&b;</Document>".to_vec(),
        nested(200_000).into_bytes(),
        "[".repeat(200_000).into_bytes(),
        format!("{{\"request\": {}1{}, \"statement\": []}}", "[".repeat(9_000), "]".repeat(9_000)).into_bytes(),
        format!("{{\"metrics\": {{\"records\": 1{}}}}}", "0".repeat(10_000)).into_bytes(),
        format!("{{\"metrics\": {{\"inflow\": -{}}}}}", "9".repeat(400)).into_bytes(),
        b"{\"metrics\": {\"inflow\": 1e999}}".to_vec(),
        b"{\"metrics\": {\"records\": 9, \"inflow\": 9223372036854775807}}".to_vec(),
        format!(
            "{{\"statement\": [{{\"id\": \"1\", \"credit\": 1{}, \"trans_date\": \"2026-06-30\"}}]}}",
            "0".repeat(400)
        )
        .into_bytes(),
        b"{\"statement\": [{\"id\": \"1\", \"credit\": 1e308, \"trans_date\": \"9999-12-31\"}]}".to_vec(),
        b"{\"statement\": [], \"as_of\": \"-999999-01-01\"}".to_vec(),
        b"{\"statement\": [], \"reference\": \"customer=CANARY/../../etc/passwd\"}".to_vec(),
        b"{\"statement\": [], \"customer\": \"\\u0000CANARY\\u202e\"}".to_vec(),
        valid.as_bytes()[..valid.len() / 2].to_vec(),
        valid.replace("credit", "cr\u{0}dit").into_bytes(),
    ];
    for body in &bodies {
        ask_everywhere(&api, body);
    }
    assert_eq!(api.post_json("/v1/decisions", &valid).status, 200);
}

#[test]
fn a_caller_that_goes_away_harms_nobody() {
    let desk = Desk::new();
    let api = start(&desk);
    let valid = application(&desk, STATEMENT);
    for path in PATHS {
        let mut stream = api.begin("POST", path, &[("content-type", "application/x-ndjson")], valid.len());
        stream.write_all(&valid.as_bytes()[..valid.len() / 2]).unwrap();
        drop(stream);
    }
    let mut stream = api.begin("POST", "/v1/decisions", &[("content-type", "application/json")], valid.len());
    stream.write_all(&valid.as_bytes()[..10]).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let reply = read_reply_if_any(&mut stream);
    assert!(reply.is_none_or(|status| status == 400));
    assert_eq!(api.post_json("/v1/decisions", &valid).status, 200);
}

fn read_reply_if_any(stream: &mut std::net::TcpStream) -> Option<u16> {
    match stream.peek(&mut [0]) {
        Ok(1..) => Some(read_reply(stream).status),
        _ => None,
    }
}

#[test]
fn no_body_is_answered_by_a_fault_of_the_service() {
    let desk = Desk::new();
    let api = start(&desk);
    let valid = application(&desk, STATEMENT).into_bytes();
    let length = valid.len();
    let mutated = (prop::collection::vec((0..length, any::<u8>()), 1..6), 0..length).prop_map(move |(edits, cut)| {
        let mut body = valid.clone();
        for (at, byte) in edits {
            body[at] = byte;
        }
        if cut % 3 == 0 {
            body.truncate(cut);
        }
        body
    });
    let random = prop::collection::vec(any::<u8>(), 0..400);
    let json = "[\\[\\]{}:,\"a-z0-9.\\\\-]{0,200}".prop_map(|text| format!("{{\"statement\": {text}}}").into_bytes());
    let body = prop_oneof![4 => mutated, 1 => random, 1 => json];
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    let (paths, kinds) = (prop::sample::select(&PATHS[..]), prop::sample::select(&TYPES[..]));
    proptest!(config, |(body in body, path in paths, kind in kinds)| {
        // Half of all bodies are read as JSON.
        for kind in ["application/json", kind] {
            let reply = api.ask("POST", path, &[("content-type", kind)], &body);
            prop_assert!(reply.status < 500, "{} {}: {}", path, kind, reply.text());
        }
    });
}
