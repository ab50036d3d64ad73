//! Random policies and people, decided by lendwright and by the reference, and compared: every difference is a finding.

use std::collections::BTreeMap;

use lendwright::base::diagnostic::{Diagnostic, Severity};
use lendwright::base::rational::Rational;
use lendwright::decision::{Decision, ReadyPlan, Request, decide, reading};
use lendwright::{Policies as Compiled, PolicySet, Statements, compile, read_json};

use super::book::{Book, Places, Version};
use super::compare::differences;
use super::evaluate::expected;
use super::model::{INPUTS, Kind, Person, Value};
use super::{coverage, generate, people, text, values as written};
use crate::exact;
use crate::random::Source;

/// The tally of a campaign.
#[derive(Default, Debug)]
pub struct Tally {
    pub policies: u64,
    /// Policies refused for flaws that a random table may have, such as overlapping rows or empty bins.
    pub refused: BTreeMap<String, u64>,
    pub cases: u64,
    pub outcomes: BTreeMap<String, u64>,
    /// The reasons for unknown values.
    pub unknown: BTreeMap<String, u64>,
    /// Which side decided, if there are two.
    pub arms: BTreeMap<String, u64>,
    /// How many policies used each construct of the language.
    pub constructs: BTreeMap<String, u64>,
    /// The known position of each customer for each salt.
    pub places: Places,
}

/// Mistakes that a random policy may have: overlapping rows, an empty range, a step parameter of 0 or less.
const EXPECTED: [&str; 3] = ["overlap", "cell", "offer"];

/// One policy, or several versions of one, and `people` people. The error describes a difference in full.
pub fn one(source: &mut Source, people: usize, tally: &mut Tally) -> Result<(), String> {
    let (book, constants) = generate::book(source);
    let Some((rules, compiled)) = compiled(&book, tally)? else { return Ok(()) };
    tally.policies += 1;
    for construct in coverage::of_book(&book, &files(&book).0) {
        *tally.constructs.entry(construct).or_default() += 1;
    }
    // People with ready metrics are decided together, for one day.
    let together = if book.is_ready() { 1 + source.below(20) } else { 1 };
    for first in (0..people).step_by(together) {
        let mut group: Vec<Person> =
            (first..people.min(first + together)).map(|_| people::person(source, &constants)).collect();
        let day = group[0].as_of;
        group.iter_mut().for_each(|person| person.as_of = day);
        let decisions = decisions(&book, &compiled, &group)?;
        for (person, decision) in group.iter().zip(&decisions) {
            different(&book, person, decision, &mut tally.places).map_err(|wrong| {
                let request = written::request(&book.versions[0].policy, person);
                format!("{wrong}\n--- {request}\n--- {rules}")
            })?;
            tally.note(decision);
        }
    }
    Ok(())
}

/// How a decision differs from that of the right policy.
pub fn different(book: &Book, person: &Person, decision: &Decision, places: &mut Places) -> Result<(), String> {
    let arm = decision.arm.map(|arm| format!("{arm:?}").to_lowercase());
    let policy = book.policy_for(person, arm.as_deref(), places)?;
    if decision.policy.version != policy.version {
        return Err(format!("version {} should have decided, not {}", policy.version, decision.policy.version));
    }
    let wrong = differences(policy, &expected(policy, person), decision);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// lendwright's decisions on people who are decided together.
pub fn decisions(book: &Book, compiled: &Compiled, people: &[Person]) -> Result<Vec<Decision>, String> {
    if !book.is_ready() {
        let policy = &book.versions[0].policy;
        let statement = empty(compiled)?;
        return people.iter().map(|person| decision(compiled, &statement, &written::request(policy, person))).collect();
    }
    let names: Vec<&str> = INPUTS.iter().map(|(name, _)| *name).collect();
    let plan = ReadyPlan::new(compiled.latest(), &names).map_err(|error| error.to_string())?;
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

/// A person's input in lendwright's form: a fraction as the double with these digits, or as two whole numbers.
pub fn ready(kind: Kind, value: &Value) -> lendwright::rules::Value {
    use lendwright::rules::Value as Ready;
    match value {
        Value::Whole(value) if kind.is_fraction() => Ready::Float(*value as f64),
        Value::Whole(value) => Ready::Int(*value),
        Value::Exact(value) if exact::shortest(exact::nearest(value)) == *value => Ready::Float(exact::nearest(value)),
        Value::Exact(value) => {
            let (over, under) = (value.numerator().try_into(), value.denominator().try_into());
            let (over, under) = (over.expect("64 bits"), under.expect("64 bits"));
            Ready::Rational(Rational::ratio(over, under).expect("no zero"))
        }
        Value::Double(value) => Ready::Float(*value),
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
        if let Some(arm) = decision.arm {
            *self.arms.entry(format!("{arm:?}").to_lowercase()).or_default() += 1;
        }
        // Only the reason of an offer says that there is no price.
        let no_price = decision.reasons.iter().filter(|one| one.text.contains("these numbers give no price"));
        for why in decision.unknown.values().map(String::as_str).chain(no_price.map(|_| "no_price")) {
            let kind = ["missing_request", "missing_bureau", "no_value_yet", "no_row", "many_rows", "no_bin"]
                .into_iter()
                .find(|kind| why.starts_with(kind));
            *self.unknown.entry(kind.unwrap_or(why).to_owned()).or_default() += 1;
        }
    }
}

/// Every file of a book by its path, and the paths of its versions.
pub fn files(book: &Book) -> (Vec<(String, String)>, Vec<String>) {
    let (mut files, mut paths) = (Vec::new(), Vec::new());
    for Version { policy, challenger } in &book.versions {
        let said = challenger.as_ref().map(|one| {
            files.extend(text::files(&one.policy, None));
            let (path, share, salt) = (&one.policy.files[0].path, one.share, one.salt);
            format!("{{ file = \"{path}\", share = {share:?}, salt = \"{salt}\" }}")
        });
        files.extend(text::files(policy, said.as_deref()));
        paths.push(policy.files[0].path.clone());
    }
    (files, paths)
}

/// The compiled rule files of a book; `None` if one was refused for an acceptable flaw.
pub fn compiled(book: &Book, tally: &mut Tally) -> Result<Option<(String, Compiled)>, String> {
    let (files, paths) = files(book);
    let rules = shown_files(&files);
    let read = |path: &str| {
        let found = files.iter().find(|(known, _)| known == path);
        found.map(|(_, text)| text.clone()).ok_or_else(|| "no such file".to_owned())
    };
    let mut versions = Vec::new();
    for (path, Version { policy, .. }) in paths.iter().zip(&book.versions) {
        let main = read(path)?;
        match compile(path, &main, &mut |path| read(path), &text::given(policy)) {
            Ok(compiled) => versions.push(compiled),
            Err(refused) => {
                let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
                for error in refused.diagnostics.iter().filter(is_error) {
                    if !EXPECTED.contains(&error.code) {
                        return Err(format!("{refused}\n--- {rules}"));
                    }
                    *tally.refused.entry(error.code.to_owned()).or_default() += 1;
                }
                return Ok(None);
            }
        }
    }
    let compiled = Compiled::new(versions).map_err(|error| format!("{error}\n--- {rules}"))?;
    Ok(Some((rules, compiled)))
}

fn shown_files(files: &[(String, String)]) -> String {
    files.iter().rev().map(|(path, text)| format!("# {path}\n{text}\n")).collect()
}

/// A statement without records: everything that rules use comes with the request.
pub fn empty(policy: &Compiled) -> Result<Statements, String> {
    let body = br#"{"status": "success", "data": {"transactions": []}}"#;
    read_json(body, "random", &reading(policy)).map_err(|error| error.to_string())
}

/// lendwright's decision on a request.
pub fn decision(policy: &Compiled, statement: &Statements, request: &str) -> Result<Decision, String> {
    let request = Request::from_json(policy, request.as_bytes()).map_err(|error| error.to_string())?;
    let mut decisions = decide(policy, statement, &request).map_err(|error| error.to_string())?;
    decisions.pop().ok_or_else(|| "no decision".to_owned())
}
