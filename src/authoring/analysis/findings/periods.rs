//! Finds values of unlike periods: a total of the whole statement divided by a month's.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::findings::shares::{constant_at, find_compared};
use crate::base::diagnostic::{Diagnostic, Severity, Span};
use crate::rules::graph::{Aggregate, Fact, Grain, Graph, Group, GroupColumn, NodeId, Op, TransactionColumn};
use crate::rules::program::{Metric, Program};
use crate::rules::{Binary, Policy, Unit};

/// Most nodes below one that are searched.
const SEARCHED_MAX: usize = 5_000;

/// Finds `rent_total / income_month_mean`, which grows with the length of the statement.
pub(in crate::authoring::analysis) fn find_unlike_periods(
    policy: &Policy,
    eval: &AbstractEval,
    found: &mut Vec<Diagnostic>,
) {
    let program = &policy.program;
    let graph = &program.graph;
    let named: HashSet<NodeId> = program.metrics.iter().map(|metric| metric.node).collect();
    let mut reported = HashSet::new();
    let metrics = program.metrics.iter().map(|metric| (metric.node, metric.span, &metric.text));
    let requirements = program.requirements.iter();
    let requirements = requirements.map(|requirement| (requirement.when, requirement.span, &requirement.text));
    for (root, span, text) in metrics.chain(requirements) {
        for node in own_nodes(graph, root, &named) {
            if reported.contains(&node) || !is_total_by_month(graph, node) {
                continue;
            }
            reported.insert(node);
            let finding = unlike_periods(program, graph, node, span, text);
            // Savings by a month's spending are a number of months, and then compared with one.
            let is_of_months = program.requirements.iter().any(|one| {
                let of_node = |value, bound, _| {
                    let bound = constant_at(eval, bound).filter(|bound| *bound >= 1.0);
                    bound.filter(|_| graph.carried(value) == node)
                };
                find_compared(graph, one.when, of_node).is_some()
            });
            let severity = if is_of_months { Severity::Note } else { finding.severity };
            found.push(Diagnostic { severity, ..finding });
        }
    }
}

fn unlike_periods(program: &Program, graph: &Graph, node: NodeId, span: Span, text: &str) -> Diagnostic {
    // Another file may define the same under a name that means nothing here.
    let is_written = |name: &str| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        name.rsplit('.').next().is_some_and(|name| text.split(|letter| !is_part(letter)).any(|word| word == name))
    };
    let name = |at: usize| {
        let node = through_conversions(graph, graph.node(node).inputs[at]);
        let is_it = |metric: &&Metric| through_conversions(graph, metric.node) == node && is_written(&metric.name);
        let metric = program.metrics.iter().find(is_it);
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

pub(super) fn depends_on(graph: &Graph, node: NodeId, is_wanted: &dyn Fn(&Op) -> bool) -> bool {
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
