//! What `diff` says: one line for one edit, and nothing for what changes no meaning.

use std::path::{Path, PathBuf};
use std::process::Command;

use lendwright::comparison::{Change, compare};
use lendwright::{compile, load_policy};

fn rules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

/// What changes where `from` stands as `to`, once, in a policy that ships.
fn edited(policy: &str, from: &str, to: &str) -> Vec<Change> {
    let path = rules().join(policy);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{policy} has no {from}");
    let mut read = |name: &str| std::fs::read_to_string(rules().join(name)).map_err(|error| error.to_string());
    let new =
        compile(policy, &text.replacen(from, to, 1), &mut read, &[]).unwrap_or_else(|refused| panic!("{refused}"));
    compare(&load_policy(&path, &[]).unwrap(), &new)
}

#[test]
fn one_edit_is_one_change_that_names_it() {
    let edits = [
        ("min_full_months = { value = 3,", "min_full_months = { value = 4,", "parameters", "min_full_months", ""),
        ("value = 3, min = 1, max = 12", "value = 3, min = 2, max = 12", "parameters", "min_full_months", "min"),
        ("version = \"2026.11\"", "version = \"2026.12\"", "policy", "", "version"),
        ("tenure_unit = \"days\"", "tenure_unit = \"days\"\nfee_mode = \"deducted\"", "policy", "", "fee_mode"),
        (
            "when = \"full_months >= $min_full_months\"",
            "when = \"full_months > $min_full_months\"",
            "require",
            "R01",
            "asks",
        ),
        ("else = \"decline\"", "else = \"refer\"", "require", "R01", "else"),
        ("[score]\nbase = 300", "[score]\nbase = 310", "score", "", "base"),
        ("[\"< 0.50\", 10]", "[\"< 0.50\", 11]", "score", "salary_month_rate", "bin 1"),
        ("[\"-\",        \"-\",    \"D\", 8.0,  25_000],", "", "table", "grade", "row 4"),
        ("\"B\", 4.5, 250_000", "\"B\", 4.5, 260_000", "table", "grade", "row 2"),
        ("hit = \"first\"", "hit = \"first\"\notherwise = [\"D\", 9.0, 1]", "table", "grade", "otherwise"),
        ("tenure = 30", "tenure = 31", "offer", "30d", "tenure"),
        ("[score]\nbase = 300", "[exposure]\nlimit = 3\n[score]\nbase = 300", "exposure", "", ""),
        ("[score]\nbase = 300", "[words]\nnew = [\"a\"]\n[score]\nbase = 300", "words", "new", ""),
        ("[score]\nbase = 300", "[metric]\nnew = \"1\"\n[score]\nbase = 300", "metric", "new", ""),
    ];
    for (from, to, section, name, what) in edits {
        // A second [metric] is no TOML: the name is put under the one that is there.
        let (from, to) = match section {
            "metric" => ("[metric]\n", "[metric]\nnew = \"1\"\n"),
            _ => (from, to),
        };
        let changes = edited("starter.toml", from, to);
        let [change] = changes.as_slice() else { panic!("{from} -> {to}: {changes:#?}") };
        assert_eq!((change.section, change.name.as_str(), change.what.as_str()), (section, name, what), "{change:?}");
    }
}

#[test]
fn what_changes_no_meaning_is_no_change() {
    for policy in ["starter.toml", "salary-advance.toml", "small-business.toml"] {
        let path = rules().join(policy);
        let own = load_policy(&path, &[]).unwrap();
        assert_eq!(compare(&own, &own), []);
        let text = std::fs::read_to_string(&path).unwrap();
        let spaced: String = text.lines().map(|line| format!("{line}\n\n")).collect();
        let commented = spaced.replace("\n[[require]]\n", "\n# About this\n[[require]]\n");
        let mut read = |name: &str| std::fs::read_to_string(rules().join(name)).map_err(|error| error.to_string());
        let new = compile(policy, &commented, &mut read, &[]).unwrap();
        assert_eq!(compare(&own, &new), [], "{policy}");
    }
    let same = |from: &str, to: &str| assert_eq!(edited("starter.toml", from, to), [], "{to}");
    same("when = \"full_months >= $min_full_months\"", "when = \"full_months>=$min_full_months\"");
    same("grade IN ('A', 'B')", "grade in ('A','B')");
    same("tenure_unit = \"days\"", "tenure_unit = \"days\"\nfee_mode = \"added\"");
}

#[test]
fn a_row_that_moves_and_a_name_that_changes_are_told_as_that() {
    let old = "  [\">= 450\",   \">= 6\", \"A\", 3.0, 500_000],\n  [\">= 400\",   \"-\",    \"B\", 4.5, 250_000],\n";
    let new = "  [\">= 400\",   \"-\",    \"B\", 4.5, 250_000],\n  [\">= 450\",   \">= 6\", \"A\", 3.0, 500_000],\n";
    let changes = edited("starter.toml", old, new);
    assert_eq!(changes.len(), 1, "{changes:#?}");
    assert!(changes[0].what.contains("moved to") && changes[0].before == changes[0].after, "{changes:?}");
    let renamed = edited("starter.toml", "id = \"R01\"", "id = \"R00\"");
    assert_eq!(renamed.len(), 1, "{renamed:#?}");
    assert_eq!((renamed[0].what.as_str(), renamed[0].after.as_deref()), ("name", Some("R00")));
}

/// The edits of the page, and what it says of them.
#[test]
fn the_page_about_changes_prints_what_it_says() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules/diff.md")).unwrap();
    let block = |after: &str| page.split_once(after).unwrap().1.split_once("\n```").unwrap().0.to_owned();
    let mut text = std::fs::read_to_string(rules().join("starter.toml")).unwrap();
    for edit in block("```edits\n").lines() {
        let (from, to) = edit.split_once(" ==> ").unwrap();
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to.split(" #").next().unwrap(), 1);
    }
    let desk = tempfile::tempdir().unwrap();
    std::fs::copy(rules().join("metrics.toml"), desk.path().join("metrics.toml")).unwrap();
    std::fs::copy(rules().join("starter.toml"), desk.path().join("starter.toml")).unwrap();
    std::fs::write(desk.path().join("mine.toml"), &text).unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .arg("diff")
            .args(arguments)
            .current_dir(desk.path())
            .output()
            .unwrap();
        (String::from_utf8_lossy(&output.stdout).trim_end().to_owned(), output.status.code())
    };
    let (said, code) = run(&["starter.toml", "mine.toml"]);
    assert_eq!((said, code), (block("it prints\n\n```\n"), Some(0)));
    assert_eq!(run(&["starter.toml", "mine.toml", "--exit-code"]).1, Some(1));
    assert_eq!(
        run(&["starter.toml", "starter.toml", "--exit-code"]),
        ("nothing that they say differs".to_owned(), Some(0))
    );
    let (json, _) = run(&["starter.toml", "mine.toml", "--format", "json"]);
    let changes: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(changes[0]["after"], "6");
    assert_eq!(run(&["starter.toml", "none.toml"]).1, Some(1));
}

#[test]
fn a_sentence_counts_to_the_letter_and_a_challenger_is_another_policy() {
    let changes = edited("starter.toml", "reason = \"Fewer", "reason = \"fewer");
    assert_eq!(changes.len(), 1, "{changes:#?}");
    let head = |extra: &str| {
        format!("[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n{extra}")
    };
    let table = "[metric]\nn = \"COUNT(*)\"\n[table.t]\nhit = \"first\"\ninputs = [\"n\"]\noutputs = { g = \"text\" }\nrows = \"g.csv\"\n[score]\nbase = 0\n[[score.item]]\non = \"n\"\npoints = [[\"-\", 1]]\n[[score.item]]\non = \"n\"\npoints = [[\"-\", 2]]\n";
    let policy = |cell: &str| {
        let rows = format!("n,g\n-,{cell}\n");
        let mut read = |name: &str| match name {
            "two.toml" => Ok(head("[metric]\nother = \"1\"\n")),
            "big.csv" => Ok("n,g\n-,no\n".to_owned()),
            "g.csv" => Ok(rows.clone()),
            _ => Err("none".to_owned()),
        };
        let challenger = "challenger = { file = \"two.toml\", share = 0.1, salt = \"s\" }\n";
        compile("one.toml", &(head(challenger) + table), &mut read, &[]).unwrap_or_else(|refused| panic!("{refused}"))
    };
    assert_eq!(compare(&policy("A"), &policy("A")), []);
    let changes = compare(&policy("A"), &policy("a"));
    assert_eq!(changes.len(), 1, "{changes:#?}");
}
