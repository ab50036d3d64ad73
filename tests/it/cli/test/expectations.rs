//! What cases may expect, how cases files are started, and messages about slips in them and about empty files.

use crate::fixtures::desk::{Desk, Said};

/// More is asked for than the exposure limit allows, and points are lost for two things.
const POLICY: &str = r#"[policy]
name = "line"
version = "1"
currency = "566"
time_zone = "UTC"

[request]
amount = "money"
tenure = "days"
owed = "money"

[metric]
income = "SUM(credit)"
records = "COUNT(*)"

[[require]]
id = "R01"
when = "records >= 1"
reason = "{records} records"

[score]
base = 100
reasons = 2
[[score.item]]
on = "income"
points = [["< 1000", 0], [">= 1000", 50]]
code = "S01"
[[score.item]]
on = "records"
points = [["< 9", 0], [">= 9", 80]]
code = "S02"

[ask]
amount = "request.amount"
tenure = "request.tenure"

[exposure]
limit = 3000
existing = "request.owed"

[[offer]]
id = "o"
tenure = 30
amount = "10 * income"
interest = 1
"#;

const CASE: &str = r#"[[case]]
name = "asks for more"
request = { amount = 9_000, owed = 1_000 }
also = [{ on = "2026-06-01", credit = 500 }]
"#;

fn desk(expect: &str) -> Desk {
    let desk = Desk::new();
    desk.write("rules/line.toml", POLICY);
    desk.write("rules/line.cases.toml", &format!("{CASE}{expect}"));
    desk
}

fn test(desk: &Desk, arguments: &[&str]) -> Said {
    let whole: Vec<&str> = ["test", "rules/line.toml"].iter().chain(arguments).copied().collect();
    desk.run(&whole)
}

const RIGHT: &str = r#"[case.expect]
outcome = "offer"
offers = [[30, 2_000, 2_020]]
points_lost = ["S02", "S01"]
counter_offer = { amount = 2_000, tenure = 30, limited_by = ["exposure"] }
"#;

#[test]
fn a_case_may_expect_a_counter_offer_and_the_points_lost() {
    for right in [
        RIGHT.to_owned(),
        RIGHT.replace("amount = 2_000, tenure = 30, ", ""),
        RIGHT.replace("{ amount = 2_000, tenure = 30, limited_by = [\"exposure\"] }", "{}"),
        RIGHT.replace("amount = 2_000, t", "amount = { value = 1_995, within = 5 }, t"),
        RIGHT.replace("amount = 2_000, t", "amount = 1_990, t").replace("points", "tolerance = 0.01\npoints"),
        // A comment after a list is not part of it.
        RIGHT.replace("2_020]]", "2_020]] # all of them"),
    ] {
        let said = test(&desk(&right), &[]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{right}{}", said.out);
        assert!(said.out.contains("line.toml: 1 case, all as expected"), "{}", said.out);
    }
    let wrong = RIGHT
        .replace(
            "amount = 2_000, tenure = 30, limited_by = [\"exposure\"]",
            "amount = 1, tenure = 90, limited_by = [\"step\"]",
        )
        .replace("[\"S02\", \"S01\"]", "[\"S01\"]");
    insta::assert_snapshot!("counter_otherwise", test(&desk(&wrong), &[]).out);
    insta::assert_snapshot!("counter_none_expected", test(&desk(&no_counter(RIGHT)), &[]).out);
    let asks_less = desk(RIGHT);
    asks_less.write("rules/line.cases.toml", &format!("{CASE}{RIGHT}").replace("amount = 9_000, ", ""));
    insta::assert_snapshot!("counter_none_made", test(&asks_less, &[]).out);
}

fn no_counter(expect: &str) -> String {
    let start = expect.find("counter_offer").unwrap();
    format!("{}counter_offer = false\n", &expect[..start])
}

#[test]
fn update_writes_counter_offers_and_points_lost() {
    let wrong =
        RIGHT.replace("amount = 2_000, tenure = 30, limited_by = [\"exposure\"]", "amount = 1, limited_by = []");
    let wrong = wrong.replace("[\"S02\", \"S01\"]", "[]");
    for expect in [wrong.clone(), no_counter(&wrong)] {
        let desk = desk(&expect);
        assert_eq!(test(&desk, &["--update"]).status, 0);
        let new = desk.read("rules/line.cases.toml");
        assert!(new.contains("counter_offer = { amount = 2_000, limited_by = [\"exposure\"]"), "{new}");
        assert!(new.contains("points_lost = [\"S02\", \"S01\"]"), "{new}");
        assert_eq!(test(&desk, &[]).status, 0, "{new}");
    }
    let desk = desk(RIGHT);
    desk.write("rules/line.cases.toml", &format!("{CASE}{RIGHT}").replace("amount = 9_000, ", ""));
    assert_eq!(test(&desk, &["--update"]).status, 0);
    let new = desk.read("rules/line.cases.toml");
    assert!(new.ends_with("counter_offer = false\n"), "{new}");
}

#[test]
fn a_case_may_expect_fees_what_is_paid_out_and_aprs() {
    let wrong = RIGHT.replace("counter_offer", "fees = [7]\npaid_out = [7]\naprs = [0]\ncounter_offer");
    let desk = desk(&wrong);
    let said = test(&desk, &[]);
    assert_eq!(said.status, 1);
    assert!(said.out.contains("paid_out") && said.out.contains("aprs"), "{}", said.out);
    assert_eq!(test(&desk, &["--update"]).status, 0);
    let new = desk.read("rules/line.cases.toml");
    assert!(new.contains("fees = [0]\npaid_out = [2_000]\naprs = ["), "{new}");
    assert!(!new.contains("aprs = [0]"), "{new}");
    assert_eq!(test(&desk, &[]).status, 0, "{new}");
}

#[test]
fn an_empty_expectation_is_filled_in() {
    let filled_table = "[case.expect]\noutcome = \"offer\"\noffers = [[30, 2_000, 2_020]]\n";
    let filled_line = "expect = { outcome = \"offer\", offers = [[30, 2_000, 2_020]] }\n";
    for (empty, filled) in [
        ("[case.expect]\n", filled_table.to_owned()),
        ("expect = {}\n", filled_line.to_owned()),
        ("expect = { }\n", filled_line.to_owned()),
        ("expect = { outcome = \"refer\" } # so far\n", filled_line.replace('\n', " # so far\n")),
        (
            "expect = { score = 1, points_lost = [] }\n",
            "expect = { score = 100, points_lost = [\"S02\", \"S01\"], outcome = \"offer\", \
             offers = [[30, 2_000, 2_020]] }\n"
                .to_owned(),
        ),
    ] {
        let desk = desk(empty);
        if !empty.contains("outcome") {
            let said = test(&desk, &[]);
            assert_eq!((said.status, said.out.as_str()), (1, ""), "{empty}");
            let what = if empty.contains("score") { "no outcome" } else { "nothing" };
            assert!(said.err.contains(&format!("case `asks for more`: it expects {what} yet")), "{}", said.err);
            assert!(said.err.contains("let `lendwright test --update` fill it in"), "{}", said.err);
        }
        let said = test(&desk, &["--update"]);
        assert_eq!(said.status, 0, "{}", said.err);
        assert_eq!(desk.read("rules/line.cases.toml"), format!("{CASE}{filled}"));
        assert_eq!(test(&desk, &[]).status, 0);
    }
}

#[test]
fn update_writes_the_cases_that_are_filtered_alone() {
    let second = CASE.replace("asks for more", "another").replace("9_000", "8_000");
    let desk = desk(&format!("expect = {{}}\n{second}expect = {{}}\n"));
    let said = test(&desk, &["--update", "--filter", "another"]);
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{}", said.err);
    let new = desk.read("rules/line.cases.toml");
    let (first, last) = new.split_once("another").unwrap();
    assert!(first.contains("expect = {}\n") && last.contains("outcome = \"offer\""), "{new}");
}

#[test]
fn a_tenure_is_never_nearly_another() {
    for wrong in [RIGHT.replace("tenure = 30", "tenure = 31"), RIGHT.replace("[[30", "[[31")] {
        let said = test(&desk(&wrong.replace("points", "tolerance = 0.5\npoints")), &[]);
        assert!(said.status == 1 && said.out.contains("1 not as expected"), "{}", said.out);
    }
}

#[test]
fn a_comment_after_a_list_stays() {
    let desk = desk(&RIGHT.replace("[[30, 2_000, 2_020]]", "[[30, 1, 2]]   # every offer"));
    let said = test(&desk, &["--update"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(desk.read("rules/line.cases.toml").contains("offers = [[30, 2_000, 2_020]]   # every offer\n"));
}

#[test]
fn a_filter_may_find_its_cases_in_one_of_the_files() {
    let desk = desk(RIGHT);
    desk.write("rules/other.toml", POLICY);
    desk.write("rules/other.cases.toml", &format!("{CASE}{RIGHT}").replace("asks for more", "another"));
    let all = ["test", "rules/line.toml", "rules/other.toml", "--filter"];
    let said = desk.run(&[&all[..], &["another"]].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.starts_with("rules/other.toml: 1 case, all as expected"), "{}", said.out);
    let said = desk.run(&[&all[..], &["nobody"]].concat());
    let none = |name: &str| format!("error: rules/{name}.cases.toml: no case's name contains `nobody`\n");
    assert_eq!((said.status, said.err), (1, none("line") + &none("other")));
}

/// The folder of a policy's versions, named from inside.
#[test]
fn the_folder_that_one_stands_in_may_be_tested() {
    let desk = desk(RIGHT);
    desk.write("book/2026.toml", POLICY);
    desk.write("book.cases.toml", &format!("{CASE}{RIGHT}"));
    let whole = "cd book && exec \"$0\" test . ";
    let command = std::process::Command::new("sh")
        .args(["-c", whole, env!("CARGO_BIN_EXE_lendwright")])
        .current_dir(desk.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&command.stdout);
    assert!(command.status.success() && said.starts_with(".: 1 case, all as expected"), "{command:?}");
}

#[test]
fn slips_in_what_is_expected_are_told_before_anything_runs() {
    let slips = r#"[case.expect]
outcome = "approve"
reasons = ["NO_OFFER", "R09", "nobody"]
points_lost = ["s03"]
"#;
    let desk = desk(slips);
    let said = test(&desk, &[]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    insta::assert_snapshot!("slips_in_expectations", said.err);
    let said = test(&desk, &["--format", "json"]);
    assert_eq!((said.status, said.out.lines().count(), said.err.lines().count()), (1, 1, 4), "{}", said.err);
    // Written again, they are no longer slips: a requirement may be gone.
    assert_eq!(test(&desk, &["--update"]).status, 0);
    assert_eq!(test(&desk, &[]).status, 0);
}

#[test]
fn mistakes_in_a_cases_file_are_shown_with_their_places() {
    let mistakes = [
        "expect = { outcome = offer }\n",
        "expect = { outcome = \"offer\", ofers = [] }\n",
        "[case.expect]\noutcome = \"offer\"\ncounter_offer = true\n",
        "[case.expect]\noutcome = \"offer\"\ncounter_offer = { amuont = 1 }\n",
        "[case.expect]\noutcome = \"offer\"\nmetrics = { income = { value = 1 } }\n",
        "expect = { outcome = \"offer\", grade = \"A\" }\n",
        "[case.expect]\noutcome = \"offer\"\nmetrics = 3\nunknown = [\"income\"]\n",
        "expect = { outcome = \"offer\", income = 500 }\n",
        "records = [\"none\"]\nexpect = { outcome = \"offer\" }\n",
        "",
    ];
    let said: Vec<String> = mistakes.iter().map(|expect| test(&desk(expect), &[]).err).collect();
    insta::assert_snapshot!("mistakes_in_cases", said.join("\n"));
}

#[test]
fn a_cases_file_stands_for_its_policy() {
    let desk = desk(RIGHT);
    let said = desk.run(&["test", "rules/line.cases.toml"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.starts_with("rules/line.toml: 1 case, all as expected"), "{}", said.out);
    let said = desk.run(&["test", "rules/line.cases.toml", "rules/line.toml", "rules/small.toml"]);
    assert_eq!((said.status, said.out.matches("1 case,").count()), (0, 1), "{}", said.out);
    assert!(said.err.contains("rules/small.toml: passed over, it has no rules/small.cases.toml"), "{}", said.err);
    desk.write("rules/other.cases.toml", CASE);
    let said = desk.run(&["test", "rules/other.cases.toml"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.contains("its policy `rules/other.toml` does not exist"), "{}", said.err);
}

#[test]
fn where_nothing_is_tested_the_status_says_so() {
    let desk = desk(RIGHT);
    let said = desk.run(&["test", "rules/small.toml"]);
    let whole = "error: `rules/small.toml` has no cases: write them into `rules/small.cases.toml` beside it, \
                 or copy those of the policy it came from (docs/guides/cases.md)\n";
    assert_eq!((said.status, said.err.as_str()), (1, whole));
    let said = desk.run(&["test", "rules/small.toml", "rules/shared.toml"]);
    assert_eq!(said.status, 1);
    let nothing = "error: nothing was tested: none of the named files has cases (docs/guides/cases.md)\n";
    assert!(said.err.ends_with(nothing));
    let said = desk.run(&["test", "rules/line.toml", "rules/nobody.toml"]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("cannot read `rules/nobody.toml`: there is no such file"), "{}", said.err);
}

#[test]
fn the_bar_of_coverage_is_said() {
    let said = test(&desk(RIGHT), &["--min-coverage", "90"]);
    assert_eq!(said.status, 1);
    assert_eq!(
        said.err,
        "error: rules/line.toml: 57.1 % of the policy is reached by its cases, less than the 90 % asked for\n"
    );
}
