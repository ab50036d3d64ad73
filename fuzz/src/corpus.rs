//! A small corpus out of many random cases: one that reaches every shape. Written once, kept as testdata.

use std::collections::BTreeSet;

use lendwright::{Decision, Outcome};
use lendwright_fuzz::policy::campaign::{Tally, compiled, decisions, differences, kept as summary};
use lendwright_fuzz::policy::evaluate::expected;
use lendwright_fuzz::policy::model::Policy;
use lendwright_fuzz::policy::{generate, people as near, values};
use lendwright_fuzz::random::Source;
use serde_json::{Map, Value, json};

/// People tried for each policy, and kept of one at most.
const TRIED: usize = 60;
const KEPT: usize = 16;

/// Longer rule files are left to the campaign.
const LETTERS_MAX: usize = 900;

/// Policies in a row that show nothing new, before one is taken all the same.
const PATIENCE: usize = 30;

/// Prints one line a policy until there are `cases`: its rules, and people with what comes out.
pub fn print(cases: usize, seed: u64) -> Result<(), String> {
    let (mut printed, mut known, mut skipped) = (0, BTreeSet::new(), 0);
    for number in seed.. {
        if printed >= cases {
            break;
        }
        let source = &mut Source::seeded(number);
        let (policy, constants) = generate::policy(source);
        let Some((rules, ready)) = compiled(&policy, &mut Tally::default())? else { continue };
        if rules.len() > LETTERS_MAX {
            continue;
        }
        let (mut people, mut seen, mut new) = (Vec::new(), BTreeSet::new(), 0);
        for _ in 0..TRIED {
            let person = near::person(source, &constants);
            let decision = decisions(&policy, &ready, std::slice::from_ref(&person))?.remove(0);
            let wrong = differences(&policy, &expected(&policy, &person), &decision);
            if !wrong.is_empty() {
                return Err(format!("{}\n{rules}", wrong.join("\n")));
            }
            let shapes = shapes(&policy, &rules, &decision);
            // Of people who come out alike in every way one is enough.
            // Most people are refused something; those who are not show more.
            let full = people.len() >= if decision.outcome == Outcome::Offer { KEPT } else { KEPT / 2 };
            if !full && seen.insert(format!("{shapes:?} {:?}", decision.unknown)) {
                new += shapes.into_iter().filter(|shape| known.insert(shape.clone())).count();
                let mut is: Map<String, Value> =
                    serde_json::from_str(&values::request(&policy, &person)).unwrap_or_default();
                is.retain(|name, _| name == "as_of" || asks_for(&rules, name));
                people.push(json!({ "is": is, "comes": summary(&decision) }));
            }
        }
        skipped += 1;
        if new > 0 || skipped > PATIENCE {
            skipped = 0;
            people.truncate(cases - printed);
            printed += people.len();
            println!("{}", json!({ "rules": rules, "ready": policy.is_ready, "people": people }));
        }
    }
    Ok(())
}

/// Whether a rule file says a name beyond defining it.
fn asks_for(rules: &str, name: &str) -> bool {
    rules.matches(name).count() > 1
}

/// Words that stand for an operation or a key.
const WORDS: [&str; 56] = [
    " + ",
    " - ",
    " * ",
    " / ",
    " % ",
    "(- ",
    " < ",
    " <= ",
    " > ",
    " >= ",
    " = ",
    " != ",
    " <> ",
    " AND ",
    " OR ",
    "NOT ",
    "BETWEEN",
    " IN (",
    " LIKE ",
    " ILIKE ",
    "IS NULL",
    "IS NOT NULL",
    "IS TRUE",
    "IS FALSE",
    "CASE",
    "ELSE",
    "coalesce",
    "nullif",
    "least",
    "greatest",
    "is_unknown",
    "abs(",
    "round(",
    "round_down(",
    "round_up(",
    "floor(",
    "ceil(",
    "year(",
    "month(",
    "day(",
    "weekday(",
    "month_start_of(",
    "add_months(",
    "lower(",
    "length(",
    "principal_for(",
    "list_contains(",
    "list_length(",
    "at_least",
    "otherwise",
    "scale",
    "weight",
    "cap = ",
    "step = ",
    "floor = ",
    "[exposure]",
];

/// What a case shows: each operation, hit policy and key with each outcome, each reason for being unknown, each number of offers.
fn shapes(policy: &Policy, rules: &str, decision: &Decision) -> BTreeSet<String> {
    let outcome = format!("{:?}", decision.outcome);
    let mut shapes = BTreeSet::new();
    let used: Vec<&str> = WORDS.into_iter().filter(|word| rules.contains(word)).collect();
    for word in &used {
        shapes.insert(format!("{word} {outcome} {} {}", policy.is_ready, decision.unknown.len().min(3)));
    }
    for table in &policy.tables {
        for column in 0..table.outputs.len() {
            let name = format!("{:?} {:?}", table.hit, table.outputs[column].kind);
            let said: Vec<String> =
                decision.unknown.values().map(|why| why.split("_for_").next().unwrap_or(why).to_owned()).collect();
            shapes.extend(said.iter().map(|why| format!("{name} {why}")));
            shapes.insert(format!("{name} {outcome} {}", table.otherwise.is_some()));
        }
    }
    for reason in &decision.reasons {
        shapes.insert(format!("{} {:?} {}", reason.id, reason.effect, reason.text.contains("not known")));
    }
    for offer in &policy.offers {
        let counter = decision.counter_offer.as_ref().map(|counter| counter.limited_by.len());
        shapes.insert(format!("{:?} {} {counter:?} {}", offer.method, decision.offers.len(), policy.fee_deducted));
    }
    shapes.insert(format!("lost {} {}", decision.points_lost.len(), decision.score.is_some()));
    shapes
}
