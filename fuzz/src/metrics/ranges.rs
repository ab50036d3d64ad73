//! The ranges and reasons that the analysis predicts for a metric, against its actual values: random rules over random
//! statements must never leave them.

use lendwright::analysis::{Range, dictionary, list_value_ranges};
use lendwright::base::date::Day;
use lendwright::decision::{Request, decide, reading};
use lendwright::rules::{Repr, Unit, Value};
use lendwright::statement::read_json;
use serde_json::Value as Json;

use super::generator::{self, Tape};

/// A value of a decision as a value of an expression.
pub fn value(range: &Range, json: &Json) -> Option<Value> {
    match (range.ty.repr, range.ty.unit) {
        (_, Unit::Date) => json.as_str().and_then(Day::parse_iso).map(|day| Value::Int(i64::from(day.days()))),
        (Repr::Int, _) => json.as_i64().map(Value::Int),
        // Ranges compare a fraction as its nearest double.
        (Repr::Rational | Repr::Float, _) => json.as_f64().map(Value::Float),
        (Repr::Boolean, _) => json.as_bool().map(Value::Boolean),
        _ => json.as_str().map(|text| Value::Text(text.to_owned())),
    }
}

/// Rules and a statement from a tape of numbers. The error describes a value, or a reason for unknown, that the
/// analysis excludes.
pub fn hold(numbers: &[u32]) -> Result<(), String> {
    let mut tape = Tape::new(numbers);
    let rules = generator::rules(&mut tape);
    let (mut records, as_of) = generator::statement(&mut tape);
    // The analysis ignores values that are too large.
    for record in &mut records {
        for amount in [&mut record.credit, &mut record.debit, &mut record.balance] {
            *amount = amount.map(|minor| minor % 100_000_000);
        }
    }
    let text = super::rule_file(&rules);
    let policy = super::compiled(&text);
    let lines: String = records.iter().map(|record| super::record_line(0, record)).collect();
    let nothing = r#"{"status": "success", "data": {"transactions": []}}"#;
    let written = if lines.is_empty() { nothing } else { &lines };
    let statements = read_json(written.as_bytes(), "random", &reading(&policy)).expect("a statement");
    let request = as_of.map_or_else(Request::default, |as_of| Request::on(super::day(as_of)));
    let decisions = decide(&policy, &statements, &request).expect("decisions");
    let told = dictionary(&policy);
    for decision in &decisions {
        if decision.unknown.values().any(|reason| reason == "overflow") {
            return Ok(());
        }
        for range in list_value_ranges(&policy) {
            let found = value(&range, &decision.metrics[&range.name]);
            if !range.holds(found.as_ref()) {
                let name = &range.name;
                return Err(format!(
                    "{name} is {found:?}, the analysis says {range}\nas of {as_of:?}\n{text}\n{lines}"
                ));
            }
        }
        for (name, reason) in &decision.unknown {
            let entry = told.entry(name).ok_or_else(|| format!("{name} is not in the dictionary\n{text}"))?;
            if !entry.unknown.iter().any(|known| known.code == *reason) {
                let known = &entry.unknown;
                return Err(format!(
                    "{name} is unknown by {reason}, the dictionary says {known:?}\nas of {as_of:?}\n{text}\n{lines}"
                ));
            }
        }
    }
    Ok(())
}
