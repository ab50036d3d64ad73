//! Folders of versions: the day of the decision picks one.

use lendwright::decision::{Decision, Outcome};
use lendwright::{load_policies, metrics};

use super::{on, statement};
use crate::fixtures::desk::Desk;

fn version(number: u32, dates: &str) -> String {
    format!(
        "[policy]\nname = \"line\"\nversion = \"{number}\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n{dates}\n\
         use = [\"shared.toml\"]\n\
         [request]\nv{number} = \"count\"\namount = \"money\"\n\
         [metric]\nversion = \"{number} * COUNT(*)\"\nonly_{number} = \"COUNT(*)\"\n\
         [[offer]]\nid = \"one\"\ntenure = 30\namount = \"income * 0.1\"\ninterest = {number}\n"
    )
}

/// Three versions with a gap between the second and the third.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("rules/line/shared.toml", "[metric]\nincome = \"SUM(credit)\"\n");
    desk.write("rules/line/b.toml", &version(1, "valid_to = 2025-12-31"));
    desk.write("rules/line/a.toml", &version(2, "valid_from = 2026-01-01\nvalid_to = 2026-05-31"));
    desk.write("rules/line/c.toml", &version(3, "valid_from = 2026-07-01"));
    desk.write("rules/line/notes.txt", "no rule file");
    desk
}

fn decide(desk: &Desk, day: &str) -> Decision {
    let file = "in/statement-000001.json";
    let said = desk.run(&["decide", "--policy", "rules/line", "--as-of", day, file]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    desk.write("decision.json", &said.out);
    for more in [&[][..], &["--policy", "rules/line"]] {
        let replayed = desk.run(&[&["replay", "decision.json", file], more].concat());
        assert_eq!(replayed.out, "decision.json: the same, byte for byte\n", "{}{}", said.out, replayed.err);
    }
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn the_day_of_the_decision_picks_the_version_and_replay_finds_it() {
    let desk = desk();
    for (day, version, file) in [
        ("2020-06-30", "1", "rules/line/b.toml"),
        ("2025-12-31", "1", "rules/line/b.toml"),
        ("2026-01-01", "2", "rules/line/a.toml"),
        ("2026-05-31", "2", "rules/line/a.toml"),
        ("2026-07-01", "3", "rules/line/c.toml"),
        ("2030-01-01", "3", "rules/line/c.toml"),
    ] {
        let decision = decide(&desk, day);
        assert_eq!((decision.policy.version.as_str(), decision.policy.file.as_str()), (version, file), "{day}");
        assert!(decision.metrics.contains_key(&format!("only_{version}")), "{day}");
    }
}

#[test]
fn a_day_that_no_version_covers_is_a_referral_that_says_so() {
    let desk = desk();
    let decision = decide(&desk, "2026-06-15");
    assert_eq!((decision.outcome, decision.offers.len()), (Outcome::Refer, 0));
    let reasons: Vec<_> = decision.reasons.iter().map(|reason| (reason.id.as_str(), reason.text.as_str())).collect();
    let text = "the policy was in force until 2026-05-31, the decision is for 2026-06-15";
    assert_eq!(reasons, [("POLICY_DATES", text)]);
    std::fs::remove_file(desk.path().join("rules/line/b.toml")).unwrap();
    let decision = decide(&desk, "2025-06-15");
    assert_eq!(decision.reasons[0].text, "the policy is in force from 2026-01-01 on, the decision is for 2025-06-15");
}

#[test]
fn each_statement_of_a_batch_has_the_version_of_its_last_record() {
    let desk = desk();
    let policies = load_policies(desk.path().join("rules/line"), &[]).unwrap();
    let mut versions = Vec::new();
    for day in ["2025-03-01", "2026-03-01", "2026-08-01"] {
        let decided = super::decide(&policies, &statement(&policies, "ada", &[day]), &Default::default()).unwrap();
        versions.push(decided[0].policy.version.clone());
    }
    assert_eq!(versions, ["1", "2", "3"]);
}

#[test]
fn a_request_may_bring_what_one_version_declares_and_the_record_keeps_what_was_asked_for() {
    let desk = desk();
    desk.write("request.json", r#"{"as_of": "2026-03-01", "v2": 5, "v3": 6, "amount": 100}"#);
    let file = "in/statement-000001.json";
    let said = desk.run(&["decide", "--policy", "rules/line", "--request", "request.json", file]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let decision: Decision = serde_json::from_str(&said.out).unwrap();
    assert_eq!(serde_json::json!(decision.request), serde_json::json!({"v2": 5, "amount": 100}));
    desk.write("decision.json", &said.out);
    assert_eq!(desk.run(&["replay", "decision.json", file]).out, "decision.json: the same, byte for byte\n");
    desk.write("request.json", r#"{"v4": 5}"#);
    let said = desk.run(&["decide", "--policy", "rules/line", "--request", "request.json", file]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("`v4`"), "{}", said.err);
}

#[test]
fn the_metrics_of_a_statement_are_those_of_its_version() {
    let desk = desk();
    let policies = load_policies(desk.path().join("rules/line"), &[]).unwrap();
    let table = metrics::table(&policies, &statement(&policies, "ada", &["2026-03-01"]), None).unwrap();
    let names: Vec<_> = table.columns().iter().map(|column| column.name().as_str()).collect();
    let all = ["customer", "statement", "as_of", "income", "version", "only_1", "only_2", "only_3"];
    assert_eq!(names, all);
    let known = |name: &str| table.column(name).unwrap().null_count() == 0;
    assert!(known("only_2") && known("income") && !known("only_1") && !known("only_3"));
}

#[test]
fn versions_that_do_not_follow_each_other_are_refused() {
    let refused = |name: &str, text: &str| {
        let desk = desk();
        desk.write(&format!("rules/line/{name}.toml"), text);
        let said = desk.run(&["check", "rules/line"]);
        assert_eq!(said.status, 1, "{}", said.out);
        let decided = desk.run(&["decide", "--policy", "rules/line", "in/statement-000001.json"]);
        assert!(decided.status == 1 && said.err.ends_with(&decided.err), "{}{}", decided.err, said.err);
        said.err
    };
    let text = version(4, "valid_from = 2026-05-31\nvalid_to = 2026-06-30");
    let wrong = refused("d", &text);
    let expected = "`rules/line/a.toml` and `rules/line/d.toml` are both in force on 2026-05-31; \
        end the first one before that day: valid_to = 2026-05-30";
    assert!(wrong.contains(expected), "{wrong}");
    let wrong = refused("d", &version(4, ""));
    assert!(wrong.contains("are both in force on 1900-01-01"), "{wrong}");
    let wrong = refused("d", &version(2, "valid_from = 2026-06-01\nvalid_to = 2026-06-30"));
    assert!(wrong.contains("are both version `2`"), "{wrong}");
    let june = version(4, "valid_from = 2026-06-01\nvalid_to = 2026-06-30");
    let wrong = refused("d", &june.replace("\"line\"", "\"lime\""));
    assert!(wrong.contains("all versions of a policy have the same name"), "{wrong}");
    let wrong = refused("d", &june.replace("Africa/Lagos", "Africa/Nairobi"));
    assert!(wrong.contains("read statements differently: `time_zone`"), "{wrong}");
}

#[test]
fn a_folder_is_checked_file_by_file() {
    let desk = desk();
    let said = desk.run(&["check", "rules/line"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(said.out.lines().count(), 5);
    let empty = desk.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let said = desk.run(&["check", "empty"]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("there is no policy"), "{}", said.err);
}

#[test]
fn cases_of_a_folder_stand_beside_it_and_each_has_the_version_of_its_day() {
    let desk = desk();
    let case = |day: &str, number: u32| {
        format!(
            "[[case]]\nname = \"{day}\"\nas_of = \"{day}\"\nalso = [{{ on = \"2025-01-01\", credit = 5000 }}]\n\
             [case.expect]\noutcome = \"offer\"\nmetrics = {{ version = {number} }}\noffers = [[30, 500, {}]]\n",
            500 + number * 5
        )
    };
    desk.write("rules/line.cases.toml", &format!("{}{}", case("2025-06-01", 1), case("2026-08-01", 3)));
    let said = desk.run(&["test", "rules/line"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{}", said.out);
    assert!(said.out.contains("2 cases, all as expected"), "{}", said.out);
    let told = desk.run(&[
        "explain",
        "--policy",
        "rules/line",
        "--metric",
        "only_2",
        "--as-of",
        "2026-08-01",
        "in/statement-000001.json",
    ]);
    assert!(told.out.contains("line 3 has no metric only_2"), "{}", told.out);
}

#[test]
fn one_policy_is_a_set_of_versions_too() {
    let desk = desk();
    let one = lendwright::load_policy(desk.path().join("rules/line/c.toml"), &[]).unwrap();
    let decision = super::decided(&one, &on("2026-08-01"));
    assert_eq!(decision.policy.version, "3");
}
