//! Checks the type, unit and grain of every expression; calls are checked by their own modules. Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, Span, nearest};
use crate::base::rational::Rational;
use crate::rules::check::arguments::boolean;
use crate::rules::check::checker::Checker;
use crate::rules::check::operands::{Side, add, alike, beside, comparison, expect, expect_number, joined, unify};
use crate::rules::check::symbols::{Checked, ExpressionContext, Reported, Typed};
use crate::rules::check::{calendar, functions, iso_literals};
use crate::rules::graph::{Fact, Grain, NodeId, Op};
use crate::rules::names::Sort;
use crate::rules::syntax::ast::{Binary, Expr, Kind, Unary};
use crate::rules::syntax::parse;
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type, Unit, describe};
use crate::rules::value::Value;

impl Checker<'_> {
    /// Parses and checks one expression.
    pub(in crate::rules) fn expression(&mut self, text: &Text, context: ExpressionContext) -> Checked<Typed> {
        match parse::expression(text) {
            Ok(expr) => self.expr(&expr, context),
            Err(diagnostic) => self.report(diagnostic),
        }
    }

    /// One that must give a truth value.
    pub(in crate::rules) fn condition(&mut self, text: &Text, context: ExpressionContext) -> Checked<NodeId> {
        let typed = self.expression(text, context)?;
        if typed.ty != Type::BOOLEAN {
            let message = format!("this must be true or false, but it is {}", describe(typed.ty));
            return self.report(Diagnostic::error("type", text.span(), message).help("compare it with something"));
        }
        Ok(self.at_least(typed, Grain::Statement))
    }

    /// Checks a parsed expression.
    pub(in crate::rules) fn expr(&mut self, expr: &Expr, context: ExpressionContext) -> Checked<Typed> {
        self::expr(self, expr, context)
    }
}

fn expr(checker: &mut Checker, expr: &Expr, context: ExpressionContext) -> Checked<Typed> {
    let span = expr.span;
    match &expr.kind {
        Kind::Name(name) => {
            checker.note_name(name, span);
            checker.name(name, span, context)
        }
        Kind::Qualified(space, name) => qualified(checker, space, name, span, context),
        Kind::Parameter(name) => parameter(checker, name, span),
        Kind::Number(digits) => number(checker, digits, span),
        Kind::Text(text) => Ok(checker.literal(Value::Text(text.clone()), Type::TEXT)),
        Kind::Date(text) => iso_literals::literal(checker, Unit::Date, text, span),
        Kind::Time(text) => iso_literals::literal(checker, Unit::Time, text, span),
        Kind::Timestamp(text) => iso_literals::literal(checker, Unit::Timestamp, text, span),
        Kind::Interval(text) => iso_literals::interval(checker, text, span),
        Kind::Boolean(value) => Ok(checker.literal(Value::Boolean(*value), Type::BOOLEAN)),
        Kind::Null => {
            let help = "test a value with IS NULL; NULL may be the result of an arm of a CASE, or an output: = NULL";
            checker.report(Diagnostic::error("type", span, "NULL alone has no type").help(help))
        }
        Kind::Unary(op, inner) => unary(checker, *op, inner, span, context),
        Kind::Binary(op, left, right) => binary(checker, *op, left, right, span, context),
        Kind::IsNull(inner) => {
            let inner = checker.expr(inner, context)?;
            Ok(add(checker, Op::IsNull, &[inner], Type::BOOLEAN))
        }
        Kind::IsBoolean(inner, wanted) => {
            let inner = boolean(checker, inner, context)?;
            Ok(add(checker, Op::IsBoolean(*wanted), &[inner], Type::BOOLEAN))
        }
        Kind::In(value, list) => inside(checker, value, list, span, context),
        Kind::Like(value, like) => {
            let typed = checker.expr(value, context)?;
            expect(checker, &typed, Type::TEXT, value.span)?;
            Ok(add(checker, Op::Like(like.clone()), &[typed], Type::BOOLEAN))
        }
        Kind::Case(arms, otherwise) => case(checker, arms, otherwise.as_deref(), span, context),
        Kind::Call(call) => functions::call(checker, call, span, context),
    }
}

fn number(checker: &mut Checker, digits: &str, span: Span) -> Checked<Typed> {
    let whole = digits.trim_start_matches('-').bytes().all(|digit| digit.is_ascii_digit());
    let value = match digits.parse::<i64>() {
        Err(_) if whole => {
            let message = format!("`{digits}` is too large");
            let help = "whole numbers go up to 9,223,372,036,854,775,807";
            return checker.report(Diagnostic::error("number", span, message).label("too large").help(help));
        }
        Ok(value) => Some((Value::Int(value), Type::NUMBER.with(Repr::Int))),
        Err(_) => Rational::parse(digits).map(|number| (Value::Rational(number), Type::NUMBER)),
    };
    let Some((value, ty)) = value else {
        return checker.report(Diagnostic::error("number", span, format!("`{digits}` is not a number")));
    };
    Ok(Typed { bare: Some(digits.to_string()), ..checker.literal(value, ty) })
}

pub(in crate::rules) fn parameter(checker: &mut Checker, name: &str, span: Span) -> Checked<Typed> {
    use crate::rules::check::symbols::Known;
    let known = |whole: &str| checker.parameters.contains_key(whole) || checker.broken_parameters.contains(whole);
    let Some(whole) = checker.whole_name(name, known) else {
        let near = checker.nearest(name, checker.parameters.keys());
        let near = near.map(|near| format!("${near}"));
        let help =
            near.as_ref().map_or("define it under [parameters]".to_string(), |near| format!("did you mean `{near}`?"));
        let message = format!("unknown parameter `${name}`");
        let wrong = Diagnostic::error("unknown-parameter", span, message).label("not known").help(help);
        return checker.report(wrong.meant(&format!("${name}"), near));
    };
    let found = checker.parameters.get(&whole).cloned();
    checker.used(Sort::Parameter, &whole, span);
    checker.used_parameters.borrow_mut().insert(whole);
    match found {
        Some(Known::Constant(value, ty)) => Ok(checker.literal(value, ty)),
        Some(Known::Dated(index, ty) | Known::Anywhere(_, index, ty)) => {
            let day = checker.graph.add(Op::Fact(Fact::WindowEnd), vec![], Type::DATE, Grain::Statement);
            let node = checker.graph.add(Op::Dated(index), vec![day], ty, Grain::Statement);
            Ok(checker.typed(node))
        }
        // Its own mistake was reported where it is defined.
        None => Err(Reported),
    }
}

/// A name with a dot: an input, or a definition of a file that is used `as` something.
pub(in crate::rules) fn qualified(
    checker: &mut Checker,
    space: &str,
    name: &str,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    let whole = format!("{space}.{name}");
    if checker.whole_name(&whole, |whole| checker.symbols.contains_key(whole)).is_some() {
        checker.note_name(&whole, span);
        return checker.name(&whole, span, context);
    }
    let is_space = checker.whole_name(space, |whole| checker.spaces.values().any(|space| space == whole)).is_some();
    if is_space {
        return checker.unknown_name(&whole, span);
    }
    let (message, help, meant) = match space {
        "request" | "bureau" => {
            let fields = checker.inputs.iter().filter(|input| input.source.word() == space);
            let near = nearest(name, fields.map(|input| input.name.as_str()));
            let near = near.map(|near| format!("{space}.{near}"));
            let help = near
                .as_ref()
                .map_or(format!("declare it: [{space}] {name} = \"money\""), |near| format!("did you mean `{near}`?"));
            (format!("unknown {space} field `{name}`"), help, near)
        }
        space if checker.inputs.iter().any(|input| !input.fields.is_empty() && input.path() == space) => {
            let fields = checker.inputs.iter().filter(|input| input.path() == space).flat_map(|input| &input.fields);
            let fields: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
            let near = nearest(name, fields.iter().copied()).map(|near| format!("{space}.{near}"));
            let help = near.as_ref().map(|near| format!("did you mean `{near}`?"));
            let help = help.unwrap_or_else(|| format!("its fields are {}", fields.join(", ")));
            (format!("the entries of `{space}` have no field `{name}`"), help, near)
        }
        _ => {
            let help = "a dot may follow only `request`, `bureau` or the `as` name of a used file";
            (format!("unknown name `{whole}`"), help.to_owned(), None)
        }
    };
    let wrong = Diagnostic::error("unknown-name", span, message).label("not known").help(help);
    checker.report(wrong.meant(&whole, meant))
}

fn unary(checker: &mut Checker, op: Unary, inner: &Expr, span: Span, context: ExpressionContext) -> Checked<Typed> {
    if op == Unary::Not {
        let inner = boolean(checker, inner, context)?;
        return Ok(add(checker, Op::Not, &[inner], Type::BOOLEAN));
    }
    if let Kind::Number(digits) = &inner.kind {
        return number(checker, &format!("-{digits}"), span);
    }
    let typed = checker.expr(inner, context)?;
    expect_number(checker, &typed, inner.span)?;
    let ty = typed.ty;
    Ok(add(checker, Op::Negate, &[typed], ty))
}

fn binary(
    checker: &mut Checker,
    op: Binary,
    left: &Expr,
    right: &Expr,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    if matches!(op, Binary::And | Binary::Or) {
        let left = boolean(checker, left, context);
        let right = boolean(checker, right, context);
        let op = if op == Binary::And { Op::And } else { Op::Or };
        return Ok(add(checker, op, &[left?, right?], Type::BOOLEAN));
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
        refuse_chain(checker, left, right_typed.ty, span)?;
        return comparison(checker, op, (left_typed, left.span), (right_typed, right.span), span);
    }
    arithmetic(checker, op, (left_typed, left.span), (right_typed, right.span), span)
}

/// Refuses `0 <= x <= 1`, which would compare a condition with a number.
fn refuse_chain(checker: &mut Checker, left: &Expr, right: Type, span: Span) -> Checked<()> {
    match &left.kind {
        Kind::Binary(op, ..) if op.is_comparison() && right != Type::BOOLEAN => {
            let help = "write `x >= 0 AND x <= 1`, or `x BETWEEN 0 AND 1` with both ends included";
            let message = "a comparison has two sides";
            checker.report(Diagnostic::error("syntax", span, message).label("three sides").help(help))
        }
        _ => Ok(()),
    }
}

fn is_unknown_name(checker: &Checker, name: &Expr) -> bool {
    let Kind::Name(name) = &name.kind else { return false };
    checker.whole_name(name, |whole| checker.symbols.contains_key(whole)).is_none()
}

/// Refuses `grade = A`: an unknown name beside a text is usually a text without its quotes.
fn refuse_bare_text(checker: &mut Checker, beside: &Typed, name: &Expr) -> Checked<()> {
    let Kind::Name(name_text) = &name.kind else { return Ok(()) };
    if beside.ty != Type::TEXT || !is_unknown_name(checker, name) {
        return Ok(());
    }
    let texts = checker.texts.get(&beside.node);
    let meant = texts.and_then(|texts| texts.iter().find(|text| text.eq_ignore_ascii_case(name_text)));
    if meant.is_none() && (texts.is_none() || checker.parameters.contains_key(name_text)) {
        return Ok(());
    }
    let help = match (meant, texts) {
        (Some(meant), _) => format!("write text in single quotes: '{meant}'"),
        (None, texts) => {
            let texts: Vec<&str> = texts.into_iter().flatten().take(20).map(String::as_str).collect();
            format!("write text in single quotes; this one is one of {}", texts.join(", "))
        }
    };
    let message = format!("unknown name `{name_text}`");
    checker.report(Diagnostic::error("unknown-name", name.span, message).label("not known").help(help))
}

fn arithmetic(checker: &mut Checker, op: Binary, left: Side, right: Side, span: Span) -> Checked<Typed> {
    if left.0.ty.unit.is_place_in_time() || right.0.ty.unit.is_place_in_time() {
        return calendar::arithmetic(checker, op, left, right, span);
    }
    expect_number(checker, &left.0, left.1)?;
    expect_number(checker, &right.0, right.1)?;
    if let Some(digits) = folded(op, &left.0, &right.0) {
        return number(checker, &digits, span);
    }
    match op {
        Binary::Add | Binary::Subtract | Binary::Remainder => {
            let units = (left.0.ty.unit, right.0.ty.unit);
            let bare = (left.0.bare.is_some(), right.0.bare.is_some());
            let (left, right) = alike(checker, left, right, span, op.symbol())?;
            // 1 - ratio is a ratio, count + 1 a count; a count beside a ratio is a plain number.
            let unit = match (bare, left.ty.unit == right.ty.unit) {
                ((true, false), _) => units.1,
                ((false, true), _) => units.0,
                (_, true) => left.ty.unit,
                _ => Unit::Number,
            };
            let ty = Type { unit, repr: joined(&left, &right) };
            Ok(add(checker, Op::Arithmetic(op), &[left, right], ty))
        }
        Binary::Multiply => {
            let unit = product_unit(checker, left.0.ty.unit, right.0.ty.unit, span)?;
            let (left, right) = beside(checker, left.0, right.0);
            let ty = Type { unit, repr: joined(&left, &right) };
            Ok(add(checker, Op::Arithmetic(op), &[left, right], ty))
        }
        Binary::Divide => {
            let unit = quotient_unit(checker, left.0.ty.unit, right.0.ty.unit, span)?;
            let (left, right) = beside(checker, left.0, right.0);
            let repr = if left.ty.repr == Repr::Float { Repr::Float } else { Repr::Rational };
            let ty = Type { unit, repr };
            Ok(add(checker, Op::Arithmetic(op), &[left, right], ty))
        }
        // `binary` handles these; a new operator must not pass for a division.
        Binary::Equal
        | Binary::NotEqual
        | Binary::Less
        | Binary::LessEqual
        | Binary::Greater
        | Binary::GreaterEqual
        | Binary::And
        | Binary::Or => meaningless(checker, (left.0.ty.unit, right.0.ty.unit), op.symbol(), span),
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

fn product_unit(checker: &mut Checker, left: Unit, right: Unit, span: Span) -> Checked<Unit> {
    match calendar::product(left, right) {
        Some(Ok(unit)) => return Ok(unit),
        Some(Err(())) => return meaningless(checker, (left, right), "*", span),
        None => {}
    }
    Ok(match (left, right) {
        (Unit::Money, Unit::Money) => {
            return checker.report(
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

fn quotient_unit(checker: &mut Checker, left: Unit, right: Unit, span: Span) -> Checked<Unit> {
    match (left, right, calendar::quotient(left, right)) {
        _ if left == right => Ok(Unit::Ratio),
        (_, _, Some(Ok(unit))) => Ok(unit),
        (_, _, Some(Err(()))) => meaningless(checker, (left, right), "/", span),
        (_, Unit::Money, _) => {
            let message = format!("{} / money has no meaning", left.word());
            checker.report(Diagnostic::error("unit", span, message).help("divide money by money"))
        }
        (Unit::Money, ..) => Ok(Unit::Money),
        _ => Ok(Unit::Number),
    }
}

fn meaningless<T>(checker: &mut Checker, units: (Unit, Unit), sign: &str, span: Span) -> Checked<T> {
    let message = format!("{} {sign} {} has no meaning", units.0.word(), units.1.word());
    let help = "a duration goes with a plain number: 2 * INTERVAL 'PT1H'; months and days do not mix";
    checker.report(Diagnostic::error("unit", span, message).help(help))
}

fn inside(
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
        let equal =
            comparison(checker, Binary::Equal, (typed.clone(), value.span), (item_typed, item.span), item.span)?;
        answer = Some(match answer {
            Some(before) => add(checker, Op::Or, &[before, equal], Type::BOOLEAN),
            None => equal,
        });
    }
    match answer {
        Some(answer) => Ok(answer),
        None => checker.report(Diagnostic::error("syntax", span, "IN () is empty")),
    }
}

fn case(
    checker: &mut Checker,
    arms: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    // `ELSE NULL` is what a CASE without ELSE means.
    let otherwise = otherwise.filter(|otherwise| otherwise.kind != Kind::Null);
    let mut conditions = Vec::new();
    let mut known: Vec<Side> = Vec::new();
    for (condition, result) in arms {
        conditions.push(boolean(checker, condition, context)?);
        known.extend(arm(checker, result, context)?);
    }
    if let Some(otherwise) = otherwise {
        known.push((checker.expr(otherwise, context)?, otherwise.span));
    }
    if known.is_empty() {
        let message = "every arm of this CASE is NULL, so it has no type";
        return checker.report(Diagnostic::error("type", span, message).help("give one arm a value"));
    }
    let known = unify(checker, known, span)?;
    let ty = known[0].ty;
    let mut inputs = Vec::new();
    let mut known = known.into_iter();
    for (condition, (_, result)) in conditions.into_iter().zip(arms) {
        inputs.push(condition);
        inputs.extend(if result.kind == Kind::Null { Some(checker.unknown(ty)) } else { known.next() });
    }
    inputs.extend(known.next());
    Ok(add(checker, Op::Choose, &inputs, ty))
}

/// The result of an arm of a CASE; none if it is NULL, which takes the type of the others.
fn arm(checker: &mut Checker, result: &Expr, context: ExpressionContext) -> Checked<Option<Side>> {
    match result.kind {
        Kind::Null => Ok(None),
        _ => Ok(Some((checker.expr(result, context)?, result.span))),
    }
}
