//! `test` at work: cases by ready metrics, tolerances, rewritten cases, and coverage as LCOV.

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
metrics = { mean = { value = 1_500.004, within = 0.005 } }
offers = [[30, 1_500, 1_515]]

[[case]]
name = "by ready metrics"
as_of = "2026-06-01"
metrics = { income = 500, records = 1 }
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
    let off = desk_with(CASES.replace("within = 0.005", "within = 0.001"));
    let (said, passed) = run(off.path(), &["small.toml"]);
    assert!(!passed && said.contains("mean"), "{said}");
    let both = desk_with(
        CASES.replace("metrics = { income", "also = [{ on = \"2026-06-01\", credit = 1 }]\nmetrics = { income"),
    );
    assert!(run(both.path(), &["small.toml"]).0.contains("it has `metrics` and records"));
    let slip = desk_with(CASES.replace("{ income = 500", "{ incom = 50_000"));
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
    assert!(passed && said.contains("1 case updated"), "{said}");
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

/// A policy that declines every request, and cases of it in every form that TOML has.
const DECLINES: &str = "[policy]\nname = \"c\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[request]\n\
    a = \"count\"\n\
    [metric]\nx = \"request.a + 1\"\n[[require]]\nid = \"R1\"\nwhen = \"x > 5\"\nreason = \"{x}\"\n[[require]]\n\
    id = \"R2\"\nwhen = \"x > 6\"\nreason = \"{x}\"\n";

#[test]
fn update_writes_into_expectations_of_every_shape() {
    let head = "[[case]]\nname = \"1\" # one\nas_of = \"2026-06-30\"\nrequest = { a = 1 }\n";
    let shapes = [
        "expect.outcome = \"offer\" # dotted\n",
        "expect = { outcome = \"offer\", metrics = { x = 9 } } # in a line\n",
        "expect = { outcome = \"offer\", unknown = { }, score = 1 }\n",
        "[case.expect]\noutcome = \"offer\"   # as a table\nmetrics.x = 9\n[[case]]\nname = \"2\"\n\
         as_of = \"2026-06-30\"\nrequest = { a = 9 }\n[case.expect]\noutcome = \"decline\"\n",
        "expect = {\n  outcome = \"offer\", # over lines\n  metrics = { x = 9 },\n}\n",
    ];
    for (number, shape) in shapes.iter().enumerate() {
        for line_end in ["\n", "\r\n"] {
            let cases = format!("{head}{shape}").replace('\n', line_end);
            let desk = tempfile::tempdir().unwrap();
            let file = desk.path().join("small.cases.toml");
            std::fs::write(desk.path().join("small.toml"), DECLINES).unwrap();
            std::fs::write(&file, &cases).unwrap();
            let (said, passed) = run(desk.path(), &["small.toml", "--update"]);
            let new = std::fs::read_to_string(&file).unwrap();
            if number == 2 {
                // Its score is unknown now, which no case can expect.
                assert!(!passed && said.contains("`score`") && new == cases, "{said}");
                continue;
            }
            assert!(passed, "{shape}: {said}\n{new}");
            assert!(run(desk.path(), &["small.toml"]).1, "{new}");
            let comments = |text: &str| text.lines().filter(|line| line.contains('#')).count();
            assert_eq!(comments(&new), comments(&cases), "{new}");
            assert_eq!(new.matches('\n').count() == new.matches("\r\n").count(), line_end == "\r\n", "{new:?}");
        }
    }
}

#[test]
fn update_takes_no_missing_name_for_a_value() {
    let cases = "[[case]]\nname = \"1\"\nas_of = \"2026-06-30\"\nrequest = { a = 1 }\n[case.expect]\n\
        outcome = \"decline\"\nreasons = [\"R1\", \"R2\"]\n";
    for (line, said_of) in [
        ("metrics = { old = 5 }\n", "no such metric"),
        ("metrics = { old = \"no such metric\" }\n", "no such metric"),
        ("grade = { old = \"A\" }\n", "no such output"),
        ("unknown = { x = \"missing_request_a\" }\n", "it is known"),
        ("reasons = [ # both\n  \"R1\",\n]\n", "comments"),
    ] {
        let cases = match line.starts_with("reasons") {
            true => cases.replace("reasons = [\"R1\", \"R2\"]\n", line),
            false => format!("{cases}{line}"),
        };
        let desk = tempfile::tempdir().unwrap();
        let file = desk.path().join("small.cases.toml");
        std::fs::write(desk.path().join("small.toml"), DECLINES).unwrap();
        std::fs::write(&file, &cases).unwrap();
        assert!(!run(desk.path(), &["small.toml"]).1, "{line}");
        let (said, passed) = run(desk.path(), &["small.toml", "--update"]);
        assert!(!passed && said.contains(said_of), "{line}: {said}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), cases);
    }
}

#[test]
fn what_a_case_cannot_mean_is_refused() {
    let desk = desk(POLICY, &CASES.replace("within = 0.005", "near = 0.005"));
    let (said, passed) = run(desk.path(), &["small.toml"]);
    assert!(!passed && said.contains("`mean` is written as a number"), "{said}");
    for tolerance in ["inf", "-0.1", "nan", "2.0"] {
        let desk = desk_with(CASES.replacen("score = 150\n", &format!("score = 150\ntolerance = {tolerance}\n"), 1));
        let (said, passed) = run(desk.path(), &["small.toml"]);
        assert!(!passed && said.contains("the tolerance is "), "{said}");
        let (said, _) = run(desk.path(), &["small.toml", "--format", "json"]);
        assert!(said.contains("\"error\":"), "{said}");
    }
    let (said, passed) = run(desk.path(), &["small.toml", "--filter", "zzz"]);
    assert!(!passed, "{said}");
}

#[test]
fn versions_are_covered_each_for_itself() {
    let desk = tempfile::tempdir().unwrap();
    let book = desk.path().join("bk");
    std::fs::create_dir(&book).unwrap();
    let version = |year: &str, amount: &str| {
        format!(
            "[policy]\nname = \"bk\"\nversion = \"{year}\"\nvalid_from = \"{year}-01-01\"\n\
             valid_to = \"{year}-12-31\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[request]\na = \"count\"\n\
             [[offer]]\nid = \"o\"\ntenure = 30\namount = {amount}\ninterest = 1\n\
             [score]\nbase = 0\n[[score.item]]\non = \"request.a\"\npoints = [[\"< 3\", 1], [\"-\", 2]]\n\
             [[score.item]]\non = \"request.a\"\npoints = [[\"< 5\", 1],\n  [\"-\", 2]]\n"
        )
    };
    std::fs::write(book.join("2025.toml"), version("2025", "100")).unwrap();
    std::fs::write(book.join("2026.toml"), version("2026", "200")).unwrap();
    std::fs::write(
        desk.path().join("bk.cases.toml"),
        "[[case]]\nname = \"1\"\nas_of = \"2025-06-30\"\nrequest = { a = 4 }\n[case.expect]\noutcome = \"offer\"\n\
         offers = [[30, 100, 101]]\n",
    )
    .unwrap();
    let (said, passed) = run(desk.path(), &["bk", "--coverage", "--lcov", "bk.info"]);
    assert!(passed, "{said}");
    assert!(
        said.contains("2 of 8   bins of the score") && said.contains("1 of 2   offers; no case has 2026: o over 30"),
        "{said}"
    );
    assert!(std::fs::read_to_string(desk.path().join("bk.info")).unwrap().contains("2026.toml"));
    let (said, passed) = run(desk.path(), &["bk", "--min-coverage", "50"]);
    assert!(!passed, "{said}");
}
