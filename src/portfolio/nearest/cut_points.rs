//! Where a policy's answer about a metric may change: the constants that it is compared with, and the ends of the bins
//! and cells that test it. Metrics that count only together with others have none.

use crate::rules::Policy;
use crate::rules::graph::{NodeId, Op};
use crate::rules::program::Test;

/// For each node its cut points, in the representation of expressions, ascending.
pub(super) fn cut_points(policy: &Policy, nodes: &[NodeId]) -> Vec<Vec<f64>> {
    nodes.iter().map(|node| of_node(policy, *node)).collect()
}

fn of_node(policy: &Policy, node: NodeId) -> Vec<f64> {
    let program = &policy.program;
    let graph = &program.graph;
    let is_it = |input: NodeId| graph.carried(input) == graph.carried(node);
    let constant = |input: NodeId| match &graph.node(graph.carried(input)).op {
        Op::Int(value) => Some(*value as f64),
        Op::Rational(value) => Some(value.to_f64()),
        _ => None,
    };
    let mut cuts = Vec::new();
    for compared in graph.nodes().iter().filter(|node| matches!(node.op, Op::Compare(_))) {
        if let [left, right] = compared.inputs.as_slice() {
            cuts.extend(constant(*right).filter(|_| is_it(*left)));
            cuts.extend(constant(*left).filter(|_| is_it(*right)));
        }
    }
    let ends = |test: &Test| test.ends().into_iter().map(|end| end.to_f64()).collect::<Vec<_>>();
    for item in program.score_items.iter().filter(|item| is_it(item.on)) {
        cuts.extend(item.bins.iter().flat_map(|bin| ends(&bin.test)));
    }
    for table in &program.tables {
        for (at, _) in table.inputs.iter().enumerate().filter(|(_, (_, input))| is_it(*input)) {
            cuts.extend(table.rows.iter().filter_map(|row| row.tests.get(at)).flat_map(ends));
        }
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    cuts
}
