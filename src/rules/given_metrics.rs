//! Which values follow from metrics that the lender has already: no statement gives them.

use super::graph::Op;
use super::policy::Policy;
use super::program::inputs::InputSource;

/// For each node of a policy, in order, whether a given metric is behind it.
pub(crate) fn nodes_behind_given_metrics(policy: &Policy) -> Vec<bool> {
    let nodes = policy.program.graph.nodes();
    let mut given = vec![false; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        given[index] = match node.op {
            Op::Input(input) => policy.program.inputs[input].source == InputSource::Given,
            _ => node.inputs.iter().chain(&node.spreads).any(|input| given[input.index()]),
        };
    }
    given
}
