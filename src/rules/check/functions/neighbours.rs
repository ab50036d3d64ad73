//! Functions that look from one row at others of its statement: neighbours, ranks, sums nearby. Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::arguments::{CheckArguments, check_argument_count, check_only_argument};
use crate::rules::check::functions::function_names::AGGREGATES;
use crate::rules::check::operands::align::{bring, expect_number, no_list};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Typed};
use crate::rules::graph::{Grain, Neighbour, Op};
use crate::rules::syntax::ast::{Call, Expr, ExprKind};
use crate::rules::types::{Repr, Type, Unit, describe_type};

/// `previous(x)`, `next(x)`, `carried(x)`: of rows that stand in order.
pub(in crate::rules) fn check_neighbour_call(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Typed> {
    let rows = rows_of_its_own(checker, call, context);
    let value = check_only_argument(checker, call, rows)?;
    let is_ordered = match value.grain {
        Grain::Group(group) => group.is_ordered(),
        grain => grain == Grain::Transaction,
    };
    if !is_ordered {
        let name = &call.name;
        let message = format!("`{name}` looks at another row, but this has one value per {}", value.grain.word());
        let help = "use it on values of records, days, weeks or months, which have an order";
        return checker.mistakes.report(Diagnostic::error("grain", call.args[0].span, message).help(help));
    }
    let which = match call.name.as_str() {
        "previous" => Neighbour::Previous,
        "next" => Neighbour::Next,
        "carried" => Neighbour::Carried,
        name => {
            let message = format!("unknown function `{name}`");
            return checker.mistakes.report(Diagnostic::error("unknown-function", call.name_span, message));
        }
    };
    let node = checker.nodes.add(Op::Neighbour(which), vec![value.node], value.ty, value.grain);
    Ok(checker.nodes.typed(node))
}

/// `rank(x)`: 1 for the greatest of the statement.
pub(in crate::rules) fn check_rank_call(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Typed> {
    // Counterparties are compared with counterparties, even if used per record.
    let rows = rows_of_its_own(checker, call, context);
    let value = check_only_argument(checker, call, rows)?;
    let span = call.args[0].span;
    if value.grain <= Grain::Statement {
        let message = format!("`rank` compares rows, but this has one value per {}", value.grain.word());
        let help = "such as rank(inflow) of a [counterparty] or [month] value";
        return checker.mistakes.report(Diagnostic::error("grain", span, message).help(help));
    }
    no_list(&mut checker.mistakes, &value, span)?;
    if !value.ty.repr.is_number() {
        let message = format!("`rank` orders by a number, money or a date, but this is {}", describe_type(value.ty));
        return checker.mistakes.report(Diagnostic::error("type", span, message));
    }
    let node = checker.nodes.add(Op::Rank, vec![value.node], Type::COUNT, value.grain);
    let ranked = checker.nodes.typed(node);
    Ok(checker.nodes.by_record(ranked, context))
}

/// The same context, but at the argument's own grain: an argument about records is evaluated per record.
fn rows_of_its_own(checker: &Checker, call: &Call, context: ExpressionContext) -> ExpressionContext {
    let of_records = call.args.first().is_some_and(|arg| grain_of(checker, arg) == Grain::Transaction);
    let in_aggregate = context.in_aggregate || context.target == Grain::Transaction;
    ExpressionContext { by_record: of_records && in_aggregate, in_aggregate, ..context }
}

/// The grain of an expression that is not checked yet, from its names and calls only.
fn grain_of(checker: &Checker, expr: &Expr) -> Grain {
    let all = |parts: &mut dyn Iterator<Item = &Expr>| {
        parts.fold(Grain::Constant, |grain, part| grain.meet(grain_of(checker, part)))
    };
    match &expr.kind {
        ExprKind::Name(name) => checker.grain_of_name(name),
        ExprKind::Qualified(space, name) => checker.grain_of_name(&format!("{space}.{name}")),
        ExprKind::Unary(_, inner)
        | ExprKind::IsNull(inner)
        | ExprKind::IsBoolean(inner, _)
        | ExprKind::Like(inner, ..) => grain_of(checker, inner),
        ExprKind::Binary(_, left, right) => all(&mut [&**left, &**right].into_iter()),
        ExprKind::In(value, list) => all(&mut std::iter::once(&**value).chain(list)),
        ExprKind::Case(arms, otherwise) => {
            let arms = arms.iter().flat_map(|(condition, result)| [condition, result]);
            all(&mut arms.chain(otherwise.as_deref()))
        }
        ExprKind::Call(call) if AGGREGATES.contains(&call.name.as_str()) => Grain::Constant,
        ExprKind::Call(call) if OF_RECORDS.contains(&call.name.as_str()) => Grain::Transaction,
        ExprKind::Call(call) => all(&mut call.args.iter()),
        ExprKind::Parameter(_) | ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Boolean(_) | ExprKind::Null => {
            Grain::Constant
        }
        ExprKind::Date(_) | ExprKind::Time(_) | ExprKind::Timestamp(_) | ExprKind::Interval(_) => Grain::Constant,
    }
}

/// Functions that look at a record, whatever their arguments are.
const OF_RECORDS: [&str; 7] = ["mentioned", "mentions", "mirrored", "named", "sum_after", "sum_before", "within"];

/// `sum_after(x, days)` and `sum_before(x, days)`.
pub(in crate::rules) fn sum_near(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "a value of records and a number of days")?;
    of_records(&mut checker.mistakes, call, context)?;
    let value = checker.check_argument(&call.args[0], ExpressionContext { by_record: true, ..context })?;
    expect_number(&mut checker.mistakes, &value, call.args[0].span)?;
    if value.ty.repr != Repr::Int {
        let message = format!("`{}` adds money or whole numbers", call.name);
        let help = "such as the debit of the days after: sum_after(debit, 1)";
        return checker.mistakes.report(Diagnostic::error("type", call.args[0].span, message).help(help));
    }
    if value.grain.meet(Grain::Transaction) != Grain::Transaction {
        let message = format!("`{}` looks at records, but this has one value per {}", call.name, value.grain.word());
        return checker
            .mistakes
            .report(Diagnostic::error("grain", call.args[0].span, message).help("use it on values of records"));
    }
    let days = check_day_count(checker, call, 1, context)?;
    let inputs = [value, days].map(|input| bring(&mut checker.nodes, &input, Grain::Transaction));
    let ty = checker.nodes.node(inputs[0]).ty;
    let op = Op::SumNear { before: call.name == "sum_before" };
    let node = checker.nodes.add(op, inputs.to_vec(), ty, Grain::Transaction);
    Ok(checker.nodes.typed(node))
}

/// `mirrored(3)`: the same amount went the other way, to or from the same counterparty, within three days.
pub(in crate::rules) fn check_mirrored_call(
    checker: &mut Checker,
    call: &Call,
    context: ExpressionContext,
) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 1..=1, "a number of days")?;
    of_records(&mut checker.mistakes, call, context)?;
    let days = check_day_count(checker, call, 0, context)?;
    let days = bring(&mut checker.nodes, &days, Grain::Transaction);
    let node = checker.nodes.add(Op::Mirrored, vec![days], Type::BOOLEAN, Grain::Transaction);
    Ok(checker.nodes.typed(node))
}

fn of_records(mistakes: &mut Mistakes, call: &Call, context: ExpressionContext) -> Checked<()> {
    if context.in_aggregate || context.target == Grain::Transaction {
        return Ok(());
    }
    let name = &call.name;
    let message = format!("`{name}` compares a record with others; use it in an aggregate or under [transaction]");
    let help = format!("such as COUNT(*) FILTER (WHERE {})", example_neighbour_call(name));
    mistakes.report(Diagnostic::error("grain", call.name_span, message).help(help))
}

fn example_neighbour_call(name: &str) -> &'static str {
    match name {
        "sum_after" => "sum_after(debit, 1) > 0.8 * credit",
        "sum_before" => "sum_before(credit, 7) > 0",
        _ => "credit > 0 AND mirrored(3)",
    }
}

/// A whole number of days, the same for all records of a statement.
fn check_day_count(checker: &mut Checker, call: &Call, argument: usize, context: ExpressionContext) -> Checked<Typed> {
    let span: Span = call.args[argument].span;
    let days = checker.check_argument(&call.args[argument], context)?;
    let is_days = days.ty.unit.is_plain() || days.ty.unit == Unit::Days;
    if days.ty.repr == Repr::Int && is_days && days.grain <= Grain::Statement {
        return Ok(days);
    }
    let message = format!("`{}` takes a whole number of days", call.name);
    checker.mistakes.report(Diagnostic::error("type", span, message).help("such as 3 or $window"))
}
