//! `test` at work: cases by ready metrics, numbers that may be off, cases written anew, and what they cover as LCOV.

use std::path::Path;
use std::process::{Command, Output};

const POLICY: &str = r#"[policy]
name = "small"
version = "1"
currency = "566"
time_zone = "UTC"

[metric]
income = "SUM(credit)"
records = "COUNT(*)"
mean = "income / NULLIF(records, 0)"

[[require]]
id = "R1"
when = "records >= 2"
reason = "{records} records"

[score]
base = 100
[[score.item]]
on = "mean"
points = [["< 1000", 0], [">= 1000", 50]]

[table.grade]
hit = "first"
inputs = ["score"]
outputs = { grade = "text" }
rows = [
  [">= 150", "A"],
  ["-",      "B"],
]

[[offer]]
id = "o"
when = "grade = 'A'"
tenure = 30
amount = "0.5 * income"
interest = 1
"#;

const CASES: &str = r#"# Who they are.
[[case]]
name = "by records"
[[case.also]]
on = "2026-05-01"
credit = 1_500     # a month's pay
[[case.also]]
on = "2026-06-01"
credit = 1_500
[case.expect]
outcome = "offer"  # what else
score = 150
metrics = { mean = { value = 150_000.4, within = 0.5 } }
offers = [[30, 150_000, 151_500]]

[[case]]
name = "by ready metrics"
as_of = "2026-06-01"
metrics = { income = 50_000, records = 1 }
expect = { outcome = "decline", reasons = ["R1"], grade = { grade = "B" } }
"#;

fn run(folder: &Path, arguments: &[&str]) -> (String, bool) {
    let command =
        Command::new(env!("CARGO_BIN_EXE_lendwright")).arg("test").args(arguments).current_dir(folder).output();
    let Output { status, stdout, stderr } = command.unwrap();
    (String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr), status.success())
}

fn desk(policy: &str, cases: &str) -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    std::fs::write(desk.path().join("small.toml"), policy).unwrap();
    std::fs::write(desk.path().join("small.cases.toml"), cases).unwrap();
    desk
}

#[test]
fn cases_may_bring_metrics_and_say_how_far_a_number_may_be_off() {
    let desk = desk(POLICY, CASES);
    let (said, passed) = run(desk.path(), &["small.toml"]);
    assert!(passed, "{said}");
    let off = desk_with(CASES.replace("within = 0.5", "within = 0.1"));
    let (said, passed) = run(off.path(), &["small.toml"]);
    assert!(!passed && said.contains("mean"), "{said}");
    let both = desk_with(
        CASES.replace("metrics = { income", "also = [{ on = \"2026-06-01\", credit = 1 }]\nmetrics = { income"),
    );
    assert!(run(both.path(), &["small.toml"]).0.contains("it has `metrics` and records"));
    let slip = desk_with(CASES.replace("{ income = 50_000", "{ incom = 50_000"));
    assert!(run(slip.path(), &["small.toml"]).0.contains("did you mean `income`?"));
}

fn desk_with(cases: String) -> tempfile::TempDir {
    desk(POLICY, &cases)
}

#[test]
fn update_writes_what_came_out_and_nothing_else() {
    let desk = desk(&POLICY.replace("records >= 2", "records >= 3").replace(">= 1000\", 50", ">= 1000\", 40"), CASES);
    let (said, passed) = run(desk.path(), &["small.toml"]);
    assert!(!passed && said.contains("2 cases, 1 not as expected"), "{said}");
    let (said, passed) = run(desk.path(), &["small.toml", "--update"]);
    assert!(passed && said.contains("1 case written anew"), "{said}");
    let new = std::fs::read_to_string(desk.path().join("small.cases.toml")).unwrap();
    insta::assert_snapshot!("updated_cases", new);
    let (said, passed) = run(desk.path(), &["small.toml"]);
    assert!(passed, "{said}");
    run(desk.path(), &["small.toml", "--update"]);
    assert_eq!(
        std::fs::read_to_string(desk.path().join("small.cases.toml")).unwrap(),
        new,
        "a second time nothing is left to do"
    );
}

#[test]
fn what_cannot_be_written_is_said_and_the_file_is_left_alone() {
    let cases = CASES
        .replace("grade = { grade = \"B\" } }", "metrics = { mean = 3.0 } }")
        .replace("records = 1 }", "records = 0 }");
    let desk = desk(POLICY, &cases);
    let (said, passed) = run(desk.path(), &["small.toml", "--update"]);
    assert!(!passed && said.contains("`mean` is unknown now"), "{said}");
    assert_eq!(std::fs::read_to_string(desk.path().join("small.cases.toml")).unwrap(), cases);
}

#[test]
fn coverage_is_told_by_part_and_by_line() {
    let desk = desk(POLICY, CASES);
    let (said, passed) =
        run(desk.path(), &["small.toml", "--coverage", "--lcov", "small.info", "--min-coverage", "100"]);
    assert!(passed, "{said}");
    let info = std::fs::read_to_string(desk.path().join("small.info")).unwrap();
    insta::assert_snapshot!("coverage", format!("{said}\n{info}"));
    let (said, passed) = run(desk.path(), &["small.toml", "--filter", "ready", "--min-coverage", "60"]);
    assert!(!passed && said.contains("of the policy is reached by its cases"), "{said}");
}
