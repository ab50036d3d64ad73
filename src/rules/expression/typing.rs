//! The type, unit and grain of every expression but calls. Evaluates nothing.

use super::ast::{Binary, Expr, Kind, Unary};
use super::calendar::{self, text_as};
use super::names::Sort;
use crate::rules::check::{self, Checked, Checker, Place, Typed};
use crate::rules::ir::{Fact, Grain, NodeId, Op, Repr, Type, Unit};
use crate::rules::program::Value;
use crate::words::diagnostic::{Diagnostic, Span, nearest};
use crate::words::rational::Rational;

pub(in crate::rules) fn expr(checker: &mut Checker, expr: &Expr, place: Place) -> Checked<Typed> {
    let span = expr.span;
    match &expr.kind {
        Kind::Name(name) => {
            checker.note_name(name, span);
            checker.name(name, span, place)
        }
        Kind::Qualified(space, name) => qualified(checker, space, name, span, place),
        Kind::Parameter(name) => parameter(checker, name, span),
        Kind::Number(digits) => number(checker, digits, span),
        Kind::Text(text) => Ok(checker.literal(Value::Text(text.clone()), Type::TEXT)),
        Kind::Date(text) => calendar::literal(checker, Unit::Date, text, span),
        Kind::Time(text) => calendar::literal(checker, Unit::Time, text, span),
        Kind::Timestamp(text) => calendar::literal(checker, Unit::Timestamp, text, span),
        Kind::Interval(text) => calendar::interval(checker, text, span),
        Kind::Boolean(value) => Ok(checker.literal(Value::Boolean(*value), Type::BOOLEAN)),
        Kind::Null => {
            let help = "leave the ELSE away, or compare with IS NULL";
            checker.report(Diagnostic::error("type", span, "NULL alone has no type").help(help))
        }
        Kind::Unary(op, inner) => unary(checker, *op, inner, span, place),
        Kind::Binary(op, left, right) => binary(checker, *op, left, right, span, place),
        Kind::IsNull(inner) => {
            let inner = checker.expr(inner, place)?;
            Ok(add(checker, Op::IsNull, &[inner], Type::BOOLEAN))
        }
        Kind::IsBoolean(inner, wanted) => {
            let inner = boolean(checker, inner, place)?;
            Ok(add(checker, Op::IsBoolean(*wanted), &[inner], Type::BOOLEAN))
        }
        Kind::In(value, list) => inside(checker, value, list, span, place),
        Kind::Like(value, pattern, any_case) => {
            let typed = checker.expr(value, place)?;
            expect(checker, &typed, Type::TEXT, value.span)?;
            Ok(add(checker, Op::Like(pattern.clone(), *any_case), &[typed], Type::BOOLEAN))
        }
        Kind::Case(arms, otherwise) => case(checker, arms, otherwise.as_deref(), span, place),
        Kind::Call(call) => super::functions::call(checker, call, span, place),
    }
}

/// Adds a node over inputs brought to the finest grain among them.
pub(in crate::rules) fn add(checker: &mut Checker, op: Op, inputs: &[Typed], ty: Type) -> Typed {
    let grain = inputs.iter().fold(Grain::Constant, |grain, input| grain.meet(input.grain));
    let inputs: Vec<NodeId> = inputs.iter().map(|input| bring(checker, input, grain)).collect();
    let node = checker.graph.add(op, inputs, ty, grain);
    checker.typed(node)
}

/// Constants stay as they are: one value serves every row.
pub(super) fn bring(checker: &mut Checker, input: &Typed, grain: Grain) -> NodeId {
    if input.grain == Grain::Constant || input.grain == grain {
        return input.node;
    }
    checker.spread(input.node, grain)
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
    use crate::rules::parameters::Known;
    let known = |whole: &str| checker.parameters.contains_key(whole) || checker.broken_parameters.contains(whole);
    let Some(whole) = checker.whole_name(name, known) else {
        let near = checker.nearest(name, checker.parameters.keys());
        let help = near.map_or("define it under [parameters]".to_string(), |near| format!("did you mean `${near}`?"));
        let message = format!("unknown parameter `${name}`");
        return checker.report(Diagnostic::error("unknown-parameter", span, message).label("not known").help(help));
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
        // Its own mistake was told where it is defined.
        None => Err(check::Reported),
    }
}

/// A name with a dot: an input, or what a file that is used `as` something defines.
pub(in crate::rules) fn qualified(
    checker: &mut Checker,
    space: &str,
    name: &str,
    span: Span,
    place: Place,
) -> Checked<Typed> {
    let whole = format!("{space}.{name}");
    if checker.whole_name(&whole, |whole| checker.symbols.contains_key(whole)).is_some() {
        checker.note_name(&whole, span);
        return checker.name(&whole, span, place);
    }
    let is_space = checker.whole_name(space, |whole| checker.spaces.values().any(|space| space == whole)).is_some();
    if is_space {
        return checker.unknown_name(&whole, span);
    }
    let (message, help) = match space {
        "request" | "bureau" => {
            let fields = checker.inputs.iter().filter(|input| input.source.word() == space);
            let near = nearest(name, fields.map(|input| input.name.as_str()));
            let help = near.map_or(format!("declare it: [{space}] {name} = \"money\""), |near| {
                format!("did you mean `{space}.{near}`?")
            });
            (format!("unknown {space} field `{name}`"), help)
        }
        _ => {
            let help = "only `request.`, `bureau.` and what is used `as` something have parts";
            (format!("unknown name `{whole}`"), help.to_owned())
        }
    };
    checker.report(Diagnostic::error("unknown-name", span, message).label("not known").help(help))
}

fn unary(checker: &mut Checker, op: Unary, inner: &Expr, span: Span, place: Place) -> Checked<Typed> {
    if op == Unary::Not {
        let inner = boolean(checker, inner, place)?;
        return Ok(add(checker, Op::Not, &[inner], Type::BOOLEAN));
    }
    if let Kind::Number(digits) = &inner.kind {
        return number(checker, &format!("-{digits}"), span);
    }
    let typed = checker.expr(inner, place)?;
    expect_number(checker, &typed, inner.span)?;
    let ty = typed.ty;
    Ok(add(checker, Op::Negate, &[typed], ty))
}

pub(super) fn boolean(checker: &mut Checker, expr: &Expr, place: Place) -> Checked<Typed> {
    let typed = checker.expr(expr, place)?;
    expect(checker, &typed, Type::BOOLEAN, expr.span)?;
    Ok(typed)
}

pub(super) fn expect(checker: &mut Checker, typed: &Typed, ty: Type, span: Span) -> Checked<()> {
    if typed.ty == ty {
        return Ok(());
    }
    let message = format!("expected {}, found {}", describe(ty), describe(typed.ty));
    checker.report(Diagnostic::error("type", span, message).label(format!("this is {}", describe(typed.ty))))
}

pub(super) fn expect_number(checker: &mut Checker, typed: &Typed, span: Span) -> Checked<()> {
    if typed.ty.is_numeric() {
        return Ok(());
    }
    let message = format!("expected a number or money, found {}", describe(typed.ty));
    checker.report(Diagnostic::error("type", span, message).label(format!("this is {}", describe(typed.ty))))
}

/// What asks for one value takes no list.
pub(in crate::rules) fn no_list(checker: &mut Checker, typed: &Typed, span: Span) -> Checked<()> {
    if typed.ty.repr != Repr::List {
        return Ok(());
    }
    let help = "list_contains(list, value) and list_length(list) ask about it";
    checker.report(Diagnostic::error("type", span, "this is a list, one value is wanted").help(help))
}

/// With its article, where it takes one.
pub(in crate::rules) fn describe(ty: Type) -> &'static str {
    if ty.repr == Repr::List {
        return "a list";
    }
    match ty.unit {
        Unit::Number => "a number",
        Unit::Count => "a count",
        Unit::Ratio => "a ratio",
        Unit::Date => "a date",
        Unit::Time => "a time of day",
        Unit::Timestamp => "a timestamp",
        Unit::Duration => "a duration",
        Unit::Boolean => "true or false",
        unit => unit.word(),
    }
}

fn binary(checker: &mut Checker, op: Binary, left: &Expr, right: &Expr, span: Span, place: Place) -> Checked<Typed> {
    if matches!(op, Binary::And | Binary::Or) {
        let left = boolean(checker, left, place);
        let right = boolean(checker, right, place);
        let op = if op == Binary::And { Op::And } else { Op::Or };
        return Ok(add(checker, op, &[left?, right?], Type::BOOLEAN));
    }
    // Both sides are checked before giving up, so that a mistake in each is shown.
    let (left_typed, right_typed) = (checker.expr(left, place), checker.expr(right, place));
    let (left_typed, right_typed) = (left_typed?, right_typed?);
    if op.is_comparison() {
        return comparison(checker, op, (left_typed, left.span), (right_typed, right.span), span);
    }
    arithmetic(checker, op, (left_typed, left.span), (right_typed, right.span), span)
}

pub(super) type Side = (Typed, Span);

pub(super) fn comparison(checker: &mut Checker, op: Binary, left: Side, right: Side, span: Span) -> Checked<Typed> {
    let (left_span, right_span) = (left.1, right.1);
    let (left, right) = alike(checker, left, right, span, op.symbol())?;
    never_said(checker, &left, (&right, right_span));
    never_said(checker, &right, (&left, left_span));
    warn_of_approximate_money(checker, left.ty, span);
    Ok(add(checker, Op::Compare(op), &[left, right], Type::BOOLEAN))
}

/// Warns where money is decided by an approximate number, such as a standard deviation.
pub(in crate::rules) fn warn_of_approximate_money(checker: &mut Checker, ty: Type, span: Span) {
    if ty.unit != Unit::Money || ty.repr != Repr::Float {
        return;
    }
    let help = "round it, which makes it exact: ROUND(x) to the minor unit, ROUND(x, 100) to a hundred";
    let message = "money is decided here by an approximate number";
    checker.diagnostics.push(Diagnostic::warning("approximate", span, message).label("approximate").help(help));
}

/// Warns of a text that an output of a table is compared with and that none of its rows says: most often a slip.
pub(super) fn never_said(checker: &mut Checker, output: &Typed, (text, span): (&Typed, Span)) {
    let Op::Text(text) = &checker.graph.node(text.node).op else { return };
    let Some(texts) = checker.texts.get(&output.node).filter(|texts| !texts.contains(text)) else { return };
    let help = match checker.nearest(text, texts.iter()) {
        Some(near) if texts.len() > 20 => format!("did you mean '{near}'?"),
        _ => format!("they say: {}", texts.iter().take(20).cloned().collect::<Vec<_>>().join(", ")),
    };
    let message = format!("no row of the table says '{text}'");
    checker.diagnostics.push(Diagnostic::warning("never-said", span, message).label("never").help(help));
}

/// Brings two sides to one unit and one representation, or says why they cannot stand beside each other.
pub(super) fn alike(checker: &mut Checker, left: Side, right: Side, span: Span, sign: &str) -> Checked<(Typed, Typed)> {
    let ((mut left, left_span), (mut right, right_span)) = (left, right);
    no_list(checker, &left, left_span)?;
    no_list(checker, &right, right_span)?;
    for (text, other, span) in [(&left, &right, left_span), (&right, &left, right_span)] {
        if let Op::Text(digits) = &checker.graph.node(text.node).op
            && other.ty.is_numeric()
            && Rational::parse(digits).is_some()
        {
            let message = format!("'{digits}' is text, it stands beside {}", describe(other.ty));
            let help = format!("a number stands without quotes: {digits}");
            return checker.report(Diagnostic::error("type", span, message).help(help));
        }
    }
    left = text_as(checker, left, right.ty, left_span)?;
    right = text_as(checker, right, left.ty, right_span)?;
    if left.ty.is_numeric() && right.ty.is_numeric() {
        let (left_unit, right_unit) = (left.ty.unit, right.ty.unit);
        left = checker.adapt(left, right_unit, left_span)?;
        right = checker.adapt(right, left_unit, right_span)?;
    }
    let units = (left.ty.unit, right.ty.unit);
    if units.0 == units.1 || (units.0.is_plain() && units.1.is_plain()) {
        return Ok(beside(checker, left, right));
    }
    clash(checker, units, span, sign)
}

pub(super) fn clash<T>(checker: &mut Checker, units: (Unit, Unit), span: Span, sign: &str) -> Checked<T> {
    let message = format!("{} {sign} {}: these cannot stand beside each other", units.0.word(), units.1.word());
    let help = match units {
        (Unit::Money, other) | (other, Unit::Money) if other.is_plain() => {
            "a parameter that is money says so: { value = 500, unit = \"money\" }; a bare number beside money is in major units"
        }
        _ => match calendar::advice(units) {
            Some(advice) => advice,
            None if sign == "and" => "all that may be chosen must be of one kind",
            None if matches!(units, (Unit::Text, _) | (_, Unit::Text)) => "text is written in single quotes: 'TRF'",
            None => "compare like with like",
        },
    };
    let label = format!("{} beside {}", units.0.word(), units.1.word());
    checker.report(Diagnostic::error("unit", span, message).label(label).help(help))
}

/// Whole numbers and fractions stand beside each other as they are; beside an approximate number both are.
fn beside(checker: &mut Checker, left: Typed, right: Typed) -> (Typed, Typed) {
    match (left.ty.repr, right.ty.repr) {
        (Repr::Float, _) | (_, Repr::Float) => (to_float(checker, left), to_float(checker, right)),
        _ => (left, right),
    }
}

/// How what arithmetic makes of two numbers is held.
pub(super) fn joined(left: &Typed, right: &Typed) -> Repr {
    match (left.ty.repr, right.ty.repr) {
        (Repr::Rational, _) | (_, Repr::Rational) => Repr::Rational,
        (repr, _) => repr,
    }
}

pub(in crate::rules) fn same_repr(checker: &mut Checker, left: Typed, right: Typed) -> (Typed, Typed) {
    match (left.ty.repr, right.ty.repr) {
        (left_repr, right_repr) if left_repr == right_repr => (left, right),
        (Repr::Float, _) | (_, Repr::Float) => (to_float(checker, left), to_float(checker, right)),
        (Repr::Rational, _) | (_, Repr::Rational) => (to_rational(checker, left), to_rational(checker, right)),
        _ => (left, right),
    }
}

pub(in crate::rules) fn to_float(checker: &mut Checker, typed: Typed) -> Typed {
    if !matches!(typed.ty.repr, Repr::Int | Repr::Rational) {
        return typed;
    }
    let ty = typed.ty.with(Repr::Float);
    add(checker, Op::ToFloat, &[typed], ty)
}

/// The number exactly: an approximate one as the decimal that it is written as.
pub(in crate::rules) fn to_rational(checker: &mut Checker, typed: Typed) -> Typed {
    if !matches!(typed.ty.repr, Repr::Int | Repr::Float) {
        return typed;
    }
    let ty = typed.ty.with(Repr::Rational);
    if let Op::Int(value) = checker.graph.node(typed.node).op {
        return checker.literal(Value::Rational(value.into()), ty);
    }
    add(checker, Op::ToRational, &[typed], ty)
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
        _ => {
            let unit = quotient_unit(checker, left.0.ty.unit, right.0.ty.unit, span)?;
            let (left, right) = beside(checker, left.0, right.0);
            let repr = if left.ty.repr == Repr::Float { Repr::Float } else { Repr::Rational };
            let ty = Type { unit, repr };
            Ok(add(checker, Op::Arithmetic(op), &[left, right], ty))
        }
    }
}

/// Two bare whole numbers make one, which takes the unit of what it stands beside as either would have.
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

fn inside(checker: &mut Checker, value: &Expr, list: &[Expr], span: Span, place: Place) -> Checked<Typed> {
    let typed = checker.expr(value, place)?;
    let mut answer: Option<Typed> = None;
    for item in list {
        let item_typed = checker.expr(item, place)?;
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
    place: Place,
) -> Checked<Typed> {
    let mut conditions = Vec::new();
    let mut results: Vec<Side> = Vec::new();
    for (condition, result) in arms {
        conditions.push(boolean(checker, condition, place)?);
        results.push((checker.expr(result, place)?, result.span));
    }
    if let Some(otherwise) = otherwise {
        results.push((checker.expr(otherwise, place)?, otherwise.span));
    }
    let results = unify(checker, results, span)?;
    let ty = results[0].ty;
    let mut inputs = Vec::new();
    let mut results = results.into_iter();
    for condition in conditions {
        inputs.push(condition);
        inputs.extend(results.next());
    }
    inputs.extend(results.next());
    Ok(add(checker, Op::Choose, &inputs, ty))
}

/// Brings all values to one type: arms of a CASE, arguments of COALESCE, LEAST, GREATEST.
pub(super) fn unify(checker: &mut Checker, values: Vec<Side>, span: Span) -> Checked<Vec<Typed>> {
    let lead = values.iter().find(|(typed, _)| typed.bare.is_none()).or(values.first());
    let Some(lead) = lead.map(|(typed, _)| typed.ty) else {
        return checker.report(Diagnostic::error("arguments", span, "there is nothing to choose from"));
    };
    let mut unified = Vec::with_capacity(values.len());
    for (typed, at) in values {
        no_list(checker, &typed, at)?;
        let typed = if lead.is_numeric() { checker.adapt(typed, lead.unit, at)? } else { typed };
        let typed = text_as(checker, typed, lead, at)?;
        if typed.ty.unit != lead.unit && !(typed.ty.unit.is_plain() && lead.unit.is_plain()) {
            return clash(checker, (lead.unit, typed.ty.unit), at, "and");
        }
        unified.push(typed);
    }
    let any = |repr| unified.iter().any(|typed| typed.ty.repr == repr);
    let (any_float, any_rational) = (any(Repr::Float), any(Repr::Rational));
    let mixed = unified.iter().any(|typed| typed.ty.unit != lead.unit);
    let unit = if mixed { Unit::Number } else { lead.unit };
    Ok(unified
        .into_iter()
        .map(|typed| match (any_float, any_rational) {
            (true, _) => to_float(checker, typed),
            (_, true) => to_rational(checker, typed),
            _ => typed,
        })
        .map(|typed| Typed { ty: Type { unit, ..typed.ty }, ..typed })
        .collect())
}
