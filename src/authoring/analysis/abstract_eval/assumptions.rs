//! What follows for other values if a condition holds: that they are known, that they are not 0, that the statement has
//! debits.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::rules::Binary;
use crate::rules::graph::{Fact, Graph, Node, NodeId, Op};

/// The assumptions in one branch of a `CASE`.
#[derive(Clone, Debug, Default)]
pub(in crate::authoring::analysis) struct Assumed {
    known: HashSet<NodeId>,
    not_zero: HashSet<NodeId>,
    pub debit: bool,
    pub balance: bool,
    pub narration: bool,
    pub names: bool,
}

impl Assumed {
    pub(in crate::authoring::analysis) fn is_empty(&self) -> bool {
        self.known.is_empty() && !self.debit && !self.balance && !self.narration && !self.names
    }

    pub(in crate::authoring::analysis) fn is_known(&self, graph: &Graph, node: NodeId) -> bool {
        self.known.contains(&graph.carried(node))
    }

    pub(in crate::authoring::analysis) fn is_not_zero(&self, graph: &Graph, node: NodeId) -> bool {
        self.not_zero.contains(&graph.carried(node))
    }

    /// Assumes that the condition holds or fails, and what follows from that.
    pub(in crate::authoring::analysis) fn add(
        &mut self,
        graph: &Graph,
        eval: &AbstractEval,
        condition: NodeId,
        holds: bool,
    ) {
        let mut open = vec![(condition, holds)];
        while let Some((id, holds)) = open.pop() {
            let id = graph.carried(id);
            let node = graph.node(id);
            match (&node.op, holds) {
                (Op::Fact(Fact::HasDebit), true) => self.debit = true,
                (Op::Fact(Fact::HasBalance), true) => self.balance = true,
                (Op::And, true) | (Op::Or, false) => open.extend(node.inputs.iter().map(|input| (*input, holds))),
                (Op::Not, _) => open.push((node.inputs[0], !holds)),
                (Op::IsNull, false) => self.value(graph, node.inputs[0]),
                (Op::IsBoolean(wanted), true) => open.push((node.inputs[0], *wanted)),
                (Op::Compare(op), _) => {
                    self.compared(graph, eval, node, *op, holds);
                    self.value(graph, id);
                }
                (Op::IsNull | Op::IsBoolean(_), _) => {}
                _ => self.value(graph, id),
            }
        }
    }

    /// Assumes that a value is known, and so everything it requires.
    fn value(&mut self, graph: &Graph, node: NodeId) {
        let mut open = vec![node];
        while let Some(id) = open.pop() {
            let id = graph.carried(id);
            if !self.known.insert(id) {
                continue;
            }
            let node = graph.node(id);
            match &node.op {
                Op::Aggregate { .. } => {
                    let needs = node.inputs.iter().map(|input| graph.node(*input).needs);
                    let needs = needs.fold(Default::default(), |all: crate::rules::graph::Needs, needs| all.and(needs));
                    (self.debit, self.balance) = (self.debit || needs.debit, self.balance || needs.balance);
                    (self.narration, self.names) = (self.narration || needs.narration, self.names || needs.names);
                }
                Op::Arithmetic(op) => {
                    if matches!(op, Binary::Divide | Binary::Remainder) {
                        self.not_zero.insert(graph.carried(node.inputs[1]));
                    }
                    open.extend(&node.inputs);
                }
                Op::Negate | Op::Abs | Op::Not | Op::Compare(_) | Op::Least | Op::Greatest | Op::Round(_) => {
                    open.extend(&node.inputs);
                }
                Op::NeedsMonths(_) => open.push(node.inputs[1]),
                _ => {}
            }
        }
    }

    fn compared(&mut self, graph: &Graph, eval: &AbstractEval, node: &Node, op: Binary, holds: bool) {
        let op = if holds { op } else { op.opposite() };
        let (left, right) = (node.inputs[0], node.inputs[1]);
        for (one, other, op) in [(left, right, op), (right, left, op.mirrored())] {
            let Some(other) = eval.at(other).interval() else { continue };
            let away = match op {
                Binary::Greater => other.low >= 0.0,
                Binary::GreaterEqual => other.low > 0.0,
                Binary::Less => other.high <= 0.0,
                Binary::LessEqual => other.high < 0.0,
                Binary::NotEqual => other.low == 0.0 && other.high == 0.0,
                Binary::Equal => !other.contains(0.0),
                Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder => false,
                Binary::And | Binary::Or => false,
            };
            if away {
                self.not_zero.insert(graph.carried(one));
            }
        }
    }
}
