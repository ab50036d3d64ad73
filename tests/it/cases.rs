//! Cases: those of the policies that ship, and what `test` says of others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lendwright::decision::{Outcome, Part, Request, decide, reading};
use lendwright::files::load_policy;
use lendwright::portfolio::{Cases, try_cases};
use lendwright::statement::read_json;

use crate::cli::Desk;

fn rules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

/// The policies that ship.
fn policies() -> Vec<PathBuf> {
    let files = std::fs::read_dir(rules()).unwrap().map(|entry| entry.unwrap().path());
    let is_policy = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".toml") && !name.ends_with(".cases.toml") && !name.ends_with("metrics.toml")
    };
    let mut policies: Vec<PathBuf> = files.filter(is_policy).collect();
    policies.sort();
    assert!(policies.len() >= 3);
    policies
}

#[test]
fn every_cases_file_has_its_policy_and_a_case_without_records() {
    for entry in std::fs::read_dir(rules()).unwrap() {
        let path = entry.unwrap().path();
        if let Some(policy) = path.to_string_lossy().strip_suffix(".cases.toml") {
            assert!(
                policies().contains(&PathBuf::from(format!("{policy}.toml"))),
                "{} is beside no policy",
                path.display()
            );
        }
    }
    // Of a statement without records nearly all is unknown: each requirement says there what it does then.
    for policy in policies() {
        let cases = Cases::read(&Cases::beside(&policy)).unwrap();
        let empty = |trial: &lendwright::portfolio::Tried| trial.decision.quality.records == 0;
        let trial = try_cases(&policy, &Cases::beside(&policy), &cases).unwrap();
        assert!(trial.tried.iter().any(empty), "no case of {} has an empty statement", policy.display());
    }
}

#[test]
fn every_policy_takes_some_refers_some_and_declines_some_of_the_people_made_up() {
    let desk = tempfile::tempdir().unwrap();
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_lendwright"))
        .args(["generate", "--statements", "120", "--records", "300", "--seed", "3", "--out"])
        .arg(desk.path())
        .status();
    assert!(made.unwrap().success());
    for file in policies() {
        let policy = load_policy(&file, &[]).unwrap_or_else(|refused| panic!("{refused}"));
        let mut outcomes = BTreeSet::new();
        for entry in std::fs::read_dir(desk.path()).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let statements = read_json(&bytes, "made up", &reading(&policy)).unwrap();
            let decisions = decide(&policy, &statements, &Request::default()).unwrap();
            outcomes.extend(decisions.iter().map(|decision| decision.outcome));
        }
        let all = [Outcome::Offer, Outcome::Refer, Outcome::Decline];
        assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), all, "{}", file.display());
    }
}

#[test]
fn every_case_that_ships_comes_out_as_it_says() {
    for policy in policies() {
        let file = Cases::beside(&policy);
        let trial = try_cases(&policy, &file, &Cases::read(&file).unwrap()).unwrap();
        let wrong: Vec<_> = trial.tried.iter().filter(|tried| !tried.differences.is_empty()).collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", policy.display());
    }
}

#[test]
fn the_cases_that_ship_reach_every_reason_every_row_and_every_offer() {
    for policy in policies() {
        let file = Cases::beside(&policy);
        let trial = try_cases(&policy, &file, &Cases::read(&file).unwrap()).unwrap();
        let needed = trial.parts.iter().filter(|part| !matches!(part, Part::Bin(..) | Part::Met(_)));
        let missing: Vec<_> = needed.filter(|part| !trial.reached.contains(part)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", policy.display());
    }
}

const CASES: &str = r#"
[[records.often]]
from = "2026-01-31"
times = 6
every = "month"
credit = 1000.50
desc = "POS"

[[case]]
name = "six records, as agreed"
as_of = "2026-06-30"
records = ["often"]
[case.expect]
outcome = "offer"
metrics = { records = 6, inflow = 600_300 }
offers = [[30, 50_000, 52_000]]

[[case]]
name = "the outcome has changed"
as_of = "2026-04-30"
records = ["often"]
[case.expect]
outcome = "offer"
metrics = { records = 5, nothing = 1 }
unknown = { inflow = "no_records", largest_debit = "needs_debit" }
"#;

#[test]
fn a_case_that_comes_out_otherwise_is_shown_side_by_side() {
    let desk = Desk::new();
    desk.write("rules/small.cases.toml", CASES);
    let said = desk.run(&["test", "rules/small.toml"]);
    assert_eq!((said.status, said.err.as_str()), (1, ""));
    insta::assert_snapshot!(said.out);
    let said = desk.run(&["test", "rules/small.toml", "--format", "json"]);
    assert_eq!((said.status, said.out.lines().count()), (1, 2));
    let first: serde_json::Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!((first["ok"].as_bool(), first["case"].as_str()), (Some(true), Some("six records, as agreed")));
}

#[test]
fn a_cases_file_that_makes_no_sense_says_why() {
    let desk = Desk::new();
    let wrong = [
        ("", "missing field `case`"),
        ("case = []\n", "there is no [[case]] in it"),
        ("[[case]]\nname = \"a\"\n", "missing field `expect`"),
        ("[[case]]\nname = \"a\"\nexpect = { outcome = \"offer\", ofers = [] }\n", "unknown field `ofers`"),
        (
            "[[case]]\nname = \"a\"\nrecords = [\"b\"]\nexpect = { outcome = \"offer\" }\n",
            "case `a`: there are no [[records.b]]",
        ),
        ("[[case]]\nname = \"a\"\nas_of = \"June\"\nexpect = { outcome = \"offer\" }\n", "case `a`: `June` is no day"),
        (
            "[[case]]\nname = \"a\"\nalso = [{ on = \"2026-06-30\", times = 2, credit = 1 }]\nexpect = { outcome = \"offer\" }\n",
            "case `a`: a record has `on`, or `from`, `times` and `every`",
        ),
        (
            "[[case]]\nname = \"a\"\nalso = [{ on = \"2026-06-30\", credit = 1.005 }]\nexpect = { outcome = \"offer\" }\n",
            "`1.005` has more decimals than the 2",
        ),
        (
            "[[case]]\nname = \"a\"\nrequest = { amuont = 1 }\nexpect = { outcome = \"offer\" }\n",
            "did you mean `amount`?",
        ),
        (
            "[[case]]\nname = \"a\"\nstatement = \"none.json\"\nexpect = { outcome = \"offer\" }\n",
            "none.json: No such file",
        ),
    ];
    for (text, expected) in wrong {
        desk.write("rules/small.cases.toml", text);
        let said = desk.run(&["test", "rules/small.toml"]);
        assert_eq!((said.status, said.out.as_str()), (1, ""), "{text}");
        assert!(said.err.contains(expected), "{text}: {}", said.err);
    }
    std::fs::remove_file(desk.path().join("rules/small.cases.toml")).unwrap();
    let said = desk.run(&["test", "rules/small.toml"]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("cannot read `rules/small.cases.toml`"), "{}", said.err);
}
