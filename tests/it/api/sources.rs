//! Inputs that a request lacks come from services, programs and files: each in time, or unknown with its reason.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ApiService, STATEMENT, application};
use crate::fixtures::desk::Desk;
use crate::fixtures::scripted_server::{self, Server};

/// The policy of the desk, which refers if the bureau is silent.
fn write_policy(desk: &Desk) {
    let metrics = "[metric]\nscore = \"bureau.score\"\nowed = \"bureau.owed\"\n\
                   open_loans = \"SUM(bureau.loans.amount) FILTER (WHERE bureau.loans.open)\"\n";
    let more = "\n[bureau]\nscore = \"count\"\nowed = \"money\"\n[input.bureau.loans]\namount = \"money\"\n\
                open = \"boolean\"\n[[require]]\nid = \"B01\"\nwhen = \"score >= 600\"\nunknown = \"refer\"\n\
                reason = \"A score of {score}\"\n";
    desk.write("rules/bureau.toml", &format!("{}\n{metrics}{more}", desk.read("rules/small.toml")));
}

const FIELDS: &str = "[source.crc.fields]\n\"bureau.score\" = \"$.report.scores[0].value\"\n\
    \"bureau.owed\" = \"$.report.owed\"\n\
    \"bureau.loans\" = { entries = \"$.report.accounts\", amount = \"$.balance\", open = \"$.is_open\" }\n";

const REPORT: &str = r#"{"report": {"scores": [{"value": "655"}], "owed": 1250.5, "accounts":
    [{"balance": 1000, "is_open": true}, {"balance": "250.50", "is_open": "true"},
     {"balance": 9, "is_open": false}]}}"#;

fn start_with(desk: &Desk, source: &str) -> ApiService {
    write_policy(desk);
    desk.write("sources.toml", &format!("[source.crc]\nmoney = \"major\"\n{source}\n{FIELDS}"));
    let args = ["--policy", "rules/bureau.toml", "--sources", "sources.toml", "--book", "book.sqlite"];
    ApiService::start(desk.path(), &[&args[..], &["--book-readable"]].concat())
}

fn with_request(desk: &Desk, request: &str) -> String {
    format!("{}, \"request\": {request}}}", application(desk, STATEMENT).trim_end().strip_suffix('}').unwrap())
}

fn decided(api: &ApiService, desk: &Desk, request: &str) -> Value {
    let reply = api.post_json("/v1/decisions", &with_request(desk, request));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

#[test]
fn a_bureau_is_queried_by_http_and_its_report_is_decided_on() {
    let desk = Desk::new();
    let bureau = Server::fixed(scripted_server::json(REPORT));
    desk.write("crc.key", "Bearer canary-secret\n");
    #[cfg(unix)]
    std::fs::set_permissions(desk.path().join("crc.key"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let source = format!(
        "url = \"{}/reports/{{request.bvn}}\"\nmethod = \"get\"\nsend = {{ who = \"{{request.bvn}}/{{customer}}\" }}\n\
         headers = {{ authorization = {{ file = \"crc.key\" }}, \"x-client\" = \"lender\" }}\nremember_s = 60",
        bureau.base_url
    );
    let api = start_with(&desk, &source);
    let body = with_request(&desk, r#"{"bvn": "22 1/3", "customer": "C-1"}"#);
    let first = api.post_json("/v1/decisions", &body);
    let answer = first.json();
    let bureau_part = json!({ "score": 655, "owed": 125_050, "loans":
        [{ "amount": 100_000, "open": true }, { "amount": 25_050, "open": true }, { "amount": 900, "open": false }] });
    // What sources are queried by alone is not in the record.
    assert_eq!(answer["request"], json!({ "bureau": bureau_part }), "{answer}");
    assert_eq!((&answer["metrics"]["score"], &answer["metrics"]["open_loans"]), (&json!(655), &json!(125_050)));
    let head = bureau.heads()[0].to_ascii_lowercase();
    assert!(head.starts_with("get /reports/22%201%2f3?who=22+1%2f3%2fc-1 "), "{head}");
    assert!(head.contains("authorization: bearer canary-secret") && head.contains("x-client: lender"), "{head}");
    // The answer is remembered, a request that brings the input itself asks for nothing, and a replay needs no bureau.
    assert_eq!(api.post_json("/v1/explanations", &body).json()["decision"]["metrics"]["score"], 655);
    let brought = with_request(&desk, r#"{"bvn": "2", "bureau": {"score": 700, "owed": null, "loans": []}}"#);
    assert_eq!(api.post_json("/v1/decisions", &brought).json()["metrics"]["score"], 700);
    assert_eq!(bureau.count(), 1);
    let text = api.get("/metrics").text().to_owned();
    for line in [
        "lendwright_source_answers_total{source=\"crc\",result=\"answered\"} 1",
        "lendwright_source_answers_total{source=\"crc\",result=\"remembered\"} 1",
        "lendwright_source_paused{source=\"crc\"} 0",
    ] {
        assert!(text.contains(line), "{text}");
    }
    desk.write("decision.json", first.text());
    desk.write("one.json", &desk.read(STATEMENT));
    let replayed = desk.run(&["replay", "--policy", "rules/bureau.toml", "decision.json", "one.json"]);
    assert_eq!(replayed.status, 0, "{} {}", replayed.out, replayed.err);
    assert!(!std::fs::read_to_string(desk.path().join("api.log")).unwrap().contains("canary"));
}

/// The reason of the unknown score, the outcome, and the word of the counter.
#[test]
fn what_goes_wrong_with_a_source_is_unknown_with_its_reason() {
    let answer = |status: &str, body: &str| scripted_server::answer(status, &[], body);
    for (response, code, word) in [
        (answer("404 Not Found", "{}"), "bureau_not_found", "not_found"),
        (scripted_server::json("null"), "bureau_not_found", "not_found"),
        (answer("400 Bad Request", "{}"), "bureau_refused", "refused"),
        (answer("503 Busy", "{}"), "bureau_unavailable", "unavailable"),
        (answer("302 Found", ""), "bureau_unavailable", "unavailable"),
        (scripted_server::json("<html>"), "bureau_malformed", "malformed"),
        (scripted_server::short("{\"report\": 1", 500), "bureau_unavailable", "unavailable"),
        // The answer is read, and the score in it is none.
        (scripted_server::json(r#"{"report": {"scores": [{"value": "good"}]}}"#), "bureau_malformed", "answered"),
        (scripted_server::json(r#"{"report": {"scores": [{"value": 1.5}]}}"#), "bureau_malformed", "answered"),
        (scripted_server::json(r#"{"report": {"scores": []}}"#), "missing_bureau_score", "answered"),
        // Of two values of one key either may be meant, and digits are not rounded.
        (
            scripted_server::json(r#"{"report": {"scores": [{"value": 1, "value": 700}]}}"#),
            "bureau_malformed",
            "malformed",
        ),
        (
            scripted_server::json(r#"{"report": {"scores": [{"value": 700.00000000000000001}]}}"#),
            "bureau_malformed",
            "answered",
        ),
    ] {
        let desk = Desk::new();
        let bureau = Server::fixed(response);
        let source = format!("url = \"{}\"\nsend = {{ bvn = \"{{request.bvn}}\" }}", bureau.base_url);
        let api = start_with(&desk, &source);
        let decision = decided(&api, &desk, r#"{"bvn": 22}"#);
        assert_eq!(decision["unknown"]["score"], code, "{word}: {decision}");
        assert_ne!(decision["outcome"], "offer");
        let counted = format!("lendwright_source_answers_total{{source=\"crc\",result=\"{word}\"}} 1");
        let text = api.get("/metrics").text().to_owned();
        assert!(text.contains(&counted), "{text}");
        // Without what it is queried by, it is not queried.
        let before = bureau.count();
        assert_eq!(decided(&api, &desk, "{}")["unknown"]["score"], "bureau_not_queried");
        assert_eq!(bureau.count(), before);
    }
}

#[test]
fn a_late_source_holds_up_nothing_and_one_that_keeps_failing_is_paused() {
    let desk = Desk::new();
    let bureau = Server::start(|number, stream| {
        if number < 2 {
            std::thread::sleep(Duration::from_secs(20));
        }
        let _ = stream.write_all(&scripted_server::json(REPORT));
    });
    let source = format!(
        "url = \"{}\"\nsend = {{ bvn = \"{{request.bvn}}\" }}\ndeadline_ms = 200\npause_after_failures = 2\n\
         pause_ms = 1500",
        bureau.base_url
    );
    let api = start_with(&desk, &source);
    let ask = || api.post_json("/v1/decisions", &with_request(&desk, r#"{"bvn": "1"}"#));
    let from = Instant::now();
    let late = ask();
    assert_eq!(late.json()["unknown"]["score"], "bureau_late", "{}", late.text());
    assert_eq!(ask().json()["unknown"]["score"], "bureau_late");
    // Two failures in a row: it is not queried.
    assert_eq!(ask().json()["unknown"]["score"], "bureau_unavailable");
    assert!(from.elapsed() < Duration::from_secs(15), "{:?}", from.elapsed());
    assert_eq!(bureau.count(), 2);
    assert!(api.get("/metrics").text().contains("lendwright_source_paused{source=\"crc\"} 1"));
    std::thread::sleep(Duration::from_millis(1600));
    assert_eq!(ask().json()["metrics"]["score"], 655);
    assert_eq!(ask().json()["metrics"]["score"], 655);
    // The record says how it was queried.
    let id = late.header("x-lendwright-decision").unwrap();
    let kept = api.get(&format!("/v1/decisions/{id}")).json();
    assert_eq!((&kept["sources"][0]["source"], &kept["sources"][0]["result"]), (&json!("crc"), &json!("late")));
}

#[test]
fn a_program_and_a_file_are_sources_too() {
    let desk = Desk::new();
    desk.write("ask", "#!/bin/sh\ncat > question.json\ncat report.json\n");
    #[cfg(unix)]
    std::fs::set_permissions(desk.path().join("ask"), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    desk.write("report.json", REPORT);
    let api = start_with(&desk, "command = [\"./ask\"]\nsend = { bvn = \"{request.bvn}\", as = \"lender\" }");
    assert_eq!(decided(&api, &desk, r#"{"bvn": 22}"#)["metrics"]["score"], 655);
    assert_eq!(
        serde_json::from_str::<Value>(&desk.read("question.json")).unwrap(),
        json!({ "bvn": 22, "as": "lender" })
    );
    drop(api);

    desk.write("table.csv", "bvn,score,owed\n21,655,12.50\n22,,\n");
    let fields = "[source.crc.fields]\n\"bureau.score\" = \"score\"\n\"bureau.owed\" = \"owed\"\n";
    desk.write(
        "sources.toml",
        &format!(
            "[source.crc]\nfile = \"table.csv\"\nmoney = \"major\"\nsend = {{ bvn = \"{{request.bvn}}\" }}\n{fields}"
        ),
    );
    let api = ApiService::start(desk.path(), &["--policy", "rules/bureau.toml", "--sources", "sources.toml"]);
    let found = decided(&api, &desk, r#"{"bvn": "21"}"#);
    assert_eq!((&found["metrics"]["score"], &found["metrics"]["owed"]), (&json!(655), &json!(1_250)));
    assert_eq!(decided(&api, &desk, r#"{"bvn": "22"}"#)["unknown"]["score"], "missing_bureau_score");
    assert_eq!(decided(&api, &desk, r#"{"bvn": "23"}"#)["unknown"]["score"], "bureau_not_found");
    // A broken edit leaves the last good table, a good one counts.
    std::thread::sleep(Duration::from_millis(1100));
    desk.write("table.csv", "bvn,score,owed\n21,1,1\n21,700,1\n");
    assert_eq!(decided(&api, &desk, r#"{"bvn": "21"}"#)["metrics"]["score"], 655);
    std::thread::sleep(Duration::from_millis(1100));
    desk.write("table.csv", "bvn,score,owed\n21,700,1\n");
    assert_eq!(decided(&api, &desk, r#"{"bvn": "21"}"#)["metrics"]["score"], 700);
    let log = std::fs::read_to_string(desk.path().join("api.log")).unwrap();
    assert!(log.contains("has the key of line 3 twice"), "{log}");
}

/// Without the list nothing is known of its entries: an empty one would say that there are none.
#[test]
fn a_list_that_the_answer_lacks_is_unknown() {
    for (accounts, wanted) in [
        ("[]", json!({ "metrics": 0 })),
        ("[{\"balance\": 5, \"is_open\": true}]", json!({ "metrics": 500 })),
        ("null", json!({ "unknown": "missing_bureau_loans" })),
        ("\"unavailable\"", json!({ "unknown": "bureau_malformed" })),
        ("{\"a\": {\"balance\": 5}}", json!({ "unknown": "bureau_malformed" })),
        ("[1, null]", json!({ "unknown": "bureau_malformed" })),
        ("", json!({ "unknown": "missing_bureau_loans" })),
    ] {
        let desk = Desk::new();
        let list = if accounts.is_empty() { String::new() } else { format!(", \"accounts\": {accounts}") };
        let report = format!("{{\"report\": {{\"scores\": [{{\"value\": 700}}]{list}}}, \"error\": \"quota\"}}");
        let bureau = Server::fixed(scripted_server::json(report));
        let source = format!("url = \"{}\"\nsend = {{ bvn = \"{{request.bvn}}\" }}", bureau.base_url);
        let decision = decided(&start_with(&desk, &source), &desk, r#"{"bvn": 22}"#);
        let found = match decision["unknown"].get("open_loans") {
            Some(reason) => json!({ "unknown": reason }),
            None => json!({ "metrics": decision["metrics"]["open_loans"] }),
        };
        assert_eq!(found, wanted, "{accounts}: {decision}");
    }
}

#[test]
fn two_customers_are_two_questions_and_none_leads_elsewhere() {
    let desk = Desk::new();
    let bureau = Server::fixed(scripted_server::json(REPORT));
    let source = format!("url = \"{}/people/{{request.bvn}}/report\"\nremember_s = 60", bureau.base_url);
    let api = start_with(&desk, &source);
    for bvn in ["123456789012345678901", "123456789012345678902"] {
        assert_eq!(decided(&api, &desk, &format!("{{\"bvn\": {bvn}}}"))["metrics"]["score"], 655);
    }
    let heads = bureau.heads();
    assert!(heads.len() == 2 && heads[1].starts_with("POST /people/123456789012345678902/report "), "{heads:?}");
    for bvn in ["\"..\"", "\".\"", "null", "[1]", "\"\""] {
        assert_eq!(decided(&api, &desk, &format!("{{\"bvn\": {bvn}}}"))["unknown"]["score"], "bureau_not_queried");
    }
    // What is refused costs no question.
    let refused = |request: &str| api.post_json("/v1/decisions", &with_request(&desk, request)).code();
    assert_eq!(refused(r#"{"bvn": 1, "bvn": 2}"#), "invalid-request");
    assert_eq!(refused(r#"{"bvn": 1, "amount": "much"}"#), "invalid-request");
    let broken = r#"{"statement": [{"credit": "x"}], "request": {"bvn": 1}}"#;
    assert_ne!(api.post_json("/v1/decisions", broken).status, 200);
    assert_eq!(bureau.count(), 2);
    // The same application may be looked at without a question.
    assert_eq!(api.post_json("/v1/metrics", &with_request(&desk, r#"{"bvn": 1}"#)).status, 200);
    assert_eq!(bureau.count(), 2);
}

#[test]
fn mistakes_in_sources_are_told_at_the_start() {
    let desk = Desk::new();
    write_policy(&desk);
    let good = "[source.crc]\nurl = \"http://127.0.0.1:1/\"\nmoney = \"major\"\nsend = { a = \"{request.bvn}\" }\n\
                [source.crc.fields]\n\"bureau.score\" = \"$.score\"\n";
    for (from, to, wanted) in [
        ("$.score", "score", "is not a JSONPath such as"),
        ("bureau.score", "bureau.scores", "is an input that no policy declares"),
        ("bureau.score", "burea.score", "is not an input"),
        ("{request.bvn}", "{bvn}", "has the placeholder `{bvn}`"),
        ("\"bureau.score\" = \"$.score\"", "\"bureau.loans\" = \"$.loans\"", "a list of entries in the policy"),
        ("\"bureau.score\" = \"$.score\"", "\"bureau.loans\" = { entries = \"$.l\", due = \"$.d\" }", "field `due`"),
        ("money = \"major\"\n", "", ""),
        ("money = \"major\"", "money = \"naira\"", "`source.crc.money`"),
        ("url = \"http://127.0.0.1:1/\"", "file = \"none.csv\"", "`source.crc.file` cannot be read"),
    ] {
        let text = match wanted {
            "" => good.replace(from, to).replace("bureau.score", "bureau.owed"),
            _ => good.replace(from, to),
        };
        let wanted = if wanted.is_empty() { "is money; say `money" } else { wanted };
        desk.write("sources.toml", &text);
        let said = desk.run(&["api", "--policy", "rules/bureau.toml", "--sources", "sources.toml"]);
        assert!(said.status != 0 && said.err.contains(wanted), "{text}\n{}", said.err);
    }
}
