//! Random policies and people, decided by lendwright and by the reference, and compared: every difference is a finding.

use std::collections::BTreeMap;

use lendwright::decision::{Decision, Request, decide, reading};
use lendwright::words::date::Day;
use lendwright::{Policy as Compiled, Statements, compile, read_json};
use serde_json::Value as Json;

use super::evaluate::{Expected, Known, code, expected};
use super::model::{Effect, Kind, Policy, Value};
use super::{generate, text};
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

/// Mistakes that a random policy may have.
const EXPECTED: [&str; 3] = ["overlap", "cell", "unreachable"];

/// One policy and so many people. The error tells a difference in full.
pub fn one(source: &mut Source, people: usize, tally: &mut Tally) -> Result<(), String> {
    let (policy, constants) = generate::policy(source);
    let Some((rules, compiled)) = compiled(&policy, tally)? else { return Ok(()) };
    let statement = empty(&compiled)?;
    tally.policies += 1;
    for _ in 0..people {
        let person = generate::person(source, &constants);
        let asked = text::request(&person);
        let decision = decision(&compiled, &statement, &asked)?;
        let expected = expected(&policy, &person);
        let wrong = differences(&policy, &expected, &decision);
        if !wrong.is_empty() {
            return Err(format!("{}\n--- {asked}\n--- {rules}", wrong.join("\n")));
        }
        tally.note(&decision);
    }
    Ok(())
}

impl Tally {
    fn note(&mut self, decision: &Decision) {
        self.cases += 1;
        let outcome = format!("{:?}", decision.outcome).to_lowercase();
        *self.outcomes.entry(outcome).or_default() += 1;
        for why in decision.unknown.values() {
            let kind =
                ["missing_request", "no_row", "many_rows", "no_bin"].into_iter().find(|kind| why.starts_with(kind));
            *self.unknown.entry(kind.unwrap_or(why).to_owned()).or_default() += 1;
        }
    }
}

/// The rule file of a policy, compiled; nothing where it was refused for what a random policy may have.
pub fn compiled(policy: &Policy, tally: &mut Tally) -> Result<Option<(String, Compiled)>, String> {
    let rules = text::rule_file(policy);
    match compile("random.toml", &rules, &mut |_| Err("no files".into()), &[]) {
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
        // A bin is named by its expression, which may have brackets of its own.
        if !why.as_ref().is_some_and(|why| why.starts_with("no_bin_for") && reason.text.contains(why.as_str())) {
            hold(format!("why {id}"), format!("{why:?}"), format!("{:?}", found.map(str::to_owned)));
        }
    }
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
        let name = format!("m{at}");
        let found = decision.metrics.get(&name);
        named(name, metric.kind, wanted, found);
    }
    for (at, (table, wanted)) in policy.tables.iter().zip(&expected.outputs).enumerate() {
        for (column, (kind, wanted)) in table.outputs.iter().zip(wanted).enumerate() {
            let name = format!("t{at}_{column}");
            let found = decision.grade.get(&name);
            named(name, *kind, wanted, found);
        }
    }
    let score = expected.score.clone().map(|score| score.map(Value::Float));
    match (&score, decision.score) {
        (Some(wanted), found) => named("score".into(), Kind::Number, wanted, found.map(Json::from).as_ref()),
        (None, found) => hold("score".into(), "none".into(), found.map_or("none".into(), |score| score.to_string())),
    }
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
    };
    if same { format!("{wanted:?}") } else { other() }
}
