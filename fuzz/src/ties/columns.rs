//! The same people as columns of a frame, which lendwright judges without writing decisions: each row must give the
//! expected result. Fractions are doubles there, each standing for its shortest decimal.

use lendwright::decision::{ReadyPlan, Request};
use lendwright::{Policies, PolicySet};
use polars::prelude::{AnyValue, Column, DataFrame, DataType, NamedFrom, Series};

use crate::exact;
use crate::policy::evaluate::{Expected, Known};
use crate::policy::model::{INPUTS, Kind, Person, Policy, Value};
use crate::policy::names::Sort;
use crate::policy::numbers::nearest;
use crate::policy::values as written;

/// Whether all inputs of a person fit into a frame.
pub fn fits(person: &Person) -> bool {
    let fits = |value: &Value| match value {
        Value::Exact(value) => exact::shortest(exact::nearest(value)) == *value,
        _ => true,
    };
    person.inputs.iter().flatten().all(fits)
}

/// Every difference between a row and the expected result; the people are decided for one day.
pub fn differences(
    policy: &Policy,
    compiled: &Policies,
    people: &[&Person],
    expected: &[&Expected],
) -> Result<Option<(usize, String)>, String> {
    let names: Vec<&str> = INPUTS.iter().map(|(name, _)| *name).collect();
    let plan = ReadyPlan::new(compiled.latest(), &names).map_err(|error| error.to_string())?;
    let day = written::day(people.first().and_then(|person| person.as_of));
    let request = Request::from_json(compiled, day.as_bytes()).map_err(|error| error.to_string())?;
    let columns = INPUTS.iter().enumerate().map(|(at, (name, kind))| column(name, *kind, at, people)).collect();
    let frame = DataFrame::new(people.len(), columns).map_err(|error| error.to_string())?;
    let judged = plan.judge(&frame, &request).map_err(|error| error.to_string())?;
    let outcomes = judged.outcomes.iter().map(|outcome| format!("{outcome:?}").to_lowercase());
    for (row, (outcome, expected)) in outcomes.zip(expected).enumerate() {
        if outcome != expected.outcome {
            return Ok(Some((row, format!("outcome by columns: {outcome}, not {}", expected.outcome))));
        }
    }
    for (name, values) in told(policy, expected) {
        let column = judged.values.column(&name).map_err(|error| error.to_string())?;
        for (row, value) in values.into_iter().enumerate() {
            let found = column.get(row).map_err(|error| error.to_string())?;
            if !alike(value, &found) {
                return Ok(Some((row, format!("{name} by columns: {found:?}, not {value:?}"))));
            }
        }
    }
    Ok(None)
}

/// The columns of the frame of answers: the score, and table outputs that are not lists.
fn told<'e>(policy: &Policy, expected: &[&'e Expected]) -> Vec<(String, Vec<&'e Known<Value>>)> {
    let mut told = Vec::new();
    if policy.score.is_some() {
        told.push(("score".to_owned(), expected.iter().filter_map(|one| one.score.as_ref()).collect()));
    }
    for (at, table) in policy.tables.iter().enumerate() {
        for column in (0..table.outputs.len()).filter(|_| !table.hit.is_list()) {
            let name = format!("{}_{column}", policy.whole_name(Sort::Table, at));
            told.push((name, expected.iter().map(|one| &one.outputs[at][column]).collect()));
        }
    }
    told
}

fn alike(expected: &Known<Value>, found: &AnyValue) -> bool {
    match (expected, found) {
        (Err(_), AnyValue::Null) => true,
        (Ok(Value::Whole(value)), AnyValue::Int64(found)) => value == found,
        (Ok(value @ (Value::Exact(_) | Value::Double(_))), AnyValue::Float64(found)) => nearest(value) == *found,
        (Ok(Value::Whole(days)), AnyValue::Date(found)) => *days == i64::from(*found),
        (Ok(Value::Text(text)), found) => found.get_str() == Some(text),
        (Ok(Value::Truth(truth)), AnyValue::Boolean(found)) => truth == found,
        // A column has a list as JSON; those of tables with one row hold texts or whole numbers.
        (Ok(list @ Value::List(_)), found) => found.get_str() == Some(&written::json(Kind::Text.listed(), list)),
        _ => false,
    }
}

fn column(name: &str, kind: Kind, at: usize, people: &[&Person]) -> Column {
    let values = people.iter().map(|person| person.inputs[at].as_ref());
    let series = match kind {
        Kind::Text => {
            let text = |value: &Value| if let Value::Text(text) = value { text.clone() } else { String::new() };
            Series::new(name.into(), values.map(|value| value.map(text)).collect::<Vec<_>>())
        }
        Kind::List(_) => {
            let list = |value: &Value| written::json(kind, value);
            Series::new(name.into(), values.map(|value| value.map(list)).collect::<Vec<_>>())
        }
        Kind::Truth => Series::new(
            name.into(),
            values.map(|value| value.map(|truth| *truth == Value::Truth(true))).collect::<Vec<_>>(),
        ),
        kind if kind.is_fraction() => {
            Series::new(name.into(), values.map(|value| value.map(nearest)).collect::<Vec<_>>())
        }
        _ => {
            let whole = |value: &Value| if let Value::Whole(whole) = value { *whole } else { 0 };
            Series::new(name.into(), values.map(|value| value.map(whole)).collect::<Vec<_>>())
        }
    };
    let column = Column::from(series);
    match kind {
        Kind::Date => column.cast(&DataType::Int32).and_then(|days| days.cast(&DataType::Date)).expect("days"),
        _ => column,
    }
}
