//! Checks aggregates: their arguments, the rows they run over and what they return. Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::rational::Rational;
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::arguments::{CheckArguments, check_argument_count, check_boolean_expression};
use crate::rules::check::operands::align::{bring, expect, expect_number, no_list, same_repr};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::nodes::Nodes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Typed};
use crate::rules::graph::{self, Aggregate, Grain, Op};
use crate::rules::syntax::ast::{Call, Expr, ExprKind};
use crate::rules::types::{Repr, Type};

pub(in crate::rules) fn check_aggregate(
    checker: &mut Checker,
    call: &Call,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    if context.in_aggregate {
        let message = format!("`{}` is inside another aggregate", call.name);
        let help = "give the inner one a name under [month] or [metric], and aggregate that";
        return checker.mistakes.report(Diagnostic::error("grain", call.name_span, message).help(help));
    }
    let target = if context.target == Grain::Transaction { Grain::Statement } else { context.target };
    let inner = ExpressionContext { in_aggregate: true, by_record: false, ..context };
    let mut inputs = aggregate_inputs(checker, call, inner)?;
    let arguments = inputs.len() - usize::from(call.filter.is_some());
    let (given, finest) = (finest_input_grain(&inputs[..arguments]), finest_input_grain(&inputs));
    refuse_apart(&mut checker.mistakes, (finest, target), span)?;
    // Groups of a different kind than wanted are combined by transactions.
    let from = if finest > Grain::Statement { finest.meet(target) } else { Grain::Transaction };
    if from == Grain::Transaction {
        // Only now is it known that this runs over records, so values of groups are evaluated per record.
        inputs = aggregate_inputs(checker, call, ExpressionContext { by_record: true, ..inner })?;
    }
    warn_of_counted_truth(&mut checker.mistakes, call, &inputs);
    let (function, ty) = aggregate_function(&mut checker.mistakes, call, &inputs[..arguments])?;
    if let (Grain::Transaction, Grain::Group(group)) = (from, given)
        && repetition_matters(function)
    {
        let (name, group) = (&call.name, group.word());
        let message = format!("`{name}` would count each {group} once for every record that the filter keeps");
        let help = format!(
            "let the filter test a value of the {group}, or define a [{group}] value from the records that count"
        );
        let label = format!("one {group} counted once per record");
        return checker.mistakes.report(Diagnostic::error("grain", span, message).label(label).help(help));
    }
    if from <= target {
        let group = target.word();
        let message =
            format!("within a {group} only transactions are aggregated, but this is already one value per {group}");
        return checker.mistakes.report(Diagnostic::error("grain", span, message).help("define it under [metric]"));
    }
    let op = Op::Aggregate { function, arguments, filtered: call.filter.is_some() };
    let inputs = inputs.iter().map(|input| bring(&mut checker.nodes, input, from)).collect::<Vec<_>>();
    // A bare COUNT(*) has no input to give its grain.
    let inputs = if inputs.is_empty() { vec![transaction_grain_node(&mut checker.nodes)] } else { inputs };
    let node = checker.nodes.add(op, inputs, ty, target);
    checker.nodes.note_aggregate(node, span);
    Ok(checker.nodes.typed(node))
}

/// Warns of `COUNT(is_salary)`, which counts the rows where it is known, true or false.
fn warn_of_counted_truth(mistakes: &mut Mistakes, call: &Call, inputs: &[Typed]) {
    let ([condition], Some(typed)) = (call.args.as_slice(), inputs.first()) else { return };
    if call.name != "count" || call.distinct || typed.ty != Type::BOOLEAN {
        return;
    }
    let condition = if let ExprKind::Name(name) = &condition.kind { name } else { "..." };
    let help = match call.filter {
        None => format!("to count where it holds: COUNT(*) FILTER (WHERE {condition})"),
        Some(_) => format!("to count where it holds, ask in the filter: COUNT(*) FILTER (WHERE ... AND {condition})"),
    };
    let message = "COUNT counts where this is known, true or false";
    mistakes.push(Diagnostic::warning("count", call.args[0].span, message).label("false counts too").help(help));
}

/// The arguments, then the filter if there is one.
fn aggregate_inputs(checker: &mut Checker, call: &Call, inner: ExpressionContext) -> Checked<Vec<Typed>> {
    let mut inputs = aggregate_arguments(checker, call, inner)?;
    if let Some(filter) = &call.filter {
        inputs.push(check_boolean_expression(checker, filter, inner)?);
    }
    Ok(inputs)
}

/// Refuses to mix the entries of a list with anything but values of the statement.
fn refuse_apart(mistakes: &mut Mistakes, (finest, target): (Grain, Grain), span: Span) -> Checked<()> {
    let (message, help) = match (finest, target) {
        (Grain::Apart, _) => (
            "the entries of a list have no transactions, groups or entries of another list".to_owned(),
            "aggregate each by itself, and combine the results under [metric]",
        ),
        (Grain::Entry(_), target) if target > Grain::Statement => (
            format!("the entries of a list belong to the whole statement, not to a {}", target.word()),
            "define it under [metric]",
        ),
        _ => return Ok(()),
    };
    mistakes.report(Diagnostic::error("grain", span, message).help(help))
}

fn finest_input_grain(inputs: &[Typed]) -> Grain {
    inputs.iter().fold(Grain::Constant, |finest, input| finest.meet(input.grain))
}

/// Whether repeated values change the result.
fn repetition_matters(function: Aggregate) -> bool {
    !matches!(
        function,
        Aggregate::CountDistinct
            | Aggregate::Min
            | Aggregate::Max
            | Aggregate::First
            | Aggregate::Last
            | Aggregate::ArgMin
            | Aggregate::ArgMax
            | Aggregate::MaxGap
            | Aggregate::AvgGap
    )
}

/// A column of transactions, used only for its grain.
fn transaction_grain_node(nodes: &mut Nodes) -> graph::NodeId {
    nodes.add(Op::Column(graph::TransactionColumn::TransDate), vec![], Type::DATE, Grain::Transaction)
}

fn aggregate_arguments(checker: &mut Checker, call: &Call, inner: ExpressionContext) -> Checked<Vec<Typed>> {
    let name = call.name.as_str();
    if call.star && name != "count" {
        let message = format!("`{name}` takes a value, not *");
        return checker.mistakes.report(Diagnostic::error("arguments", call.name_span, message));
    }
    match name {
        "count" if call.star => check_argument_count(&mut checker.mistakes, call, 0..=0, "* or one value")?,
        "quantile" => check_argument_count(&mut checker.mistakes, call, 2..=2, "a value and a fraction such as 0.9")?,
        "arg_max" | "arg_min" | "regr_slope" => check_argument_count(&mut checker.mistakes, call, 2..=2, "two values")?,
        _ => one_value(&mut checker.mistakes, call)?,
    }
    if call.distinct && name != "count" {
        let message = format!("DISTINCT is for COUNT, not for `{name}`");
        return checker.mistakes.report(Diagnostic::error("arguments", call.name_span, message));
    }
    let given: &[Expr] = if name == "quantile" { &call.args[..1] } else { &call.args };
    let mut inputs = Vec::new();
    for arg in given {
        let typed = checker.check_argument(arg, inner)?;
        no_list(&mut checker.mistakes, &typed, arg.span)?;
        let wants_number = matches!(name, "sum" | "avg" | "median" | "quantile" | "stddev" | "regr_slope");
        if wants_number {
            expect_number(&mut checker.mistakes, &typed, arg.span)?;
        }
        if matches!(name, "max_gap" | "avg_gap") {
            expect(&mut checker.mistakes, &typed, Type::DATE, arg.span)?;
        }
        if name == "benford" {
            expect(&mut checker.mistakes, &typed, Type::MONEY, arg.span)?;
        }
        inputs.push(typed);
    }
    if name.starts_with("arg_") && !inputs[1].ty.repr.is_number() {
        let message = format!("`{name}` orders by a number, money or a date");
        return checker.mistakes.report(Diagnostic::error("type", call.args[1].span, message));
    }
    if name == "regr_slope" {
        let (left, right) = same_repr(&mut checker.nodes, inputs[0].clone(), inputs[1].clone());
        return Ok(vec![left, right]);
    }
    Ok(inputs)
}

/// Most aggregates take one value. Explains what a second one probably means.
fn one_value(mistakes: &mut Mistakes, call: &Call) -> Checked<()> {
    let name = call.name.to_uppercase();
    let help = match (call.name.as_str(), call.args.len()) {
        (_, 0 | 1) => return check_argument_count(mistakes, call, 1..=1, "one value"),
        ("max", _) => "the greatest of several values is GREATEST(a, b)".to_owned(),
        ("min", _) => "the least of several values is LEAST(a, b)".to_owned(),
        _ => format!("a filter chooses the records that count: {name}(credit) FILTER (WHERE within(30))"),
    };
    let message = format!("`{}` takes one value", call.name);
    let given = format!("{} given", call.args.len());
    mistakes.report(Diagnostic::error("arguments", call.name_span, message).label(given).help(help))
}

fn aggregate_function(mistakes: &mut Mistakes, call: &Call, inputs: &[Typed]) -> Checked<(Aggregate, Type)> {
    let argument = inputs.first().map_or(Type::COUNT, |input| input.ty);
    let float = argument.with(Repr::Float);
    // Exact for exact numbers.
    let fraction_of = if argument.repr == Repr::Float { float } else { argument.with(Repr::Rational) };
    Ok(match call.name.as_str() {
        "count" if call.distinct => (Aggregate::CountDistinct, Type::COUNT),
        "count" => (Aggregate::Count, Type::COUNT),
        "sum" => (Aggregate::Sum, argument),
        "avg" => (Aggregate::Avg, fraction_of),
        "min" => (Aggregate::Min, argument),
        "max" => (Aggregate::Max, argument),
        "median" => (Aggregate::Quantile(1, 2), fraction_of),
        "quantile" => {
            let (over, under) = parse_quantile(mistakes, &call.args[1])?;
            (Aggregate::Quantile(over, under), fraction_of)
        }
        "stddev" => (Aggregate::StdDev, float),
        "first" => (Aggregate::First, argument),
        "last" => (Aggregate::Last, argument),
        "arg_max" => (Aggregate::ArgMax, argument),
        "arg_min" => (Aggregate::ArgMin, argument),
        "regr_slope" => (Aggregate::RegrSlope, fraction_of),
        "max_gap" => (Aggregate::MaxGap, Type::DAYS),
        "mode" => (Aggregate::Mode, argument),
        "benford" => (Aggregate::Benford, Type::RATIO.with(Repr::Float)),
        "avg_gap" => (Aggregate::AvgGap, Type::DAYS.with(Repr::Rational)),
        name => {
            let message = format!("unknown function `{name}`");
            return mistakes.report(Diagnostic::error("unknown-function", call.name_span, message));
        }
    })
}

/// A fraction as written: a whole number over a power of ten.
fn parse_quantile(mistakes: &mut Mistakes, arg: &Expr) -> Checked<(u64, u64)> {
    match &arg.kind {
        ExprKind::Number(digits) => match Rational::parse(digits).and_then(|number| number.to_ratio()) {
            Some((over, under)) if (0..=under).contains(&over) => Ok((over.unsigned_abs(), under.unsigned_abs())),
            Some(_) => mistakes.report(Diagnostic::error("arguments", arg.span, "a quantile must be between 0 and 1")),
            None => {
                let message = "a quantile is a number between 0 and 1 with at most 18 decimals";
                mistakes.report(Diagnostic::error("arguments", arg.span, message))
            }
        },
        _ => mistakes.report(Diagnostic::error("arguments", arg.span, "write the fraction as a number such as 0.9")),
    }
}
