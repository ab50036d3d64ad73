//! A missing day of the decision: what depends on today is unknown, and the last record's day is never taken for today.

use insta::assert_snapshot;
use serde_json::Value;

use crate::fixtures::desk::{Desk, NO_DAY, Said};

/// A monthly salary, the last one in 2021.
fn statement(desk: &Desk) {
    let months = (1..=12).map(|month| format!("K1,2021-{month:02}-05,250000,SALARY {month} ACME LTD\n"));
    desk.write("t.csv", &format!("customer,trans_date,credit,desc\n{}", months.collect::<String>()));
}

fn starter() -> String {
    format!("{}/rules/starter.toml", env!("CARGO_MANIFEST_DIR"))
}

fn decision(said: &Said) -> Value {
    assert_eq!(said.status, 0, "{}", said.err);
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn a_statement_that_ended_long_ago_has_no_offer_for_want_of_a_day() {
    let desk = Desk::new();
    statement(&desk);
    let starter = starter();
    let without = decision(&desk.run(&["decide", "--policy", &starter, "t.csv"]));
    assert_eq!((&without["outcome"], &without["as_of_given"]), (&"refer".into(), &false.into()));
    assert_eq!(without["as_of"], "2021-12-05");
    for name in ["staleness_days", "days_since_last_credit", "days_since_salary"] {
        assert_eq!(
            (&without["metrics"][name], &without["unknown"][name]),
            (&Value::Null, &"needs_as_of".into()),
            "{name}"
        );
    }
    // Windows end on the last record.
    assert_eq!(without["metrics"]["inflow_90d"], 75_000_000);
    let known = decision(&desk.run(&["decide", "--policy", &starter, "--as-of", "2021-12-10", "t.csv"]));
    assert_eq!((&known["outcome"], &known["metrics"]["staleness_days"]), (&"offer".into(), &5.into()));
    assert_eq!(known.get("as_of_given"), None);
    let stale = decision(&desk.run(&["decide", "--policy", &starter, "--as-of", "2026-10-31", "t.csv"]));
    assert_eq!(stale["outcome"], "refer");
}

#[test]
fn each_command_says_once_how_to_give_the_day() {
    let desk = Desk::new();
    statement(&desk);
    let starter = starter();
    let commands: [&[&str]; 4] = [&["decide"], &["explain"], &["metrics"], &["batch", "--out", "out"]];
    for command in commands {
        let run = |more: &[&str]| {
            let args = [command, &["--policy", &starter, "t.csv"], more].concat();
            let program = std::process::Command::new(env!("CARGO_BIN_EXE_lendwright"))
                .args(args)
                .current_dir(desk.path())
                .output()
                .unwrap();
            String::from_utf8(program.stderr).unwrap()
        };
        let said = run(if command[0] == "decide" { &["t.csv"] } else { &[] });
        assert_eq!(said.matches(NO_DAY).count(), 1, "{command:?}: {said}");
        if command[0] == "batch" {
            std::fs::remove_dir_all(desk.path().join("out")).unwrap();
        }
        assert!(!run(&["--as-of", "2026-10-31"]).contains("--as-of"), "{command:?}");
    }
}

#[test]
fn a_decision_without_a_day_is_replayed_without_one() {
    let desk = Desk::new();
    statement(&desk);
    let starter = starter();
    for days in [&[][..], &["--as-of", "2021-12-05"]] {
        let decided = desk.run(&[&["decide", "--policy", &starter, "t.csv"], days].concat());
        desk.write("decision.json", &decided.out);
        let replayed = desk.run(&["replay", "decision.json", "t.csv", "--policy", &starter]);
        assert_eq!(replayed.out, "decision.json: the same, byte for byte\n", "{}", replayed.err);
    }
}

#[test]
fn a_policy_may_ask_for_the_day() {
    let desk = Desk::new();
    statement(&desk);
    let small = desk.read("rules/small.toml");
    desk.write("rules/small.toml", &small.replacen("[policy]\n", "[policy]\nas_of = \"required\"\n", 1));
    let without = decision(&desk.run(&["decide", "--policy", "rules/small.toml", "t.csv"]));
    assert_eq!((&without["outcome"], without["offers"].as_array().unwrap().len()), (&"refer".into(), 0));
    assert_snapshot!(
        without["reasons"],
        @r#"[{"effect":"refer","id":"INPUT_MISSING","text":"as_of is required and not given"}]"#
    );
    let given = decision(&desk.run(&["decide", "--policy", "rules/small.toml", "--as-of", "2021-12-31", "t.csv"]));
    assert_ne!(given["reasons"][0]["id"], "INPUT_MISSING");
    desk.write("rules/small.toml", &small.replacen("[policy]\n", "[policy]\nas_of = \"always\"\n", 1));
    let said = desk.run(&["check", "rules/small.toml"]);
    assert_eq!(said.status, 1, "{}", said.out);
}
