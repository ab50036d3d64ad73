//! Compares a decision with the expected one, and selects what to keep of it. Decides nothing.

use std::collections::BTreeMap;

use lendwright::base::date::Day;
use lendwright::decision::Decision;
use serde_json::{Value as Json, json};

use super::evaluate::{Counter, Expected, Known, code, meaning};
use super::model::{Effect, INPUTS, Kind, Policy, Value};
use super::names::Sort;
use super::numbers::nearest;
use super::values as written;

/// Every difference between a decision and the expected one.
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
        let text = &reason.text;
        let found = text.rsplit_once(" (not known: ").map(|(_, end)| end.strip_suffix(')').unwrap_or(end));
        let found = found.or(text.rsplit_once(" is unknown: ").map(|(_, end)| end));
        let why = why.as_ref().map(|why| meaning(policy, why));
        if reason.id == "INPUT_MISSING" {
            let path = |at: &usize| format!("{}.{}", written::source(policy.bureau[*at]), INPUTS[*at].0);
            let wanted = expected.missing.iter().map(path).collect::<Vec<_>>().join(", ");
            let are = if expected.missing.len() == 1 { "is" } else { "are" };
            hold("missing".into(), format!("{wanted} {are} required and not given"), reason.text.clone());
        }
        hold(format!("why {id}"), format!("{why:?}"), format!("{:?}", found.map(str::to_owned)));
    }
    values(policy, expected, decision, &mut hold);
    let wanted = expected.points_lost.iter().map(|(item, lost, why)| {
        let why = why.as_ref().map(|why| format!(" (not known: {})", meaning(policy, why))).unwrap_or_default();
        format!("S{item} item {item}{why} {lost}")
    });
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
        let more = format!("{expires} {} {}", offer.part_payment, offer.terms);
        format!("{} {} {} {} {} {more}", offer.tenure, offer.amount, offer.interest, offer.payable, offer.fee)
    });
    let found = decision.offers.iter().map(|offer| {
        let (amount, payable) = (offer.amount_offered, offer.amount_payable);
        let more = format!("{} {} {}", offer.expiry_date, offer.is_part_payment_allowed, offer.terms);
        format!("{} {amount} {} {payable} {} {more}", offer.tenure, offer.interest, offer.fee)
    });
    hold("offers".into(), offers(wanted.collect()), offers(found.collect()));
    wrong
}

/// Metrics, table outputs and the score, each with its reason if unknown.
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
        // Of ready metrics, only those that the policy uses are computed.
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
    match (&expected.score, decision.score) {
        (Some(wanted), found) => named("score".into(), Kind::Number, wanted, found.map(Json::from).as_ref()),
        (None, found) => hold("score".into(), "none".into(), found.map_or("none".into(), |score| score.to_string())),
    }
}

/// lendwright's value, in the reference's words if the two are equal.
fn shown(kind: Kind, wanted: &Value, found: Option<&Json>, why: Option<&String>) -> String {
    let other = || format!("{found:?} {why:?}");
    let Some(found) = found.filter(|_| why.is_none()) else { return other() };
    let same = match wanted {
        Value::Whole(days) if kind == Kind::Date => found.as_str() == Some(&Day::from_days(*days as i32).to_string()),
        Value::Whole(value) => found.as_i64() == Some(*value),
        // Equal to the last bit, except for the sign of zero, which does not matter.
        Value::Exact(_) | Value::Double(_) => found.as_f64() == Some(nearest(wanted)),
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

/// The result of a decision, without empty parts.
pub fn kept(decision: &Decision) -> Json {
    let reasons: Vec<Json> = decision.reasons.iter().map(|reason| json!([reason.id, reason.effect])).collect();
    let offers: Vec<Json> = decision
        .offers
        .iter()
        .map(|offer| json!([offer.tenure, offer.amount_offered, offer.interest, offer.amount_payable, offer.fee]))
        .collect();
    let lost: Vec<Json> = decision.points_lost.iter().map(|lost| json!([lost.id, lost.lost])).collect();
    // Known values, or `?` and the reason: metrics, outputs and the score, without the inputs.
    let brought = |name: &str| INPUTS.iter().any(|(input, _)| *input == name);
    let score = decision.score.map(Json::from);
    let said = decision.metrics.iter().chain(&decision.grade).map(|(name, value)| (name.as_str(), value.clone()));
    let said = said.chain(score.map(|score| ("score", score)));
    let why = decision.unknown.iter().map(|(name, why)| (name.as_str(), Json::from(format!("?{why}"))));
    let says: BTreeMap<&str, Json> = said.chain(why).filter(|(name, _)| !brought(name)).collect();
    let mut kept = json!({
        "outcome": decision.outcome, "reasons": reasons, "lost": lost, "says": says, "offers": offers,
        "counter": decision.counter_offer, "arm": decision.arm,
        "version": Some(&decision.policy.version).filter(|version| *version != "1"),
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
