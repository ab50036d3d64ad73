//! Finds conditions on one value that cannot hold together: `n >= 6 AND n <= 3`. The value set of a node is
//! computed from its inputs alone; this compares several conditions on the same node. Sound: conditions reported as
//! contradictory never hold together.

use std::collections::{BTreeMap, BTreeSet};

use crate::authoring::analysis::abstract_eval::conversions::skip_conversions;
use crate::authoring::analysis::abstract_eval::interval::Interval;
use crate::authoring::analysis::abstract_eval::node_values::NodeValues;
use crate::authoring::analysis::abstract_eval::values::KnownValues;
use crate::rules::Binary;
use crate::rules::graph::{Graph, NodeId, Op, Repr};

/// Most conditions examined within one condition.
const FACTS_MAX: usize = 1_000;

/// What the conditions say about each node.
struct Facts<'f> {
    graph: &'f Graph,
    node_values: &'f NodeValues,
    numbers: BTreeMap<NodeId, Option<Interval>>,
    texts: BTreeMap<NodeId, BTreeSet<String>>,
    truths: BTreeMap<NodeId, bool>,
    left: usize,
    contradicted: bool,
}

/// Whether conditions cannot all be true, or, `negated`, not all false.
pub(in crate::authoring::analysis) fn conditions_contradict(
    graph: &Graph,
    node_values: &NodeValues,
    conditions: &[NodeId],
    negated: bool,
) -> bool {
    let (numbers, texts, truths) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut facts = Facts { graph, node_values, numbers, texts, truths, left: FACTS_MAX, contradicted: false };
    conditions.iter().for_each(|condition| facts.holds(*condition, negated));
    facts.contradicted
}

impl Facts<'_> {
    fn holds(&mut self, node: NodeId, negated: bool) {
        if self.contradicted || self.left == 0 {
            return;
        }
        self.left -= 1;
        let at = self.graph.node(node);
        match (&at.op, at.inputs.as_slice()) {
            (Op::Spread, [input]) => self.holds(*input, negated),
            (Op::Not, [input]) => self.holds(*input, !negated),
            (Op::And, inputs) if !negated => inputs.iter().for_each(|input| self.holds(*input, false)),
            (Op::Or, inputs) if negated => inputs.iter().for_each(|input| self.holds(*input, true)),
            (Op::Compare(sign), [left, right]) => {
                let sign = if negated { sign.opposite() } else { *sign };
                self.compares(*left, sign, *right);
                self.compares(*right, sign.mirrored(), *left);
            }
            _ => {
                let before = self.truths.insert(node, !negated);
                self.contradicted |= before == Some(negated);
            }
        }
    }

    /// `node sign bound` is true, so both are known.
    fn compares(&mut self, node: NodeId, sign: Binary, bound: NodeId) {
        let node = skip_conversions(self.graph, node);
        let values = |node| &self.node_values.at(node).known;
        match (values(node), values(bound)) {
            (KnownValues::Numbers(Some(own)), KnownValues::Numbers(Some(bound))) => {
                let implied = match sign {
                    Binary::Equal => *bound,
                    Binary::Greater => {
                        Interval { high: f64::INFINITY, low_closed: false, high_closed: false, ..*bound }
                    }
                    Binary::GreaterEqual => Interval { high: f64::INFINITY, high_closed: false, ..*bound },
                    Binary::Less => {
                        Interval { low: f64::NEG_INFINITY, low_closed: false, high_closed: false, ..*bound }
                    }
                    Binary::LessEqual => Interval { low: f64::NEG_INFINITY, low_closed: false, ..*bound },
                    Binary::NotEqual | Binary::And | Binary::Or => return,
                    Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder => return,
                };
                let is_whole = self.graph.node(node).ty.repr == Repr::Int;
                let so_far = self.numbers.get(&node).copied().unwrap_or(Some(*own));
                let met = so_far.and_then(|so_far| so_far.meet(implied));
                let met = if is_whole { met.and_then(Interval::of_whole) } else { met };
                self.contradicted |= met.is_none();
                self.numbers.insert(node, met);
            }
            (KnownValues::Texts(own), KnownValues::Texts(Some(implied))) if sign == Binary::Equal => {
                let both = |one: &BTreeSet<String>| one.intersection(implied).cloned().collect();
                let met: BTreeSet<String> = match (self.texts.get(&node), own) {
                    (Some(so_far), _) => both(so_far),
                    (None, Some(own)) => both(own),
                    (None, None) => implied.clone(),
                };
                self.contradicted |= met.is_empty();
                self.texts.insert(node, met);
            }
            _ => {}
        }
    }
}
