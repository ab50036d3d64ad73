//! Random policies and people, decided by lendwright and by the reference, and compared: every difference is a finding.

use std::collections::BTreeMap;

use lendwright::decision::{Decision, ReadyPlan, Request, decide, reading};
use lendwright::words::date::Day;
use lendwright::{Policy as Compiled, Statements, compile, read_json};
use serde_json::{Value as Json, json};

use super::evaluate::{Counter, Expected, Known, code, expected};
use super::model::{Effect, INPUTS, Kind, Person, Policy, Value};
use super::names::Sort;
use super::{generate, people, text, values as written};
use crate::random::Source;

/// What a campaign has been through.
#[derive(Default, Debug)]
pub struct Tally {
    pub policies: u64,
    /// Tables whose rows overlap, bins that ask for nothing: refused for what a random table may well have.
    pub refused: BTreeMap<String, u64>,
    pub cases: u64,
    pub outcomes: BTreeMap<String, u64>,
    /// Why something was unknown.
    pub unknown: BTreeMap<String, u64>,
}

/// Mistakes that a random policy may have: rows that overlap, a range of nothing, a step that is a parameter of 0 or less.
const EXPECTED: [&str; 3] = ["overlap", "cell", "offer"];

/// One policy and so many people. The error tells a difference in full.
pub fn one(source: &mut Source, people: usize, tally: &mut Tally) -> Result<(), String> {
    let (policy, constants) = generate::policy(source);
    let Some((rules, compiled)) = compiled(&policy, tally)? else { return Ok(()) };
    tally.policies += 1;
    // People who bring metrics are decided on together, for one day.
    let together = if policy.is_ready { 1 + source.below(20) } else { 1 };
    for first in (0..people).step_by(together) {
        let mut group: Vec<Person> =
            (first..people.min(first + together)).map(|_| people::person(source, &constants)).collect();
        let day = group[0].as_of;
        group.iter_mut().for_each(|person| person.as_of = day);
        let decisions = decisions(&policy, &compiled, &group)?;
        for (person, decision) in group.iter().zip(&decisions) {
            let wrong = differences(&policy, &expected(&policy, person), decision);
            if !wrong.is_empty() {
                return Err(format!("{}\n--- {}\n--- {rules}", wrong.join("\n"), written::request(&policy, person)));
            }
            tally.note(decision);
        }
    }
    Ok(())
}

/// What lendwright makes of people who are decided on together.
pub fn decisions(policy: &Policy, compiled: &Compiled, people: &[Person]) -> Result<Vec<Decision>, String> {
    if !policy.is_ready {
        let statement = empty(compiled)?;
        return people.iter().map(|person| decision(compiled, &statement, &written::request(policy, person))).collect();
    }
    let names: Vec<&str> = INPUTS.iter().map(|(name, _)| *name).collect();
    let plan = ReadyPlan::new(compiled, &names).map_err(|error| error.to_string())?;
    let day = written::day(people.first().and_then(|person| person.as_of));
    let request = Request::from_json(compiled, day.as_bytes()).map_err(|error| error.to_string())?;
    let mut rows = plan.rows();
    for person in people {
        let values =
            person.inputs.iter().zip(INPUTS).map(|(value, (_, kind))| value.as_ref().map(|value| ready(kind, value)));
        rows.push("one", None, values.collect()).map_err(|error| error.to_string())?;
    }
    plan.decide(rows, &request).map_err(|error| error.to_string())
}

fn ready(kind: Kind, value: &Value) -> lendwright::rules::Value {
    use lendwright::rules::Value as Ready;
    match value {
        Value::Whole(value) if kind.is_float() => Ready::Float(*value as f64),
        Value::Whole(value) => Ready::Int(*value),
        Value::Float(value) => Ready::Float(*value),
        Value::Truth(value) => Ready::Boolean(*value),
        Value::Text(text) => Ready::Text(text.clone()),
        Value::List(values) => {
            Ready::List(values.iter().map(|value| ready(kind.item().unwrap_or(kind), value)).collect())
        }
    }
}

impl Tally {
    fn note(&mut self, decision: &Decision) {
        self.cases += 1;
        let outcome = format!("{:?}", decision.outcome).to_lowercase();
        *self.outcomes.entry(outcome).or_default() += 1;
        for why in decision.unknown.values() {
            let kind = ["missing_request", "missing_bureau", "no_value_yet", "no_row", "many_rows", "no_bin"]
                .into_iter()
                .find(|kind| why.starts_with(kind));
            *self.unknown.entry(kind.unwrap_or(why).to_owned()).or_default() += 1;
        }
    }
}

/// The rule file of a policy, compiled; nothing where it was refused for what a random policy may have.
pub fn compiled(policy: &Policy, tally: &mut Tally) -> Result<Option<(String, Compiled)>, String> {
    let files = text::files(policy, None);
    let rules = shown_files(&files);
    let (name, main) = files.last().expect("the policy itself");
    let mut read = |path: &str| {
        let found = files.iter().find(|(known, _)| known == path);
        found.map(|(_, text)| text.clone()).ok_or_else(|| "no such file".to_owned())
    };
    match compile(name, main, &mut read, &text::given(policy)) {
        Ok(compiled) => Ok(Some((rules, compiled))),
        Err(refused) => {
            let errors =
                refused.diagnostics.iter().filter(|one| one.severity == lendwright::words::diagnostic::Severity::Error);
            for error in errors {
                if !EXPECTED.contains(&error.code) {
                    return Err(format!("{refused}\n--- {rules}"));
                }
                *tally.refused.entry(error.code.to_owned()).or_default() += 1;
            }
            Ok(None)
        }
    }
}

fn shown_files(files: &[(String, String)]) -> String {
    files.iter().rev().map(|(path, text)| format!("# {path}\n{text}\n")).collect()
}

/// A statement without records: all that is asked about comes with the request.
pub fn empty(policy: &Compiled) -> Result<Statements, String> {
    let body = br#"{"status": "success", "data": {"transactions": []}}"#;
    read_json(body, "random", &reading(policy)).map_err(|error| error.to_string())
}

/// What lendwright makes of a request.
pub fn decision(policy: &Compiled, statement: &Statements, request: &str) -> Result<Decision, String> {
    let request = Request::from_json(policy, request.as_bytes()).map_err(|error| error.to_string())?;
    let mut decisions = decide(policy, statement, &request).map_err(|error| error.to_string())?;
    decisions.pop().ok_or_else(|| "no decision".to_owned())
}

/// Everything in which a decision is not what is expected.
pub fn differences(policy: &Policy, expected: &Expected, decision: &Decision) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut hold = |what: String, expected: String, found: String| {
        if expected != found {
            wrong.push(format!("{what}: the reference says {expected}, lendwright {found}"));
        }
    };
    let found = format!("{:?}", decision.outcome).to_lowercase();
    hold("outcome".into(), expected.outcome.to_owned(), found);
    let said = |effect: &dyn std::fmt::Debug| format!("{effect:?}").to_lowercase();
    let found = decision.reasons.iter().map(|reason| format!("{} {}", reason.id, said(&reason.effect)));
    let wanted = expected.reasons.iter().map(|(id, effect, _)| format!("{id} {}", said(effect as &Effect)));
    hold("reasons".into(), wanted.collect::<Vec<_>>().join(", "), found.collect::<Vec<_>>().join(", "));
    for ((id, _, why), reason) in expected.reasons.iter().zip(&decision.reasons) {
        let found =
            reason.text.rsplit_once('(').map(|(_, end)| end.trim_end_matches(')').trim_start_matches("not known: "));
        let why = why.as_ref().map(|why| code(policy, why));
        if reason.id == "INPUT_MISSING" {
            let path = |at: &usize| format!("{}.{}", written::source(policy.bureau[*at]), INPUTS[*at].0);
            let wanted = expected.missing.iter().map(path).collect::<Vec<_>>().join(", ");
            let are = if expected.missing.len() == 1 { "is" } else { "are" };
            hold("missing".into(), format!("{wanted} {are} required and not given"), reason.text.clone());
        }
        // A bin is named by its expression, which may have brackets of its own.
        if !why.as_ref().is_some_and(|why| why.starts_with("no_bin_for") && reason.text.contains(why.as_str())) {
            hold(format!("why {id}"), format!("{why:?}"), format!("{:?}", found.map(str::to_owned)));
        }
    }
    values(policy, expected, decision, &mut hold);
    let wanted = expected.points_lost.iter().map(|(item, lost)| format!("S{item} item {item} {lost}"));
    let found = decision.points_lost.iter().map(|one| format!("{} {} {}", one.id, one.text, one.lost));
    hold("points lost".into(), wanted.collect::<Vec<_>>().join(", "), found.collect::<Vec<_>>().join(", "));
    let found = decision.counter_offer.as_ref().map(|found| Counter {
        asked_amount: found.asked_amount,
        asked_tenure: found.asked_tenure,
        amount: found.amount,
        tenure: found.tenure,
        limited_by: found.limited_by.clone(),
    });
    hold("counter-offer".into(), format!("{:?}", expected.counter), format!("{found:?}"));
    let offers = |list: Vec<String>| list.join("; ");
    let wanted = expected.offers.iter().map(|offer| {
        let expires = format!("{}T00:00:00Z", Day::from_days(offer.expires as i32));
        format!("{} {} {} {} {} {expires}", offer.tenure, offer.amount, offer.interest, offer.payable, offer.fee)
    });
    let found = decision.offers.iter().map(|offer| {
        let (amount, payable) = (offer.amount_offered, offer.amount_payable);
        format!("{} {amount} {} {payable} {} {}", offer.tenure, offer.interest, offer.fee, offer.expiry_date)
    });
    hold("offers".into(), offers(wanted.collect()), offers(found.collect()));
    wrong
}

/// Metrics, outputs of tables and the score, each with why it is unknown.
fn values(policy: &Policy, expected: &Expected, decision: &Decision, hold: &mut dyn FnMut(String, String, String)) {
    let mut named = |name: String, kind: Kind, wanted: &Known<Value>, found: Option<&Json>| {
        let why = decision.unknown.get(&name);
        match wanted {
            Ok(value) => hold(name, format!("{value:?}"), shown(kind, value, found, why)),
            Err(unknown) => {
                let found = format!("{:?}, {why:?}", found.unwrap_or(&Json::Null));
                hold(name, format!("{:?}, {:?}", Json::Null, Some(&code(policy, unknown))), found);
            }
        }
    };
    for (at, (metric, wanted)) in policy.metrics.iter().zip(&expected.metrics).enumerate() {
        let name = policy.whole_name(Sort::Metric, at);
        let found = decision.metrics.get(&name);
        // Of ready metrics only what the policy asks for is worked out.
        if !(policy.is_ready && found.is_none() && !decision.unknown.contains_key(&name)) {
            named(name, metric.kind, wanted, found);
        }
    }
    for (at, (table, wanted)) in policy.tables.iter().zip(&expected.outputs).enumerate() {
        for (column, wanted) in wanted.iter().enumerate() {
            let name = format!("{}_{column}", policy.whole_name(Sort::Table, at));
            let found = decision.grade.get(&name);
            named(name, table.kind(column), wanted, found);
        }
    }
    let score = expected.score.clone().map(|score| score.map(Value::Float));
    match (&score, decision.score) {
        (Some(wanted), found) => named("score".into(), Kind::Number, wanted, found.map(Json::from).as_ref()),
        (None, found) => hold("score".into(), "none".into(), found.map_or("none".into(), |score| score.to_string())),
    }
}

/// What lendwright found, as the reference would say it where the two are the same.
fn shown(kind: Kind, wanted: &Value, found: Option<&Json>, why: Option<&String>) -> String {
    let other = || format!("{found:?} {why:?}");
    let Some(found) = found.filter(|_| why.is_none()) else { return other() };
    let same = match wanted {
        Value::Whole(days) if kind == Kind::Date => found.as_str() == Some(&Day::from_days(*days as i32).to_string()),
        Value::Whole(value) => found.as_i64() == Some(*value),
        // Exactly, but for the sign of zero, which nobody reads.
        Value::Float(value) => found.as_f64() == Some(*value),
        Value::Truth(value) => found.as_bool() == Some(*value),
        Value::Text(text) => found.as_str() == Some(text),
        Value::List(values) => found.as_array().is_some_and(|found| {
            // Whole numbers in a list of numbers are numbers.
            let alike = |(value, one): (&Value, &Json)| match value {
                Value::Whole(whole) if one.is_f64() => one.as_f64() == Some(*whole as f64),
                value => shown(kind.item().unwrap_or(kind), value, Some(one), None) == format!("{value:?}"),
            };
            values.len() == found.len() && values.iter().zip(found).all(alike)
        }),
    };
    if same { format!("{wanted:?}") } else { other() }
}

/// What a decision comes to, without what is empty.
pub fn kept(decision: &Decision) -> Json {
    let reasons: Vec<Json> = decision.reasons.iter().map(|reason| json!([reason.id, reason.effect])).collect();
    let offers: Vec<Json> = decision
        .offers
        .iter()
        .map(|offer| json!([offer.tenure, offer.amount_offered, offer.interest, offer.amount_payable, offer.fee]))
        .collect();
    let lost: Vec<Json> = decision.points_lost.iter().map(|lost| json!([lost.id, lost.lost])).collect();
    // What is known, or after a `?` why it is not: metrics, outputs and the score, without what people brought.
    let brought = |name: &str| INPUTS.iter().any(|(input, _)| *input == name);
    let score = decision.score.map(Json::from);
    let said = decision.metrics.iter().chain(&decision.grade).map(|(name, value)| (name.as_str(), value.clone()));
    let said = said.chain(score.map(|score| ("score", score)));
    let why = decision.unknown.iter().map(|(name, why)| (name.as_str(), Json::from(format!("?{why}"))));
    let says: BTreeMap<&str, Json> = said.chain(why).filter(|(name, _)| !brought(name)).collect();
    let mut kept = json!({
        "outcome": decision.outcome, "reasons": reasons, "lost": lost, "says": says, "offers": offers,
        "counter": decision.counter_offer,
    });
    if let Some(object) = kept.as_object_mut() {
        let is_empty = |value: &Json| {
            value.is_null()
                || value.as_array().is_some_and(Vec::is_empty)
                || value.as_object().is_some_and(serde_json::Map::is_empty)
        };
        object.retain(|_, value| !is_empty(value));
    }
    kept
}
