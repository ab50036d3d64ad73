//! Finds values of unlike periods: a total of the whole statement divided by a month's, and windows that are empty
//! because the statement ended long ago.

use std::collections::HashSet;

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::graph::{Aggregate, Fact, Grain, Graph, Group, GroupColumn, NodeId, Op, TransactionColumn};
use crate::rules::program::Program;
use crate::rules::{Binary, Policy, Unit};

/// Most nodes below one that are searched.
const SEARCHED_MAX: usize = 5_000;

/// Finds `rent_total / income_month_mean`, which grows with the length of the statement.
pub(in crate::authoring::analysis) fn find_unlike_periods(policy: &Policy, found: &mut Vec<Diagnostic>) {
    let program = &policy.program;
    let graph = &program.graph;
    let named: HashSet<NodeId> = program.metrics.iter().map(|metric| metric.node).collect();
    let mut reported = HashSet::new();
    let metrics = program.metrics.iter().map(|metric| (metric.node, metric.span));
    let requirements = program.requirements.iter().map(|requirement| (requirement.when, requirement.span));
    for (root, span) in metrics.chain(requirements) {
        for node in own_nodes(graph, root, &named) {
            if reported.contains(&node) || !is_total_by_month(graph, node) {
                continue;
            }
            reported.insert(node);
            found.push(unlike_periods(program, graph, node, span));
        }
    }
}

fn unlike_periods(program: &Program, graph: &Graph, node: NodeId, span: Span) -> Diagnostic {
    let name = |at: usize| {
        let node = through_conversions(graph, graph.node(node).inputs[at]);
        let metric = program.metrics.iter().find(|metric| through_conversions(graph, metric.node) == node);
        metric.map(|metric| format!(", `{}`,", metric.name)).unwrap_or_default()
    };
    let message = format!(
        "a total of the whole statement{} is divided by a month's value{} so it grows with the statement's length",
        name(0),
        if name(1).is_empty() { ",".to_owned() } else { name(1) }
    );
    let help = "divide a total by a total, or a mean of months by a mean of months: define it under [month]";
    Diagnostic::warning("periods", span, message).label("total by month").help(help)
}

/// The nodes of an expression, without those of other metrics that it uses.
fn own_nodes(graph: &Graph, root: NodeId, named: &HashSet<NodeId>) -> Vec<NodeId> {
    let (mut open, mut seen) = (vec![root], HashSet::new());
    let mut nodes = Vec::new();
    while let Some(node) = open.pop().filter(|_| nodes.len() < SEARCHED_MAX) {
        if graph.node(node).grain > Grain::Statement || !seen.insert(node) || (node != root && named.contains(&node)) {
            continue;
        }
        nodes.push(node);
        open.extend(&graph.node(node).inputs);
    }
    nodes
}

/// The node whose value this one passes on, or that it only guards.
fn through_conversions(graph: &Graph, node: NodeId) -> NodeId {
    let mut node = graph.carried(node);
    while let (Op::NeedsMonths(_), Some(value)) = (&graph.node(node).op, graph.node(node).inputs.last()) {
        node = graph.carried(*value);
    }
    node
}

fn is_total_by_month(graph: &Graph, node: NodeId) -> bool {
    let found = graph.node(node);
    let (Op::Arithmetic(Binary::Divide), [total, month]) = (&found.op, found.inputs.as_slice()) else { return false };
    is_whole_total(graph, through_conversions(graph, *total)) && is_of_month(graph, through_conversions(graph, *month))
}

/// A sum of money over all records of the statement.
fn is_whole_total(graph: &Graph, node: NodeId) -> bool {
    let found = graph.node(node);
    let is_sum = matches!(found.op, Op::Aggregate { function: Aggregate::Sum, .. });
    is_sum && found.ty.unit == Unit::Money && found.grain <= Grain::Statement && !is_of_some_time(graph, node)
}

/// One value of months: a mean, a median, the least or greatest.
fn is_of_month(graph: &Graph, node: NodeId) -> bool {
    let found = graph.node(node);
    let Op::Aggregate { function, .. } = &found.op else { return false };
    let is_one = matches!(function, Aggregate::Avg | Aggregate::Quantile(..) | Aggregate::Min | Aggregate::Max);
    let of_month = found.inputs.first().is_some_and(|input| graph.node(*input).grain == Grain::Group(Group::Month));
    is_one && of_month && found.ty.unit == Unit::Money
}

/// Whether an aggregate depends on when its records were.
fn is_of_some_time(graph: &Graph, node: NodeId) -> bool {
    depends_on(graph, node, &|op| {
        matches!(
            op,
            Op::Fact(Fact::AsOf | Fact::WindowEnd)
                | Op::GroupColumn(GroupColumn::Start | GroupColumn::Number | GroupColumn::Full | GroupColumn::FullAgo)
                | Op::Column(TransactionColumn::TransDate | TransactionColumn::ClearedDate)
        )
    })
}

fn depends_on(graph: &Graph, node: NodeId, is_wanted: &dyn Fn(&Op) -> bool) -> bool {
    let (mut open, mut seen) = (vec![node], HashSet::new());
    while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
        if !seen.insert(node) {
            continue;
        }
        let found = graph.node(node);
        if is_wanted(&found.op) {
            return true;
        }
        // A parameter by date depends on the day, but is a number as any other.
        if !matches!(found.op, Op::Dated(_)) {
            open.extend(&found.inputs);
        }
    }
    false
}

/// Finds requirements that look back from the day of the decision in a policy that never asks when the statement ended.
/// If it ended long before, the windows are empty, and what must be little is 0.
pub(in crate::authoring::analysis) fn find_stale_windows(policy: &Policy, found: &mut Vec<Diagnostic>) {
    let program = &policy.program;
    let graph = &program.graph;
    let is_window = |op: &Op| matches!(op, Op::Fact(Fact::WindowEnd));
    if program.offers.is_empty() || program.offers.iter().all(|offer| depends_on(graph, offer.amount, &is_window)) {
        return;
    }
    let looks_back = program.requirements.iter().find(|one| depends_on(graph, one.when, &is_window));
    let Some(requirement) = looks_back else { return };
    let judged = program.judgement();
    let is_guarded = judged.iter().any(|node| depends_on_age(graph, *node))
        || program.requirements.iter().any(|one| asks_for_some(graph, one.when));
    if is_guarded {
        return;
    }
    let message = format!(
        "the requirement `{}` looks back from the day of the decision, and nothing asks when the statement ended: \
         where it ended earlier, the window is empty and its sums are 0",
        requirement.id
    );
    let help = "require a recent statement: when = \"as_of - MAX(trans_date) <= 14\", else = \"refer\"";
    found.push(Diagnostic::warning("stale", requirement.span, message).label("empty if it ended earlier").help(help));
}

/// Whether a value depends on how long ago a date of the whole statement is.
fn depends_on_age(graph: &Graph, node: NodeId) -> bool {
    let nodes = graph.nodes();
    let is_day =
        |node: &NodeId| matches!(nodes[graph.carried(*node).index()].op, Op::Fact(Fact::AsOf | Fact::WindowEnd));
    let (mut open, mut seen) = (vec![node], HashSet::new());
    while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
        if !seen.insert(node) {
            continue;
        }
        let found = graph.node(node);
        let is_age = matches!(found.op, Op::Arithmetic(Binary::Subtract) | Op::Elapsed(_));
        if is_age && found.grain <= Grain::Statement && found.inputs.iter().any(is_day) {
            return true;
        }
        open.extend(&found.inputs);
    }
    false
}

/// Whether a condition asks that a value of a window is at least something: an empty window does not meet it.
fn asks_for_some(graph: &Graph, condition: NodeId) -> bool {
    let is_window = |op: &Op| matches!(op, Op::Fact(Fact::WindowEnd));
    let (mut open, mut seen) = (vec![condition], HashSet::new());
    while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
        let found = graph.node(node);
        if found.grain > Grain::Statement || !seen.insert(node) {
            continue;
        }
        if let (Op::Compare(sign), [left, right]) = (&found.op, found.inputs.as_slice()) {
            let greater = match sign {
                Binary::Greater | Binary::GreaterEqual => left,
                Binary::Less | Binary::LessEqual => right,
                _ => continue,
            };
            if depends_on(graph, *greater, &is_window) {
                return true;
            }
            continue;
        }
        open.extend(&found.inputs);
    }
    false
}
