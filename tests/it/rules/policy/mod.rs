//! A policy as a whole: its parameters by date, its inputs, the files it uses, its versions, and which of two decides.

mod champion_challenger;
mod markets;
mod used_files;
mod versions;

use std::collections::HashMap;

use lendwright::base::date::Day;
use lendwright::compile;
use lendwright::decision::{Decision, Outcome, Request, decide, reading};
use lendwright::rules::{Policy, PolicySet};
use lendwright::statement::{Statements, read_json};
use serde_json::json;

pub(crate) const HEAD: &str =
    "[policy]\nname = \"whole\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n";

/// A policy of one text.
pub(crate) fn policy(text: &str) -> Policy {
    policy_with(text, &[], &[])
}

/// A policy with the files it uses and parameters given from outside.
pub(crate) fn policy_with(text: &str, files: &[(&str, &str)], given: &[(&str, &str)]) -> Policy {
    let files: HashMap<_, _> = files.iter().copied().collect();
    let given: Vec<_> = given.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let mut read = |name: &str| files.get(name).map(|text| text.to_string()).ok_or(format!("no {name}"));
    compile("whole.toml", text, &mut read, &given).unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

/// The errors of a policy.
pub(crate) fn refused(text: &str, files: &[(&str, &str)]) -> String {
    let files: HashMap<_, _> = files.iter().copied().collect();
    let mut read = |name: &str| files.get(name).map(|text| text.to_string()).ok_or(format!("no {name}"));
    compile("whole.toml", text, &mut read, &[]).unwrap_err().to_string()
}

/// A statement with one credit of 1,000 per day.
pub(crate) fn statement(policies: &dyn PolicySet, customer: &str, days: &[&str]) -> Statements {
    let records: Vec<_> = days
        .iter()
        .enumerate()
        .map(|(index, day)| (format!("r{index}"), day))
        .map(|(id, day)| json!({"id": id, "customer": customer, "trans_date": day, "credit": "1000"}))
        .collect();
    let body = json!({"status": "success", "data": {"transactions": records}}).to_string();
    read_json(body.as_bytes(), customer, &reading(policies)).unwrap()
}

pub(crate) fn decided(policies: &dyn PolicySet, request: &Request) -> Decision {
    decide(policies, &statement(policies, "ada", &["2026-03-05"]), request).unwrap().remove(0)
}

fn on(day: &str) -> Request {
    Request::on(Day::parse_iso(day).unwrap())
}

const DATED: &str = r#"
[parameters]
max_share = { values = { 2026-07-01 = 0.30, 2025-01-01 = 0.35 }, min = 0.1, max = 0.6, doc = "of income" }
least = { value = 500, values = { 2026-01-01 = 800 }, unit = "money" }
window = { values = { 2025-01-01 = 30, 2026-07-01 = 400 }, unit = "days" }

[metric]
share = "$max_share"
least = "$least"
counted = "COUNT(*) FILTER (WHERE within($window))"
above = "COUNT(*) FILTER (WHERE credit > $least)"

[[require]]
id = "R01"
when = "$max_share > 0.32"
reason = "at most {$max_share}"
"#;

#[test]
fn the_day_of_the_decision_picks_the_value_of_a_parameter() {
    let policy = policy(&format!("{HEAD}{DATED}"));
    let at = |day: &str| decided(&policy, &on(day));
    let june = at("2026-06-30");
    assert_eq!(june.metrics["share"], json!(0.35));
    assert_eq!((june.metrics["least"].clone(), june.metrics["counted"].clone()), (json!(80_000), json!(0)));
    assert!(june.reasons.iter().all(|reason| reason.id != "R01"));
    let july = at("2026-07-01");
    assert_eq!((july.metrics["share"].clone(), july.metrics["counted"].clone()), (json!(0.3), json!(1)));
    assert_eq!(july.reasons[0].text, "at most 0.3");
    let before = at("2025-12-31");
    assert_eq!((before.metrics["share"].clone(), before.metrics["least"].clone()), (json!(0.35), json!(50_000)));
}

#[test]
fn before_its_first_day_a_parameter_is_unknown_and_says_so() {
    let policy = policy(&format!("{HEAD}{DATED}"));
    let decision = decided(&policy, &on("2024-12-31"));
    assert_eq!(decision.metrics["share"], json!(null));
    assert_eq!(decision.unknown["share"], "no_value_yet_for_max_share");
    assert_eq!(decision.unknown["counted"], "no_value_yet_for_window");
    assert_eq!((decision.outcome, decision.reasons[0].id.as_str()), (Outcome::Refer, "R01"));
    assert_eq!(decision.metrics["least"], json!(50_000));
}

#[test]
fn a_statement_without_a_day_has_no_value_by_date() {
    let policy = policy(&format!("{HEAD}{DATED}"));
    let body = json!({"status": "success", "data": {"transactions": []}}).to_string();
    let nothing = read_json(body.as_bytes(), "nothing", &reading(&policy)).unwrap();
    let decision = decide(&policy, &nothing, &Request::default()).unwrap().remove(0);
    assert_eq!(decision.unknown["share"], "no_records");
    assert_eq!(decision.unknown["least"], "no_records");
}

#[test]
fn a_value_from_outside_stands_for_all_days() {
    let policy = policy_with(&format!("{HEAD}{DATED}"), &[], &[("max_share", "0.5")]);
    for day in ["2024-01-01", "2026-06-30", "2027-01-01"] {
        assert_eq!(decided(&policy, &on(day)).metrics["share"], json!(0.5));
    }
    let given = [("max_share".to_owned(), "0.7".to_owned())];
    let text = format!("{HEAD}{DATED}");
    let wrong = compile("whole.toml", &text, &mut |_| Err("none".into()), &given).unwrap_err().to_string();
    assert!(wrong.contains("0.7 is above its max 0.6"), "{wrong}");
}

#[test]
fn the_value_of_the_day_is_what_explain_shows() {
    let policy = policy(&format!("{HEAD}{DATED}"));
    let statements = statement(&policy, "ada", &["2026-03-05"]);
    let told = |day: &str| crate::report::explain::text(&policy, &statements, &on(day));
    assert!(told("2026-06-30").contains("$max_share = 0.35"));
    assert!(told("2026-07-01").contains("$max_share = 0.3") && !told("2026-07-01").contains("0.35"));
    assert!(told("2024-07-01").contains("$max_share = unknown"));
}

#[test]
fn a_policy_tells_its_parameters_to_those_who_embed_it() {
    let policy = policy(&format!("{HEAD}{DATED}"));
    let share = policy.parameters().iter().find(|parameter| parameter.name == "max_share").unwrap();
    assert_eq!((share.doc.as_str(), share.values.len()), ("of income", 2));
    let on = |day| share.on(Day::parse_iso(day)).map(|value| value.text.as_str());
    assert_eq!((on("2024-12-31"), on("2025-01-01"), on("2026-06-30")), (None, Some("0.35"), Some("0.35")));
    assert_eq!((on("2026-07-01"), share.on(None)), (Some("0.30"), None));
}

const INPUTS: &str = r#"
[request]
amount = { type = "money", required = true, doc = "what is asked for" }
purposes = "list of text"

[bureau]
score = { type = "count", required = true }
since = "date"
share = "ratio"
clean = "boolean"
grade = "text"

[metric]
age = "as_of - bureau.since"
known = "bureau.score + 1"
asked = "request.amount"
twice = "bureau.share * 2"
good = "bureau.clean AND bureau.grade = 'A'"
for_school = "list_contains(request.purposes, 'school')"

[[require]]
id = "R01"
when = "bureau.score >= 600"
unknown = "decline"
reason = "A score of {bureau.score}"

[[offer]]
id = "one"
tenure = 30
amount = "request.amount"
interest = 1
"#;

fn asked(policy: &Policy, body: serde_json::Value) -> Result<Request, String> {
    Request::from_json(policy, body.to_string().as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn what_the_bureau_says_is_given_beside_the_request() {
    let policy = policy(&format!("{HEAD}{INPUTS}"));
    let bureau = json!({"score": 612, "since": "2026-03-01", "share": 0.25, "clean": true, "grade": "A"});
    let request = asked(
        &policy,
        json!({"as_of": "2026-03-05", "amount": 50_000, "purposes": ["school", "rent"], "bureau": bureau}),
    )
    .unwrap();
    let decision = decided(&policy, &request);
    assert_eq!(decision.outcome, Outcome::Offer, "{decision:?}");
    let metrics = json!({"age": 4, "known": 613, "asked": 50_000, "twice": 0.5, "good": true, "for_school": true});
    assert_eq!(json!(decision.metrics), metrics);
    assert_eq!(decision.request["bureau"], bureau);
}

#[test]
fn a_required_input_that_is_missing_is_a_referral_that_names_it() {
    let policy = policy(&format!("{HEAD}{INPUTS}"));
    let reasons = |body| {
        let decision = decided(&policy, &asked(&policy, body).unwrap());
        assert_eq!((decision.outcome, decision.offers.len()), (Outcome::Refer, 0));
        decision.reasons.into_iter().map(|reason| format!("{}: {}", reason.id, reason.text)).collect::<Vec<_>>()
    };
    let both = "INPUT_MISSING: request.amount, bureau.score are required and not given";
    assert_eq!(reasons(json!({})), [both]);
    assert_eq!(reasons(json!({"amount": null, "bureau": {"score": null}})), [both]);
    assert_eq!(reasons(json!({"amount": 1})), ["INPUT_MISSING: bureau.score is required and not given"]);
    assert_eq!(reasons(json!({"bureau": {"score": 700}})), ["INPUT_MISSING: request.amount is required and not given"]);
}

/// Found by `cargo xtask differential`: the page says that nothing else is required.
#[test]
fn out_of_its_days_a_policy_does_not_ask_for_inputs() {
    let head = HEAD.replacen("[policy]\n", "[policy]\nvalid_to = 2025-12-31\n", 1);
    let policy = policy(&format!("{head}{INPUTS}"));
    let decision = decided(&policy, &asked(&policy, json!({"as_of": "2026-01-01"})).unwrap());
    assert_eq!(decision.reasons.iter().map(|reason| reason.id.as_str()).collect::<Vec<_>>(), ["POLICY_DATES"]);
}

#[test]
fn an_input_that_is_not_declared_or_of_another_type_is_refused() {
    let policy = policy(&format!("{HEAD}{INPUTS}"));
    let wrong = [
        (json!({"amuont": 1}), "`amuont`: did you mean `amount`?"),
        (json!({"amount": "1000"}), "`amount`: money is a whole number of minor units"),
        (json!({"amount": 10.5}), "`amount`: money is a whole number of minor units"),
        (json!({"purposes": "school"}), "`purposes`: expected a list"),
        (json!({"purposes": ["school", 3]}), "`purposes`: expected a list"),
        (json!({"score": 612}), "`score`: the policy declares under [request]: amount, "),
        (json!({"bureau": {"scor": 612}}), "`bureau.scor`: did you mean `score`?"),
        (json!({"bureau": {"score": 612.5}}), "`bureau.score`: expected a whole number"),
        (json!({"bureau": {"since": "01-03-2026"}}), "`bureau.since`: expected a date such as"),
        (json!({"bureau": {"share": "half"}}), "`bureau.share`: expected a number"),
        (json!({"bureau": {"clean": 1}}), "`bureau.clean`: expected true or false"),
        (json!({"bureau": {"grade": 1}}), "`bureau.grade`: expected text"),
        (json!({"bureau": [1]}), "expected an object"),
    ];
    for (body, expected) in wrong {
        let said = asked(&policy, body.clone()).unwrap_err();
        assert!(said.contains(expected), "{body}: {said}");
    }
    let twice = Request::from_json(&policy, br#"{"bureau": {"score": 1, "score": 2}}"#).unwrap_err().to_string();
    assert!(twice.contains("`score` appears twice"), "{twice}");
}
