//! Metrics over records against a reference that is written to be obviously right: random rules and random statements.

mod aggregates;
mod among;
mod calendar;
mod doubles;
mod evaluator;
mod expression;
mod generator;
mod leaves;
mod numbers;
pub mod ranges;
mod statement;
mod texts;
pub mod ties;
mod verdict;

use std::collections::BTreeMap;

use lendwright::base::date::Day;
use lendwright::decision::{Decision, Request, decide, reading};
use lendwright::rules::{Policy, compile};
use lendwright::statement::{Statements, read_json};
use serde_json::{Value as Json, json};

use evaluator::Value;
use expression::Level;
use generator::Tape;
use statement::{Record, Rules, Statement, covered_days};

const HEADER: &str = "[policy]\nname = \"random\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";

fn rule_file(rules: &Rules) -> String {
    let section = |name: &str, level: Level, list: &[expression::Expression]| {
        let lines = list.iter().enumerate().map(|(at, one)| format!("{} = '''{}'''\n", level.name(at), one.sql()));
        format!("[{name}]\n{}", lines.collect::<String>())
    };
    let mut parts = vec![
        HEADER.to_owned(),
        generator::PARAMETERS.to_owned(),
        section("transaction", Level::Transaction, &rules.transactions),
    ];
    let names = ["month", "week", "day", "counterparty"];
    let groups = names.into_iter().zip(Level::GROUPS).zip(&rules.groups).filter(|(_, list)| !list.is_empty());
    parts.extend(groups.map(|((name, level), list)| section(name, level, list)));
    parts.push(section("metric", Level::Metric, &rules.metrics));
    parts.join("\n")
}

/// Minor units as the interface writes them.
fn major(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", minor.unsigned_abs() / 100, minor.unsigned_abs() % 100)
}

fn day(days: i64) -> Day {
    Day::from_days(days as i32)
}

fn record_line(customer: usize, record: &Record) -> String {
    let line = json!({
        "id": format!("{customer}-{}", record.id),
        "customer": format!("c{customer}"),
        "trans_date": day(record.date).to_string(),
        "cleared_date": record.cleared.map(|cleared| day(cleared).to_string()),
        "credit": record.credit.map(major),
        "debit": record.debit.map(major),
        "balance": record.balance.map(major),
        "code": record.code,
        "notes": {"desc": record.desc, "people": record.person.map(|person| vec![person])},
    });
    format!("{line}\n")
}

/// The records of a statement in the order of the frame. Other tests cover the order within one day.
fn in_order<'r>(statements: &Statements, customer: usize, records: &'r [Record]) -> Vec<&'r Record> {
    let name = format!("c{customer}");
    let head = statements.heads().iter().find(|head| head.customer.as_deref() == Some(&name)).expect("the statement");
    let ids = statements.frame().column("id").expect("ids").str().expect("text");
    let id = |row: usize| ids.get(row).and_then(|id| id.split_once('-')).expect("an id").1;
    head.rows.clone().map(|row| records.iter().find(|record| record.id == id(row)).expect("the record")).collect()
}

fn agree(expected: Option<Value>, found: &Json, is_date: bool) -> bool {
    // Next to zero, the remainder of doubles that cancel each other counts as nothing.
    let close = |left: f64, right: f64| (left - right).abs() <= 1e-9 * left.abs().max(right.abs()).max(1e-6);
    match (expected, found) {
        (None, Json::Null) => true,
        (Some(Value::Int(days)), Json::String(text)) if is_date => day(days).to_string() == *text,
        (Some(Value::Int(value)), found) => found.as_i64() == Some(value),
        (Some(Value::Exact(value)), found) => found.as_f64() == Some(crate::exact::nearest(&value)),
        // Approximate values may differ in their last bits.
        (Some(Value::Double(value)), found) => found.as_f64().is_some_and(|found| close(value, found)),
        (Some(Value::Truth(value)), found) => found.as_bool() == Some(value),
        (Some(Value::Text(value)), found) => found.as_str() == Some(&value),
        (None, _) => false,
    }
}

/// The file of the list that the rules ask.
///
/// # Errors
/// If it is another file.
pub fn read_list(file: &str) -> Result<String, String> {
    match file {
        "texts.csv" => Ok(texts::list_file(|days| day(days).to_string())),
        _ => Err("no such file".to_owned()),
    }
}

fn compiled(text: &str) -> Policy {
    compile("random.toml", text, &mut read_list, &[]).unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

/// The rule file that a tape of numbers makes.
pub fn rules(numbers: &[u32]) -> String {
    rule_file(&generator::rules(&mut Tape::new(numbers)))
}

/// Makes rules and statements from the tape and compares every metric. Returns how many are known; the error describes
/// the first difference.
pub fn compare(numbers: &[u32]) -> Result<usize, String> {
    let mut tape = Tape::new(numbers);
    let rules = generator::rules(&mut tape);
    let (first, as_of) = generator::statement(&mut tape);
    let (second, _) = generator::statement(&mut tape);
    decided_alike(&rules, &[first, second], as_of)
}

/// Decides statements by the rules and compares every metric of each. Returns how many are known.
pub(crate) fn decided_alike(rules: &Rules, sources: &[Vec<Record>], as_of: Option<i64>) -> Result<usize, String> {
    let text = rule_file(rules);
    let policy = compiled(&text);
    let mut lines = String::new();
    for (customer, records) in sources.iter().enumerate() {
        records.iter().for_each(|record| lines.push_str(&record_line(customer, record)));
    }
    if lines.is_empty() {
        return Ok(0);
    }
    let statements =
        read_json(lines.as_bytes(), "random", &reading(&policy)).unwrap_or_else(|wrong| panic!("{wrong}\n{lines}"));
    let request = as_of.map_or_else(Request::default, |as_of| Request::on(day(as_of)));
    let decisions = decide(&policy, &statements, &request).expect("decisions");
    let by_customer: BTreeMap<&str, &Decision> =
        decisions.iter().map(|decision| (decision.customer.as_deref().expect("a customer"), decision)).collect();
    let mut known = 0;
    for (customer, records) in sources.iter().enumerate() {
        let Some(decision) = by_customer.get(format!("c{customer}").as_str()) else { continue };
        let ordered = in_order(&statements, customer, records);
        let day = as_of.or_else(|| ordered.last().map(|record| record.date));
        let verdict = verdict::verdict(&ordered);
        let counted: Vec<_> = ordered.into_iter().filter(|record| day.is_some_and(|day| record.date <= day)).collect();
        let covers = covered_days(&counted, as_of);
        let statement = Statement::new(rules, counted, (as_of, day), covers, verdict);
        for number in 0..rules.metrics.len() {
            let (name, expected) = (Level::Metric.name(number), statement.metric(number));
            let found = &decision.metrics[&name];
            known += usize::from(!found.is_null());
            let is_date = policy.metrics().any(|(known, ty)| known == name && ty.unit == lendwright::rules::Unit::Date);
            let same = agree(expected.clone(), found, is_date)
                && found.as_f64().is_none_or(|number| number != 0.0 || number.is_sign_positive());
            if !same || found.is_null() != decision.unknown.contains_key(&name) {
                let why = decision.unknown.get(&name);
                let lines: String = records.iter().map(|record| record_line(customer, record)).collect();
                return Err(format!(
                    "c{customer} {name}: the reference says {expected:?}, the evaluator {found} ({why:?})\n\
                     as of {day:?}\n{text}\n{lines}"
                ));
            }
        }
    }
    Ok(known)
}
