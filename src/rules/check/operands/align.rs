//! Brings operands to one grain, one unit and one representation, or reports why that is impossible.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::rational::Rational;
use crate::rules::check::operands::Operands;
use crate::rules::check::operands::iso_literals::{self, text_as};
use crate::rules::check::operands::letter_case;
use crate::rules::check::operands::record_texts::clean_sides;
use crate::rules::check::operands::usual;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::nodes::Nodes;
use crate::rules::check::symbols::symbol::{Checked, Typed};
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::syntax::amounts;
use crate::rules::syntax::ast::Binary;
use crate::rules::types::{Repr, Type, Unit, describe_type};
use crate::rules::value::Value;

/// Adds a node over inputs brought to the finest grain among them.
pub(in crate::rules) fn add(nodes: &mut Nodes, op: Op, inputs: &[Typed], ty: Type) -> Typed {
    let grain = inputs.iter().fold(Grain::Constant, |grain, input| grain.meet(input.grain));
    let inputs: Vec<NodeId> = inputs.iter().map(|input| bring(nodes, input, grain)).collect();
    let node = nodes.add(op, inputs, ty, grain);
    nodes.typed(node)
}

/// Constants stay as they are, because one value serves every row.
pub(in crate::rules) fn bring(nodes: &mut Nodes, input: &Typed, grain: Grain) -> NodeId {
    if input.grain == Grain::Constant || input.grain == grain {
        return input.node;
    }
    nodes.spread(input.node, grain)
}

pub(in crate::rules) fn expect(mistakes: &mut Mistakes, typed: &Typed, ty: Type, span: Span) -> Checked<()> {
    if typed.ty == ty {
        return Ok(());
    }
    let message = format!("expected {}, found {}", describe_type(ty), describe_type(typed.ty));
    mistakes.report(Diagnostic::error("type", span, message).label(format!("this is {}", describe_type(typed.ty))))
}

pub(in crate::rules) fn expect_number(mistakes: &mut Mistakes, typed: &Typed, span: Span) -> Checked<()> {
    if typed.ty.is_numeric() {
        return Ok(());
    }
    let message = format!("expected a number or money, found {}", describe_type(typed.ty));
    mistakes.report(Diagnostic::error("type", span, message).label(format!("this is {}", describe_type(typed.ty))))
}

/// Refuses a list where one value is expected.
pub(in crate::rules) fn no_list(mistakes: &mut Mistakes, typed: &Typed, span: Span) -> Checked<()> {
    if typed.ty.repr != Repr::List {
        return Ok(());
    }
    let help = "use list_contains(list, value) or list_length(list)";
    mistakes.report(Diagnostic::error("type", span, "this is a list, but a single value is needed").help(help))
}

pub(in crate::rules) type Side = (Typed, Span);

pub(in crate::rules) fn comparison(
    operands: &mut Operands,
    op: Binary,
    left: Side,
    right: Side,
    span: Span,
) -> Checked<Typed> {
    compared(operands, (op, op), left, right, span)
}

/// A comparison that is `written` with another sign.
pub(in crate::rules) fn compared(
    operands: &mut Operands,
    (op, written): (Binary, Binary),
    left: Side,
    right: Side,
    span: Span,
) -> Checked<Typed> {
    let (left_span, right_span) = (left.1, right.1);
    let (left, right) = alike(operands, left, right, span, written.symbol())?;
    warn_if_never_output(operands, &left, (&right, right_span));
    warn_if_never_output(operands, &right, (&left, left_span));
    letter_case::warn_of_other_case(operands, &left, &right, right_span);
    letter_case::warn_of_other_case(operands, &right, &left, left_span);
    usual::note_unusual(operands, written, &left, &right, right_span);
    usual::note_unusual(operands, written.mirrored(), &right, &left, left_span);
    warn_of_approximate_money(operands.mistakes, left.ty, span);
    let (left, right) = clean_sides(operands.nodes, left, right);
    Ok(add(operands.nodes, Op::Compare(op), &[left, right], Type::BOOLEAN))
}

/// Warns where money is decided by an approximate number, such as a standard deviation.
pub(in crate::rules) fn warn_of_approximate_money(mistakes: &mut Mistakes, ty: Type, span: Span) {
    if ty.unit != Unit::Money || ty.repr != Repr::Float {
        return;
    }
    let help = "round it, which makes it exact: ROUND(x) to the minor unit, ROUND(x, 100) to a hundred";
    let message = "money is decided here by an approximate number";
    mistakes.push(Diagnostic::warning("approximate", span, message).label("approximate").help(help));
}

/// Warns if a table's output is compared with a text that no row gives, or a fact with one that it never is. That is
/// usually a slip.
pub(in crate::rules) fn warn_if_never_output(operands: &mut Operands, output: &Typed, (text, span): (&Typed, Span)) {
    let Op::Text(text) = &operands.nodes.node(text.node).op else { return };
    let node = operands.nodes.graph().carried(output.node);
    let Some(texts) = operands.nodes.texts_of(node).filter(|texts| !texts.contains(text)) else { return };
    let is_fact = matches!(operands.nodes.node(node).op, Op::Fact(_) | Op::GroupColumn(_));
    let listed = texts.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
    let near = operands.mistakes.nearest_name(text, texts.iter()).map(|near| format!("'{near}'"));
    let help = match &near {
        Some(near) if texts.len() > 20 => format!("did you mean {near}?"),
        _ => format!("{} {}", if is_fact { "it is one of" } else { "its rows give:" }, listed),
    };
    let message = match is_fact {
        true => format!("it is never '{text}'"),
        false => format!("no row of the table gives '{text}'"),
    };
    let written = format!("'{text}'");
    let warning = Diagnostic::warning("never-said", span, message).label("never").help(help);
    operands.mistakes.push(warning.meant(&written, near));
}

/// Refuses `'200,000'` next to a number.
fn refuse_quoted_number(operands: &mut Operands, text: &Typed, other: Type, span: Span) -> Checked<()> {
    let Op::Text(written) = &operands.nodes.node(text.node).op else { return Ok(()) };
    if !other.is_numeric() {
        return Ok(());
    }
    let plain = match written.trim().split_once(',') {
        // Three digits behind a comma are thousands, unless nothing is before it.
        Some((whole, decimals)) if !decimals.contains(',') && (decimals.len() != 3 || whole == "0") => {
            format!("{whole}.{decimals}")
        }
        _ => written.chars().filter(|letter| !matches!(letter, ',' | '_' | ' ')).collect(),
    };
    if Rational::parse(&plain).is_none() {
        return Ok(());
    }
    let message = format!("'{written}' is text, but it is used with {}", describe_type(other));
    let help = format!("write the number without quotes: {plain}");
    operands.mistakes.report(Diagnostic::error("type", span, message).help(help))
}

/// Gives a bare number the unit of its other operand: money in major units, whole days, or a plain number.
pub(in crate::rules) fn adapt(operands: &mut Operands, typed: Typed, unit: Unit, span: Span) -> Checked<Typed> {
    let Some(digits) = typed.bare.clone() else { return Ok(typed) };
    let nodes = &mut *operands.nodes;
    match unit {
        Unit::Money => match amounts::parse_minor_units(operands.currency, &digits) {
            Ok(minor) => Ok(nodes.literal(Value::Int(minor), Type::MONEY)),
            Err(message) => operands.mistakes.report(Diagnostic::error("money", span, message)),
        },
        Unit::Days | Unit::Months | Unit::Count if typed.ty.repr == Repr::Int => {
            let Op::Int(value) = nodes.node(typed.node).op else { return Ok(typed) };
            Ok(nodes.literal(Value::Int(value), Type { unit, repr: Repr::Int }))
        }
        Unit::Days | Unit::Months | Unit::Ratio | Unit::Number | Unit::Count => {
            let ty = Type { unit, repr: typed.ty.repr };
            match Rational::parse(&digits).filter(|_| typed.ty.repr == Repr::Rational) {
                Some(value) => Ok(nodes.literal(Value::Rational(value), ty)),
                None => Ok(Typed { bare: None, ..typed }),
            }
        }
        _ => Ok(typed),
    }
}

/// Brings two sides to one unit and one representation, or reports why they do not go together.
pub(in crate::rules) fn alike(
    operands: &mut Operands,
    left: Side,
    right: Side,
    span: Span,
    sign: &str,
) -> Checked<(Typed, Typed)> {
    let ((mut left, left_span), (mut right, right_span)) = (left, right);
    no_list(operands.mistakes, &left, left_span)?;
    no_list(operands.mistakes, &right, right_span)?;
    refuse_quoted_number(operands, &left, right.ty, left_span)?;
    refuse_quoted_number(operands, &right, left.ty, right_span)?;
    left = text_as(operands, left, right.ty, left_span)?;
    right = text_as(operands, right, left.ty, right_span)?;
    if left.ty.is_numeric() && right.ty.is_numeric() {
        let (left_unit, right_unit) = (left.ty.unit, right.ty.unit);
        left = adapt(operands, left, right_unit, left_span)?;
        right = adapt(operands, right, left_unit, right_span)?;
    }
    let units = (left.ty.unit, right.ty.unit);
    if units.0 == units.1 || (units.0.is_plain() && units.1.is_plain()) {
        return Ok(make_both_approximate(operands.nodes, left, right));
    }
    clash(operands.mistakes, units, span, sign)
}

pub(in crate::rules) fn clash<T>(mistakes: &mut Mistakes, units: (Unit, Unit), span: Span, sign: &str) -> Checked<T> {
    let message = format!("{} {sign} {}: these units do not go together", units.0.word(), units.1.word());
    let help = match units {
        (Unit::Money, other) | (other, Unit::Money) if other.is_plain() => {
            "give a money parameter its unit: { value = 500, unit = \"money\" }; a bare number used with money is in \
             major units"
        }
        (Unit::Money, Unit::Days | Unit::Months) | (Unit::Days | Unit::Months, Unit::Money) if sign == "and" => {
            "all values to choose from must have the same unit; `1000 * tenure` is a number of days: write an amount \
             as a parameter with unit = \"money\", such as $fee * tenure"
        }
        _ => match iso_literals::advise_on_time_units(units) {
            Some(advice) => advice,
            None if sign == "and" => "all values to choose from must have the same unit",
            None if matches!(units, (Unit::Boolean, _) | (_, Unit::Boolean)) => {
                "a condition needs no comparison: write it by itself, such as has_debit or NOT has_debit"
            }
            None if matches!(units, (Unit::Text, _) | (_, Unit::Text)) => "write text in single quotes: 'TRF'",
            None => "compare like with like",
        },
    };
    let label = format!("{} with {}", units.0.word(), units.1.word());
    mistakes.report(Diagnostic::error("unit", span, message).label(label).help(help))
}

/// Brings two numbers to one representation where one is approximate. Whole numbers and fractions go together as they
/// are.
pub(in crate::rules) fn make_both_approximate(nodes: &mut Nodes, left: Typed, right: Typed) -> (Typed, Typed) {
    match (left.ty.repr, right.ty.repr) {
        (Repr::Float, _) | (_, Repr::Float) => (to_float(nodes, left), to_float(nodes, right)),
        _ => (left, right),
    }
}

/// The representation of the result of arithmetic on two numbers.
pub(in crate::rules) fn joined(left: &Typed, right: &Typed) -> Repr {
    match (left.ty.repr, right.ty.repr) {
        (Repr::Rational, _) | (_, Repr::Rational) => Repr::Rational,
        (repr, _) => repr,
    }
}

pub(in crate::rules) fn same_repr(nodes: &mut Nodes, left: Typed, right: Typed) -> (Typed, Typed) {
    match (left.ty.repr, right.ty.repr) {
        (left_repr, right_repr) if left_repr == right_repr => (left, right),
        (Repr::Float, _) | (_, Repr::Float) => (to_float(nodes, left), to_float(nodes, right)),
        (Repr::Rational, _) | (_, Repr::Rational) => (to_rational(nodes, left), to_rational(nodes, right)),
        _ => (left, right),
    }
}

pub(in crate::rules) fn to_float(nodes: &mut Nodes, typed: Typed) -> Typed {
    if !matches!(typed.ty.repr, Repr::Int | Repr::Rational) {
        return typed;
    }
    let ty = typed.ty.with(Repr::Float);
    add(nodes, Op::ToFloat, &[typed], ty)
}

/// The exact number. An approximate one becomes the shortest decimal that reads back as it.
pub(in crate::rules) fn to_rational(nodes: &mut Nodes, typed: Typed) -> Typed {
    if !matches!(typed.ty.repr, Repr::Int | Repr::Float) {
        return typed;
    }
    let ty = typed.ty.with(Repr::Rational);
    if let Op::Int(value) = nodes.node(typed.node).op {
        return nodes.literal(Value::Rational(value.into()), ty);
    }
    add(nodes, Op::ToRational, &[typed], ty)
}

/// Lists to choose from hold one kind of values.
fn all_lists(mistakes: &mut Mistakes, values: Vec<Side>, ty: Type) -> Checked<Vec<Typed>> {
    let mut lists = Vec::with_capacity(values.len());
    for (typed, at) in values {
        if typed.ty != ty {
            let message = format!("{} and {} do not go together", listed(ty), listed(typed.ty));
            let help = "all values to choose from must be lists of one kind; list_of(x) makes a list of one value";
            return mistakes.report(Diagnostic::error("type", at, message).help(help));
        }
        lists.push(typed);
    }
    Ok(lists)
}

/// As [`describe_type`], with what a list holds.
pub(in crate::rules) fn listed(ty: Type) -> String {
    if ty.repr == Repr::List { format!("a list of {}", ty.unit.word()) } else { describe_type(ty).to_owned() }
}

/// Brings all values to one type: arms of a CASE, arguments of COALESCE, LEAST, GREATEST.
pub(in crate::rules) fn unify(operands: &mut Operands, values: Vec<Side>, span: Span) -> Checked<Vec<Typed>> {
    let lead = values.iter().find(|(typed, _)| typed.bare.is_none()).or(values.first());
    let Some(lead) = lead.map(|(typed, _)| typed.ty) else {
        return operands.mistakes.report(Diagnostic::error("arguments", span, "there is nothing to choose from"));
    };
    if let Some((list, _)) = values.iter().find(|(typed, _)| typed.ty.repr == Repr::List) {
        let ty = list.ty;
        return all_lists(operands.mistakes, values, ty);
    }
    let number = values.iter().map(|(typed, _)| typed.ty).find(|ty| ty.is_numeric()).unwrap_or(lead);
    let mut unified = Vec::with_capacity(values.len());
    for (typed, at) in values {
        refuse_quoted_number(operands, &typed, number, at)?;
        let typed = if lead.is_numeric() { adapt(operands, typed, lead.unit, at)? } else { typed };
        let typed = text_as(operands, typed, lead, at)?;
        if typed.ty.unit != lead.unit && !(typed.ty.unit.is_plain() && lead.unit.is_plain()) {
            return clash(operands.mistakes, (lead.unit, typed.ty.unit), at, "and");
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
            (true, _) => to_float(operands.nodes, typed),
            (_, true) => to_rational(operands.nodes, typed),
            _ => typed,
        })
        .map(|typed| Typed { ty: Type { unit, ..typed.ty }, ..typed })
        .collect())
}
