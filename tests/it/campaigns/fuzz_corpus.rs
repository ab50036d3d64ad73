//! The harvest of the campaigns, tried again on each run: the corpus of the fuzz targets, and cases of random policies
//! with their decisions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lendwright::analysis::dictionary;
use lendwright::decision::{Decision, ReadyPlan, Request, decide, reading};
use lendwright::{Policies, Policy, PolicySet, compile, read_json};
use lendwright_fuzz::policy::campaign::{Tally, one};
use lendwright_fuzz::policy::compare::kept;
use lendwright_fuzz::policy::coverage;
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

/// Two thousand cases like those of the campaign, chosen to include every shape. The reference computed the expected
/// decisions too; here only lendwright is asked again.
#[test]
fn cases_of_random_policies_come_out_as_they_did() {
    let text = std::fs::read_to_string(root().join("testdata/rules/differential.jsonl")).unwrap();
    let (mut cases, mut reasons, mut outcomes) = (0, 0, BTreeMap::new());
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    for line in lines.flat_map(|line| [turned(&line), line]) {
        let policies = versions(&line);
        let empty = br#"{"status": "success", "data": {"transactions": []}}"#;
        let statement = read_json(empty, "random", &reading(&policies)).unwrap();
        for person in line["people"].as_array().unwrap() {
            let is = person["is"].as_object().unwrap();
            let decision = match line["ready"] == json!(true) {
                false => {
                    let request = Request::from_json(&policies, person["is"].to_string().as_bytes()).unwrap();
                    decide(&policies, &statement, &request).unwrap().remove(0)
                }
                true => ready(policies.latest(), is),
            };
            assert_eq!(kept(&decision), person["comes"], "{}\n{}", person["is"], line["files"]);
            reasons += in_the_dictionary(&policies, &decision);
            *outcomes.entry(format!("{:?}", decision.outcome)).or_insert(0) += 1;
            cases += 1;
        }
    }
    assert_eq!(cases, 2 * 2_000);
    assert!(outcomes.values().all(|count| *count > 400), "{outcomes:?}");
    assert!(reasons > 1_000, "{reasons}");
}

/// The reasons for unknowns are those in the dictionary, which ignores values that are too large. Returns how many were
/// checked.
fn in_the_dictionary(policies: &Policies, decision: &Decision) -> usize {
    let unknown = || decision.unknown.iter().filter(|(_, reason)| *reason != "not_given");
    if unknown().count() == 0 || unknown().any(|(_, reason)| reason == "overflow") {
        return 0;
    }
    let decided = |policy: &&Policy| policy.header().version == decision.policy.version;
    let told = policies.policies().into_iter().filter(decided).map(dictionary).collect::<Vec<_>>();
    for (name, reason) in unknown() {
        let mut entries = told.iter().filter_map(|told| told.entry(name));
        let known = entries.any(|entry| entry.unknown.iter().any(|known| known.code == *reason));
        assert!(
            known,
            "{name} is unknown by {reason}: {:?}",
            told.iter().map(|told| told.entry(name)).collect::<Vec<_>>()
        );
    }
    unknown().count()
}

/// The same with the metrics and the tables of each file reversed: their order has no meaning.
fn turned(line: &Value) -> Value {
    let mut line = line.clone();
    for text in line["files"].as_object_mut().unwrap().values_mut() {
        // A locked file would not match its digest.
        let mut parts = text.as_str().unwrap().split(", digest = \"");
        let first = parts.next().unwrap().to_owned();
        let written = parts.fold(first, |all, part| all + part.split_once('"').unwrap().1);
        let written = with_tables_turned(&written);
        *text = written.clone().into();
        let Some((head, rest)) = written.split_once("[metric]\n") else { continue };
        let (metrics, rest) = rest.split_once("\n\n").unwrap_or((rest, ""));
        let metrics: Vec<&str> = metrics.lines().rev().collect();
        *text = format!("{head}[metric]\n{}\n\n{rest}", metrics.join("\n")).into();
    }
    line
}

fn with_tables_turned(text: &str) -> String {
    let parts: Vec<&str> = text.split("\n\n").collect();
    let mut tables = parts.iter().filter(|part| part.starts_with("[table.")).rev();
    let turned =
        parts.iter().map(|part| if part.starts_with("[table.") { tables.next().unwrap_or(part) } else { part });
    turned.copied().collect::<Vec<_>>().join("\n\n")
}

/// The policies of one line: their files, the paths of the versions, parameters from outside.
fn versions(line: &Value) -> Policies {
    let files = line["files"].as_object().unwrap();
    let read = |path: &str| files.get(path).and_then(Value::as_str).map(str::to_owned).ok_or("no such file".to_owned());
    let given = line["given"].as_object().unwrap();
    let given: Vec<(String, String)> =
        given.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect();
    let compiled = line["versions"].as_array().unwrap().iter().map(|path| {
        let path = path.as_str().unwrap();
        compile(path, &read(path).unwrap(), &mut |path| read(path), &given)
            .unwrap_or_else(|refused| panic!("{refused}\n{}", line["files"]))
    });
    Policies::new(compiled.collect()).unwrap()
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

#[test]
fn random_policies_are_decided_as_the_reference_decides_them() {
    let mut tally = Tally::default();
    for seed in 0..150 {
        one(&mut Source::seeded(seed), 12, &mut tally).unwrap_or_else(|different| panic!("seed {seed}\n{different}"));
    }
    assert!(tally.cases > 1_500 && tally.outcomes.len() == 3 && tally.arms.len() == 2, "{tally:?}");
    let page = std::fs::read_to_string(root().join("docs/reference/rules.md")).unwrap();
    // Constructs of records, given metrics and the own book, which random policies lack, and of tables too long here.
    let elsewhere = [
        "many_rows",
        "missing_given",
        "missing_own",
        "needs_100_values",
        "needs_2_values",
        "needs_3_months",
        "needs_balance",
        "needs_debit",
    ];
    let missing: Vec<String> = lendwright_fuzz::policy::listed::reasons_of_reference(&page)
        .into_iter()
        .filter(|why| !tally.unknown.contains_key(why))
        .collect();
    assert_eq!(missing, elsewhere, "{tally:?}");
}

/// Constructs that the reference lists and no random policy has, with the reason. The list may only shrink.
const NEVER_WRITTEN: &[(&str, &str)] = &[
    ("key [policy] statement_unit", "how statements are read"),
    ("key [policy] date_conflict", "how statements are read"),
    ("key [policy] record_day", "how statements are read"),
    ("key [policy] negative_amount", "how statements are read"),
    ("key [policy] empty_amount", "how statements are read"),
    ("key [policy] description", "for people"),
    ("key [policy] market", "tests/it/rules/policy/markets.rs"),
    ("key [policy] corrections", "tests/it/engine/metrics/corrections.rs"),
    ("section [market]", "as market"),
    ("key [policy] as_of", "tests/it/engine/decision/missing_day.rs"),
    ("function within/2", "tests/it/engine/decision/missing_day.rs"),
    ("section [[property]]", "nothing is decided by it"),
    ("name id", "what records hold"),
    ("name reference", "what records hold"),
    ("name topics", "what records hold"),
    ("name people", "what records hold"),
    ("name places", "what records hold"),
    ("name actions", "what records hold"),
    ("name names_somebody", "tests/it/campaigns/narration_layouts"),
    ("name has_legal_form", "as names_somebody"),
    ("name name_has_remark", "as names_somebody"),
    ("name repeats_payment", "as names_somebody"),
    ("name from_oneself", "as names_somebody"),
    ("name date_was_repaired", "how statements are read"),
    ("name date_was_in_conflict", "how statements are read"),
    ("name date_was_out_of_order", "how statements are read"),
    ("name has_row_order", "how statements are read"),
    ("name period_start", "tests/it/cli/period.rs"),
    ("name period_end", "tests/it/cli/period.rs"),
    ("name duplicates_dropped", "how statements are read"),
    ("name dates_in_conflict", "how statements are read"),
    ("name dates_repaired", "how statements are read"),
    ("section [stream]", "testdata/groups; the detector has tests of its own"),
    ("name stream_is_credit", "as streams"),
    ("name stream_period", "as streams"),
    ("name stream_amount", "as streams"),
    ("name stream_month_amount", "as streams"),
    ("name stream_first_date", "as streams"),
    ("name stream_last_date", "as streams"),
    ("name stream_next_date", "as streams"),
    ("name stream_missed", "as streams"),
    ("name stream_regularity", "as streams"),
    ("name stream_is_live", "as streams"),
    ("name stream_records", "as streams"),
    ("type time", "tests/it/rules/times.rs holds times to chrono"),
    ("type timestamp", "as times"),
    ("section [own]", "read by the code of [bureau], under another word"),
    ("type duration", "as times"),
    ("type months", "as times"),
    ("function date_of/1", "as times"),
    ("function time_of/1", "as times"),
];

/// The generators must not miss what they are meant to test: each construct in the tables of the reference page occurs
/// in a random policy.
#[test]
fn the_random_policies_use_the_whole_language() {
    let mut written = BTreeSet::new();
    for seed in 0..1_000 {
        let (book, _) = lendwright_fuzz::policy::generate::book(&mut Source::seeded(seed));
        written.extend(coverage::of_book(&book, &lendwright_fuzz::policy::campaign::files(&book).0));
    }
    for seed in 0..1_000 {
        let source = &mut Source::seeded(seed);
        let numbers: Vec<u32> = (0..300).map(|_| source.draw() as u32).collect();
        written.extend(coverage::of_text(&lendwright_fuzz::metrics::rules(&numbers)));
    }
    let page = std::fs::read_to_string(root().join("docs/reference/rules.md")).unwrap();
    let listed = lendwright_fuzz::policy::listed::of_reference(&page);
    assert!(listed.len() >= 200, "the tables are not where they were: {listed:?}");
    let missing: Vec<&String> = listed.iter().filter(|one| !written.contains(*one)).collect();
    let excepted: Vec<&str> = NEVER_WRITTEN.iter().map(|(one, _)| *one).collect();
    let new: Vec<_> = missing.iter().filter(|one| !excepted.contains(&one.as_str())).collect();
    assert!(new.is_empty(), "no generator in fuzz/src writes: {new:#?}");
    let old: Vec<_> = excepted.iter().filter(|one| !missing.iter().any(|missing| missing == *one)).collect();
    assert!(old.is_empty(), "no longer exceptions, take them off the list: {old:?}");
}
