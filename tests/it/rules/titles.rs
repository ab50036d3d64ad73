//! Titles of requirements and tables: where they are shown, what is no title, and that they decide nothing.

use lendwright::analysis::{analyse, dictionary};
use lendwright::decision::{Decision, Request, decide, explain, reading};
use lendwright::diff::compare_policies;
use lendwright::editor::outline_rule_file;
use lendwright::report::{self, Listing};
use lendwright::statement::read_json;
use lendwright::{Policy, compile};

const TITLED: &str = r#"
[policy]
name = "titled"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[metric]
records = "COUNT(*)"

[[require]]
title = "Enough history"
id = "R01"
when = "records >= 3"
else = "refer"
reason = "Only {records} records"

[[require]]
id = "R02"
title = "A count <b>is</b> a count"
when = "records >= 0"
reason = "Fewer than none"

[table.grade]
title = "Grade and price"
hit = "first"
inputs = ["records"]
outputs = { grade = "text" }
rows = [["> 1", "A"], ["-", "B"]]
"#;

/// The same policy without titles.
fn untitled() -> String {
    TITLED.lines().filter(|line| !line.starts_with("title")).map(|line| format!("{line}\n")).collect()
}

fn policy(text: &str) -> Policy {
    compile("titled.toml", text, &mut |_| Err("no files".into()), &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn statements(policy: &Policy) -> lendwright::Statements {
    read_json(br#"[{"trans_date": "2026-06-01", "credit": 5}]"#, "one", &reading(policy)).unwrap()
}

fn decided(policy: &Policy) -> Decision {
    decide(policy, &statements(policy), &Request::default()).unwrap().remove(0)
}

#[test]
fn a_reason_has_the_title_of_its_requirement() {
    let decision = decided(&policy(TITLED));
    assert_eq!(decision.reasons[0].title.as_deref(), Some("Enough history"));
    let line = decision.to_line();
    assert!(
        line.contains(r#"{"id":"R01","title":"Enough history","effect":"refer","text":"Only 1 records"}"#),
        "{line}"
    );
    assert_eq!(serde_json::from_str::<Decision>(&line).unwrap(), decision);
    let without = decided(&policy(&untitled())).to_line();
    assert!(without.contains(r#"{"id":"R01","effect":"refer","text":"Only 1 records"}"#), "{without}");
}

#[test]
fn an_explanation_shows_titles_as_text_as_json_and_as_a_page() {
    let policy = policy(TITLED);
    let explanations = explain(&policy, &statements(&policy), &Request::default()).unwrap();
    insta::assert_snapshot!(report::render_explanation_text(&explanations[0], Listing::Problems(3)));
    let json = serde_json::to_value(&explanations[0]).unwrap();
    assert_eq!(json["requirements"][0]["title"], "Enough history");
    assert_eq!(json["tables"][0]["title"], "Grade and price");
    let page = report::render_explanation_page(&explanations);
    for shown in ["<b>R01 Enough history</b>", "A count &lt;b&gt;is&lt;/b&gt; a count", "grade (Grade and price)"] {
        assert!(page.contains(shown), "{shown}\n{page}");
    }
    let untitled = self::policy(&untitled());
    let explanations = explain(&untitled, &statements(&untitled), &Request::default()).unwrap();
    let json = serde_json::to_string(&(&explanations[0].requirements, &explanations[0].tables)).unwrap();
    assert!(!json.contains("title"), "{json}");
}

#[test]
fn messages_and_descriptions_name_titles() {
    let policy = policy(TITLED);
    let messages: Vec<String> = analyse(&policy).into_iter().map(|finding| finding.message).collect();
    let never_fails = "the requirement `R02` (A count <b>is</b> a count) can never fail: `records` is 0 or more";
    assert_eq!(messages[0], never_fails);
    assert_eq!(dictionary(&policy).entry("grade").unwrap().doc, "what the table `grade` (Grade and price) gives");
}

#[test]
fn an_outline_has_titles_wherever_they_stand() {
    let sections = outline_rule_file(TITLED);
    let details: Vec<String> = sections.iter().map(|symbol| format!("{}: {}", symbol.name, symbol.detail)).collect();
    let requirements = ["require: R01 Enough history", "require: R02 A count <b>is</b> a count"];
    assert_eq!(details[2..4], requirements);
    assert_eq!(details[4], "table.grade: Grade and price");
}

#[test]
fn a_title_is_a_change_as_a_reason_is() {
    let (titled, untitled) = (policy(TITLED), policy(&untitled()));
    assert_ne!(titled.digest(), untitled.digest());
    let changes = compare_policies(&untitled, &titled);
    let changed: Vec<String> =
        changes.iter().map(|change| format!("{} {} {}", change.section, change.name, change.what)).collect();
    assert_eq!(changed, ["require R01 title", "require R02 title", "table grade title"]);
    let spaced = policy(&TITLED.replace("title = \"Enough", "title  =  \"Enough"));
    assert_eq!(compare_policies(&titled, &spaced), []);
}

#[test]
fn a_title_is_one_line_that_says_something() {
    for wrong in [r#""""#, r#""  ""#, r#""two\nlines""#, r#""a\u0007bell""#, "3", r#"["a"]"#] {
        for at in ["\"Enough history\"", "\"Grade and price\""] {
            let text = TITLED.replace(at, wrong);
            let refused = compile("titled.toml", &text, &mut |_| Err("no files".into()), &[]).unwrap_err();
            let codes: Vec<&str> = refused.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
            assert_eq!(codes, ["shape"], "{wrong}: {refused}");
        }
    }
}
