//! Dates, times, timestamps and durations written as ISO 8601 text, and advice for units of time that do not mix.
//! Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::operands::Operands;
use crate::rules::check::symbols::symbol::{Checked, Typed};
use crate::rules::graph::Op;
use crate::rules::types::{Type, Unit};
use crate::rules::value::Value;

/// A value written as ISO 8601.
pub(in crate::rules) fn check_iso_literal(
    operands: &mut Operands,
    unit: Unit,
    text: &str,
    span: Span,
) -> Checked<Typed> {
    match unit.read_iso(text) {
        Some(value) => Ok(operands.nodes.literal(Value::Int(value), Type::declared(unit))),
        None => {
            let message = format!("`{text}` is not {}", crate::rules::types::describe_type(Type::declared(unit)));
            operands.mistakes.report(Diagnostic::error("date", span, message).help(how_to_write(unit)))
        }
    }
}

/// `INTERVAL 'P1Y'` is months, `INTERVAL 'PT1H'` a duration.
pub(in crate::rules) fn check_interval_literal(operands: &mut Operands, text: &str, span: Span) -> Checked<Typed> {
    let is_months = Unit::Months.read_iso(text).is_some();
    check_iso_literal(operands, if is_months { Unit::Months } else { Unit::Duration }, text, span)
}

fn how_to_write(unit: Unit) -> &'static str {
    match unit {
        Unit::Date => "write DATE '2026-01-31'",
        Unit::Time => "write TIME '22:30'",
        Unit::Timestamp => "write TIMESTAMP '2026-01-31T22:30:00+01:00', with its offset from UTC or a Z",
        Unit::Months => "write INTERVAL 'P1Y6M', or a whole number of months",
        _ => "write INTERVAL 'PT1H30M', or INTERVAL 'P1Y6M' for months",
    }
}

/// Reads a text literal as the unit of its other operand, if that unit is written as text.
pub(in crate::rules) fn text_as(operands: &mut Operands, typed: Typed, other: Type, span: Span) -> Checked<Typed> {
    match &operands.nodes.node(typed.node).op {
        Op::Text(text) if other.unit.is_iso() || other.unit == Unit::Months => {
            check_iso_literal(operands, other.unit, &text.clone(), span)
        }
        _ => Ok(typed),
    }
}

/// Why two units do not go together, if the reason is time.
pub(in crate::rules) fn advise_on_time_units(units: (Unit, Unit)) -> Option<&'static str> {
    Some(match units {
        (Unit::Months, Unit::Days | Unit::Duration) | (Unit::Days | Unit::Duration, Unit::Months) => {
            "months differ in length: compare them only with months"
        }
        (Unit::Days, Unit::Duration) | (Unit::Duration, Unit::Days) => {
            "days count calendar days, a duration measures clock time: date - date gives days, timestamp - timestamp a \
             duration"
        }
        (Unit::Days, Unit::Count) | (Unit::Count, Unit::Days) => {
            "days are a length of time, a count is how many: compare days with days (staleness_days <= 45), and a \
             count with a number; a parameter in days needs unit = \"days\""
        }
        (Unit::Days, other) | (other, Unit::Days) if other.is_plain() => {
            "give a parameter in days its unit: { value = 30, unit = \"days\" }"
        }
        (Unit::Months, Unit::Count) | (Unit::Count, Unit::Months) => {
            "a count of months, such as full_months, is a plain number; leave out the parameter's unit: { value = 3 }"
        }
        (Unit::Months, other) | (other, Unit::Months) if other.is_plain() => {
            "give a parameter in months its unit: { value = 6, unit = \"months\" }"
        }
        (Unit::Timestamp, Unit::Date) | (Unit::Date, Unit::Timestamp) => {
            "date_of(timestamp) is its day in the policy's time zone"
        }
        (Unit::Timestamp, Unit::Time) | (Unit::Time, Unit::Timestamp) => {
            "time_of(timestamp) is its time of day in the policy's time zone"
        }
        (Unit::Date, _) | (_, Unit::Date) => "a date is written DATE '2026-01-31'; date - date gives days",
        (Unit::Timestamp, _) | (_, Unit::Timestamp) => {
            "a timestamp is written TIMESTAMP '2026-01-31T22:30:00Z'; timestamp - timestamp gives a duration"
        }
        (Unit::Time, _) | (_, Unit::Time) => "a time of day is written TIME '22:30'; time - time gives a duration",
        (Unit::Duration, _) | (_, Unit::Duration) => "a duration is written INTERVAL 'PT1H30M'",
        _ => return None,
    })
}
