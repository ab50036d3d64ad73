//! The value sets of all nodes, in the order of the graph. Computes none of them.

use super::values::Values;
use crate::rules::graph::NodeId;

/// One value set per node.
#[derive(Clone, Debug)]
pub(in crate::authoring::analysis) struct NodeValues(Vec<Values>);

impl NodeValues {
    /// Empty, with room for this many nodes.
    pub(in crate::authoring::analysis) fn with_capacity(nodes: usize) -> NodeValues {
        NodeValues(Vec::with_capacity(nodes))
    }

    /// Adds the set of the next node.
    pub(in crate::authoring::analysis) fn push(&mut self, values: Values) {
        self.0.push(values);
    }

    /// Replaces the set of a node.
    pub(in crate::authoring::analysis) fn set(&mut self, node: usize, values: Values) {
        self.0[node] = values;
    }

    /// The set of a node.
    pub(in crate::authoring::analysis) fn at(&self, node: NodeId) -> &Values {
        &self.0[node.index()]
    }
}
