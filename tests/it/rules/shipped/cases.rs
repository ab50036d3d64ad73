//! The cases of the shipped policies: each comes out as it says, and together they reach every part.

use std::path::{Path, PathBuf};

use lendwright::decision::CoveredPart;
use lendwright::portfolio::{Cases, try_cases};

use crate::fixtures::desk::Desk;

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
        let needed = trial.parts.iter().filter(|part| !matches!(part.part, CoveredPart::Bin(..) | CoveredPart::Met(_)));
        let missing: Vec<_> = needed.filter(|part| !trial.reached.contains_key(part)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", policy.display());
    }
}

/// Each policy can reach each outcome. This does not test who should get which: the seeds were chosen because all three
/// outcomes occur. How right the outcomes are is measured in `campaigns::accuracy::lending`, on a seed that chose no
/// rule.
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
