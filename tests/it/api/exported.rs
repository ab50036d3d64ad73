//! Kept decisions as tables: what other commands count on them is what was decided.

use super::application;
use super::kept::{desk_with_keys, on_book, start_with_book};
use crate::fixtures::desk::Desk;

/// A desk with this many statements, all of them decided.
fn decided(count: usize) -> (Desk, Vec<serde_json::Value>) {
    let desk = desk_with_keys();
    let people = count.to_string();
    assert_eq!(desk.run(&["generate", "--statements", &people, "--records", "60", "--out", "people"]).status, 0);
    let rules = desk.read("rules/small.toml").replace("records >= $min_records", "inflow >= 800000");
    desk.write("rules/small.toml", &rules);
    let api = start_with_book(&desk, &[]);
    let mut decisions = Vec::new();
    for number in 1..=count {
        let body = application(&desk, &format!("people/statement-{number:06}.json"));
        let reply = api.post_json("/v1/decisions", &body);
        let decision = reply.json();
        if decision["outcome"] == "offer" {
            let id = reply.header("x-lendwright-decision").unwrap();
            let bad = number % 3 == 0;
            let report = format!("{{\"decision\": \"{id}\", \"bad\": {bad}, \"amount\": 1234567}}");
            assert_eq!(api.post_json("/v1/outcomes", &report).status, 200);
        }
        decisions.push(decision);
    }
    assert_eq!(api.stop(), Some(0));
    (desk, decisions)
}

#[test]
fn a_backtest_of_exported_decisions_counts_what_was_decided() {
    let (desk, decisions) = decided(40);
    let count = |outcome: &str| decisions.iter().filter(|decision| decision["outcome"] == outcome).count();
    let said = on_book(&desk, &["decisions", "export", "--out", "made"]);
    assert!(said.contains("40 decisions"), "{said}");
    let policy = ["--policy", "rules/small.toml"];
    let tables = ["made/book.parquet", "--outcomes", "made/outcomes.csv", "--format", "json"];
    let said = desk.run(&[&["backtest"], &policy[..], &tables].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    let counted: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let summary = &counted["policies"][0];
    let found = [0, 1, 2].map(|place| summary["outcomes"][place]["customers"].as_u64().unwrap() as usize);
    assert_eq!(found, ["offer", "refer", "decline"].map(count), "{counted}");
    assert!(count("offer") > 3 && count("offer") < 40);
    let amounts = |decision: &serde_json::Value| decision["offers"][0]["amountOffered"].as_i64().unwrap_or_default();
    assert_eq!(summary["amounts"]["sum"], decisions.iter().map(amounts).sum::<i64>());
    assert_eq!(summary["outcomes"][0]["known"], count("offer"));
    // Every metric is the one of the decision.
    let same =
        desk.run(&["decide", "--policy", "rules/small.toml", "--as-of", "2026-10-31", "people/statement-000001.json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&same.out).unwrap()["metrics"], decisions[0]["metrics"]);
    let names = std::fs::read_to_string(desk.path().join("made/decisions.csv")).unwrap();
    for decision in &decisions {
        let customer = decision["customer"].as_str().unwrap();
        assert!(!names.contains(customer), "{customer} is named");
    }
    assert_eq!(
        std::fs::read_to_string(desk.path().join("made/outcomes.csv")).unwrap().lines().count(),
        count("offer") + 1
    );
    assert!(std::fs::read_to_string(desk.path().join("made/outcomes.csv")).unwrap().contains("12345.67"));
}

#[test]
fn a_book_is_backtested_as_it_is() {
    let (desk, _) = decided(40);
    on_book(&desk, &["decisions", "export", "--out", "made"]);
    let policy = ["backtest", "--policy", "rules/small.toml", "--format", "json"];
    let tables = desk.run(&[&policy[..], &["made/book.parquet", "--outcomes", "made/outcomes.csv"]].concat());
    let book = ["--book-keys", "book.keys", "--decisions", "book.sqlite"];
    let direct = desk.run(&[&policy[..], &book].concat());
    assert_eq!(direct.status, 0, "{}", direct.err);
    assert!(direct.err.starts_with("of the book: 40 decisions"), "{}", direct.err);
    let without_paths = |text: &str| {
        let mut summary: serde_json::Value = serde_json::from_str(text).unwrap();
        summary.as_object_mut().unwrap().remove("inputs");
        summary
    };
    assert_eq!(without_paths(&direct.out), without_paths(&tables.out));
    // Days without decisions, and a book with statements.
    let none = desk.run(&[&policy[..], &book, &["--decided-to", "2020-01-01"]].concat());
    assert!(none.status == 1 && none.err.contains("there is nothing to export"), "{}", none.err);
    assert_eq!(desk.run(&[&policy[..], &book, &["made/book.parquet"]].concat()).status, 2);
}

#[test]
fn watched_and_compared_decisions_are_pages_too() {
    let (desk, _) = decided(40);
    on_book(&desk, &["decisions", "export", "--out", "made"]);
    let against = ["--against", "made/book.parquet", "--policy", "rules/small.toml", "--report", "monitor.html"];
    on_book(&desk, &[&["decisions", "monitor"], &against[..]].concat());
    let page = desk.read("monitor.html");
    for part in ["<h1>Watched decisions</h1>", "Nothing left its limits.", "id=\"weeks\"", "id=\"values\"", "inflow"] {
        assert!(page.contains(part), "{part}");
    }
    let refused = desk.run(&["decisions", "shadows", "--book", "book.sqlite", "--book-keys", "book.keys"]);
    assert!(refused.status == 1 && refused.err.contains("no shadow decided here"), "{}", refused.err);
}

#[test]
fn decisions_are_watched_against_the_portfolio_of_the_policy() {
    let (desk, _) = decided(40);
    on_book(&desk, &["decisions", "export", "--out", "made"]);
    let watch = |policy: &str, more: &[&str]| {
        let against = ["decisions", "monitor", "--against", "made/book.parquet", "--policy", policy];
        let book = ["--book", "book.sqlite", "--book-keys", "book.keys"];
        desk.run(&[&against, &book[..], more].concat())
    };
    let fine = watch("rules/small.toml", &[]);
    assert_eq!(fine.status, 0, "{}{}", fine.out, fine.err);
    assert!(fine.out.starts_with("40 applications are watched, and compared with 40 before\n"), "{}", fine.out);
    assert!(fine.out.contains("inflow") && fine.out.ends_with("\nNothing left its limits.\n"), "{}", fine.out);
    let generous = desk.read("rules/small.toml").replace("inflow >= 800000", "inflow >= 0");
    // What a request brings is not in the table, so a policy that reads it is compared by its metrics alone.
    let generous = generous.replace("[request]\namount = \"money\"\n", "");
    desk.write("rules/generous.toml", &generous);
    let moved = watch("rules/generous.toml", &["--format", "json"]);
    assert_eq!(moved.status, 3, "{}", moved.err);
    let moved: serde_json::Value = serde_json::from_str(&moved.out).unwrap();
    assert!(moved["alarms"][0].as_str().unwrap().starts_with("outcome "), "{moved}");
    let alone = desk.run(&["decisions", "monitor", "--book", "book.sqlite", "--book-keys", "book.keys"]);
    assert!(alone.status == 1 && alone.err.contains("--watch-from"), "{}", alone.err);
}

#[test]
fn the_last_decision_on_a_customer_counts_unless_all_do() {
    let desk = desk_with_keys();
    let api = start_with_book(&desk, &[]);
    for (file, day) in [(1, "2026-10-29"), (1, "2026-10-30"), (2, "2026-10-31")] {
        let body = application(&desk, &format!("in/statement-{file:06}.json")).replace("2026-10-31", day);
        assert_eq!(api.post_json("/v1/decisions", &body).status, 200);
    }
    assert_eq!(api.stop(), Some(0));
    assert!(on_book(&desk, &["decisions", "export", "--out", "last"]).contains("; 2 decisions"));
    assert!(on_book(&desk, &["decisions", "export", "--out", "all", "--every-decision"]).contains("; 3 decisions"));
    let last = std::fs::read_to_string(desk.path().join("last/decisions.csv")).unwrap();
    assert!(!last.contains("2026-10-29") && last.contains("2026-10-30") && last.contains("2026-10-31"), "{last}");
    let refused =
        desk.run(&["decisions", "export", "--out", "last", "--book", "book.sqlite", "--book-keys", "book.keys"]);
    assert_ne!(refused.status, 0);
    let refused = desk.run(&["decisions", "export", "--out", "x", "--book", "no.sqlite", "--book-keys", "book.keys"]);
    assert!(refused.status != 0 && refused.err.contains("no.sqlite"), "{}", refused.err);
}

#[test]
fn what_policies_compute_in_different_ways_is_left_out() {
    let desk = desk_with_keys();
    let before = desk.read("rules/small.toml");
    for version in ["1", "2"] {
        let rules = before.replace("version = \"1\"", &format!("version = \"{version}\""));
        desk.write("rules/small.toml", &format!("{rules}\n[metric]\nof_version = \"{version} + 0 * COUNT(credit)\"\n"));
        let api = start_with_book(&desk, &[]);
        let file = format!("in/statement-00000{version}.json");
        assert_eq!(api.post_json("/v1/decisions", &application(&desk, &file)).status, 200);
        assert_eq!(api.stop(), Some(0));
    }
    let export = |out: &str, more: &[&str]| {
        let args = [&["decisions", "export", "--out", out, "--book", "book.sqlite", "--book-keys", "book.keys"], more];
        let said = desk.run(&args.concat());
        assert_eq!(said.status, 0, "{}", said.err);
        said
    };
    let both = export("both", &[]);
    assert!(both.err.contains("of_version") && both.out.contains("2 decisions"), "{} {}", both.out, both.err);
    let decisions = std::fs::read_to_string(desk.path().join("both/decisions.csv")).unwrap();
    let digest = decisions.lines().nth(1).unwrap().split(',').nth(8).unwrap();
    let one = export("one", &["--policy-digest", &digest[..12]]);
    assert!(one.err.is_empty() && one.out.contains("1 decisions"), "{} {}", one.out, one.err);
}
