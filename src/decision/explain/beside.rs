//! What the values of a statement are compared with by conditions, rows and bins: a value is told closely enough that it does not look
//! like its bound. Knows no text.

use std::collections::BTreeMap;

use crate::decision::decide::Case;
use crate::rules::ir::{Grain, NodeId, Op};
use crate::rules::program::{Test, Value};

/// For each node that is compared with something its nearest bounds below and above it.
#[derive(Default)]
pub(super) struct Beside(BTreeMap<NodeId, Vec<f64>>);

impl Beside {
    pub(super) fn of(case: &Case) -> Self {
        let program = &case.policy.program;
        let graph = &program.graph;
        let mut beside = Self::default();
        for (node, live) in graph.nodes().iter().zip(&program.schedule.live) {
            let ([left, right], Op::Compare(_)) = (node.inputs.as_slice(), &node.op) else { continue };
            if *live && node.grain <= Grain::Statement {
                let (left, right) = (graph.carried(*left), graph.carried(*right));
                beside.note(case, left, number(case, right));
                beside.note(case, right, number(case, left));
            }
        }
        for table in &program.tables {
            for (at, (_, node)) in table.inputs.iter().enumerate() {
                let ends = table.rows.iter().filter_map(|row| row.tests.get(at)).flat_map(Test::ends);
                beside.note(case, graph.carried(*node), ends);
            }
        }
        for item in &program.score_items {
            beside.note(case, graph.carried(item.on), item.bins.iter().flat_map(|bin| bin.test.ends()));
        }
        beside
    }

    pub(super) fn neighbours(&self, node: NodeId) -> &[f64] {
        self.0.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Where the nearest keep their sides in rounding, those further away do.
    fn note(&mut self, case: &Case, node: NodeId, bounds: impl IntoIterator<Item = f64>) {
        let Ok(Value::Float(value)) = case.value(node) else { return };
        let known = self.0.entry(node).or_default();
        known.extend(bounds);
        let below = known.iter().copied().filter(|bound| *bound < value).reduce(f64::max);
        let above = known.iter().copied().filter(|bound| *bound > value).reduce(f64::min);
        *known = below.into_iter().chain(above).collect();
    }
}

fn number(case: &Case, node: NodeId) -> Option<f64> {
    case.value(node).ok()?.float()
}
