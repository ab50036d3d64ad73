//! The roots of a program's graph: nodes whose values are read. All other nodes are intermediate.

use std::collections::HashMap;

use crate::rules::corrections::Correction;
use crate::rules::graph::{Node, NodeId, Op};
use crate::rules::program::inputs::InputSource;
use crate::rules::program::{Program, Template};

impl Program {
    /// The name of the kind that a correction gives.
    pub(crate) fn corrected_kind(&self, correction: &Correction) -> Option<&str> {
        self.kinds.get(correction.kind?).map(|kind| kind.name.as_str())
    }

    /// The flags that a correction sets in a record of a side; `None` if it says nothing of what such a record is.
    pub(crate) fn corrected_flags(&self, correction: usize, is_credit: bool) -> Option<&[usize]> {
        let kind = self.corrections.as_ref()?.all().get(correction)?.kind?;
        self.kinds.get(kind)?.flags(is_credit)
    }

    /// All nodes whose values are read.
    pub(in crate::rules) fn roots(&self) -> Vec<NodeId> {
        let metrics = self.metrics.iter().map(|metric| metric.node);
        metrics.chain(self.judgement()).collect()
    }

    /// The metrics that judgements use directly, not only through others. Of several names of one expression, the
    /// first.
    pub(crate) fn judged_by(&self) -> Vec<&str> {
        let nodes = self.graph.nodes();
        let mut first: HashMap<NodeId, usize> = HashMap::new();
        for (at, metric) in self.metrics.iter().enumerate() {
            first.entry(metric.node).or_insert(at);
        }
        let mut asked = vec![false; nodes.len()];
        self.judgement().into_iter().for_each(|root| asked[root.index()] = true);
        let mut found = Vec::new();
        // A metric that is given follows from nothing, and is judged all the same.
        let is_given = |node: &Node| match node.op {
            Op::Input(input) => self.inputs[input].source == InputSource::Given,
            _ => false,
        };
        let is_metric = |node: &Node| !node.inputs.is_empty() || is_given(node);
        for (index, node) in nodes.iter().enumerate().rev().filter(|(_, node)| is_metric(node)) {
            if !asked[index] {
                continue;
            }
            match first.get(&NodeId(index as u32)) {
                Some(metric) => found.push(*metric),
                None => node.inputs.iter().for_each(|input| asked[input.index()] = true),
            }
        }
        found.sort_unstable();
        found.into_iter().map(|metric| self.metrics[metric].name.as_str()).collect()
    }

    /// The nodes of judgements: requirements, the score, tables, offers.
    pub(crate) fn judgement(&self) -> Vec<NodeId> {
        let mut roots = Vec::new();
        for requirement in &self.requirements {
            requirement.asked.nodes(&mut roots);
            roots.extend(requirement.reason.nodes());
        }
        roots.extend(self.score.iter().map(|score| score.node));
        for item in &self.score_items {
            roots.extend([item.on, item.node]);
            roots.extend(item.reason.iter().flat_map(Template::nodes));
        }
        for table in &self.tables {
            roots.push(table.node);
            roots.extend(table.inputs.iter().map(|(_, node)| *node));
            roots.extend(table.outputs.iter().map(|output| output.node));
        }
        for offer in &self.offers {
            roots.extend([offer.amount, offer.interest, offer.instalments]);
            roots.extend(offer.when);
            roots.extend(offer.fee);
            roots.extend(offer.amount_steps.nodes());
        }
        roots.extend(self.asking.amount);
        roots.extend(self.asking.tenure);
        roots
    }
}
