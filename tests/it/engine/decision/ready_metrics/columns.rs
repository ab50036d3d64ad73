//! Ready metrics judged by columns: a row's result equals its decision.

use lendwright::base::rational::Rational;
use lendwright::decision::{Decision, Judged, ReadyPlan, Request, decide, reading};
use lendwright::generate::{Options, statement_json};
use lendwright::rules::Value;
use lendwright::statement::read_json;
use lendwright::{Outcome, Policies, PolicySet, load_policy, metrics};
use lendwright_fuzz::policy::campaign::{Tally, compiled};
use lendwright_fuzz::policy::model::{INPUTS, Kind, Person, Value as Brought};
use lendwright_fuzz::policy::{generate, people};
use lendwright_fuzz::random::Source;
use polars::prelude::{AnyValue, Column, DataFrame, DataType, NamedFrom, Series, df};
use serde_json::json;

use crate::fixtures::campaign;

/// The deciding reason: the first of those with the gravest effect.
fn decided_by(decision: &Decision) -> Option<&str> {
    let worst = decision.reasons.iter().map(|reason| reason.effect).max()?;
    decision.reasons.iter().find(|reason| reason.effect == worst).map(|reason| reason.id.as_str())
}

fn said(column: &Column, row: usize) -> serde_json::Value {
    match column.get(row).unwrap() {
        AnyValue::Null => json!(null),
        AnyValue::Int64(value) => json!(value),
        AnyValue::Float64(value) => json!(value),
        AnyValue::Boolean(value) => json!(value),
        AnyValue::Date(days) => json!(lendwright::Day::from_days(days).to_string()),
        AnyValue::String(text) => json!(text),
        other => panic!("{other:?}"),
    }
}

/// Compares one row with its decision; returns its outcome.
fn hold(judged: &Judged, row: usize, decision: &Decision, rules: &str) -> Outcome {
    let told = || format!("row {row} of\n{rules}");
    assert_eq!(judged.outcomes[row], decision.outcome, "{}", told());
    assert_eq!(judged.decided_by(row), decided_by(decision), "{}", told());
    if let Ok(score) = judged.values.column("score") {
        assert_eq!(said(score, row), json!(decision.score), "{}", told());
    }
    for (name, value) in &decision.grade {
        let said = said(judged.values.column(name).unwrap(), row);
        let value = if value.is_array() { json!(value.to_string()) } else { value.clone() };
        assert_eq!(said, value, "`{name}` of {}", told());
    }
    decision.outcome
}

fn ready(kind: Kind, value: &Brought) -> Value {
    match value {
        Brought::Whole(value) if kind.is_fraction() => Value::Rational(Rational::from(*value)),
        Brought::Whole(value) => Value::Int(*value),
        // A double stands for its shortest decimal.
        Brought::Exact(value) => Value::Float(value.to_f64().value()),
        Brought::Double(value) => Value::Float(*value),
        Brought::Truth(value) => Value::Boolean(*value),
        Brought::Text(text) => Value::Text(text.clone()),
        Brought::List(values) => {
            Value::List(values.iter().map(|value| ready(kind.item().unwrap_or(kind), value)).collect())
        }
    }
}

/// People's inputs as a column of a frame.
fn column(name: &str, kind: Kind, values: &[Option<Value>]) -> Column {
    let some = |value: &Option<Value>| value.as_ref().map(list_json);
    let series = match kind {
        Kind::List(_) => Series::new(name.into(), values.iter().map(some).collect::<Vec<_>>()),
        Kind::Text => {
            let text = |value: &Option<Value>| match value {
                Some(Value::Text(text)) => Some(text.clone()),
                _ => None,
            };
            Series::new(name.into(), values.iter().map(text).collect::<Vec<_>>())
        }
        Kind::Truth => {
            let truth = |value: &Option<Value>| value.as_ref().map(|value| *value == Value::Boolean(true));
            Series::new(name.into(), values.iter().map(truth).collect::<Vec<_>>())
        }
        kind if kind.is_fraction() => {
            Series::new(name.into(), values.iter().map(|value| value.as_ref()?.float()).collect::<Vec<_>>())
        }
        _ => Series::new(name.into(), values.iter().map(|value| value.as_ref()?.int()).collect::<Vec<_>>()),
    };
    let column = Column::from(series);
    if kind != Kind::Date {
        return column;
    }
    column.cast(&DataType::Int32).unwrap().cast(&DataType::Date).unwrap()
}

fn list_json(value: &Value) -> String {
    let Value::List(items) = value else { return String::new() };
    let item = |item: &Value| match item {
        Value::Int(value) => json!(value),
        Value::Rational(value) => json!(value.to_f64()),
        Value::Float(value) => json!(value),
        Value::Boolean(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::List(_) | Value::Entry(_) => json!(null),
    };
    serde_json::Value::Array(items.iter().map(item).collect()).to_string()
}

/// Random policies and people, with some inputs unknown.
#[test]
fn columns_judge_as_rows_do() {
    let (mut outcomes, mut policies) = ([0; 3], 0);
    let mut tally = Tally::default();
    let seeds = campaign::size(30, 400);
    for seed in 0..seeds {
        let mut source = Source::seeded(seed);
        let (book, constants) = generate::book(&mut source);
        if !book.is_ready() {
            continue;
        }
        let Ok(Some((rules, policy))) = compiled(&book, &mut tally) else { continue };
        let people: Vec<Person> = (0..120).map(|_| people::person(&mut source, &constants)).collect();
        for outcome in as_rows(&policy, &people, &rules) {
            outcomes[outcome as usize] += 1;
        }
        policies += 1;
    }
    assert!(policies > seeds / 7 && outcomes.iter().all(|count| *count > seeds / 4), "{policies} {outcomes:?}");
}

/// Some rows, each decided alone: then no column has many values.
fn alone(plan: &ReadyPlan, brought: &[Vec<Option<Value>>], request: &Request, rules: &str, together: &[Decision]) {
    for (row, expected) in together.iter().enumerate().step_by(7) {
        let mut rows = plan.rows();
        rows.push("one", None, brought.iter().map(|column| column[row].clone()).collect()).unwrap();
        let decision = plan.decide(rows, request).unwrap().remove(0);
        assert_eq!(json!(decision), json!(expected), "row {row} of\n{rules}");
    }
}

fn as_rows(policies: &Policies, people: &[Person], rules: &str) -> Vec<Outcome> {
    let names: Vec<&str> = INPUTS.iter().map(|(name, _)| *name).collect();
    let plan = ReadyPlan::new(policies.latest(), &names).unwrap();
    let day = people[0].as_of.map(|days| lendwright::Day::from_days(days as i32));
    let request = day.map_or_else(Request::default, Request::on);
    let mut rows = plan.rows();
    let mut brought: Vec<Vec<Option<Value>>> = vec![Vec::new(); INPUTS.len()];
    for person in people {
        let values: Vec<Option<Value>> = person
            .inputs
            .iter()
            .zip(INPUTS)
            .map(|(value, (_, kind))| value.as_ref().map(|it| ready(kind, it)))
            .collect();
        brought.iter_mut().zip(&values).for_each(|(column, value)| column.push(value.clone()));
        rows.push("one", None, values).unwrap();
    }
    alone(&plan, &brought, &request, rules, &plan.decide(rows.clone(), &request).unwrap());
    let columns = INPUTS.iter().zip(&brought).map(|((name, kind), values)| column(name, *kind, values)).collect();
    let judged = plan.judge(&DataFrame::new(people.len(), columns).unwrap(), &request).unwrap();
    let decisions = plan.decide(rows, &request).unwrap();
    assert_eq!(judged.outcomes.len(), decisions.len());
    decisions.iter().enumerate().map(|(row, decision)| hold(&judged, row, decision, rules)).collect()
}

#[test]
fn a_table_of_metrics_decides_as_its_statements_do() {
    for file in ["rules/starter.toml", "rules/salary-advance.toml", "rules/small-business.toml"] {
        let policy = load_policy(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file), &[]).unwrap();
        let plan = ReadyPlan::new(&policy, &policy.judged_by()).unwrap();
        let (mut frame, mut decisions) = (DataFrame::empty(), Vec::new());
        for index in 0..campaign::size(8, 80) {
            let options = Options { records: 20 + index * 7, debits: index % 2 == 1, noise: 0.3, ..Options::default() };
            let bytes = statement_json(11, index, &options).unwrap();
            let statements = read_json(&bytes, "one", &reading(&policy)).unwrap();
            decisions.extend(decide(&policy, &statements, &Request::default()).unwrap());
            let table = metrics::table(&policy, &statements, None).unwrap();
            frame = if index == 0 { table } else { frame.vstack(&table).unwrap() };
        }
        // Several chunks, each row on the day of its own statement.
        let (chunks, copies) = (8, 4_880 / decisions.len() / 8 * 8);
        let repeated = |frame: &DataFrame, times| (1..times).fold(frame.clone(), |all, _| all.vstack(frame).unwrap());
        let mut chunk = repeated(&frame, copies / chunks);
        chunk.rechunk_mut();
        let whole = repeated(&chunk, chunks);
        let judged = plan.judge(&whole, &Request::default()).unwrap();
        assert_eq!(judged.outcomes.len(), copies * decisions.len());
        for row in 0..judged.outcomes.len() {
            hold(&judged, row, &decisions[row % decisions.len()], file);
        }
        assert_eq!(judged.reasons().iter().map(|(_, count)| count).sum::<usize>(), {
            judged.outcomes.iter().filter(|outcome| **outcome != Outcome::Offer).count()
        });
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = one.install(|| plan.judge(&whole, &Request::default()).unwrap());
        assert_eq!((&again.outcomes, again.reasons()), (&judged.outcomes, judged.reasons()));
        assert!(again.values.equals_missing(&judged.values));
    }
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let policy = super::small();
    let plan = ReadyPlan::new(&policy, &["income", "payer", "last"]).unwrap();
    let said = |frame: DataFrame| plan.judge(&frame, &Request::default()).unwrap_err().to_string();
    let frame = || df!("income" => [1_i64, 2], "payer" => ["a", "b"], "last" => ["2026-06-30", "2026-07-01"]).unwrap();
    assert_eq!(said(frame().drop("payer").unwrap()), "metric `payer`: the frame has no column of this name");
    let mut texts = frame();
    texts.with_column(Column::new("income".into(), ["1", "2"])).unwrap();
    assert_eq!(said(texts), "metric `income`: its column does not hold money");
    let mut days = frame();
    days.with_column(Column::new("last".into(), [20_000_i64, 20_001])).unwrap();
    assert_eq!(said(days), "metric `last`: its column does not hold date");
    assert_eq!(plan.judge(&frame(), &Request::default()).unwrap().outcomes.len(), 2);
    assert!(plan.judge(&frame().clear(), &Request::default()).unwrap().outcomes.is_empty());
}
