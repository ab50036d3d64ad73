//! Arithmetic on dates, times, timestamps and durations. Evaluates nothing.

use crate::base::diagnostic::Span;
use crate::rules::check::operands::Operands;
use crate::rules::check::operands::align::{Side, adapt, add, clash};
use crate::rules::check::symbols::symbol::{Checked, Typed};
use crate::rules::graph::Op;
use crate::rules::syntax::ast::Binary;
use crate::rules::types::{Repr, Type, Unit};

/// Arithmetic on points in time, and the difference between two.
pub(in crate::rules) fn check_time_arithmetic(
    operands: &mut Operands,
    op: Binary,
    left: Side,
    right: Side,
    span: Span,
) -> Checked<Typed> {
    let wanted = if left.0.ty.unit == Unit::Date { Unit::Days } else { left.0.ty.unit };
    let right = adapt(operands, right.0, wanted, right.1)?;
    let left = left.0;
    let units = (left.ty.unit, right.ty.unit);
    let is_whole = right.ty.repr == Repr::Int;
    let ty = match (op, units) {
        (Binary::Subtract, (Unit::Date, Unit::Date)) => Type::DAYS,
        (Binary::Subtract, (Unit::Time, Unit::Time) | (Unit::Timestamp, Unit::Timestamp)) => Type::DURATION,
        (Binary::Add | Binary::Subtract, (Unit::Date, Unit::Days)) if is_whole => Type::DATE,
        (Binary::Add | Binary::Subtract, (Unit::Timestamp, Unit::Duration)) if is_whole => Type::TIMESTAMP,
        (Binary::Add, (Unit::Date, Unit::Months)) if is_whole => {
            return Ok(add(operands.nodes, Op::AddMonths, &[left, right], Type::DATE));
        }
        (Binary::Subtract, (Unit::Date, Unit::Months)) if is_whole => {
            let back = add(operands.nodes, Op::Negate, &[right], Type::MONTHS);
            return Ok(add(operands.nodes, Op::AddMonths, &[left, back], Type::DATE));
        }
        // A parameter or a count without a unit counts as days here.
        (Binary::Add | Binary::Subtract, (Unit::Date, unit)) if unit.is_plain() && is_whole => Type::DATE,
        _ => return clash(operands.mistakes, units, span, op.symbol()),
    };
    Ok(add(operands.nodes, Op::Arithmetic(op), &[left, right], ty))
}

/// The unit of a product with a length of time; `None` if there is none, or if the other is money.
pub(in crate::rules) fn time_product_unit(left: Unit, right: Unit) -> Option<Result<Unit, ()>> {
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

/// As [`time_product_unit`], for the quotient of two different units.
pub(in crate::rules) fn time_quotient_unit(left: Unit, right: Unit) -> Option<Result<Unit, ()>> {
    Some(match (left, right) {
        (Unit::Duration, other) if other.is_plain() => Ok(Unit::Duration),
        (Unit::Duration, _) | (_, Unit::Duration) => Err(()),
        (Unit::Days, Unit::Months) | (Unit::Months, Unit::Days) => Err(()),
        (Unit::Days | Unit::Months, other) if other.is_plain() => Ok(left),
        _ => return None,
    })
}
