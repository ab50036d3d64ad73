//! The arguments of a call, checked. Knows no function.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::checker::Checker;
use crate::rules::check::operands::expect;
use crate::rules::check::symbols::{Checked, ExpressionContext, Typed};
use crate::rules::syntax::ast::{Call, Expr};
use crate::rules::types::Type;

pub(in crate::rules) fn arity(
    checker: &mut Checker,
    call: &Call,
    wanted: std::ops::RangeInclusive<usize>,
    usage: &str,
) -> Checked<()> {
    if wanted.contains(&call.args.len()) && !(call.star && *wanted.start() > 0) {
        return Ok(());
    }
    let message = format!("`{}` takes {usage}", call.name);
    checker.report(Diagnostic::error("arguments", call.name_span, message).label(format!("{} given", call.args.len())))
}

pub(in crate::rules) fn one(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    arity(checker, call, 1..=1, "one argument")?;
    checker.expr(&call.args[0], context)
}

pub(in crate::rules) fn arguments(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Vec<(Typed, Span)>> {
    call.args.iter().map(|arg| Ok((checker.expr(arg, context)?, arg.span))).collect()
}

pub(in crate::rules) fn boolean(checker: &mut Checker, expr: &Expr, context: ExpressionContext) -> Checked<Typed> {
    let typed = checker.expr(expr, context)?;
    expect(checker, &typed, Type::BOOLEAN, expr.span)?;
    Ok(typed)
}
