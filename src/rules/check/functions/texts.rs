//! Checks functions of texts: what each asks of its arguments and what it returns. Evaluates nothing.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::arguments::{CheckArguments, check_argument_count, check_only_argument};
use crate::rules::check::operands::align::{add, expect, no_list};
use crate::rules::check::operands::letter_case::warn_of_other_case;
use crate::rules::check::operands::record_texts::clean_sought;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Typed};
use crate::rules::graph::{Op, TextPlace};
use crate::rules::syntax::ast::{Call, Expr, ExprKind};
use crate::rules::types::{Repr, Type, Unit, describe_type};

pub(in crate::rules) fn check_concat_call(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 1..=50, "one or more texts")?;
    let mut texts = Vec::new();
    for arg in &call.args {
        let typed = checker.check_argument(arg, context)?;
        if typed.ty != Type::TEXT {
            let message = format!("expected text, found {}", describe_type(typed.ty));
            let help = "text_of(x) makes text of a number";
            return checker.mistakes.report(Diagnostic::error("type", arg.span, message).help(help));
        }
        texts.push(typed);
    }
    Ok(add(&mut checker.nodes, Op::Concat, &texts, Type::TEXT))
}

pub(in crate::rules) fn text_of(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    let typed = check_only_argument(checker, call, context)?;
    no_list(&mut checker.mistakes, &typed, call.args[0].span)?;
    if typed.ty.unit == Unit::Money {
        let help = "write {name} in a reason: it prints the amount with its currency";
        let message = "money cannot become text without its currency";
        return checker.mistakes.report(Diagnostic::error("type", call.args[0].span, message).help(help));
    }
    let unit = typed.ty.unit;
    Ok(add(&mut checker.nodes, Op::ToText(unit), &[typed], Type::TEXT))
}

/// A function of one text.
pub(in crate::rules) fn text_function(
    checker: &mut Checker,
    call: &Call,
    op: Op,
    ty: Type,
    context: ExpressionContext,
) -> Checked<Typed> {
    let text = check_only_argument(checker, call, context)?;
    expect(&mut checker.mistakes, &text, Type::TEXT, call.args[0].span)?;
    Ok(add(&mut checker.nodes, op, &[text], ty))
}

/// `starts_with(text, part)` and its siblings.
pub(in crate::rules) fn has_text(
    checker: &mut Checker,
    call: &Call,
    place: TextPlace,
    context: ExpressionContext,
) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "a text and the part to look for")?;
    let text = checker.check_argument(&call.args[0], context)?;
    if text.ty.repr == Repr::List {
        let message = format!("`{}` looks into a text, and this is a list", call.name);
        let help = "list_contains(list, x) looks for a value in a list";
        return checker.mistakes.report(Diagnostic::error("type", call.args[0].span, message).help(help));
    }
    expect(&mut checker.mistakes, &text, Type::TEXT, call.args[0].span)?;
    let part = checker.check_argument(&call.args[1], context)?;
    expect(&mut checker.mistakes, &part, Type::TEXT, call.args[1].span)?;
    refuse_empty(&mut checker.mistakes, call, &call.args[1], "every text has an empty part")?;
    warn_of_other_case(&mut checker.operands(), &text, &part, call.args[1].span);
    let part = clean_sought(&mut checker.nodes, text.node, part, place);
    Ok(add(&mut checker.nodes, Op::HasText(place), &[text, part], Type::BOOLEAN))
}

/// `substring(text, start[, length])`, which counts characters from 1.
pub(in crate::rules) fn check_substring_call(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Typed> {
    check_argument_count(
        &mut checker.mistakes,
        call,
        2..=3,
        "a text, the place to start from, and how many characters",
    )?;
    let text = checker.check_argument(&call.args[0], context)?;
    expect(&mut checker.mistakes, &text, Type::TEXT, call.args[0].span)?;
    let mut inputs = vec![text];
    for (arg, least) in call.args[1..].iter().zip([1, 0]) {
        let number = checker.check_argument(arg, context)?;
        if number.ty.repr != Repr::Int || !number.ty.unit.is_plain() {
            let message = format!("expected a whole number, found {}", describe_type(number.ty));
            return checker.mistakes.report(Diagnostic::error("type", arg.span, message));
        }
        if let Op::Int(written) = checker.nodes.node(number.node).op
            && written < least
        {
            let message = match least {
                1 => format!("a text starts at character 1, not at {written}"),
                _ => format!("no text has {written} characters"),
            };
            let help = "the first three characters are substring(text, 1, 3)";
            return checker.mistakes.report(Diagnostic::error("arguments", arg.span, message).help(help));
        }
        inputs.push(number);
    }
    Ok(add(&mut checker.nodes, Op::Substring, &inputs, Type::TEXT))
}

pub(in crate::rules) fn check_replace_call(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 3..=3, "a text, what to replace in it, and what to put there")?;
    let mut texts = Vec::new();
    for arg in &call.args {
        let typed = checker.check_argument(arg, context)?;
        expect(&mut checker.mistakes, &typed, Type::TEXT, arg.span)?;
        texts.push(typed);
    }
    refuse_empty(&mut checker.mistakes, call, &call.args[1], "an empty text cannot be replaced")?;
    Ok(add(&mut checker.nodes, Op::Replace, &texts, Type::TEXT))
}

fn refuse_empty(mistakes: &mut Mistakes, call: &Call, arg: &Expr, message: &str) -> Checked<()> {
    match &arg.kind {
        ExprKind::Text(text) if text.is_empty() => {
            let help = format!("write what `{}` looks for", call.name);
            mistakes.report(Diagnostic::error("arguments", arg.span, message).help(help))
        }
        _ => Ok(()),
    }
}
