//! Checks `within`: whether a date is in the window that looks back from the decision. Evaluates nothing.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::arguments::{CheckArguments, check_argument_count};
use crate::rules::check::operands::align::add;
use crate::rules::check::symbols::nodes::Nodes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Typed};
use crate::rules::graph::{Fact, Grain, Op};
use crate::rules::syntax::ast::{Binary, Call, Expr, ExprKind};
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::Value;

/// `within(90)`: the last 90 days up to and including the day that windows look back from. `within(90, date)` tests any
/// date.
pub(in crate::rules) fn within(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(
        &mut checker.mistakes,
        call,
        1..=2,
        "a number of days and, if it is not the record's, a date",
    )?;
    let days = checker.check_argument(&call.args[0], context)?;
    if days.ty.repr != Repr::Int
        || !(days.ty.unit.is_plain() || days.ty.unit == Unit::Days)
        || days.grain > Grain::Statement
    {
        let help = "such as within(90) or within($window)";
        let message = "`within` takes a whole number of days";
        return checker.mistakes.report(Diagnostic::error("type", call.args[0].span, message).help(help));
    }
    note_short_window(checker, call, &days);
    if let Some(date) = call.args.get(1) {
        return date_within(checker, days, date, context);
    }
    if !context.in_aggregate && context.target < Grain::Transaction {
        let help = "such as SUM(credit) FILTER (WHERE within(90))";
        let message = "`within` tests a transaction; it belongs in the FILTER of an aggregate or under [transaction]";
        return checker.mistakes.report(Diagnostic::error("grain", call.name_span, message).help(help));
    }
    let date = checker.check_name("trans_date", call.name_span, ExpressionContext { in_aggregate: true, ..context })?;
    let age = age(&mut checker.nodes, date);
    // Records after as_of never reach an expression, so the upper end needs no test. Compares ages, because the first
    // day of a long window may be before every valid date.
    Ok(add(&mut checker.nodes, Op::Compare(Binary::Less), &[age, days], Type::BOOLEAN))
}

/// Numbers of days that are more often numbers of months.
const RATHER_MONTHS: [i64; 9] = [2, 3, 4, 5, 6, 9, 12, 18, 24];

/// Notes a window such as `within(3)`, which may have been meant as months.
fn note_short_window(checker: &mut Checker, call: &Call, days: &Typed) {
    let text = match &call.args[0].kind {
        ExprKind::Number(digits) => digits.clone(),
        // A parameter that says its unit is meant.
        ExprKind::Parameter(name) if days.ty.unit != Unit::Days => format!("${name}"),
        _ => return,
    };
    let Op::Int(number) = checker.nodes.node(days.node).op else { return };
    if !RATHER_MONTHS.contains(&number) {
        return;
    }
    let message = format!("`within({text})` is {number} days");
    let in_days = number * 30;
    let help = match text.strip_prefix('$') {
        None => format!(
            "if months are meant: FILTER (WHERE full_months_ago < {text}), or within({in_days}) for so many days"
        ),
        Some(name) => format!(
            "if months are meant: FILTER (WHERE full_months_ago < {text}); if days are: {name} = {{ value = {number}, \
             unit = \"days\" }}"
        ),
    };
    checker
        .mistakes
        .push(Diagnostic::note("short-window", call.args[0].span, message).label("days, or months?").help(help));
}

/// Whether a date of any row or group is within the last `days` days. A future date is not.
fn date_within(checker: &mut Checker, days: Typed, date: &Expr, context: ExpressionContext) -> Checked<Typed> {
    let span = date.span;
    let date = checker.check_argument(date, context)?;
    if date.ty != Type::DATE {
        let message = "`within` takes a date after the number of days";
        let help = "such as within(90, day_date)";
        return checker.mistakes.report(Diagnostic::error("type", span, message).help(help));
    }
    let age = age(&mut checker.nodes, date);
    let zero = checker.nodes.literal(Value::Int(0), Type::DAYS);
    let is_past = add(&mut checker.nodes, Op::Compare(Binary::GreaterEqual), &[age.clone(), zero], Type::BOOLEAN);
    let is_recent = add(&mut checker.nodes, Op::Compare(Binary::Less), &[age, days], Type::BOOLEAN);
    Ok(add(&mut checker.nodes, Op::And, &[is_past, is_recent], Type::BOOLEAN))
}

/// The number of days from a date to the day that windows look back from.
fn age(nodes: &mut Nodes, date: Typed) -> Typed {
    let end = nodes.add(Op::Fact(Fact::WindowEnd), vec![], Type::DATE, Grain::Statement);
    let end = nodes.typed(end);
    add(nodes, Op::Arithmetic(Binary::Subtract), &[end, date], Type::DAYS)
}
