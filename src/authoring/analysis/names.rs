//! Names of a program's nodes, for messages that explain a finding.

use std::collections::{HashMap, HashSet};

use super::ranges::describe_value_set;
use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::values::Values;
use crate::rules::Policy;
use crate::rules::graph::{Fact, NodeId, Op};

/// Most names in one explanation.
const LISTED_MAX: usize = 3;

/// Names by node.
pub(super) struct NodeNames<'p> {
    policy: &'p Policy,
    names: HashMap<NodeId, String>,
}

impl<'p> NodeNames<'p> {
    pub(super) fn new(policy: &'p Policy) -> NodeNames<'p> {
        let program = &policy.program;
        let mut names = HashMap::new();
        for (index, node) in program.graph.nodes().iter().enumerate() {
            let id = NodeId(index as u32);
            match &node.op {
                Op::Input(input) => {
                    names.insert(id, program.inputs[*input].path());
                }
                Op::Dated(parameter) => {
                    names.insert(id, format!("${}", program.parameters[*parameter].name));
                }
                Op::Fact(Fact::AsOf | Fact::WindowEnd) => {
                    names.insert(id, "as_of".to_string());
                }
                _ => {}
            }
        }
        for metric in &program.metrics {
            names.entry(metric.node).or_insert_with(|| metric.name.clone());
        }
        names.extend(program.score.iter().map(|score| (score.node, "score".to_string())));
        names.extend(
            program.tables.iter().flat_map(|table| &table.outputs).map(|output| (output.node, output.name.clone())),
        );
        NodeNames { policy, names }
    }

    pub(super) fn name(&self, node: NodeId) -> Option<&str> {
        let found = self.policy.program.graph.node(node);
        match (self.names.get(&node), &found.op) {
            (Some(name), _) => Some(name),
            (None, Op::Spread | Op::ToRational | Op::ToFloat) => self.name(found.inputs[0]),
            _ => None,
        }
    }

    /// The possible values of a node, in words.
    pub(super) fn range(&self, eval: &AbstractEval, node: NodeId) -> String {
        describe_value_set(eval.at(node), self.policy.type_of(node), &self.policy.header.currency)
    }

    /// The known values of a node, in words.
    pub(super) fn known_range(&self, eval: &AbstractEval, node: NodeId) -> String {
        let known = Values { unknown: false, ..eval.at(node).clone() };
        describe_value_set(&known, self.policy.type_of(node), &self.policy.header.currency)
    }

    /// The possible values of the names in an expression: "`x` is 0 or more, `y` is 1 to 7".
    pub(super) fn because(&self, eval: &AbstractEval, node: NodeId) -> String {
        let found = self.named_below(node);
        let currency = &self.policy.header.currency;
        let say = |node: &NodeId| {
            let name = self.name(*node).unwrap_or("it");
            format!("`{name}` is {}", describe_value_set(eval.at(*node), self.policy.type_of(*node), currency))
        };
        found.iter().map(say).collect::<Vec<_>>().join(", ")
    }

    /// The named nodes below a node. Visits each node once, because unnamed values may be shared many times.
    fn named_below(&self, node: NodeId) -> Vec<NodeId> {
        let (mut found, mut open, mut seen) = (Vec::new(), vec![node], HashSet::new());
        while let Some(node) = open.pop().filter(|_| found.len() < LISTED_MAX) {
            if !seen.insert(node) {
                continue;
            }
            match self.name(node) {
                Some(_) => found.push(node),
                None => open.extend(self.policy.program.graph.node(node).inputs.iter().rev()),
            }
        }
        found
    }
}
