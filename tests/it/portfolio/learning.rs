//! `learn`: a scorecard proposed from metrics and outcomes.

use super::{A, B, C, D, POLICY, desk, done, json, outcomes};

#[test]
fn a_scorecard_is_proposed_that_a_policy_can_use() {
    let desk = desk();
    outcomes(&desk);
    let said = done(
        &desk,
        &[
            "learn",
            "--policy",
            "old.toml",
            "--outcomes",
            "loans.csv",
            "book.parquet",
            "--only",
            "payments",
            "--only",
            "income",
            "--only",
            "largest_share",
            "--out",
            "score.toml",
        ],
    );
    assert!(said.out.contains("customers with an outcome"), "{}", said.out);
    let score = desk.read("score.toml");
    assert!(score.starts_with("# A proposal, never applied by itself"), "{score}");
    let (before, rest) = POLICY.split_once("[score]").expect("a score");
    let (_, after) = rest.split_once("[table.grade]").expect("a table");
    desk.write("learned.toml", &format!("{before}{score}\n[table.grade]{after}"));
    done(&desk, &["backtest", "--policy", "learned.toml", "--against", "old.toml", "book.parquet"]);
}

/// What a metric cannot do without decides, not what its formula looks at where it is shown.
#[test]
fn credits_alone_keep_what_is_known_without_debits() {
    let desk = desk();
    outcomes(&desk);
    let more = "income = \"SUM(credit)\"\nspent = \"SUM(debit)\"\nleft = \"SUM(balance)\"\n\
                rises = \"COUNT(*) FILTER (WHERE change > 0)\"\n\
                free = \"income - COALESCE(spent, 0)\"\n";
    desk.write("more.toml", &POLICY.replace("income = \"SUM(credit)\"\n", more));
    done(&desk, &["metrics", "--policy", "more.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "more.parquet"]);
    let learn = ["learn", "--policy", "more.toml", "--outcomes", "loans.csv", "more.parquet", "--format", "json"];
    let proposal = json(&done(&desk, &[&learn[..], &["--credits-alone"]].concat()));
    let left_out = proposal["left_out"].to_string();
    for (name, is_kept) in [("income", true), ("rises", true), ("free", true), ("spent", false), ("left", false)] {
        assert_eq!(!left_out.contains(&format!("[\"{name}\",\"needs")), is_kept, "{name}: {left_out}");
    }
}
