//! A small corpus out of many random cases: one that reaches every shape. Written once, kept as testdata.

use std::collections::BTreeSet;

use lendwright::{Decision, Outcome, Policies};
use lendwright_fuzz::policy::book::Book;
use lendwright_fuzz::policy::campaign::{Tally, compiled, decisions, different, files};
use lendwright_fuzz::policy::compare::kept;
use lendwright_fuzz::policy::model::Person;
use lendwright_fuzz::policy::{coverage, generate, people as near, text, values};
use lendwright_fuzz::random::Source;
use serde_json::{Map, Value, json};

/// People tried per policy, and the most kept of one.
const TRIED: usize = 60;
const KEPT: usize = 16;

/// The size limit for a policy with one person, and for each further person. Larger ones are left to the campaign.
const LETTERS_MAX: usize = 1_100;
const LETTERS_MORE: usize = 1_600;

/// How many policies in a row may show nothing new before one is taken anyway.
const PATIENCE: usize = 400;

/// Prints one line per policy until there are `cases`: its files, and people with their decisions.
pub fn print(cases: usize, seed: u64) -> Result<(), String> {
    let (mut printed, mut known, mut skipped, mut tally) = (0, BTreeSet::new(), 0, Tally::default());
    for number in seed.. {
        if printed >= cases {
            break;
        }
        let source = &mut Source::seeded(number);
        let (mut book, constants) = generate::book(source);
        book.make_lean();
        let (files, versions) = files(&book);
        if files.iter().map(|(_, text)| text.len()).sum::<usize>()
            > LETTERS_MAX + LETTERS_MORE * (book.policies().len() - 1)
        {
            continue;
        }
        let Some((_, ready)) = compiled(&book, &mut tally)? else { continue };
        let constructs = coverage::of_book(&book, &files);
        let (mut people, mut seen, mut new) = (Vec::new(), BTreeSet::new(), 0);
        for _ in 0..TRIED {
            let person = near::person(source, &constants);
            let decision = decisions(&book, &ready, std::slice::from_ref(&person))?.remove(0);
            different(&book, &person, &decision, &mut tally.places)?;
            let shapes = shapes(&book, &constructs, &decision);
            // People with equal decisions add nothing. Those who are not refused show more.
            let full = people.len() >= if decision.outcome == Outcome::Offer { KEPT } else { KEPT / 2 };
            if !full && seen.insert(format!("{shapes:?} {:?}", decision.unknown)) {
                new += shapes.into_iter().filter(|shape| known.insert(shape.clone())).count();
                let person = smaller(&book, &ready, person, &kept(&decision))?;
                let request = values::request(&book.versions[0].policy, &person);
                let mut is: Map<String, Value> = serde_json::from_str(&request).unwrap_or_default();
                if book.is_ready() {
                    is.remove("customer");
                    is.retain(|name, _| name == "as_of" || asks_for(&files, name));
                }
                people.push(json!({ "is": is, "comes": kept(&decision) }));
            }
        }
        skipped += 1;
        if new > 0 || skipped > PATIENCE {
            skipped = 0;
            people.truncate(cases - printed);
            printed += people.len();
            let files: Map<String, Value> = files.into_iter().map(|(path, text)| (path, text.into())).collect();
            let given: Map<String, Value> =
                text::given(&book.versions[0].policy).into_iter().map(|(name, value)| (name, value.into())).collect();
            let ready = book.is_ready();
            println!(
                "{}",
                json!({ "versions": versions, "files": files, "given": given, "ready": ready, "people": people })
            );
        }
    }
    Ok(())
}

/// The person without the inputs that make no difference.
fn smaller(book: &Book, ready: &Policies, mut person: Person, comes: &Value) -> Result<Person, String> {
    for at in 0..=person.inputs.len() {
        let mut without = person.clone();
        match without.inputs.get_mut(at) {
            Some(input) => *input = None,
            None => without.customer = None,
        }
        if kept(&decisions(book, ready, std::slice::from_ref(&without))?[0]) == *comes {
            person = without;
        }
    }
    Ok(person)
}

/// Whether a rule file uses a name beyond defining it.
fn asks_for(files: &[(String, String)], name: &str) -> bool {
    files.iter().map(|(_, text)| text.matches(name).count()).sum::<usize>() > 1
}

/// The shapes in a case: each construct with each outcome, each hit policy with each reason for unknown, each number of
/// offers.
fn shapes(book: &Book, constructs: &BTreeSet<String>, decision: &Decision) -> BTreeSet<String> {
    let outcome = format!("{:?}", decision.outcome);
    let mut shapes = BTreeSet::new();
    for construct in constructs {
        shapes.insert(format!("{construct} {outcome} {}", book.is_ready()));
    }
    let why = |why: &String| why.split("_for_").next().unwrap_or(why).to_owned();
    let unknown: BTreeSet<String> = decision.unknown.values().map(why).collect();
    let policies = book.policies();
    let decided = policies.iter().find(|policy| policy.version == decision.policy.version);
    if let Some(policy) = decided {
        for table in &policy.tables {
            let name = format!("{:?}", table.hit);
            shapes.extend(unknown.iter().map(|why| format!("{name} {why}")));
            shapes.insert(format!("{name} {outcome} {} {}", table.otherwise.is_some(), table.in_csv));
        }
        for offer in &policy.offers {
            let counter = decision.counter_offer.as_ref().map(|counter| counter.limited_by.len());
            shapes.insert(format!("{:?} {} {counter:?} {}", offer.method, decision.offers.len(), policy.fee_deducted));
        }
        shapes.insert(format!("{} files {outcome}", policy.files.len()));
    }
    for reason in &decision.reasons {
        shapes.insert(format!("{} {:?} {}", reason.id, reason.effect, reason.text.contains("not known")));
    }
    shapes.insert(format!("{} versions {outcome} {:?}", book.versions.len(), decision.arm));
    shapes.insert(format!("lost {} {}", decision.points_lost.len(), decision.score.is_some()));
    shapes
}
