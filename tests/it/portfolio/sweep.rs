//! `sweep`: a policy over the values of its parameters.

use serde_json::Value;

use super::{A, desk, done, failed, outcomes};

#[test]
fn a_sweep_tries_every_value_and_marks_the_files_own() {
    let desk = desk();
    outcomes(&desk);
    let sweep = [
        "sweep",
        "--policy",
        "old.toml",
        "--vary",
        "least_income",
        "--steps",
        "5",
        "--outcomes",
        "loans.csv",
        "--economics",
        "lgd=0.6,margin=0.1",
        "--tornado",
        "book.parquet",
    ];
    insta::assert_snapshot!(done(&desk, &[&sweep[..], &["--report", "sweep.html"]].concat()).out);
    assert!(desk.read("sweep.html").contains("<svg"));
    let random = [
        "sweep",
        "--policy",
        "old.toml",
        "--vary",
        "least_income",
        "--vary",
        "share",
        "--search",
        "random",
        "--tries",
        "6",
        "--seed",
        "3",
        "book.parquet",
        "--format",
        "json",
    ];
    let text = done(&desk, &random[..random.len() - 2]).out;
    assert!(!text.lines().any(|line| line.starts_with('>')), "no place has the file's own values: {text}");
    let (one, other) = (done(&desk, &random).out, done(&desk, &random).out);
    assert_eq!(one, other);
    let points = serde_json::from_str::<Value>(&one).expect("JSON")["points"].as_array().map(Vec::len);
    assert_eq!(points, Some(6));
}

#[test]
fn a_tornado_of_a_shipped_policy_names_what_a_table_cannot_tell() {
    let desk = desk();
    let starter = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml");
    let starter = starter.to_str().expect("a path");
    done(&desk, &["metrics", "--policy", starter, A, "--out", "starter.parquet"]);
    let said = done(&desk, &["sweep", "--policy", starter, "--tornado", "starter.parquet"]);
    assert!(said.out.contains("min_full_months"), "{}", said.out);
    assert!(said.out.contains("not tried, because values over records depend on them: "), "{}", said.out);
    let error = failed(&desk, &["sweep", "--policy", starter, "--vary", "swept_share", "starter.parquet"]);
    assert!(error.contains("values over records depend on swept_share"), "{error}");
}
