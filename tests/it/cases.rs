//! The cases beside the rule files that ship: `rules/NAME.cases.toml` says what `rules/NAME.toml` makes of whom.
//!
//! A case writes its records compactly: one record (`on`), or one that comes again (`from`, `times`, `every`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lendwright::decision::{Decision, Request, decide, reading};
use lendwright::files::load_policy;
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use lendwright::words::date::Day;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    /// Records by name, for cases that share them.
    #[serde(default)]
    records: BTreeMap<String, Vec<Entry>>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    as_of: String,
    /// Names under `[records]`.
    #[serde(default)]
    records: Vec<String>,
    /// Records of this case alone.
    #[serde(default)]
    also: Vec<Entry>,
    #[serde(default)]
    request: Map<String, Value>,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    expect: Expect,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    on: Option<String>,
    from: Option<String>,
    times: Option<u32>,
    /// `month`, `week`, or a number of days.
    every: Option<toml::Value>,
    credit: Option<f64>,
    debit: Option<f64>,
    balance: Option<f64>,
    desc: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    outcome: String,
    /// Every reason, in order.
    #[serde(default)]
    reasons: Vec<String>,
    score: Option<f64>,
    #[serde(default)]
    grade: Map<String, Value>,
    #[serde(default)]
    metrics: Map<String, Value>,
    #[serde(default)]
    unknown: BTreeMap<String, String>,
    /// Every offer: tenure, amountOffered, amountPayable.
    #[serde(default)]
    offers: Vec<(u32, i64, i64)>,
}

fn rules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

/// Rule files that are policies, with their cases.
fn policies() -> Vec<(String, PathBuf, Cases)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(rules()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".toml").filter(|stem| !stem.ends_with(".cases")) else { continue };
        if !std::fs::read_to_string(&path).unwrap().contains("\n[policy]\n") {
            continue;
        }
        let cases = rules().join(format!("{stem}.cases.toml"));
        let text = std::fs::read_to_string(&cases).unwrap_or_else(|_| panic!("{name} has no {stem}.cases.toml"));
        let cases = toml::from_str(&text).unwrap_or_else(|wrong| panic!("{stem}.cases.toml: {wrong}"));
        found.push((stem.to_owned(), path, cases));
    }
    found.sort_by(|left, right| left.0.cmp(&right.0));
    let stray = std::fs::read_dir(rules()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for name in stray.filter_map(|name| name.strip_suffix(".cases.toml").map(str::to_owned)) {
        assert!(found.iter().any(|(stem, ..)| *stem == name), "{name}.cases.toml is beside no policy {name}.toml");
    }
    found
}

fn step(day: Day, every: &toml::Value) -> Day {
    let (year, month, date) = day.ymd();
    match every {
        toml::Value::String(word) if word == "week" => Day::from_days(day.days() + 7),
        toml::Value::String(word) if word == "month" => {
            let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            // The 31st of a shorter month is its last day.
            (0..4).find_map(|less| Day::from_ymd(year, month, date - less)).unwrap()
        }
        toml::Value::Integer(days) => Day::from_days(day.days() + *days as i32),
        other => panic!("`every` is \"month\", \"week\" or a number of days, not {other:?}"),
    }
}

fn days(entry: &Entry) -> Vec<Day> {
    let day = |text: &String| Day::parse_iso(text).unwrap_or_else(|| panic!("`{text}` is no date"));
    match (&entry.on, &entry.from, entry.times, &entry.every) {
        (Some(on), None, None, None) => vec![day(on)],
        (None, Some(from), Some(times), Some(every)) => {
            // Counted from the first, so that a month end stays one.
            let first = day(from);
            let months = matches!(every, toml::Value::String(word) if word == "month");
            let mut at = first;
            let mut days = Vec::new();
            for _ in 0..times {
                days.push(at);
                at = step(at, every);
                if months {
                    let (year, month, _) = at.ymd();
                    at = (0..4).find_map(|less| Day::from_ymd(year, month, first.ymd().2 - less)).unwrap();
                }
            }
            days
        }
        _ => panic!("a record has `on`, or `from`, `times` and `every`: {}", entry.desc),
    }
}

fn statement(cases: &Cases, case: &Case) -> String {
    let named = case.records.iter().flat_map(|name| {
        cases.records.get(name).unwrap_or_else(|| panic!("{}: no records `{name}`", case.name)).iter()
    });
    let mut records = Vec::new();
    for entry in named.chain(&case.also) {
        for day in days(entry) {
            records.push(json!({
                "id": format!("r{}", records.len()), "customer": "case", "trans_date": day.to_string(),
                "credit": entry.credit, "debit": entry.debit, "balance": entry.balance, "notes": {"desc": entry.desc},
            }));
        }
    }
    json!({"status": "success", "data": {"transactions": records}}).to_string()
}

fn decided(path: &Path, cases: &Cases, case: &Case) -> (Policy, Decision) {
    let overrides: Vec<_> = case.parameters.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let policy = load_policy(path, &overrides).unwrap_or_else(|refused| panic!("{refused}"));
    let statements = read_json(statement(cases, case).as_bytes(), "case", &reading(&policy)).unwrap();
    let mut request = Request::on(Day::parse_iso(&case.as_of).unwrap());
    for (name, value) in &case.request {
        request.set(&policy, name, value.clone()).unwrap();
    }
    let decision = decide(&policy, &statements, &request).unwrap().remove(0);
    (policy, decision)
}

fn differences(expect: &Expect, decision: &Decision) -> Vec<String> {
    let mut found = Vec::new();
    let mut hold = |what: &str, expected: Value, actual: Value| {
        let near = match (expected.as_f64(), actual.as_f64()) {
            (Some(expected), Some(actual)) => (expected - actual).abs() <= 1e-6 * expected.abs().max(1.0),
            _ => expected == actual,
        };
        if !near {
            found.push(format!("    {what}: {expected} is expected, {actual} it is"));
        }
    };
    hold("outcome", json!(expect.outcome), json!(decision.outcome));
    hold("reasons", json!(expect.reasons), decision.reasons.iter().map(|reason| json!(reason.id)).collect());
    if let Some(score) = expect.score {
        hold("score", json!(score), json!(decision.score));
    }
    for (name, value) in &expect.grade {
        hold(name, value.clone(), decision.grade.get(name).cloned().unwrap_or(json!("no such output")));
    }
    for (name, value) in &expect.metrics {
        hold(name, value.clone(), decision.metrics.get(name).cloned().unwrap_or(json!("no such metric")));
    }
    for (name, reason) in &expect.unknown {
        hold(name, json!(reason), json!(decision.unknown.get(name)));
    }
    let offers = decision.offers.iter().map(|offer| json!([offer.tenure, offer.amount_offered, offer.amount_payable]));
    hold("offers", json!(expect.offers), offers.collect());
    found
}

#[test]
fn every_case_of_every_policy_comes_out_as_it_says() {
    let mut wrong = Vec::new();
    for (name, path, cases) in policies() {
        assert!(!cases.case.is_empty(), "{name}.cases.toml holds no case");
        for case in &cases.case {
            let (_, decision) = decided(&path, &cases, case);
            let found = differences(&case.expect, &decision);
            if !found.is_empty() {
                wrong.push(format!("{name}: {}\n{}\n    in all: {}", case.name, found.join("\n"), decision.to_line()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_cases_reach_every_requirement_grade_and_tenure() {
    for (name, path, cases) in policies() {
        let (mut reached, mut all) = (BTreeSet::new(), BTreeSet::new());
        // Of a statement without records nearly all is unknown: each requirement says there what it does then.
        let empty = |case: &Case| case.records.is_empty() && case.also.is_empty();
        assert!(cases.case.iter().any(empty), "no case of {name} has an empty statement");
        for case in &cases.case {
            let (policy, decision) = decided(&path, &cases, case);
            reached.insert(format!("outcome {}", json!(decision.outcome)));
            reached.extend(decision.reasons.iter().map(|reason| format!("reason {}", reason.id)));
            reached.extend(decision.offers.iter().map(|offer| format!("tenure {}", offer.tenure)));
            reached.extend(decision.grade.get("grade").map(|grade| format!("grade {grade}")));
            let written: toml::Table = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            all.extend(["offer", "refer", "decline"].map(|outcome| format!("outcome \"{outcome}\"")));
            all.extend(ids(&written, "require").map(|id| format!("reason {id}")));
            for offer in list(&written, "offer") {
                match &offer["tenure"] {
                    toml::Value::Array(tenures) => all.extend(tenures.iter().map(tenure_of)),
                    tenure => all.extend([tenure_of(tenure)]),
                }
            }
            let tables = written["table"].as_table().unwrap().values();
            let rows = tables.flat_map(|table| table["rows"].as_array().unwrap());
            let graded = rows.flat_map(|row| row.as_array().unwrap()).filter_map(toml::Value::as_str);
            all.extend(
                graded.filter(|cell| ["A", "B", "C", "D"].contains(cell)).map(|cell| format!("grade \"{cell}\"")),
            );
            assert!(policy.warnings().is_empty(), "{name} compiles with warnings");
        }
        let missing: Vec<_> = all.difference(&reached).collect();
        assert!(missing.is_empty(), "no case of {name} has {missing:?}");
    }
}

fn list<'t>(file: &'t toml::Table, key: &str) -> impl Iterator<Item = &'t toml::Table> {
    file[key].as_array().unwrap().iter().filter_map(toml::Value::as_table)
}

fn ids<'t>(file: &'t toml::Table, key: &str) -> impl Iterator<Item = &'t str> {
    list(file, key).filter_map(|item| item["id"].as_str())
}

fn tenure_of(value: &toml::Value) -> String {
    format!("tenure {}", value.as_integer().unwrap())
}

/// Outcomes of one policy on the statements of a folder.
fn outcomes(policy: &str, folder: &Path) -> BTreeSet<String> {
    let policy = load_policy(rules().join(policy), &[]).unwrap_or_else(|refused| panic!("{refused}"));
    let mut outcomes = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let statements =
            read_json(&std::fs::read(entry.unwrap().path()).unwrap(), "made up", &reading(&policy)).unwrap();
        for decision in decide(&policy, &statements, &Request::default()).unwrap() {
            outcomes.insert(json!(decision.outcome).to_string());
        }
    }
    outcomes
}

#[test]
fn every_policy_takes_some_refers_some_and_declines_some_of_the_people_made_up() {
    let desk = tempfile::tempdir().unwrap();
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_lendwright"))
        .args(["generate", "--statements", "120", "--records", "300", "--seed", "3", "--out"])
        .arg(desk.path())
        .status();
    assert!(made.unwrap().success());
    for (name, ..) in policies() {
        let outcomes: Vec<String> = outcomes(&format!("{name}.toml"), desk.path()).into_iter().collect();
        assert_eq!(outcomes, ["\"decline\"", "\"offer\"", "\"refer\""], "{name}");
    }
}
