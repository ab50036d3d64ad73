//! Dates, times, timestamps and lengths of time in expressions: how they are written, what comes of adding and subtracting them,
//! and the functions that ask about them. Evaluates nothing.

use super::ast::{Binary, Call};
use super::functions::{arity, one};
use super::typing::{Side, add, clash, expect};
use crate::rules::check::{Checked, Checker, Place, Typed};
use crate::rules::ir::{DatePart, LocalPart, Op, Repr, Type, Unit};
use crate::rules::program::Value;
use crate::words::diagnostic::{Diagnostic, Span};

/// A value written as ISO 8601 says it.
pub(super) fn literal(checker: &mut Checker, unit: Unit, text: &str, span: Span) -> Checked<Typed> {
    match unit.read_iso(text) {
        Some(value) => Ok(checker.literal(Value::Int(value), Type::declared(unit))),
        None => {
            let message = format!("`{text}` is not {}", super::typing::describe(Type::declared(unit)));
            checker.report(Diagnostic::error("date", span, message).help(how_to_write(unit)))
        }
    }
}

/// `INTERVAL 'P1Y'` is months, `INTERVAL 'PT1H'` a duration.
pub(super) fn interval(checker: &mut Checker, text: &str, span: Span) -> Checked<Typed> {
    let is_months = Unit::Months.read_iso(text).is_some();
    literal(checker, if is_months { Unit::Months } else { Unit::Duration }, text, span)
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

/// A text is what it stands beside, where that is written as text.
pub(super) fn text_as(checker: &mut Checker, typed: Typed, beside: Type, span: Span) -> Checked<Typed> {
    match &checker.graph.node(typed.node).op {
        Op::Text(text) if beside.unit.is_iso() || beside.unit == Unit::Months => {
            literal(checker, beside.unit, &text.clone(), span)
        }
        _ => Ok(typed),
    }
}

/// Why two units cannot stand beside each other, if time is why.
pub(super) fn advice(units: (Unit, Unit)) -> Option<&'static str> {
    Some(match units {
        (Unit::Months, Unit::Days | Unit::Duration) | (Unit::Days | Unit::Duration, Unit::Months) => {
            "months are not all of one length: they are compared with months alone"
        }
        (Unit::Days, Unit::Duration) | (Unit::Duration, Unit::Days) => {
            "days are of the calendar, a duration is of the clock: date - date gives days, timestamp - timestamp a duration"
        }
        (Unit::Days, other) | (other, Unit::Days) if other.is_plain() => {
            "a parameter that is days says so: { value = 30, unit = \"days\" }"
        }
        (Unit::Months, other) | (other, Unit::Months) if other.is_plain() => {
            "a parameter that is months says so: { value = 6, unit = \"months\" }"
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

/// What has a place in the calendar or on the clock, and what lies between two of it.
pub(super) fn arithmetic(checker: &mut Checker, op: Binary, left: Side, right: Side, span: Span) -> Checked<Typed> {
    let beside = if left.0.ty.unit == Unit::Date { Unit::Days } else { left.0.ty.unit };
    let right = checker.adapt(right.0, beside, right.1)?;
    let left = left.0;
    let units = (left.ty.unit, right.ty.unit);
    let is_whole = right.ty.repr == Repr::Int;
    let ty = match (op, units) {
        (Binary::Subtract, (Unit::Date, Unit::Date)) => Type::DAYS,
        (Binary::Subtract, (Unit::Time, Unit::Time) | (Unit::Timestamp, Unit::Timestamp)) => Type::DURATION,
        (Binary::Add | Binary::Subtract, (Unit::Date, Unit::Days)) if is_whole => Type::DATE,
        (Binary::Add | Binary::Subtract, (Unit::Timestamp, Unit::Duration)) if is_whole => Type::TIMESTAMP,
        (Binary::Add, (Unit::Date, Unit::Months)) if is_whole => {
            return Ok(add(checker, Op::AddMonths, &[left, right], Type::DATE));
        }
        (Binary::Subtract, (Unit::Date, Unit::Months)) if is_whole => {
            let back = add(checker, Op::Negate, &[right], Type::MONTHS);
            return Ok(add(checker, Op::AddMonths, &[left, back], Type::DATE));
        }
        // A parameter or a count without a unit serves as days here.
        (Binary::Add | Binary::Subtract, (Unit::Date, unit)) if unit.is_plain() && is_whole => Type::DATE,
        _ => return clash(checker, units, span, op.symbol()),
    };
    Ok(add(checker, Op::Arithmetic(op), &[left, right], ty))
}

/// The unit of a product with a length of time; `None` where neither is one, or money is the other.
pub(super) fn product(left: Unit, right: Unit) -> Option<Result<Unit, ()>> {
    Some(match (left, right) {
        (Unit::Duration, other) | (other, Unit::Duration) => {
            if other.is_plain() {
                Ok(Unit::Duration)
            } else {
                Err(())
            }
        }
        (Unit::Money, _) | (_, Unit::Money) => return None,
        (Unit::Days, Unit::Days) | (Unit::Months, Unit::Months) => Ok(Unit::Number),
        (Unit::Days, Unit::Months) | (Unit::Months, Unit::Days) => Err(()),
        (Unit::Days, _) | (_, Unit::Days) => Ok(Unit::Days),
        (Unit::Months, _) | (_, Unit::Months) => Ok(Unit::Months),
        _ => return None,
    })
}

/// The same of a quotient of two units that are not one.
pub(super) fn quotient(left: Unit, right: Unit) -> Option<Result<Unit, ()>> {
    Some(match (left, right) {
        (Unit::Duration, other) if other.is_plain() => Ok(Unit::Duration),
        (Unit::Duration, _) | (_, Unit::Duration) => Err(()),
        (Unit::Days, Unit::Months) | (Unit::Months, Unit::Days) => Err(()),
        (Unit::Days | Unit::Months, other) if other.is_plain() => Ok(left),
        _ => return None,
    })
}

pub(super) fn date_part(checker: &mut Checker, call: &Call, part: DatePart, ty: Type, place: Place) -> Checked<Typed> {
    let date = one(checker, call, place)?;
    expect(checker, &date, Type::DATE, call.args[0].span)?;
    Ok(add(checker, Op::DatePart(part), &[date], ty))
}

/// `date_of`, `time_of`.
pub(super) fn local(checker: &mut Checker, call: &Call, part: LocalPart, place: Place) -> Checked<Typed> {
    let moment = one(checker, call, place)?;
    expect(checker, &moment, Type::TIMESTAMP, call.args[0].span)?;
    let ty = if part == LocalPart::Day { Type::DATE } else { Type::TIME };
    Ok(add(checker, Op::Local(part), &[moment], ty))
}

pub(super) fn add_months(checker: &mut Checker, call: &Call, place: Place) -> Checked<Typed> {
    arity(checker, call, 2..=2, "a date and a number of months")?;
    let date = checker.expr(&call.args[0], place)?;
    expect(checker, &date, Type::DATE, call.args[0].span)?;
    let months = checker.expr(&call.args[1], place)?;
    if months.ty.repr != Repr::Int || !(months.ty.unit.is_plain() || months.ty.unit == Unit::Months) {
        let message = "`add_months` takes a whole number of months";
        return checker.report(Diagnostic::error("type", call.args[1].span, message));
    }
    Ok(add(checker, Op::AddMonths, &[date, months], Type::DATE))
}
