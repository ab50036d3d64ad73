//! Checks functions of dates and timestamps: what each asks of its arguments and what it returns. Evaluates nothing.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::arguments::{CheckArguments, check_argument_count, check_only_argument};
use crate::rules::check::operands::align::{add, expect};
use crate::rules::check::operands::iso_literals::text_as;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Typed};
use crate::rules::graph::{DatePart, Elapsed, LocalPart, Op};
use crate::rules::syntax::ast::Call;
use crate::rules::types::{Repr, Type, Unit};

pub(in crate::rules) fn date_part(
    checker: &mut Checker,
    call: &Call,
    part: DatePart,
    ty: Type,
    context: ExpressionContext,
) -> Checked<Typed> {
    let date = check_only_argument(checker, call, context)?;
    expect(&mut checker.mistakes, &date, Type::DATE, call.args[0].span)?;
    Ok(add(&mut checker.nodes, Op::DatePart(part), &[date], ty))
}

/// `date_of`, `time_of`.
pub(in crate::rules) fn check_local_time_part(
    checker: &mut Checker,
    call: &Call,
    part: LocalPart,
    context: ExpressionContext,
) -> Checked<Typed> {
    let moment = check_only_argument(checker, call, context)?;
    expect(&mut checker.mistakes, &moment, Type::TIMESTAMP, call.args[0].span)?;
    let ty = if part == LocalPart::Day { Type::DATE } else { Type::TIME };
    Ok(add(&mut checker.nodes, Op::Local(part), &[moment], ty))
}

pub(in crate::rules) fn add_months(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "a date and a number of months")?;
    let date = checker.check_argument(&call.args[0], context)?;
    expect(&mut checker.mistakes, &date, Type::DATE, call.args[0].span)?;
    let months = checker.check_argument(&call.args[1], context)?;
    if months.ty.repr != Repr::Int || !(months.ty.unit.is_plain() || months.ty.unit == Unit::Months) {
        let message = "`add_months` takes a whole number of months";
        return checker.mistakes.report(Diagnostic::error("type", call.args[1].span, message));
    }
    Ok(add(&mut checker.nodes, Op::AddMonths, &[date, months], Type::DATE))
}

/// `months_between(from, to)`, `years_between(from, to)`: how many are full.
pub(in crate::rules) fn check_elapsed_periods(
    checker: &mut Checker,
    call: &Call,
    elapsed: Elapsed,
    context: ExpressionContext,
) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "two dates, the earlier one first")?;
    let mut dates = Vec::new();
    for arg in &call.args {
        let typed = checker.check_argument(arg, context)?;
        let date = text_as(&mut checker.operands(), typed, Type::DATE, arg.span)?;
        expect(&mut checker.mistakes, &date, Type::DATE, arg.span)?;
        dates.push(date);
    }
    let ty = if elapsed == Elapsed::Months { Type::MONTHS } else { Type::COUNT };
    Ok(add(&mut checker.nodes, Op::Elapsed(elapsed), &dates, ty))
}
