//! The same records, written in another way, give the same decisions: in another order, in several files, in a copy or
//! under another name, in another format or unit, with other blanks, letters in parts, another case, other ids. Every
//! decision of the shipped policies is compared, with its metrics. What may differ is listed in `compared`.

mod rewriting;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use self::rewriting::{REWRITINGS, Table};
use crate::fixtures::campaign;
use crate::fixtures::desk::Desk;

const POLICIES: [&str; 3] = ["starter", "salary-advance", "small-business"];

/// The decisions on the files of a folder, by customer, without what says where the records were.
fn compared(desk: &Desk, folder: &str, policy: &str) -> BTreeMap<String, Value> {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(format!("{policy}.toml"));
    let rules = rules.to_string_lossy();
    let columns = format!("{folder}.columns.toml");
    let words = ["batch", "--policy", &rules, "--as-of", "2026-10-31", "--out", "out", folder, "--columns", &columns];
    let has_columns = desk.path().join(&columns).exists();
    let said = desk.run(if has_columns { &words } else { &words[..words.len() - 2] });
    assert_eq!(said.status, 0, "{folder}: {}{}", said.out, said.err);
    let lines = desk.read("out/decisions.ndjson");
    std::fs::remove_dir_all(desk.path().join("out")).unwrap();
    let decision = |line: &str| {
        let mut decision: Value = serde_json::from_str(line).unwrap();
        // Files have other names, bytes and ids; an offer's id and the digests follow from them.
        for key in ["statement", "digests", "quality"] {
            decision.as_object_mut().unwrap().remove(key);
        }
        for offer in decision["offers"].as_array_mut().unwrap() {
            offer.as_object_mut().unwrap().remove("offerId");
        }
        (decision["customer"].as_str().unwrap().to_owned(), decision)
    };
    lines.lines().map(decision).collect()
}

/// The customers with another decision, each with the first values that differ.
fn differences(as_written: &BTreeMap<String, Value>, other: &BTreeMap<String, Value>) -> Vec<String> {
    let names = |decisions: &BTreeMap<String, Value>| decisions.keys().cloned().collect::<Vec<_>>();
    if names(as_written) != names(other) {
        return vec![format!("{} customers became {}", as_written.len(), other.len())];
    }
    let differing = as_written.iter().filter(|(customer, decision)| other[*customer] != **decision);
    differing
        .map(|(customer, decision)| format!("{customer}: {}", first_difference(decision, &other[customer])))
        .collect()
}

fn first_difference(left: &Value, right: &Value) -> String {
    let (Some(fields), Some(others)) = (left.as_object(), right.as_object()) else {
        return format!("{left} became {right}");
    };
    let differing = fields.iter().filter(|(name, value)| others.get(*name) != Some(value));
    let shown = |(name, value): (&String, &Value)| {
        format!(
            "{name}: {}",
            others.get(name).map_or_else(|| "missing".to_owned(), |other| first_difference(value, other))
        )
    };
    differing.take(2).map(shown).collect::<Vec<_>>().join(", ")
}

/// Tries every way of writing with these people.
fn hold_for(seed: u64, people: usize, debits: bool) {
    let desk = Desk::new();
    let (seed_text, count) = (seed.to_string(), people.to_string());
    for format in ["csv", "parquet"] {
        let words = ["generate", "--statements", &count, "--records", "90", "--noise", "0.3", "--seed", &seed_text];
        let words = words.into_iter().chain(["--format", format, "--out", format]).chain(debits.then_some("--debits"));
        assert_eq!(desk.run(&words.collect::<Vec<_>>()).status, 0);
    }
    let table = Table::from_csv(&desk.read("csv/statements.csv"));
    for rewriting in REWRITINGS {
        (rewriting.write)(&table, &desk.path().join(rewriting.name));
    }
    let mut wrong = Vec::new();
    for policy in POLICIES {
        let as_written = compared(&desk, "csv", policy);
        assert_eq!(as_written.len(), people);
        let folders = REWRITINGS.iter().map(|rewriting| rewriting.name).chain(["parquet"]);
        for folder in folders {
            // Composed letters are others than plain ones, so the two spellings are compared with each other.
            let first = if folder == "decomposed" { &compared(&desk, "composed", policy) } else { &as_written };
            if folder == "composed" {
                continue;
            }
            let found = differences(first, &compared(&desk, folder, policy));
            if let Some(one) = found.first() {
                wrong.push(format!("{policy}, {folder}: {} of {people} differ, such as {one}", found.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "seed {seed}:\n{}", wrong.join("\n"));
}

#[test]
fn records_written_in_another_way_give_the_same_decisions() {
    hold_for(54, campaign::size(12, 200), true);
}

#[test]
fn credits_written_in_another_way_give_the_same_decisions() {
    hold_for(55, campaign::size(6, 100), false);
}
