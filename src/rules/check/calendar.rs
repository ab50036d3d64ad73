//! Arithmetic and functions on dates, times, timestamps and durations. Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::arguments::{arity, one};
use crate::rules::check::checker::Checker;
use crate::rules::check::iso_literals::text_as;
use crate::rules::check::operands::{Side, add, clash, expect};
use crate::rules::check::symbols::{Checked, ExpressionContext, Typed};
use crate::rules::graph::{DatePart, Elapsed, LocalPart, Op};
use crate::rules::syntax::ast::{Binary, Call};
use crate::rules::types::{Repr, Type, Unit};

/// Arithmetic on points in time, and the difference between two.
pub(in crate::rules) fn arithmetic(
    checker: &mut Checker,
    op: Binary,
    left: Side,
    right: Side,
    span: Span,
) -> Checked<Typed> {
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
        // A parameter or a count without a unit counts as days here.
        (Binary::Add | Binary::Subtract, (Unit::Date, unit)) if unit.is_plain() && is_whole => Type::DATE,
        _ => return clash(checker, units, span, op.symbol()),
    };
    Ok(add(checker, Op::Arithmetic(op), &[left, right], ty))
}

/// The unit of a product with a length of time; `None` if there is none, or if the other is money.
pub(in crate::rules) fn product(left: Unit, right: Unit) -> Option<Result<Unit, ()>> {
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

/// As [`product`], for the quotient of two different units.
pub(in crate::rules) fn quotient(left: Unit, right: Unit) -> Option<Result<Unit, ()>> {
    Some(match (left, right) {
        (Unit::Duration, other) if other.is_plain() => Ok(Unit::Duration),
        (Unit::Duration, _) | (_, Unit::Duration) => Err(()),
        (Unit::Days, Unit::Months) | (Unit::Months, Unit::Days) => Err(()),
        (Unit::Days | Unit::Months, other) if other.is_plain() => Ok(left),
        _ => return None,
    })
}

pub(in crate::rules) fn date_part(
    checker: &mut Checker,
    call: &Call,
    part: DatePart,
    ty: Type,
    context: ExpressionContext,
) -> Checked<Typed> {
    let date = one(checker, call, context)?;
    expect(checker, &date, Type::DATE, call.args[0].span)?;
    Ok(add(checker, Op::DatePart(part), &[date], ty))
}

/// `date_of`, `time_of`.
pub(in crate::rules) fn local(
    checker: &mut Checker,
    call: &Call,
    part: LocalPart,
    context: ExpressionContext,
) -> Checked<Typed> {
    let moment = one(checker, call, context)?;
    expect(checker, &moment, Type::TIMESTAMP, call.args[0].span)?;
    let ty = if part == LocalPart::Day { Type::DATE } else { Type::TIME };
    Ok(add(checker, Op::Local(part), &[moment], ty))
}

pub(in crate::rules) fn add_months(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    arity(checker, call, 2..=2, "a date and a number of months")?;
    let date = checker.expr(&call.args[0], context)?;
    expect(checker, &date, Type::DATE, call.args[0].span)?;
    let months = checker.expr(&call.args[1], context)?;
    if months.ty.repr != Repr::Int || !(months.ty.unit.is_plain() || months.ty.unit == Unit::Months) {
        let message = "`add_months` takes a whole number of months";
        return checker.report(Diagnostic::error("type", call.args[1].span, message));
    }
    Ok(add(checker, Op::AddMonths, &[date, months], Type::DATE))
}

/// `months_between(from, to)`, `years_between(from, to)`: how many are full.
pub(in crate::rules) fn elapsed(
    checker: &mut Checker,
    call: &Call,
    elapsed: Elapsed,
    context: ExpressionContext,
) -> Checked<Typed> {
    arity(checker, call, 2..=2, "two dates, the earlier one first")?;
    let mut dates = Vec::new();
    for arg in &call.args {
        let typed = checker.expr(arg, context)?;
        let date = text_as(checker, typed, Type::DATE, arg.span)?;
        expect(checker, &date, Type::DATE, arg.span)?;
        dates.push(date);
    }
    let ty = if elapsed == Elapsed::Months { Type::MONTHS } else { Type::COUNT };
    Ok(add(checker, Op::Elapsed(elapsed), &dates, ty))
}
