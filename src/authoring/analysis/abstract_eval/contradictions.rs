//! Finds conditions on one value that cannot hold together: `n >= 6 AND n <= 3`. The value set of a node is
//! computed from its inputs alone; this compares several conditions on the same node. Sound: conditions reported as
//! contradictory never hold together.

use std::collections::{BTreeMap, BTreeSet};

use crate::authoring::analysis::abstract_eval::conversions::skip_conversions;
use crate::authoring::analysis::abstract_eval::interval::Interval;
use crate::authoring::analysis::abstract_eval::node_values::NodeValues;
use crate::authoring::analysis::abstract_eval::values::KnownValues;
use crate::rules::Binary;
use crate::rules::graph::{Graph, NodeId, Op, Repr, TransactionColumn};

/// Most conditions examined within one condition.
const FACTS_MAX: usize = 1_000;

/// Most ways in which ORs can hold that are tried.
const WAYS_MAX: usize = 64;

/// What the conditions say about each node.
#[derive(Clone)]
struct Facts<'f> {
    graph: &'f Graph,
    node_values: &'f NodeValues,
    numbers: BTreeMap<NodeId, Option<Interval>>,
    texts: BTreeMap<NodeId, BTreeSet<String>>,
    /// Texts that a node cannot be.
    other_texts: BTreeMap<NodeId, BTreeSet<String>>,
    truths: BTreeMap<NodeId, bool>,
    /// Conditions of which at least one is true, or false: each can be a way for all to hold.
    ways: Vec<(&'f [NodeId], bool)>,
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
    let mut facts = Facts::new(graph, node_values);
    conditions.iter().for_each(|condition| facts.holds(*condition, negated));
    facts.contradicted
}

/// Whether conditions cannot all be true, in whatever way their ORs hold. A record moves money in or out, not both.
pub(in crate::authoring::analysis) fn never_hold_together(
    graph: &Graph,
    node_values: &NodeValues,
    conditions: &[NodeId],
) -> bool {
    let mut facts = Facts::new(graph, node_values);
    conditions.iter().for_each(|condition| facts.holds(*condition, false));
    let mut ways_left = WAYS_MAX;
    facts.contradicts_itself(&mut ways_left)
}

impl<'f> Facts<'f> {
    fn new(graph: &'f Graph, node_values: &'f NodeValues) -> Facts<'f> {
        let (numbers, texts, truths) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (other_texts, ways) = (BTreeMap::new(), Vec::new());
        let left = FACTS_MAX;
        Facts { graph, node_values, numbers, texts, other_texts, truths, ways, left, contradicted: false }
    }

    /// Whether every way to hold contradicts itself.
    fn contradicts_itself(mut self, ways_left: &mut usize) -> bool {
        if self.contradicted || self.moves_both_ways() {
            return true;
        }
        let Some((ways, negated)) = self.ways.pop() else { return false };
        ways.iter().all(|way| {
            let Some(left) = ways_left.checked_sub(1) else { return false };
            *ways_left = left;
            let mut with = self.clone();
            with.holds(*way, negated);
            with.contradicts_itself(ways_left)
        })
    }

    /// Whether a record is said to have a credit and a debit.
    fn moves_both_ways(&self) -> bool {
        let is_some = |wanted: TransactionColumn| {
            self.numbers.iter().any(|(node, interval)| {
                self.graph.node(*node).op == Op::Column(wanted) && interval.is_some_and(is_above_zero)
            })
        };
        is_some(TransactionColumn::Credit) && is_some(TransactionColumn::Debit)
    }

    fn holds(&mut self, node: NodeId, negated: bool) {
        if self.contradicted || self.left == 0 {
            return;
        }
        self.left -= 1;
        let before = self.truths.insert(node, !negated);
        self.contradicted |= before == Some(negated);
        let graph: &'f Graph = self.graph;
        let at = graph.node(node);
        match (&at.op, at.inputs.as_slice()) {
            (Op::Spread, [input]) => self.holds(*input, negated),
            (Op::Not, [input]) => self.holds(*input, !negated),
            (Op::And, inputs) if !negated => inputs.iter().for_each(|input| self.holds(*input, false)),
            (Op::Or, inputs) if negated => inputs.iter().for_each(|input| self.holds(*input, true)),
            (Op::Or, inputs) if !negated => self.ways.push((inputs, false)),
            (Op::And, inputs) => self.ways.push((inputs, true)),
            (Op::IsBoolean(wanted), [input]) if !negated => self.holds(*input, !wanted),
            (Op::Compare(sign), [left, right]) => {
                let sign = if negated { sign.opposite() } else { *sign };
                self.compares(*left, sign, *right);
                self.compares(*right, sign.mirrored(), *left);
            }
            _ => {}
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
            (KnownValues::Texts(own), KnownValues::Texts(Some(implied))) => {
                match sign {
                    Binary::Equal => {
                        let both = |one: &BTreeSet<String>| one.intersection(implied).cloned().collect();
                        let met: BTreeSet<String> = match (self.texts.get(&node), own) {
                            (Some(so_far), _) => both(so_far),
                            (None, Some(own)) => both(own),
                            (None, None) => implied.clone(),
                        };
                        self.texts.insert(node, met);
                    }
                    Binary::NotEqual if implied.len() == 1 => {
                        self.other_texts.entry(node).or_default().extend(implied.iter().cloned());
                    }
                    _ => return,
                }
                let other = self.other_texts.get(&node);
                let is_left = |text: &String| other.is_none_or(|other| !other.contains(text));
                let possible = self.texts.get(&node).or(own.as_ref());
                self.contradicted |= possible.is_some_and(|possible| !possible.iter().any(is_left));
            }
            _ => {}
        }
    }
}

fn is_above_zero(interval: Interval) -> bool {
    interval.low > 0.0 || (interval.low == 0.0 && !interval.low_closed)
}
