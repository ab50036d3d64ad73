//! The dictionary: its entry for each name, that no reason is missing in it, and the generated page.

use std::path::{Path, PathBuf};
use std::process::Command;

use lendwright::analysis::{Dictionary, Kind, dictionary};
use lendwright::base::date::Day;
use lendwright::decision::{Request, decide, reading};
use lendwright::generate::{Options, statement_json};
use lendwright::{load_policy, read_json};
use serde_json::Value;

use crate::fixtures::campaign;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn told(file: &str) -> Dictionary {
    dictionary(&load_policy(root().join(file), &[]).unwrap_or_else(|error| panic!("{file}: {error}")))
}

/// Exit status, standard output, standard error.
fn metrics(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    let output = command.arg("metrics").args(arguments).current_dir(root()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const KINDS: &str = "testdata/dictionary/kinds.toml";

#[test]
fn each_kind_of_name_is_described() {
    let mut shown = String::new();
    for name in [
        "pay",
        "steady_mean",
        "lasts_days",
        "is_too_little",
        "enough",
        "aided",
        "graded",
        "grade",
        "is_pay",
        "spent",
        "$floor",
        "share",
        "salary",
        "aid.most",
        "credit",
        "request.amount",
    ] {
        let (status, out, err) = metrics(&["--policy", KINDS, "--describe", name]);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{name}");
        assert!(!out.contains('\u{1b}'), "colour without a terminal");
        shown += &format!("$ --describe {name}\n{out}\n");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_metric_needs_what_it_cannot_do_without() {
    let told = told(KINDS);
    let lines: Vec<String> = told
        .metrics()
        .map(|metric| {
            let codes: Vec<&str> = metric.unknown.iter().map(|unknown| unknown.code.as_str()).collect();
            format!("{}: {} / {}", metric.name, metric.needs.join(" "), codes.join(" "))
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_whole_dictionary_is_a_list_a_page_and_json() {
    let (status, list, _) = metrics(&["--policy", KINDS, "--describe"]);
    assert_eq!(status, Some(0));
    let (_, page, _) = metrics(&["--policy", KINDS, "--describe", "all", "--format", "markdown"]);
    insta::assert_snapshot!(format!("{list}\n{page}"));
    let (_, json, _) = metrics(&["--policy", KINDS, "--format", "json", "--describe", "spent_share"]);
    insta::assert_snapshot!("json", json);
    let json: Value = serde_json::from_str(&json).unwrap();
    let names: Vec<&str> =
        json["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["spent_share", "debit", "pay", "credit", "is_pay", "mentions(salary)"]);
}

#[test]
fn what_is_no_name_is_told_with_the_nearest() {
    let wrong = |arguments: &[&str]| {
        let (status, out, err) = metrics(arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        err
    };
    let err = wrong(&["--policy", KINDS, "--describe", "pay_meen"]);
    assert!(err.starts_with("error: `kinds 1` has no name `pay_meen`; did you mean `pay_mean`"), "{err}");
    let err = wrong(&["--policy", "testdata/dictionary/bare.toml", "--describe", "salary_mean"]);
    assert_eq!(
        err,
        "error: `bare 1` has no name `salary_mean`; it has no metrics; `use = [\"metrics.toml\"]` adds some\n"
    );
    let err = wrong(&["--policy", KINDS, "--format", "markdown", "statement.json"]);
    assert!(err.contains("is for `--describe`"), "{err}");
    // Without a statement there is nothing to compute, and without a policy nothing that says what.
    wrong(&["--policy", KINDS]);
    wrong(&["statement.json"]);
    wrong(&["--policy", KINDS, "--describe", "pay", "--", "statement.json"]);
}

#[test]
fn a_policy_without_metrics_has_a_dictionary_of_what_there_is() {
    let (status, out, _) = metrics(&["--policy", "testdata/dictionary/bare.toml", "--describe"]);
    assert_eq!((status, out.as_str()), (Some(0), "`bare 1` has no names of its own\n"));
    let (status, out, _) = metrics(&["--policy", "testdata/dictionary/bare.toml", "--describe", "credit"]);
    assert_eq!(status, Some(0));
    assert!(out.starts_with("credit\n  money in"), "{out}");
}

#[test]
fn without_a_policy_the_starters_names_are_described() {
    let (status, out, _) = metrics(&["--describe", "buffer_days"]);
    assert_eq!(status, Some(0));
    let (_, same, _) = metrics(&["--policy", "rules/starter.toml", "--describe", "buffer_days"]);
    assert_eq!(out, same);
    let (_, shared, _) = metrics(&["--policy", "rules/metrics.toml", "--describe", "buffer_days"]);
    assert_eq!(out, shared);
}

/// `INSTA_UPDATE=always cargo test --test it dictionary` writes the page.
#[test]
fn the_page_of_the_metrics_is_the_programs_own() {
    let (status, page, err) = metrics(&["--policy", "rules/metrics.toml", "--describe", "--format", "markdown"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let file: PathBuf = root().join("docs/reference/metrics.md");
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    if before == page {
        return;
    }
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&file, page).unwrap();
        return;
    }
    let line = before.lines().zip(page.lines()).take_while(|(one, other)| one == other).count() + 1;
    panic!(
        "docs/reference/metrics.md differs from line {line} on; `INSTA_UPDATE=always cargo test --test it dictionary` \
         rewrites it"
    );
}

#[test]
fn no_reason_is_missing_for_statements_of_any_length() {
    let mut seen = 0;
    for file in ["rules/starter.toml", "rules/salary-advance.toml", "rules/small-business.toml", KINDS] {
        let policy = load_policy(root().join(file), &[]).unwrap();
        let told = dictionary(&policy);
        let early = Day::parse_iso("2020-01-01");
        let lengths = [0, 1, 2, 3, 5, 9, 17, 40, 90, 250, 600];
        for (index, records) in lengths.into_iter().enumerate().step_by(campaign::size(3, 1)) {
            for (debits, as_of) in [(false, None), (true, None), (true, early), (false, early)] {
                let options = Options { records, debits, noise: 0.4, ..Options::default() };
                let json = statement_json(5, index as u64, &options).unwrap();
                let statements = read_json(&json, "one", &reading(&policy)).unwrap();
                let request = as_of.map_or_else(Request::default, Request::on);
                for (name, reason) in decide(&policy, &statements, &request).unwrap().remove(0).unknown {
                    let entry = told.entry(&name).unwrap_or_else(|| panic!("{file} {name}"));
                    assert!(
                        entry.unknown.iter().any(|known| known.code == reason),
                        "{file} {name}: {reason}, {entry:?}"
                    );
                    seen += 1;
                    // What does not need debits or balances never lacks them.
                    for (column, code) in [("debit", "needs_debit"), ("balance", "needs_balance")] {
                        assert!(reason != code || entry.needs.contains(&column), "{file} {name}: {reason}, {entry:?}");
                    }
                }
                // What needs debits or balances has no value without them.
                let metrics = decide(&policy, &statements, &request).unwrap().remove(0).metrics;
                let lacks = |needs: &[&str]| needs.iter().any(|need| ["debit", "balance"].contains(need));
                for metric in told.metrics().filter(|metric| !debits && lacks(&metric.needs)) {
                    assert!(metrics[&metric.name].is_null(), "{file} {}: {}", metric.name, metrics[&metric.name]);
                }
            }
        }
    }
    assert!(seen > campaign::size(300, 1_000), "{seen}");
}

/// Every name in an entry can be looked up.
#[test]
fn every_name_that_is_said_has_an_entry() {
    for file in ["rules/starter.toml", "rules/salary-advance.toml", "rules/small-business.toml", KINDS] {
        let told = told(file);
        for entry in &told.entries {
            for name in &entry.says {
                assert!(told.entries.iter().any(|other| other.name == *name), "{file}: {} says {name}", entry.name);
            }
            let about = told.about(&entry.name).unwrap();
            assert_eq!(about.entries[0].name, entry.name);
        }
        assert!(told.entries.iter().any(|entry| entry.kind == Kind::BuiltIn));
    }
}
