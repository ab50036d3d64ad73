//! What the items of a scorecard are computed from, by the graph of their policy.

use crate::portfolio::learning::Proposal;
use crate::rules::Policy;
use crate::rules::graph::{NodeId, Op};

/// The items that are a metric of this name, or are computed from one, or from an input or a column of this name. Upper
/// and lower case are one: who names a column `Region` means a metric `region` too.
pub(super) fn items_that_read(proposal: &Proposal, policy: &Policy, name: &str) -> Vec<String> {
    let is_name = |other: &str| other.eq_ignore_ascii_case(name);
    let metrics = policy.program.metrics.iter();
    let named: Vec<NodeId> = metrics.filter(|metric| is_name(&metric.name)).map(|metric| metric.node).collect();
    let is_read = |node: &NodeId| {
        let input = input_of_node(policy, *node).and_then(|input| policy.inputs().get(input));
        let is_input = input.is_some_and(|input| is_name(&input.name) || input.column.as_deref().is_some_and(is_name));
        is_input || named.contains(node)
    };
    let reads = |item: &str| is_name(item) || nodes_behind_metric(policy, item).iter().any(is_read);
    proposal.items.iter().filter(|item| reads(&item.name)).map(|item| item.name.clone()).collect()
}

/// The input that a node reads.
fn input_of_node(policy: &Policy, node: NodeId) -> Option<usize> {
    match &policy.program.graph.node(node).op {
        Op::Input(input) | Op::Entry(input, _) => Some(*input),
        _ => None,
    }
}

/// Every node that a metric is computed from, with its own.
fn nodes_behind_metric(policy: &Policy, metric: &str) -> Vec<NodeId> {
    let metrics = policy.program.metrics.iter();
    let own: Vec<NodeId> = metrics.filter(|one| one.name == metric).map(|one| one.node).collect();
    let behind = policy.program.graph.behind(&own).into_iter().zip(0..);
    behind.filter(|(is_behind, _)| *is_behind).map(|(_, node)| NodeId(node)).collect()
}
