//! Runs cases: the decisions, how they differ from what is expected, and which parts of the policy they reach. Prints
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use super::cases::{Case, CaseError, Cases};
use super::expect::{CounterExpected, CounterParts, Expect};
use super::expectations::check_expectations;
use super::mistakes::Slip;
use super::records;
use super::units::Units;
use crate::base::date::Day;
use crate::base::rational::Rational;
use crate::engine::decision::{
    Decision, OfferRecord, PartOf, ReadyPlan, Request, decide, find_reached_parts, list_policy_parts,
    locate_policy_parts, reading,
};
use crate::rules::{Policies, PolicySet};
use crate::run::files::{load_policies, read_statements};
use crate::statement::{Statements, read_json};

/// One difference between a decision and what its case expects.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What: `outcome`, a metric's name and so on.
    pub what: String,
    /// The keys under `[case.expect]` that lead to it.
    pub keys: Vec<String>,
    /// What the case expects.
    pub expected: Value,
    /// What the decision has.
    pub found: ActualValue,
}

/// What a decision has where a case expects something.
#[derive(Clone, Debug, PartialEq)]
pub enum ActualValue {
    /// A value; null if unknown.
    Value(Value),
    /// Nothing, with the reason: no such name, or no reason to give.
    Nothing(&'static str),
}

impl std::fmt::Display for ActualValue {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ActualValue::Value(value) => write!(out, "{value}"),
            ActualValue::Nothing(why) => out.write_str(why),
        }
    }
}

/// The result of one case.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The index of the case in the file, from 0.
    pub number: usize,
    /// The case's name.
    pub name: String,
    /// How the decision differs; empty if it is as expected.
    pub differences: Vec<Difference>,
    /// The decision.
    pub decision: Decision,
    /// The units of its policy.
    pub(super) units: Units,
}

/// The results of all cases of a policy.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Each case, in the file's order.
    pub tried: Vec<Tried>,
    /// The parts of the policy, in its order.
    pub parts: Vec<PartOf>,
    /// The parts that were reached, and by how many cases.
    pub reached: BTreeMap<PartOf, usize>,
    /// The file and line of each part.
    pub places: Vec<(PartOf, String, usize)>,
    /// The names of the policy's versions.
    pub versions: Vec<String>,
}

impl Trial {
    /// A part in words, with its version if there are several.
    pub fn label(&self, part: &PartOf) -> String {
        match self.versions.as_slice() {
            [_] | [] => part.part.to_string(),
            many => format!("{}: {}", many[part.version], part.part),
        }
    }
}

/// Runs the cases of a file on a policy.
///
/// # Errors
/// If the policy has mistakes, a case makes no sense, or a case expects what its policy cannot give. A case whose
/// decision differs is no error.
pub fn try_cases(policy: &Path, file: &Path, cases: &Cases) -> Result<Trial, CaseError> {
    run_cases(policy, file, cases, true)
}

/// Runs cases whose expectations are about to be rewritten, without checking the current expectations.
///
/// # Errors
/// As [`try_cases`], except for mistakes in expectations.
pub fn try_for_update(policy: &Path, file: &Path, cases: &Cases) -> Result<Trial, CaseError> {
    run_cases(policy, file, cases, false)
}

fn run_cases(policy: &Path, file: &Path, cases: &Cases, checks_expectations: bool) -> Result<Trial, CaseError> {
    // Cases test the policy itself, so challengers do not matter.
    let own = load_policies(policy, &[])?.without_challengers();
    let mut slips = if checks_expectations { check_expectations(cases, &own) } else { Vec::new() };
    if !slips.is_empty() {
        return Err(CaseError::Refused(cases.refuse(slips)));
    }
    let versions = own.policies().iter().map(|version| version.header().version.clone()).collect();
    let (parts, places) = (list_policy_parts(&own), locate_policy_parts(&own));
    let mut trial = Trial { tried: Vec::new(), parts, reached: BTreeMap::new(), places, versions };
    for case in &cases.case {
        let policy = with_parameters(policy, &own, case)?;
        let (decision, reached) = match run_case(&policy, file, cases, case) {
            Ok(outcome) => outcome,
            Err((keys, message)) => {
                slips.push(Slip { case: case.number, name: case.name.clone(), keys, message, help: None });
                continue;
            }
        };
        for part in reached {
            *trial.reached.entry(part).or_default() += 1;
        }
        let units = Units::of_version(&policy, decision.policy.digest);
        let differences = compare_with_expected(&case.expect, &decision, &units);
        trial.tried.push(Tried { number: case.number, name: case.name.clone(), differences, decision, units });
    }
    if slips.is_empty() { Ok(trial) } else { Err(CaseError::Refused(cases.refuse(slips))) }
}

/// The keys that lead to a mistake in a case, and the message.
type Wrong = (Vec<String>, String);

/// A mistake under one key.
fn mistake_under_key(key: &str) -> impl Fn(String) -> Wrong {
    move |message| (vec![key.to_owned()], message)
}

fn run_case(policy: &Policies, file: &Path, cases: &Cases, case: &Case) -> Result<TrialResult, Wrong> {
    let request = request_of_case(policy, case)?;
    match case.metrics.is_empty() {
        true => run_on_statement(policy, file, cases, case, &request),
        false => run_on_metrics(policy, case, &request),
    }
}

type TrialResult = (Decision, BTreeSet<PartOf>);

fn run_on_statement(
    policy: &Policies,
    file: &Path,
    cases: &Cases,
    case: &Case,
    request: &Request,
) -> Result<TrialResult, Wrong> {
    let wrong = |error: crate::engine::decision::Error| (Vec::new(), error.to_string());
    let statements = statements_of_case(policy, file, cases, case)?;
    let decisions = decide(policy, &statements, request).map_err(wrong)?;
    let reached = find_reached_parts(policy, &statements, request).map_err(wrong)?;
    let [decision] = <[Decision; 1]>::try_from(decisions).map_err(|decisions| {
        mistake_under_key("statement")(format!("{} statements; a case has exactly one", decisions.len()))
    })?;
    Ok((decision, reached))
}

fn run_on_metrics(policies: &Policies, case: &Case, request: &Request) -> Result<TrialResult, Wrong> {
    let wrong = |message: String| mistake_under_key("metrics")(message);
    if case.statement.is_some() || !case.records.is_empty() || !case.also.is_empty() {
        return Err(wrong("it has `metrics` and records; give one of them".to_owned()));
    }
    let (policy, _) = policies.policy_for(request.as_of, None);
    let names: Vec<&str> = case.metrics.keys().map(String::as_str).collect();
    let plan = ReadyPlan::new(policy, &names).map_err(|error| wrong(error.to_string()))?;
    let metrics = Units::of(policy).in_minor(&case.metrics);
    let metrics = metrics.map_err(|(name, message)| (vec!["metrics".to_owned(), name], message))?;
    let mut rows = plan.rows();
    rows.push_json("case", Some("case"), &metrics).map_err(|error| wrong(error.to_string()))?;
    let message = |error: crate::engine::decision::Error| wrong(error.to_string());
    let version = policies.policies().iter().position(|version| std::ptr::eq(*version, policy));
    // `policy_for` chooses among `policies`.
    let version = version.expect("INVARIANT: the chosen policy is one of the set");
    let reached = plan.reached(rows.clone(), request).map_err(message)?.into_iter().flatten();
    let reached = reached.map(|part| PartOf { version, part }).collect();
    let mut decisions = plan.decide(rows, request).map_err(message)?;
    Ok((decisions.remove(0), reached))
}

fn with_parameters(path: &Path, own: &Policies, case: &Case) -> Result<Policies, CaseError> {
    if case.parameters.is_empty() {
        return Ok(own.clone());
    }
    let overrides: Vec<_> = case.parameters.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    Ok(load_policies(path, &overrides)?.without_challengers())
}

fn statements_of_case(policy: &Policies, file: &Path, cases: &Cases, case: &Case) -> Result<Statements, Wrong> {
    if let Some(statement) = &case.statement {
        if !case.records.is_empty() || !case.also.is_empty() {
            return Err(mistake_under_key("statement")(
                "it has a `statement` and records; give one of them".to_owned(),
            ));
        }
        let path = file.parent().unwrap_or(Path::new("")).join(statement);
        let read = read_statements(&path, &reading(policy), None);
        return read.map_err(|error| mistake_under_key("statement")(error.to_string()));
    }
    let mut entries = Vec::new();
    for (number, name) in case.records.iter().enumerate() {
        let none = || (vec!["records".to_owned(), number.to_string()], format!("there are no [[records.{name}]]"));
        entries.extend(cases.records.get(name).ok_or_else(none)?);
    }
    entries.extend(&case.also);
    // Records can be shared between cases, so the message says which of them is at fault.
    let unclear = |message: String| (Vec::new(), message);
    let body = records::build_case_statement(entries).map_err(unclear)?;
    read_json(body.as_bytes(), "case", &reading(policy)).map_err(|error| unclear(error.to_string()))
}

fn request_of_case(policy: &Policies, case: &Case) -> Result<Request, Wrong> {
    let mut request = Request::default();
    if let Some(day) = &case.as_of {
        let parsed = Day::parse_iso(day);
        request.as_of = Some(
            parsed
                .ok_or_else(|| mistake_under_key("as_of")(format!("`{day}` is not a day; write it as 2026-06-30")))?,
        );
    }
    for (name, value) in &case.request {
        let keys = || vec!["request".to_owned(), name.clone()];
        request.set_written(policy, name, value.clone()).map_err(|error| (keys(), error.to_string()))?;
    }
    Ok(request)
}

pub(super) fn compare_with_expected(expect: &Expect, decision: &Decision, units: &Units) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut compare = |what: &str, keys: &[&str], expected: Value, actual: ActualValue| {
        // Tenures must be equal, whatever the tolerance.
        let tolerance = if keys == ["counter_offer", "tenure"] { 0.0 } else { expect.tolerance };
        let agrees = |actual: &Value| {
            is_within(&expected, actual, tolerance)
                && (keys != ["offers"] || tenures_of_offers(&expected) == tenures_of_offers(actual))
        };
        if !matches!(&actual, ActualValue::Value(actual) if agrees(actual)) {
            let keys = keys.iter().map(|key| (*key).to_owned()).collect();
            found.push(Difference { what: what.to_owned(), keys, expected, found: actual });
        }
    };
    let known = |value: Option<&Value>, nothing| {
        value.map_or(ActualValue::Nothing(nothing), |value| ActualValue::Value(value.clone()))
    };
    let named = |all: &BTreeMap<String, Value>, name: &str| all.get(name).map(|value| units.written(name, value));
    compare("outcome", &["outcome"], json!(expect.outcome), ActualValue::Value(json!(decision.outcome)));
    let reasons = decision.reasons.iter().map(|reason| json!(reason.id)).collect();
    compare("reasons", &["reasons"], json!(expect.reasons), ActualValue::Value(reasons));
    if let Some(score) = &expect.score {
        compare("score", &["score"], score.clone(), ActualValue::Value(json!(decision.score)));
    }
    if let Some(lost) = &expect.points_lost {
        let codes = decision.points_lost.iter().map(|lost| json!(lost.id)).collect();
        compare("points_lost", &["points_lost"], json!(lost), ActualValue::Value(codes));
    }
    for (name, value) in &expect.grade {
        compare(name, &["grade", name], value.clone(), known(named(&decision.grade, name).as_ref(), "no such output"));
    }
    for (name, value) in &expect.metrics {
        compare(
            name,
            &["metrics", name],
            value.clone(),
            known(named(&decision.metrics, name).as_ref(), "no such metric"),
        );
    }
    for (name, reason) in &expect.unknown {
        let why = format!("{name}, unknown for");
        let actual = decision.unknown.get(name).map(|why| json!(why));
        compare(&why, &["unknown", name], json!(reason), known(actual.as_ref(), "no reason: it is known"));
    }
    let amount = |minor: i64| units.amount(minor);
    for (key, expected, actual) in parts_of_offers(expect, decision, units) {
        compare(key, &[key], expected, ActualValue::Value(actual));
    }
    let counter = decision.counter_offer.as_ref().map(|made| {
        let (amount, limited_by) = (Some(amount(made.amount)), Some(made.limited_by.clone()));
        json!(CounterParts { amount, tenure: Some(made.tenure), limited_by })
    });
    match (&expect.counter_offer, counter) {
        (None, _) => {}
        (Some(CounterExpected::Parts(parts)), Some(made)) => {
            for (key, value) in json!(parts).as_object().into_iter().flatten() {
                let what = format!("counter_offer.{key}");
                compare(&what, &["counter_offer", key], value.clone(), known(made.get(key), ""));
            }
        }
        (Some(expected), made) => {
            let expected = match expected {
                CounterExpected::No => json!(false),
                CounterExpected::Parts(parts) => json!(parts),
            };
            compare("counter_offer", &["counter_offer"], expected, ActualValue::Value(made.unwrap_or(json!(false))));
        }
    }
    found
}

/// The offers, and the parts of them that a case mentions: the key, what is expected of all offers, and what it is.
fn parts_of_offers(expect: &Expect, decision: &Decision, units: &Units) -> Vec<(&'static str, Value, Value)> {
    let all = |part: &dyn Fn(&OfferRecord) -> Value| decision.offers.iter().map(part).collect::<Value>();
    let amounts = |offer: &OfferRecord| {
        json!([offer.tenure, units.amount(offer.amount_offered), units.amount(offer.amount_payable)])
    };
    let mut parts = vec![("offers", json!(expect.offers), all(&amounts))];
    let mut add = |key, expected: &Option<Vec<serde_json::Number>>, part: &dyn Fn(&OfferRecord) -> Value| {
        parts.extend(expected.as_ref().map(|expected| (key, json!(expected), all(part))));
    };
    let fee = |offer: &OfferRecord| offer.fee;
    add("fees", &expect.fees, &|offer| units.amount(fee(offer)));
    add("paid_out", &expect.paid_out, &|offer| {
        units.amount(offer.amount_offered - if units.deducts_fee { fee(offer) } else { 0 })
    });
    add("aprs", &expect.aprs, &|offer| json!(offer.apr));
    parts
}

/// The tenures of a list of offers.
fn tenures_of_offers(offers: &Value) -> Vec<&Value> {
    offers.as_array().into_iter().flatten().filter_map(|offer| offer.get(0)).collect()
}

/// The exact value of a number as written.
fn exact_value_of(number: &serde_json::Number) -> Option<Rational> {
    Rational::parse(&number.to_string())
}

fn exact_distance(left: &Rational, right: &Rational) -> Option<Rational> {
    Some(left.minus(right)?.absolute())
}

/// Whether a value is as expected. Numbers may differ by the tolerance; anything else must be equal.
fn is_within(expected: &Value, found: &Value, tolerance: f64) -> bool {
    match (expected, found) {
        (Value::Number(left), Value::Number(right)) => {
            expected == found
                || exact_value_of(left).zip(exact_value_of(right)).is_some_and(|(left, right)| {
                    let size = left.absolute().max(Rational::ONE);
                    let most = Rational::from_f64(tolerance).and_then(|tolerance| tolerance.times(&size));
                    exact_distance(&left, &right).zip(most).is_some_and(|(distance, most)| distance <= most)
                })
        }
        // `{ value = 0.31, within = 0.01 }`
        (Value::Object(expected), Value::Number(found)) => {
            let number = |key: &str| expected.get(key)?.as_number().and_then(exact_value_of);
            let distance =
                number("value").zip(exact_value_of(found)).and_then(|(value, found)| exact_distance(&value, &found));
            distance.zip(number("within")).is_some_and(|(distance, within)| distance <= within)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_within(left, right, tolerance))
        }
        _ => expected == found,
    }
}
