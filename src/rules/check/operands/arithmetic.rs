//! Numbers as written, and arithmetic on two sides: the units that go together, and the unit of the result. Evaluates
//! nothing.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::rational::Rational;
use crate::rules::check::operands::align::{Side, add, alike, expect_number, joined, make_both_approximate};
use crate::rules::check::operands::{Operands, calendar};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, Typed};
use crate::rules::graph::Op;
use crate::rules::syntax::ast::Binary;
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::Value;

/// A number as written, which takes the unit of its other operand.
pub(in crate::rules) fn number(operands: &mut Operands, digits: &str, span: Span) -> Checked<Typed> {
    let whole = digits.trim_start_matches('-').bytes().all(|digit| digit.is_ascii_digit());
    let value = match digits.parse::<i64>() {
        Err(_) if whole => {
            let message = format!("`{digits}` is too large");
            let help = "whole numbers go up to 9,223,372,036,854,775,807";
            return operands.mistakes.report(Diagnostic::error("number", span, message).label("too large").help(help));
        }
        Ok(value) => Some((Value::Int(value), Type::NUMBER.with(Repr::Int))),
        Err(_) => Rational::parse(digits).map(|number| (Value::Rational(number), Type::NUMBER)),
    };
    let Some((value, ty)) = value else {
        return operands.mistakes.report(Diagnostic::error("number", span, format!("`{digits}` is not a number")));
    };
    Ok(Typed { bare: Some(digits.to_string()), ..operands.nodes.literal(value, ty) })
}

/// Arithmetic on two checked sides.
pub(in crate::rules) fn arithmetic(
    operands: &mut Operands,
    op: Binary,
    left: Side,
    right: Side,
    span: Span,
) -> Checked<Typed> {
    if left.0.ty.unit.is_place_in_time() || right.0.ty.unit.is_place_in_time() {
        return calendar::check_time_arithmetic(operands, op, left, right, span);
    }
    expect_number(operands.mistakes, &left.0, left.1)?;
    expect_number(operands.mistakes, &right.0, right.1)?;
    if let Some(digits) = folded(op, &left.0, &right.0) {
        return number(operands, &digits, span);
    }
    match op {
        Binary::Add | Binary::Subtract | Binary::Remainder => {
            let units = (left.0.ty.unit, right.0.ty.unit);
            let bare = (left.0.bare.is_some(), right.0.bare.is_some());
            let (left, right) = alike(operands, left, right, span, op.symbol())?;
            // 1 - ratio is a ratio, count + 1 a count; a count next to a ratio is a plain number.
            let unit = match (bare, left.ty.unit == right.ty.unit) {
                ((true, false), _) => units.1,
                ((false, true), _) => units.0,
                (_, true) => left.ty.unit,
                _ => Unit::Number,
            };
            let ty = Type { unit, repr: joined(&left, &right) };
            Ok(add(operands.nodes, Op::Arithmetic(op), &[left, right], ty))
        }
        Binary::Multiply => {
            let unit = product_unit(operands.mistakes, left.0.ty.unit, right.0.ty.unit, span)?;
            let (left, right) = make_both_approximate(operands.nodes, left.0, right.0);
            let ty = Type { unit, repr: joined(&left, &right) };
            Ok(add(operands.nodes, Op::Arithmetic(op), &[left, right], ty))
        }
        Binary::Divide => {
            let unit = quotient_unit(operands.mistakes, left.0.ty.unit, right.0.ty.unit, span)?;
            let (left, right) = make_both_approximate(operands.nodes, left.0, right.0);
            let repr = if left.ty.repr == Repr::Float { Repr::Float } else { Repr::Rational };
            let ty = Type { unit, repr };
            Ok(add(operands.nodes, Op::Arithmetic(op), &[left, right], ty))
        }
        // `binary` handles these; a new operator must not pass for a division.
        Binary::Equal
        | Binary::NotEqual
        | Binary::Less
        | Binary::LessEqual
        | Binary::Greater
        | Binary::GreaterEqual
        | Binary::And
        | Binary::Or => meaningless(operands.mistakes, (left.0.ty.unit, right.0.ty.unit), op.symbol(), span),
    }
}

/// Folds two bare whole numbers into one bare number, which still takes the unit of its other operand.
fn folded(op: Binary, left: &Typed, right: &Typed) -> Option<String> {
    let (left, right): (i64, i64) = (left.bare.as_ref()?.parse().ok()?, right.bare.as_ref()?.parse().ok()?);
    let whole = match op {
        Binary::Add => left.checked_add(right),
        Binary::Subtract => left.checked_sub(right),
        Binary::Multiply => left.checked_mul(right),
        _ => None,
    };
    whole.map(|whole| whole.to_string())
}

fn product_unit(mistakes: &mut Mistakes, left: Unit, right: Unit, span: Span) -> Checked<Unit> {
    match calendar::time_product_unit(left, right) {
        Some(Ok(unit)) => return Ok(unit),
        Some(Err(())) => return meaningless(mistakes, (left, right), "*", span),
        None => {}
    }
    Ok(match (left, right) {
        (Unit::Money, Unit::Money) => {
            return mistakes.report(
                Diagnostic::error("unit", span, "money * money has no meaning")
                    .help("multiply money by a number, a count or a ratio"),
            );
        }
        (Unit::Money, _) | (_, Unit::Money) => Unit::Money,
        (Unit::Count, Unit::Count) => Unit::Count,
        (Unit::Ratio, Unit::Ratio) => Unit::Ratio,
        _ => Unit::Number,
    })
}

fn quotient_unit(mistakes: &mut Mistakes, left: Unit, right: Unit, span: Span) -> Checked<Unit> {
    match (left, right, calendar::time_quotient_unit(left, right)) {
        _ if left == right => Ok(Unit::Ratio),
        (_, _, Some(Ok(unit))) => Ok(unit),
        (_, _, Some(Err(()))) => meaningless(mistakes, (left, right), "/", span),
        (_, Unit::Money, _) => {
            let message = format!("{} / money has no meaning", left.word());
            mistakes.report(Diagnostic::error("unit", span, message).help("divide money by money"))
        }
        (Unit::Money, ..) => Ok(Unit::Money),
        _ => Ok(Unit::Number),
    }
}

fn meaningless<T>(mistakes: &mut Mistakes, units: (Unit, Unit), sign: &str, span: Span) -> Checked<T> {
    let message = format!("{} {sign} {} has no meaning", units.0.word(), units.1.word());
    let help = "a duration goes with a plain number: 2 * INTERVAL 'PT1H'; months and days do not mix";
    mistakes.report(Diagnostic::error("unit", span, message).help(help))
}
