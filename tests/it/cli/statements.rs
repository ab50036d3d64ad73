//! Statements in, decisions and metrics out: files, standard input, tables, what cannot be read, replay.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Desk, NO_DAY};

const FILES: [&str; 3] = ["in/statement-000001.json", "in/statement-000002.json", "in/statement-000003.json"];
const DECIDE: [&str; 3] = ["decide", "--policy", "rules/small.toml"];
const METRICS: [&str; 3] = ["metrics", "--policy", "rules/small.toml"];

fn values(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_statement_has_one_line_in_the_order_given() {
    let desk = Desk::new();
    let said = desk.run(&[&DECIDE[..], &FILES].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let labels: Vec<Value> = values(&said.out).into_iter().map(|decision| decision["statement"].clone()).collect();
    assert_eq!(labels, FILES);
}

#[test]
fn standard_input_is_a_statement() {
    let desk = Desk::new();
    let file = desk.run(&[&DECIDE[..], &FILES[..1]].concat());
    let piped = desk.run_with(&[&DECIDE[..], &["-"]].concat(), &desk.read(FILES[0]));
    assert_eq!((piped.status, piped.err.as_str()), (0, ""));
    assert_eq!(piped.out, file.out.replace(FILES[0], "-"));
    let nothing = desk.run_with(&[&DECIDE[..], &["-"]].concat(), "");
    assert_eq!((nothing.status, nothing.out.as_str()), (1, ""));
    assert!(nothing.err.starts_with("error: standard input: not a statement"), "{}", nothing.err);
}

#[test]
fn metrics_say_what_a_person_should_know_of_the_statements() {
    let desk = Desk::new();
    let row = |customer: usize| format!("C{customer},2026-03-02,5.00,{}\n", if customer == 3 { ",x" } else { "," });
    let rows: String = (0..4).map(row).collect();
    desk.write("t.csv", &format!("customer,trans_date,credit,debit,colour\n{rows}C1,2026-03-02,1.00,1.00,\n"));
    let said = desk.run(&[&METRICS[..], &["t.csv"]].concat());
    assert_eq!((said.status, values(&said.out).len()), (0, 4));
    let wanted = "warning: t.csv: nothing is read from `colour` (4 statements)\n\
        warning: t.csv: 1 records have a credit and a debit\n";
    assert_eq!(said.err, wanted);
    let many: String = (1..=8).map(|both| format!("D{both},2026-03-02,1.00,1.00\n").repeat(both)).collect();
    desk.write("many.csv", &format!("customer,trans_date,credit,debit\n{many}"));
    let said = desk.run(&[&METRICS[..], &["many.csv"]].concat());
    assert_eq!(said.err.lines().count(), 6, "{}", said.err);
    assert!(said.err.ends_with("warning: and 3 more of this kind; `quality.warnings` of decisions lists all\n"));
}

/// A pipe cannot be read from any position, and its name may still be that of a table.
#[cfg(unix)]
#[test]
fn a_table_may_be_a_pipe() {
    let desk = Desk::new();
    let made = desk.run(&["generate", "--statements", "3", "--format", "parquet", "--out", "table"]);
    assert_eq!((made.status, made.err.as_str()), (0, ""));
    let table = desk.run(&[&METRICS[..], &["table/statements.parquet"]].concat());
    assert_eq!((table.status, values(&table.out).len()), (0, 3));
    let pipe = desk.path().join("pipe.parquet");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let bytes = fs::read(desk.path().join("table/statements.parquet")).unwrap();
    let writer = std::thread::spawn(move || fs::write(pipe, bytes));
    let piped = desk.run(&[&METRICS[..], &["pipe.parquet"]].concat());
    assert_eq!((piped.status, piped.err.as_str()), (0, ""));
    assert_eq!(piped.out, table.out.replace("table/statements.parquet", "pipe.parquet"));
    writer.join().unwrap().unwrap();
}

#[test]
fn what_cannot_be_read_does_not_stop_the_others() {
    let desk = Desk::new();
    desk.write("broken.json", "{\"status\":");
    let said = desk.run(&[&DECIDE[..], &[FILES[0], "broken.json", "none.json", "notes.txt", FILES[1]]].concat());
    assert_eq!(said.status, 1);
    assert_eq!(said.out, desk.run(&[&DECIDE[..], &FILES[..2]].concat()).out);
    let complaints: Vec<&str> = said.err.lines().collect();
    assert_eq!(complaints.len(), 3, "{}", said.err);
    for (complaint, file) in complaints.iter().zip(["broken.json", "none.json", "notes.txt"]) {
        assert!(complaint.starts_with(&format!("error: {file}: ")), "{complaint}");
    }
}

#[test]
fn a_table_without_records_is_said_to_have_none() {
    let desk = Desk::new();
    desk.write("none.csv", "customer,id,trans_date,credit,debit,balance,desc\n");
    let warned = "warning: none.csv: no records, so no statement\n";
    for command in [&DECIDE[..], &METRICS] {
        let said = desk.run(&[command, &["none.csv"]].concat());
        assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", warned));
        let merged = desk.run(&[command, &["--merge", "none.csv"]].concat());
        assert_eq!((merged.status, merged.out.as_str(), merged.err.as_str()), (0, "", warned));
    }
}

#[test]
fn metrics_are_never_written_over_their_input() {
    let desk = Desk::new();
    let table = "customer,id,trans_date,credit\nc,1,2026-01-01,5\n";
    desk.write("one.csv", table);
    desk.write("two.csv", &table.replace("c,1", "d,1"));
    for out in ["one.csv", "./in/../one.csv"] {
        let said = desk.run(&[&METRICS[..], &["--out", out, "two.csv", "one.csv"]].concat());
        let wanted =
            format!("error: `--out {out}` would overwrite the input `one.csv`; nothing was done: name another file\n");
        assert_eq!((said.status, said.out.as_str(), said.err), (1, "", wanted));
        assert_eq!(desk.read("one.csv"), table);
    }
    assert_eq!(desk.run(&[&METRICS[..], &["--out", "three.csv", "one.csv"]].concat()).status, 0);
}

#[test]
fn the_same_metrics_from_every_format() {
    let desk = Desk::new();
    for format in ["csv", "parquet"] {
        let made =
            desk.run(&["generate", "--statements", "3", "--records", "40", "--format", format, "--out", "tables"]);
        assert_eq!(made.status, 0, "{}", made.err);
    }
    let by_customer = |inputs: &[&str]| {
        let said = desk.run(&[&METRICS[..], inputs].concat());
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        let rows = values(&said.out).into_iter().map(|mut row| {
            row["statement"].take();
            (row["customer"].to_string(), row)
        });
        rows.collect::<BTreeMap<_, _>>()
    };
    let from_json = by_customer(&FILES);
    assert_eq!(from_json.len(), 3);
    assert_eq!(from_json, by_customer(&["tables/statements.csv"]));
    assert_eq!(from_json, by_customer(&["tables/statements.parquet"]));
}

#[test]
fn metrics_go_to_a_file_whole() {
    let desk = Desk::new();
    let lines = desk.run(&[&METRICS[..], &FILES].concat()).out;
    for out in ["m.ndjson", "m.csv", "m.parquet"] {
        let said = desk.run(&[&METRICS[..], &["--out", out], &FILES].concat());
        assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", ""), "{out}");
    }
    assert_eq!(desk.read("m.ndjson"), lines);
    let csv = desk.read("m.csv");
    assert!(csv.starts_with("customer,statement,as_of,records,inflow,largest_debit\n"), "{csv}");
    assert_eq!(csv.lines().count(), 4);
    assert_eq!(fs::read(desk.path().join("m.parquet")).unwrap().get(..4), Some(&b"PAR1"[..]));
    assert_eq!(desk.run(&[&METRICS[..], &["--out", "m.xlsx"], &FILES].concat()).status, 2);
}

#[test]
fn explain_prints_its_data_beside_the_page() {
    let desk = Desk::new();
    let ask = |more: &[&str]| desk.run(&[&["explain", "--policy", "rules/small.toml", FILES[0]], more].concat());
    let (data, page) = (ask(&["--format", "json"]), ask(&["--html", "page.html"]));
    assert_eq!((page.status, page.out.as_str(), page.err.as_str()), (0, "", ""));
    let html = desk.read("page.html");
    let both = ask(&["--html", "both.html", "--format", "json"]);
    assert_eq!((both.status, both.err.as_str()), (0, ""));
    assert_eq!((both.out, desk.read("both.html")), (data.out, html));
}

#[test]
fn explain_takes_no_statement_of_one_customer_for_the_request_of_another() {
    let desk = Desk::new();
    let one = |customer: &str| {
        format!(r#"{{"id": "{customer}", "customer": "{customer}", "trans_date": "2026-06-10", "credit": 4000}}"#)
    };
    desk.write("two.ndjson", &format!("{}\n{}\n", one("ada"), one("obi")));
    let ask = |customer: &str, request: &str| {
        desk.write("request.json", request);
        desk.run(&[
            "explain",
            "--policy",
            "rules/small.toml",
            "two.ndjson",
            "--customer",
            customer,
            "--request",
            "request.json",
        ])
    };
    let refused = ask("ada", r#"{"customer": "obi", "amount": 1}"#);
    assert_eq!((refused.status, refused.out.as_str()), (1, ""));
    assert_eq!(
        refused.err,
        "error: `--customer` is `ada`, but the request is about the customer `obi`; \
         omit `--customer`, or give the request of that customer\n"
    );
    for request in [r#"{"customer": "ada", "amount": 1}"#, r#"{"amount": 1}"#] {
        let taken = ask("ada", request);
        assert_eq!((taken.status, taken.err.as_str()), (0, ""), "{request}");
        assert!(taken.out.contains("ada") && !taken.out.contains("obi"), "{}", taken.out);
    }
}

#[test]
fn explain_names_a_metric_or_says_why_it_is_unknown() {
    let desk = Desk::new();
    let ask = |metric: &str| desk.run(&["explain", "--policy", "rules/small.toml", FILES[0], "--metric", metric]);
    let records = ask("records");
    assert_eq!(records.status, 0, "{}", records.err);
    assert!(
        records.out.contains("\nrecords = 40\n  = COUNT(*)\n  40 records, the last 20 of them:\n"),
        "{}",
        records.out
    );
    assert!(ask("largest_debit").out.contains("largest_debit = unknown (needs_debit)"), "{}", ask("largest_debit").out);
    let typo = ask("recods");
    assert_eq!((typo.status, typo.out.as_str()), (1, ""));
    assert_eq!(typo.err, "error: `rules/small.toml` has no metric `recods`; did you mean `records`?\n");
    let whole = desk.run(&["explain", "--policy", "rules/small.toml", FILES[0]]);
    assert_eq!(whole.status, 0);
    assert!(whole.out.contains("R01"), "{}", whole.out);
}

#[test]
fn a_decision_is_replayed_to_the_byte() {
    let desk = Desk::new();
    desk.write("request.json", r#"{"amount": 5000000, "as_of": "2026-10-20"}"#);
    let options = ["--param", "min_records=7", "--request", "request.json", FILES[0]];
    let decided = desk.run(&[&DECIDE[..], &options].concat());
    assert_eq!(decided.status, 0, "{}", decided.err);
    desk.write("decision.json", &decided.out);
    let same = (0, "decision.json: the same, byte for byte\n".to_owned(), String::new());
    let replay = |statement: &str, policy: &[&str]| {
        let said = desk.run(&[&["replay", "decision.json", statement], policy].concat());
        (said.status, said.out, said.err)
    };
    assert_eq!(replay(FILES[0], &[]), same);
    // Both files have moved.
    fs::rename(desk.path().join(FILES[0]), desk.path().join("moved.json")).unwrap();
    fs::rename(desk.path().join("rules/small.toml"), desk.path().join("rules/old.toml")).unwrap();
    assert_eq!(replay("moved.json", &[]), same);
    fs::rename(desk.path().join("rules"), desk.path().join("archive")).unwrap();
    assert_eq!(replay("moved.json", &["--policy", "archive/old.toml"]), same);
    assert_eq!(replay("moved.json", &[]).0, 1);
}

#[test]
fn a_replay_that_differs_says_where() {
    let desk = Desk::new();
    let decided = desk.run(&[&DECIDE[..], &FILES[..1]].concat());
    desk.write("decision.json", &decided.out.replace("\"records\":40", "\"records\":41"));
    let said = desk.run(&["replay", "decision.json", FILES[0]]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert_eq!(said.err, "error: decision.json: not the same; these differ: `metrics.records`, `quality.records`\n");
    desk.write("spaced.json", &decided.out.replacen("\":", "\": ", 1));
    let said = desk.run(&["replay", "spaced.json", FILES[0]]);
    assert_eq!(said.err, "error: spaced.json: not the same; these differ: its layout\n");
    desk.write("two.ndjson", &decided.out.repeat(2));
    assert_eq!(
        desk.run(&["replay", "two.ndjson", FILES[0]]).err,
        "error: two.ndjson: 2 lines; replay takes one decision\n"
    );
}

#[test]
fn a_decision_out_of_a_table_is_replayed() {
    let desk = Desk::new();
    desk.run(&["generate", "--statements", "3", "--records", "40", "--format", "csv", "--out", "tables"]);
    let decided = desk.run(&[&DECIDE[..], &["tables/statements.csv"]].concat());
    assert_eq!(decided.out.lines().count(), 3);
    for line in decided.out.lines() {
        desk.write("decision.json", line);
        let said = desk.run(&["replay", "decision.json", "tables/statements.csv"]);
        assert_eq!((said.status, said.err.as_str()), (0, ""));
    }
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let desk = Desk::new();
    // More than a pipe holds, so that writing must fail once the reader is gone.
    let copies: Vec<String> = (0..300).map(|copy| format!("copies/{copy}.json")).collect();
    let statement = desk.read(FILES[0]);
    copies.iter().for_each(|copy| desk.write(copy, &statement));
    let args: Vec<&str> = DECIDE.iter().copied().chain(copies.iter().map(String::as_str)).collect();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lendwright"))
        .args(args)
        .current_dir(desk.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), NO_DAY);
}

#[test]
fn a_columns_file_that_ships_is_taken_by_its_name() {
    let desk = Desk::new();
    let line = r#"{"data": [{"id": "m1", "type": "credit", "amount": 33700, "balance": 33700, "narration": "PAY",
        "date": "2026-03-02T00:00:00.000Z"}]}"#;
    desk.write("customer=K1/answers.ndjson", &line.replace('\n', " "));
    let said = desk.run(&[&METRICS[..], &["--columns", "mono", "customer=K1/answers.ndjson"]].concat());
    assert_eq!((said.status, values(&said.out).len()), (0, 1), "{}", said.err);
    assert_eq!(values(&said.out)[0]["customer"], "K1");
    let said = desk.run(&[&METRICS[..], &["--columns", "mona", "customer=K1/answers.ndjson"]].concat());
    let wanted = "error: mona: there is no such file, and none of the columns files that ship has this name: \
        account-aggregator-in, belvo, ";
    assert!(said.status != 0 && said.err.starts_with(wanted), "{}", said.err);
}
