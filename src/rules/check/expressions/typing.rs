//! Checks the type, unit and grain of every expression; calls are checked by `functions`. Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::checker::Checker;
use crate::rules::check::expressions::names::{parameter, qualified};
use crate::rules::check::functions::arguments::{CheckArguments, check_boolean_expression};
use crate::rules::check::functions::call;
use crate::rules::check::operands::align::{Side, add, comparison, expect, expect_number, unify};
use crate::rules::check::operands::arithmetic::{arithmetic, number};
use crate::rules::check::operands::record_texts::clean_pattern;
use crate::rules::check::operands::{iso_literals, letter_case};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Typed};
use crate::rules::graph::{Grain, NodeId, Op, TransactionColumn};
use crate::rules::syntax::ast::{Binary, Expr, ExprKind, Like, Unary};
use crate::rules::syntax::parse;
use crate::rules::syntax::source::Text;
use crate::rules::types::{Type, Unit, describe_type};
use crate::rules::value::Value;

impl Checker<'_> {
    /// Parses and checks one expression.
    pub(in crate::rules) fn expression(&mut self, text: &Text, context: ExpressionContext) -> Checked<Typed> {
        match parse::parse_rule_expression(text) {
            Ok(expr) => self.expr(&expr, context),
            Err(diagnostic) => self.mistakes.report(diagnostic),
        }
    }

    /// One that must give a truth value.
    pub(in crate::rules) fn condition(&mut self, text: &Text, context: ExpressionContext) -> Checked<NodeId> {
        let typed = self.expression(text, context)?;
        if typed.ty != Type::BOOLEAN {
            let message = format!("this must be true or false, but it is {}", describe_type(typed.ty));
            return self
                .mistakes
                .report(Diagnostic::error("type", text.span(), message).help("compare it with something"));
        }
        Ok(self.nodes.at_least(typed, Grain::Statement))
    }

    /// Checks a parsed expression.
    pub(in crate::rules) fn expr(&mut self, expr: &Expr, context: ExpressionContext) -> Checked<Typed> {
        self::check_expression_kind(self, expr, context)
    }
}

impl CheckArguments for Checker<'_> {
    fn check_argument(&mut self, expr: &Expr, context: ExpressionContext) -> Checked<Typed> {
        self.expr(expr, context)
    }

    fn check_name(&mut self, name: &str, span: Span, context: ExpressionContext) -> Checked<Typed> {
        self.name(name, span, context)
    }
}

fn check_expression_kind(checker: &mut Checker, expr: &Expr, context: ExpressionContext) -> Checked<Typed> {
    let span = expr.span;
    match &expr.kind {
        ExprKind::Name(name) => {
            checker.note_name(name, span);
            checker.name(name, span, context)
        }
        ExprKind::Qualified(space, name) => qualified(checker, space, name, span, context),
        ExprKind::Parameter(name) => parameter(checker, name, span),
        ExprKind::Number(digits) => number(&mut checker.operands(), digits, span),
        ExprKind::Text(text) => Ok(checker.nodes.literal(Value::Text(text.clone()), Type::TEXT)),
        ExprKind::Date(text) => iso_literals::check_iso_literal(&mut checker.operands(), Unit::Date, text, span),
        ExprKind::Time(text) => iso_literals::check_iso_literal(&mut checker.operands(), Unit::Time, text, span),
        ExprKind::Timestamp(text) => {
            iso_literals::check_iso_literal(&mut checker.operands(), Unit::Timestamp, text, span)
        }
        ExprKind::Interval(text) => iso_literals::check_interval_literal(&mut checker.operands(), text, span),
        ExprKind::Boolean(value) => Ok(checker.nodes.literal(Value::Boolean(*value), Type::BOOLEAN)),
        ExprKind::Null => {
            let help = "test a value with IS NULL; NULL may be the result of an arm of a CASE, or an output: = NULL";
            checker.mistakes.report(Diagnostic::error("type", span, "NULL alone has no type").help(help))
        }
        ExprKind::Unary(op, inner) => check_unary_operation(checker, *op, inner, span, context),
        ExprKind::Binary(op, left, right) => check_binary_operation(checker, *op, left, right, span, context),
        ExprKind::IsNull(inner) => {
            let inner = checker.expr(inner, context)?;
            Ok(add(&mut checker.nodes, Op::IsNull, &[inner], Type::BOOLEAN))
        }
        ExprKind::IsBoolean(inner, wanted) => {
            let inner = check_boolean_expression(checker, inner, context)?;
            Ok(add(&mut checker.nodes, Op::IsBoolean(*wanted), &[inner], Type::BOOLEAN))
        }
        ExprKind::In(value, list) => check_in_list(checker, value, list, span, context),
        ExprKind::Like(value, like) => {
            let typed = checker.expr(value, context)?;
            expect(&mut checker.mistakes, &typed, Type::TEXT, value.span)?;
            letter_case::warn_of_pattern_in_other_case(&mut checker.operands(), &typed, like, span);
            warn_of_pattern_without_sign(&mut checker.mistakes, like, span);
            note_unusual_pattern(checker, &typed, like, span);
            let like = clean_pattern(&checker.nodes, typed.node, like);
            Ok(add(&mut checker.nodes, Op::Like(like), &[typed], Type::BOOLEAN))
        }
        ExprKind::Case(arms, otherwise) => check_case_expression(checker, arms, otherwise.as_deref(), span, context),
        ExprKind::Call(call) => call::call(checker, call, span, context),
    }
}

/// Warns of a pattern that is only the text itself, such as `ILIKE 'tesco'`.
fn warn_of_pattern_without_sign(mistakes: &mut Mistakes, like: &Like, span: Span) {
    if like.pattern.contains(['%', '_']) || like.pattern.is_empty() {
        return;
    }
    let (pattern, name) = (&like.pattern, if like.any_case { "ILIKE" } else { "LIKE" });
    let message = format!("without a `%`, {name} finds only a text that is '{pattern}' and nothing else");
    let anywhere = format!("'%{pattern}%'");
    let help = format!("write {anywhere} to find it anywhere, or = '{pattern}' for the whole text");
    let warning = Diagnostic::warning("pattern", span, message).label("the whole text").help(help);
    mistakes.push(warning.meant_at(letter_case::pattern_span(span, like), &format!("'{pattern}'"), Some(anywhere)));
}

/// Notes small letters that a narration in capitals does not have, and a `*` as other programs use it.
fn note_unusual_pattern(checker: &mut Checker, value: &Typed, like: &Like, span: Span) {
    let is_narration = checker.nodes.node(value.node).op == Op::Column(TransactionColumn::Description);
    let (has_small, has_capital) =
        (like.pattern.contains(char::is_lowercase), like.pattern.contains(char::is_uppercase));
    let (message, help) = if is_narration && !like.any_case && has_small && !has_capital {
        let message = format!("LIKE '{}' finds small letters only, and most narrations are in capitals", like.pattern);
        (message, format!("ILIKE '{}' finds both", like.pattern))
    } else if has_star_at_end(&like.pattern) {
        let message = format!("the `*` in '{}' matches only a `*`", like.pattern);
        (message, "`%` matches any letters; delete the `*`, unless narrations have it".to_owned())
    } else {
        return;
    };
    checker.mistakes.push(Diagnostic::note("pattern", span, message).help(help));
}

/// Whether a part of the pattern between its signs begins or ends with a letter and a `*`.
fn has_star_at_end(pattern: &str) -> bool {
    pattern.split('%').any(|part| {
        let (mut letters, mut reversed) = (part.chars(), part.chars().rev());
        let is_star =
            |mut two: [Option<char>; 2]| two[0].take() == Some('*') && two[1].is_some_and(char::is_alphabetic);
        is_star([letters.next(), letters.next()]) || is_star([reversed.next(), reversed.next()])
    })
}

fn check_unary_operation(
    checker: &mut Checker,
    op: Unary,
    inner: &Expr,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    if op == Unary::Not {
        let inner = check_boolean_expression(checker, inner, context)?;
        return Ok(add(&mut checker.nodes, Op::Not, &[inner], Type::BOOLEAN));
    }
    if let ExprKind::Number(digits) = &inner.kind {
        return number(&mut checker.operands(), &format!("-{digits}"), span);
    }
    let typed = checker.expr(inner, context)?;
    expect_number(&mut checker.mistakes, &typed, inner.span)?;
    let ty = typed.ty;
    Ok(add(&mut checker.nodes, Op::Negate, &[typed], ty))
}

fn check_binary_operation(
    checker: &mut Checker,
    op: Binary,
    left: &Expr,
    right: &Expr,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    if matches!(op, Binary::And | Binary::Or) {
        let left = check_boolean_expression(checker, left, context);
        let right = check_boolean_expression(checker, right, context);
        let op = if op == Binary::And { Op::And } else { Op::Or };
        return Ok(add(&mut checker.nodes, op, &[left?, right?], Type::BOOLEAN));
    }
    // Checks both sides before giving up, so that a mistake in each is shown.
    if op.is_comparison() && is_unknown_name(checker, left) {
        if let Ok(typed) = checker.expr(right, context) {
            refuse_bare_text(checker, &typed, left)?;
        }
        return checker.expr(left, context);
    }
    let left_typed = checker.expr(left, context);
    if op.is_comparison()
        && let Ok(typed) = &left_typed
    {
        refuse_bare_text(checker, typed, right)?;
    }
    let right_typed = checker.expr(right, context);
    let (left_typed, right_typed) = (left_typed?, right_typed?);
    if op.is_comparison() {
        refuse_chain(&mut checker.mistakes, left, right_typed.ty, span)?;
        return comparison(&mut checker.operands(), op, (left_typed, left.span), (right_typed, right.span), span);
    }
    arithmetic(&mut checker.operands(), op, (left_typed, left.span), (right_typed, right.span), span)
}

/// Refuses `0 <= x <= 1`, which would compare a condition with a number.
fn refuse_chain(mistakes: &mut Mistakes, left: &Expr, right: Type, span: Span) -> Checked<()> {
    match &left.kind {
        ExprKind::Binary(op, ..) if op.is_comparison() && right != Type::BOOLEAN => {
            let help = "write `x >= 0 AND x <= 1`, or `x BETWEEN 0 AND 1` with both ends included";
            let message = "a comparison has two sides";
            mistakes.report(Diagnostic::error("syntax", span, message).label("three sides").help(help))
        }
        _ => Ok(()),
    }
}

fn is_unknown_name(checker: &Checker, name: &Expr) -> bool {
    let ExprKind::Name(name) = &name.kind else { return false };
    !checker.knows_name(name)
}

/// Refuses `grade = A`: an unknown name next to a text is usually a text without its quotes.
fn refuse_bare_text(checker: &mut Checker, other: &Typed, name: &Expr) -> Checked<()> {
    let ExprKind::Name(name_text) = &name.kind else { return Ok(()) };
    if other.ty != Type::TEXT || !is_unknown_name(checker, name) {
        return Ok(());
    }
    let texts = checker.nodes.texts_of(other.node);
    let meant = texts.and_then(|texts| texts.iter().find(|text| text.eq_ignore_ascii_case(name_text)));
    if meant.is_none() && (texts.is_none() || checker.parameters.is_known(name_text)) {
        return Ok(());
    }
    let quoted = meant.map(|meant| format!("'{meant}'"));
    let help = match (meant, texts) {
        (Some(meant), _) => format!("write text in single quotes: '{meant}'"),
        (None, texts) => {
            let texts: Vec<&str> = texts.into_iter().flatten().take(20).map(String::as_str).collect();
            format!("write text in single quotes; this one is one of {}", texts.join(", "))
        }
    };
    let message = format!("unknown name `{name_text}`");
    let wrong = Diagnostic::error("unknown-name", name.span, message).label("not known").help(help);
    // Names are read in lower case; the place holds the text as it was written.
    let written = meant.cloned().unwrap_or_default();
    checker.mistakes.report(wrong.meant(&written, quoted))
}

fn check_in_list(
    checker: &mut Checker,
    value: &Expr,
    list: &[Expr],
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    let typed = checker.expr(value, context)?;
    let mut answer: Option<Typed> = None;
    for item in list {
        refuse_bare_text(checker, &typed, item)?;
        let item_typed = checker.expr(item, context)?;
        let equal = comparison(
            &mut checker.operands(),
            Binary::Equal,
            (typed.clone(), value.span),
            (item_typed, item.span),
            item.span,
        )?;
        answer = Some(match answer {
            Some(before) => add(&mut checker.nodes, Op::Or, &[before, equal], Type::BOOLEAN),
            None => equal,
        });
    }
    match answer {
        Some(answer) => Ok(answer),
        None => checker.mistakes.report(Diagnostic::error("syntax", span, "IN () is empty")),
    }
}

fn check_case_expression(
    checker: &mut Checker,
    arms: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    // `ELSE NULL` is what a CASE without ELSE means.
    let otherwise = otherwise.filter(|otherwise| otherwise.kind != ExprKind::Null);
    let mut conditions = Vec::new();
    let mut known: Vec<Side> = Vec::new();
    for (condition, result) in arms {
        conditions.push(check_boolean_expression(checker, condition, context)?);
        known.extend(check_case_arm(checker, result, context)?);
    }
    if let Some(otherwise) = otherwise {
        known.push((checker.expr(otherwise, context)?, otherwise.span));
    }
    if known.is_empty() {
        let message = "every arm of this CASE is NULL, so it has no type";
        return checker.mistakes.report(Diagnostic::error("type", span, message).help("give one arm a value"));
    }
    let known = unify(&mut checker.operands(), known, span)?;
    let ty = known[0].ty;
    let mut inputs = Vec::new();
    let mut known = known.into_iter();
    for (condition, (_, result)) in conditions.into_iter().zip(arms) {
        inputs.push(condition);
        inputs.extend(if result.kind == ExprKind::Null { Some(checker.nodes.unknown(ty)) } else { known.next() });
    }
    inputs.extend(known.next());
    Ok(add(&mut checker.nodes, Op::Choose, &inputs, ty))
}

/// The result of an arm of a CASE; none if it is NULL, which takes the type of the others.
fn check_case_arm(checker: &mut Checker, result: &Expr, context: ExpressionContext) -> Checked<Option<Side>> {
    match result.kind {
        ExprKind::Null => Ok(None),
        _ => Ok(Some((checker.expr(result, context)?, result.span))),
    }
}
