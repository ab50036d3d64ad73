//! Checks calls of functions: what each asks of its arguments and what it returns. Evaluates nothing.

use std::collections::HashSet;

use crate::base::diagnostic::{Diagnostic, Span, nearest_candidate};
use crate::base::rational::Rounding;
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::arguments::{
    CheckArguments, check_argument_count, check_arguments, check_only_argument,
};
use crate::rules::check::functions::calendar::{add_months, check_elapsed_periods, check_local_time_part, date_part};
use crate::rules::check::functions::function_names::{AGGREGATES, ELSEWHERE, FUNCTIONS};
use crate::rules::check::functions::{aggregates, key_lists, neighbours, texts, windows, word_search};
use crate::rules::check::operands::align::{
    adapt, add, alike, comparison, expect, expect_number, joined, no_list, to_float, to_rational, unify,
    warn_if_never_output,
};
use crate::rules::check::operands::record_texts::clean_item;
use crate::rules::check::operands::usual::note_days_for_months;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported, Typed};
use crate::rules::graph::{
    Aggregate, Approximate, DatePart, Elapsed, Grain, Graph, Group, GroupColumn, Letters, LocalPart, NodeId, Op,
    TextPlace,
};
use crate::rules::syntax::ast::{Binary, Call, ExprKind};
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::Value;

pub(in crate::rules) fn call(
    checker: &mut Checker,
    call: &Call,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    let name = call.name.as_str();
    if AGGREGATES.contains(&name) {
        return aggregates::check_aggregate(checker, call, span, context);
    }
    if !FUNCTIONS.contains(&name) {
        return unknown_function(&mut checker.mistakes, call);
    }
    if call.star || call.distinct || call.filter.is_some() {
        let message = format!("`{name}` is not an aggregate: it takes no *, DISTINCT or FILTER");
        return checker.mistakes.report(Diagnostic::error("arguments", call.name_span, message));
    }
    match name {
        "carried" | "next" | "previous" => neighbours::check_neighbour_call(checker, call, context),
        "rank" => neighbours::check_rank_call(checker, call, context),
        "sum_after" | "sum_before" => neighbours::sum_near(checker, call, context),
        "mirrored" => neighbours::check_mirrored_call(checker, call, context),
        "mentioned" => word_search::mentioned(checker, call),
        "why" => why(checker, call, context),
        "within" => windows::within(checker, call, context),
        "mentions" => word_search::has_words(checker, call, Op::Mentions),
        "in_list" => key_lists::in_list(checker, call, context),
        "named" => word_search::has_words(checker, call, Op::Named),
        "is_unknown" => {
            let inner = check_only_argument(checker, call, context)?;
            Ok(add(&mut checker.nodes, Op::IsNull, &[inner], Type::BOOLEAN))
        }
        "needs_months" => needs_months(checker, call, context),
        "coalesce" | "least" | "greatest" => choice(checker, call, span, context),
        "nullif" => nullif(checker, call, span, context),
        "abs" => {
            let typed = check_only_argument(checker, call, context)?;
            expect_number(&mut checker.mistakes, &typed, call.args[0].span)?;
            let ty = typed.ty;
            Ok(add(&mut checker.nodes, Op::Abs, &[typed], ty))
        }
        "round" => rounding(checker, call, Rounding::HalfAway, context),
        "round_half_even" => rounding(checker, call, Rounding::HalfEven, context),
        "round_down" | "floor" => rounding(checker, call, Rounding::Down, context),
        "round_up" | "ceil" => rounding(checker, call, Rounding::Up, context),
        "list_length" => {
            let list = check_only_argument(checker, call, context)?;
            expect_list(&mut checker.mistakes, &list, call.args[0].span)?;
            Ok(add(&mut checker.nodes, Op::ListLength, &[list], Type::COUNT))
        }
        "list_of" => list_of_values(checker, call, None, context),
        "power" => power(checker, call, context),
        "exp" => approximate(checker, call, Approximate::Exp, context),
        "ln" => approximate(checker, call, Approximate::Ln, context),
        "sqrt" => approximate(checker, call, Approximate::Sqrt, context),
        "list_contains" => list_contains(checker, call, context),
        "principal_for" => principal_for(checker, call, context),
        _ => of_texts_or_dates(checker, call, context),
    }
}

fn of_texts_or_dates(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    match call.name.as_str() {
        "year" => date_part(checker, call, DatePart::Year, Type::COUNT, context),
        "month" => date_part(checker, call, DatePart::Month, Type::COUNT, context),
        "day" => date_part(checker, call, DatePart::Day, Type::COUNT, context),
        "weekday" => date_part(checker, call, DatePart::Weekday, Type::COUNT, context),
        "day_of_year" => date_part(checker, call, DatePart::DayOfYear, Type::COUNT, context),
        "month_start_of" => date_part(checker, call, DatePart::MonthStart, Type::DATE, context),
        "add_months" => add_months(checker, call, context),
        "months_between" => check_elapsed_periods(checker, call, Elapsed::Months, context),
        "years_between" => check_elapsed_periods(checker, call, Elapsed::Years, context),
        "date_of" => check_local_time_part(checker, call, LocalPart::Day, context),
        "time_of" => check_local_time_part(checker, call, LocalPart::Time, context),
        "lower" => texts::text_function(checker, call, Op::Letters(Letters::Lower), Type::TEXT, context),
        "upper" => texts::text_function(checker, call, Op::Letters(Letters::Upper), Type::TEXT, context),
        "trim" => texts::text_function(checker, call, Op::Letters(Letters::Trim), Type::TEXT, context),
        "length" => texts::text_function(checker, call, Op::Length, Type::COUNT, context),
        "to_number" => texts::text_function(checker, call, Op::ToNumber, Type::NUMBER, context),
        "substring" => texts::check_substring_call(checker, call, context),
        "replace" => texts::check_replace_call(checker, call, context),
        "starts_with" => texts::has_text(checker, call, TextPlace::Start, context),
        "ends_with" => texts::has_text(checker, call, TextPlace::End, context),
        "contains" => texts::has_text(checker, call, TextPlace::Anywhere, context),
        "concat" => texts::check_concat_call(checker, call, context),
        "text_of" => texts::text_of(checker, call, context),
        _ => unknown_function(&mut checker.mistakes, call),
    }
}

fn expect_list(mistakes: &mut Mistakes, typed: &Typed, span: Span) -> Checked<()> {
    if typed.ty.repr == Repr::List {
        return Ok(());
    }
    let found = crate::rules::types::describe_type(typed.ty);
    let help = "a table gives lists with hit = \"collect\", \"rule_order\" or \"output_order\"";
    mistakes.report(Diagnostic::error("type", span, format!("expected a list, found {found}")).help(help))
}

/// `list_of(...)`: a list of values, of a unit if its place asks for one. A list among them contributes its own values.
pub(in crate::rules::check) fn list_of_values(
    checker: &mut Checker,
    call: &Call,
    wanted: Option<Unit>,
    context: ExpressionContext,
) -> Checked<Typed> {
    // An empty list has a type only where its place gives one.
    check_argument_count(&mut checker.mistakes, call, usize::from(wanted.is_none())..=100, "one or more values")?;
    let mut values = Vec::new();
    for arg in &call.args {
        values.push((checker.check_argument(arg, context)?, arg.span));
    }
    // A bare number takes the unit of the others: money among money, a count among counts.
    let lead = values.iter().find(|(typed, _)| typed.bare.is_none()).or(values.first()).map(|(typed, _)| typed.ty);
    let Some(lead) = wanted.map(Type::declared).or(lead) else { return Err(Reported) };
    if Type::declared(lead.unit).is_numeric() {
        for (typed, span) in &mut values {
            *typed = adapt(&mut checker.operands(), typed.clone(), lead.unit, *span)?;
        }
    }
    let has_decimals =
        |ty: Type| ty.unit.is_plain() && (ty.repr != Repr::Int || Type::declared(ty.unit).repr != Repr::Int);
    let any_decimals = lead.unit.is_plain() && values.iter().any(|(typed, _)| has_decimals(typed.ty));
    let item = if any_decimals { Type::NUMBER } else { Type::declared(lead.unit) };
    let mut inputs = Vec::new();
    for (typed, span) in values {
        let fits = typed.ty.unit == item.unit || (typed.ty.unit.is_plain() && item.unit.is_plain());
        if !fits {
            let message = format!("a list holds one kind: {} and {}", lead.unit.word(), typed.ty.unit.word());
            return checker.mistakes.report(Diagnostic::error("unit", span, message));
        }
        inputs.push(if item.repr == Repr::Rational { to_rational(&mut checker.nodes, typed) } else { typed });
    }
    Ok(add(&mut checker.nodes, Op::ListOf, &inputs, item.with(Repr::List)))
}

/// A function of a plain number whose result is approximate.
fn approximate(
    checker: &mut Checker,
    call: &Call,
    function: Approximate,
    context: ExpressionContext,
) -> Checked<Typed> {
    let number = check_only_argument(checker, call, context)?;
    let number = plain(&mut checker.mistakes, number, call.args[0].span)?;
    let number = to_float(&mut checker.nodes, number);
    Ok(add(&mut checker.nodes, Op::Approximate(function), &[number], Type::NUMBER.with(Repr::Float)))
}

fn plain(mistakes: &mut Mistakes, typed: Typed, span: Span) -> Checked<Typed> {
    if typed.ty.is_numeric() && typed.ty.unit.is_plain() {
        return Ok(typed);
    }
    let message = format!("expected a number, found {}", crate::rules::types::describe_type(typed.ty));
    let diagnostic = Diagnostic::error("type", span, message);
    mistakes.report(match typed.ty.unit {
        Unit::Money | Unit::Days | Unit::Months | Unit::Duration => {
            diagnostic.help("divide it by another of its kind first, which gives a plain number")
        }
        _ => diagnostic,
    })
}

fn power(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "a base and an exponent")?;
    let mut numbers = Vec::new();
    for arg in &call.args {
        let typed = checker.check_argument(arg, context)?;
        numbers.push(plain(&mut checker.mistakes, typed, arg.span)?);
    }
    let (base, exponent) = (numbers.remove(0), numbers.remove(0));
    // A fraction to a whole power is a fraction.
    let whole = match &checker.nodes.node(exponent.node).op {
        Op::Rational(written) => written.to_i64(),
        _ => None,
    };
    let exponent = match whole {
        Some(whole) => checker.nodes.literal(Value::Int(whole), exponent.ty.with(Repr::Int)),
        None => exponent,
    };
    if exponent.ty.repr == Repr::Int && base.ty.repr != Repr::Float {
        let base = to_rational(&mut checker.nodes, base);
        return Ok(add(&mut checker.nodes, Op::Power, &[base, exponent], Type::NUMBER));
    }
    let numbers = [to_float(&mut checker.nodes, base), to_float(&mut checker.nodes, exponent)];
    Ok(add(&mut checker.nodes, Op::Power, &numbers, Type::NUMBER.with(Repr::Float)))
}

fn list_contains(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "a list and a value")?;
    let list = checker.check_argument(&call.args[0], context)?;
    expect_list(&mut checker.mistakes, &list, call.args[0].span)?;
    let value = (checker.check_argument(&call.args[1], context)?, call.args[1].span);
    warn_if_never_output(&mut checker.operands(), &list, (&value.0, value.1));
    let item = Typed { ty: Type::declared(list.ty.unit), ..list.clone() };
    let (_, value) = alike(&mut checker.operands(), (item, call.args[0].span), value, call.name_span, "in")?;
    let value = clean_item(&mut checker.nodes, list.node, value);
    Ok(add(&mut checker.nodes, Op::ListContains, &[list, value], Type::BOOLEAN))
}

fn unknown_function(mistakes: &mut Mistakes, call: &Call) -> Checked<Typed> {
    let known = FUNCTIONS.iter().chain(AGGREGATES).copied();
    let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == call.name);
    let near = nearest_candidate(&call.name, known);
    let help = match (elsewhere, near) {
        (Some((_, instead)), _) => format!("here it is written {instead}"),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => "docs/reference/rules.md lists the functions".into(),
    };
    let message = format!("unknown function `{}`", call.name);
    let wrong = Diagnostic::error("unknown-function", call.name_span, message).label("not known").help(help);
    mistakes.report(wrong.meant(&call.name, near.filter(|_| elsewhere.is_none())))
}

/// The code of the reason of an unknown value.
fn why(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    let inner = check_only_argument(checker, call, context)?;
    if inner.grain > Grain::Statement {
        let message =
            format!("`why` takes a value of the whole statement, but this has one value per {}", inner.grain.word());
        let help = "only values of a whole statement have a reason for being unknown";
        return checker.mistakes.report(Diagnostic::error("grain", call.args[0].span, message).help(help));
    }
    Ok(add(&mut checker.nodes, Op::Why, &[inner], Type::TEXT))
}

fn needs_months(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "a number of months and a value")?;
    let months = match &call.args[0].kind {
        ExprKind::Number(digits) => digits.parse::<u16>().ok(),
        _ => None,
    };
    let Some(months) = months else {
        let message = "`needs_months` takes a number of months first";
        return checker
            .mistakes
            .report(Diagnostic::error("type", call.args[0].span, message).help("such as needs_months(3, ...)"));
    };
    if context.target != Grain::Statement || context.in_aggregate {
        let diagnostic = Diagnostic::error("grain", call.name_span, "`needs_months` is for metrics only");
        return checker
            .mistakes
            .report(diagnostic.help("define it under [metric], around the whole expression that needs the months"));
    }
    let value = checker.check_argument(&call.args[1], context)?;
    note_longer_window(checker, call, months, value.node);
    note_days_for_months(&mut checker.operands(), i64::from(months), call.args[0].span);
    let full = checker.nodes.add(Op::GroupColumn(GroupColumn::Full), vec![], Type::BOOLEAN, Grain::Group(Group::Month));
    let op = Op::Aggregate { function: Aggregate::Count, arguments: 0, filtered: true };
    let full_months = checker.nodes.add(op, vec![full], Type::COUNT, Grain::Statement);
    let full_months = checker.nodes.typed(full_months);
    let ty = value.ty;
    Ok(add(&mut checker.nodes, Op::NeedsMonths(months), &[full_months, value], ty))
}

/// Notes `needs_months(3, ...)` around a window of four months, which may then hold only three.
fn note_longer_window(checker: &mut Checker, call: &Call, months: u16, value: NodeId) {
    let longest = longest_month_window(checker.nodes.graph(), value);
    let Some(longest) = longest.filter(|longest| *longest > i64::from(months)) else { return };
    let message = format!("{months} full months are needed, but the window is {longest} months");
    let help = format!("write needs_months({longest}, ...), or full_months_ago < {months}");
    let note = Diagnostic::note("months", call.args[0].span, message).label("fewer than the window").help(help);
    checker.mistakes.push(note);
}

/// Most nodes of a value that are searched for windows.
const SEARCHED_MAX: usize = 1_000;

/// The longest window of full months in a value: 4 for `full_months_ago < 4`.
fn longest_month_window(graph: &Graph, value: NodeId) -> Option<i64> {
    let (mut open, mut seen, mut longest) = (vec![value], HashSet::new(), None);
    while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
        let found = graph.node(node);
        // What needs its own months is not judged by those around it.
        if !seen.insert(node) || matches!(found.op, Op::NeedsMonths(_)) {
            continue;
        }
        open.extend(&found.inputs);
        let (Op::Compare(sign @ (Binary::Less | Binary::LessEqual)), [left, right]) =
            (&found.op, found.inputs.as_slice())
        else {
            continue;
        };
        let (left, right) = (&graph.node(graph.carried(*left)).op, &graph.node(graph.carried(*right)).op);
        if let (Op::GroupColumn(GroupColumn::FullAgo), Op::Int(bound)) = (left, right) {
            longest = longest.max(Some(bound + i64::from(*sign == Binary::LessEqual)));
        }
    }
    longest
}

fn choice(checker: &mut Checker, call: &Call, span: Span, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 1..=50, "one or more values")?;
    let values = check_arguments(checker, call, context)?;
    if call.name != "coalesce" {
        for (typed, at) in &values {
            no_list(&mut checker.mistakes, typed, *at)?;
        }
    }
    let values = unify(&mut checker.operands(), values, span)?;
    let ty = values[0].ty;
    let op = match call.name.as_str() {
        "coalesce" => Op::Coalesce,
        "least" => Op::Least,
        "greatest" => Op::Greatest,
        _ => return unknown_function(&mut checker.mistakes, call),
    };
    Ok(add(&mut checker.nodes, op, &values, ty))
}

fn nullif(checker: &mut Checker, call: &Call, span: Span, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "two values")?;
    let mut values = check_arguments(checker, call, context)?.into_iter();
    let (Some(left), Some(right)) = (values.next(), values.next()) else { return Err(Reported) };
    let equal = comparison(&mut checker.operands(), Binary::NotEqual, left.clone(), right, span)?;
    // Unknown where they are equal. Where the comparison is unknown, the first value is kept, unknown or not.
    let is_false = add(&mut checker.nodes, Op::IsBoolean(false), &[equal], Type::BOOLEAN);
    let keep = add(&mut checker.nodes, Op::Not, &[is_false], Type::BOOLEAN);
    let ty = left.0.ty;
    Ok(add(&mut checker.nodes, Op::Choose, &[keep, left.0], ty))
}

fn rounding(checker: &mut Checker, call: &Call, how: Rounding, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 1..=2, "a value and an optional step")?;
    let value = checker.check_argument(&call.args[0], context)?;
    expect_number(&mut checker.mistakes, &value, call.args[0].span)?;
    // A rounded value is exact again.
    let value = if value.ty.repr == Repr::Float { to_rational(&mut checker.nodes, value) } else { value };
    let step = match call.args.get(1) {
        Some(step) => {
            let typed = checker.check_argument(step, context)?;
            (if typed.ty.repr == Repr::Float { to_rational(&mut checker.nodes, typed) } else { typed }, step.span)
        }
        // Money without a step is rounded to the smallest coin.
        None if value.ty.unit == Unit::Money => (checker.nodes.literal(Value::Int(1), Type::MONEY), call.name_span),
        None => (checker.nodes.literal(Value::Int(1), value.ty.with(Repr::Int)), call.name_span),
    };
    let (value, step) = alike(&mut checker.operands(), (value, call.args[0].span), step, call.name_span, "rounded to")?;
    let unit = value.ty.unit;
    if call.args.len() == 1 && unit == Unit::Ratio {
        let message = "a ratio is rounded to a whole number here: 0.49 becomes 0, and 0.5 becomes 1";
        let help = "write a step: ROUND(x, 0.01) keeps whole percents";
        checker.mistakes.push(Diagnostic::note("round", call.name_span, message).label("whole").help(help));
    }
    // Rounding to a whole step gives a whole number.
    let whole = call.args.len() == 1 || unit == Unit::Money;
    let ty = Type { unit, repr: if whole { Repr::Int } else { joined(&value, &step) } };
    Ok(add(&mut checker.nodes, Op::Round(how), &[value, step], ty))
}

fn principal_for(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(
        &mut checker.mistakes,
        call,
        3..=3,
        "an instalment, a rate in percent and a number of instalments",
    )?;
    let Some(method) = context.method else {
        let message = "`principal_for` needs the method of an offer; use it in the amount of an [[offer]]";
        return checker.mistakes.report(Diagnostic::error("grain", call.name_span, message));
    };
    let instalment = checker.check_argument(&call.args[0], context)?;
    let instalment = adapt(&mut checker.operands(), instalment, Unit::Money, call.args[0].span)?;
    if instalment.ty.unit != Unit::Money {
        return expect(&mut checker.mistakes, &instalment, Type::MONEY, call.args[0].span).map(|()| instalment);
    }
    let mut plain = Vec::new();
    for arg in &call.args[1..] {
        let typed = checker.check_argument(arg, context)?;
        if !typed.ty.is_numeric() || !typed.ty.unit.is_plain() {
            expect(&mut checker.mistakes, &typed, Type::NUMBER, arg.span)?;
        }
        plain.push(to_rational(&mut checker.nodes, typed));
    }
    let inputs = [to_rational(&mut checker.nodes, instalment), plain.remove(0), plain.remove(0)];
    Ok(add(&mut checker.nodes, Op::PrincipalFor(method), &inputs, Type::MONEY))
}
