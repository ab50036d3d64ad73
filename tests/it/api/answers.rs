//! The answers are the bytes of the command line.

use serde_json::json;

use super::{ApiService, STATEMENT, application, start};
use crate::fixtures::desk::Desk;

#[track_caller]
fn printed(desk: &Desk, command: &str, rest: &[&str]) -> String {
    let args = [&[command, "--policy", "rules/small.toml", "--as-of", "2026-10-31"], rest].concat();
    let said = desk.run(&args);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    said.out
}

#[test]
fn inline_json_gives_the_bytes_of_the_command_line() {
    let desk = Desk::new();
    let api = start(&desk);
    for (path, command, rest) in [
        ("/v1/decisions", "decide", &[STATEMENT][..]),
        ("/v1/explanations", "explain", &["--format", "json", STATEMENT]),
        ("/v1/metrics", "metrics", &[STATEMENT]),
        ("/v1/records", "records", &["--format", "json", STATEMENT]),
    ] {
        let reply = api.post_json(path, &application(&desk, STATEMENT));
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert_eq!(reply.text(), printed(&desk, command, rest), "{path}");
        let policies = api.get("/v1/policies").json();
        assert_eq!(reply.header("x-lendwright-policy"), policies["policies"][0]["digest"].as_str(), "{path}");
        assert_eq!(reply.header("cache-control"), Some("no-store"));
    }
}

#[test]
fn requests_and_customers_are_those_of_the_command_line() {
    let desk = Desk::new();
    let api = start(&desk);
    desk.write("request.json", r#"{"customer": "C-17", "amount": 5000000}"#);
    let records = r#"[{"id": "1", "credit": 250000.50, "trans_date": "2026-06-30"}]"#;
    desk.write("list.json", records);
    let body = json!({
        "statement": serde_json::from_str::<serde_json::Value>(records).unwrap(), "as_of": "2026-10-31",
        "request": {"customer": "C-17", "amount": 5_000_000}, "reference": "list.json", "customer": "C-17",
    });
    let reply = api.post_json("/v1/decisions", &body.to_string());
    let rest = ["--request", "request.json", "--customer", "C-17", "list.json"];
    assert_eq!(reply.text(), printed(&desk, "decide", &rest));
    // Without a reference it is standard input.
    let mut body = body;
    body.as_object_mut().unwrap().remove("reference");
    let reply = api.post_json("/v1/decisions", &body.to_string());
    assert_eq!(reply.json()["statement"], "-");
}

#[test]
fn tables_are_read_as_files_with_their_endings() {
    let desk = Desk::new();
    desk.write("bank.toml", "[columns]\ntrans_date = \"day\"\ncredit = \"in\"\n");
    desk.write("mine.csv", "day,in\n2026-09-30,1200.50\n2026-10-01,10\n");
    let plain = "customer,id,trans_date,credit\nC-1,1,2026-09-30,1200.50\nC-1,2,2026-10-01,10\n";
    desk.write("plain.csv", plain);
    let api = ApiService::start(desk.path(), &["--policy", "rules/small.toml", "--columns", "bank=bank.toml"]);
    let csv = &[("content-type", "text/csv; charset=utf-8")];
    let path = "/v1/decisions?as_of=2026-10-31&reference=plain.csv";
    let reply = api.ask("POST", path, csv, plain.as_bytes());
    assert_eq!(reply.text(), printed(&desk, "decide", &["plain.csv"]));
    let path = "/v1/decisions?as_of=2026-10-31&reference=mine.csv&columns=bank&customer=C%2017";
    let reply = api.ask("POST", path, csv, desk.read("mine.csv").as_bytes());
    let rest = ["--columns", "bank.toml", "--customer", "C 17", "mine.csv"];
    assert_eq!(reply.text(), printed(&desk, "decide", &rest));
}

#[test]
fn parquet_is_read_too() {
    let desk = Desk::new();
    let made = desk.run(&["generate", "--statements", "1", "--records", "50", "--format", "parquet", "--out", "p"]);
    assert_eq!(made.status, 0, "{}", made.err);
    let file = std::fs::read_dir(desk.path().join("p")).unwrap().next().unwrap().unwrap().path();
    let name = format!("p/{}", file.file_name().unwrap().to_str().unwrap());
    let api = start(&desk);
    for kind in ["application/vnd.apache.parquet", "application/octet-stream"] {
        let path = format!("/v1/decisions?as_of=2026-10-31&reference={name}");
        let reply = api.ask("POST", &path, &[("content-type", kind)], &std::fs::read(&file).unwrap());
        assert_eq!(reply.text(), printed(&desk, "decide", &[&name]), "{kind}");
    }
}

#[test]
fn metrics_are_decided_on_without_a_statement() {
    let desk = Desk::new();
    let api = start(&desk);
    let body = r#"{"metrics": {"records": 9, "inflow": 100000000}, "as_of": "2026-10-31", "customer": "C-1"}"#;
    let reply = api.post_json("/v1/decisions", body);
    let decision = reply.json();
    assert_eq!((reply.status, &decision["outcome"], &decision["customer"]), (200, &json!("offer"), &json!("C-1")));
    assert_eq!(decision["offers"][0]["amountOffered"], 10_000_000);
    let few = api.post_json("/v1/decisions", r#"{"metrics": {"records": 2}, "as_of": "2026-10-31"}"#).json();
    assert_eq!((&few["outcome"], &few["reasons"][0]["id"]), (&json!("decline"), &json!("R01")));
    for (path, body) in [
        ("/v1/decisions", r#"{"metrics": {"recrods": 2}}"#),
        ("/v1/decisions", r#"{"metrics": {"records": "Ada"}}"#),
        ("/v1/decisions", r#"{"metrics": [1]}"#),
    ] {
        let reply = api.post_json(path, body);
        assert_eq!((reply.status, reply.code().as_str()), (400, "invalid-metrics"), "{body}");
        assert!(!reply.text().contains("Ada") && !reply.text().contains("recrods"), "{}", reply.text());
    }
    assert_eq!(api.post_json("/v1/records", body).code(), "malformed-body");
}

#[test]
fn the_policies_in_force_are_listed_and_edits_count() {
    let desk = Desk::new();
    let api = start(&desk);
    let listed = api.get("/v1/policies").json();
    let policy = &listed["policies"][0];
    assert_eq!((&policy["name"], &policy["currency"]), (&json!("small"), &json!("NGN")));
    assert_eq!(policy["parameters"][0]["name"], "min_records");
    assert_eq!(policy["inputs"][0]["name"], "request.amount");
    let edited = desk.read("rules/small.toml").replace("min_records = 5", "min_records = 5000");
    desk.write("rules/small.toml", &edited);
    let from = std::time::Instant::now();
    while api.get("/v1/policies").json()["policies"][0]["digest"] == policy["digest"] {
        assert!(from.elapsed() < std::time::Duration::from_secs(60), "the edit does not count");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let reply = api.post_json("/v1/decisions", &application(&desk, STATEMENT));
    assert_eq!(reply.text(), printed(&desk, "decide", &[STATEMENT]));
    assert_eq!(reply.json()["outcome"], "decline");
}

#[test]
fn counters_count_and_the_log_is_about_nobody() {
    let desk = Desk::new();
    let api = start(&desk);
    assert_eq!(api.get("/v1/health").json(), json!({"status": "ok"}));
    let body = r#"{"statement": [{"id": "1", "credit": 77123.45, "trans_date": "2026-06-30",
        "notes": {"desc": "CANARY NARRATION"}}], "customer": "CANARY-CUSTOMER", "as_of": "2026-10-31"}"#;
    let id = [("content-type", "application/json"), ("x-request-id", "till-7")];
    let reply = api.ask("POST", "/v1/decisions", &id, body.as_bytes());
    assert_eq!((reply.status, reply.header("x-request-id")), (200, Some("till-7")));
    let other = [("content-type", "application/json"), ("x-request-id", "CANARY NAME")];
    assert_ne!(api.ask("POST", "/v1/decisions", &other, b"{").header("x-request-id"), Some("CANARY NAME"));
    let counters = api.get("/metrics");
    for line in [
        "lendwright_api_decisions_total{outcome=\"decline\"} 1",
        "lendwright_http_requests_total{endpoint=\"decisions\",status=\"2xx\"} 1",
        "lendwright_http_refused_total{reason=\"malformed-body\"} 1",
        "# EOF",
    ] {
        assert!(counters.text().contains(line), "{line}: {}", counters.text());
    }
    assert_eq!(api.stop(), Some(0));
    let log = desk.read("api.log");
    assert!(log.contains("request_id=\"till-7\"") && log.contains("stopped"), "{log}");
    assert!(!log.contains("CANARY") && !log.contains("77123"), "{log}");
}

#[test]
fn a_list_of_keys_decides_and_no_problem_shows_a_key() {
    let desk = Desk::new();
    desk.write("rules/blocked.csv", "phone\n08031234567\n");
    let rules = desk.read("rules/small.toml").replace(
        "[request]\n",
        "[list.blocked]\nfile = \"blocked.csv\"\n\n[[require]]\nid = \"B01\"\nwhen = \"NOT in_list(blocked, \
         request.phone)\"\nreason = \"This phone is blocked\"\n\n[request]\nphone = \"text\"\n",
    );
    desk.write("rules/small.toml", &rules);
    let api = start(&desk);
    let ask = |path: &str, phone: &str| {
        let mut body: serde_json::Value = serde_json::from_str(&application(&desk, STATEMENT)).unwrap();
        body["request"] = json!({"phone": phone});
        let reply = api.post_json(path, &body.to_string());
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply
    };
    let blocked = ask("/v1/decisions", "08031234567").json();
    assert_eq!((&blocked["outcome"], &blocked["reasons"][0]["id"]), (&json!("decline"), &json!("B01")));
    let free = ask("/v1/decisions", "0900").json();
    assert_eq!(free["outcome"], "offer");
    assert!(free["policy"]["lists"]["blocked"].is_string(), "{free}");
    let explained = ask("/v1/explanations", "08031234567");
    assert!(explained.text().contains("`request.phone` is on the list `blocked`"), "{}", explained.text());
    let log = desk.read("api.log");
    assert!(!log.contains("0803"), "{log}");
}
