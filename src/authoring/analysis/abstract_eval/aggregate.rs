//! The value sets of aggregates, and relations between them: a part and its whole, a day and those before it.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::conversions::unconverted_aggregate;
use crate::authoring::analysis::abstract_eval::interval::Interval;
use crate::authoring::analysis::abstract_eval::node_values::NodeValues;
use crate::authoring::analysis::abstract_eval::values::Values;
use crate::rules::Binary;
use crate::rules::graph::{Aggregate, Fact, Grain, Graph, Needs, Node, NodeId, Op, TransactionColumn};

/// The value set of an aggregate over the rows up to `as_of` that its filter keeps. Unknown arguments are skipped.
pub(in crate::authoring::analysis) fn aggregate_value_set(
    graph: &Graph,
    values: &NodeValues,
    node: &Node,
    (function, arguments, _): (Aggregate, usize, bool),
) -> Values {
    let argument = node.inputs.first().filter(|_| arguments > 0).map(|input| values.at(*input));
    let interval = argument.and_then(Values::interval);
    let never_of_nothing = matches!(function, Aggregate::Count | Aggregate::CountDistinct | Aggregate::Sum);
    let unknown = !never_of_nothing || needs_more(graph, values, node);
    match function {
        Aggregate::Count | Aggregate::CountDistinct => Values::numbers(Interval::NOT_NEGATIVE, unknown),
        Aggregate::Sum => Values::numbers(sum_interval_of(interval), unknown),
        Aggregate::Avg | Aggregate::Quantile(..) => Values::numbers(interval.map(Interval::blurred), unknown),
        Aggregate::Benford => Values::numbers(Interval::closed(0.0, 1.0), true),
        Aggregate::StdDev => Values::numbers(interval.map(deviation_interval), unknown),
        Aggregate::RegrSlope => Values::numbers(interval.map(|_| Interval::ALL), unknown),
        Aggregate::MaxGap | Aggregate::AvgGap => {
            Values::numbers(Interval { low: 1.0, ..Interval::NOT_NEGATIVE }, unknown)
        }
        Aggregate::Min
        | Aggregate::Max
        | Aggregate::First
        | Aggregate::Last
        | Aggregate::ArgMax
        | Aggregate::Mode
        | Aggregate::ArgMin => argument.map_or(Values::any(node.ty), |argument| Values { unknown, ..argument.clone() }),
    }
}

/// Whether something other than rows may be missing: a column of the statement, or a statement's value used inside.
fn needs_more(graph: &Graph, values: &NodeValues, node: &Node) -> bool {
    if node.grain != Grain::Statement {
        return false;
    }
    // A list of entries may not be given.
    if matches!(graph.finest(&node.inputs), Grain::Entry(_)) {
        return true;
    }
    node.inputs.iter().any(|input| {
        let source = graph.node(*input);
        let coarse = source.grain <= Grain::Statement && values.at(*input).unknown;
        let spreads = source.spreads.iter().any(|spread| values.at(*spread).unknown);
        coarse || spreads || source.needs != Needs::default()
    })
}

pub(in crate::authoring::analysis) fn sum_interval_of(of: Option<Interval>) -> Interval {
    match of {
        None => Interval::point(0.0),
        Some(of) => {
            let low = if of.low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
            let high = if of.high <= 0.0 { 0.0 } else { f64::INFINITY };
            Interval::closed(low, high)
        }
    }
}

/// A standard deviation is at most the distance between the extremes.
fn deviation_interval(of: Interval) -> Interval {
    let apart = of.high - of.low;
    if apart.is_finite() {
        Interval::closed(0.0, apart + of.blurred().high.abs().max(apart) * 1e-6)
    } else {
        Interval::NOT_NEGATIVE
    }
}

/// Whether `part` counts or adds a subset of what `whole` does, and nothing negative. Their quotient is then 0 to 1.
pub(in crate::authoring::analysis) fn is_part_of(graph: &Graph, part: NodeId, whole: NodeId) -> bool {
    let (Some(part), Some(whole)) = (unconverted_aggregate(graph, part), unconverted_aggregate(graph, whole)) else {
        return false;
    };
    let ((part, function, arguments, filtered), (whole, other, whole_arguments, whole_filtered)) = (part, whole);
    if function != other || part.grain != whole.grain || arguments != whole_arguments {
        return false;
    }
    let rows_are_the_same = grain_of_rows(graph, part) == grain_of_rows(graph, whole);
    let not_negative = match function {
        Aggregate::Count => true,
        Aggregate::Sum => is_amount(graph, part.inputs[0]),
        _ => false,
    };
    if !rows_are_the_same || !not_negative || part.inputs[..arguments] != whole.inputs[..arguments] {
        return false;
    }
    let filter = |node: &Node, filtered: bool| match filtered {
        true => split_conjunction(graph, node.inputs[arguments]),
        false => HashSet::new(),
    };
    filter(whole, whole_filtered).is_subset(&filter(part, filtered))
}

/// The grain of the rows that an aggregate runs over.
fn grain_of_rows(graph: &Graph, node: &Node) -> Grain {
    let finest = graph.finest(&node.inputs);
    if finest > Grain::Statement { finest } else { Grain::Transaction }
}

fn is_amount(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Column(TransactionColumn::Credit | TransactionColumn::Debit))
}

/// The conditions that AND combines, each once.
fn split_conjunction(graph: &Graph, node: NodeId) -> HashSet<NodeId> {
    let (mut found, mut open, mut seen) = (HashSet::new(), vec![node], HashSet::new());
    while let Some(node) = open.pop() {
        match graph.node(node).op {
            _ if !seen.insert(node) => {}
            Op::And => open.extend(&graph.node(node).inputs),
            _ => {
                found.insert(node);
            }
        }
    }
    found
}

/// Whether `greater` is never below `less`: the day of the decision and the day of a record, or the greatest and the
/// least of one value.
pub(in crate::authoring::analysis) fn is_never_below(graph: &Graph, greater: NodeId, less: NodeId) -> bool {
    let op = |node: NodeId| &graph.node(graph.carried(node)).op;
    let is_period = |node: NodeId| matches!(op(node), Op::Fact(Fact::PeriodStart | Fact::PeriodEnd));
    (is_as_of(graph, greater) && is_day_of_record(graph, less))
        || (*op(greater) == Op::Fact(Fact::AsOf) && is_period(less))
        || is_span(graph, greater, less)
}

/// The greatest and the least of one value over the same rows.
fn is_span(graph: &Graph, greatest: NodeId, least: NodeId) -> bool {
    let (greatest, least) = (graph.node(greatest), graph.node(least));
    let is = |node: &Node, wanted| matches!(node.op, Op::Aggregate { function, .. } if function == wanted);
    is(greatest, Aggregate::Max) && is(least, Aggregate::Min) && greatest.inputs == least.inputs
}

fn is_as_of(graph: &Graph, node: NodeId) -> bool {
    let node = graph.node(node);
    match node.op {
        Op::Fact(Fact::AsOf | Fact::WindowEnd) => true,
        Op::Spread => is_as_of(graph, node.inputs[0]),
        _ => false,
    }
}

fn is_day_of_record(graph: &Graph, node: NodeId) -> bool {
    use Aggregate::{ArgMax, ArgMin, First, Last, Max, Min};
    let node = graph.node(node);
    match node.op {
        Op::Column(TransactionColumn::TransDate) => true,
        // A group starts on or before the day of its records.
        Op::GroupColumn(crate::rules::graph::GroupColumn::Start) => true,
        Op::DatePart(crate::rules::graph::DatePart::MonthStart) => is_day_of_record(graph, node.inputs[0]),
        Op::Spread | Op::NeedsMonths(_) => node.inputs.last().is_some_and(|input| is_day_of_record(graph, *input)),
        Op::Arithmetic(Binary::Add | Binary::Subtract) => false,
        Op::Aggregate { function: Max | Min | First | Last | ArgMax | ArgMin, .. } => {
            is_day_of_record(graph, node.inputs[0])
        }
        _ => false,
    }
}
