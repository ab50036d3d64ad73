//! The engine's metrics are the reference's, over any definitions and any statements.

use std::collections::BTreeMap;

use lendwright::decision::{Request, decide, reading};
use lendwright::metrics::table;
use lendwright::rules::{Policy, compile};
use lendwright::statement::{Statements, read_json};
use lendwright::words::date::Day;
use polars::prelude::AnyValue;
use proptest::prelude::*;

use super::generator::definitions;
use super::tape::Tape;
use crate::properties::reference::data::{self, statements};
use crate::properties::reference::evaluate::{At, World};
use crate::properties::reference::expression::{Definition, Grain, rule_file};
use crate::properties::reference::{Out, Val};

/// Records line by line, of up to three customers.
fn records(tape: &mut Tape) -> Vec<String> {
    let count = tape.below(25);
    (0..count).map(|index| record(tape, index)).collect()
}

fn record(tape: &mut Tape, index: usize) -> String {
    let customer = tape.pick(&["a", "a", "a", "a", "b", "c"]);
    // About five months; sometimes an exact month's end, sometimes many years ago.
    let day = match tape.below(12) {
        0..=7 => 19_723 + tape.below(40) as i32,
        8 | 9 => 19_723 + tape.below(150) as i32,
        10 => tape.pick(&[19_782, 19_753, 19_754, 19_813]),
        _ => 15_000 + tape.below(300) as i32,
    };
    let amount = |tape: &mut Tape| -> i64 {
        match tape.below(8) {
            0..=3 => tape.below(50) as i64 * 1_000,
            4 | 5 => tape.below(40_000) as i64,
            6 => 0,
            _ => tape.pick(&[i64::MAX, i64::MAX - 1, 5_000_000_000_000_000_000, 9_007_199_254_740_993]),
        }
    };
    let mut fields = format!(r#""id":"r{index:02}","customer":"{customer}","trans_date":"{}""#, Day::from_days(day));
    let side = tape.pick(&["credit", "credit", "debit"]);
    fields += &format!(r#","{side}":{}"#, amount(tape));
    if tape.chance(1) {
        let other = if side == "credit" { "debit" } else { "credit" };
        fields += &format!(r#","{other}":{}"#, amount(tape));
    }
    if tape.chance(4) {
        let balance = amount(tape);
        fields += &format!(r#","balance":{}"#, if tape.chance(3) { -balance } else { balance });
    }
    if tape.chance(3) {
        fields += &format!(r#","cleared_date":"{}""#, Day::from_days(day - 1 + tape.below(4) as i32));
    }
    if tape.chance(3) {
        fields += &format!(r#","code":"{}""#, tape.pick(&["A1", "salary", "b"]));
    }
    if tape.chance(6) {
        let long = "aXb salary, ".repeat(2_000);
        let texts = [
            "salary",
            "NIP/ACME/SALARY MAY",
            "unsalaried",
            "É 2go",
            "a%b",
            "",
            "sal for x-y",
            "éx-y",
            "–salary—",
            "İa\\u0000b",
            long.as_str(),
        ];
        fields += &format!(r#","notes":{{"desc":"{}","topics":["salary","{index}"]}}"#, tape.pick(&texts));
    }
    format!("{{{fields}}}")
}

fn read(policy: &Policy, lines: &[String]) -> Statements {
    let body = match lines {
        [] => r#"{"data":{"transactions":[]}}"#.to_string(),
        lines => lines.join("\n"),
    };
    read_json(body.as_bytes(), "any", &reading(policy)).unwrap_or_else(|wrong| panic!("{wrong}\n{body:.2000}"))
}

/// Metrics of every statement, by the engine.
fn metrics(
    policy: &Policy,
    read: &Statements,
    defined: &[Definition],
    as_of: Option<Day>,
) -> BTreeMap<String, Vec<Option<Val>>> {
    let table = table(policy, read, as_of).unwrap();
    let value = |value: AnyValue| match value {
        AnyValue::Null => None,
        AnyValue::Int64(value) => Some(Val::Int(value)),
        AnyValue::Date(days) => Some(Val::Int(i64::from(days))),
        AnyValue::Float64(value) => Some(Val::Float(value, 0.0)),
        AnyValue::Boolean(value) => Some(Val::Bool(value)),
        AnyValue::String(value) => Some(Val::Text(value.into())),
        AnyValue::StringOwned(value) => Some(Val::Text(value.to_string())),
        other => panic!("{other:?}"),
    };
    let column = |name: &str| {
        let column = table.column(name).unwrap();
        (0..table.height()).map(|row| value(column.get(row).unwrap())).collect()
    };
    let metrics = defined.iter().filter(|definition| definition.grain == Grain::Statement);
    metrics.map(|definition| (definition.name.clone(), column(&definition.name))).collect()
}

fn agree(engine: &Option<Val>, reference: &Out) -> bool {
    match (engine, reference) {
        (None, Err(_)) => true,
        (Some(Val::Float(value, _)), Ok(Val::Float(wanted, error))) => {
            value == wanted || (value - wanted).abs() <= *error
        }
        (Some(value), Ok(wanted)) => value == wanted,
        _ => false,
    }
}

fn check(defined: &[Definition], lines: &[String], as_of: Option<Day>) -> Result<(), TestCaseError> {
    let file = rule_file(defined);
    let policy = match compile("any.toml", &file, &mut |_| Err("no files".into()), &[]) {
        Ok(policy) => policy,
        Err(refused) => return Err(TestCaseError::fail(format!("a well-typed file is refused:\n{refused}\n{file}"))),
    };
    let read = read(&policy, lines);
    let shown = || {
        let short: Vec<String> = lines.iter().map(|line| line.chars().take(300).collect()).collect();
        format!("as of {as_of:?}\n{file}\n{}", short.join("\n"))
    };
    // A panic would hide what it came from.
    let run = || metrics(&policy, &read, defined, as_of);
    let Ok(found) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) else {
        return Err(TestCaseError::fail(format!("the engine panics\n{}", shown())));
    };
    let decisions = decide(&policy, &read, &as_of.map_or_else(Request::default, Request::on)).unwrap();
    let statements = statements(&read, as_of.map(|day| i64::from(day.days())));
    for definition in defined.iter().filter(|definition| definition.grain == Grain::Statement) {
        let found = &found[&definition.name];
        for (index, statement) in statements.iter().enumerate() {
            let world = World::new(defined, statement);
            let wanted = world.value(&definition.node, At::Statement);
            let fragile = world.fragile.get();
            let place = || format!("`{}` of statement {index}", definition.name);
            prop_assert!(
                agree(&found[index], &wanted) || fragile,
                "{}: the engine says {:?}, the reference {wanted:?}\n{}",
                place(),
                found[index],
                shown()
            );
            let decision = &decisions[index];
            prop_assert_eq!(
                decision.metrics[&definition.name].is_null(),
                found[index].is_none(),
                "{}: a decision and the table differ\n{}",
                place(),
                shown()
            );
            prop_assert_eq!(
                decision.unknown.contains_key(&definition.name),
                found[index].is_none(),
                "{}: an unknown without a reason, or a reason without an unknown\n{}",
                place(),
                shown()
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(super::cases(1_500))]

    #[test]
    fn the_engine_is_the_reference(
        rules in proptest::collection::vec(any::<u16>(), 40..200),
        data in proptest::collection::vec(any::<u16>(), 40..400),
        as_of in proptest::option::weighted(0.7, 19_700_i32..19_890),
    ) {
        let defined = definitions(&mut Tape::new(&rules));
        let lines = records(&mut Tape::new(&data));
        check(&defined, &lines, as_of.map(Day::from_days))?;
    }

    #[test]
    fn records_after_as_of_change_no_metric(
        rules in proptest::collection::vec(any::<u16>(), 40..200),
        data in proptest::collection::vec(any::<u16>(), 40..400),
        as_of in 19_700_i32..19_890,
    ) {
        let defined = definitions(&mut Tape::new(&rules));
        let lines = records(&mut Tape::new(&data));
        let day = Day::from_days(as_of);
        let date = |line: &String| line.split_once(r#""trans_date":""#).unwrap().1[..10].to_string();
        let until: Vec<String> = lines.iter().filter(|line| date(line) <= day.to_string()).cloned().collect();
        let file = rule_file(&defined);
        let policy = compile("any.toml", &file, &mut |_| Err("no files".into()), &[]).unwrap();
        let (all, cut) = (read(&policy, &lines), read(&policy, &until));
        let (mut found, wanted) = (metrics(&policy, &all, &defined, Some(day)), metrics(&policy, &cut, &defined, Some(day)));
        // A customer all of whose records come later is no statement at all in the other.
        let known: Vec<_> = cut.heads().iter().map(|head| head.customer.clone()).collect();
        for values in found.values_mut().filter(|_| !until.is_empty()) {
            let mut heads = all.heads().iter();
            values.retain(|_| known.contains(&heads.next().unwrap().customer));
        }
        if !until.is_empty() {
            prop_assert_eq!(found, wanted, "as of {}\n{}\n{:.3000}", day, file, lines.join("\n"));
        }
    }
}

#[test]
fn the_reference_knows_its_calendar() {
    assert!(data::is_day(-25_567) && !data::is_day(-25_568));
    assert_eq!(data::date(19_782).map(data::days), Some(19_782));
    assert_eq!(data::date(19_782).unwrap().to_string(), "2024-02-29");
}
