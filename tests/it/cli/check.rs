//! Rule files that are wrong, and parameters from outside.

use crate::fixtures::desk::{Desk, POLICY};

/// Two mistakes, in different places.
fn wrong() -> String {
    POLICY.replace("\"records >=", "\"recods >=").replace("interest = 3.0", "interest = \"'three'\"")
}

#[test]
fn check_lists_every_mistake_with_its_place() {
    let desk = Desk::new();
    desk.write("rules/wrong.toml", &wrong());
    let said = desk.run(&["check", "rules/wrong.toml", "rules/small.toml"]);
    assert_eq!(
        (said.status, said.out.as_str()),
        (1, "rules/wrong.toml: 2 errors\nrules/small.toml: ok, 1 warning\n2 files: 2 errors, 1 warning\n")
    );
    assert!(said.err.contains("[rules/wrong.toml:19:9]"), "{}", said.err);
    assert!(said.err.contains("did you mean `records`?"), "{}", said.err);
    assert!(!said.err.contains('\u{1b}'), "colour without a terminal");
}

#[test]
fn mistakes_are_json_on_request() {
    let desk = Desk::new();
    desk.write("rules/wrong.toml", &wrong());
    let said = desk.run(&["check", "--format", "json", "rules/wrong.toml"]);
    assert_eq!((said.status, said.err.as_str()), (1, ""));
    let found: Vec<serde_json::Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["code"], "unknown-name");
    assert_eq!((found[0]["line"].as_u64(), found[0]["column"].as_u64()), (Some(19), Some(9)));
    let decided = desk.run(&["decide", "--policy", "rules/wrong.toml", "--format", "json", "in/statement-000001.json"]);
    assert_eq!((decided.status, decided.out.as_str(), decided.err.as_str()), (1, "", said.out.as_str()));
}

#[test]
fn nothing_is_decided_by_a_wrong_file() {
    let desk = Desk::new();
    desk.write("rules/wrong.toml", &wrong());
    let said = desk.run(&["decide", "--policy", "rules/wrong.toml", "in/statement-000001.json"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.ends_with("error: `rules/wrong.toml` has mistakes; nothing was done\n"), "{}", said.err);
    let said = desk.run(&["decide", "--policy", "rules/none.toml", "in/statement-000001.json"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.starts_with("error: cannot read `rules/none.toml`: "), "{}", said.err);
}

#[test]
fn a_parameter_from_outside_counts_and_is_recorded() {
    let desk = Desk::new();
    let said =
        desk.run(&["decide", "--policy", "rules/small.toml", "--param", "min_records=41", "in/statement-000001.json"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let decision: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(decision["outcome"], "decline");
    assert_eq!(decision["reasons"][0]["id"], "R01");
    assert_eq!(decision["parameters"]["min_records"], "41");
    let said =
        desk.run(&["decide", "--policy", "rules/small.toml", "--param", "min_record=41", "in/statement-000001.json"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    let said = desk.run(&[
        "decide",
        "--policy",
        "rules/small.toml",
        "--param",
        "min_records=five",
        "in/statement-000001.json",
    ]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(
        said.err.contains("parameter `min_records`: `five`, given from outside, has a different type from 5"),
        "{}",
        said.err
    );
}
