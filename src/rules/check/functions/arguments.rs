//! The arguments of a call, checked. Knows no function.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::checker::Checker;
use crate::rules::check::operands::align::expect;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Typed};
use crate::rules::syntax::ast::{Call, Expr};
use crate::rules::types::Type;

/// Checks the expressions in a call. A call holds expressions and an expression holds calls, so `expressions`
/// implements this. It is the only way back from functions to expressions.
pub(in crate::rules) trait CheckArguments {
    fn check_argument(&mut self, expr: &Expr, context: ExpressionContext) -> Checked<Typed>;

    /// The value of a name that a function uses by itself.
    fn check_name(&mut self, name: &str, span: Span, context: ExpressionContext) -> Checked<Typed>;
}

pub(in crate::rules) fn check_argument_count(
    mistakes: &mut Mistakes,
    call: &Call,
    wanted: std::ops::RangeInclusive<usize>,
    usage: &str,
) -> Checked<()> {
    if wanted.contains(&call.args.len()) && !(call.star && *wanted.start() > 0) {
        return Ok(());
    }
    let message = format!("`{}` takes {usage}", call.name);
    mistakes.report(Diagnostic::error("arguments", call.name_span, message).label(format!("{} given", call.args.len())))
}

pub(in crate::rules) fn check_only_argument(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 1..=1, "one argument")?;
    checker.check_argument(&call.args[0], context)
}

pub(in crate::rules) fn check_arguments(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Vec<(Typed, Span)>> {
    call.args.iter().map(|arg| Ok((checker.check_argument(arg, context)?, arg.span))).collect()
}

pub(in crate::rules) fn check_boolean_expression(
    checker: &mut Checker,
    expr: &Expr,
    context: ExpressionContext,
) -> Checked<Typed> {
    let typed = checker.check_argument(expr, context)?;
    expect(&mut checker.mistakes, &typed, Type::BOOLEAN, expr.span)?;
    Ok(typed)
}
