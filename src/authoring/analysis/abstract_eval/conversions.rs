//! Looks through nodes that change the representation or grain of a value, but not the value.

use crate::rules::graph::{Aggregate, Graph, Node, NodeId, Op};

/// The node behind changes of representation.
pub(in crate::authoring::analysis) fn skip_conversions(graph: &Graph, node: NodeId) -> NodeId {
    let found = graph.node(node);
    match found.op {
        Op::Spread | Op::ToRational | Op::ToFloat => skip_conversions(graph, found.inputs[0]),
        _ => node,
    }
}

/// The function and inputs of an aggregate, seen through a change of representation.
pub(in crate::authoring::analysis) fn unconverted_aggregate(
    graph: &Graph,
    node: NodeId,
) -> Option<(&Node, Aggregate, usize, bool)> {
    let node = graph.node(node);
    match node.op {
        Op::ToRational | Op::ToFloat => unconverted_aggregate(graph, node.inputs[0]),
        Op::Aggregate { function, arguments, filtered } => Some((node, function, arguments, filtered)),
        _ => None,
    }
}
