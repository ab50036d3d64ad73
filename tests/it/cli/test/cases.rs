//! What `test` prints of cases that come out otherwise, and of cases files that make no sense.

use crate::fixtures::desk::Desk;

const CASES: &str = r#"
[[records.often]]
from = "2026-01-31"
times = 6
every = "month"
credit = 1000.50
desc = "POS"

[[case]]
name = "six records, as agreed"
as_of = "2026-06-30"
records = ["often"]
[case.expect]
outcome = "offer"
metrics = { records = 6, inflow = 6_003 }
offers = [[30, 500, 520]]

[[case]]
name = "the outcome has changed"
as_of = "2026-04-30"
records = ["often"]
[case.expect]
outcome = "offer"
metrics = { records = 5, nothing = 1 }
unknown = { inflow = "no_records", largest_debit = "needs_debit" }
"#;

#[test]
fn a_case_that_comes_out_otherwise_is_shown_side_by_side() {
    let desk = Desk::new();
    desk.write("rules/small.cases.toml", CASES);
    let said = desk.run(&["test", "rules/small.toml"]);
    assert_eq!((said.status, said.err.as_str()), (1, ""));
    insta::assert_snapshot!(said.out);
    let said = desk.run(&["test", "rules/small.toml", "--format", "json"]);
    assert_eq!((said.status, said.out.lines().count()), (1, 2));
    let first: serde_json::Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!((first["ok"].as_bool(), first["case"].as_str()), (Some(true), Some("six records, as agreed")));
}

#[test]
fn a_cases_file_that_makes_no_sense_says_why() {
    let desk = Desk::new();
    let wrong = [
        ("", "`case` is missing"),
        ("case = []\n", "there is no [[case]] in it"),
        ("[[case]]\nname = \"a\"\n", "`expect` is missing"),
        ("[[case]]\nname = \"a\"\nexpect = { outcome = \"offer\", ofers = [] }\n", "unknown key `ofers`"),
        (
            "[[case]]\nname = \"a\"\nrecords = [\"b\"]\nexpect = { outcome = \"offer\" }\n",
            "case `a`: there are no [[records.b]]",
        ),
        (
            "[[case]]\nname = \"a\"\nas_of = \"June\"\nexpect = { outcome = \"offer\" }\n",
            "case `a`: `June` is not a day",
        ),
        (
            "[[case]]\nname = \"a\"\nalso = [{ on = \"2026-06-30\", times = 2, credit = 1 }]\n\
             expect = { outcome = \"offer\" }\n",
            "case `a`: a record needs `on`, or `from`, `times` and `every`",
        ),
        (
            "[[case]]\nname = \"a\"\nalso = [{ on = \"2026-06-30\", credit = 1.005 }]\n\
             expect = { outcome = \"offer\" }\n",
            "`1.005` has more decimals than the 2",
        ),
        (
            "[[case]]\nname = \"a\"\nrequest = { amuont = 1 }\nexpect = { outcome = \"offer\" }\n",
            "did you mean `amount`?",
        ),
        (
            "[[case]]\nname = \"a\"\nstatement = \"none.json\"\nexpect = { outcome = \"offer\" }\n",
            "none.json: No such file",
        ),
    ];
    for (text, expected) in wrong {
        desk.write("rules/small.cases.toml", text);
        let said = desk.run(&["test", "rules/small.toml"]);
        assert_eq!((said.status, said.out.as_str()), (1, ""), "{text}");
        assert!(said.err.contains(expected), "{text}: {}", said.err);
    }
    std::fs::remove_file(desk.path().join("rules/small.cases.toml")).unwrap();
    let said = desk.run(&["test", "rules/small.toml"]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("`rules/small.toml` has no cases"), "{}", said.err);
}
