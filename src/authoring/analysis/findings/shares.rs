//! Finds a share that is compared with a number of percent: `share <= 30`. Shares are fractions.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::Diagnostic;
use crate::rules::graph::{Aggregate, Grain, Graph, NodeId, Op};
use crate::rules::{Binary, Policy, Unit};

/// Numbers from here to 100 are hardly ever a quotient of two totals, and often a percentage.
const PERCENT_MIN: f64 = 5.0;
const PERCENT_MAX: f64 = 100.0;

/// Most nodes of a condition that are searched.
const SEARCHED_MAX: usize = 2_000;

/// Comparisons in the conditions of requirements.
pub(in crate::authoring::analysis) fn find_percents(
    policy: &Policy,
    eval: &AbstractEval,
    names: &NodeNames,
    found: &mut Vec<Diagnostic>,
) {
    let graph = &policy.program.graph;
    for requirement in &policy.program.requirements {
        let Some((share, bound)) = percent_in(graph, eval, requirement.when) else { continue };
        let share = names.name(share).map_or("a share".to_owned(), |name| format!("`{name}`"));
        let message = format!("{share} is compared with {bound}, and a share is a fraction: 1 is all of it");
        let help = format!("if {bound} percent is meant, write {}", bound / 100.0);
        let warning = Diagnostic::warning("percent", requirement.span, message);
        found.push(warning.label("percent, or times?").help(help));
    }
}

/// A quotient of two totals, and the number from 5 to 100 that it is compared with.
fn percent_in(graph: &Graph, eval: &AbstractEval, condition: NodeId) -> Option<(NodeId, f64)> {
    find_compared(graph, condition, |share, bound| {
        // A share that is never above 1 gives its own finding: the condition always holds, or never does.
        let is_open = eval.at(share).interval().is_some_and(|share| share.high > 1.0);
        let bound = constant_at(eval, bound).filter(|bound| (PERCENT_MIN..=PERCENT_MAX).contains(bound))?;
        (is_open && is_quotient_of_totals(graph, share)).then_some((share, bound))
    })
}

/// The number of percent that a share of a whole, which is 0 to 1, is compared with in a condition.
pub(in crate::authoring::analysis) fn percent_beside_share(
    graph: &Graph,
    eval: &AbstractEval,
    condition: NodeId,
) -> Option<f64> {
    find_compared(graph, condition, |share, bound| {
        let is_share = graph.node(share).ty.unit == Unit::Ratio
            && eval.at(share).interval().is_some_and(|share| share.low >= 0.0 && share.high <= 1.0);
        constant_at(eval, bound).filter(|bound| is_share && *bound > 1.0 && *bound <= PERCENT_MAX)
    })
}

/// The number that a value always is.
fn constant_at(eval: &AbstractEval, node: NodeId) -> Option<f64> {
    eval.at(node).interval().filter(|bound| bound.is_point()).map(|bound| bound.low)
}

/// What `find` makes of the first two values that a condition compares, in either order.
fn find_compared<T>(graph: &Graph, condition: NodeId, find: impl Fn(NodeId, NodeId) -> Option<T>) -> Option<T> {
    let (mut open, mut seen) = (vec![condition], HashSet::new());
    while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
        let found = graph.node(node);
        if found.grain > Grain::Statement || !seen.insert(node) {
            continue;
        }
        let (Op::Compare(_), [left, right]) = (&found.op, found.inputs.as_slice()) else {
            open.extend(&found.inputs);
            continue;
        };
        if let Some(first) = find(*left, *right).or_else(|| find(*right, *left)) {
            return Some(first);
        }
    }
    None
}

/// A sum of money divided by another.
fn is_quotient_of_totals(graph: &Graph, node: NodeId) -> bool {
    let found = graph.node(graph.carried(node));
    let (Op::Arithmetic(Binary::Divide), [over, under]) = (&found.op, found.inputs.as_slice()) else { return false };
    let is_total = |node: &NodeId| {
        let found = graph.node(graph.carried(*node));
        found.ty.unit == Unit::Money && matches!(found.op, Op::Aggregate { function: Aggregate::Sum, .. })
    };
    is_total(over) && is_total(under)
}
