//! What the campaigns left behind, tried again each time: the corpus of the fuzz targets, and cases of random policies with what comes out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lendwright::decision::{Decision, ReadyPlan, Request, decide, reading};
use lendwright::{compile, read_json};
use lendwright_fuzz::policy::campaign::{Tally, one};
use lendwright_fuzz::policy::model::INPUTS;
use lendwright_fuzz::random::Source;
use lendwright_fuzz::targets::TARGETS;
use serde_json::{Map, Value, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_target_takes_its_corpus() {
    for (name, target) in TARGETS {
        let files = files(&root().join("fuzz/corpus").join(name));
        assert!(files.len() >= 3, "{name}");
        for file in files {
            println!("{}", file.display());
            target(&std::fs::read(file).unwrap());
        }
    }
    let known: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    for folder in files(&root().join("fuzz/corpus")) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(known.contains(&name.as_str()), "there is no target `{name}`");
        assert!(root().join(format!("fuzz/fuzz_targets/{name}.rs")).exists(), "`cargo fuzz` does not know `{name}`");
    }
}

/// Two thousand of the ten million cases that docs/rules/robustness.md tells of, chosen so that every shape is among them. What comes
/// out was worked out by the reference too; here lendwright alone is asked again.
#[test]
fn cases_of_random_policies_come_out_as_they_did() {
    let text = std::fs::read_to_string(root().join("testdata/rules/differential.jsonl")).unwrap();
    let (mut cases, mut outcomes) = (0, BTreeMap::new());
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let rules = line["rules"].as_str().unwrap();
        let policy = compile("random.toml", rules, &mut |_| Err("no files".into()), &[]);
        let policy = policy.unwrap_or_else(|refused| panic!("{refused}\n{rules}"));
        let empty = br#"{"status": "success", "data": {"transactions": []}}"#;
        let statement = read_json(empty, "random", &reading(&policy)).unwrap();
        for person in line["people"].as_array().unwrap() {
            let is = person["is"].as_object().unwrap();
            let decision = match line["ready"] == json!(true) {
                false => {
                    let request = Request::from_json(&policy, person["is"].to_string().as_bytes()).unwrap();
                    decide(&policy, &statement, &request).unwrap().remove(0)
                }
                true => ready(&policy, is),
            };
            assert_eq!(came(&decision), person["comes"], "{}\n{rules}", person["is"]);
            *outcomes.entry(format!("{:?}", decision.outcome)).or_insert(0) += 1;
            cases += 1;
        }
    }
    assert_eq!(cases, 2_000);
    assert!(outcomes.values().all(|count| *count > 200), "{outcomes:?}");
}

fn ready(policy: &lendwright::Policy, is: &Map<String, Value>) -> Decision {
    let known: Vec<String> = policy.metrics().map(|(name, _)| name.to_owned()).collect();
    let names: Vec<&str> =
        INPUTS.iter().map(|(name, _)| *name).filter(|name| known.iter().any(|one| one == name)).collect();
    let plan = ReadyPlan::new(policy, &names).unwrap();
    let mut given = is.clone();
    let day = given.remove("as_of").map_or(json!({}), |day| json!({ "as_of": day }));
    let mut rows = plan.rows();
    rows.push_json("one", None, &given).unwrap();
    plan.decide(rows, &Request::from_json(policy, day.to_string().as_bytes()).unwrap()).unwrap().remove(0)
}

/// What is kept of a decision: as `lendwright-fuzz corpus` prints it.
fn came(decision: &Decision) -> Value {
    lendwright_fuzz::policy::campaign::kept(decision)
}

#[test]
fn random_policies_are_decided_as_the_reference_decides_them() {
    let mut tally = Tally::default();
    for seed in 0..150 {
        one(&mut Source::seeded(seed), 12, &mut tally).unwrap_or_else(|different| panic!("seed {seed}\n{different}"));
    }
    assert!(tally.cases > 1_500 && tally.outcomes.len() == 3, "{tally:?}");
    for why in ["missing_request", "not_given", "no_row", "no_bin", "no_value", "overflow", "zero_denominator"] {
        assert!(tally.unknown.contains_key(why), "{why}: {tally:?}");
    }
}
