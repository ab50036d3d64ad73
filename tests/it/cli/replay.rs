//! `replay`: a recorded decision is made again to the byte, or the difference is named.

use std::fs;

use super::{DECIDE, FILES};
use crate::fixtures::desk::Desk;

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
