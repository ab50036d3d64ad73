//! Cases: those of the shipped policies, and what `test` says of others.

use std::path::{Path, PathBuf};

use lendwright::decision::Part;
use lendwright::portfolio::{Cases, try_cases};

use crate::cli::Desk;

fn rules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

/// The shipped policies.
fn policies() -> Vec<PathBuf> {
    let files = std::fs::read_dir(rules()).unwrap().map(|entry| entry.unwrap().path());
    let is_policy = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".toml")
            && !name.ends_with(".cases.toml")
            && !["metrics.toml", "words.toml"].iter().any(|shared| name.ends_with(shared))
    };
    let mut policies: Vec<PathBuf> = files.filter(is_policy).collect();
    policies.sort();
    assert!(policies.len() >= 3);
    policies
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
        let needed = trial.parts.iter().filter(|part| !matches!(part.part, Part::Bin(..) | Part::Met(_)));
        let missing: Vec<_> = needed.filter(|part| !trial.reached.contains_key(part)).collect();
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
metrics = { records = 6, inflow = 6_003 }
offers = [[30, 500, 520]]

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
        ("", "`case` is missing"),
        ("case = []\n", "there is no [[case]] in it"),
        ("[[case]]\nname = \"a\"\n", "`expect` is missing"),
        ("[[case]]\nname = \"a\"\nexpect = { outcome = \"offer\", ofers = [] }\n", "unknown key `ofers`"),
        (
            "[[case]]\nname = \"a\"\nrecords = [\"b\"]\nexpect = { outcome = \"offer\" }\n",
            "case `a`: there are no [[records.b]]",
        ),
        (
            "[[case]]\nname = \"a\"\nas_of = \"June\"\nexpect = { outcome = \"offer\" }\n",
            "case `a`: `June` is not a day",
        ),
        (
            "[[case]]\nname = \"a\"\nalso = [{ on = \"2026-06-30\", times = 2, credit = 1 }]\n\
             expect = { outcome = \"offer\" }\n",
            "case `a`: a record needs `on`, or `from`, `times` and `every`",
        ),
        (
            "[[case]]\nname = \"a\"\nalso = [{ on = \"2026-06-30\", credit = 1.005 }]\n\
             expect = { outcome = \"offer\" }\n",
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
    assert!(said.err.contains("`rules/small.toml` has no cases"), "{}", said.err);
}

/// Each policy can reach each outcome. This does not test who should get which: the seeds were chosen because all three
/// outcomes occur. How right the outcomes are is measured in `accuracy::lending`, on a seed that chose no rule.
#[test]
fn every_policy_takes_some_refers_some_and_declines_some_of_the_people_made_up() {
    let desk = Desk::new();
    let made_up = |options: &str| {
        let out = format!("people{}", options.len());
        let mut arguments = vec!["generate", "--out", &out];
        arguments.extend(options.split(' '));
        let made = desk.run(&arguments);
        assert_eq!(made.status, 0, "{}", made.err);
        let people = std::fs::read_dir(desk.path().join(out)).unwrap();
        people.map(|entry| entry.unwrap().path().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let anybody = made_up("--statements 120 --records 300 --seed 3");
    // At their own pace traders fill three hundred records in a month, and a line asks for half a year.
    let traders = made_up("--statements 60 --records 1500 --months 9 --debits --seed 7301");
    for policy in policies() {
        let policy = policy.to_string_lossy().into_owned();
        let people = if policy.contains("small-business") { &traders } else { &anybody };
        let mut arguments = vec!["decide", "--policy", &policy, "--as-of", "2026-10-31"];
        arguments.extend(people.iter().map(String::as_str));
        let said = desk.run(&arguments);
        assert_eq!(said.status, 0, "{}", said.err);
        for outcome in ["offer", "refer", "decline"] {
            assert!(said.out.contains(&format!("\"outcome\":\"{outcome}\"")), "{policy}: {outcome}");
        }
    }
}
