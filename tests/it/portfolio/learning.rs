//! `learn`: a scorecard proposed from metrics and outcomes.

use super::{POLICY, desk, done, outcomes};

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
