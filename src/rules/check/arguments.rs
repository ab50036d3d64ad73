//! The arguments of a call, checked. Knows no function.

use crate::rules::check::checker::Checker;
use crate::rules::check::operands::expect;
use crate::rules::check::symbols::{Checked, Place, Typed};
use crate::rules::syntax::ast::{Call, Expr};
use crate::rules::types::Type;
use crate::words::diagnostic::{Diagnostic, Span};

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

pub(in crate::rules) fn one(checker: &mut Checker, call: &Call, place: Place) -> Checked<Typed> {
    arity(checker, call, 1..=1, "one argument")?;
    checker.expr(&call.args[0], place)
}

pub(in crate::rules) fn arguments(checker: &mut Checker, call: &Call, place: Place) -> Checked<Vec<(Typed, Span)>> {
    call.args.iter().map(|arg| Ok((checker.expr(arg, place)?, arg.span))).collect()
}

pub(in crate::rules) fn boolean(checker: &mut Checker, expr: &Expr, place: Place) -> Checked<Typed> {
    let typed = checker.expr(expr, place)?;
    expect(checker, &typed, Type::BOOLEAN, expr.span)?;
    Ok(typed)
}
